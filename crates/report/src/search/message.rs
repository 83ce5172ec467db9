//! The page on which nothing was asked yet, and pages that say what is wrong.

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
    /// The page on which nothing was asked yet.
    pub fn start(&self) -> String {
        render(&StartView {
            frame: Frame {
                is_start: true,
                ..self.frame("")
            },
        })
    }

    /// A page that says what is wrong, such as an address that is none.
    pub fn message(&self, title: &str, message: &str) -> String {
        message_page(self.frame(""), title, message)
    }
}

/// A page of the origin that serves copies: why there is no copy of `url`. It has no form.
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
