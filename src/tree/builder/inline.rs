//! 13.2.6.4.7 The "in body" insertion mode: formatting, controls, and elements without content.

use html5ever::interface::TreeSink;
use html5ever::tokenizer::{Tag, TagKind};
use html5ever::{local_name, ns};

use super::body::names;
use super::sets::is_implied;
use super::state::{Builder, Outcome, Token};

impl<S: TreeSink> Builder<S>
where
    S::Handle: Clone,
{
    #[rustfmt::skip]
    pub(super) fn start_inline(&mut self, tag: Tag) -> Outcome {
        match tag.name {
            names!("a") => {
                self.end_open_link(&tag.name);
                self.reconstruct_formatting();
                self.open_formatting(tag);
            }
            names!("b" | "big" | "code" | "em" | "font" | "i" | "s" | "small" | "strike" | "strong" | "tt" | "u") => {
                self.reconstruct_formatting();
                self.open_formatting(tag);
            }
            names!("nobr") => {
                self.reconstruct_formatting();
                if self.has_in_scope(&tag.name) {
                    self.adopt(&tag.name);
                    self.reconstruct_formatting();
                }
                self.open_formatting(tag);
            }
            names!("applet" | "marquee" | "object") => {
                self.reconstruct_formatting();
                self.open(tag);
                self.push_marker();
                self.takes_frameset = false;
            }
            names!("area" | "br" | "embed" | "img" | "keygen" | "wbr" | "image") => self.start_void(tag),
            names!("param" | "source" | "track") => {
                self.insert_void(tag);
            }
            names!("rb" | "rtc" | "rp" | "rt") => self.start_ruby(tag),
            names!("math") => {
                self.reconstruct_formatting();
                self.start_foreign(ns!(mathml), tag);
            }
            names!("svg") => {
                self.reconstruct_formatting();
                self.start_foreign(ns!(svg), tag);
            }
            names!("textarea" | "xmp" | "iframe" | "noembed" | "noscript") => return self.start_raw(tag),
            names!("button" | "input" | "hr" | "select" | "option" | "optgroup") => self.start_control(tag),
            _ => {
                self.reconstruct_formatting();
                self.open(tag);
            }
        }
        Outcome::Done
    }

    /// An element without content that stands in a text.
    fn start_void(&mut self, mut tag: Tag) {
        if tag.name == local_name!("image") {
            tag.name = local_name!("img");
        }
        self.reconstruct_formatting();
        self.insert_void(tag);
        self.takes_frameset = false;
    }

    fn start_ruby(&mut self, tag: Tag) {
        if self.has_in_scope(&local_name!("ruby")) {
            match tag.name {
                names!("rb" | "rtc") => self.generate_implied_end_tags(is_implied),
                _ => self.generate_implied_end_tags_except(&local_name!("rtc")),
            }
        }
        self.open(tag);
    }

    fn start_raw(&mut self, tag: Tag) -> Outcome {
        match tag.name {
            local_name!("textarea") => self.ignores_line = true,
            local_name!("xmp") => {
                self.close_any_paragraph();
                self.reconstruct_formatting();
            }
            _ => {}
        }
        self.takes_frameset &= matches!(tag.name, names!("noembed" | "noscript"));
        self.open_raw(tag)
    }

    fn start_control(&mut self, tag: Tag) {
        let select = local_name!("select");
        match tag.name {
            local_name!("button") => {
                if self.has_in_scope(&tag.name) {
                    self.generate_implied_end_tags(is_implied);
                    self.pop_through_named(&tag.name);
                }
                self.reconstruct_formatting();
                self.open(tag);
                self.takes_frameset = false;
            }
            local_name!("input") => {
                if self.has_in_scope(&select) {
                    self.pop_through_named(&select);
                }
                self.takes_frameset &= is_hidden(&tag);
                self.reconstruct_formatting();
                self.insert_void(tag);
            }
            local_name!("hr") => {
                self.close_any_paragraph();
                if self.has_in_scope(&select) {
                    self.generate_implied_end_tags(is_implied);
                }
                self.insert_void(tag);
                self.takes_frameset = false;
            }
            local_name!("select") if self.has_in_scope(&select) => self.pop_through_named(&select),
            local_name!("select") => {
                self.reconstruct_formatting();
                self.open(tag);
                self.takes_frameset = false;
            }
            _ => self.start_option(tag),
        }
    }

    /// Opens an `option` or an `optgroup`.
    fn start_option(&mut self, tag: Tag) {
        if self.has_in_scope(&local_name!("select")) {
            match tag.name {
                local_name!("option") => self.generate_implied_end_tags_except(&local_name!("optgroup")),
                _ => self.generate_implied_end_tags(is_implied),
            }
        } else if self.current_is(&local_name!("option")) {
            self.pop();
        }
        self.reconstruct_formatting();
        self.open(tag);
    }

    #[rustfmt::skip]
    pub(super) fn end_inline(&mut self, tag: Tag) -> Outcome {
        match tag.name {
            names!("a" | "b" | "big" | "code" | "em" | "font" | "i" | "nobr" | "s" | "small" | "strike" | "strong"
                | "tt" | "u") => self.adopt(&tag.name),
            names!("applet" | "marquee" | "object") => {
                if self.has_in_scope(&tag.name) {
                    self.generate_implied_end_tags(is_implied);
                    self.pop_through_named(&tag.name);
                    self.clear_to_marker();
                }
            }
            names!("br") => {
                return self.in_body(Token::Start(Tag { kind: TagKind::StartTag, attrs: Vec::new(), ..tag }));
            }
            _ => self.end_by_name(&tag.name),
        }
        Outcome::Done
    }
}

/// True for an `input` that is not seen.
pub(super) fn is_hidden(tag: &Tag) -> bool {
    let of_type =
        tag.attrs.iter().find(|attribute| attribute.name.ns == ns!() && attribute.name.local == local_name!("type"));
    of_type.is_some_and(|attribute| attribute.value.eq_ignore_ascii_case("hidden"))
}
