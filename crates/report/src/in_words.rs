//! An explanation in words. The terminal shows it as text, the report as HTML; JSON has the same in
//! names and numbers.

use heedful::{
    Difference, DirectiveOutcome, Effect, ExplainedDirective, Explanation, Note, Page, Place, Says,
    Use,
};
use heedful_base::bot::{BotId, BotSet};
use heedful_robots::{RobotsTxt, Ruling};

use super::wording;

/// An explanation in words, each part as a line or a cell shows it. A part that is the same for
/// several bots is reported once.
///
/// A directive is named by its number in [`Explanation::directives`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wording<'a> {
    /// The rulings of each robots.txt, one for each bot.
    pub rulings: Vec<RulingWording<'a>>,
    /// The uses of the page as a whole, for each bot.
    pub bots: Vec<BotWording<'a>>,
    /// The limits in force, such as `limits a snippet to 50 characters`, and their directives.
    pub limits: Vec<(String, usize)>,
    /// The directives, in the order of [`Explanation::directives`].
    pub directives: Vec<DirectiveWording<'a>>,
    /// The parts that some bots may have and others may not.
    pub differences: Vec<DifferenceWording>,
    /// The notes on the markup.
    pub notes: Vec<NoteWording<'a>>,
    /// The totals of the parts that are not withheld, after the names of their bots. The names are
    /// empty if there is only one bot.
    pub totals: Vec<(String, String)>,
}

/// The ruling of a robots.txt for one bot.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RulingWording<'a> {
    /// The name of the bot.
    pub bot: &'a str,
    /// True if the bot may fetch the page.
    pub allowed: bool,
    /// The line that decides.
    pub why: String,
}

/// The uses of the page for one bot.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BotWording<'a> {
    /// The name of the bot.
    pub bot: &'a str,
    /// `enter`, and then each use in the order of [`Use::ALL`].
    pub uses: Vec<UseWording>,
}

/// A use of the page for one bot.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UseWording {
    /// `enter`, or the name of the use.
    pub name: &'static str,
    /// How much of the page the bot may use so.
    pub may: PermissionWording,
    /// How much is withheld in part, or `derived` if the denial follows from another.
    pub words: String,
    /// The directive that denies the whole page.
    pub directive: Option<usize>,
}

/// How much of a page a bot may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermissionWording {
    /// All of it.
    Yes,
    /// The parts that are not withheld.
    InPart,
    /// Nothing.
    No,
}

/// A directive, its reach and its outcomes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DirectiveWording<'a> {
    /// Its line and column, such as `12:3`. Empty if it is not in the page.
    pub place: String,
    /// The name of its convention.
    pub convention: &'a str,
    /// The text of the directive.
    pub text: &'a str,
    /// Its statement: the uses that it denies or allows, or a limit.
    pub says: String,
    /// The lines that it reaches.
    pub reach: String,
    /// Its outcomes, those of the same bots one after the other.
    pub fates: Vec<OutcomeWording>,
}

/// The outcome of a part of a directive for some bots.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutcomeWording {
    /// The bots; empty if there is only one.
    pub bots: String,
    /// The uses; empty if the outcome is that of the whole directive.
    pub uses: String,
    /// The outcome. None for a directive that could not have an effect.
    pub fate: Option<DirectiveOutcome>,
    /// The outcome in words.
    pub words: &'static str,
    /// The directive that decided instead.
    pub by: Option<usize>,
}

/// A part of the page that some bots may have and others may not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DifferenceWording {
    /// The uses that it is about.
    pub uses: String,
    /// Its lines, or `the whole page`.
    pub lines: String,
    /// Its first line.
    pub first_line: u32,
    /// Its bytes.
    pub range: std::ops::Range<u64>,
    /// The bots that may have it.
    pub may: String,
    /// The bots that may not, each with the directive that denies it.
    pub may_not: Vec<(String, usize)>,
}

/// A note on the markup.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NoteWording<'a> {
    /// Its line and column. Empty if it is about the whole page.
    pub place: String,
    /// The name of its kind.
    pub kind: &'a str,
    /// The note.
    pub message: &'a str,
}

impl<'a> Wording<'a> {
    /// Puts an explanation into words, with the rulings of these robots.txt files on the page.
    pub fn new(explanation: &'a Explanation, robots: &[RobotsTxt]) -> Self {
        let pages = explanation.pages();
        let mut bots = Vec::new();
        let mut effects = Vec::new();
        for page in pages {
            bots.push(BotWording::new(explanation, page));
            effects.push(explanation.effects(page.bot_id()));
        }
        let mut directives = Vec::new();
        for (number, explained) in explanation.directives().iter().enumerate() {
            directives.push(DirectiveWording::new(
                explanation,
                explained,
                number,
                &effects,
            ));
        }
        let mut totals = Vec::new();
        let each = pages.iter().map(|page| explanation.totals(page.bot_id()));
        for (set, one) in wording::group_bots(each) {
            totals.push((several(explanation, set), wording::totals(&one)));
        }
        Self {
            rulings: explanation
                .rulings(robots)
                .map(|(_, page, ruling)| RulingWording::new(page, &ruling))
                .collect(),
            bots,
            limits: limits(explanation, &effects),
            directives,
            differences: explanation
                .differences()
                .iter()
                .map(|one| DifferenceWording::new(explanation, one))
                .collect(),
            notes: explanation.notes().map(NoteWording::new).collect(),
            totals,
        }
    }
}

