//! An explanation in words. The terminal shows it as text, the report as HTML; JSON has the same in
//! names and numbers.

use heedful::{
    Difference, DirectiveOutcome, Effect, Explanation, Note, Page, Place, Says, Statements, Use,
};
use heedful_base::bot::{BotId, BotSet};
use heedful_robots::{RobotsTxt, Ruling};

use super::wording;

/// An explanation in words, each part as a line or a cell shows it. What is the same for several
/// bots is told once.
///
/// A directive is named by its number in [`Explanation::heard`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wording<'a> {
    /// The rulings of each robots.txt, one for each bot.
    pub rulings: Vec<RulingWording<'a>>,
    /// What each bot may do with the page as a whole.
    pub bots: Vec<BotWording<'a>>,
    /// The limits in force, such as `limits a snippet to 50 characters`, and their directives.
    pub limits: Vec<(String, usize)>,
    /// The directives, in the order of [`Explanation::heard`].
    pub directives: Vec<DirectiveWording<'a>>,
    /// The parts that some bots may have and others may not.
    pub differences: Vec<DifferenceWording>,
    /// The notes on the markup.
    pub notes: Vec<NoteWording<'a>>,
    /// What is left of the page: bots, none named if there is only one, and the totals.
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

/// What one bot may do with the page.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BotWording<'a> {
    /// The name of the bot.
    pub bot: &'a str,
    /// To enter, and then each use in the order of [`Use::ALL`].
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

/// A directive, its reach and its fates.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DirectiveWording<'a> {
    /// Its line and column, such as `12:3`. Empty if it is not in the page.
    pub place: String,
    /// The name of its convention.
    pub convention: &'a str,
    /// The directive as it stands there.
    pub text: &'a str,
    /// What it denies, allows or limits.
    pub says: String,
    /// The lines that it reaches.
    pub reach: String,
    /// Its fates, those of the same bots one after the other.
    pub fates: Vec<OutcomeWording>,
}

/// The fate of a part of a directive for some bots.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutcomeWording {
    /// The bots; empty if there is only one.
    pub bots: String,
    /// The uses; empty if the fate is that of the whole directive.
    pub uses: String,
    /// The fate. None for a directive that could not have an effect.
    pub fate: Option<DirectiveOutcome>,
    /// The fate in words.
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
    /// An explanation, with the robots.txt files that were asked about the page.
    pub fn new(explanation: &'a Explanation, robots: &[RobotsTxt]) -> Self {
        let pages = explanation.pages();
        let effects: Vec<_> = pages
            .iter()
            .map(|page| explanation.effects(page.bot_id()))
            .collect();
        let heard = explanation.heard().iter().enumerate();
        let totals = wording::alike(pages.iter().map(|page| explanation.totals(page.bot_id())));
        Self {
            rulings: explanation
                .rulings(robots)
                .map(|(_, page, ruling)| RulingWording::new(page, &ruling))
                .collect(),
            bots: pages
                .iter()
                .map(|page| BotWording::new(explanation, page))
                .collect(),
            limits: limits(explanation, &effects),
            directives: heard
                .map(|(number, heard)| DirectiveWording::new(explanation, heard, number, &effects))
                .collect(),
            differences: explanation
                .differences()
                .iter()
                .map(|one| DifferenceWording::new(explanation, one))
                .collect(),
            notes: explanation.notes().map(NoteWording::new).collect(),
            totals: totals
                .iter()
                .map(|(set, one)| (several(explanation, *set), wording::totals(one)))
                .collect(),
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

fn limits(explanation: &Explanation, effects: &[Vec<Vec<Effect>>]) -> Vec<(String, usize)> {
    let is_limit =
        |heard: &Statements| !matches!(heard.directive().says(), Says::Deny(_) | Says::Allow(_));
    let limit = |(number, heard): (usize, &Statements)| {
        let is_in_force =
            |bot: &usize| wording::fate(&effects[*bot][number]) == Some(DirectiveOutcome::Obeyed);
        let bots: BotSet = (0..effects.len())
            .filter(is_in_force)
            .map(BotId::nth)
            .collect();
        let whom = several(explanation, bots);
        let whom = if whom.is_empty() {
            whom
        } else {
            format!(" for {whom}")
        };
        (is_limit(heard) && !bots.is_empty()).then(|| {
            (
                format!("{}{whom}", wording::says(heard.directive())),
                number,
            )
        })
    };
    explanation
        .heard()
        .iter()
        .enumerate()
        .filter_map(limit)
        .collect()
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
        let denial = |usage| {
            page.policy()
                .why_id(usage)
                .and_then(|why| explanation.number_of(why))
        };
        let enter = UseWording {
            name: "enter",
            may: if enters {
                PermissionWording::Yes
            } else {
                PermissionWording::No
            },
            words: String::new(),
            directive: if enters { None } else { denial(Use::Index) },
        };
        let of_use = |usage: Use| {
            let name = usage.name();
            if !page.policy().allows(usage) {
                let words = if page.policy().is_derived(usage) {
                    "derived"
                } else {
                    ""
                }
                .to_owned();
                return UseWording {
                    name,
                    may: PermissionWording::No,
                    words,
                    directive: denial(usage),
                };
            }
            let words = wording::withheld_part(explanation, page, usage);
            UseWording {
                name,
                may: if words.is_empty() {
                    PermissionWording::Yes
                } else {
                    PermissionWording::InPart
                },
                words,
                directive: None,
            }
        };
        let uses = std::iter::once(enter)
            .chain(Use::ALL.into_iter().map(of_use))
            .collect();
        Self {
            bot: page.bot().name(),
            uses,
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
        heard: &'a Statements,
        number: usize,
        effects: &[Vec<Vec<Effect>>],
    ) -> Self {
        let directive = heard.directive();
        let mut fates = Vec::new();
        for (set, effects) in wording::alike(effects.iter().map(|of_bot| of_bot[number].as_slice()))
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
            fates.extend(wording::fates(effects).into_iter().map(|(fate, uses, by)| {
                let words = wording::fate_words(fate, heard);
                OutcomeWording {
                    bots: bots.clone(),
                    uses,
                    fate: Some(fate),
                    words,
                    by,
                }
            }));
        }
        Self {
            place: place(directive.place()),
            convention: directive.convention(),
            text: directive.text(),
            says: wording::says(directive),
            reach: wording::reach(explanation, heard),
            fates,
        }
    }
}

impl DifferenceWording {
    fn new(explanation: &Explanation, difference: &Difference) -> Self {
        let range = difference.range();
        let is_whole = range == (0..explanation.source().len() as u64);
        let lines = explanation.lines(&range);
        let may = BotSet::all(explanation.pages().len()).without(difference.may_not());
        let may_not = difference
            .denials()
            .into_iter()
            .filter_map(|(bots, directive)| {
                Some((
                    wording::bots(explanation, bots),
                    explanation.number_of(directive)?,
                ))
            });
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
            may_not: may_not.collect(),
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

fn place(place: Option<Place>) -> String {
    place.map_or_else(String::new, |place| {
        format!("{}:{}", place.line(), place.column())
    })
}
