//! Tracks the contexts in which a browser ignores a tag and the tokenizer does not: in `select`,
//! after `frameset`, and in a `template` that began with a column.

use crate::html;

/// Open elements in which a browser ignores some tags that `lol_html` does not ignore.
#[derive(Debug, Default)]
pub(super) struct LexContext {
    in_select: bool,
    after_frameset: bool,
    /// True if a table began anywhere earlier in the page. Only then may the tags of rows and
    /// cells, and the end tags of tables, have an effect.
    has_table: bool,
    has_template: bool,
    templates: Vec<OpenTemplate>,
}

/// Kind of content that a browser expects in an open template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpenTemplate {
    /// Not yet known: no start tag in the template has decided the kind.
    Fresh,
    /// The columns of a table: a browser ignores almost all tags but `col`.
    Columns,
    Other,
}

impl LexContext {
    /// True if a restart at this point would not change how the tokenizer `lol_html` reads the rest
    /// of the page. Open templates do not matter, since `lol_html` does not know them.
    pub(super) fn is_initial(&self) -> bool {
        !self.in_select && !self.after_frameset
    }

    /// True if no template is open. If one is open, the next tags may decide its kind of content.
    #[inline]
    pub(super) fn is_in_no_template(&self) -> bool {
        self.templates.is_empty()
    }

    /// True if a table may be open.
    pub(super) fn may_be_in_table(&self) -> bool {
        self.has_table || self.has_template
    }

    pub(super) fn in_select(&self) -> bool {
        self.in_select
    }

    /// True if a browser may ignore an svg or `MathML` element at this point. Then `lol_html` and a
    /// browser may differ for the rest of the page.
    pub(super) fn ignores_foreign(&self) -> bool {
        self.in_columns() || self.after_frameset
    }

    /// True if a browser may ignore a start tag `name` at this point. `name` must be the name of an
    /// element with raw text, such as `style`.
    pub(super) fn may_ignore(&self, name: &str) -> bool {
        self.in_columns()
            || self.in_select && !matches!(name, "script" | "textarea")
            || self.after_frameset && name != "noframes"
    }

    fn in_columns(&self) -> bool {
        self.templates.last() == Some(&OpenTemplate::Columns)
    }

    /// Updates the context with a start tag.
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
