//! The pages of a search in a browser: results, the knowledge of one URL, and messages.
//!
//! Pure functions: the caller asks the index, and these make HTML of the answers. They show only what they are given,
//! and judge nothing. So a caller gives them what may be shown to anybody, and never a page's source.
//!
//! Titles, excerpts, URLs and queries come from strangers. All of it is escaped. Control characters and marks that turn
//! the direction of writing are taken out, and each text stands in an element of its own direction. Only URLs of
//! `http` and `https` become links to elsewhere. There is no script, and nothing is loaded. [`policy`] is the header that
//! enforces that.

mod known;
mod results;
mod shown;

use std::fmt::Write as _;
use std::time::SystemTime;

use askama::Template;
use data_encoding::BASE64;
use sha2::{Digest, Sha256};
use url::form_urlencoded::Serializer;

use super::render::rendered;
use super::wording;

pub use known::{KnownUrl, Match, Standing, Use};
pub use results::{Refusal, ResultPage, ShownHit};

/// The style of all these pages. The policy names its hash.
const STYLE: &str = concat!(include_str!("../templates/style.css"), include_str!("../templates/search.css"));

/// The `Content-Security-Policy` for these pages: nothing is loaded or run, and only their own style applies. Forms are
/// sent to the same origin alone, and no other page may frame them.
pub fn policy() -> String {
    let hash = BASE64.encode(&Sha256::digest(STYLE));
    format!(
        "default-src 'none'; style-src 'sha256-{hash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}

/// The headers of an answer that is a copy of somebody's page: nothing in it runs, loads, sends or frames anything, and
/// no script of another page reaches it. Its links work, and tell nobody where they were followed from.
pub const COPY_HEADERS: [(&str, &str); 7] = [
    (
        "content-security-policy",
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'none'; sandbox",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("x-robots-tag", "noindex, nofollow, noarchive"),
    ("x-dns-prefetch-control", "off"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// A copy without the elements that open connections where no policy stops them, such as `<link rel=preconnect>`.
pub fn quiet(copy: &str) -> String {
    super::tamed::quiet(copy)
}

/// The index behind a search page, as its pages tell of it.
///
/// ```
/// use heedful::report::search::SearchSite;
///
/// let site = SearchSite { pages: 41, hosts: 1, bot: "foobot", ..SearchSite::default() };
/// assert!(site.start().contains("Search 41 pages of 1 host"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct SearchSite<'a> {
    /// The number of pages that a search can find.
    pub pages: u64,
    /// The number of hosts that they are from.
    pub hosts: u64,
    /// The name of the bot for which the pages were read.
    pub bot: &'a str,
    /// The first and the last time at which one of the pages was fetched.
    pub fetched: Option<(SystemTime, SystemTime)>,
    /// The origin that serves copies, such as `http://127.0.0.1:8081`. Without one no page links to a copy.
    pub copies: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "search_start.html", config = "src/report/askama.toml")]
struct StartView {
    frame: Frame,
}

#[derive(Template)]
#[template(path = "search_message.html", config = "src/report/askama.toml")]
struct MessageView {
    frame: Frame,
    title: String,
    message: String,
}

impl SearchSite<'_> {
    /// The page on which nothing was asked yet.
    pub fn start(&self) -> String {
        rendered(&StartView { frame: Frame { is_start: true, ..self.frame("") } })
    }

    /// A page with hits, or without any.
    pub fn results(&self, page: &ResultPage<'_>) -> String {
        results::results(self, page)
    }

    /// A page that says why a query has no answer.
    pub fn refused(&self, refusal: &Refusal<'_>) -> String {
        results::refused(self, refusal)
    }

    /// A page with the knowledge of one URL.
    pub fn known(&self, known: &KnownUrl<'_>) -> String {
        known::known(self, known)
    }

    /// A page that says what is wrong, such as an address that is none.
    pub fn message(&self, title: &str, message: &str) -> String {
        message_page(self.frame(""), title, message)
    }

    fn frame(&self, query: &str) -> Frame {
        let fetched = self.fetched.map(|(first, last)| match (shown::day(first), shown::day(last)) {
            (first, last) if first == last => format!("fetched on {last}"),
            (first, last) => format!("fetched from {first} to {last}"),
        });
        Frame {
            style: STYLE,
            label: format!("Search {} of {}", wording::count(self.pages, "page"), wording::count(self.hosts, "host")),
            query: shown::line(query),
            about: Some(About { bot: shown::line(self.bot), fetched }),
            is_start: false,
            is_refused: false,
        }
    }

    /// The address of the copy of a page.
    fn copy_of(&self, url: &str) -> Option<String> {
        self.copies.map(|origin| address(&format!("{origin}/copy"), &[("url", url)]))
    }
}

/// A page of the origin that serves copies: why there is no copy of `url`. It has no form.
pub fn no_copy(title: &str, message: &str) -> String {
    message_page(Frame { style: STYLE, ..Frame::default() }, title, message)
}

fn message_page(frame: Frame, title: &str, message: &str) -> String {
    let [title, message] = [title, message].map(shown::line);
    rendered(&MessageView { frame, title, message })
}

/// What stands round the content of each page.
#[derive(Default)]
struct Frame {
    style: &'static str,
    label: String,
    /// The query, as it is shown.
    query: String,
    /// None for pages without a search box.
    about: Option<About>,
    is_start: bool,
    is_refused: bool,
}

struct About {
    bot: String,
    fetched: Option<String>,
}

/// An address with a query part.
fn address(path: &str, pairs: &[(&str, &str)]) -> String {
    let mut address = format!("{path}?");
    let _ = write!(address, "{}", Serializer::new(String::new()).extend_pairs(pairs).finish());
    address
}
