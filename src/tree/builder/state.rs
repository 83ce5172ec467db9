//! The builder's state, and the way of a token through it.

use html5ever::interface::TreeSink;
use html5ever::tokenizer::{self, Tag, TagKind};

use super::entry::Entry;
use super::quirks;

/// The insertion modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Initial,
    BeforeHtml,
    BeforeHead,
    InHead,
    AfterHead,
    InBody,
    Text,
    InTable,
    InTableText,
    InCaption,
    InColumnGroup,
    InTableBody,
    InRow,
    InCell,
    InTemplate,
    AfterBody,
    InFrameset,
    AfterFrameset,
    AfterAfterBody,
    AfterAfterFrameset,
}

/// A token, as far as the rules tell tokens apart.
pub(super) enum Token {
    Start(Tag),
    End(Tag),
    /// A text of blanks.
    Blank,
    /// A text of no blanks.
    Solid,
    Null,
    Comment,
}

/// The result of a rule.
pub(super) enum Outcome {
    Done,
    /// Raw text follows.
    Raw,
    /// The token is to be read once more, in this mode.
    Again(Mode, Token),
}

/// Builds a tree from tokens, by telling its sink.
pub(in crate::tree) struct Builder<S: TreeSink> {
    pub(in crate::tree) sink: S,
    pub(super) document: S::Handle,
    pub(super) mode: Mode,
    /// The mode behind a text that has a mode of its own.
    pub(super) mode_behind: Mode,
    /// The modes of the open templates.
    pub(super) templates: Vec<Mode>,
    /// The texts of a table that wait for what follows: true for a solid one.
    pub(super) table_texts: Vec<bool>,
    pub(super) has_quirks: bool,
    /// The stack of open elements.
    pub(super) open: Vec<S::Handle>,
    /// The list of active formatting elements.
    pub(super) formatting: Vec<Entry<S::Handle>>,
    pub(super) head: Option<S::Handle>,
    pub(super) form: Option<S::Handle>,
    pub(super) takes_frameset: bool,
    /// The end of a line that comes next is ignored.
    pub(super) ignores_line: bool,
    /// What is not for a table goes before it.
    pub(super) is_fostering: bool,
}

impl<S: TreeSink> Builder<S>
where
    S::Handle: Clone,
{
    pub(in crate::tree) fn new(sink: S) -> Self {
        Self {
            document: sink.get_document(),
            sink,
            mode: Mode::Initial,
            mode_behind: Mode::Initial,
            templates: Vec::new(),
            table_texts: Vec::new(),
            has_quirks: false,
            open: Vec::new(),
            formatting: Vec::new(),
            head: None,
            form: None,
            takes_frameset: true,
            ignores_line: false,
            is_fostering: false,
        }
    }

    /// Takes a token. Returns true if raw text follows it.
    pub(in crate::tree) fn process(&mut self, token: tokenizer::Token) -> bool {
        let ignores_line = std::mem::take(&mut self.ignores_line);
        let mut token = match token {
            tokenizer::TagToken(tag) if tag.kind == TagKind::StartTag => Token::Start(tag),
            tokenizer::TagToken(tag) => Token::End(tag),
            tokenizer::CharacterTokens(text) => {
                let text = text.strip_prefix('\n').filter(|_| ignores_line).unwrap_or(&text);
                match text.as_bytes().first() {
                    None => return false,
                    Some(first) if first.is_ascii_whitespace() => Token::Blank,
                    Some(_) => Token::Solid,
                }
            }
            tokenizer::NullCharacterToken => Token::Null,
            tokenizer::CommentToken(_) => Token::Comment,
            tokenizer::DoctypeToken(doctype) => {
                if self.mode == Mode::Initial {
                    self.has_quirks = quirks::means_quirks(&doctype);
                    self.mode = Mode::BeforeHtml;
                }
                return false;
            }
            tokenizer::EOFToken | tokenizer::ParseError(_) => return false,
        };
        loop {
            let outcome = if self.is_foreign(&token) { self.in_foreign(token) } else { self.step(self.mode, token) };
            match outcome {
                Outcome::Done => return false,
                Outcome::Raw => return true,
                Outcome::Again(mode, again) => (self.mode, token) = (mode, again),
            }
        }
    }

    /// Takes a token by the rules of a mode.
    pub(super) fn step(&mut self, mode: Mode, token: Token) -> Outcome {
        match mode {
            Mode::Initial => self.in_initial(token),
            Mode::BeforeHtml => self.before_html(token),
            Mode::BeforeHead => self.before_head(token),
            Mode::InHead => self.in_head(token),
            Mode::AfterHead => self.after_head(token),
            Mode::InBody => self.in_body(token),
            Mode::Text => self.in_text(&token),
            Mode::InTable => self.in_table(token),
            Mode::InTableText => self.in_table_text(token),
            Mode::InCaption => self.in_caption(token),
            Mode::InColumnGroup => self.in_column_group(token),
            Mode::InTableBody => self.in_table_body(token),
            Mode::InRow => self.in_row(token),
            Mode::InCell => self.in_cell(token),
            Mode::InTemplate => self.in_template(token),
            Mode::AfterBody => self.after_body(token),
            Mode::InFrameset => self.in_frameset(token),
            Mode::AfterFrameset => self.after_frameset(token),
            Mode::AfterAfterBody => self.after_after_body(token),
            Mode::AfterAfterFrameset => self.after_after_frameset(token),
        }
    }
}
