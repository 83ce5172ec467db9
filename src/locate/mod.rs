//! The second stage of the walk: from a token to its place.
//!
//! This stage tracks all that is open around a token: the part of the page for a person who reads
//! it (`content`), its block (`blocks`), the regions (`regions`), and the marked elements
//! (`containment`). The verdict of the regions is made here, since it is the same from one region
//! mark to the next. The effect of the elements is judged in `judge`. This folder parses no
//! directives.

mod block_kind;
mod blocks;
mod containment;
mod content;
mod frames;
mod gap;
mod regions;

use std::sync::Arc;

use crate::convention::comment::RegionMark;
use crate::extract::{OpenedRegion, StatementSource};
use crate::html::{self, Tag};
use crate::ledger::{Ledger, VerdictId};
use crate::lex::{Token, TokenKind};
use crate::note::NoteKind;
use crate::policy::DirectiveId;
use crate::scope::PassTerms;
use crate::tree::{ChainId, MarkId, MarkIds, MovedMarks, TreeAnswer};
use heedful_base::bot::BotSet;
use heedful_base::error::Result;

pub(crate) use block_kind::BlockContext;
pub use block_kind::BlockKind;
use blocks::BlockTracker;
use containment::Containment;
use content::PartTracker;
pub use content::{Field, TextRole};
pub(crate) use gap::Gap;
use regions::{MarkContext, Regions};

/// The regions and the marked elements (elements with directives) around a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TokenScope {
    /// ID of the verdict of the regions around the token.
    pub(crate) regions: VerdictId,
    pub(crate) chain: ChainId,
    /// True if the token is in the title or is a META description. Inclusive denials do not apply
    /// to the token. An *inclusive denial* denies all content outside of the regions or elements
    /// that allow a use.
    pub(crate) is_apart: bool,
}

/// Effect of a token on the open regions. A comment, for example, may open or close regions.
#[derive(Debug, Default)]
pub(crate) struct RegionEffect {
    /// ID of the verdict of the regions around the token. A token that opens or closes a region is
    /// outside of this region.
    pub(crate) regions: VerdictId,
    /// Bots for which a phrase ends at the token.
    pub(crate) breaks: BotSet,
    pub(crate) is_mark: bool,
    /// Region that the token has opened and not closed again, if any.
    pub(crate) opened: OpenedRegion,
}

/// Comparison of the marked elements (elements with directives) around two tokens.
#[derive(Debug, Default)]
pub(crate) struct Transition {
    /// Elements around the first token only, innermost first.
    pub(crate) ended: MarkIds,
    /// Elements around the second token only, innermost first.
    pub(crate) begun: MarkIds,
    /// Elements around both tokens, innermost first.
    pub(crate) around: MarkIds,
}

/// Second stage of the walk over a page's tokens. The stage finds the block, the regions and the
/// marked elements (elements with directives) around each token.
#[derive(Debug)]
pub(crate) struct Locator {
    terms: Arc<PassTerms>,
    content: PartTracker,
    blocks: BlockTracker,
    regions: Regions,
    containment: Containment,
    /// Chain of the marks (IDs of elements with directives) around the last token.
    chain: ChainId,
    /// Chain of the marks (IDs of elements with directives) around the last text.
    text_chain: ChainId,
}

impl Locator {
    pub(crate) fn new(terms: Arc<PassTerms>) -> Self {
        Self {
            content: PartTracker::default(),
            blocks: BlockTracker::default(),
            regions: Regions::default(),
            containment: Containment::default(),
            chain: ChainId::default(),
            text_chain: ChainId::default(),
            terms,
        }
    }

    /// Updates the tracked elements with a token. Returns the part of the page and the block to
    /// which the token belongs.
    #[inline]
    pub(crate) fn text_role(&mut self, token: &Token<'_>, ledger: &mut Ledger) -> Result<TextRole> {
        let makes_root = self.content.asks_for_root(token) && self.begin_root(token, ledger)?;
        let mut role = self.content.update(token, makes_root);
        if !role.in_template && !role.is_dropped {
            role.gap = self.blocks.update(token);
        }
        role.block = self.blocks.context();
        Ok(role)
    }

    /// Adds a shadow root for the start tag of a `template`. Returns false if the element around
    /// the template may not have a shadow root. Also returns false, and adds a note, if the page's
    /// tree was given up. Then the content of the template is not read.
    #[cold]
    fn begin_root(&mut self, token: &Token<'_>, ledger: &mut Ledger) -> Result<bool> {
        let is_root = self.containment.begin_root(&self.terms.limits)?;
        if self.containment.is_lost() {
            let message = "browsers may differ on where this template is: its content is not read";
            ledger.note_for_all(NoteKind::OutOfOrder, None, Some(token.place()), message);
        }
        Ok(is_root)
    }

    /// True once the head of the page is closed.
    pub(crate) fn is_head_closed(&self) -> bool {
        self.content.is_head_closed()
    }

    /// Returns the place of a tag with regard to templates and frames. This place decides which
    /// content the tag's directives may address.
    pub(crate) fn statement_source(&self, token: &Token<'_>) -> StatementSource {
        if self.content.in_template() || self.content.ignores(token) {
            StatementSource::Inert
        } else if self.content.in_any_template() {
            StatementSource::Shadow
        } else {
            StatementSource::Page
        }
    }

    /// Returns the ID of the verdict of all open regions together.
    pub(crate) fn region_verdict(&self) -> VerdictId {
        self.regions.verdict()
    }

    /// Returns the effect of a token that neither opens nor closes a region. This effect has only
    /// the verdict of the open regions.
    pub(crate) fn unmarked(&self) -> RegionEffect {
        RegionEffect {
            regions: self.regions.verdict(),
            ..RegionEffect::default()
        }
    }

