//! Checks the laws of docs/semantics.md, section 2, as properties of generated pages.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use heedful::{
    Bot, Conventions, CutMark, Filter, Landmarks, Licence, Limits, Page, ProfileNames, Snapshot,
    Use,
};
use proptest::prelude::*;

use crate::blocks::blocks_differ;
use crate::pieces::html;

fn filter(name: &str) -> Filter {
    Filter::new(Bot::new(name).unwrap())
}

fn read(filter: &Filter, html: &str) -> Option<Page> {
    filter
        .page("https://site.example/dir/page", &[], html.as_bytes())
        .ok()
}

/// Returns all that a page allows, as texts for comparison: its words by field, and the uses of its
/// links.
fn given(page: &Page) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut field = |name: &str, texts: &[String]| {
        all.extend(
            texts
                .iter()
                .flat_map(|text| text.split_whitespace())
                .map(|word| format!("{name} {word}")),
        );
    };
    field("body", page.phrases());
    field("title", page.title());
    field("headings", page.headings());
    field("description", page.description());
    field("alt", page.alternative());
    field("excerpt", &[page.showable()]);
    // A limit cuts this text: if less text precedes it, more of it fits.
    if page.policy().max_snippet().is_none() {
        field("input", &[page.input()]);
    }
    for link in page.links() {
        let place = link.place().start();
        all.extend(link.may_follow().then(|| format!("follow {place}")));
        all.extend(link.may_credit().then(|| format!("credit {place}")));
        all.extend(
            link.phrases()
                .flat_map(str::split_whitespace)
                .map(|word| format!("text {place} {word}")),
        );
    }
    all
}

/// Returns all that a page contains, as text for comparison.
fn whole(page: &Page) -> String {
    format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        page.phrases(),
        page.title(),
        page.headings(),
        page.description(),
        page.alternative(),
        page.links(),
        page.showable(),
        page.input(),
        page.exclusions().collect::<Vec<_>>()
    ) + &laid_out(page)
}

/// Returns the blocks of a page and its text with line breaks, as text for comparison.
fn laid_out(page: &Page) -> String {
    let mut shown = page.text();
    for block in page.blocks() {
        let phrases: Vec<_> = block.phrases().collect();
        let look = (block.kind(), block.level(), block.row(), block.landmark());
        shown += &format!("\n{look:?} {} {phrases:?}", block.place().start());
    }
    shown
}

/// Returns the phrases of a page as lists of their words.
fn words(page: &Page) -> Vec<Vec<&str>> {
    let words = page
        .phrases()
        .iter()
        .map(|phrase| phrase.split_whitespace());
    words.map(Iterator::collect).collect()
}

/// True if each phrase of `part` is a part of a phrase of `whole`, in the same order.
fn are_parts(part: &[Vec<&str>], whole: &[Vec<&str>]) -> bool {
    let (mut number, mut from) = (0, 0);
    part.iter().all(|phrase| {
        while let Some(words) = whole.get(number) {
            let rest = &words[from.min(words.len())..];
            let found = rest
                .windows(phrase.len())
                .position(|words| words == phrase.as_slice());
            if let Some(found) = found {
                from += found + phrase.len();
                return true;
            }
            (number, from) = (number + 1, 0);
        }
        false
    })
}

/// Markup that lays out a page, for pages in which something is withheld.
const LAYOUT: [&str; 28] = [
    "<p>",
    "</p>",
    "<div>",
    "</div>",
    "<pre>",
    "</pre>",
    "<br>",
    "<h2>",
    "</h2>",
    "<ul><li>",
    "<li>",
    "</ul>",
    "<table><tr><td>",
    "<td>",
    "<tr>",
    "</table>",
    "<nav>",
    "</nav>",
    "<main role=main>",
    "<footer>",
    "</footer>",
    "<span role=search>",
    "</span>",
    "<img alt='a picture'>",
    " ",
    "\n\n\n",
    "<a href=/x>",
    "</a>",
];

