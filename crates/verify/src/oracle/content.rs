//! Determines the field of a page to which a token belongs, such as the title or the body. This is
//! a second implementation of the source-order rule in docs/semantics.md (section 3).

use super::stamp::Event;

/// Field of a page that contains a text, such as the title or the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OracleField {
    Body,
    Title,
    Description,
    Alternative,
    Nowhere,
}

/// Kind of an element with the name `template`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OracleTemplate {
    /// A declarative shadow root: its content belongs to its host element.
    Shadow,
    Inert,
    /// An element of svg or `MathML` with the name `template`.
    Foreign,
}

/// Open elements of a page that determine the field of a text at the current token.
#[derive(Debug, Default)]
pub(super) struct Content {
    /// Kinds of the templates that contain the current token. The innermost one is the last.
    templates: Vec<OracleTemplate>,
    /// The innermost open element whose content is not body text, such as a title. The values are
    /// the name of the element, a bool, and the field of its content. The bool is true if the
    /// element is foreign (svg or `MathML`).
    special: Option<(String, bool, OracleField)>,
    /// True if the current token is in raw text within a `title` or `desc` of an svg. The text of a
    /// script is an example of raw text. Such raw text belongs to no field of the page.
    in_raw_text: bool,
    titles: usize,
    in_heading: bool,
    links: usize,
    in_link: bool,
    /// True if the tree already has a `frameset` element. The tree builder then drops text and most
    /// elements.
    pub(super) has_frames: bool,
}

impl Content {
    pub(super) fn in_template(&self) -> bool {
        self.templates.contains(&OracleTemplate::Inert)
    }

    pub(super) fn in_any_template(&self) -> bool {
        self.templates
            .iter()
            .any(|template| *template != OracleTemplate::Foreign)
    }

    pub(super) fn field(&self) -> OracleField {
        if self.in_template() || self.in_raw_text || self.has_frames {
            return OracleField::Nowhere;
        }
        self.special
            .as_ref()
            .map_or(OracleField::Body, |(_, _, field)| *field)
    }

    pub(super) fn is_heading(&self) -> bool {
        self.in_heading
    }

    /// Returns the number of the link that contains a text at the current token, counted from 1.
    /// Returns 0 if no link contains the text.
    pub(super) fn link(&self) -> usize {
        if self.in_link { self.links } else { 0 }
    }

    /// True if the tag at the current token makes an element of the page. `name` is the name of
    /// this tag. False in a template whose content a browser does not show. After a `frameset`,
    /// true only for a few names, such as `frame`.
    pub(super) fn is_made(&self, name: &str) -> bool {
        !self.in_template()
            && (!self.has_frames || matches!(name, "frameset" | "frame" | "html" | "noframes"))
    }

    /// Updates the open elements after an event of the tokenizer, such as a tag. `makes_root` is
    /// true if the event is a template tag that makes a shadow root in the tree.
    pub(super) fn pass(&mut self, event: &Event, is_foreign: bool, makes_root: bool) {
        if self.has_frames {
            return;
        }
        match event {
            Event::Start {
                name,
                attributes,
                self_closing,
            } => {
                let has_href = attributes.iter().any(|(name, _)| name == "href");
                let is_closed = is_foreign && *self_closing;
                let name = name.to_ascii_lowercase();
                if !is_foreign && !matches!(self.special, Some((_, _, OracleField::Alternative))) {
                    self.templates
                        .retain(|template| *template != OracleTemplate::Foreign);
                }
                if name == "template" && !is_closed {
                    self.templates.push(if is_foreign {
                        OracleTemplate::Foreign
                    } else if makes_root && !self.in_template() {
                        OracleTemplate::Shadow
                    } else {
                        OracleTemplate::Inert
                    });
                }
                self.start(&name, has_href, is_foreign, is_closed);
            }
            Event::End(name) => self.end(&name.to_ascii_lowercase()),
            _ => {}
        }
    }

    fn start(&mut self, name: &str, has_href: bool, is_foreign: bool, is_closed: bool) {
        if matches!(self.special, Some((_, true, OracleField::Nowhere))) && !is_foreign {
            self.special = None;
        }
        if self.in_template() {
            return;
        }
        if let Some((_, _, field)) = &self.special {
            let is_raw = matches!(
                name,
                "script" | "style" | "iframe" | "noembed" | "noframes" | "noscript"
            );
            self.in_raw_text = *field == OracleField::Alternative && is_raw && !is_foreign;
            return;
        }
        let special = match (name, is_foreign) {
            ("title" | "desc", true) => Some(OracleField::Alternative),
            ("title", false) if self.in_any_template() => Some(OracleField::Nowhere),
            ("title", false) => {
                self.titles += 1;
                Some(if self.titles == 1 {
                    OracleField::Title
                } else {
                    OracleField::Nowhere
                })
            }
            ("script" | "style", _) | ("iframe" | "noembed" | "noframes" | "noscript", false) => {
                Some(OracleField::Nowhere)
            }
            _ => None,
        };
        if let Some(field) = special {
            if !is_closed {
                self.special = Some((name.to_owned(), is_foreign, field));
            }
            return;
        }
        match name {
            "a" if !is_foreign => {
                self.in_link = has_href;
                self.links += usize::from(has_href);
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.in_heading = true,
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        if std::mem::take(&mut self.in_raw_text) {
            return;
        }
        if name == "template" {
            self.templates.pop();
            return;
        }
        if matches!(name, "svg" | "math") {
            self.templates
                .retain(|template| *template != OracleTemplate::Foreign);
        }
        if self.in_template() {
            return;
        }
        if let Some((special, is_foreign, _)) = &self.special {
            if special == name || *is_foreign && matches!(name, "svg" | "math") {
                self.special = None;
            }
            return;
        }
        match name {
            "a" | "td" | "th" | "caption" => self.in_link = false,
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.in_heading = false,
            _ => {}
        }
    }
}
