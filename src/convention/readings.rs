//! Runs one parser on several forms of a text (docs/semantics.md, section 3.1). The exact form is
//! the text itself. Lenient forms are texts that its author may have meant.
//!
//! Parsers are exact, and know no lenient forms. If a text has lenient forms, its parser runs on
//! each of them too. Only the denials of such a run have an effect, so it never allows more of a
//! page. All other results of the run are rolled back, and one note gives the reason. Only this
//! file knows whether the settings permit lenient forms.

use std::ops::Range;

use crate::note::NoteKind;
use crate::policy::{StatementContent, Use, Uses};
use heedful_base::bot::BotSet;

use super::collector::{Complaint, Declaration, Recipients, Statement, StatementCollector};
use super::mark::RegionMark;
use super::set::Conventions;

/// Lengths of a collector's lists before a parser runs. After the run, the lists can be cut to
/// these lengths.
#[derive(Clone, Copy)]
struct Checkpoint {
    statements: usize,
    declarations: usize,
    pointers: usize,
    complaints: usize,
}

/// Returns the region marks that `parse` finds in a comment. The comment is read in its exact form
/// first. Then it is read in lenient forms, which are texts that the author may have meant. If one
/// form has a mark that closes a region, no further forms are read.
///
/// An opening mark of a lenient form is added without the uses that earlier forms deny. If no use
/// is left, the opening mark is not added. A closing mark of a lenient form is added too, but
/// closes only regions that lenient forms opened.
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
        // The lenient form explains the words that are unknown in the exact form.
        if denied.is_empty() && !more.is_empty() {
            marks
                .retain(|mark| !matches!(mark, RegionMark::Open { .. } | RegionMark::Close { .. }));
        }
        marks.extend(more);
    }
    marks
}

impl Conventions {
    /// Returns `forms`, the lenient forms of a text (texts that its author may have meant). If the
    /// switch `as-written` is on, returns nothing, since only exact forms are obeyed then.
    fn if_lenient<T>(&self, forms: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
        self.repairs().then_some(forms).into_iter().flatten()
    }
}

impl StatementCollector<'_> {
    /// Runs the parser `parse` on the exact form of a text. Then runs the parser on each lenient
    /// form, a text that the author may have meant. A lenient form can only add denials. Added
    /// denials get a note that begins with `why`, the reason why other programs miss these denials.
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

    /// Adds a note on a text that only resembles a statement of a convention. Adds nothing if the
    /// switch `as-written` is on.
    pub(super) fn suggest(&mut self, convention: &'static str, message: String) {
        if self.conventions.repairs() {
            self.complain(NoteKind::Lookalike, self.bots.all(), convention, message);
        }
    }

    fn checkpoint(&self) -> Checkpoint {
        // There is no `..`, so that a new buffer has to be named here. It must be rolled back like
        // the others.
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

    /// Runs the parser `parse` on one lenient form of a text, and keeps only the denials. Returns
    /// the bots to which the form adds a denial, without the bots in `noted`. Adds one note with
    /// the reason `why` for the returned bots. `start` has the lengths of the collector's lists
    /// from before the exact form of the text was parsed.
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
        // The lenient form explains the words that are unknown in the exact form, for the bots that
        // it addresses.
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
        let message = format!("{why}: heedful obeys its denials");
        self.complaints.push(Complaint {
            kind: NoteKind::Lookalike,
            bots,
            convention,
            message,
        });
        bots
    }

    /// Drops allowances that a lenient reading turns into denials. The exact reading of `no index`
    /// is an allowance (`index`), and the lenient reading is a denial (`noindex`). `exact` is the
    /// range of `statements` that came from the exact reading. The statements after this range came
    /// from the lenient reading. If they deny all uses of an allowance to a bot, the allowance is
    /// dropped for this bot.
    fn drop_allowances(&mut self, exact: Range<usize>) {
        let later = self.statements.split_off(exact.end);
        for statement in &mut self.statements[exact.start..] {
            let StatementContent::Allow(allowed) = statement.says else {
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

    /// Drops each allowance at the index `from` or later in the list of statements.
    fn keep_denials_from(&mut self, from: usize) {
        let mut at = 0;
        self.statements.retain(|statement| {
            at += 1;
            at <= from || !matches!(statement.says, StatementContent::Allow(_))
        });
    }

    /// Adds the declarations of a lenient form (a text that the author may have meant). Each
    /// declaration is first weakened, so that it can lead to denials, but not to allowances.
    /// Skips a declaration that the collector has recorded since the checkpoint `start`. Returns
    /// true if at least one declaration was added.
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
                    // An empty name is the name of no bot. An allowance needs all names of its
                    // number to mean the bot, so it binds none.
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

/// Returns the bots to which at least one of these statements denies `usage`.
fn denied_bots(statements: &[Statement], usage: Use) -> BotSet {
    let mut bots = BotSet::NONE;
    for statement in statements {
        if matches!(statement.says, StatementContent::Deny(uses) if uses.contains(usage)) {
            bots = bots.or(statement.recipients.bots().unwrap_or_default());
        }
    }
    bots
}

/// Invalid URL, at which there is never a page. A Names page is a page that maps numbers to names
/// of bots. If only a lenient form of a tag links to a Names page, this URL replaces the URL in the
/// link. Since the names are then unknown, a denial for a numbered bot applies to every bot.
const NOWHERE: &str = "http://[";

impl Complaint {
    /// True if the complaint is about a single word, and not about the whole text. All other
    /// complaints about a lenient form are dropped.
    fn is_about_words(&self) -> bool {
        !matches!(self.kind, NoteKind::Lookalike | NoteKind::Contradiction)
    }
}
