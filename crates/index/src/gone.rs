//! Why a URL is known and not in the index.

use heedful::{Origin, Page, Says, Use};

/// The reason why a URL is known and not in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(into = "String")]
#[non_exhaustive]
pub enum Gone {
    /// robots.txt keeps it out, or says that it may not be indexed.
    Robots,
    /// A statement of the page denies `index`.
    Noindex,
    /// The time until which the page might be indexed is over.
    Expired,
    /// The site answers with this status.
    Status(u16),
    /// It is not HTML.
    NotHtml,
    /// The page is cut short, and the missing end could hold a denial.
    CutShort,
    /// The page passes a limit, or has two readings.
    Unreadable,
    /// Its record is damaged.
    Damaged,
    /// The page is unchanged, but its headers deny more than when it was read: it is to be fetched
    /// again.
    Changed,
    /// The user removed it.
    Removed,
    /// The input that is the whole truth of its site no longer names it.
    Absent,
    /// It was not fetched again for longer than the user wants.
    Unseen,
}

impl Gone {
    const PLAIN: [Self; 11] = [
        Self::Robots,
        Self::Noindex,
        Self::Expired,
        Self::NotHtml,
        Self::CutShort,
        Self::Unreadable,
        Self::Damaged,
        Self::Changed,
        Self::Removed,
        Self::Absent,
        Self::Unseen,
    ];

    fn word(self) -> &'static str {
        match self {
            Self::Robots => "robots.txt",
            Self::Noindex => "noindex",
            Self::Expired => "expired",
            Self::Status(_) => "status",
            Self::NotHtml => "not HTML",
            Self::CutShort => "cut short",
            Self::Unreadable => "unreadable",
            Self::Damaged => "damaged",
            Self::Changed => "changed",
            Self::Removed => "removed",
            Self::Absent => "absent",
            Self::Unseen => "unseen",
        }
    }

    pub(super) fn parse(text: &str) -> Self {
        if let Some(status) = text.strip_prefix("status ")
            && let Ok(status) = status.parse()
        {
            return Self::Status(status);
        }
        let plain = Self::PLAIN.into_iter().find(|reason| reason.word() == text);
        plain.unwrap_or(Self::Removed)
    }

    /// The reason why a page may not be indexed, and the statement that denies it. Returns None if
    /// it may be.
    #[doc(hidden)]
    pub fn from_page(page: &Page) -> Option<(Self, String)> {
        let policy = page.policy();
        if policy.allows(Use::Index) {
            return None;
        }
        let Some(directive) = policy.why(Use::Index) else {
            return Some((Self::Noindex, String::new()));
        };
        let reason = match (directive.origin(), directive.says()) {
            (Origin::Rule { .. } | Origin::Record { .. }, _) => Self::Robots,
            (Origin::Input, _) => Self::CutShort,
            (_, Says::UnavailableAfter(_)) => Self::Expired,
            _ => Self::Noindex,
        };
        Some((reason, directive.text().to_owned()))
    }
}

impl From<Gone> for String {
    fn from(reason: Gone) -> Self {
        reason.to_string()
    }
}

impl std::fmt::Display for Gone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Status(status) => write!(f, "status {status}"),
            _ => f.write_str(self.word()),
        }
    }
}
