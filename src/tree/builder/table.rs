//! 13.2.6.4.9 to 13.2.6.4.15: the modes inside a table.

use html5ever::interface::TreeSink;
use html5ever::local_name;
use html5ever::tokenizer::Tag;

use super::body::names;
use super::inline::is_hidden;
use super::sets::{fosters, is_cell, is_implied, parts_of_table, table_body_context, table_row_context, table_scope};
use super::state::{Builder, Mode, Outcome, Token};

impl<S: TreeSink> Builder<S>
where
    S::Handle: Clone,
{
    pub(super) fn in_table(&mut self, token: Token) -> Outcome {
        match token {
            Token::Null | Token::Blank | Token::Solid => {
                if self.is_in(self.current(), fosters) {
                    self.mode_behind = self.mode;
                    return Outcome::Again(Mode::InTableText, token);
                }
                self.foster(token)
            }
            Token::Comment => self.insert_comment(),
            Token::Start(tag) => self.start_in_table(tag),
            Token::End(tag) => self.end_in_table(tag),
        }
    }

    #[rustfmt::skip]
    fn start_in_table(&mut self, tag: Tag) -> Outcome {
        match tag.name {
            names!("caption" | "colgroup" | "tbody" | "tfoot" | "thead") => {
                self.pop_until_current(table_scope);
                self.mode = match tag.name {
                    local_name!("caption") => {
                        self.push_marker();
                        Mode::InCaption
                    }
                    local_name!("colgroup") => Mode::InColumnGroup,
                    _ => Mode::InTableBody,
                };
                self.open(tag);
            }
            names!("col") => {
                self.pop_until_current(table_scope);
                self.open_phantom(local_name!("colgroup"));
                return Outcome::Again(Mode::InColumnGroup, Token::Start(tag));
            }
            names!("td" | "th" | "tr") => {
                self.pop_until_current(table_scope);
                self.open_phantom(local_name!("tbody"));
                return Outcome::Again(Mode::InTableBody, Token::Start(tag));
            }
            names!("table") => {
                if self.has_named_in(table_scope, &tag.name) {
                    self.pop_through_named(&tag.name);
                    return Outcome::Again(self.mode_by_stack(), Token::Start(tag));
                }
            }
            names!("style" | "script" | "template") => return self.in_head(Token::Start(tag)),
            names!("input") if is_hidden(&tag) => {
                self.insert_void(tag);
            }
            names!("form") => {
                if !self.in_template_element() && self.form.is_none() {
                    self.form = Some(self.insert_void(tag));
                }
            }
            _ => return self.foster(Token::Start(tag)),
        }
        Outcome::Done
    }

    #[rustfmt::skip]
    fn end_in_table(&mut self, tag: Tag) -> Outcome {
        match tag.name {
            names!("table") => {
                if self.has_named_in(table_scope, &tag.name) {
                    self.pop_through_named(&tag.name);
                    self.mode = self.mode_by_stack();
                }
                Outcome::Done
            }
            names!("body" | "caption" | "col" | "colgroup" | "html" | "tbody" | "td" | "tfoot" | "th" | "thead"
                | "tr") => Outcome::Done,
            names!("template") => self.in_head(Token::End(tag)),
            _ => self.foster(Token::End(tag)),
        }
    }

    /// Takes what is not for a table as if it stood before it.
    fn foster(&mut self, token: Token) -> Outcome {
        self.is_fostering = true;
        let outcome = self.in_body(token);
        self.is_fostering = false;
        outcome
    }

    pub(super) fn in_table_text(&mut self, token: Token) -> Outcome {
        match token {
            Token::Null => return Outcome::Done,
            Token::Blank => self.table_texts.push(false),
            Token::Solid => self.table_texts.push(true),
            token => {
                let texts = std::mem::take(&mut self.table_texts);
                let is_solid = texts.contains(&true);
                for text in texts {
                    if is_solid {
                        self.foster(if text { Token::Solid } else { Token::Blank });
                    } else {
                        self.insert_text();
                    }
                }
                return Outcome::Again(self.mode_behind, token);
            }
        }
        Outcome::Done
    }

    #[rustfmt::skip]
    pub(super) fn in_caption(&mut self, token: Token) -> Outcome {
        let ends = match &token {
            Token::Start(tag) => {
                matches!(tag.name, names!("caption" | "col" | "colgroup" | "tbody" | "td" | "tfoot" | "th" | "thead" | "tr"))
            }
            Token::End(tag) => match tag.name {
                names!("table" | "caption") => true,
                names!("body" | "col" | "colgroup" | "html" | "tbody" | "td" | "tfoot" | "th" | "thead" | "tr") => {
                    return Outcome::Done;
                }
                _ => false,
            },
            _ => false,
        };
        let caption = local_name!("caption");
        if !ends {
            return self.in_body(token);
        }
        if !self.has_named_in(table_scope, &caption) {
            return Outcome::Done;
        }
        self.generate_implied_end_tags(is_implied);
        self.pop_through_named(&caption);
        self.clear_to_marker();
        match token {
            Token::End(tag) if tag.name == caption => {
                self.mode = Mode::InTable;
                Outcome::Done
            }
            token => Outcome::Again(Mode::InTable, token),
        }
    }

    pub(super) fn in_column_group(&mut self, token: Token) -> Outcome {
        let colgroup = local_name!("colgroup");
        match token {
            Token::Blank => return self.insert_text(),
            Token::Comment => return self.insert_comment(),
            Token::Start(tag) if tag.name == local_name!("html") => return self.in_body(Token::Start(tag)),
            Token::Start(tag) if tag.name == local_name!("col") => {
                self.insert_void(tag);
                return Outcome::Done;
            }
            Token::End(tag) if tag.name == colgroup => {
                if self.current_is(&colgroup) {
                    self.pop();
                    self.mode = Mode::InTable;
                }
                return Outcome::Done;
            }
            Token::End(tag) if tag.name == local_name!("col") => return Outcome::Done,
            Token::Start(ref tag) | Token::End(ref tag) if tag.name == local_name!("template") => {
                return self.in_head(token);
            }
            _ => {}
        }
        if !self.current_is(&colgroup) {
            return Outcome::Done;
        }
        self.pop();
        Outcome::Again(Mode::InTable, token)
    }

    #[rustfmt::skip]
    pub(super) fn in_table_body(&mut self, token: Token) -> Outcome {
        match token {
            Token::Start(tag) if tag.name == local_name!("tr") => {
                self.pop_until_current(table_body_context);
                self.open(tag);
                self.mode = Mode::InRow;
                Outcome::Done
            }
            Token::Start(tag) if matches!(tag.name, names!("th" | "td")) => {
                self.pop_until_current(table_body_context);
                self.open_phantom(local_name!("tr"));
                Outcome::Again(Mode::InRow, Token::Start(tag))
            }
            Token::End(tag) if matches!(tag.name, names!("tbody" | "tfoot" | "thead")) => {
                if self.has_named_in(table_scope, &tag.name) {
                    self.end_table_body();
                }
                Outcome::Done
            }
            Token::Start(ref tag)
                if matches!(tag.name, names!("caption" | "col" | "colgroup" | "tbody" | "tfoot" | "thead")) =>
            {
                self.end_table_body_at(token)
            }
            Token::End(ref tag) if tag.name == local_name!("table") => self.end_table_body_at(token),
            Token::End(ref tag)
                if matches!(tag.name, names!("body" | "caption" | "col" | "colgroup" | "html" | "td" | "th" | "tr")) =>
            {
                Outcome::Done
            }
            token => self.in_table(token),
        }
    }

    fn end_table_body(&mut self) {
        self.pop_until_current(table_body_context);
        self.pop();
        self.mode = Mode::InTable;
    }

    /// Ends the part of a table at a token that begins another one.
    fn end_table_body_at(&mut self, token: Token) -> Outcome {
        if !self.has_in(table_scope, |node| self.is_in(node, parts_of_table)) {
            return Outcome::Done;
        }
        self.pop_until_current(table_body_context);
        self.pop();
        Outcome::Again(Mode::InTable, token)
    }

    #[rustfmt::skip]
    pub(super) fn in_row(&mut self, token: Token) -> Outcome {
        match token {
            Token::Start(tag) if matches!(tag.name, names!("th" | "td")) => {
                self.pop_until_current(table_row_context);
                self.open(tag);
                self.mode = Mode::InCell;
                self.push_marker();
                Outcome::Done
            }
            Token::End(tag) if tag.name == local_name!("tr") => {
                if self.end_row() {
                    self.mode = Mode::InTableBody;
                }
                Outcome::Done
            }
            Token::Start(ref tag)
                if matches!(tag.name, names!("caption" | "col" | "colgroup" | "tbody" | "tfoot" | "thead" | "tr")) =>
            {
                self.end_row_at(token)
            }
            Token::End(ref tag) if tag.name == local_name!("table") => self.end_row_at(token),
            Token::End(ref tag) if matches!(tag.name, names!("tbody" | "tfoot" | "thead")) => {
                if self.has_named_in(table_scope, &tag.name) { self.end_row_at(token) } else { Outcome::Done }
            }
            Token::End(ref tag)
                if matches!(tag.name, names!("body" | "caption" | "col" | "colgroup" | "html" | "td" | "th")) =>
            {
                Outcome::Done
            }
            token => self.in_table(token),
        }
    }

    /// Ends the row that is open in the table, if there is one.
    fn end_row(&mut self) -> bool {
        if !self.has_named_in(table_scope, &local_name!("tr")) {
            return false;
        }
        self.pop_until_current(table_row_context);
        self.pop();
        true
    }

    fn end_row_at(&mut self, token: Token) -> Outcome {
        if self.end_row() { Outcome::Again(Mode::InTableBody, token) } else { Outcome::Done }
    }

    #[rustfmt::skip]
    pub(super) fn in_cell(&mut self, token: Token) -> Outcome {
        match &token {
            Token::End(tag) if matches!(tag.name, names!("td" | "th")) => {
                if self.has_named_in(table_scope, &tag.name) {
                    self.generate_implied_end_tags(is_implied);
                    self.pop_through_named(&tag.name);
                    self.clear_to_marker();
                    self.mode = Mode::InRow;
                }
                Outcome::Done
            }
            Token::Start(tag) if matches!(tag.name,
                names!("caption" | "col" | "colgroup" | "tbody" | "td" | "tfoot" | "th" | "thead" | "tr")) =>
            {
                let is_open = self.has_in(table_scope, |node| self.is_in(node, is_cell));
                if is_open { self.end_cell_at(token) } else { Outcome::Done }
            }
            Token::End(tag) if matches!(tag.name, names!("body" | "caption" | "col" | "colgroup" | "html")) => {
                Outcome::Done
            }
            Token::End(tag) if matches!(tag.name, names!("table" | "tbody" | "tfoot" | "thead" | "tr")) => {
                if self.has_named_in(table_scope, &tag.name) { self.end_cell_at(token) } else { Outcome::Done }
            }
            _ => self.in_body(token),
        }
    }

    fn end_cell_at(&mut self, token: Token) -> Outcome {
        self.generate_implied_end_tags(is_implied);
        self.pop_through(is_cell);
        self.clear_to_marker();
        Outcome::Again(Mode::InRow, token)
    }
}
