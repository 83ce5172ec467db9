//! Converts the explanation of a page to words. The terminal prints these words as text, and the
//! report shows them as HTML.
//!
//! The words state the same facts as the JSON of an explanation does by names and numbers. This
//! module decides nothing about a page.

use heedful::{
    Difference, DirectiveOutcome, Effect, ExplainedDirective, Explanation, Note, Page, Place,
    StatementContent, Use,
};
use heedful_base::bot::{BotId, BotSet};
use heedful_robots::{RobotsTxt, Ruling};

use super::wording;

/// An explanation of a page in words. Each value is one line or one table cell of the output. If a
/// value is equal for several bots, it occurs once, with the names of these bots.
///
/// Directives are identified by their indices in [`Explanation::directives`].
///
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_report::Wording;
///
/// let mut pass = Filter::new(Bot::new("FooBot")?).explain("https://site.example/")?;
/// pass.write(b"<meta name=robots content=nosnippet>\n<p>Rye")?;
/// let explanation = pass.end()?;
/// let words = Wording::new(&explanation, &[]);
/// assert_eq!(words.directives[0].place, "1:1");
/// assert_eq!(words.directives[0].outcomes[0].words, "obeyed");
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wording<'a> {
    /// Rulings of the robots.txt files on the page: for each file, one ruling per bot.
    pub rulings: Vec<RulingWording<'a>>,
    /// For each bot, the uses that the bot is permitted to make of the page.
    pub bots: Vec<BotWording<'a>>,
    /// Limits that apply to the page, such as `limits a snippet to 50 characters`. Each limit is
    /// paired with the index of the directive that sets the limit, in the list `directives`.
    pub limits: Vec<(String, usize)>,
    /// Directives of the page, in the order of [`Explanation::directives`].
    pub directives: Vec<DirectiveWording<'a>>,
    /// Parts of the page for which the bots differ: allowed to some of them, and denied to others.
    pub differences: Vec<DifferenceWording>,
    /// Notes on doubtful markup of the page.
    pub notes: Vec<NoteWording<'a>>,
    /// Totals of the content that is not withheld. Each pair has the names of bots, and their
    /// totals in words. The names are empty if the filter has only one bot.
    pub totals: Vec<(String, String)>,
}

/// Ruling of one robots.txt on the page for one bot: whether the bot may fetch the page.
///
/// ```
/// use heedful::{Bot, Filter, RobotsTxt};
/// use heedful_report::Wording;
///
/// let robots = [RobotsTxt::parse(b"User-agent: *\nDisallow: /drafts/")];
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let explanation = filter.explain("https://site.example/drafts/rye")?.end()?;
/// let words = Wording::new(&explanation, &robots);
/// assert!(!words.rulings[0].allowed);
/// assert!(words.rulings[0].why.starts_with("line 2"));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RulingWording<'a> {
    /// Name of the bot for which the robots.txt is evaluated.
    pub bot: &'a str,
    /// True if the robots.txt allows the bot to fetch the page.
    pub allowed: bool,
    /// Reason for the ruling, in words: the line of the robots.txt that decides, or why no line
    /// decides.
    pub why: String,
}

/// Uses of the page that one bot is permitted to make.
///
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_report::{PermissionWording, Wording};
///
/// let mut pass = Filter::new(Bot::new("FooBot")?).explain("https://site.example/")?;
/// pass.write(b"<meta name=robots content=noindex><p>Rye")?;
/// let explanation = pass.end()?;
/// let words = Wording::new(&explanation, &[]);
/// let index = words.bots[0].uses.iter().find(|usage| usage.name == "index").unwrap();
/// assert_eq!(index.permission, PermissionWording::No);
/// assert_eq!(index.directive, Some(0));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BotWording<'a> {
    /// Name of the bot to which the permissions apply.
    pub bot: &'a str,
    /// Permission to fetch the page, named `enter`, and then one permission per use, in the order
    /// of [`Use::ALL`].
    pub uses: Vec<UseWording>,
}

