//! Where a browser ignores a tag that the tokenizer takes at its word: in `select`, after `frameset`, and in a
//! `template` that began with a column.

/// What stands round the present place, as far as it makes a browser ignore tags.
#[derive(Debug, Default)]
pub(super) struct Context {
    in_select: bool,
    after_frameset: bool,
    /// A table, or a template, began somewhere: their end tags, and tags of their parts, may mean something.
    has_table: bool,
    has_template: bool,
    templates: Vec<Template>,
}

/// What a browser takes the content of an open template for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Template {
    /// Nothing has decided it yet.
    Fresh,
    /// Columns: almost every other tag is ignored.
    Columns,
    Other,
}

impl Context {
    /// Whether a tokenizer that begins here in its first state reads on as one that was there before. Templates do
    /// not count: the tokenizer does not know them.
    pub(super) fn is_initial(&self) -> bool {
        !self.in_select && !self.after_frameset
    }

    /// Nothing that is here is decided by the tags that come.
    #[inline]
    pub(super) fn is_in_no_template(&self) -> bool {
        self.templates.is_empty()
    }

    /// Whether some table may be open.
    pub(super) fn may_be_in_table(&self) -> bool {
        self.has_table || self.has_template
    }

    pub(super) fn in_select(&self) -> bool {
        self.in_select
    }

    /// Whether an element of this name may be ignored here, for good.
    pub(super) fn ignores_foreign(&self) -> bool {
        self.in_columns() || self.after_frameset
    }

    /// Whether an element that holds raw text may be ignored here.
    pub(super) fn may_ignore(&self, name: &str) -> bool {
        self.in_columns()
            || self.in_select && !matches!(name, "script" | "textarea")
            || self.after_frameset && name != "noframes"
    }

    fn in_columns(&self) -> bool {
        self.templates.last() == Some(&Template::Columns)
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
            && *last == Template::Fresh
            && !decides_nothing(name)
        {
            *last = if name == "col" { Template::Columns } else { Template::Other };
        }
        if name == "template" {
            self.templates.push(Template::Fresh);
        }
    }

    pub(super) fn end(&mut self, name: &str) {
        self.in_select &= name != "select";
        if name == "template" {
            self.templates.pop();
        }
    }
}

/// Tags after which a template may still turn out to hold anything.
fn decides_nothing(name: &str) -> bool {
    matches!(
        name,
        "base" | "basefont" | "bgsound" | "link" | "meta" | "noframes" | "script" | "style" | "template" | "title"
    )
}
