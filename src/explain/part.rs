//! Parts of a page's source, each of one kind and under one verdict.

use std::ops::Range;

use crate::ledger::VerdictId;

/// Byte range of the page's source in which all tokens have the same kind and the same verdict.
///
/// ```
/// use heedful::{Bot, Filter, PartKind};
///
/// let mut pass = Filter::new(Bot::new("FooBot")?).explain("https://example.com/")?;
/// pass.write(b"<p>Dark bread<!-- note -->")?;
/// let explanation = pass.end()?;
/// let texts = explanation.parts().iter().filter(|part| part.kind() == PartKind::Text);
/// let texts: Vec<_> = texts.map(|part| &explanation.source()[part.range()]).collect();
/// assert_eq!(texts, ["Dark bread"]);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePart {
    pub(super) range: Range<usize>,
    pub(super) kind: PartKind,
    pub(super) verdict: VerdictId,
}

impl SourcePart {
    /// Returns the range of the part, as byte offsets in the decoded page.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Returns the kind of the part, such as visible text or a tag.
    pub fn kind(&self) -> PartKind {
        self.kind
    }

    /// Returns the number by which the pass identifies the part's verdict. Parts with the same
    /// number have the same denials.
    pub fn verdict(&self) -> VerdictId {
        self.verdict
    }
}

/// Kind of a part of a page's source. Text has two kinds: text that a person sees in a browser, and
/// text that no person sees. All other kinds are markup.
///
/// ```
/// use heedful::{Bot, Filter, PartKind};
///
/// let mut pass = Filter::new(Bot::new("FooBot")?).explain("https://example.com/")?;
/// pass.write(b"<script>bake()</script><p>Dark bread")?;
/// let kinds: Vec<_> = pass.end()?.parts().iter().map(|part| match part.kind() {
///     PartKind::Text => "read",
///     PartKind::Inert => "not read",
///     PartKind::Tag | PartKind::Comment | PartKind::Other => "markup",
/// }).collect();
/// assert_eq!(kinds, ["markup", "not read", "markup", "read"]);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PartKind {
    /// Text that a person sees: body text, the title or an alternative text.
    Text,
    /// Text that no person sees in a browser. Such text is in scripts, styles, templates and second
    /// titles. It is also in elements such as `noscript` and `noframes`, which a browser shows only
    /// without scripts or frames.
    Inert,
    /// A start tag or an end tag.
    Tag,
    /// A comment, or markup that HTML treats as a comment.
    Comment,
    /// A doctype, or bytes that HTML ignores.
    Other,
}