/// Ways to withhold a part of a page, as its beginning and its end. The last one is for one of two
/// bots.
const WITHHOLDING: [[&str; 2]; 4] = [
    ["<!--noindex-->", "<!--/noindex-->"],
    ["<b class=robots-noindex>", "</b>"],
    ["<!-- robots content=noindex -->", "<!-- /robots -->"],
    ["<b class=robot1-noindex>", "</b>"],
];

/// Returns a page in which some parts are withheld from `FooBot`. `blanks` stands in the withheld
/// parts, beside a word. Nothing but white space and inline markup is withheld, and every word of
/// it begins with `secret`.
fn withholding(pieces: &[(usize, usize)], blanks: &str) -> String {
    let mut page = "<!doctype html><head profile='http://example.org/xmdp/robots-profile#'>\
         <meta name=RobotExclusion.RobotName1 content=FooBot><body>"
        .to_owned();
    for (number, (piece, parts)) in pieces.iter().enumerate() {
        page += LAYOUT[*piece];
        page += &format!(" w{number}");
        if let Some([begin, end]) = WITHHOLDING.get(*parts) {
            page += &format!("{begin}{blanks}{end}");
            page += &format!("{begin}{blanks}secret{number}{blanks}{end}");
        }
    }
    page
}

/// Returns the page `html` with a META at its end. `name` is the name of the META, and `statement`
/// its content. Comments and raw text that `html` leaves open are closed before it. Tests use names
/// of equal length, so that all other content has equal positions in both pages.
fn with_last_statement(name: &str, html: &str, statement: &str) -> String {
    format!(
        "{html}--></textarea></title></script></style></noscript><meta name={name} content='{statement}'>"
    )
}

/// Statements that are recognized only by repair of their mistakes. Each has a text of equal length
/// that has no effect.
const REPAIRED: [(&str, &str); 12] = [
    ("<!--noindex--->", "<!--xoindex--->"),
    ("<!--/noindex--->", "<!--/xoindex--->"),
    ("<!---googleoff: index-->", "<!---xoogleoff: index-->"),
    ("<!--googleoff: all--->", "<!--xoogleoff: all--->"),
    ("<!--googleon: all--->", "<!--xoogleon: all--->"),
    ("<!--googleon: ”index”-->", "<!--xoogleon: ”index”-->"),
    (
        "<!-- robots content=”noindex” -->",
        "<!-- xobots content=”noindex” -->",
    ),
    (
        "<!-- robots content=\"nofollow\" ”noindex” -->",
        "<!-- robots content=\"nofollow\" ”xoindex” -->",
    ),
    ("<!-- /robots --->", "<!-- /xobots --->"),
    ("<b class=”robots-noindex”>", "<b class=”xobots-noindex”>"),
    ("<i class=”robots-index”>", "<i class=”xobots-index”>"),
    (
        "<meta name=”robots” content=”index,nofollow”>",
        "<meta name=”xobots” content=”index,nofollow”>",
    ),
];

/// Statements about the use of a page in their correct form.
const WRITTEN: [&str; 14] = [
    "<!--noindex-->",
    "<!--/noindex-->",
    "<!--googleoff: index-->",
    "<!--googleoff: all-->",
    "<!--googleon: index-->",
    "<!--googleon: all-->",
    "<!-- robots content=none -->",
    "<!-- /robots -->",
    "<b class=robots-noindex>",
    "<i class=robots-index>",
    "</b>",
    "</i>",
    "<p>",
    "<head profile='http://example.org/xmdp/robots-profile#'>",
];

/// Returns a page with statements that need repair, and the same page with texts of equal length
/// without effect in their place. Each of `pieces` is a position in [`REPAIRED`] followed by
/// [`WRITTEN`]. A number beyond both lists makes no statement. A word and a link follow each piece.
fn repaired(pieces: &[usize]) -> [String; 2] {
    let mut pages = [String::new(), String::new()];
    for (at, piece) in pieces.iter().enumerate() {
        let (with, without) = match piece
            .checked_sub(REPAIRED.len())
            .map(|piece| WRITTEN.get(piece))
        {
            None => REPAIRED[*piece],
            Some(Some(written)) => (*written, *written),
            Some(None) => ("", ""),
        };
        pages[0] += &format!("{with} w{at} <a href=/{at}>l{at}</a> ");
        pages[1] += &format!("{without} w{at} <a href=/{at}>l{at}</a> ");
    }
    pages
}

