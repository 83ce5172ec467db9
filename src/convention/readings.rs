//! One parser, two readings: a text as it is written, and as its author may have meant it
//! (docs/semantics.md, section 3.1).
//!
//! Parsers are exact and know nothing of sloppiness. Where a text has lenient forms, its parser
//! runs on these too. Of such a run only denials are kept, so a page never gives more than without
//! it. All else is rolled back, and one note gives the reason. This is the only place that knows if
//! lenient forms are wanted at all.

use std::ops::Range;

use crate::note::NoteKind;
use crate::policy::{Says, Uses};
use heedful_base::bot::BotSet;

use super::collector::{Complaint, Declaration, Recipients, StatementCollector};
use super::mark::RegionMark;
use super::set::Conventions;

/// The lengths of a listener's buffers.
#[derive(Clone, Copy)]
struct Checkpoint {
    heard: usize,
    declared: usize,
    pointers: usize,
    complaints: usize,
}

/// The marks of a comment's exact form, and those of its lenient forms that withhold more. Closes
/// of a lenient form are kept too, for they end only what was opened so. Behind an exact close no
/// lenient mark counts.
pub(super) fn read_marks(
    exact: &str,
    lenient: impl Iterator<Item = String>,
    conventions: &Conventions,
    parse: impl Fn(&str) -> Vec<RegionMark>,
) -> Vec<RegionMark> {
    let mut marks = parse(exact);
    for form in conventions.if_lenient(lenient) {
        if marks.iter().any(RegionMark::closes) {
            break;
        }
        let denied = marks
            .iter()
            .fold(Uses::NONE, |denied, mark| denied.union(mark.denies()));
        let more: Vec<_> = parse(&form)
            .into_iter()
            .filter_map(|mark| mark.into_lenient(denied))
            .collect();
        // Words that are unknown as they are written are those that the lenient form explains.
        if denied.is_empty() && !more.is_empty() {
            marks
                .retain(|mark| !matches!(mark, RegionMark::Open { .. } | RegionMark::Close { .. }));
        }
        marks.extend(more);
    }
    marks
}

impl Conventions {
    /// These lenient forms, if any count.
    fn if_lenient<T>(&self, forms: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
        self.repairs().then_some(forms).into_iter().flatten()
    }
}

