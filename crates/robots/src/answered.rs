//! Parses responses of a site, for each kind of file that has rules for its pages.

use std::sync::Arc;

use super::parsed::RobotsTxt;
use super::readings::Readings;
use super::site_file::SiteFile;
use super::source::{ResponseDigest, RobotsResponse, Source};
use super::tdmrep;

impl SiteFile {
    /// Parses the contents of such a file. Never fails.
    pub fn read(self, bytes: &[u8]) -> RobotsTxt {
        match self {
            Self::Robots => RobotsTxt::parse(bytes),
            Self::Tdmrep => RobotsTxt::tdmrep(bytes),
        }
    }

    /// Parses a response of the site. A tdmrep.json that is not available counts as none: then the
    /// site does not take part in the protocol (section 4.1 there).
    pub fn read_response(self, status: u16, body: &[u8]) -> RobotsTxt {
        match self {
            Self::Robots => RobotsTxt::from_response(status, body),
            // The missing part may reserve pages.
            Self::Tdmrep if status == 206 => {
                RobotsTxt::from_reservations(&tdmrep::all("only a part of it came"))
            }
            Self::Tdmrep if (200..300).contains(&status) => RobotsTxt::tdmrep(body),
            Self::Tdmrep => RobotsTxt::tdmrep(b"[]"),
        }
    }

    /// A replacement for a file that exists and cannot be read, for this reason. It forbids all
    /// that such a file can forbid.
    #[doc(hidden)]
    pub fn unreadable(self, why: &str) -> RobotsTxt {
        match self {
            Self::Robots => RobotsTxt::shut(),
            Self::Tdmrep => RobotsTxt::from_reservations(&tdmrep::all(why)),
        }
    }

    /// A replacement for a file that is not where the site states.
    #[doc(hidden)]
    pub fn misplaced(self) -> Option<RobotsTxt> {
        (self == Self::Robots).then(RobotsTxt::shut)
    }
}

impl RobotsTxt {
    /// Attaches the response that this was read from. A run that keeps evidence stores its bytes;
    /// nothing else uses them. The status is None if there was no response, as for a file on disk.
    pub fn with_response(mut self, status: Option<u16>, bytes: &[u8]) -> Self {
        let is_read = status.is_none_or(|status| (200..300).contains(&status));
        self.sent = Some(RobotsResponse {
            status,
            bytes: is_read.then(|| bytes.into()),
        });
        self
    }

    /// The status of the response that this was read from.
    #[doc(hidden)]
    pub fn response_status(&self) -> Option<u16> {
        self.sent.as_ref().and_then(|sent| sent.status)
    }

    /// Sets the reason of a ruling on everything.
    #[doc(hidden)]
    pub fn with_reason(mut self, why: &str) -> Self {
        if let Some(blanket) = &mut self.blanket {
            why.clone_into(&mut blanket.why);
        }
        self
    }

    /// Removes the response that this was parsed from. The source gets the digest that `keep`
    /// returns for its bytes.
    #[doc(hidden)]
    pub fn keep_response(mut self, keep: impl FnOnce(&[u8]) -> Option<[u8; 32]>) -> Self {
        let Some(RobotsResponse { status, bytes }) = self.sent.take() else {
            return self;
        };
        let digest = bytes.and_then(|bytes| keep(&bytes));
        let source = self
            .source
            .as_deref()
            .cloned()
            .unwrap_or_else(Source::given);
        self.source = Some(Arc::new(source.sent(ResponseDigest { status, digest })));
        self
    }

    /// Reads the first 500 KiB of a tdmrep.json: the reservations and their pages. It lets
    /// everybody in. Never fails: an item that is no rule is reported for each page that it would
    /// be about.
    pub fn tdmrep(bytes: &[u8]) -> Self {
        Self::from_reservations(&tdmrep::records(bytes))
    }

    fn from_reservations(records: &str) -> Self {
        let readings = Readings::as_it_is(records.as_bytes());
        Self {
            readings: Arc::new(readings),
            site_file: SiteFile::Tdmrep,
            ..Self::default()
        }
    }
}
