//! Pages whose statements are made by chance: headers, META, attributes and comments with odd words and separators.

use crate::chance::Chance;
use crate::question::{PageQuestion, Question, RobotsFile};

const WORDS: [&str; 52] = [
    "noindex",
    "noindex",
    "noindex",
    "nofollow",
    "nofollow",
    "none",
    "all",
    "index",
    "follow",
    "noarchive",
    "nocache",
    "nosnippet",
    "notranslate",
    "noimageindex",
    "noai",
    "noimageai",
    "notrain",
    "noinput",
    "noml",
    "max-snippet:9",
    "max-snippet:0",
    "max-snippet: -1",
    "max-snippet=5",
    "max-image-preview:none",
    "max-image-preview: large",
    "max-video-preview:0",
    "unavailable_after: 2001-01-01",
    "unavailable_after: 25 Jun 2001 15:00:00 GMT",
    "indexifembedded",
    "FooBot",
    "FooBot: noindex",
    "foobot:nofollow",
    "BarBot: none",
    "otherbot: noindex",
    "*: noindex",
    "no index",
    "no-index",
    "no_index",
    "NOINDEX",
    "noindeks",
    "noidnex",
    "no\u{AD}index",
    "noinde\u{445}",
    "n\u{43E}index",
    "DisallowAITraining",
    "ai-train=no",
    "train-ai=n",
    "search=n",
    "search=no",
    "1",
    "",
    "unknown",
];

const SEPARATORS: [&str; 26] = [
    ", ", ", ", ", ", ", ", ",", ",", " ", ";", "; ", "|", "/", " / ", ",,", ":", ": ", "=", "\u{FF0C}", "\u{3001}",
    "\u{60C}", "\u{FF1A}", "\u{FF1B}", "\u{A0}", "\u{3000}", "\u{200B}", "\n", " and ",
];

const AROUND: [&str; 12] = ["", "", "", "", "", "", "\"", "'", "\u{201C}", "[", "(", "\u{FEFF}"];

/// A header, up to its value.
const HEADERS: [&str; 14] = [
    "X-Robots-Tag",
    "X-Robots-Tag",
    "X-Robots-Tag",
    "x-robots-tag",
    "X-Robots-Tags",
    "X-Robot-Tag",
    "Robots-Tag",
    "Content-Usage",
    "Content-Usage",
    "Content-Signal",
    "TDM-Reservation",
    "tdm-reservation",
    "TDM-Policy",
    "Link",
];

/// A statement in a page; `~` stands for its value.
const PLACES: [&str; 34] = [
    "<meta name=robots content=\"~\">",
    "<meta name=robots content=\"~\">",
    "<meta name=robots content=\"~\">",
    "<meta name=\"FooBot\" content=\"~\">",
    "<meta name=\"foobot, barbot\" content=\"~\">",
    "<meta name=BarBot content=\"~\">",
    "<meta name=googlebot content=\"~\">",
    "<meta name=\"robots \" content=\"~\">",
    "<meta name=\"robots\u{200B}\" content=\"~\">",
    "<meta name=robot content=\"~\">",
    "<meta name=rob\u{43E}ts content=\"~\">",
    "<meta property=robots content=\"~\">",
    "<meta http-equiv=X-Robots-Tag content=\"~\">",
    "<meta http-equiv=Content-Usage content=\"~\">",
    "<meta name=tdm-reservation content=\"~\">",
    "<meta name=x-robots-tag content=\"~\">",
    "<a rel=\"~\" href=/a>linked</a>",
    "<a rel=nofollow href=/a>linked</a>",
    "<!-- robots content=\"~\" -->held<!-- /robots -->",
    "<!-- robots content=\"~\" -->held",
    "<!--robots content='~'-->held<!--/robots-->",
    "<!--~-->held<!--/~-->",
    "<!-- ~ -->held<!-- /~ -->",
    "<!--googleoff: ~-->held<!--googleon: ~-->",
    "<!--noindex\u{200B}-->held<!--/noindex-->",
    "<!--~:start-->held<!--~:end-->",
    "<p class=\"robots-noindex ~\">held</p>",
    "<p class=\"robots-~\">held</p>",
    "<p class=\"~\">held</p>",
    "<p data-nosnippet=\"~\">held</p>",
    "<p data-swiftype-index=\"~\">held</p>",
    "<p data-pagefind-ignore=\"~\">held</p>",
    "<noindex>held</noindex>",
    "<p data-noindex=\"~\" id=\"~\">held</p>",
];

/// The page of a number, by the conventions of the web and by all.
pub(crate) fn question(seed: u64, number: usize) -> Vec<(String, Question)> {
    let mut chance = Chance::of(seed ^ 0x5717, number);
    let mut page = PageQuestion { now: 1_700_000_000, ..PageQuestion::default() };
    let mut html = String::from("<title>a title</title>");
    for at in 0..1 + chance.below(4) {
        if chance.below(3) == 0 {
            let header = chance.one(&HEADERS);
            page.headers.push((header.to_owned(), value(&mut chance)));
        } else {
            let value = value(&mut chance);
            html.push_str(&format!("<p>w{at} {}", chance.one(&PLACES).replace('~', &value)));
        }
    }
    html.push_str("<p>last <a href=/b>other</a><img alt=picture src=p.png>");
    if chance.below(8) == 0 {
        let record = chance.one(&["Noindex: /dir", "Content-Signal: ", "Content-Usage: ", "DisallowAITraining: "]);
        let text = format!("User-agent: *\n{record}{}\n", value(&mut chance));
        page.robots = Some(RobotsFile::new(text, "rfc9309"));
    }
    ["web", "all"].map(|dialects| of(&page, &html, dialects, number)).to_vec()
}

fn of(page: &PageQuestion, html: &str, dialects: &str, number: usize) -> (String, Question) {
    let PageQuestion { url, bots, html, dialects, .. } = PageQuestion::new(html, dialects);
    let page = PageQuestion { url, bots, html, dialects, ..page.clone() };
    (format!("statements {number}"), Question::Page(Box::new(page)))
}

fn value(chance: &mut Chance) -> String {
    let around = chance.one(&AROUND);
    let mut value = around.to_owned();
    for at in 0..1 + chance.below(4) {
        if at > 0 {
            value.push_str(chance.one(&SEPARATORS));
        }
        value.push_str(chance.one(&WORDS));
    }
    value.push_str(around);
    value
}