impl StatementCollector<'_> {
    /// Runs a parser on the exact form of a text, and then on its lenient forms, of which denials
    /// are kept. `why` says why others do not hear them.
    pub(super) fn read_readings<T>(
        &mut self,
        exact: &T,
        lenient: impl IntoIterator<Item = T>,
        why: &str,
        mut parse: impl FnMut(&T, &mut Self),
    ) {
        let start = self.checkpoint();
        parse(exact, self);
        let mut told = BotSet::NONE;
        for form in self.conventions.if_lenient(lenient) {
            told =
                told.or(self.read_leniently(start, told, why, |collector| parse(&form, collector)));
        }
    }

    /// Notes that a text resembles a statement without being one.
    pub(super) fn suggest(&mut self, convention: &'static str, message: String) {
        if self.conventions.repairs() {
            self.complain(NoteKind::Lookalike, self.bots.all(), convention, message);
        }
    }

    fn checkpoint(&self) -> Checkpoint {
        // There is no `..`: a new buffer has to be named here, and is rolled back with the others.
        let Self {
            bots: _,
            conventions: _,
            profile: _,
            limit: _,
            statements: heard,
            declarations: declared,
            pointers,
            complaints,
            matched_rules: _,
        } = self;
        Checkpoint {
            heard: heard.len(),
            declared: declared.len(),
            pointers: pointers.len(),
            complaints: complaints.len(),
        }
    }

    /// Runs a parser on a lenient form of the text that is read since `start`. Returns the bots to
    /// whom the form says anything new. The reason is noted for those who were not told yet.
    fn read_leniently(
        &mut self,
        start: Checkpoint,
        told: BotSet,
        why: &str,
        parse: impl FnOnce(&mut Self),
    ) -> BotSet {
        let before = self.checkpoint();
        parse(self);
        let complaints = self.complaints.split_off(before.complaints);
        let declarations = self.declarations.split_off(before.declared);
        self.pointers.truncate(before.pointers);
        self.keep_denials_from(before.heard);
        let is_declared = self.declare_denials(start, declarations);
        let convention = self
            .statements
            .get(before.heard)
            .map(|said| said.convention);
        let Some(convention) = convention.or(is_declared.then_some("profile")) else {
            return BotSet::NONE;
        };
        let bots = if is_declared {
            self.bots.all()
        } else {
            self.bots_of(before.heard..self.statements.len())
        };
        self.drop_allowances(start.heard..before.heard);
        let bots = bots.without(told);
        if bots.is_empty() {
            return bots;
        }
        // The words that are unknown as they are written are those that the lenient form explains,
        // to whom it speaks.
        for mut one in self.complaints.split_off(start.complaints) {
            if one.kind != NoteKind::Contradiction {
                one.bots = one.bots.without(bots);
            }
            self.complaints
                .extend((!one.bots.is_empty()).then_some(one));
        }
        for one in complaints.into_iter().filter(Complaint::is_about_words) {
            let bots = one.bots.and(bots);
            self.complaints
                .extend((!bots.is_empty()).then_some(Complaint { bots, ..one }));
        }
        let message = format!("{why}: here it is heard as it denies");
        self.complaints.push(Complaint {
            kind: NoteKind::Lookalike,
            bots,
            convention,
            message,
        });
        bots
    }

    /// Drops those allowances among these statements that later ones deny to the same bots: they
    /// are words of the lenient form, without their beginning (`no index`).
    fn drop_allowances(&mut self, exact: Range<usize>) {
        let later = self.statements.split_off(exact.end);
        for said in &mut self.statements[exact.start..] {
            let (Says::Allow(allowed), Recipients::Bots(bots)) = (said.says, said.recipients)
            else {
                continue;
            };
            let denied = |usage| {
                let denials = later
                    .iter()
                    .filter(|said| matches!(said.says, Says::Deny(uses) if uses.contains(usage)));
                denials.fold(BotSet::NONE, |bots, said| {
                    bots.or(said.recipients.bots().unwrap_or_default())
                })
            };
            let dropped = allowed
                .iter()
                .fold(bots, |bots, usage| bots.and(denied(usage)));
            said.recipients = Recipients::Bots(bots.without(dropped));
        }
        self.statements
            .retain(|said| said.recipients != Recipients::Bots(BotSet::NONE));
        self.statements.extend(later);
    }

    /// Drops the allowances among the statements from this index on.
    fn keep_denials_from(&mut self, from: usize) {
        let mut at = 0;
        self.statements.retain(|said| {
            at += 1;
            at <= from || !matches!(said.says, Says::Allow(_))
        });
    }

    /// Keeps declarations of a lenient form as far as they bring denials. Returns true if there are
    /// any.
    fn declare_denials(&mut self, start: Checkpoint, declarations: Vec<Declaration>) -> bool {
        let mut is_declared = false;
        for said in declarations {
            if self.declarations[start.declared..].contains(&said) {
                continue;
            }
            is_declared = true;
            match said {
                Declaration::Profile | Declaration::MeantProfile => {
                    self.declarations.push(Declaration::MeantProfile);
                }
                Declaration::Name(number, name) => {
                    // The name of nobody: an allowance is for those whom all names mean.
                    self.declarations
                        .extend([name, String::new()].map(|name| Declaration::Name(number, name)));
                }
                Declaration::NamesPage(_) => self
                    .declarations
                    .push(Declaration::NamesPage(NOWHERE.to_owned())),
            }
        }
        is_declared
    }
}

/// An address that no page has. Names that cannot be fetched bind all bots.
const NOWHERE: &str = "http://[";

impl Complaint {
    /// True if it is about single words. What is odd about the text as a whole is said once.
    fn is_about_words(&self) -> bool {
        !matches!(self.kind, NoteKind::Lookalike | NoteKind::Contradiction)
    }
}
