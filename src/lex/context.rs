//! Contexts in which only a browser ignores a tag: in `select`, after `frameset`, and in a
//! `template` that began with a column.

use crate::html;

/// The present context, as far as it makes a browser ignore tags.
#[derive(Debug, Default)]
pub(super) struct LexContext {
    in_select: bool,
    after_frameset: bool,
    /// A table or a template began somewhere: then their end tags, and tags of their parts, may
    /// have a meaning.
    has_table: bool,
    has_template: bool,
    templates: Vec<OpenTemplate>,
}

/// The kind of content that a browser expects in an open template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpenTemplate {
    /// Not decided yet.
    Fresh,
    /// Columns: a browser ignores almost every other tag.
    Columns,
    Other,
}

impl LexContext {
    /// True if a tokenizer that begins here in its first state reads the rest like one that was
    /// there before. Templates do not count: the tokenizer does not know them.
    pub(super) fn is_initial(&self) -> bool {
        !self.in_select && !self.after_frameset
    }

    /// True if no template is open. The next tags may decide the content of an open one.
    #[inline]
    pub(super) fn is_in_no_template(&self) -> bool {
        self.templates.is_empty()
    }

    /// True if some table may be open.
    pub(super) fn may_be_in_table(&self) -> bool {
        self.has_table || self.has_template
    }

    pub(super) fn in_select(&self) -> bool {
        self.in_select
    }

    /// True if an svg or `MathML` element may be ignored here, for good.
    pub(super) fn ignores_foreign(&self) -> bool {
        self.in_columns() || self.after_frameset
    }

    /// True if an element that holds raw text may be ignored here.
    pub(super) fn may_ignore(&self, name: &str) -> bool {
        self.in_columns()
            || self.in_select && !matches!(name, "script" | "textarea")
            || self.after_frameset && name != "noframes"
    }

    fn in_columns(&self) -> bool {
        self.templates.last() == Some(&OpenTemplate::Columns)
    }

    /// Follows a start tag.
    pub(super) fn start(&mut self, name: &str, foreign: bool) {
        match name.as_bytes() {
            b"select" => self.in_select = true,
            b"frameset" => self.after_frameset = true,
            b"table" => self.has_table = true,
            b"template" => self.has_template = true,
            _ => {}
        }
        if foreign {
            return;
        }
        if let Some(last) = self.templates.last_mut()
            && *last == OpenTemplate::Fresh
            && html::decides_template(name)
        {
            *last = if name == "col" {
                OpenTemplate::Columns
            } else {
                OpenTemplate::Other
            };
        }
        if name == "template" {
            self.templates.push(OpenTemplate::Fresh);
        }
    }

    pub(super) fn end(&mut self, name: &str) {
        self.in_select &= name != "select";
        if name == "template" {
            self.templates.pop();
        }
    }
}