/// The names of some of several bots; empty if there is only one.
fn several(explanation: &Explanation, set: BotSet) -> String {
    if explanation.pages().len() == 1 {
        String::new()
    } else {
        wording::bots(explanation, set)
    }
}

/// The limits in force, with the numbers of their directives.
fn limits(explanation: &Explanation, effects: &[Vec<Vec<Effect>>]) -> Vec<(String, usize)> {
    let mut limits = Vec::new();
    for (number, explained) in explanation.directives().iter().enumerate() {
        let directive = explained.directive();
        if matches!(directive.says(), Says::Deny(_) | Says::Allow(_)) {
            continue;
        }
        let mut bots = BotSet::default();
        for (bot, effects) in effects.iter().enumerate() {
            if wording::fate(&effects[number]) == Some(DirectiveOutcome::Obeyed) {
                bots = bots.or(BotSet::one(BotId::nth(bot)));
            }
        }
        if bots.is_empty() {
            continue;
        }
        let mut limit = wording::says(directive);
        let names = several(explanation, bots);
        if !names.is_empty() {
            limit = format!("{limit} for {names}");
        }
        limits.push((limit, number));
    }
    limits
}

impl<'a> RulingWording<'a> {
    fn new(page: &'a Page, ruling: &Ruling<'_>) -> Self {
        Self {
            bot: page.bot().name(),
            allowed: ruling.allowed(),
            why: wording::ruling(ruling),
        }
    }
}

impl<'a> BotWording<'a> {
    fn new(explanation: &Explanation, page: &'a Page) -> Self {
        let enters = page.policy().entered();
        let mut uses = vec![UseWording {
            name: "enter",
            may: if enters {
                PermissionWording::Yes
            } else {
                PermissionWording::No
            },
            words: String::new(),
            directive: if enters {
                None
            } else {
                denial(explanation, page, Use::Index)
            },
        }];
        for usage in Use::ALL {
            uses.push(UseWording::new(explanation, page, usage));
        }
        Self {
            bot: page.bot().name(),
            uses,
        }
    }
}

/// The number of the directive that denies a use of the whole page.
fn denial(explanation: &Explanation, page: &Page, usage: Use) -> Option<usize> {
    explanation.directive_index(page.policy().why_id(usage)?)
}

impl UseWording {
    fn new(explanation: &Explanation, page: &Page, usage: Use) -> Self {
        let policy = page.policy();
        if !policy.allows(usage) {
            let is_derived = policy.is_derived(usage);
            return Self {
                name: usage.name(),
                may: PermissionWording::No,
                words: if is_derived { "derived" } else { "" }.to_owned(),
                directive: denial(explanation, page, usage),
            };
        }
        let words = wording::withheld_part(explanation, page, usage);
        Self {
            name: usage.name(),
            may: if words.is_empty() {
                PermissionWording::Yes
            } else {
                PermissionWording::InPart
            },
            words,
            directive: None,
        }
    }
}

impl PermissionWording {
    /// `yes`, `in part` or `no`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::InPart => "in part",
            Self::No => "no",
        }
    }
}

impl<'a> DirectiveWording<'a> {
    fn new(
        explanation: &Explanation,
        explained: &'a ExplainedDirective,
        number: usize,
        effects: &[Vec<Vec<Effect>>],
    ) -> Self {
        let directive = explained.directive();
        let mut fates = Vec::new();
        for (set, effects) in
            wording::group_bots(effects.iter().map(|of_bot| of_bot[number].as_slice()))
        {
            let bots = several(explanation, set);
            if effects.is_empty() {
                let words = wording::no_effect(directive);
                fates.push(OutcomeWording {
                    bots: bots.clone(),
                    uses: String::new(),
                    fate: None,
                    words,
                    by: None,
                });
            }
            for (fate, uses, by) in wording::fates(effects) {
                fates.push(OutcomeWording {
                    bots: bots.clone(),
                    uses,
                    fate: Some(fate),
                    words: wording::fate_words(fate, explained),
                    by,
                });
            }
        }
        Self {
            place: place(directive.place()),
            convention: directive.convention(),
            text: directive.text(),
            says: wording::says(directive),
            reach: wording::reach(explanation, explained),
            fates,
        }
    }
}

impl DifferenceWording {
    fn new(explanation: &Explanation, difference: &Difference) -> Self {
        let range = difference.range();
        let is_whole = range == (0..explanation.source().len() as u64);
        let lines = explanation.lines(&range);
        let may = BotSet::all(explanation.pages().len()).without(difference.denied_bots());
        let mut may_not = Vec::new();
        for (bots, directive) in difference.denials() {
            if let Some(number) = explanation.directive_index(directive) {
                may_not.push((wording::bots(explanation, bots), number));
            }
        }
        Self {
            uses: wording::names(difference.uses()),
            lines: if is_whole {
                "the whole page".to_owned()
            } else {
                wording::lines(lines)
            },
            first_line: lines.0,
            range,
            may: wording::bots(explanation, may),
            may_not,
        }
    }
}

impl<'a> NoteWording<'a> {
    fn new(note: &'a Note) -> Self {
        Self {
            place: place(note.place()),
            kind: note.kind().name(),
            message: note.message(),
        }
    }
}

/// The line and column of a place, such as `12:3`; empty for none.
pub(super) fn place(place: Option<Place>) -> String {
    match place {
        Some(place) => format!("{}:{}", place.line(), place.column()),
        None => String::new(),
    }
}
