//! What the policies of a page depend on in its parts: the verdicts under which it has words, and
//! those under which it has anything. No text and no link is kept.

use crate::ledger::{PageEnd, VerdictId};
use crate::lex::TokenKind;
use crate::locate::Field;
use crate::walk::Judged;
use heedful_base::error::{Error, Result};
use heedful_base::limits::{Limits, size};

use super::audit::AuditSink;
use super::links::LinkTarget;
use super::receiver::Sink;

/// The verdicts of one page's parts.
#[derive(Debug)]
#[doc(hidden)]
pub struct VerdictSink {
    /// The verdicts of the body's words, each once in a row.
    words: Vec<VerdictId>,
    pub(crate) audit: AuditSink,
    links: usize,
    most_links: usize,
    /// The page may have too many links.
    counts_links: bool,
    /// Room for decoded text.
    room: String,
}

impl VerdictSink {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            words: Vec::new(),
            audit: AuditSink::new(size(limits.exclusions)),
            links: 0,
            most_links: size(limits.links),
            counts_links: true,
            room: String::new(),
        }
    }

    pub(crate) fn words(&self) -> impl Iterator<Item = VerdictId> {
        self.words.iter().copied()
    }

    /// Expects a page of so many bytes: a link takes eight at least (`<a href>`).
    pub(crate) fn expect(&mut self, length: usize) {
        self.counts_links = length / 8 > self.most_links;
    }

    /// Counts links, since a page with too many is an error.
    fn link(&mut self, judged: &Judged<'_>) -> Result<()> {
        self.links += usize::from(LinkTarget::kind_and_address(judged).is_some());
        if self.links > self.most_links {
            Err(Error::limit("links", self.most_links as u64))
        } else {
            Ok(())
        }
    }
}

impl Sink for VerdictSink {
    #[inline]
    fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
        let token = judged.token();
        match token.kind() {
            TokenKind::Start if self.counts_links => self.link(judged)?,
            TokenKind::Text if judged.field() == Field::Body && !token.is_blank() => {
                let is_new = self.words.last() != Some(&judged.id());
                if is_new
                    && token
                        .text_in(&mut self.room)
                        .contains(|sign: char| !sign.is_whitespace())
                {
                    self.words.push(judged.id());
                }
            }
            _ => {}
        }
        self.audit.token(judged)
    }

    fn finish(&mut self, outcome: &PageEnd) -> Result<()> {
        self.audit.finish(outcome)
    }
}
