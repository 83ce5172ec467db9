//! The record of one page while it goes by: directives, how far each reaches, verdicts, notes.
//!
//! It is append only: an entry keeps its number and its place. Reading, locating and judging write
//! here, each its own part. The explanation of a decision is read from here. The ledger decides
//! nothing, and knows neither tokens nor elements. [`PageEnd`] is the finished ledger.

mod page_end;

use std::sync::OnceLock;
use std::time::SystemTime;

use url::Url;

use crate::note::{Note, NoteKind, Notes};
use crate::place::Place;
use crate::policy::{Directive, DirectiveId, Extent, Origin, Says, Use, Uses, Verdict};
use heedful_base::address;
use heedful_base::bot::BotSet;
use heedful_base::error::{Error, Result};
use heedful_base::limits::{Limits, size};

#[cfg(debug_assertions)]
pub use page_end::looks;
use page_end::{EndFacts, LedgerEntry};
pub(crate) use page_end::{Lift, Verdicts};
pub use page_end::{PageEnd, VerdictId};

/// The end of a span that is still open.
const OPEN: u64 = u64::MAX;

/// The ledger of one page.
#[derive(Debug)]
pub(crate) struct Ledger {
    entries: Vec<LedgerEntry>,
    verdicts: Verdicts,
    notes: Notes,
    whole: PageWide,
    /// All bots of the pass.
    all: BotSet,
    /// The number of bytes of the page so far.
    length: u64,
    page: EndFacts,
    work: Work,
    most_directives: u64,
}

/// The directives about the page as a whole, so far.
#[derive(Debug, Default)]
struct PageWide {
    denies: Verdict,
    /// The bots that may not enter.
    shut: BotSet,
}

/// The steps so far, and the limit for them.
#[derive(Clone, Copy, Debug)]
struct Work {
    steps: u64,
    most: u64,
}

impl Ledger {
    pub(crate) fn new(limits: &Limits, all: BotSet, url: &Url, now: Option<SystemTime>) -> Self {
        let mut verdicts = Verdicts::default();
        // The first verdict withholds nothing.
        verdicts.keep(Verdict::default());
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

    /// Writes down a directive. A directive about a part of the page has no reach so far.
    pub(crate) fn add_directive(&mut self, directive: Directive) -> Result<DirectiveId> {
        if self.entries.len() as u64 >= self.most_directives {
            return Err(Error::limit("directives", self.most_directives));
        }
        let id = DirectiveId::nth(self.entries.len());
        if directive.extent.is_ceiling() {
            self.whole.denies.add(id, &directive);
        }
        if directive.extent == Extent::Site {
            self.whole.shut = self.whole.shut.or(directive.bots);
        }
        self.entries.push(LedgerEntry {
            directive,
            span: self.length..self.length,
        });
        Ok(id)
    }

    /// Writes down a denial of these uses to all bots.
    pub(crate) fn deny(
        &mut self,
        denies: Uses,
        extent: Extent,
        convention: &'static str,
        origin: Origin,
        text: String,
    ) -> Result<DirectiveId> {
        self.add_directive(Directive {
            says: Says::Deny(denies),
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

    /// Changes the bots of a directive, when more is known.
    pub(crate) fn bind(&mut self, id: DirectiveId, bots: BotSet) {
        self.entry(id).directive.bots = bots;
    }

    /// All bots of the pass.
    pub(crate) fn bots(&self) -> BotSet {
        self.all
    }

    /// The verdict for the whole page so far.
    pub(crate) fn ceiling(&self) -> &Verdict {
        &self.whole.denies
    }

    /// The bots that may not enter.
    pub(crate) fn shut(&self) -> BotSet {
        self.whole.shut
    }

    /// Stores a verdict.
    pub(crate) fn keep(&mut self, verdict: Verdict) -> VerdictId {
        self.verdicts.keep(verdict)
    }

    pub(crate) fn verdict(&self, id: VerdictId) -> &Verdict {
        &self.verdicts[id]
    }

    /// The numbers of all verdicts.
    pub(crate) fn verdicts(&self) -> impl Iterator<Item = VerdictId> + Clone + use<> {
        self.verdicts.numbers()
    }

    /// A verdict with the denials of these directives added.
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

    /// Makes a verdict stricter. It never becomes less strict: content that was withheld stays
    /// withheld.
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

    /// Makes a verdict stricter by all denials of a directive.
    pub(crate) fn tighten_all(&mut self, id: VerdictId, directive: DirectiveId) {
        if let Some(verdict) = self.verdicts.get_mut(id) {
            verdict.add(directive, &self.entries[directive.index()].directive);
        }
    }

    /// Sets, at the end of the page, which bots each directive binds: adds those in whose verdict
    /// it was the denial that won. Bots that it bound already when it was read are kept.
    pub(crate) fn bind_winners(&mut self) {
        for winner in self.verdicts.iter().flat_map(Verdict::winners) {
            let bots = &mut self.entries[winner.directive.index()].directive.bots;
            *bots = bots.or(winner.bots);
        }
    }

    /// Begins the reach of a directive here.
    pub(crate) fn open(&mut self, id: DirectiveId, at: u64) {
        self.entry(id).span = at..OPEN;
    }

    /// Ends the reach of a directive at the present place of the page.
    pub(crate) fn close(&mut self, id: DirectiveId) {
        self.entry(id).span.end = self.length;
    }

    /// Extends the reach of a directive to this place, at least.
    pub(crate) fn extend_reach(&mut self, id: DirectiveId, at: u64) {
        let end = &mut self.entry(id).span.end;
        *end = at.max(*end);
    }

    /// Sets the reach of a directive to everything before this place.
    pub(crate) fn set_reach_before(&mut self, id: DirectiveId, at: u64) {
        self.entry(id).span = 0..at;
    }

    /// Sets the length of the page so far.
    pub(crate) fn set_length(&mut self, end: u64) {
        self.length = end;
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Counts so many more steps.
    pub(crate) fn count_steps(&mut self, more: usize) {
        self.work.steps = self.work.steps.saturating_add(more as u64);
    }

    /// Fails if the page has taken too many steps.
    pub(crate) fn check(&self) -> Result<()> {
        if self.work.steps > self.work.most {
            Err(Error::limit("work", self.work.most))
        } else {
            Ok(())
        }
    }

    /// Adds a note.
    pub(crate) fn note(&mut self, note: Note) {
        self.notes.add(note);
    }

    /// Adds a note for all bots.
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

    /// Takes the `href` of a `base` of the page. Only the first counts: returns true if this is it.
    pub(crate) fn set_base(&mut self, href: &str) -> bool {
        let is_first = self.page.base.is_none();
        if is_first {
            self.page.base = Some(address::base(&self.page.url, href));
        }
        is_first
    }

    /// The base of the page's addresses so far.
    pub(crate) fn base(&self) -> &Url {
        self.page.base()
    }

    /// The page is over.
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
