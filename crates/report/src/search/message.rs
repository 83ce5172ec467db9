//! Renders the start page of a search, and pages with an error message.

use askama::Template;

use crate::render::render;

use super::frame::{Frame, STYLE};
use super::shown;
use super::site::SearchSite;

#[derive(Template)]
#[template(path = "search_start.html", config = "askama.toml")]
struct StartView {
    frame: Frame,
}

#[derive(Template)]
#[template(path = "search_message.html", config = "askama.toml")]
struct MessageView {
    frame: Frame,
    title: String,
    message: String,
}

impl SearchSite<'_> {
    /// Renders the start page of a search as HTML, with an empty search box.
    ///
    /// ```
    /// let html = heedful_report::search::SearchSite::default().start();
    /// assert!(html.contains("<form") && !html.contains("<script"));
    /// ```
    pub fn start(&self) -> String {
        render(&StartView {
            frame: Frame {
                is_start: true,
                ..self.frame("")
            },
        })
    }

    /// Renders an error page as HTML, for example for an address that does not exist.
    ///
    /// ```
    /// let site = heedful_report::search::SearchSite::default();
    /// assert!(site.message("Not found", "There is no page at /a<b.").contains("no page at /a"));
    /// ```
    pub fn message(&self, title: &str, message: &str) -> String {
        message_page(self.frame(""), title, message)
    }
}

/// Renders an error page without a search box, for the origin that serves copies of pages. It is
/// shown if the index has no copy of a page.
///
/// ```
/// let html = heedful_report::search::no_copy("No copy", "Its publisher denies copies.");
/// assert!(html.contains("Its publisher denies copies.") && !html.contains("<form"));
/// ```
pub fn no_copy(title: &str, message: &str) -> String {
    message_page(
        Frame {
            style: STYLE,
            ..Frame::default()
        },
        title,
        message,
    )
}

fn message_page(frame: Frame, title: &str, message: &str) -> String {
    let [title, message] = [title, message].map(shown::line);
    render(&MessageView {
        frame,
        title,
        message,
    })
}