/// HTTP headers that state how a page may be used, each as name and value.
const HEADERS: [(&str, &str); 12] = [
    ("Robots-Tag", "*;nosnippet, foobot;noindex"),
    ("Robots-Tag", "foobot;nofollow;max-snippet=0, *;noarch"),
    ("Robots-Tag", "noindex, nofollow"),
    ("X-Robots-Tag", "*;nofollow, otherbot;noindex"),
    ("X-Robots-Tag", "foobot;noarchive;all"),
    ("Content-Signal", "search=no"),
    (
        "Content-Signal",
        "search=yes, ai-input=no, ai-train=disallow",
    ),
    ("Content-Signal", "use=immediate"),
    ("Content-Signals", "ai-input=yes, use=reference"),
    ("Content-Usage", "ai-use=n, search=y"),
    ("Content-Usage", "bots=n,"),
    ("Content-Usage", "infer-user=n, infer-system=y"),
];

/// HTTP headers that state for other bots how a page may be used, each as name and value.
const FOR_OTHERS: [(&str, &str); 4] = [
    (
        "Robots-Tag",
        "otherbot;noindex, \"Baz Bot\";nosnippet;nofollow",
    ),
    ("Robots-Tag", "otherbot;max-snippet=0"),
    ("X-Robots-Tag", "otherbot;noindex"),
    (
        "X-Robots-Tag",
        "baz_bot;nofollow ;nosnippet, otherbot; noarchive",
    ),
];

fn with_header(filter: &Filter, html: &str, (name, value): (&str, &str)) -> Option<Page> {
    let mut pass = filter.open("https://site.example/dir/page").unwrap();
    pass.header(name, value);
    pass.write(html.as_bytes()).and_then(|()| pass.end()).ok()
}

