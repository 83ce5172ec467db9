//! 13.2.6.4.8 and 13.2.6.4.18 to 13.2.6.4.24: text, templates, framesets, and what is behind the body.

use html5ever::interface::TreeSink;
use html5ever::local_name;

use super::body::names;
use super::head::is_for_head;
use super::state::{Builder, Mode, Outcome, Token};

impl<S: TreeSink> Builder<S>
where
    S::Handle: Clone,
{
    pub(super) fn in_text(&mut self, token: &Token) -> Outcome {
        match token {
            Token::Blank | Token::Solid => self.insert_text(),
            Token::End(_) => {
                self.pop();
                self.mode = self.mode_behind;
                Outcome::Done
            }
            // The tokenizer makes no others of raw text.
            Token::Start(_) | Token::Null | Token::Comment => Outcome::Done,
        }
    }

    #[rustfmt::skip]
    pub(super) fn in_template(&mut self, token: Token) -> Outcome {
        let mode = match &token {
            Token::Blank | Token::Solid | Token::Comment => return self.in_body(token),
            Token::Null => return Outcome::Done,
            Token::End(tag) if tag.name == local_name!("template") => return self.in_head(token),
            Token::End(_) => return Outcome::Done,
            Token::Start(tag) => match &tag.name {
                name if is_for_head(name) => return self.in_head(token),
                &names!("caption" | "colgroup" | "tbody" | "tfoot" | "thead") => Mode::InTable,
                &names!("col") => Mode::InColumnGroup,
                &names!("tr") => Mode::InTableBody,
                &names!("td" | "th") => Mode::InRow,
                _ => Mode::InBody,
            },
        };
        self.templates.pop();
        self.templates.push(mode);
        Outcome::Again(mode, token)
    }

    pub(super) fn after_body(&mut self, token: Token) -> Outcome {
        match &token {
            Token::Blank => self.in_body(token),
            Token::Comment => self.append_comment(&self.open[0]),
            Token::Start(tag) if tag.name == local_name!("html") => self.in_body(token),
            Token::End(tag) if tag.name == local_name!("html") => {
                self.mode = Mode::AfterAfterBody;
                Outcome::Done
            }
            _ => Outcome::Again(Mode::InBody, token),
        }
    }

    pub(super) fn in_frameset(&mut self, token: Token) -> Outcome {
        match token {
            Token::Blank => self.insert_text(),
            Token::Comment => self.insert_comment(),
            Token::Start(tag) => {
                match tag.name {
                    local_name!("html") => return self.in_body(Token::Start(tag)),
                    local_name!("frameset") => drop(self.open(tag)),
                    local_name!("frame") => drop(self.insert_void(tag)),
                    local_name!("noframes") => return self.in_head(Token::Start(tag)),
                    _ => {}
                }
                Outcome::Done
            }
            Token::End(tag) if tag.name == local_name!("frameset") && self.open.len() > 1 => {
                self.pop();
                if !self.current_is(&tag.name) {
                    self.mode = Mode::AfterFrameset;
                }
                Outcome::Done
            }
            _ => Outcome::Done,
        }
    }

    pub(super) fn after_frameset(&mut self, token: Token) -> Outcome {
        match &token {
            Token::Blank => self.insert_text(),
            Token::Comment => self.insert_comment(),
            Token::Start(tag) if tag.name == local_name!("html") => self.in_body(token),
            Token::Start(tag) if tag.name == local_name!("noframes") => self.in_head(token),
            Token::End(tag) if tag.name == local_name!("html") => {
                self.mode = Mode::AfterAfterFrameset;
                Outcome::Done
            }
            _ => Outcome::Done,
        }
    }

    pub(super) fn after_after_body(&mut self, token: Token) -> Outcome {
        match &token {
            Token::Blank => self.in_body(token),
            Token::Comment => self.append_comment(&self.document),
            Token::Start(tag) if tag.name == local_name!("html") => self.in_body(token),
            _ => Outcome::Again(Mode::InBody, token),
        }
    }

    pub(super) fn after_after_frameset(&mut self, token: Token) -> Outcome {
        match &token {
            Token::Blank => self.in_body(token),
            Token::Comment => self.append_comment(&self.document),
            Token::Start(tag) if tag.name == local_name!("html") => self.in_body(token),
            Token::Start(tag) if tag.name == local_name!("noframes") => self.in_head(token),
            _ => Outcome::Done,
        }
    }
}
