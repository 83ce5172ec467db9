//! Finds the tokens of a text that must be read if only the policy of its page is needed.
//!
//! A token without a statement about the page can skip the lexer and the walk. The scanner in `lex`
//! finds the tokens. This file decides which of them must be read, by the same functions of the
//! conventions that later read the tokens. A comment that opens or closes a region is read together
//! with a word after it, since a page whose words are all withheld has no snapshot.
//!
//! The whole page is read in two cases. The first is a page in which a tag has a statement about
//! its element, since only the tree knows the element's content. The second is a page that may
//! exceed a limit, since the error must be the same as without this scan. In doubt this file
//! selects too much.

use std::ops::Range;

use crate::convention;
use crate::html::Tag;
use crate::lex::{self, Keep, ScanResult, Token, TokenSelector};
use crate::policy::Extent;
use crate::scope::{PassTerms, Script};
use heedful_base::limits::size;

use super::noscript;

/// Parts of a page's text that must be read if only the page's policy is needed.
#[derive(Debug)]
pub(crate) struct ScannedParts {
    /// Byte ranges of the parts, in order.
    pub(crate) parts: Vec<Range<usize>>,
    /// True if the `rel` of some link denies following this link, as `nofollow` does.
    pub(crate) has_rel: bool,
}

/// Returns the parts of `text` that must be read, for a page with `directives` directives so far.
/// `None` if all of the text must be read.
pub(super) fn scan(text: &str, terms: &PassTerms, directives: usize) -> Option<ScannedParts> {
    let mut scanner = StatementScanner {
        terms,
        metas: 0,
        nodes: 0,
    };
    let scanned = lex::scan(text, &mut scanner)?;
    let is_within = scanner.is_within_limits(text, &scanned, directives);
    is_within.then_some(ScannedParts {
        parts: scanned.kept.parts,
        has_rel: scanner.nodes > 0,
    })
}

struct StatementScanner<'a> {
    terms: &'a PassTerms,
    metas: usize,
    /// Number of tags whose directives are about the tag alone. An example is the `rel` of a link.
    nodes: usize,
}

impl StatementScanner<'_> {
    /// True if the skipped parts of the page certainly exceed no limit. The selected parts are
    /// checked when they are read.
    fn is_within_limits(&self, text: &str, scanned: &ScanResult, directives: usize) -> bool {
        let limits = &self.terms.limits;
        // A directive takes at least a byte of the kept parts. Outside of them only nodes have
        // directives.
        let kept: usize = scanned.kept.parts.iter().map(ExactSizeIterator::len).sum();
        // Each mark searches the open regions.
        let looks = if scanned.kept.marks > 0 {
            kept.saturating_mul(kept.min(size(limits.regions)))
        } else {
            0
        };
        // The title and each description have a verdict of their own.
        let places = 2 * (self.nodes + self.metas + scanned.kept.marks + 2);
        text.len() <= size(limits.tokens)
            && text.len().saturating_add(looks) <= size(limits.work)
            && scanned.longest <= size(limits.tag_bytes / 4)
            && scanned.attributes <= size(limits.attributes)
            && scanned.starts <= size(limits.links)
            && places <= size(limits.exclusions)
            && directives + kept + self.nodes + places < size(limits.directives)
            && limits.statements > 0
    }

    /// Returns how much of `tag`, a start tag that may hold a statement, must be read.
    #[inline(never)]
    fn read_start_tag(&mut self, tag: &Token<'_>) -> Keep {
        let terms = self.terms;
        let mut content = terms.collector();
        convention::content(tag, &mut content);
        if !content.statements.is_empty()
            || convention::tag(tag, true, &terms.conventions).is_some()
        {
            return Keep::Everything;
        }
        let mut collector = terms.collector();
        convention::element(tag, &mut collector);
        let is_of_node = collector
            .statements
            .iter()
            .all(|statement| statement.extent == Extent::Node);
        match tag.tag() {
            Tag::HTML | Tag::BODY | Tag::BASE => Keep::Token,
            _ if !is_of_node
                || !collector.declarations.is_empty()
                || !collector.pointers.is_empty() =>
            {
                Keep::Token
            }
            _ if collector.statements.is_empty() => Keep::Nothing,
            _ => {
                self.nodes += 1;
                Keep::IfMore
            }
        }
    }
}

impl TokenSelector for StatementScanner<'_> {
    #[inline]
    fn start(&mut self, tag: &Token<'_>) -> Keep {
        self.metas += usize::from(tag.tag() == Tag::META);
        let is_root = matches!(tag.tag(), Tag::HTML | Tag::BODY | Tag::BASE);
        if is_root || convention::may_have_statements(tag, &self.terms.conventions) {
            self.read_start_tag(tag)
        } else {
            Keep::Nothing
        }
    }

    fn raw_text(&mut self, tag: &Token<'_>, text: &str) -> Keep {
        let is_read = match Script::begin(tag, tag.is_foreign(), &self.terms.conventions) {
            Some(script) => script.may_have_statements(text),
            None if tag.name() == "noscript" => {
                noscript::may_have_meta(text, self.terms.limits.noscript_bytes)
            }
            None => false,
        };
        if is_read { Keep::Token } else { Keep::Nothing }
    }

    #[inline]
    fn end(&mut self, tag: &Token<'_>) -> Keep {
        let conventions = &self.terms.conventions;
        let is_mark = convention::may_have_statements(tag, conventions)
            && convention::tag(tag, false, conventions).is_some();
        if is_mark {
            Keep::Everything
        } else {
            Keep::Nothing
        }
    }

    fn comment(&mut self, comment: &Token<'_>) -> Keep {
        let text = comment.text();
        let conventions = &self.terms.conventions;
        let is_mark = convention::may_be_mark(&text, conventions)
            && !convention::comment(&text, conventions).is_empty();
        if is_mark { Keep::Mark } else { Keep::Nothing }
    }
}
