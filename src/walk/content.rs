//! What a tile is part of: body text, the title, a heading, a link's text, or nothing anybody reads.
//!
//! One rule in source order, which needs no tree and is the same with and without one (docs/semantics.md, section 3):
//! * Inert: from a `template` start tag to its end tag, counted; from `script`, `style`, `iframe`, `noembed`,
//!   `noframes`, `noscript` to their end tag. In svg and `MathML`, `script` and `style` also end with the first tag that
//!   is not foreign, or with `</svg>` or `</math>`.
//! * The title is the first `title` outside svg; later ones are nothing. svg's `title` and `desc` are alternative text.
//! * A heading runs from `h1` to `h6` to the next start or end tag of one.
//! * A link's text runs from `<a href>` to the next start or end tag of an `a`, or the end of a table cell or caption.

use crate::html;
use crate::lex::{Tile, TileKind};

/// Where text goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Field {
    #[default]
    Body,
    Title,
    Alternative,
    Nowhere,
}

/// What a tile is part of. Headings and links are numbered from 1; 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) field: Field,
    /// Inside a `template`, where there are neither links nor META.
    pub(crate) in_template: bool,
    pub(crate) heading: u32,
    pub(crate) link: u32,
}

#[derive(Debug, Default)]
pub(super) struct Content {
    templates: u32,
    /// The element, if any, whose content is not body text.
    inside: Option<Inside>,
    /// Inside that, raw text that nobody reads.
    in_raw_text: bool,
    titles: u32,
    headings: u32,
    heading: u32,
    links: u32,
    link: u32,
}

#[derive(Debug)]
struct Inside {
    name: String,
    foreign: bool,
    field: Field,
}

impl Content {
    pub(super) fn in_template(&self) -> bool {
        self.templates > 0
    }

    /// Takes note of a tile and says what it is part of: a start tag is part of what it begins, an end tag of what it
    /// ended.
    pub(super) fn pass(&mut self, tile: &Tile<'_>) -> Standing {
        match tile.kind() {
            TileKind::Start => self.start(tile),
            TileKind::End => {
                let before = self.standing();
                self.end(tile.name());
                return before;
            }
            _ => {}
        }
        self.standing()
    }

    fn standing(&self) -> Standing {
        let field = match &self.inside {
            _ if self.in_template() || self.in_raw_text => Field::Nowhere,
            Some(inside) => inside.field,
            None => Field::Body,
        };
        Standing { field, in_template: self.in_template(), heading: self.heading, link: self.link }
    }

    fn start(&mut self, tile: &Tile<'_>) {
        let name = tile.name();
        if let Some(inside) = &self.inside {
            // In svg an element like `style` may hold tags; a tag that is not foreign has left it.
            if inside.field == Field::Alternative {
                self.in_raw_text = !tile.is_foreign() && (html::is_inert(name) || matches!(name, "script" | "style"));
                return;
            }
            if !inside.foreign || tile.is_foreign() {
                return;
            }
            self.inside = None;
        }
        match name {
            "template" if !tile.is_foreign() => self.templates += 1,
            _ if self.in_template() => {}
            "a" if !tile.is_foreign() => self.begin_link(tile.attribute("href").is_some()),
            "title" | "desc" if tile.is_foreign() => self.enter(tile, Field::Alternative),
            "title" => {
                self.titles += 1;
                let first = self.titles == 1;
                self.enter(tile, if first { Field::Title } else { Field::Nowhere });
            }
            "script" | "style" => self.enter(tile, Field::Nowhere),
            _ if html::is_inert(name) && !tile.is_foreign() => self.enter(tile, Field::Nowhere),
            _ if html::is_heading(name) => {
                self.headings += 1;
                self.heading = self.headings;
            }
            _ => {}
        }
    }

    fn enter(&mut self, tile: &Tile<'_>, field: Field) {
        if !tile.is_self_closing() {
            self.inside = Some(Inside { name: tile.name().to_owned(), foreign: tile.is_foreign(), field });
        }
    }

    fn begin_link(&mut self, is_link: bool) {
        if is_link {
            self.links += 1;
        }
        self.link = if is_link { self.links } else { 0 };
    }

    fn end(&mut self, name: &str) {
        if std::mem::take(&mut self.in_raw_text) {
            return;
        }
        if let Some(inside) = &self.inside {
            if inside.name == name || inside.foreign && matches!(name, "svg" | "math") {
                self.inside = None;
            }
            return;
        }
        match name {
            "template" => self.templates = self.templates.saturating_sub(1),
            _ if self.in_template() => {}
            "a" | "td" | "th" | "caption" => self.link = 0,
            _ if html::is_heading(name) => self.heading = 0,
            _ => {}
        }
    }
}
