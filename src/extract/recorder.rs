//! Records in the ledger what tokens, headers and files of the site state. Statements become
//! directives, and complaints become notes. Declarations of the Robot Exclusion Profile change
//! which bots statements address, and pointers are resolved to licences.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::convention::{Complaint, Declaration, Recipients, Statement, StatementCollector, rsl};
use crate::ledger::Ledger;
use crate::note::{Note, NoteKind};
use crate::place::Place;
use crate::policy::{Directive, DirectiveId, Extent, Origin, StatementContent};
use crate::scope::{Licence, MarkStatement, PassTerms, Profile};
use heedful_base::error::{Error, Result};

use super::site::PageSite;
use super::words::{shortened, shortened_copy};

/// Directives of a token that are about itself or its content, not about the whole page.
#[derive(Debug, Default)]
pub(crate) struct ExtractedStatements {
    /// Directives about the token alone, each with the bots that it addresses.
    pub(crate) node: Vec<(DirectiveId, Recipients)>,
    /// Statements about the content of the token's element.
    pub(crate) content: Vec<MarkStatement>,
    /// True if a declaration of the token may have changed the bots that statements address.
    pub(crate) is_about_names: bool,
}

impl ExtractedStatements {
    pub(super) fn append(&mut self, other: Self) {
        self.node.extend(other.node);
        self.content.extend(other.content);
        self.is_about_names |= other.is_about_names;
    }
}

