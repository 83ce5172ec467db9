//! The record of one page while it is read: directives, the reach of each, verdicts, notes.
//!
//! The ledger is append only: an entry keeps its number. The stages extract, locate and judge each
//! write their own kind of entry. Explanations are read from the ledger. It decides nothing, and
//! knows neither tokens nor elements. [`PageEnd`] is the finished ledger.

mod page_end;

use std::sync::OnceLock;
use std::time::SystemTime;

use url::Url;

use crate::note::{Note, NoteKind, Notes};
use crate::place::Place;
use crate::policy::{Directive, DirectiveId, Extent, Origin, StatementContent, Use, Uses, Verdict};
use heedful_base::address;
use heedful_base::bot::BotSet;
use heedful_base::error::{Error, Result};
use heedful_base::limits::{Limits, size};

#[cfg(debug_assertions)]
pub use page_end::looks;
use page_end::{EndFacts, LedgerEntry};
pub(crate) use page_end::{Lift, Verdicts};
pub use page_end::{PageEnd, VerdictId};

/// End of a directive's reach while the true end is not known. The reach is the byte range of the
/// page to which the directive applies.
const OPEN: u64 = u64::MAX;

/// Record of one page while the page is read. It has the directives, their reach, the verdicts and
/// the notes. The reach of a directive is the byte range to which the directive applies.
#[derive(Debug)]
pub(crate) struct Ledger {
    entries: Vec<LedgerEntry>,
    verdicts: Verdicts,
    notes: Notes,
    whole: PageWide,
    /// All bots of the pass.
    all: BotSet,
    /// Number of bytes of the decoded page that were read so far.
    length: u64,
    page: EndFacts,
    work: Work,
    most_directives: u64,
}

/// Denials so far by directives about the page as a whole.
#[derive(Debug, Default)]
struct PageWide {
    denies: Verdict,
    /// Bots for which a robots.txt disallows the page.
    disallowed_bots: BotSet,
}

/// Number of steps of work on the page so far, and the upper bound for this number.
#[derive(Clone, Copy, Debug)]
struct Work {
    steps: u64,
    most: u64,
}

impl Ledger {
    pub(crate) fn new(limits: &Limits, all: BotSet, url: &Url, now: Option<SystemTime>) -> Self {
        let mut verdicts = Verdicts::default();
        // Verdict 0 withholds nothing: it is `VerdictId::default()`.
        verdicts.push(Verdict::default());
        Self {
            entries: Vec::new(),
            verdicts,
            notes: Notes::new(size(limits.notes)),
            whole: PageWide::default(),
            all,
            length: 0,
            page: EndFacts {
                url: url.clone(),
                base: None,
                now,
            },
            work: Work {
                steps: 0,
                most: limits.work,
            },
            most_directives: limits.directives,
        }
    }

    /// Appends a directive to the ledger, and returns the ID of the directive. The reach of a
    /// directive is the byte range to which the directive applies. For a directive about a part of
    /// the page, the reach is empty at first.
    ///
    /// # Errors
    /// Fails with the limit `directives` if the page has too many directives.
    pub(crate) fn add_directive(&mut self, directive: Directive) -> Result<DirectiveId> {
        if self.entries.len() as u64 >= self.most_directives {
            return Err(Error::limit("directives", self.most_directives));
        }
        let id = DirectiveId::nth(self.entries.len());
        if directive.extent.is_page_wide() {
            self.whole.denies.add(id, &directive);
        }
        if directive.extent == Extent::Site {
            self.whole.disallowed_bots = self.whole.disallowed_bots.or(directive.bots);
        }
        self.entries.push(LedgerEntry {
            directive,
            span: self.length..self.length,
        });
        Ok(id)
    }

    /// Appends a directive that denies the uses `denies` to all bots of the pass.
    pub(crate) fn deny(
        &mut self,
        denies: Uses,
        extent: Extent,
        convention: &'static str,
        origin: Origin,
        text: String,
    ) -> Result<DirectiveId> {
        self.add_directive(Directive {
            says: StatementContent::Deny(denies),
            bots: self.all,
            extent,
            convention,
            origin,
            text,
        })
    }

    pub(crate) fn directive(&self, id: DirectiveId) -> &Directive {
        &self.entries[id.index()].directive
    }

    fn entry(&mut self, id: DirectiveId) -> &mut LedgerEntry {
        &mut self.entries[id.index()]
    }

    pub(crate) fn directives(&self) -> impl Iterator<Item = &Directive> {
        self.entries.iter().map(|entry| &entry.directive)
    }

    /// Sets the bots that a directive addresses. They may change when the page declares more names
    /// of bots.
    pub(crate) fn set_bots(&mut self, id: DirectiveId, bots: BotSet) {
        self.entry(id).directive.bots = bots;
    }

    /// Returns all bots of the pass.
    pub(crate) fn bots(&self) -> BotSet {
        self.all
    }

    /// Returns the denials for the page as a whole, by the directives so far.
    pub(crate) fn page_verdict(&self) -> &Verdict {
        &self.whole.denies
    }

    /// Returns the bots for which a robots.txt disallows the page.
    pub(crate) fn disallowed_bots(&self) -> BotSet {
        self.whole.disallowed_bots
    }

