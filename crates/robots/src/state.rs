//! State of the robots.txt by which a page was judged.
//!
//! No decision depends on this state. It distinguishes a page that a robots.txt allows from a page
//! whose robots.txt is unknown.

use super::parsed::{Blanket, RobotsTxt};
use super::site_file::SiteFile;

/// State of the robots.txt by which a page was judged. If several robots.txt files were used, the
/// state that is the last in the order of the variants is reported.
///
/// # Examples
///
/// ```
/// use heedful_robots::RobotsState;
///
/// fn is_known(state: RobotsState) -> bool {
///     match state {
///         RobotsState::Rules => true,
///         RobotsState::Status(status) => (400..500).contains(&status),
///         _ => false,
///     }
/// }
///
/// assert!(is_known(RobotsState::Status(404)));
/// assert!(!is_known(RobotsState::Absent));
/// assert!(RobotsState::Rules > RobotsState::Absent);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RobotsState {
    /// No robots.txt was known.
    #[default]
    Absent,
    /// The site responded to the request for its robots.txt with this HTTP status, which decided
    /// without any rule.
    Status(u16),
    /// Everything is denied, because the robots.txt could not be read, or is missing although the
    /// run requires one.
    Unread,
    /// A robots.txt was parsed.
    Rules,
}

heedful_base::display!(RobotsState);

impl RobotsState {
    /// Stable name of the state, as in the JSON output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Status(_) => "status",
            Self::Unread => "unread",
            Self::Rules => "rules",
        }
    }

    /// HTTP status of the response to the request for the robots.txt. `None` for a state other than
    /// [`RobotsState::Status`].
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::RobotsState;
    ///
    /// assert_eq!(RobotsState::Status(404).status(), Some(404));
    /// assert_eq!(RobotsState::Rules.status(), None);
    /// ```
    pub fn status(self) -> Option<u16> {
        if let Self::Status(status) = self {
            Some(status)
        } else {
            None
        }
    }

    /// Returns the state of a parsed robots.txt. For a tdmrep.json, which is no robots.txt, it is
    /// [`RobotsState::Absent`].
    #[doc(hidden)]
    pub fn from_robots(robots: &RobotsTxt) -> Self {
        match &robots.blanket {
            _ if robots.site_file != SiteFile::Robots => Self::Absent,
            Some(Blanket {
                status: Some(status),
                ..
            }) => Self::Status(*status),
            Some(_) => Self::Unread,
            None => Self::Rules,
        }
    }
}
