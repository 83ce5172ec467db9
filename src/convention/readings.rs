//! One parser, two readings: a text as it is written, and as its author may have meant it
//! (docs/semantics.md, section 3.1).
//!
//! Parsers are exact and know nothing of sloppiness. Where a text has lenient forms, its parser
//! runs on these too. Of such a run only denials are kept, so a page never gives more than without
//! it. All else is rolled back, and one note gives the reason. This is the only place that knows if
//! lenient forms are wanted at all.

use std::ops::Range;

use crate::note::NoteKind;
use crate::policy::{Says, Use, Uses};
use heedful_base::bot::BotSet;

use super::collector::{Complaint, Declaration, Recipients, Statement, StatementCollector};
use super::mark::RegionMark;
use super::set::Conventions;

/// The lengths of a collector's buffers.
#[derive(Clone, Copy)]
struct Checkpoint {
    statements: usize,
    declarations: usize,
    pointers: usize,
    complaints: usize,
}

/// The marks of a comment's exact form, and those of its lenient forms that withhold more. Closes
/// of a lenient form are kept too, for they end only what was opened so. After an exact close no
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
        let mut denied = Uses::NONE;
        for mark in &marks {
            denied = denied.union(mark.denies());
        }
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
    /// are kept. `why` is the reason that other readers do not read them.
    pub(super) fn read_readings<T>(
        &mut self,
        exact: &T,
        lenient: impl IntoIterator<Item = T>,
        why: &str,
        mut parse: impl FnMut(&T, &mut Self),
    ) {
        let start = self.checkpoint();
        parse(exact, self);
        let mut noted = BotSet::NONE;
        for form in self.conventions.if_lenient(lenient) {
            noted = noted
                .or(self.read_leniently(start, noted, why, |collector| parse(&form, collector)));
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
            statements,
            declarations,
            pointers,
            complaints,
            matched_rules: _,
        } = self;
        Checkpoint {
            statements: statements.len(),
            declarations: declarations.len(),
            pointers: pointers.len(),
            complaints: complaints.len(),
        }
    }

    /// Runs a parser on a lenient form of the text that is read since `start`. Returns the bots to
    /// which the form states anything new. The reason is noted for those without such a note yet.
    fn read_leniently(
        &mut self,
        start: Checkpoint,
        noted: BotSet,
        why: &str,
        parse: impl FnOnce(&mut Self),
    ) -> BotSet {
        let before = self.checkpoint();
        parse(self);
        let complaints = self.complaints.split_off(before.complaints);
        let declarations = self.declarations.split_off(before.declarations);
        self.pointers.truncate(before.pointers);
        self.keep_denials_from(before.statements);
        let is_declared = self.declare_denials(start, declarations);
        let convention = match self.statements.get(before.statements) {
            Some(statement) => statement.convention,
            None if is_declared => "profile",
            None => return BotSet::NONE,
        };
        let bots = if is_declared {
            self.bots.all()
        } else {
            self.bots_of(before.statements..self.statements.len())
        };
        self.drop_allowances(start.statements..before.statements);
        let bots = bots.without(noted);
        if bots.is_empty() {
            return bots;
        }
        // The words that are unknown as they are written are those that the lenient form explains,
        // to the bots that it is for.
        for mut complaint in self.complaints.split_off(start.complaints) {
            if complaint.kind != NoteKind::Contradiction {
                complaint.bots = complaint.bots.without(bots);
            }
            if !complaint.bots.is_empty() {
                self.complaints.push(complaint);
            }
        }
        for complaint in complaints {
            let bots = complaint.bots.and(bots);
            if complaint.is_about_words() && !bots.is_empty() {
                self.complaints.push(Complaint { bots, ..complaint });
            }
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
        for statement in &mut self.statements[exact.start..] {
            let Says::Allow(allowed) = statement.says else {
                continue;
            };
            let Recipients::Bots(bots) = statement.recipients else {
                continue;
            };
            let mut dropped = bots;
            for usage in allowed.iter() {
                dropped = dropped.and(denied_bots(&later, usage));
            }
            statement.recipients = Recipients::Bots(bots.without(dropped));
        }
        self.statements
            .retain(|statement| statement.recipients != Recipients::Bots(BotSet::NONE));
        self.statements.extend(later);
    }

    /// Drops the allowances among the statements from this index on.
    fn keep_denials_from(&mut self, from: usize) {
        let mut at = 0;
        self.statements.retain(|statement| {
            at += 1;
            at <= from || !matches!(statement.says, Says::Allow(_))
        });
    }

    /// Keeps declarations of a lenient form as far as they bring denials. Returns true if there are
    /// any.
    fn declare_denials(&mut self, start: Checkpoint, declarations: Vec<Declaration>) -> bool {
        let mut is_declared = false;
        for declaration in declarations {
            if self.declarations[start.declarations..].contains(&declaration) {
                continue;
            }
            is_declared = true;
            match declaration {
                Declaration::Profile | Declaration::MeantProfile => {
                    self.declarations.push(Declaration::MeantProfile);
                }
                Declaration::Name(number, name) => {
                    self.declarations.push(Declaration::Name(number, name));
                    // The name of no bot: an allowance is for those that all names mean.
                    self.declarations
                        .push(Declaration::Name(number, String::new()));
                }
                Declaration::NamesPage(_) => self
                    .declarations
                    .push(Declaration::NamesPage(NOWHERE.to_owned())),
            }
        }
        is_declared
    }
}

/// The bots to which these statements deny a use.
fn denied_bots(statements: &[Statement], usage: Use) -> BotSet {
    let mut bots = BotSet::NONE;
    for statement in statements {
        if matches!(statement.says, Says::Deny(uses) if uses.contains(usage)) {
            bots = bots.or(statement.recipients.bots().unwrap_or_default());
        }
    }
    bots
}

/// An address that no page has. Names that cannot be fetched bind all bots.
const NOWHERE: &str = "http://[";

impl Complaint {
    /// True if it is about single words. What is odd about the text as a whole is said once.
    fn is_about_words(&self) -> bool {
        !matches!(self.kind, NoteKind::Lookalike | NoteKind::Contradiction)
    }
}
