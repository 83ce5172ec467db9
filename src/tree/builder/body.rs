//! 13.2.6.4.7 The "in body" insertion mode: blocks, and what is no element.

use html5ever::interface::{ElemName, TreeSink};
use html5ever::tokenizer::Tag;
use html5ever::{LocalName, local_name, ns};

use super::head::is_for_head;
use super::sets::{button_scope, default_scope, is_heading, is_implied, keeps_item_in, list_item_scope};
use super::state::{Builder, Mode, Outcome, Token};

/// A pattern of names.
macro_rules! names {
    ($($name:tt)|+) => { $(local_name!($name))|+ };
}
pub(super) use names;

impl<S: TreeSink> Builder<S>
where
    S::Handle: Clone,
{
    pub(super) fn in_body(&mut self, token: Token) -> Outcome {
        match token {
            Token::Null => Outcome::Done,
            Token::Blank => {
                self.reconstruct_formatting();
                self.insert_text()
            }
            Token::Solid => {
                self.reconstruct_formatting();
                self.takes_frameset = false;
                self.insert_text()
            }
            Token::Comment => self.insert_comment(),
            Token::Start(tag) => self.start_in_body(tag),
            Token::End(tag) => self.end_in_body(tag),
        }
    }

    #[rustfmt::skip]
    fn start_in_body(&mut self, tag: Tag) -> Outcome {
        match tag.name {
            ref name if is_for_head(name) => return self.in_head(Token::Start(tag)),
            names!("html" | "body" | "frameset") => self.start_page(tag),
            names!("address" | "article" | "aside" | "blockquote" | "center" | "details" | "dialog" | "dir" | "div"
                | "dl" | "fieldset" | "figcaption" | "figure" | "footer" | "header" | "hgroup" | "main" | "menu"
                | "nav" | "ol" | "p" | "search" | "section" | "summary" | "ul") => {
                self.close_any_paragraph();
                self.open(tag);
            }
            names!("h1" | "h2" | "h3" | "h4" | "h5" | "h6") => {
                self.close_any_paragraph();
                if self.is_in(self.current(), is_heading) {
                    self.pop();
                }
                self.open(tag);
            }
            names!("pre" | "listing") => {
                self.close_any_paragraph();
                self.open(tag);
                self.ignores_line = true;
                self.takes_frameset = false;
            }
            names!("form") => self.start_form(tag),
            names!("li" | "dd" | "dt") => self.start_item(tag),
            names!("plaintext") => {
                self.close_any_paragraph();
                self.open(tag);
                return Outcome::Raw;
            }
            names!("table") => {
                if !self.has_quirks {
                    self.close_any_paragraph();
                }
                self.open(tag);
                self.takes_frameset = false;
                self.mode = Mode::InTable;
            }
            names!("caption" | "col" | "colgroup" | "frame" | "head" | "tbody" | "td" | "tfoot" | "th" | "thead"
                | "tr") => {}
            _ => return self.start_inline(tag),
        }
        Outcome::Done
    }

    /// Takes a tag of what the page has once.
    fn start_page(&mut self, tag: Tag) {
        match tag.name {
            local_name!("html") => {
                if !self.in_template_element() {
                    self.sink.add_attrs_if_missing(&self.open[0], tag.attrs);
                }
            }
            local_name!("body") => {
                if let Some(body) = self.body().filter(|_| !self.in_template_element()) {
                    self.takes_frameset = false;
                    self.sink.add_attrs_if_missing(&body, tag.attrs);
                }
            }
            _ => {
                if let Some(body) = self.body().filter(|_| self.takes_frameset) {
                    self.sink.remove_from_parent(&body);
                    self.open.truncate(1);
                    self.open(tag);
                    self.mode = Mode::InFrameset;
                }
            }
        }
    }

    fn start_form(&mut self, tag: Tag) {
        if self.form.is_some() && !self.in_template_element() {
            return;
        }
        self.close_any_paragraph();
        let form = self.open(tag);
        if !self.in_template_element() {
            self.form = Some(form);
        }
    }

    fn start_item(&mut self, tag: Tag) {
        let is_list = tag.name == local_name!("li");
        let ends = |name: &LocalName| {
            if is_list { *name == local_name!("li") } else { matches!(*name, names!("dd" | "dt")) }
        };
        self.takes_frameset = false;
        let mut ended = None;
        for node in self.open.iter().rev() {
            let own = self.sink.elem_name(node);
            let own = own.expanded();
            if *own.ns == ns!(html) && ends(own.local) {
                ended = Some(own.local.clone());
                break;
            }
            if keeps_item_in(own) {
                break;
            }
        }
        if let Some(name) = ended {
            self.generate_implied_end_tags_except(&name);
            self.pop_through_named(&name);
        }
        self.close_any_paragraph();
        self.open(tag);
    }

    #[rustfmt::skip]
    fn end_in_body(&mut self, tag: Tag) -> Outcome {
        match tag.name {
            names!("template") => return self.in_head(Token::End(tag)),
            names!("body") => {
                if self.has_in_scope(&tag.name) {
                    self.mode = Mode::AfterBody;
                }
            }
            names!("html") => {
                if self.has_in_scope(&local_name!("body")) {
                    return Outcome::Again(Mode::AfterBody, Token::End(tag));
                }
            }
            names!("address" | "article" | "aside" | "blockquote" | "button" | "center" | "details" | "dialog" | "dir"
                | "div" | "dl" | "fieldset" | "figcaption" | "figure" | "footer" | "header" | "hgroup" | "listing"
                | "main" | "menu" | "nav" | "ol" | "pre" | "search" | "section" | "select" | "summary" | "ul") => {
                if self.has_in_scope(&tag.name) {
                    self.generate_implied_end_tags(is_implied);
                    self.pop_through_named(&tag.name);
                }
            }
            names!("form") => self.end_form(),
            names!("p") => {
                if !self.has_named_in(button_scope, &tag.name) {
                    self.open_phantom(tag.name);
                }
                self.close_paragraph();
            }
            names!("li" | "dd" | "dt") => {
                let is_open = match tag.name {
                    local_name!("li") => self.has_named_in(list_item_scope, &tag.name),
                    _ => self.has_in_scope(&tag.name),
                };
                if is_open {
                    self.generate_implied_end_tags_except(&tag.name);
                    self.pop_through_named(&tag.name);
                }
            }
            names!("h1" | "h2" | "h3" | "h4" | "h5" | "h6") => {
                if self.has_in(default_scope, |node| self.is_in(node, is_heading)) {
                    self.generate_implied_end_tags(is_implied);
                    self.pop_through(is_heading);
                }
            }
            _ => return self.end_inline(tag),
        }
        Outcome::Done
    }

    fn end_form(&mut self) {
        let name = local_name!("form");
        if self.in_template_element() {
            if self.has_in_scope(&name) {
                self.generate_implied_end_tags(is_implied);
                self.pop_through_named(&name);
            }
            return;
        }
        let Some(form) = self.form.take() else { return };
        if self.has_in(default_scope, |node| self.sink.same_node(&form, node)) {
            self.generate_implied_end_tags(is_implied);
            self.remove_from_stack(&form);
        }
    }
}
