//! Hostile pages: tokenizing, tree building or filtering takes far more time than their size
//! suggests. Each page denies a use for an element, so that the filter has to follow the tree of
//! elements.

use crate::Make::{Bytes, Html};
use crate::Row;
use crate::archives::{plain, records};
use crate::made::{self, page};

const MARK: &str = "<i class=robots-noindex>x</i>";
const REGION: &str = "<!-- robots content=noindex -->";

pub(crate) const ROWS: &[Row] = &[
    (
        "20,000 nested div",
        Html(|| format!("{MARK}{}", "<div>".repeat(20_000))),
    ),
    (
        "a million nested div",
        Html(|| format!("{MARK}{}", "<div>".repeat(1_000_000))),
    ),
    (
        "100,000 div, 100,000 stray ends",
        Html(|| {
            format!(
                "{MARK}{}{}",
                "<div>".repeat(100_000),
                "</p>".repeat(100_000)
            )
        }),
    ),
    (
        "500 div that are closed, again and again",
        Html(|| deep(500)),
    ),
    (
        "8,000 font that are opened again",
        Html(|| format!("{MARK}{}", numbered("<p><font c#>x", 8_000))),
    ),
    (
        "500 font that are opened again",
        Html(|| {
            format!(
                "{MARK}{}{}",
                numbered("<font c#>", 500),
                "<p>x</p>".repeat(5_000)
            )
        }),
    ),
    (
        "20,000 equal font",
        Html(|| format!("{MARK}{}", "<p><font c=1>x".repeat(20_000))),
    ),
    (
        "lists of 20,000",
        Html(|| format!("{MARK}{}", "<ul><li>".repeat(20_000))),
    ),
    (
        "20,000 b, a in a, tables",
        Html(|| {
            format!(
                "{MARK}{}{}{}",
                "<b>x".repeat(20_000),
                "<a><i></a>".repeat(20_000),
                "<table><td>".repeat(20_000)
            )
        }),
    ),
    (
        "svg in foreignObject, select",
        Html(|| {
            format!(
                "{MARK}{}{}",
                "<svg><foreignObject>".repeat(20_000),
                "<select><option>".repeat(20_000)
            )
        }),
    ),
    (
        "svg with ends of nothing",
        Html(|| format!("<svg>{}{}", "<g>".repeat(60_000), "</x>".repeat(60_000))),
    ),
    (
        "100 MB of text",
        Html(|| format!("{MARK}{}", "word ".repeat(20_000_000))),
    ),
    ("15 MB of <", Html(|| "<".repeat(15_000_000))),
    ("15 MB of &", Html(|| "&".repeat(15_000_000))),
    (
        "15 MB of references",
        Html(|| "&CounterClockwiseContourIntegral;".repeat(450_000)),
    ),
    (
        "an attribute of 10 MB",
        Html(|| format!("{MARK}<p a='{}'>", "x".repeat(10_000_000))),
    ),
    (
        "an attribute of 4 MB",
        Html(|| format!("{MARK}<p class='{}'>", "robots-noindex x ".repeat(240_000))),
    ),
    (
        "20,000 attributes",
        Html(|| format!("{MARK}<p {}>", numbered("a# ", 20_000))),
    ),
    (
        "a million attributes",
        Html(|| format!("{MARK}<p {}>", numbered("a# ", 1_000_000))),
    ),
    (
        "4,000 attributes in each tag",
        Html(|| format!("<p {}>x", "data-nosnippet ".repeat(4_000)).repeat(80)),
    ),
    (
        "a comment of 15 MB",
        Html(|| format!("{MARK}<!--{}", "-".repeat(15_000_000))),
    ),
    (
        "a tag that never ends",
        Html(|| format!("<x{}", " </a".repeat(200_000))),
    ),
    (
        "4,000 open regions",
        Html(|| {
            format!(
                "{}{}",
                REGION.repeat(4_000),
                format!("{REGION}<!-- /robots -->").repeat(10_000)
            )
        }),
    ),
    (
        "regions that cross",
        Html(|| {
            format!(
                "{}{}",
                "<!--stopindex-->".repeat(4_000),
                CROSSED.repeat(4_000)
            )
        }),
    ),
    (
        "marks for 250 bots, and links",
        Html(|| {
            format!(
                "{}{}",
                bots().repeat(100),
                "<area href=x rel=nofollow>".repeat(10_000)
            )
        }),
    ),
    (
        "a META of 50,000 words",
        Html(|| {
            format!(
                "<meta name=robots content='{}'>",
                "noindex index ".repeat(50_000)
            )
        }),
    ),
    (
        "100,000 META",
        Html(|| "<meta name=robots content=noarchive>".repeat(100_000)),
    ),
    (
        "400,000 links",
        Html(|| format!("{MARK}{}", "<a href=x>y".repeat(400_000))),
    ),
    (
        "a script that begins again and again",
        Html(|| "<script><!--<script>".repeat(250_000)),
    ),
    (
        "noscript of 5 MB",
        Html(|| format!("<noscript>{}", "<meta name=robots>".repeat(280_000))),
    ),
    ("a word of 15 MB", Html(|| "w".repeat(15_000_000))),
    (
        "15 MB of marks on one letter",
        Html(|| format!("a{}", "\u{301}".repeat(7_500_000))),
    ),
    (
        "<, packed",
        Bytes(|good| packed(good, &"<".repeat(15_000_000))),
    ),
    (
        "references, packed",
        Bytes(|good| packed(good, &"&CounterClockwiseContourIntegral;".repeat(450_000))),
    ),
    (
        "500 font that are opened again, packed",
        Bytes(|good| {
            packed(
                good,
                &format!(
                    "{MARK}{}{}",
                    numbered("<font c#>", 500),
                    "<p>x</p>".repeat(100_000)
                ),
            )
        }),
    ),
    (
        "4,000 open regions, packed",
        Bytes(|good| {
            packed(
                good,
                &format!(
                    "{}{}",
                    REGION.repeat(4_000),
                    format!("{REGION}<!-- /robots -->").repeat(90_000)
                ),
            )
        }),
    ),
    (
        "400,000 links, packed",
        Bytes(|good| packed(good, &format!("{MARK}{}", "<a href=x>y".repeat(400_000)))),
    ),
];

/// HTML with two regions that overlap: the region that opens first also closes first.
const CROSSED: &str = "<!--udmcomment--><!--noindex-->a<!--/udmcomment-->b<!--/noindex-->c";

/// Returns an archive in which one hostile page is repeated up to 5 MB. If `good` is true, there
/// are two good pages too.
pub(crate) fn archive(good: bool, html: &str) -> Vec<u8> {
    let count = (5_000_000 / html.len()).max(1);
    let record = |n| page(&format!("https://bad.example/{n}"), html);
    records(good, plain, &(0..count).map(record).collect::<Vec<_>>())
}

/// Returns a compressed archive with a hundred records of the same hostile page. If `good` is true,
/// there are two good pages too.
fn packed(good: bool, html: &str) -> Vec<u8> {
    let record = made::gz(&page("https://bad.example/", html));
    records(good, made::gz, &vec![record; 100])
}

/// Returns `count` copies of `text`, joined. In each copy, the copy's number replaces `#`.
fn numbered(text: &str, count: usize) -> String {
    (0..count)
        .map(|n| text.replace('#', &n.to_string()))
        .collect()
}

fn deep(depth: usize) -> String {
    format!(
        "{MARK}{}",
        format!("{}{}", "<div>".repeat(depth), "</div>".repeat(depth)).repeat(20)
    )
}

fn bots() -> String {
    format!("<span class='{}'>", numbered("robot#-noindex ", 250))
}