    /// True if a new token has the same marked elements (elements with directives) around it as the
    /// last token and the last text. The caller can then reuse a known verdict. `chain` stands for
    /// the marked elements around the new token. False if the tree has recorded moves of content
    /// that [`Locator::take_moved_marks`] has not returned yet.
    pub(crate) fn is_still(&self, chain: ChainId) -> bool {
        self.chain == chain && self.text_chain == chain && !self.containment.has_moved_marks()
    }

    /// True if `mark` is a closing mark that has no effect, since no region that it could close is
    /// open.
    pub(crate) fn is_idle(&self, mark: &RegionMark) -> bool {
        self.regions.is_idle(mark)
    }

    /// Opens and closes regions by the region marks that were found in a token.
    pub(crate) fn apply_marks(
        &mut self,
        token: &Token<'_>,
        marks: Vec<RegionMark>,
        ledger: &mut Ledger,
    ) -> Result<RegionEffect> {
        if marks.is_empty() {
            return Ok(self.unmarked());
        }
        let before = self.regions.verdict();
        let open = self.regions.len();
        let mut context = MarkContext {
            token,
            terms: &self.terms,
            ledger,
        };
        let mut breaks = BotSet::NONE;
        for mark in marks {
            breaks = breaks.or(self.regions.apply(mark, &mut context)?);
        }
        Ok(RegionEffect {
            regions: if self.regions.len() < open {
                self.regions.verdict()
            } else {
                before
            },
            breaks,
            is_mark: self.regions.len() != open,
            opened: self.regions.opened_at(token.place()),
        })
    }

    /// Updates the tree with a token. `mark` is the ID of the element that a start tag makes. It is
    /// `None` if this element has no directives, or if the token is no start tag.
    pub(crate) fn token(&mut self, token: &Token<'_>, mark: Option<MarkId>) -> Result<TreeAnswer> {
        self.containment.token(token, mark, &self.terms.limits)
    }

    /// Stores the chain of the next token. Returns the marked elements (elements with directives)
    /// that ended and began since the last token.
    pub(crate) fn move_to(&mut self, chain: ChainId) -> Transition {
        let before = std::mem::replace(&mut self.chain, chain);
        self.transition(before, chain)
    }

    /// Returns the marked elements that ended and began between the last text and this token. Empty
    /// if the token cannot end a phrase.
    pub(crate) fn transition_since_text(
        &mut self,
        token: &Token<'_>,
        field: Field,
        chain: ChainId,
    ) -> Transition {
        let before = match token.kind() {
            // Text in a template is not read, but a marked template or script ends a phrase.
            TokenKind::Text if field == Field::Nowhere => return Transition::default(),
            TokenKind::Start if self.content.in_template() && token.name() != "template" => {
                return Transition::default();
            }
            TokenKind::Text => std::mem::replace(&mut self.text_chain, chain),
            TokenKind::Start => self.text_chain,
            _ => return Transition::default(),
        };
        let transition = self.transition(before, chain);
        // The text after this tag reports the elements that the tag ends.
        if token.kind() == TokenKind::Start {
            Transition {
                ended: MarkIds::new(),
                ..transition
            }
        } else {
            transition
        }
    }

    fn transition(&self, before: ChainId, now: ChainId) -> Transition {
        if before == now {
            return Transition::default();
        }
        let mut ended = self.marks(before);
        let mut begun = self.marks(now);
        let same = ended
            .iter()
            .rev()
            .zip(begun.iter().rev())
            .take_while(|(ended, begun)| ended == begun)
            .count();
        let around = begun.drain(begun.len() - same..).collect();
        ended.truncate(ended.len() - same);
        Transition {
            ended,
            begun,
            around,
        }
    }

    /// Returns the marks (IDs of elements with directives) in a chain, innermost first.
    pub(crate) fn marks(&self, chain: ChainId) -> MarkIds {
        self.containment.marks(chain)
    }

    /// Returns the records of moves by the tree builder, and clears them. A move takes content that
    /// was read before into or out of an element with directives.
    pub(crate) fn take_moved_marks(&mut self) -> Vec<MovedMarks> {
        self.containment.take_moved_marks()
    }

    /// Returns the denial of all content before the page's first switch, if this switch allows
    /// content. A *switch* is a comment that allows or denies content up to the next switch. The
    /// pair has the directive of the denial, and the ID of the first verdict after the switch.
    /// Content before the switch has verdicts with lower IDs. Returns `None` if the page has no
    /// switch, or if the first switch denies content.
    pub(crate) fn inclusive_denial(&self) -> Option<(DirectiveId, VerdictId)> {
        self.regions.inclusive_denial()
    }

    pub(crate) fn note_unclosed(&self, ledger: &mut Ledger) {
        self.regions.note_unclosed(ledger);
    }
}

impl Transition {
    /// Returns the number of marked elements around the two tokens. An element around both tokens
    /// counts twice. The caller counts this number as work (limit `work`).
    pub(crate) fn steps(&self) -> usize {
        self.ended.len() + self.begun.len() + 2 * self.around.len()
    }

    pub(crate) fn is_none(&self) -> bool {
        self.ended.is_empty() && self.begun.is_empty()
    }
}

/// True if a token is in the title or is a META description. Some marks allow the content in them
/// and deny the rest of the body. Such a denial does not apply to the title or the description.
#[inline]
pub(crate) fn is_apart(token: &Token<'_>, role: TextRole) -> bool {
    role.field == Field::Title || token.tag() == Tag::META && is_description(token)
}

fn is_description(token: &Token<'_>) -> bool {
    html::is_description(token.name(), |name| token.attribute(name))
}
