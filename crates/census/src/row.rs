//! The rows of a census: what is counted, in types that are small, ordered and have stable names.

use std::collections::HashMap;
use std::sync::LazyLock;

use heedful::CONVENTIONS as LIST;
use heedful::{Directive, Extent, NoteKind, Origin, Says, Use};

use super::names::{Audience, Carrier, PagePlace, StatementKind, StatementSide, StatementSubject};

/// One thing that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CensusRow {
    /// Pages that were judged, those that were kept out included.
    Pages,
    /// Pages that robots.txt let in, for at least one bot.
    Entered,
    /// Pages that let in this bot, with the characters of their text.
    Text {
        /// The bot, by its place among those of the settings.
        bot: u8,
    },
    /// Pages that keep out this bot by robots.txt.
    KeptOut {
        /// The bot.
        bot: u8,
    },
    /// Statements of a convention.
    Convention(ConventionId),
    /// Statements about one subject, by any convention.
    About(StatementSubject, StatementKind),
    /// Statements of a convention about one subject.
    Said(CensusStatement),
    /// Pages of which a use ends denied, with the characters of text that are withheld.
    Denied {
        /// The conventions that count.
        by: StatementSide,
        /// The bot.
        bot: u8,
        /// The use.
        usage: Use,
        /// The page as a whole, or some of its text.
        part: PagePlace,
    },
    /// Pages of which a convention withholds text, by being the one that decides, with the
    /// characters of that text.
    Withheld {
        /// The conventions that count.
        by: StatementSide,
        /// The bot.
        bot: u8,
        /// The convention that decides.
        convention: ConventionId,
        /// The use.
        usage: Use,
    },
    /// Pages with a note of this kind, and the convention that it is about, if it is about one.
    Noted(NoteKind, Option<ConventionId>),
}

/// A statement, without its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CensusStatement {
    /// Its convention.
    pub convention: ConventionId,
    /// The thing that it is in: a file of the site, the response, or a part of the page.
    pub carrier: Carrier,
    /// Its subject.
    pub about: StatementSubject,
    /// Its effect on the subject.
    pub says: StatementKind,
    /// The bots that it is for.
    pub to: Audience,
}

/// A convention, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConventionId(u8);

/// The names that directives have besides those of the list. The last means any other.
const OTHERS: [&str; 5] = ["robots.txt", "operator", "custom", "cut-short", "other"];

static NUMBERS: LazyLock<HashMap<&'static str, u8>> =
    LazyLock::new(|| conventions().zip(0..).collect());

fn conventions() -> impl Iterator<Item = &'static str> {
    LIST.iter()
        .map(|convention| convention.name())
        .chain(OTHERS)
}

impl ConventionId {
    /// The convention of this name. An unknown one is counted as `other`.
    pub(super) fn find_or_other(name: &str) -> Self {
        Self::find(name)
            .or_else(|| Self::find("other"))
            .unwrap_or(Self(u8::MAX))
    }

    /// The convention of this name, if there is one.
    pub fn find(name: &str) -> Option<Self> {
        NUMBERS.get(name).copied().map(Self)
    }

    /// The name, as in `heedful conventions`; also `robots.txt` for its rules, `operator` and
    /// `custom` for rules of the operator's own, and `cut-short` for pages whose end is missing.
    pub fn name(self) -> &'static str {
        conventions().nth(usize::from(self.0)).unwrap_or_default()
    }

    /// True if it is one that publishers use, and not the operator.
    pub fn is_of_publishers(self) -> bool {
        !matches!(self.name(), "operator" | "custom" | "cut-short")
    }
}

impl Carrier {
    /// The carrier of a publisher's directive. The operator and the input carry none.
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

/// The subjects of a directive, and its effect on them.
pub(super) fn subjects_and_kind(directive: &Directive) -> (Vec<StatementSubject>, StatementKind) {
    match directive.says() {
        Says::Deny(_) if directive.extent() == Extent::Site => {
            (vec![StatementSubject::Enter], StatementKind::Deny)
        }
        Says::Deny(uses) => (
            uses.iter().map(StatementSubject::Use).collect(),
            StatementKind::Deny,
        ),
        Says::Allow(uses) => (
            uses.iter().map(StatementSubject::Use).collect(),
            StatementKind::Allow,
        ),
        Says::MaxSnippet(_) => (vec![StatementSubject::MaxSnippet], StatementKind::Limit),
        Says::MaxImagePreview(_) => (
            vec![StatementSubject::MaxImagePreview],
            StatementKind::Limit,
        ),
        Says::MaxVideoPreview(_) => (
            vec![StatementSubject::MaxVideoPreview],
            StatementKind::Limit,
        ),
        Says::UnavailableAfter(_) => (
            vec![StatementSubject::UnavailableAfter],
            StatementKind::Limit,
        ),
    }
}

impl CensusRow {
    /// The row whose pages are the whole of which this row's pages are a part.
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
                about: StatementSubject::Enter,
                ..
            }) => Self::Pages,
            _ => Self::Entered,
        }
    }
}

/// A count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// The number of statements; 0 in rows that count none.
    pub times: u64,
    /// The number of pages.
    pub pages: u64,
    /// The number of characters of text, white space not counted; 0 in rows that count none.
    pub text: u64,
}

impl Count {
    /// A page.
    pub(super) const PAGE: Self = Self {
        times: 0,
        pages: 1,
        text: 0,
    };

    /// Adds another count. Sums stop at the greatest number, which keeps them independent of their
    /// order.
    pub(super) fn add(&mut self, other: Self) {
        self.times = self.times.saturating_add(other.times);
        self.pages = self.pages.saturating_add(other.pages);
        self.text = self.text.saturating_add(other.text);
    }
}
