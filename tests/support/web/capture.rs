//! What a crawler hears at a URL of a made web, and its line of JSON Lines.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use super::plan::Plan;
use super::text::WITHHELD;

/// A script and a style, which make up the rest of a page of 60 % text.
const MARKUP: &str = "<script>window.seen=window.seen||[];window.seen.push({at:Date.now(),id:1});</script>\n\
<style>.menu li{display:inline-block;margin:0 .5em}.text{max-width:40em}.card{border:1px solid #ddd}</style>\n";
/// Opens and closes a part of a page that is withheld from an index.
const NO_INDEX: [&str; 2] = ["<!--noindex-->", "<!--/noindex-->"];

/// What a crawler hears at a URL, with the time.
#[derive(Clone, Debug)]
pub(crate) struct Capture {
    pub(crate) url: String,
    /// Number of the URL's site.
    pub(crate) site: usize,
    /// Time of the fetch, in seconds since 1970.
    pub(crate) fetched: u64,
    pub(crate) answer: Answer,
}

/// What a site answers.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// A robots.txt with this text.
    Robots(String),
    Page(Html),
    /// There is no such page: status 404.
    Missing,
    /// The page is unchanged: status 304.
    Unchanged,
}

impl Capture {
    pub(crate) fn time(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(self.fetched)
    }

    /// Returns the line of JSON Lines, with its end, that `heedful index` reads for this answer.
    pub(crate) fn line(&self) -> String {
        let (status, body) = match &self.answer {
            Answer::Robots(text) => (200, text.clone()),
            Answer::Page(html) => (200, html.text()),
            Answer::Missing => (404, String::new()),
            Answer::Unchanged => (304, String::new()),
        };
        let date = date(self.fetched);
        format!(
            "{}\n",
            serde_json::json!({"url": self.url, "date": date, "status": status, "html": body})
        )
    }
}

/// The HTML of one version of a page, which is written when it is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Html {
    pub(super) plan: Plan,
    pub(super) page: usize,
    pub(super) version: usize,
}

impl Html {
    /// Returns the HTML. Of a hundred versions 4 say `noindex`, 3 `noarchive` and 3 have an end
    /// after 2040. 6 pages of a hundred have parts that are withheld from an index, and 4 have parts
    /// that may not be shown.
    pub(crate) fn text(&self) -> String {
        let (plan, page) = (self.plan, self.page);
        let mut chance = plan.chance("html", page, self.version);
        let says = match chance.below(100) {
            0..4 => "noindex",
            4..7 => "noarchive",
            7..10 => [
                "unavailable_after: 2041-01-01",
                "unavailable_after: 2051-01-01",
            ][page % 2],
            _ => "all",
        };
        let has_withheld = page % 17 == 3;
        let is_hidden = page % 25 == 4;
        let title = plan.title(page).join(" ");
        let sentences = plan.sentences(page, self.version);
        let language = ["en", "en", "de", "fr"][page % 4];
        let first = sentences.first().map(|words| words.join(" "));
        let mut html = format!(
            "<!doctype html>\n<html lang={language}>\n<head>\n<meta charset=utf-8>\n<title>{title}</title>\n\
             <meta name=\"description\" content=\"{}\">\n<meta name=\"robots\" content=\"{says}\">\n{MARKUP}</head>\n<body>\n\
             <nav class=\"menu\"><ul>\n",
            first.unwrap_or_default()
        );
        for (url, text) in plan.menu(plan.site_of(page)) {
            let _ = writeln!(html, "<li><a href=\"{url}\">{text}</a></li>");
        }
        let _ = writeln!(
            html,
            "</ul></nav>\n<main>\n<h1>{title}</h1>\n<img src=\"/pictures/{page}.jpg\" alt=\"{title}\">"
        );
        let mut links = plan.links(page, self.version).into_iter();
        for (number, paragraph) in sentences.chunks(3).enumerate() {
            if number % 8 == 4 {
                let words = paragraph[0].iter().take(4).cloned().collect::<Vec<_>>();
                let _ = writeln!(html, "<h2>{}</h2>", words.join(" "));
            }
            html.push_str("<p class=\"text\">");
            for sentence in paragraph {
                html.push_str(&sentence.join(" "));
                html.push_str(". ");
            }
            if number < 12 {
                write_link(&mut html, &mut links);
            }
            if has_withheld && number % 5 == 1 {
                let [open, close] = NO_INDEX;
                let _ = write!(html, " {open}{WITHHELD} and more{close} ");
            }
            if is_hidden && number % 5 == 2 {
                let _ = write!(html, " <span data-nosnippet>{title}</span> ");
            }
            html.push_str("</p>\n");
        }
        html.push_str("<ul class=\"card\">\n");
        while links.len() > 0 {
            html.push_str("<li>");
            write_link(&mut html, &mut links);
            html.push_str("</li>\n");
        }
        html.push_str("</ul>\n</main>\n</body>\n</html>\n");
        html
    }
}

fn write_link(html: &mut String, links: &mut impl Iterator<Item = (String, String)>) {
    if let Some((url, text)) = links.next() {
        let _ = write!(html, "<a class=\"link\" href=\"{url}\">{text}</a>");
    }
}

/// Returns a time as RFC 3339 has it. `seconds` are since 1970.
fn date(seconds: u64) -> String {
    let (mut days, rest) = (seconds / 86_400, seconds % 86_400);
    let mut year = 1970;
    // No crawl is after 2099.
    let length = |year: u64| 365 + u64::from(year.is_multiple_of(4));
    while days >= length(year) {
        days -= length(year);
        year += 1;
    }
    let mut month = 1;
    for days_of_month in [
        31,
        length(year) - 337,
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ] {
        if days < days_of_month {
            break;
        }
        days -= days_of_month;
        month += 1;
    }
    let [hour, minute, second] = [rest / 3600, rest / 60 % 60, rest % 60];
    format!(
        "{year}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z",
        days + 1
    )
}
