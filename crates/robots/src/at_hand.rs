//! The state of the robots.txt by which a page was judged. It decides nothing: it distinguishes a
//! page that is allowed from one whose robots.txt is unknown.

use super::parsed::{Blanket, RobotsTxt};
use super::site_file::SiteFile;

/// The state of the robots.txt by which a page was judged. Of several the last in this order is
/// reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RobotsState {
    /// There was none.
    #[default]
    Absent,
    /// The site answered with this status, which decided.
    Status(u16),
    /// It lets no bot in: it cannot be read, or is missing although it is required.
    Unread,
    /// One that was read.
    Rules,
}

heedful_base::display!(RobotsState);

impl RobotsState {
    /// Its stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Status(_) => "status",
            Self::Unread => "unread",
            Self::Rules => "rules",
        }
    }

    /// The status of the site's answer, if that decided.
    pub fn status(self) -> Option<u16> {
        if let Self::Status(status) = self {
            Some(status)
        } else {
            None
        }
    }

    /// The state of a file.
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
