//! The rows of a census. A row is a small, ordered key with a stable name, and has a [`Count`].

use std::collections::HashMap;
use std::sync::LazyLock;

use heedful::CONVENTIONS as LIST;
use heedful::{Directive, Extent, NoteKind, Origin, StatementContent, Use};

use super::names::{Audience, Carrier, PagePlace, StatementKind, StatementSide, StatementSubject};

/// A row of a census: the key of a [`Count`].
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
    /// The row counts all pages, including those that robots.txt disallows.
    Pages,
    /// The row counts pages that robots.txt allows at least one bot to fetch.
    Entered,
    /// The row counts pages that robots.txt allows this bot to fetch, and the characters of their
    /// text.
    Text {
        /// Index of the bot in [`Census::bots`](crate::Census::bots).
        bot: u8,
    },
    /// The row counts pages that robots.txt disallows for this bot.
    KeptOut {
        /// Index of the bot in [`Census::bots`](crate::Census::bots).
        bot: u8,
    },
    /// The row counts statements of one convention, with any subject and effect.
    Convention(ConventionId),
    /// The row counts statements of all conventions with this subject and this effect.
    About(StatementSubject, StatementKind),
    /// The row counts statements of one convention with the same carrier, subject, effect and
    /// audience.
    Said(CensusStatement),
    /// The row counts pages that deny a use to a bot after all statements were combined, and the
    /// characters of the withheld text.
    Denied {
        /// Set of conventions whose effect is counted: those that the filter obeys, or all.
        by: StatementSide,
        /// Index of the bot in [`Census::bots`](crate::Census::bots).
        bot: u8,
        /// Use that the pages deny to the bot.
        usage: Use,
        /// Denied part: the page as a whole, or some of its text.
        part: PagePlace,
    },
    /// The row counts pages on which text is withheld because of a directive of one convention, and
    /// the characters of that text.
    Withheld {
        /// Set of conventions whose effect is counted: those that the filter obeys, or all.
        by: StatementSide,
        /// Index of the bot in [`Census::bots`](crate::Census::bots).
        bot: u8,
        /// Convention of the directive that decides.
        convention: ConventionId,
        /// Use from which the text is withheld.
        usage: Use,
    },
    /// The row counts pages with a note of this kind about this convention. The convention is None
    /// for a note that concerns no convention.
    Noted(NoteKind, Option<ConventionId>),
}

/// Properties that a group of statements in a census has in common, without the statements'
/// wording.
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
    /// Convention of the statement.
    pub convention: ConventionId,
    /// Where the statement was made: a site file, a header, or a part of the page.
    pub carrier: Carrier,
    /// What the statement is about: a use, or a limited value such as the length of a snippet.
    pub subject: StatementSubject,
    /// Effect of the statement on its subject: it denies, allows or limits.
    pub effect: StatementKind,
    /// Bots that the statement addresses.
    pub audience: Audience,
}

/// A convention of robots exclusion, such as `meta`, identified by its name.
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

/// Names that a directive may have as its convention although the filter's list of conventions
/// lacks them. `other` is for any unknown name.
const OTHERS: [&str; 5] = ["robots.txt", "operator", "custom", "cut-short", "other"];

static NUMBERS: LazyLock<HashMap<&'static str, u8>> =
    LazyLock::new(|| conventions().zip(0..).collect());

fn conventions() -> impl Iterator<Item = &'static str> {
    LIST.iter()
        .map(|convention| convention.name())
        .chain(OTHERS)
}

impl ConventionId {
    /// Finds a convention by its name. Returns `other` for an unknown name.
    pub(super) fn find_or_other(name: &str) -> Self {
        Self::find(name)
            .or_else(|| Self::find("other"))
            .unwrap_or(Self(u8::MAX))
    }

    /// Finds a convention by its name. Returns None for an unknown name.
    pub fn find(name: &str) -> Option<Self> {
        NUMBERS.get(name).copied().map(Self)
    }

    /// Name of the convention, as `heedful conventions` lists it. Further names are `robots.txt`
    /// for its rules, `operator` and `custom` for user-defined rules, and `cut-short` for truncated
    /// pages.
    pub fn name(self) -> &'static str {
        conventions().nth(usize::from(self.0)).unwrap_or_default()
    }

    /// True if publishers use the convention. False for user-defined rules and truncated pages.
    pub fn is_of_publishers(self) -> bool {
        !matches!(self.name(), "operator" | "custom" | "cut-short")
    }
}

impl Carrier {
    /// Returns the place where a publisher's directive was made. Returns None for a directive that
    /// comes from the operator or the input.
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

/// Returns the subjects of a directive, and the effect of the directive on them.
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
    /// Returns the row that is the denominator of this row's share.
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

/// The counts of one row of a census.
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
    /// Number of statements. It is 0 in rows that count no statements.
    pub times: u64,
    /// Number of pages that are counted in the row.
    pub pages: u64,
    /// Number of characters of text, without white space. It is 0 in rows that count no text.
    pub text: u64,
}

impl Count {
    /// Count that has one page, without statements or text.
    pub(super) const PAGE: Self = Self {
        times: 0,
        pages: 1,
        text: 0,
    };

    /// Adds the count `other` to this one. Sums saturate at `u64::MAX`, so they do not depend on
    /// their order.
    pub(super) fn add(&mut self, other: Self) {
        self.times = self.times.saturating_add(other.times);
        self.pages = self.pages.saturating_add(other.pages);
        self.text = self.text.saturating_add(other.text);
    }
}
