//! The rows of a census. A row is a small, ordered key with a stable name, and has a [`Count`].

use std::collections::HashMap;
use std::sync::LazyLock;

use heedful::CONVENTIONS as LIST;
use heedful::{Directive, Extent, NoteKind, Origin, StatementContent, Use};

use super::names::{Audience, Carrier, PagePlace, StatementKind, StatementSide, StatementSubject};

/// Row of a census. It identifies what the numbers of a [`Count`] are about.
///
/// # Examples
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_census::{CensusRow, Counter};
///
/// let counter = Counter::new(&Filter::new(Bot::new("FooBot")?))?;
/// let mut census = counter.census();
/// census.add(&counter.page("https://example.com/", |mut pass| {
///     pass.write(b"<p>Rye bread")?;
///     Ok(pass)
/// })?);
/// assert_eq!(census.count(CensusRow::Pages).pages, 1);
/// assert_eq!(census.count(CensusRow::Text { bot: 0 }).text, 8); // characters
/// assert_eq!(census.count(CensusRow::KeptOut { bot: 0 }).pages, 0);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CensusRow {
    /// All pages. Pages that robots.txt disallows are included.
    Pages,
    /// Pages that robots.txt allows at least one bot of the census to fetch.
    Entered,
    /// Pages that robots.txt allows one bot to fetch, and the characters of their text.
    Text {
        /// Index of the bot in [`Census::bots`](crate::Census::bots).
        bot: u8,
    },
    /// Pages that robots.txt disallows for one bot.
    KeptOut {
        /// Index of the bot in [`Census::bots`](crate::Census::bots).
        bot: u8,
    },
    /// Statements of one convention (such as META robots), with any subject and effect.
    Convention(ConventionId),
    /// Statements with one subject and one effect, counted together for all conventions. A
    /// convention is a way to make statements, such as META robots.
    About(StatementSubject, StatementKind),
    /// Statements of one convention with the same carrier, subject, effect and audience.
    Said(CensusStatement),
    /// Pages on which the combined statements deny one use to one bot. The row also counts the
    /// characters of the withheld text.
    Denied {
        /// Conventions whose effect is counted: the conventions that the filter obeys, or all
        /// conventions.
        by: StatementSide,
        /// Index of the bot in [`Census::bots`](crate::Census::bots).
        bot: u8,
        /// Use that is denied to the bot on these pages.
        usage: Use,
        /// Part of the page for which the use is denied: the whole page, or some of its text.
        part: PagePlace,
    },
    /// Pages on which a directive of one convention denies one use to one bot. The row also counts
    /// the characters of the withheld text.
    Withheld {
        /// Conventions whose effect is counted: the conventions that the filter obeys, or all
        /// conventions.
        by: StatementSide,
        /// Index of the bot in [`Census::bots`](crate::Census::bots).
        bot: u8,
        /// Convention of the directive that denies the use.
        convention: ConventionId,
        /// Use that the directive denies to the bot.
        usage: Use,
    },
    /// Pages with a note (a warning) of one kind about one convention. The convention is `None` for
    /// notes that concern no convention.
    Noted(NoteKind, Option<ConventionId>),
}

/// Group of statements in a census that have the same convention, carrier, subject, effect and
/// audience. The wording of the statements is not stored.
///
/// # Examples
/// ```
/// use heedful::{Bot, Filter, Use};
/// use heedful_census::{Audience, Carrier, CensusRow, CensusStatement, ConventionId, Counter};
/// use heedful_census::{StatementKind, StatementSubject};
///
/// let counter = Counter::new(&Filter::new(Bot::new("FooBot")?))?;
/// let page = counter.page("https://example.com/", |mut pass| {
///     pass.write(b"<meta name=foobot content=noindex>")?;
///     Ok(pass)
/// })?;
/// let row = CensusRow::Said(CensusStatement {
///     convention: ConventionId::find("meta").unwrap(),
///     carrier: Carrier::Page,
///     subject: StatementSubject::Use(Use::Index),
///     effect: StatementKind::Deny,
///     audience: Audience::Named,
/// });
/// assert!(page.has(row));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CensusStatement {
    /// Convention by which the statements are made.
    pub convention: ConventionId,
    /// Place where the statements were made: a site file, an HTTP header, or a part of the page.
    pub carrier: Carrier,
    /// Subject of the statements: fetching the page, a use of the page, or a limit such as the
    /// maximum length of a snippet.
    pub subject: StatementSubject,
    /// Effect of the statements on their subject: they deny, allow or limit.
    pub effect: StatementKind,
    /// Group of bots that the statements address.
    pub audience: Audience,
}

/// Identifier of a convention of robots exclusion. Each convention has a name, such as `meta`.
///
/// # Examples
/// ```
/// use heedful_census::ConventionId;
///
/// let meta = ConventionId::find("meta").unwrap();
/// assert_eq!(meta.name(), "meta");
/// assert!(meta.is_of_publishers());
/// assert!(!ConventionId::find("operator").unwrap().is_of_publishers());
/// assert_eq!(ConventionId::find("mata"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConventionId(u8);

/// Names of conventions that occur in directives, but are not in the filter's list of conventions.
/// `other` stands for any unknown name.
const OTHERS: [&str; 5] = ["robots.txt", "operator", "custom", "cut-short", "other"];

static NUMBERS: LazyLock<HashMap<&'static str, u8>> =
    LazyLock::new(|| conventions().zip(0..).collect());

fn conventions() -> impl Iterator<Item = &'static str> {
    LIST.iter()
        .map(|convention| convention.name())
        .chain(OTHERS)
}

