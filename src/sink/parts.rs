//! Records only the verdicts on which the policies of a page depend: the verdicts of its words, and
//! the verdicts of all its tokens. Text and links are not stored.

use crate::ledger::{PageEnd, VerdictId};
use crate::lex::TokenKind;
use crate::locate::Field;
use crate::walk::Judged;
use heedful_base::error::{Error, Result};
use heedful_base::limits::{Limits, size};

use super::audit::AuditSink;
use super::links::LinkTarget;
use super::receiver::Sink;

/// Sink that records the verdicts of one page's tokens, but no text and no links.
#[derive(Debug)]
#[doc(hidden)]
pub struct VerdictSink {
    /// Verdicts of the words of the body text, in order. Equal verdicts of consecutive words are
    /// stored once.
    words: Vec<VerdictId>,
    pub(crate) audit: AuditSink,
    links: usize,
    most_links: usize,
    /// True if the links must be counted. This is so if the page may have more links than the limit
    /// `links` allows.
    counts_links: bool,
    /// Reused buffer for the text of a token, in which character references are decoded.
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

    /// Sets the length of the page in bytes. If a page of this length cannot exceed the limit
    /// `links`, its links are not counted. A link takes at least eight bytes (`<a href>`).
    pub(crate) fn set_page_length(&mut self, length: usize) {
        self.counts_links = length / 8 > self.most_links;
    }

    /// Counts the token as a link if it is a start tag that makes a link.
    ///
    /// # Errors
    /// Returns an error about the limit `links` if the page has too many links.
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
