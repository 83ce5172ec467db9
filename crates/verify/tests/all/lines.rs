//! Compares the lines of the text of pages, and the landmarks that they are in, with those that
//! Chromium shows. The pages are those below, those of corpus/ and html5lib's tests, and real pages
//! (if available). All lines must agree, except for what differs with a reason. A page where other
//! lines differ must be listed in lines.txt with the cause. A listed page that agrees is a failure
//! too.
//!
//! Without Chromium the tests report that and pass; with `HEEDFUL_BROWSER=1` they fail instead.
//! `heedful verify --browser --text` compares any pages.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stdout, reason = "a test tells what it compared")]

use heedful::{Bot, Filter};
use heedful_verify::{Agreement, Browser, Engine, Surroundings, TextCheck, TextTotals};

use crate::browsers;
use crate::support;
use crate::support::cases::{Listed, corpus, html5lib};

const URL: &str = "https://site.example/dir/page";

/// Pages with their names, for each structure that lines or landmarks depend on.
const PAGES: &[(&str, &str)] = &[
    (
        "paragraphs",
        "<p>one<p>two</p>three<p></p>four<div>five<div>six</div>seven</div>eight",
    ),
    (
        "headings",
        "a<h1>one</h1><h2>two<h3>three</h2>four<h6><b>five</b></h6>six",
    ),
    (
        "breaks",
        "one<br>two<br><br>three</br>four<hr>five<p>six<br></p>seven<wbr>eight",
    ),
    (
        "a table",
        "<table><caption>one</caption><thead><tr><th>two<th>three<tbody><tr><td>four<td>five<tr><td>six<td></table>seven",
    ),
    (
        "a table without rows",
        "<table><td>one<td>two</table><table><tbody><tr><td>three</table><table></table>four",
    ),
    (
        "a table in a cell",
        "<table><tr><td>one<table><tr><td>two<td>three</table>four<td>five</table>",
    ),
    (
        "a table in a paragraph",
        "<p>one<table><tr><td>two</table>three</p>four",
    ),
    (
        "a table in a paragraph, standards",
        "<!doctype html><p>one<table><tr><td>two</table>three</p>four",
    ),
    (
        "cells with blocks",
        "<table><tr><td><p>one</p><p>two</p><td><div>three</div><tr><td>four<br>five<td>six</table>",
    ),
    (
        "a table's foot first",
        "<table><tfoot><tr><td>one</tfoot><tbody><tr><td>two</tbody></table>",
    ),
    (
        "lists",
        "<ul><li>one<li>two</ul><ol><li><p>three<p>four<li>five</ol><menu><li>six</menu><dir><li>seven</dir>",
    ),
    (
        "nested lists",
        "<ul><li>one<ul><li>two<ol><li>three</ol><li>four</ul><li>five</ul>six",
    ),
    ("stray items", "one<li>two<li>three<p>four<li>five</p>six"),
    (
        "definitions",
        "<dl><dt>one<dd>two<dd><p>three<dt>four</dl>five<dd>six",
    ),
    (
        "preformatted",
        "one<pre>\ntwo\n  three\n\n\tfour </pre>five<pre><b>six\n</b>seven</pre><listing>\neight\nnine</listing><xmp>ten <b>\n eleven</xmp>",
    ),
    ("plaintext", "one<plaintext>two\nthree</plaintext>"),
    (
        "a quote and a figure",
        "<blockquote>one<p>two</blockquote>three<figure>four<figcaption>five</figcaption><img alt=x>six</figure>seven<address>eight</address>nine<center>ten</center>",
    ),
    (
        "details",
        "one<details><summary>two</summary>three</details><details open><summary>four<b>five</b></summary>six</details>seven<details>eight</details>",
    ),
    (
        "dialogs and popovers",
        "one<dialog>two</dialog>three<dialog open>four</dialog>five<div popover>six</div>seven<span hidden>eight</span>nine",
    ),
    (
        "choices",
        "one<select><option>two<option>three<optgroup label=x><option>four</select>five<datalist><option>six</datalist>seven<option>eight</option>nine",
    ),
    (
        "controls",
        "one<button>two</button>three<button><p>four<p>five</button>six<label>seven<input value=x>eight</label>nine<textarea>\nten</textarea>eleven<meter>twelve</meter><progress>thirteen</progress>",
    ),
    (
        "fieldsets",
        "one<fieldset><legend>two</legend>three</fieldset>four<form>five<legend>six</legend></form>seven<output>eight</output>",
    ),
    (
        "ruby",
        "one<ruby>two<rt>three</rt>four<rp>(</rp><rt>five<rp>)</rp></ruby>six<ruby><rb>seven<rtc>eight</ruby>",
    ),
    (
        "a drawing",
        "one<svg><title>two</title><text>three</text><text>four<tspan>five</tspan></text><foreignObject><p>six<p>seven</foreignObject></svg>eight",
    ),
    (
        "a formula",
        "one<math><mi>two</mi><mo>three</mo><mtext>four</mtext></math>five",
    ),
    (
        "fallbacks",
        "one<audio>two</audio>three<video>four</video>five<canvas>six</canvas>seven<iframe>eight</iframe>nine<object>ten</object>eleven",
    ),
    (
        "inline boxes",
        "one<span>two</span> <b>three </b>four<img>five<br>six<marquee>seven</marquee>eight<q>nine</q>",
    ),
    (
        "white space",
        " one \n two&nbsp; three\t<b> four </b> <i> </i> five<span> </span>six\u{3000}seven\u{200b}eight",
    ),
    (
        "stray end tags",
        "one</div>two</p>three</li>four</h1>five</table>six</td>seven</span>eight</form>nine",
    ),
    (
        "blocks in links",
        "<a href=x>one<div>two</div>three</a>four<a href=y><h2>five</h2><p>six</a>seven",
    ),
    (
        "links in blocks",
        "<div>one <a href=x>two</a> three</div><p><a href=y>four</a></p><p><a href=z>five",
    ),
    (
        "formatting left open",
        "<p><b>one<p>two<i>three</b><p>four</i>five<div><u>six</div>seven</u>",
    ),
    (
        "text in a table",
        "one<table>two<tr>three<td>four</td>five<tr><td>six</table>seven",
    ),
    (
        "blocks in a table",
        "one<table><div>two</div><tr><td>three<tr><p>four<td>five</table>six",
    ),
    (
        "templates and scripts",
        "one<template><p>two</template>three<script>four</script>five<style>six</style>seven<noscript><p>eight</noscript>nine",
    ),
    (
        "unknown elements",
        "one<x-card>two<p>three</p></x-card>four<foo>five</foo>six<image>seven",
    ),
    (
        "sections",
        "one<article>two<section>three<hgroup><h1>four</h1><p>five</hgroup></section></article>six<main>seven</main><search>eight</search>nine",
    ),
    (
        "after the body",
        "<body>one<p>two</body>three</html>four<p>five",
    ),
    (
        "a page in a page",
        "<p>one<html><head><title>two</title><body><p>three</p></body></html>four",
    ),
    (
        "frames",
        "<frameset><frame><noframes>one</noframes></frameset>two",
    ),
    (
        "landmarks",
        "<header>one</header><nav>two</nav><main>three</main><aside>four</aside><search>five</search><footer>six</footer>seven",
    ),
    (
        "nested landmarks",
        "<main>one<nav>two<aside>three</aside>four</nav>five<search><form aria-label=x>six</form>seven</search></main>eight",
    ),
    (
        "headers in sections",
        "<article><header>one</header>two<footer>three</footer></article><section><header>four</header></section><main><footer>five</footer></main><div><header>six</header></div><blockquote><footer>seven</footer></blockquote>",
    ),
    (
        "asides in sections",
        "<article><aside>one</aside><aside aria-label=x>two</aside></article><section><aside>three</aside></section><main><aside>four</aside></main>",
    ),
    (
        "named sections and forms",
        "<section>one</section><section aria-label=x>two</section><form>three</form><form aria-label=x>four</form><form title=x>five</form><form name=x>six</form><form aria-labelledby=h>seven<b id=h>eight</b></form>",
    ),
    (
        "roles",
        "<div role=main>one</div><p role=navigation>two<p role=BANNER>three</p><div role='foo search'>four</div><div role='foo'>five</div><div role='region main' aria-label=x>six</div><div role=form>seven</div><div role=form aria-label=x>eight</div>",
    ),
    (
        "a role on an inline element",
        "one<span role=navigation>two<p>three</p></span>four<a role=search>five</a><b role=complementary>six<i>seven</b>eight</i>",
    ),
    (
        "presentation",
        "<nav role=presentation>one</nav><main role=none>two</main><nav role=none aria-label=x>three</nav><aside role='presentation'>four<header>five</header></aside>",
    ),
    (
        "landmarks by list",
        "<nav><ul><li>one<li>two</ul></nav><ul role=navigation><li>three</ul><table role=main><tr><td>four</table><header>five<nav>six</nav>seven</header>",
    ),
    (
        "landmarks that are not closed",
        "<nav>one<main>two<p>three</nav>four</main>five<footer>six<p>seven",
    ),
];