impl ConventionId {
    /// Finds a convention by its name. Returns the convention `other` for an unknown name.
    pub(super) fn find_or_other(name: &str) -> Self {
        Self::find(name)
            .or_else(|| Self::find("other"))
            .unwrap_or(Self(u8::MAX))
    }

    /// Finds a convention by its name. Returns `None` for an unknown name.
    pub fn find(name: &str) -> Option<Self> {
        NUMBERS.get(name).copied().map(Self)
    }

    /// Name of the convention, as `heedful conventions` prints it. The command does not print five
    /// names: `robots.txt` for its rules, `operator` and `custom` for user-defined rules,
    /// `cut-short` for truncated pages, and `other` for unknown conventions.
    pub fn name(self) -> &'static str {
        conventions().nth(usize::from(self.0)).unwrap_or_default()
    }

    /// True if publishers use this convention. False for `operator` and `custom`, which stand for
    /// user-defined rules. Also false for `cut-short`, which stands for a truncated page.
    pub fn is_of_publishers(self) -> bool {
        !matches!(self.name(), "operator" | "custom" | "cut-short")
    }
}

impl Carrier {
    /// Returns the place where a publisher made the statement `directive`. Returns `None` if the
    /// directive is a rule of the operator, or a fact that the input states about the page.
    pub(super) fn from_directive(directive: &Directive) -> Option<Self> {
        match directive.origin() {
            _ if !ConventionId::find_or_other(directive.convention()).is_of_publishers() => None,
            Origin::Rule { .. } | Origin::Record { .. } => Some(Self::RobotsTxt),
            Origin::Reservation { .. } => Some(Self::Tdmrep),
            Origin::Header => Some(Self::Header),
            Origin::Page(_) => Some(match directive.extent() {
                Extent::Region => Self::Region,
                Extent::Subtree => Self::Element,
                Extent::Node => Self::Node,
                _ => Self::Page,
            }),
            Origin::Operator | Origin::Input => None,
        }
    }
}

/// Returns the subjects of `directive`, and its effect on them.
pub(super) fn subjects_and_kind(directive: &Directive) -> (Vec<StatementSubject>, StatementKind) {
    match directive.says() {
        StatementContent::Deny(_) if directive.extent() == Extent::Site => {
            (vec![StatementSubject::Enter], StatementKind::Deny)
        }
        StatementContent::Deny(uses) => (
            uses.iter().map(StatementSubject::Use).collect(),
            StatementKind::Deny,
        ),
        StatementContent::Allow(uses) => (
            uses.iter().map(StatementSubject::Use).collect(),
            StatementKind::Allow,
        ),
        StatementContent::MaxSnippet(_) => {
            (vec![StatementSubject::MaxSnippet], StatementKind::Limit)
        }
        StatementContent::MaxImagePreview(_) => (
            vec![StatementSubject::MaxImagePreview],
            StatementKind::Limit,
        ),
        StatementContent::MaxVideoPreview(_) => (
            vec![StatementSubject::MaxVideoPreview],
            StatementKind::Limit,
        ),
        StatementContent::UnavailableAfter(_) => (
            vec![StatementSubject::UnavailableAfter],
            StatementKind::Limit,
        ),
    }
}

impl CensusRow {
    /// Returns the row whose counts are the denominators of this row's shares.
    ///
    /// # Examples
    /// ```
    /// use heedful_census::{CensusRow, ConventionId};
    ///
    /// let meta = CensusRow::Convention(ConventionId::find("meta").unwrap());
    /// assert_eq!(meta.whole(), CensusRow::Entered); // disallowed pages have no META
    /// let robots = CensusRow::Convention(ConventionId::find("robots.txt").unwrap());
    /// assert_eq!(robots.whole(), CensusRow::Pages);
    /// ```
    pub fn whole(self) -> Self {
        match self {
            Self::Text { bot } | Self::Denied { bot, .. } | Self::Withheld { bot, .. } => {
                Self::Text { bot }
            }
            Self::Pages
            | Self::Entered
            | Self::KeptOut { .. }
            | Self::About(StatementSubject::Enter, _) => Self::Pages,
            Self::Convention(convention) if convention.name() == "robots.txt" => Self::Pages,
            Self::Said(CensusStatement {
                subject: StatementSubject::Enter,
                ..
            }) => Self::Pages,
            _ => Self::Entered,
        }
    }
}

/// Counts of statements, pages and characters of text in one row of a census.
///
/// # Examples
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_census::{CensusRow, ConventionId, Counter};
///
/// let counter = Counter::new(&Filter::new(Bot::new("FooBot")?))?;
/// let mut census = counter.census();
/// census.add(&counter.page("https://example.com/", |mut pass| {
///     pass.write(b"<a rel=nofollow href=/a>a</a> <a rel=nofollow href=/b>b</a>")?;
///     Ok(pass)
/// })?);
/// let count = census.count(CensusRow::Convention(ConventionId::find("rel").unwrap()));
/// assert_eq!((count.times, count.pages), (2, 1));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Number of statements in this row. It is 0 in rows that count no statements.
    pub times: u64,
    /// Number of pages in this row.
    pub pages: u64,
    /// Number of characters of text in this row, without white space. It is 0 in rows that count no
    /// text.
    pub text: u64,
}

impl Count {
    /// Count of one page, without statements and text.
    pub(super) const PAGE: Self = Self {
        times: 0,
        pages: 1,
        text: 0,
    };

    /// Adds the numbers of `other` to this count. Sums stop at `u64::MAX`, so they do not depend on
    /// the order of additions.
    pub(super) fn add(&mut self, other: Self) {
        self.times = self.times.saturating_add(other.times);
        self.pages = self.pages.saturating_add(other.pages);
        self.text = self.text.saturating_add(other.text);
    }
}
