//! What a token is part of, by the source-order rule of docs/semantics.md (section 3), told once more on its own.

use super::stamp::Event;

/// Where text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Body,
    Title,
    Description,
    Alternative,
    Nowhere,
}

/// What is open at a place.
#[derive(Debug, Default)]
pub(super) struct Content {
    templates: usize,
    /// The element whose content is no body text: its name, whether it is foreign, what its content is.
    special: Option<(String, bool, Field)>,
    /// In svg's titles too there is raw text.
    in_raw_text: bool,
    titles: usize,
    in_heading: bool,
    links: usize,
    in_link: bool,
}

impl Content {
    pub(super) fn in_template(&self) -> bool {
        self.templates > 0
    }

    pub(super) fn field(&self) -> Field {
        if self.in_template() || self.in_raw_text {
            return Field::Nowhere;
        }
        self.special.as_ref().map_or(Field::Body, |(_, _, field)| *field)
    }

    pub(super) fn is_heading(&self) -> bool {
        self.in_heading
    }

    /// The number of the link that text here belongs to, from 1; 0 is none.
    pub(super) fn link(&self) -> usize {
        if self.in_link { self.links } else { 0 }
    }

    pub(super) fn pass(&mut self, event: &Event, is_foreign: bool) {
        match event {
            Event::Start { name, attributes, self_closing } => {
                let has_href = attributes.iter().any(|(name, _)| name == "href");
                self.start(&name.to_ascii_lowercase(), has_href, is_foreign, is_foreign && *self_closing);
            }
            Event::End(name) => self.end(&name.to_ascii_lowercase()),
            _ => {}
        }
    }

    fn start(&mut self, name: &str, has_href: bool, is_foreign: bool, is_closed: bool) {
        match &self.special {
            Some((_, true, Field::Nowhere)) if !is_foreign => self.special = None,
            Some((_, _, field)) => {
                let is_raw = matches!(name, "script" | "style" | "iframe" | "noembed" | "noframes" | "noscript");
                self.in_raw_text = *field == Field::Alternative && is_raw && !is_foreign;
                return;
            }
            None => {}
        }
        if name == "template" && !is_foreign {
            self.templates += 1;
        }
        if self.in_template() {
            return;
        }
        let special = match (name, is_foreign) {
            ("title" | "desc", true) => Some(Field::Alternative),
            ("title", false) => {
                self.titles += 1;
                Some(if self.titles == 1 { Field::Title } else { Field::Nowhere })
            }
            ("script" | "style", _) | ("iframe" | "noembed" | "noframes" | "noscript", false) => Some(Field::Nowhere),
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
        if let Some((special, is_foreign, _)) = &self.special {
            if special == name || *is_foreign && matches!(name, "svg" | "math") {
                self.special = None;
            }
            return;
        }
        if name == "template" {
            self.templates = self.templates.saturating_sub(1);
        } else if !self.in_template() {
            match name {
                "a" | "td" | "th" | "caption" => self.in_link = false,
                "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.in_heading = false,
                _ => {}
            }
        }
    }
}