const STATEMENTS: [&str; 6] = [
    "noindex",
    "nofollow",
    "none",
    "nosnippet",
    "noarchive",
    "max-snippet:0",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_denial_of_the_page_never_adds_anything(html in html(), statement in prop::sample::select(&STATEMENTS[..])) {
        let filter = filter("FooBot");
        let (free, denied) = (with_last_statement("nobody", &html, statement), with_last_statement("robots", &html, statement));
        if let (Some(free), Some(denied)) = (read(&filter, &free), read(&filter, &denied)) {
            prop_assert!(given(&denied).is_subset(&given(&free)));
        }
        let by_header = with_header(&filter, &html, ("X-Robots-Tag", statement));
        if let (Some(free), Some(denied)) = (read(&filter, &html), by_header) {
            prop_assert!(given(&denied).is_subset(&given(&free)));
        }
    }

    #[test]
    fn a_use_that_is_denied_never_adds_anything(html in html(), header in prop::sample::select(&HEADERS[..])) {
        let filter = filter("FooBot");
        if let (Some(free), Some(denied)) = (read(&filter, &html), with_header(&filter, &html, header)) {
            prop_assert!(given(&denied).is_subset(&given(&free)), "{header:?}");
            prop_assert!(Use::ALL.into_iter().any(|usage| !denied.policy().allows(usage)), "{header:?}");
        }
        let meta = |name| format!("{html}--></textarea></title></script></style></noscript><meta name={name} content='{}'>", header.1);
        if let (Some(free), Some(denied)) = (read(&filter, &meta("content-nothing")), read(&filter, &meta("content-signals"))) {
            prop_assert!(given(&denied).is_subset(&given(&free)), "{header:?}");
        }
    }

    #[test]
    fn a_header_for_another_bot_changes_nothing(html in html(), header in prop::sample::select(&FOR_OTHERS[..])) {
        let filter = filter("FooBot");
        if let (Some(plain), Some(other)) = (read(&filter, &html), with_header(&filter, &html, header)) {
            prop_assert_eq!(whole(&other), whole(&plain));
        }
    }

    #[test]
    fn what_is_heard_by_repair_never_adds_anything(pieces in prop::collection::vec(0..30_usize, 1..14)) {
        let [with, without] = repaired(&pieces).map(|html| read(&filter("FooBot"), &html).unwrap());
        let mut given_with = given(&with);
        // Marks that stand for a gap.
        for mark in ["excerpt [...]", "input [...]"] {
            given_with.remove(mark);
        }
        prop_assert!(given_with.is_subset(&given(&without)), "{:?} {:?}", with.phrases(), without.phrases());
    }

    #[test]
    fn a_statement_for_another_bot_changes_nothing(html in html(), statement in prop::sample::select(&STATEMENTS[..])) {
        let (other, nobody) = (with_last_statement("bazbot", &html, statement), with_last_statement("nobody", &html, statement));
        let filter = filter("FooBot");
        if let (Some(other), Some(nobody)) = (read(&filter, &other), read(&filter, &nobody)) {
            prop_assert_eq!(whole(&other), whole(&nobody));
        }
    }

    #[test]
    fn cuts_change_nothing(html in html(), cuts in prop::collection::vec(1_usize..9, 1..200)) {
        let filter = filter("FooBot");
        let page = read(&filter, &html);
        let mut pass = filter.open("https://site.example/dir/page").unwrap();
        let mut rest = html.as_bytes();
        let mut cuts = cuts.into_iter().cycle();
        let mut failed = false;
        while !rest.is_empty() && !failed {
            let (piece, after) = rest.split_at(cuts.next().unwrap().min(rest.len()));
            failed = pass.write(piece).is_err();
            rest = after;
        }
        let cut = pass.end().ok();
        prop_assert_eq!(page.as_ref().map(whole), cut.as_ref().map(whole));
    }

    #[test]
    fn it_does_not_matter_from_when_on_the_tree_is_followed(html in html(), kept in 0_u64..300) {
        let (filter, live) = (filter("FooBot"), filter("FooBot").limits(Limits::default().kept_bytes(kept)));
        prop_assert_eq!(read(&filter, &html).as_ref().map(whole), read(&live, &html).as_ref().map(whole));
    }

    #[test]
    fn several_bots_in_one_pass_are_as_many_passes(html in html()) {
        let bots = ["FooBot", "BarBot", "BazBot"];
        let many = Filter::for_bots(bots.iter().map(|bot| Bot::new(bot).unwrap()).collect()).unwrap();
        let mut pass = many.open("https://site.example/dir/page").unwrap();
        let together = pass.write(html.as_bytes()).and_then(|()| pass.end_each()).ok();
        for (index, bot) in bots.iter().enumerate() {
            let alone = read(&filter(bot), &html);
            let together = together.as_ref().map(|pages| &pages[index]);
            prop_assert_eq!(alone.as_ref().map(given), together.map(given));
            prop_assert_eq!(alone.as_ref().map(|p| p.phrases().to_vec()), together.map(|p| p.phrases().to_vec()));
            prop_assert_eq!(alone.as_ref().map(Page::showable), together.map(Page::showable));
        }
    }

    #[test]
    fn blocks_have_the_text_of_the_phrases(html in html(), bot in prop::sample::select(&["FooBot", "BarBot", "BazBot"][..])) {
        if let Some(page) = read(&filter(bot), &html) {
            prop_assert!(!blocks_differ(&page), "{:?} {}", page.phrases(), laid_out(&page));
        }
    }

    #[test]
    fn nothing_of_a_withheld_part_is_in_a_block(pieces in prop::collection::vec((0..LAYOUT.len(), 0..8_usize), 1..30)) {
        let bots = ["FooBot", "BarBot"].map(|bot| Bot::new(bot).unwrap()).to_vec();
        let filter = Filter::for_bots(bots).unwrap();
        let read = |blanks| {
            let mut pass = filter.open("https://site.example/dir/page").unwrap();
            pass.write(withholding(&pieces, blanks).as_bytes()).and_then(|()| pass.end_each()).ok()
        };
        if let (Some(one), Some(other)) = (read("   "), read("\n \n")) {
            prop_assert!(!laid_out(&one[0]).contains("secret"), "{}", laid_out(&one[0]));
            prop_assert_eq!(laid_out(&one[0]), laid_out(&other[0]));
            for page in &one {
                prop_assert!(!blocks_differ(page), "{:?} {}", page.phrases(), laid_out(page));
            }
        }
    }

    #[test]
    fn landmarks_take_away_only(pieces in prop::collection::vec((0..LAYOUT.len(), 0..8_usize), 1..30), kept in prop::sample::select(&["main", "none", "all,-nav", "main,none", "search,contentinfo"][..])) {
        let page = withholding(&pieces, " ");
        let filter = filter("FooBot");
        let Some(whole) = read(&filter, &page) else { return Ok(()) };
        let part = read(&filter.clone().landmarks(kept.parse().unwrap()), &page).unwrap();
        prop_assert!(are_parts(&words(&part), &words(&whole)), "{:?} {:?}", part.phrases(), whole.phrases());
        prop_assert!(given(&part).is_subset(&given(&whole)));
        prop_assert_eq!(part.links().len(), whole.links().len());
        prop_assert!(!blocks_differ(&part));
        let kept: Landmarks = kept.parse().unwrap();
        prop_assert!(part.blocks().iter().all(|block| kept.contains(block.landmark())));
        let all = read(&filter.clone().landmarks(Landmarks::ALL), &page).unwrap();
        prop_assert_eq!(self::whole(&all), self::whole(&whole));
    }

    #[test]
    fn without_conventions_nothing_is_denied(html in html()) {
        let filter = filter("FooBot").conventions(Conventions::parse("none").unwrap());
        if let Some(page) = read(&filter, &html) {
            prop_assert!(Use::ALL.into_iter().all(|usage| page.policy().allows(usage)));
            prop_assert_eq!(page.exclusions().count(), 0);
            prop_assert!(page.links().iter().all(|link| link.may_follow() && link.may_credit()));
        }
    }

    #[test]
    fn more_conventions_never_add_anything(html in html()) {
        let all = filter("FooBot").conventions(Conventions::parse("all").unwrap());
        let none = filter("FooBot").conventions(Conventions::parse("none").unwrap());
        if let (Some(all), Some(none)) = (read(&all, &html), read(&none, &html)) {
            let (kept, whole) = (given(&all), given(&none));
            let words = |given: &BTreeSet<String>| -> BTreeSet<char> {
                given.iter().filter(|item| item.starts_with("body")).flat_map(|item| item.chars()).collect()
            };
            // An exclusion splits words, so letters are compared instead of words.
            prop_assert!(words(&kept).is_subset(&words(&whole)));
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = filter("FooBot").page("https://site.example/", &[], &bytes);
    }
}

/// Returns four resolved addresses of a page, which show the base URL for each kind of address.
/// They are the addresses of its Names page, of its licence, of a link, and of an image in a
/// streamed snapshot.
fn bases(markup: &str) -> [String; 4] {
    const URL: &str = "https://site.example/dir/page";
    let asked: Arc<Mutex<[Option<String>; 2]>> = Arc::default();
    let (of_names, of_licences) = (asked.clone(), asked.clone());
    let filter =
        filter("FooBot").conventions(Conventions::parse("web,+profile-undeclared").unwrap());
    let filter = filter
        .names(move |url| {
            of_names.lock().unwrap()[0] = Some(url.to_owned());
            Some(ProfileNames::default())
        })
        .licences(move |url| {
            of_licences.lock().unwrap()[1] = Some(url.to_owned());
            Some(Licence::default())
        });
    let page = format!(
        "{markup}<link rel=RobotExclusion.Names href=x><link rel=license type=application/rsl+xml href=x>\
         <a href=x>words</a><img class=robots-noarchive src=x>"
    );
    let links = filter.page(URL, &[], page.as_bytes()).unwrap();
    let link = links
        .links()
        .iter()
        .find(|link| link.kind().name() == "a")
        .unwrap()
        .url()
        .to_owned();
    let [names, licence] = asked.lock().unwrap().clone().map(Option::unwrap_or_default);
    let mut pass = filter
        .open_with(URL, Snapshot::new(Vec::new(), CutMark::default()))
        .unwrap();
    pass.write(page.as_bytes()).unwrap();
    let copy = String::from_utf8(pass.into_sink().unwrap().into_inner().unwrap()).unwrap();
    let (_, picture) = copy.split_once("src=\"").unwrap();
    [
        names,
        licence,
        link,
        picture.split('"').next().unwrap().to_owned(),
    ]
}

/// Checks that a `base` in svg, in `MathML`, in a template or in a shadow root does not change the
/// base URL of a page. So the `base` cannot lead to another site.
#[test]
fn a_page_has_one_base() {
    for markup in [
        "",
        "<svg><base href='https://evil.example/d/'/></svg>",
        "<svg><base href='https://evil.example/d/'></base></svg>",
        "<math><base href='https://evil.example/d/'/></math>",
        "<template><base href='https://evil.example/d/'></template>",
        "<div><template shadowrootmode=open><base href='https://evil.example/d/'></template></div>",
        "<template><svg><base href='https://evil.example/d/'/></svg></template>",
        "<noscript><base href='https://evil.example/d/'></noscript>",
        "<base target=_top>",
    ] {
        assert_eq!(bases(markup), ["https://site.example/dir/x"; 4], "{markup}");
    }
    for markup in [
        "<base href=/b/>",
        "<base href=/b/><base href='https://evil.example/d/'>",
        "<svg><foreignObject><base href=/b/></foreignObject></svg>",
        "<math><mi><base href=/b/></mi></math>",
        "<svg><base href='https://evil.example/d/'/></svg><base href=/b/>",
        "<div class=robots-noindex><base href=/b/></div>",
    ] {
        assert_eq!(bases(markup), ["https://site.example/b/x"; 4], "{markup}");
    }
}

/// Checks that the Names page of another site does not decide which bot an HTML class addresses.
#[test]
fn the_names_page_of_another_site_names_nobody() {
    for drawing in ["svg", "math"] {
        let filter = filter("FooBot").names(|url| {
            let names = b"<meta name=RobotExclusion.RobotName1 content=OtherBot>";
            url.starts_with("https://evil.example/")
                .then(|| ProfileNames::read(&names[..]).unwrap())
        });
        let page = format!(
            "<{drawing}><base href='https://evil.example/d/'/></{drawing}>\
             <link rel=RobotExclusion.Names href=n.html><p class=robot1-noindex>secret</p>"
        );
        assert!(
            read(&filter, &page).unwrap().phrases().is_empty(),
            "{drawing}"
        );
    }
}

/// Checks pages with very many blocks, elements inside each other and stray tags. Their cost is
/// counted in benches/counts.
#[test]
fn bad_input_has_blocks_too() {
    const MANY: usize = 100_000;
    let nested = |start: &str, end: &str| start.repeat(MANY) + &end.repeat(MANY);
    let open = "<div>".repeat(500);
    for (html, least) in [
        ("<p>w ".repeat(MANY), MANY),
        (nested("<div>w ", "w </div>"), MANY),
        (nested("<ul><li>w ", "</ul>"), MANY),
        (nested("<table><tr><td>w ", "</table>"), MANY),
        (nested("<nav><main>", "w </main></nav>"), 250),
        (format!("<pre>{}", "word\r\n  word\t".repeat(MANY)), 1),
        ("w </p>".repeat(MANY), MANY),
        (open + &"w </section></td></li></x-y>".repeat(MANY), 1),
        (format!("<p role='{}main'>w", "mainly x ".repeat(MANY)), 1),
    ] {
        let page = read(&filter("FooBot"), &html).unwrap();
        assert!(page.blocks().len() >= least, "{html:.40}");
        assert!(!blocks_differ(&page), "{html:.40}");
    }
}