/// Pages whose `innerText` is plain by the standard, so that the browser is asked in the right way:
/// scripting is on, and of the style sheets the browser's own counts alone.
const KNOWN: &[(&str, &[&str])] = &[
    ("<p>one<br>two<p>three", &["one", "two", "three"]),
    (
        "<style>p { display: none } b { display: block }</style><p>one<b>two</b>",
        &["onetwo"],
    ),
    (
        "<p style='display: none'>one<b style='display: block'>two</b><header>three</header>",
        &["onetwo", "three"],
    ),
    (
        "<link rel=stylesheet href='data:text/css,p{display:none}'><p>one",
        &["one"],
    ),
    (
        "one<noscript>two</noscript><span hidden>three</span><script>document.write('four')</script>",
        &["one"],
    ),
    (
        "<table><tr><td>one<td>two<tr><td>three</table>",
        &["one two", "three"],
    ),
];

fn browser() -> Option<Browser> {
    let engine = Engine::Chromium;
    browsers::program(engine).map(|program| Browser::launch(engine, &program).unwrap())
}

fn compared(browser: &mut Browser, page: &[u8], is_utf8: bool) -> Option<TextCheck> {
    let filter = Filter::new(Bot::new("FooBot").unwrap());
    let around = Surroundings {
        is_utf8,
        ..Surroundings::default()
    };
    match TextCheck::run(browser, &filter, (URL, page), &around) {
        Ok(check) => check,
        Err(error) => {
            assert!(matches!(error.name(), "ambiguous" | "limit"), "{error}");
            None
        }
    }
}

