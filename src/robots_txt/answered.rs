//! What an answer of a site means, for each file in which it speaks of its pages.

use std::sync::Arc;

use super::file::File;
use super::parsed::RobotsTxt;
use super::site_file::SiteFile;
use super::tdmrep;

impl SiteFile {
    /// Reads one. Never fails.
    pub fn read(self, bytes: &[u8]) -> RobotsTxt {
        match self {
            Self::Robots => RobotsTxt::parse(bytes),
            Self::Tdmrep => RobotsTxt::tdmrep(bytes),
        }
    }

    /// What an answer of the site means. A tdmrep.json that is not to be had is none: then the site does not take part in the protocol
    /// (section 4.1 there).
    pub fn answered(self, status: u16, body: &[u8]) -> RobotsTxt {
        match self {
            Self::Robots => RobotsTxt::from_response(status, body),
            // What is missing may reserve.
            Self::Tdmrep if status == 206 => RobotsTxt::of_reservations(&tdmrep::all("only a part of it came")),
            Self::Tdmrep if (200..300).contains(&status) => RobotsTxt::tdmrep(body),
            Self::Tdmrep => RobotsTxt::tdmrep(b"[]"),
        }
    }

    /// What stands for one that is there and cannot be read, for this reason: it may forbid all that it can forbid.
    #[cfg(any(feature = "fetch", feature = "input"))]
    pub(crate) fn unread(self, why: &str) -> RobotsTxt {
        match self {
            Self::Robots => RobotsTxt::shut(),
            Self::Tdmrep => RobotsTxt::of_reservations(&tdmrep::all(why)),
        }
    }

    /// What stands for one that is not where the site says.
    #[cfg(feature = "run")]
    pub(crate) fn astray(self) -> Option<RobotsTxt> {
        (self == Self::Robots).then(RobotsTxt::shut)
    }
}

impl RobotsTxt {
    /// Reads a tdmrep.json, its first 500 KiB: what it reserves, of which pages. It lets everybody in. Never fails: what is no rule
    /// is told of each page that it would be about.
    pub fn tdmrep(bytes: &[u8]) -> Self {
        Self::of_reservations(&tdmrep::records(bytes))
    }

    fn of_reservations(records: &str) -> Self {
        let file = File::as_it_is(records.as_bytes());
        Self { file: Arc::new(file), site_file: SiteFile::Tdmrep, ..Self::default() }
    }
}