    /// Appends a verdict to the ledger, and returns the ID of the verdict.
    pub(crate) fn add_verdict(&mut self, verdict: Verdict) -> VerdictId {
        self.verdicts.push(verdict)
    }

    pub(crate) fn verdict(&self, id: VerdictId) -> &Verdict {
        &self.verdicts[id]
    }

    /// Returns the IDs of all verdicts so far.
    pub(crate) fn verdicts(&self) -> impl Iterator<Item = VerdictId> + Clone + use<> {
        self.verdicts.numbers()
    }

    /// Returns a copy of a verdict with the denials of `directives` added.
    pub(crate) fn extend_verdict(
        &self,
        id: VerdictId,
        directives: impl Iterator<Item = DirectiveId>,
    ) -> Verdict {
        let mut verdict = self.verdict(id).clone();
        for directive in directives {
            verdict.add(directive, self.directive(directive));
        }
        verdict
    }

    /// Adds a denial of `usage` for `bots` to the verdict `id`. `directive` is the directive that
    /// states the denial. A verdict never loses a denial: content that was withheld stays withheld.
    pub(crate) fn tighten(
        &mut self,
        id: VerdictId,
        directive: DirectiveId,
        usage: Use,
        bots: BotSet,
    ) {
        if let Some(verdict) = self.verdicts.get_mut(id) {
            verdict.deny(directive, usage, bots);
        }
    }

    /// Adds all denials of a directive to a verdict.
    pub(crate) fn tighten_all(&mut self, id: VerdictId, directive: DirectiveId) {
        if let Some(verdict) = self.verdicts.get_mut(id) {
            verdict.add(directive, &self.entries[directive.index()].directive);
        }
    }

    /// Adds bots to the recipients of directives. If a directive's denial won for a bot in some
    /// verdict, the directive then addresses this bot. Called at the end of the page.
    pub(crate) fn bind_winners(&mut self) {
        for winner in self.verdicts.iter().flat_map(Verdict::winners) {
            let bots = &mut self.entries[winner.directive.index()].directive.bots;
            *bots = bots.or(winner.bots);
        }
    }

    /// Starts the reach of a directive at the byte offset `at`. The end of the reach is not known
    /// yet.
    pub(crate) fn open(&mut self, id: DirectiveId, at: u64) {
        self.entry(id).span = at..OPEN;
    }

    /// Ends the reach of a directive after the last byte of the page that was read so far.
    pub(crate) fn close(&mut self, id: DirectiveId) {
        self.entry(id).span.end = self.length;
    }

    /// Extends the reach of a directive to the byte offset `at`, unless the reach ends later
    /// already.
    pub(crate) fn extend_reach(&mut self, id: DirectiveId, at: u64) {
        let end = &mut self.entry(id).span.end;
        *end = at.max(*end);
    }

    /// Sets the reach of a directive to all bytes of the page before the byte offset `at`.
    pub(crate) fn set_reach_before(&mut self, id: DirectiveId, at: u64) {
        self.entry(id).span = 0..at;
    }

    /// Sets the number of bytes of the page that were read so far.
    pub(crate) fn set_length(&mut self, end: u64) {
        self.length = end;
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Adds `more` to the number of steps of work on the page.
    pub(crate) fn count_steps(&mut self, more: usize) {
        self.work.steps = self.work.steps.saturating_add(more as u64);
    }

    /// Checks that the work on the page stays within its limit.
    ///
    /// # Errors
    /// Fails with the limit `work` if the page has taken too many steps.
    pub(crate) fn check(&self) -> Result<()> {
        if self.work.steps > self.work.most {
            Err(Error::limit("work", self.work.most))
        } else {
            Ok(())
        }
    }

    /// Appends a note on the page.
    pub(crate) fn note(&mut self, note: Note) {
        self.notes.add(note);
    }

    /// Appends a note on the page that is for all bots of the pass.
    pub(crate) fn note_for_all(
        &mut self,
        kind: NoteKind,
        convention: Option<&'static str>,
        place: Option<Place>,
        message: impl Into<String>,
    ) {
        self.note(Note {
            kind,
            bots: self.all,
            convention,
            place,
            message: message.into(),
            left_out: 0,
        });
    }

    /// Sets the base URL from the `href` of a `base`, unless an earlier `base` has set it. Returns
    /// true if the base URL was set now.
    pub(crate) fn set_base(&mut self, href: &str) -> bool {
        let is_first = self.page.base.is_none();
        if is_first {
            self.page.base = Some(address::base(&self.page.url, href));
        }
        is_first
    }

    /// Returns the base URL of the page, by the tokens read so far.
    pub(crate) fn base(&self) -> &Url {
        self.page.base()
    }

    /// Ends the page and returns its finished record. `lifts` are the denials that allowances
    /// cancelled. `undeclared` is the place of the first HTML class of the Robot Exclusion Profile,
    /// if the page does not declare the profile.
    pub(crate) fn finish(self, lifts: Vec<Lift>, undeclared: Option<Place>) -> PageEnd {
        let Self {
            mut entries,
            verdicts,
            notes,
            all,
            length,
            page,
            ..
        } = self;
        for entry in &mut entries {
            entry.span.end = entry.span.end.min(length);
        }
        PageEnd {
            entries,
            lifts,
            verdicts,
            notes: notes.finish(),
            undeclared,
            all,
            length,
            page,
            denied: OnceLock::new(),
        }
    }
}
