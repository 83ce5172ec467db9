//! Reasons of tombstones. A tombstone says why a URL is known but not indexed.

use heedful::{Origin, Page, StatementContent, Use};

/// The reason why a URL is known but not indexed.
///
/// # Examples
/// Which URLs are worth fetching again?
/// ```
/// use heedful_index::Gone;
///
/// fn fetch_again(reason: Gone) -> bool {
///     match reason {
///         Gone::Changed | Gone::Unseen | Gone::CutShort => true,
///         Gone::Status(status) => status >= 500,
///         _ => false,
///     }
/// }
/// assert!(fetch_again(Gone::Status(503)) && !fetch_again(Gone::Noindex));
/// assert_eq!(Gone::Status(404).to_string(), "status 404");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(into = "String")]
#[non_exhaustive]
pub enum Gone {
    /// The site's robots.txt disallows the page, or denies `index` for it.
    Robots,
    /// A statement of the page denies `index`.
    Noindex,
    /// The page has expired: the time of its directive `unavailable_after` has passed.
    Expired,
    /// The site responded with this HTTP status instead of the page.
    Status(u16),
    /// The response is not HTML.
    NotHtml,
    /// The end of the page is missing, and the missing part could contain a denial of `index`.
    CutShort,
    /// The page exceeds a limit, or its markup can be parsed in two ways.
    Unreadable,
    /// The record of the page in the input (a WARC file, for example) is damaged.
    Damaged,
    /// The restrictions of the page have changed. A response without the page (HTTP status 304)
    /// denies more uses than the page did at its last fetch. So the page must be fetched again.
    Changed,
    /// The user removed the page.
    Removed,
    /// The page is missing from an input that contains all pages of its site.
    Absent,
    /// The page was not fetched again within the time that the user set.
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

    /// Returns the reason why a page may not be indexed, and the text of the denying statement.
    /// Returns None if the page may be indexed.
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
            (_, StatementContent::UnavailableAfter(_)) => Self::Expired,
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