/// Permission of one bot for one use of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UseWording {
    /// Name of the use. `enter` stands for fetching the page.
    pub name: &'static str,
    /// Part of the page for which the bot may make this use: the whole page, a part of it, or none.
    pub permission: PermissionWording,
    /// Parts of the page that are withheld from this use, such as `3 of 10 words withheld`. Empty
    /// if no part is withheld. If this use is denied for the whole page, the text is `derived` or
    /// empty. `derived` means that the denial follows from the denial of another use.
    pub words: String,
    /// Index of the directive that denies this use of the whole page. `None` if no directive denies
    /// it.
    pub directive: Option<usize>,
}

/// Part of a page that a bot may use: the whole page, a part of it, or none.
///
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_report::{PermissionWording, Wording};
///
/// let mut pass = Filter::new(Bot::new("FooBot")?).explain("https://site.example/")?;
/// pass.write(b"<p>Rye <!--noindex-->and rue<!--/noindex-->")?;
/// let explanation = pass.end()?;
/// let words = Wording::new(&explanation, &[]);
/// let index = words.bots[0].uses.iter().find(|usage| usage.name == "index").unwrap();
/// let shown = match index.permission {
///     PermissionWording::Yes => "all of it".to_owned(),
///     PermissionWording::InPart => index.words.clone(),
///     PermissionWording::No => "nothing".to_owned(),
/// };
/// assert_eq!(shown, "2 of 3 words withheld");
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermissionWording {
    /// The bot may use the whole page in this way.
    Yes,
    /// The bot may use the page in this way, except for withheld parts.
    InPart,
    /// The bot may not use the page in this way.
    No,
}

/// A directive in words, with the lines of the page to which it applies and its outcomes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DirectiveWording<'a> {
    /// Line and column of the directive in the page, such as `12:3`. Empty if the directive is
    /// outside of the page, for example in a header.
    pub place: String,
    /// Name of the convention to which the directive belongs.
    pub convention: &'a str,
    /// Source text of the directive.
    pub text: &'a str,
    /// Meaning of the directive in words. The text names the uses that the directive denies or
    /// allows, or the limit that the directive sets.
    pub says: String,
    /// Lines of the page to which the directive applies.
    pub reach: String,
    /// Outcomes of the directive for the bots. The outcomes for the same bots are next to each
    /// other.
    pub outcomes: Vec<OutcomeWording>,
}

/// Outcome of a directive for some uses and some bots, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutcomeWording {
    /// Names of the bots for which the directive has this outcome. Empty if the filter has only one
    /// bot.
    pub bots: String,
    /// Names of the uses for which the directive has this outcome. Empty if the directive has the
    /// same outcome for all of its uses.
    pub uses: String,
    /// Outcome of the directive. `None` if the directive has no effect for these bots. For example,
    /// the directive may be meant for other bots.
    pub outcome: Option<DirectiveOutcome>,
    /// Outcome of the directive, in words.
    pub words: &'static str,
    /// Index of the directive that overruled this directive. `None` if no directive overruled it.
    pub overruled_by: Option<usize>,
}

/// A part of the page that is allowed to some bots and denied to other bots.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DifferenceWording {
    /// Names of the uses of the part that are denied to some bots.
    pub uses: String,
    /// Lines of the part in the page's source, or `the whole page`.
    pub lines: String,
    /// Number of the first line of the part, counted from 1.
    pub first_line: u32,
    /// Byte range of the part in the page's source.
    pub range: std::ops::Range<u64>,
    /// Names of the bots to which the part is allowed.
    pub allowed_bots: String,
    /// Names of the bots to which the part is denied. Each pair has the names of the bots that one
    /// directive denies, and the index of this directive.
    pub denied_bots: Vec<(String, usize)>,
}

/// A note on doubtful markup of the page.
///
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_report::Wording;
///
/// let mut pass = Filter::new(Bot::new("FooBot")?).explain("https://site.example/")?;
/// pass.write(b"<p>Rye <!--noindex-->and rue")?;
/// let explanation = pass.end()?;
/// let words = Wording::new(&explanation, &[]);
/// assert!(words.notes.iter().any(|note| note.kind == "unclosed-region"));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NoteWording<'a> {
    /// Line and column of the markup that the note is about, such as `12:3`. Empty if the note is
    /// about the whole page.
    pub place: String,
    /// Name of the kind of the note.
    pub kind: &'a str,
    /// Text of the note, for the publisher of the page.
    pub message: &'a str,
}

