//! Checks that the visible words of real pages equal those of a tree that a browser's parser builds
//! (html5ever's `RcDom`).
//!
//! The order of the visible words is ignored, because a tree moves text out of tables. Pages whose
//! words differ are listed in visible.txt with the cause. A listed page that does not differ is a
//! failure too.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;

use heedful::{Bot, Conventions, Filter};
use html5ever::tendril::TendrilSink;
use markup5ever_rcdom::{Handle, NodeData, RcDom};

use crate::support;

const SVG: &str = "http://www.w3.org/2000/svg";

#[test]
fn real_pages_have_the_words_of_the_tree() {
    let mut expected: BTreeMap<String, String> = include_str!("../visible.txt")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.split_once(' ').unwrap())
        .map(|(id, cause)| (id.to_owned(), cause.to_owned()))
        .collect();
    let pages = support::pages("real-pages.jsonl.gz");
    if pages.is_empty() {
        return;
    }
    let filter =
        Filter::new(Bot::new("FooBot").unwrap()).conventions(Conventions::parse("none").unwrap());
    let mut wrong = Vec::new();
    for page in &pages {
        let (found, wanted) = (stream(&filter, page), tree(&page.html, page.is_text));
        let listed = expected.remove(&page.id);
        match (found == wanted, listed) {
            (true, None) | (false, Some(_)) => {}
            (true, Some(cause)) => {
                wrong.push(format!("{}: agrees, but is listed: {cause}", page.id));
            }
            (false, None) => wrong.push(format!("{}: {}", page.id, difference(&found, &wanted))),
        }
    }
    wrong.extend(
        expected
            .into_keys()
            .map(|id| format!("{id}: listed, but no such page")),
    );
    assert!(
        wrong.is_empty(),
        "{} of {} pages:\n{}",
        wrong.len(),
        pages.len(),
        wrong.join("\n")
    );
}

type Words = BTreeMap<String, isize>;

fn count<'a>(words: impl Iterator<Item = &'a str>) -> Words {
    let mut counts = Words::new();
    for word in words {
        *counts.entry(word.to_owned()).or_default() += 1;
    }
    counts
}

fn difference(found: &Words, wanted: &Words) -> String {
    let mut all = wanted.clone();
    for (word, count) in found {
        *all.entry(word.clone()).or_default() -= count;
    }
    let side = |sign: isize| {
        let words = all
            .iter()
            .filter(|(_, count)| **count * sign > 0)
            .map(|(word, _)| word.as_str());
        words.take(8).collect::<Vec<_>>().join(" ")
    };
    format!("stream lacks [{}], has more [{}]", side(1), side(-1))
}

fn stream(filter: &Filter, page: &support::RealPage) -> Words {
    let mut pass = filter.open("https://site.example/").unwrap();
    if page.is_text {
        pass.assume_utf8();
    }
    pass.write(&page.html)
        .and_then(|()| pass.end())
        .map_or_else(
            |error| count([format!("error:{}", error.name()).as_str()].into_iter()),
            |page| {
                count(
                    page.phrases()
                        .iter()
                        .flat_map(|phrase| phrase.split_whitespace()),
                )
            },
        )
}

fn tree(html: &[u8], is_text: bool) -> Words {
    let text = if is_text {
        String::from_utf8_lossy(html).into_owned()
    } else {
        decoded(html)
    };
    let dom =
        html5ever::parse_document(RcDom::default(), html5ever::ParseOpts::default()).one(text);
    let mut visible = String::new();
    walk(&dom.document, &mut visible);
    count(visible.split_whitespace())
}

/// Returns the decoded text of a page as a sink gets it. The detection of the encoding is not
/// tested here.
fn decoded(html: &[u8]) -> String {
    struct Raw(String);
    impl heedful::Sink for Raw {
        fn token(&mut self, judged: &heedful::Judged<'_>) -> heedful::Result<()> {
            self.0.push_str(judged.token().raw());
            Ok(())
        }

        fn finish(&mut self, _: &heedful::PageEnd) -> heedful::Result<()> {
            Ok(())
        }
    }
    let filter = Filter::new(Bot::new("FooBot").unwrap());
    let mut pass = filter
        .open_with("https://site.example/", Raw(String::new()))
        .unwrap();
    pass.write(html).unwrap();
    pass.into_sink().unwrap().0
}

fn walk(node: &Handle, visible: &mut String) {
    match &node.data {
        NodeData::Text { contents } => visible.push_str(&contents.borrow()),
        NodeData::Element { name, .. } => {
            let local: &str = &name.local;
            let svg_text = &*name.ns == SVG && matches!(local, "title" | "desc");
            let inert = matches!(
                local,
                "script"
                    | "style"
                    | "template"
                    | "noscript"
                    | "iframe"
                    | "noembed"
                    | "noframes"
                    | "title"
            );
            let separates = support::separates_words(local);
            if separates {
                visible.push(' ');
            }
            if !inert && !svg_text {
                for child in node.children.borrow().iter() {
                    walk(child, visible);
                }
            }
            if separates {
                visible.push(' ');
            }
        }
        _ => {
            for child in node.children.borrow().iter() {
                walk(child, visible);
            }
        }
    }
}
