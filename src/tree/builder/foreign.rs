//! 13.2.6.5 The rules for parsing tokens in foreign content: svg and `MathML`.

use html5ever::interface::{ElemName, TreeSink};
use html5ever::tokenizer::Tag;
use html5ever::{ExpandedName, LocalName, Namespace, expanded_name, local_name, ns};

use super::super::doubt::svg_spelling;
use super::body::names;
use super::sets::{is_mathml_text_point, is_svg_point};
use super::state::{Builder, Outcome, Token};

impl<S: TreeSink> Builder<S>
where
    S::Handle: Clone,
{
    /// True if the rules for foreign content are for this token, where it stands.
    pub(super) fn is_foreign(&self, token: &Token) -> bool {
        let Some(current) = self.open.last() else { return false };
        let own = self.sink.elem_name(current);
        let own = own.expanded();
        if *own.ns == ns!(html) {
            return false;
        }
        let is_text = matches!(token, Token::Blank | Token::Solid | Token::Null);
        let start = match token {
            Token::Start(tag) => Some(&tag.name),
            _ => None,
        };
        if is_mathml_text_point(own) {
            return !is_text && start.is_none_or(|name| matches!(*name, names!("mglyph" | "malignmark")));
        }
        if is_svg_point(own) {
            return !is_text && start.is_none();
        }
        if matches!(own, expanded_name!(mathml "annotation-xml")) {
            return match start {
                Some(&local_name!("svg")) => false,
                None if !is_text => true,
                _ => !self.sink.is_mathml_annotation_xml_integration_point(current),
            };
        }
        true
    }

    pub(super) fn in_foreign(&mut self, token: Token) -> Outcome {
        match token {
            Token::Null | Token::Blank => self.insert_text(),
            Token::Solid => {
                self.takes_frameset = false;
                self.insert_text()
            }
            Token::Comment => self.insert_comment(),
            Token::Start(tag) if leaves(&tag) => self.leave_foreign(Token::Start(tag)),
            Token::Start(mut tag) => {
                let ns = self.sink.elem_name(self.current()).ns().clone();
                if ns == ns!(svg)
                    && let Some(spelling) = svg_spelling(&tag.name)
                {
                    tag.name = LocalName::from(spelling);
                }
                self.start_foreign(ns, tag);
                Outcome::Done
            }
            Token::End(tag) if matches!(tag.name, names!("br" | "p")) => self.leave_foreign(Token::End(tag)),
            Token::End(tag) => self.end_foreign(tag),
        }
    }

    /// Makes an element of svg or `MathML`, which is open if its tag does not close itself.
    pub(super) fn start_foreign(&mut self, ns: Namespace, tag: Tag) {
        let node = self.insert_new(ns, tag.name, tag.attrs);
        if !tag.self_closing {
            self.open.push(node);
        }
    }

    /// Ends what is open up to HTML, or to where HTML begins again, at a tag of HTML.
    fn leave_foreign(&mut self, token: Token) -> Outcome {
        let is_html =
            |name: ExpandedName<'_>| *name.ns == ns!(html) || is_mathml_text_point(name) || is_svg_point(name);
        while !self.is_in(self.current(), is_html) {
            self.pop();
        }
        self.step(self.mode, token)
    }

    fn end_foreign(&mut self, tag: Tag) -> Outcome {
        for at in (1..self.open.len()).rev() {
            let (is_html, is_it) = {
                let own = self.sink.elem_name(&self.open[at]);
                (*own.ns() == ns!(html), own.local_name().eq_ignore_ascii_case(&tag.name))
            };
            if is_html && at + 1 < self.open.len() {
                return self.step(self.mode, Token::End(tag));
            }
            if is_it {
                self.open.truncate(at);
                return Outcome::Done;
            }
        }
        Outcome::Done
    }
}

/// True for a start tag that ends foreign content.
#[rustfmt::skip]
fn leaves(tag: &Tag) -> bool {
    let is_seen = |name| {
        matches!(name, expanded_name!("", "color") | expanded_name!("", "face") | expanded_name!("", "size"))
    };
    match tag.name {
        names!("b" | "big" | "blockquote" | "body" | "br" | "center" | "code" | "dd" | "div" | "dl" | "dt" | "em"
            | "embed" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "head" | "hr" | "i" | "img" | "li" | "listing"
            | "menu" | "meta" | "nobr" | "ol" | "p" | "pre" | "ruby" | "s" | "small" | "span" | "strong" | "strike"
            | "sub" | "sup" | "table" | "tt" | "u" | "ul" | "var") => true,
        local_name!("font") => tag.attrs.iter().any(|attribute| is_seen(attribute.name.expanded())),
        _ => false,
    }
}