impl<'a> Wording<'a> {
    /// Converts an explanation to words. Also adds the rulings of the files `robots` on the
    /// explained page.
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

/// Returns the names of the bots in `set`. Returns an empty string if the filter has only one bot.
fn several(explanation: &Explanation, set: BotSet) -> String {
    if explanation.pages().len() == 1 {
        String::new()
    } else {
        wording::bots(explanation, set)
    }
}

/// Returns the limits that apply to the page, in words. The number is the index of the limiting
/// directive.
fn limits(explanation: &Explanation, effects: &[Vec<Vec<Effect>>]) -> Vec<(String, usize)> {
    let mut limits = Vec::new();
    for (number, explained) in explanation.directives().iter().enumerate() {
        let directive = explained.directive();
        if matches!(
            directive.says(),
            StatementContent::Deny(_) | StatementContent::Allow(_)
        ) {
            continue;
        }
        let mut bots = BotSet::default();
        for (bot, effects) in effects.iter().enumerate() {
            if wording::outcome(&effects[number]) == Some(DirectiveOutcome::Obeyed) {
                bots = bots.or(BotSet::single(BotId::nth(bot)));
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
        let enters = page.policy().may_fetch();
        let mut uses = vec![UseWording {
            name: "enter",
            permission: if enters {
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

/// Returns the index of the directive that denies `usage` for the whole page. `None` if no
/// directive denies it.
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
                permission: PermissionWording::No,
                words: if is_derived { "derived" } else { "" }.to_owned(),
                directive: denial(explanation, page, usage),
            };
        }
        let words = wording::withheld_part(explanation, page, usage);
        Self {
            name: usage.name(),
            permission: if words.is_empty() {
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
    /// Returns the permission as `yes`, `in part` or `no`.
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
        let mut outcomes = Vec::new();
        for (set, effects) in
            wording::group_bots(effects.iter().map(|of_bot| of_bot[number].as_slice()))
        {
            let bots = several(explanation, set);
            if effects.is_empty() {
                let words = wording::no_effect(directive);
                outcomes.push(OutcomeWording {
                    bots: bots.clone(),
                    uses: String::new(),
                    outcome: None,
                    words,
                    overruled_by: None,
                });
            }
            for (outcome, uses, overruled_by) in wording::outcomes(effects) {
                outcomes.push(OutcomeWording {
                    bots: bots.clone(),
                    uses,
                    outcome: Some(outcome),
                    words: wording::outcome_words(outcome, explained),
                    overruled_by,
                });
            }
        }
        Self {
            place: place(directive.place()),
            convention: directive.convention(),
            text: directive.text(),
            says: wording::says(directive),
            reach: wording::reach(explanation, explained),
            outcomes,
        }
    }
}

impl DifferenceWording {
    fn new(explanation: &Explanation, difference: &Difference) -> Self {
        let range = difference.range();
        let is_whole = range == (0..explanation.source().len() as u64);
        let lines = explanation.lines(&range);
        let may = BotSet::all(explanation.pages().len()).without(difference.denied_bots());
        let mut denied_bots = Vec::new();
        for (bots, directive) in difference.denials() {
            if let Some(number) = explanation.directive_index(directive) {
                denied_bots.push((wording::bots(explanation, bots), number));
            }
        }
        Self {
            uses: wording::use_names(difference.uses()),
            lines: if is_whole {
                "the whole page".to_owned()
            } else {
                wording::lines(lines)
            },
            first_line: lines.0,
            range,
            allowed_bots: wording::bots(explanation, may),
            denied_bots,
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

/// Formats the line and column of a place in a page as `12:3`. Returns an empty string for `None`.
pub(super) fn place(place: Option<Place>) -> String {
    match place {
        Some(place) => format!("{}:{}", place.line(), place.column()),
        None => String::new(),
    }
}
