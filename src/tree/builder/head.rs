//! 13.2.6.4.1 to 13.2.6.4.6: the modes up to the end of the head.

use html5ever::interface::{ElemName, TreeSink};
use html5ever::tokenizer::Tag;
use html5ever::{LocalName, local_name, ns};

use super::sets::is_implied_thoroughly;
use super::state::{Builder, Mode, Outcome, Token};

/// True for the end tags that begin what is missing: of all others nothing is heard before the body.
fn begins_what_is_missing(name: &LocalName) -> bool {
    matches!(*name, local_name!("head") | local_name!("body") | local_name!("html") | local_name!("br"))
}

impl<S: TreeSink> Builder<S>
where
    S::Handle: Clone,
{
    pub(super) fn in_initial(&mut self, token: Token) -> Outcome {
        match token {
            Token::Blank => Outcome::Done,
            Token::Comment => self.append_comment(&self.document),
            token => {
                self.has_quirks = true;
                Outcome::Again(Mode::BeforeHtml, token)
            }
        }
    }

    pub(super) fn before_html(&mut self, token: Token) -> Outcome {
        match token {
            Token::Blank => Outcome::Done,
            Token::Comment => self.append_comment(&self.document),
            Token::Start(tag) if tag.name == local_name!("html") => {
                self.create_root(tag.attrs);
                self.mode = Mode::BeforeHead;
                Outcome::Done
            }
            Token::End(tag) if !begins_what_is_missing(&tag.name) => Outcome::Done,
            token => {
                self.create_root(Vec::new());
                Outcome::Again(Mode::BeforeHead, token)
            }
        }
    }

    pub(super) fn before_head(&mut self, token: Token) -> Outcome {
        match token {
            Token::Blank => Outcome::Done,
            Token::Comment => self.insert_comment(),
            Token::Start(tag) if tag.name == local_name!("html") => self.in_body(Token::Start(tag)),
            Token::Start(tag) if tag.name == local_name!("head") => {
                self.head = Some(self.open(tag));
                self.mode = Mode::InHead;
                Outcome::Done
            }
            Token::End(tag) if !begins_what_is_missing(&tag.name) => Outcome::Done,
            token => {
                self.head = Some(self.open_phantom(local_name!("head")));
                Outcome::Again(Mode::InHead, token)
            }
        }
    }

    pub(super) fn in_head(&mut self, token: Token) -> Outcome {
        match token {
            Token::Blank => self.insert_text(),
            Token::Comment => self.insert_comment(),
            Token::Start(tag) => self.start_in_head(tag),
            Token::End(tag) => self.end_in_head(tag),
            token => self.end_head(token),
        }
    }

    fn start_in_head(&mut self, tag: Tag) -> Outcome {
        match tag.name {
            local_name!("html") => self.in_body(Token::Start(tag)),
            local_name!("base")
            | local_name!("basefont")
            | local_name!("bgsound")
            | local_name!("link")
            | local_name!("meta") => {
                self.insert_void(tag);
                Outcome::Done
            }
            local_name!("title")
            | local_name!("noframes")
            | local_name!("style")
            | local_name!("noscript")
            | local_name!("script") => self.open_raw(tag),
            local_name!("template") => {
                self.push_marker();
                self.takes_frameset = false;
                self.mode = Mode::InTemplate;
                self.templates.push(Mode::InTemplate);
                self.open(tag);
                Outcome::Done
            }
            local_name!("head") => Outcome::Done,
            _ => self.end_head(Token::Start(tag)),
        }
    }

    fn end_in_head(&mut self, tag: Tag) -> Outcome {
        match tag.name {
            local_name!("head") => {
                self.pop();
                self.mode = Mode::AfterHead;
                Outcome::Done
            }
            local_name!("body") | local_name!("html") | local_name!("br") => self.end_head(Token::End(tag)),
            local_name!("template") => {
                if self.in_template_element() {
                    self.generate_implied_end_tags(is_implied_thoroughly);
                    self.pop_through_named(&local_name!("template"));
                    self.clear_to_marker();
                    self.templates.pop();
                    self.mode = self.mode_by_stack();
                }
                Outcome::Done
            }
            _ => Outcome::Done,
        }
    }

    /// Ends the head at a token that is not for it.
    fn end_head(&mut self, token: Token) -> Outcome {
        self.pop();
        Outcome::Again(Mode::AfterHead, token)
    }

    pub(super) fn after_head(&mut self, token: Token) -> Outcome {
        match token {
            Token::Blank => self.insert_text(),
            Token::Comment => self.insert_comment(),
            Token::Start(tag) => self.start_after_head(tag),
            Token::End(tag) => match tag.name {
                local_name!("template") => self.in_head(Token::End(tag)),
                local_name!("body") | local_name!("html") | local_name!("br") => self.begin_body(Token::End(tag)),
                _ => Outcome::Done,
            },
            token => self.begin_body(token),
        }
    }

    fn start_after_head(&mut self, tag: Tag) -> Outcome {
        match tag.name {
            local_name!("html") => self.in_body(Token::Start(tag)),
            local_name!("body") => {
                self.open(tag);
                self.takes_frameset = false;
                self.mode = Mode::InBody;
                Outcome::Done
            }
            local_name!("frameset") => {
                self.open(tag);
                self.mode = Mode::InFrameset;
                Outcome::Done
            }
            ref name if is_for_head(name) => {
                let Some(head) = self.head.clone() else { return Outcome::Done };
                self.open.push(head.clone());
                let outcome = self.in_head(Token::Start(tag));
                self.remove_from_stack(&head);
                outcome
            }
            local_name!("head") => Outcome::Done,
            _ => self.begin_body(Token::Start(tag)),
        }
    }

    fn begin_body(&mut self, token: Token) -> Outcome {
        self.open_phantom(local_name!("body"));
        Outcome::Again(Mode::InBody, token)
    }

    /// Resets the insertion mode appropriately (13.2.4.1).
    pub(super) fn mode_by_stack(&self) -> Mode {
        for (at, node) in self.open.iter().enumerate().rev() {
            let own = self.sink.elem_name(node);
            let own = own.expanded();
            if *own.ns != ns!(html) {
                continue;
            }
            return match *own.local {
                local_name!("td") | local_name!("th") if at > 0 => Mode::InCell,
                local_name!("tr") => Mode::InRow,
                local_name!("tbody") | local_name!("thead") | local_name!("tfoot") => Mode::InTableBody,
                local_name!("caption") => Mode::InCaption,
                local_name!("colgroup") => Mode::InColumnGroup,
                local_name!("table") => Mode::InTable,
                local_name!("template") => self.templates.last().copied().unwrap_or(Mode::InTemplate),
                local_name!("head") if at > 0 => Mode::InHead,
                local_name!("body") => Mode::InBody,
                local_name!("frameset") => Mode::InFrameset,
                local_name!("html") if self.head.is_none() => Mode::BeforeHead,
                local_name!("html") => Mode::AfterHead,
                _ => continue,
            };
        }
        Mode::InBody
    }
}

/// True for the elements that go into the head wherever their tags stand.
pub(super) fn is_for_head(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("base")
            | local_name!("basefont")
            | local_name!("bgsound")
            | local_name!("link")
            | local_name!("meta")
            | local_name!("noframes")
            | local_name!("script")
            | local_name!("style")
            | local_name!("template")
            | local_name!("title")
    )
}
