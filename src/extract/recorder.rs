//! Writes down the results of hearing. Statements become directives, and complaints become notes.
//! Declarations of the profile change whom statements are for, and pointers lead to licences.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::convention::{Complaint, StatementCollector, Whom, rsl};
use crate::ledger::Ledger;
use crate::note::{Note, NoteKind};
use crate::policy::{Directive, DirectiveId, Extent, Origin, Says};
use crate::scope::{Licence, MarkStatement, PassTerms, Profile};
use heedful_base::error::{Error, Result};

use super::site::PageSite;
use super::words::{cut, shortened};

/// The directives of a token that are not about the whole page.
#[derive(Debug, Default)]
pub(crate) struct ExtractedStatements {
    /// Directives about the token alone.
    pub(crate) node: Vec<(DirectiveId, Whom)>,
    /// Statements about its content.
    pub(crate) content: Vec<MarkStatement>,
    /// A declaration may have changed whom statements are for.
    pub(crate) is_about_names: bool,
}

impl ExtractedStatements {
    pub(super) fn and(&mut self, other: Self) {
        self.node.extend(other.node);
        self.content.extend(other.content);
        self.is_about_names |= other.is_about_names;
    }
}

/// The texts of a token, as each convention quotes it.
struct OpenTexts<F> {
    of: F,
    known: SmallVec<[(&'static str, String); 1]>,
}

impl<F: Fn(&str) -> String> OpenTexts<F> {
    fn of(&mut self, convention: &'static str) -> String {
        if let Some((_, text)) = self.known.iter().find(|(known, _)| *known == convention) {
            return text.clone();
        }
        let text = shortened((self.of)(convention));
        self.known.push((convention, text.clone()));
        text
    }
}

/// The region that a tag has opened: its convention and its directive.
pub(crate) type OpenedRegion = Option<(&'static str, DirectiveId)>;

/// The scribe of one page.
#[derive(Debug)]
pub(super) struct StatementRecorder {
    pub(super) terms: Arc<PassTerms>,
    pub(super) profile: Profile,
    pub(super) site: PageSite,
    /// The number of new declarations about the profile itself.
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

    /// Writes down the contents of an ear. `text` quotes the words for a convention.
    pub(super) fn take(
        &mut self,
        ear: StatementCollector<'_>,
        origin: Origin,
        text: impl Fn(&str) -> String,
        ledger: &mut Ledger,
    ) -> Result<ExtractedStatements> {
        self.take_of(ear, origin, text, None, ledger)
    }

    /// Writes down the contents of an ear, like [`Self::take`], for a tag that may have opened a
    /// region.
    pub(super) fn take_of(
        &mut self,
        ear: StatementCollector<'_>,
        origin: Origin,
        text: impl Fn(&str) -> String,
        opened: OpenedRegion,
        ledger: &mut Ledger,
    ) -> Result<ExtractedStatements> {
        let place = origin.place();
        let most = self.terms.limits.statements;
        if ear.has_heard_too_much() {
            return Err(Error::limit("statements", most));
        }
        let mut heard = ExtractedStatements::default();
        let mut texts = OpenTexts {
            of: text,
            known: SmallVec::new(),
        };
        for said in ear.heard {
            let denies = matches!(said.says, Says::Deny(_));
            if let Some((_, id)) = opened.filter(|(convention, _)| *convention == said.convention) {
                heard.content.push(MarkStatement::new(id, &said));
                continue;
            }
            let id = ledger.hear(Directive {
                says: said.says,
                bots: self.profile.bots(said.whom, denies),
                extent: said.extent,
                convention: said.convention,
                origin,
                text: texts.of(said.convention),
            })?;
            match said.extent {
                Extent::Subtree => {
                    self.profile
                        .used(said.whom, denies, place.unwrap_or_default());
                    heard.content.push(MarkStatement::new(id, &said));
                }
                extent if extent.is_ceiling() => {}
                _ => heard.node.push((id, said.whom)),
            }
        }
        for rule in ear.met {
            self.terms.own.set(rule);
        }
        for address in ear.pointers {
            let extent = if place.is_some() {
                Extent::Page
            } else {
                Extent::Response
            };
            self.licensed(
                &address,
                (origin, extent),
                &texts.of(rsl::CONVENTION),
                ledger,
            )?;
        }
        for said in ear.declared {
            let PassTerms { bots, profile, .. } = &*self.terms;
            if self.profile.declare(
                said,
                bots,
                profile,
                ledger.base(),
                place.unwrap_or_default(),
            ) {
                self.declared += 1;
                heard.is_about_names = true;
            }
            if self.declared as u64 > most {
                return Err(Error::limit("statements", most));
            }
        }
        for Complaint {
            kind,
            bots,
            convention,
            message,
        } in ear.complaints
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
        Ok(heard)
    }

    /// Takes the denials of the licence at an address, if it is at hand.
    pub(super) fn licensed(
        &mut self,
        address: &str,
        (origin, extent): (Origin, Extent),
        text: &str,
        ledger: &mut Ledger,
    ) -> Result<()> {
        let (url, licence) = self.terms.licences.at(ledger.base(), address);
        let most = self.terms.limits.statements;
        match self.site.names_licence(&url) {
            0 => return Ok(()),
            named if named > most => return Err(Error::limit("statements", most)),
            _ => {}
        }
        let licence = licence.unwrap_or_else(|| Licence::absent("was not read"));
        self.licence(
            &format!("at {url}"),
            &licence,
            (origin, extent),
            text,
            ledger,
        )
    }

    /// Takes the denials of a licence for this page. `place` is its place, for people.
    pub(super) fn licence(
        &self,
        place: &str,
        licence: &Licence,
        (origin, extent): (Origin, Extent),
        text: &str,
        ledger: &mut Ledger,
    ) -> Result<()> {
        if let Some(told) = licence.trouble() {
            let message = format!("the RSL licence {place}: {told}");
            ledger.tell(
                NoteKind::Terms,
                Some(rsl::CONVENTION),
                origin.place(),
                message,
            );
        }
        let denies = self.site.denied_by(licence);
        if !denies.is_empty() {
            ledger.deny(denies, extent, rsl::CONVENTION, origin, cut(text))?;
        }
        Ok(())
    }
}