/// Texts that directives of one token quote from this token. Each convention has its own text,
/// since each convention reads other attributes of the token. A text is made when it is first
/// needed.
struct OpenTexts<F> {
    quote: F,
    known: SmallVec<[(&'static str, String); 1]>,
}

impl<F: Fn(&str) -> String> OpenTexts<F> {
    fn text(&mut self, convention: &'static str) -> String {
        if let Some((_, text)) = self.known.iter().find(|(known, _)| *known == convention) {
            return text.clone();
        }
        let text = shortened((self.quote)(convention));
        self.known.push((convention, text.clone()));
        text
    }
}

/// Convention and directive of the region that a tag has opened. `None` if it has opened no region.
pub(crate) type OpenedRegion = Option<(&'static str, DirectiveId)>;

/// Records the statements about one page in its ledger.
#[derive(Debug)]
pub(super) struct StatementRecorder {
    pub(super) terms: Arc<PassTerms>,
    pub(super) profile: Profile,
    pub(super) site: PageSite,
    /// Number of declarations that changed the state of the Robot Exclusion Profile. It may not
    /// exceed the limit `statements`.
    declared: usize,
}

impl StatementRecorder {
    pub(super) fn new(terms: Arc<PassTerms>, site: PageSite) -> Self {
        Self {
            profile: Profile::new(&terms.bots, &terms.conventions),
            site,
            declared: 0,
            terms,
        }
    }

    /// Records the statements that `collector` holds. `text` takes the name of a convention, and
    /// returns the source text to quote in its directives.
    pub(super) fn record(
        &mut self,
        collector: StatementCollector<'_>,
        origin: Origin,
        text: impl Fn(&str) -> String,
        ledger: &mut Ledger,
    ) -> Result<ExtractedStatements> {
        self.record_tag(collector, origin, text, None, ledger)
    }

    /// Records the statements of a tag, like [`Self::record`]. `collector` has the statements. If
    /// the tag has opened a region, `opened` has the region's convention and directive. Statements
    /// of this convention then share this directive, and get no directives of their own.
    pub(super) fn record_tag(
        &mut self,
        collector: StatementCollector<'_>,
        origin: Origin,
        text: impl Fn(&str) -> String,
        opened: OpenedRegion,
        ledger: &mut Ledger,
    ) -> Result<ExtractedStatements> {
        if collector.has_too_many() {
            return Err(Error::limit("statements", self.terms.limits.statements));
        }
        let place = origin.place();
        let mut extracted = ExtractedStatements::default();
        let mut texts = OpenTexts {
            quote: text,
            known: SmallVec::new(),
        };
        for statement in &collector.statements {
            if let Some((convention, id)) = opened
                && convention == statement.convention
            {
                extracted.content.push(MarkStatement::new(id, statement));
                continue;
            }
            let text = texts.text(statement.convention);
            let id = self.record_statement(statement, origin, text, ledger)?;
            match statement.extent {
                Extent::Subtree => extracted.content.push(MarkStatement::new(id, statement)),
                extent if extent.is_page_wide() => {}
                _ => extracted.node.push((id, statement.recipients)),
            }
        }
        for rule in collector.matched_rules {
            self.terms.own_rule_hits.set(rule);
        }
        for address in collector.pointers {
            let extent = if place.is_some() {
                Extent::Page
            } else {
                Extent::Response
            };
            self.record_licence_at(
                &address,
                (origin, extent),
                &texts.text(rsl::CONVENTION),
                ledger,
            )?;
        }
        extracted.is_about_names =
            self.apply_declarations(collector.declarations, place, ledger)?;
        note_complaints(collector.complaints, place, ledger);
        Ok(extracted)
    }

    /// Records a statement as a directive for the bots that the statement addresses. A statement
    /// may address a bot by a number, as `robot1-noindex` does. The names that the page declared so
    /// far then decide which bots have this number.
    fn record_statement(
        &mut self,
        statement: &Statement,
        origin: Origin,
        text: String,
        ledger: &mut Ledger,
    ) -> Result<DirectiveId> {
        let recipients = statement.recipients;
        let denies = matches!(statement.says, StatementContent::Deny(_));
        let id = ledger.add_directive(Directive {
            says: statement.says,
            bots: self.profile.bots(recipients, denies),
            extent: statement.extent,
            convention: statement.convention,
            origin,
            text,
        })?;
        if statement.extent == Extent::Subtree {
            let place = origin.place().unwrap_or_default();
            self.profile.record_use(recipients, denies, place);
        }
        Ok(id)
    }

    /// Applies declarations about the Robot Exclusion Profile. Returns true if a declaration was
    /// new and changed what is known about the page's use of the profile.
    ///
    /// # Errors
    /// Fails with the limit `statements` if the page has too many declarations.
    fn apply_declarations(
        &mut self,
        declarations: Vec<Declaration>,
        place: Option<Place>,
        ledger: &Ledger,
    ) -> Result<bool> {
        let PassTerms {
            bots,
            profile,
            limits,
            ..
        } = &*self.terms;
        let place = place.unwrap_or_default();
        let mut has_changed = false;
        for declaration in declarations {
            if self
                .profile
                .declare(declaration, bots, profile, ledger.base(), place)
            {
                self.declared += 1;
                has_changed = true;
            }
            if self.declared as u64 > limits.statements {
                return Err(Error::limit("statements", limits.statements));
            }
        }
        Ok(has_changed)
    }

    /// Records the denials of the licence at `address`. If the licence was not fetched, it denies
    /// nothing and a note says that it is absent.
    pub(super) fn record_licence_at(
        &mut self,
        address: &str,
        (origin, extent): (Origin, Extent),
        text: &str,
        ledger: &mut Ledger,
    ) -> Result<()> {
        let (url, licence) = self.terms.licences.resolve(ledger.base(), address);
        let most = self.terms.limits.statements;
        match self.site.add_licence(&url) {
            0 => return Ok(()),
            named if named > most => return Err(Error::limit("statements", most)),
            _ => {}
        }
        let licence = licence.unwrap_or_else(|| Licence::absent("was not read"));
        self.record_licence(
            &format!("at {url}"),
            &licence,
            (origin, extent),
            text,
            ledger,
        )
    }

    /// Records the denials of a licence for this page, and a note if the licence could not be read.
    /// `place` tells in the note where the licence is, for example `at URL`.
    pub(super) fn record_licence(
        &self,
        place: &str,
        licence: &Licence,
        (origin, extent): (Origin, Extent),
        text: &str,
        ledger: &mut Ledger,
    ) -> Result<()> {
        if let Some(reason) = licence.trouble() {
            let message = format!("the RSL licence {place}: {reason}");
            ledger.note_for_all(
                NoteKind::Terms,
                Some(rsl::CONVENTION),
                origin.place(),
                message,
            );
        }
        let denies = self.site.denied_by(licence);
        if !denies.is_empty() {
            ledger.deny(
                denies,
                extent,
                rsl::CONVENTION,
                origin,
                shortened_copy(text),
            )?;
        }
        Ok(())
    }
}

/// Adds a note for each complaint about a token.
fn note_complaints(complaints: Vec<Complaint>, place: Option<Place>, ledger: &mut Ledger) {
    for Complaint {
        kind,
        bots,
        convention,
        message,
    } in complaints
    {
        ledger.note(Note {
            kind,
            bots,
            convention: Some(convention),
            place,
            message,
            left_out: 0,
        });
    }
}