/// Returns the differences that have no reason. Returns `None` if all agrees.
fn fault(check: &TextCheck) -> Option<String> {
    let landmarks = check.landmarks().unwrap();
    let wrong = check.differences().iter();
    let wrong: Vec<_> = wrong
        .filter(|found| found.reason().is_none())
        .map(|found| format!("{} {:?}", found.kind(), found.example()))
        .collect();
    let is_good = check.lines_by_law().is_whole() && wrong.is_empty();
    (!is_good).then(|| {
        format!(
            "{:?} {landmarks:?} {}",
            check.lines_by_law(),
            wrong.join("; ")
        )
    })
}

#[test]
fn the_browser_is_asked_in_the_right_way() {
    let Some(mut browser) = browser() else { return };
    for (page, lines) in KNOWN {
        let check = compared(&mut browser, page.as_bytes(), true).unwrap();
        assert_eq!(check.browser_lines(), *lines, "{page}");
    }
}

#[test]
fn the_lines_of_each_structure_are_those_of_a_browser() {
    let Some(mut browser) = browser() else { return };
    let mut expected = Listed::of(include_str!("lines.txt"));
    let own = PAGES
        .iter()
        .map(|(name, page)| ((*name).to_owned(), (*page).to_owned()));
    let html5lib = html5lib();
    let is_whole = !html5lib.is_empty();
    let (mut total, mut wrong) = (TextTotals::default(), Vec::new());
    for (name, page) in own.chain(corpus(true)).chain(html5lib) {
        // Some versions of the browser move such content, and the law does not read it.
        if page.contains("<?start") || page.contains("<?marker") {
            continue;
        }
        let Some(check) = compared(&mut browser, page.as_bytes(), true) else {
            continue;
        };
        total.add(&name, &check);
        let found = fault(&check);
        if found.is_some() != expected.take(&name) {
            let found = found.unwrap_or_else(|| "agrees, but is listed".to_owned());
            wrong.push(format!("{name}\t{found}\t{page:?}"));
        }
    }
    if is_whole {
        wrong.extend(expected.left());
    }
    println!("{} pages, {:?}", total.pages(), total.lines_by_law());
    let faults = wrong.len();
    assert!(
        total.pages() > 500 && faults == 0,
        "{faults} faults\n{}",
        wrong.join("\n")
    );
}

#[test]
fn the_lines_of_real_pages_are_those_of_a_browser() {
    let Some(mut browser) = browser() else { return };
    let mut total = TextTotals::default();
    for page in ["real-pages.jsonl.gz", "real-exclusion.jsonl.gz"]
        .into_iter()
        .flat_map(support::pages)
        .step_by(5)
    {
        if let Some(check) = compared(&mut browser, &page.html, page.is_text) {
            total.add(&page.id, &check);
        }
    }
    println!("{} pages, {:?}", total.pages(), total.lines_by_law());
    let is_good = |agreement: Agreement| agreement.share() > 0.999;
    assert!(is_good(total.lines_by_law()), "{:?}", total.worst());
    assert!(is_good(total.landmarks()), "{:?}", total.landmarks());
}
