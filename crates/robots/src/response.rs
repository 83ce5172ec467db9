//! Parses the files in which a site states rules for its pages (robots.txt, tdmrep.json), and a
//! site's responses to requests for these files.
//!
//! If a response has no file, its HTTP status decides (RFC 9309, section 2.3.1). A partial or
//! unreadable file denies all that a file of its kind can deny.

use std::sync::Arc;

use super::parsed::RobotsTxt;
use super::readings::Readings;
use super::site_file::SiteFile;
use super::source::{ResponseDigest, RobotsResponse, Source};
use super::tdmrep;

impl SiteFile {
    /// Parses `bytes`, the content of a file of this kind. Never fails.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::{Bot, SiteFile};
    ///
    /// let json = br#"[{"location": "/articles/", "tdm-reservation": 1}]"#;
    /// let reservations = SiteFile::Tdmrep.read(json);
    /// let usages = reservations.usages(&Bot::new("FooBot")?, "/articles/1");
    /// assert_eq!(usages[0].key(), "TDM-Reservation");
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn read(self, bytes: &[u8]) -> RobotsTxt {
        match self {
            Self::Robots => RobotsTxt::parse(bytes),
            Self::Tdmrep => RobotsTxt::tdmrep(bytes),
        }
    }

    /// Parses a site's response to a request for a file of this kind. If a robots.txt is not
    /// available, `status` decides ([`RobotsTxt::from_response`]). If a tdmrep.json is not
    /// available, the result has no rules (TDM Reservation Protocol, section 4.1). A tdmrep.json of
    /// which only a part was sent (status 206) reserves all pages.
    ///
    /// ```
    /// use heedful_robots::{Bot, SiteFile};
    ///
    /// let bot = Bot::new("FooBot")?;
    /// let robots = SiteFile::Robots.read_response(503, b"");
    /// assert!(!robots.ruling(&bot, "/").allowed());
    ///
    /// let reservations = SiteFile::Tdmrep.read_response(503, b"");
    /// assert!(reservations.ruling(&bot, "/").allowed());
    /// assert!(reservations.usages(&bot, "/").is_empty());
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn read_response(self, status: u16, body: &[u8]) -> RobotsTxt {
        match self {
            Self::Robots => RobotsTxt::from_response(status, body),
            // The part that was not sent may reserve pages.
            Self::Tdmrep if status == 206 => {
                RobotsTxt::from_reservations(&tdmrep::all("only a part of it came"))
            }
            Self::Tdmrep if (200..300).contains(&status) => RobotsTxt::tdmrep(body),
            Self::Tdmrep => RobotsTxt::tdmrep(b"[]"),
        }
    }

    /// Returns a replacement for a file that the site has, but that cannot be read for the reason
    /// `why`. The replacement denies all that a file of this kind can deny.
    #[doc(hidden)]
    pub fn unreadable(self, why: &str) -> RobotsTxt {
        match self {
            Self::Robots => RobotsTxt::deny_all(),
            Self::Tdmrep => RobotsTxt::from_reservations(&tdmrep::all(why)),
        }
    }

    /// Returns a replacement for a file whose URL redirects to a target without a known response. A
    /// robots.txt is replaced by one that denies everything. Returns `None` for a tdmrep.json. A
    /// site without a tdmrep.json reserves nothing.
    #[doc(hidden)]
    pub fn for_missing_target(self) -> Option<RobotsTxt> {
        (self == Self::Robots).then(RobotsTxt::deny_all)
    }
}

impl RobotsTxt {
    /// Attaches the response from which the file was parsed. `status` is the HTTP status of the
    /// response, or `None` for a file on disk. `bytes` is the body of the response. Only a run that
    /// stores evidence uses the body.
    ///
    /// ```
    /// use heedful_robots::{Bot, RobotsTxt};
    ///
    /// let body = b"User-agent: *\nDisallow: /a";
    /// let robots = RobotsTxt::from_response(200, body).with_response(Some(200), body);
    /// assert!(!robots.ruling(&Bot::new("FooBot")?, "/a").allowed());
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn with_response(mut self, status: Option<u16>, bytes: &[u8]) -> Self {
        let is_read = status.is_none_or(|status| (200..300).contains(&status));
        self.sent = Some(RobotsResponse {
            status,
            bytes: is_read.then(|| bytes.into()),
        });
        self
    }

    /// HTTP status of the response that [`RobotsTxt::with_response`] attached. `None` if no
    /// response or no status was attached.
    #[doc(hidden)]
    pub fn response_status(&self) -> Option<u16> {
        self.sent.as_ref().and_then(|sent| sent.status)
    }

    /// Sets the reason, for people, why a file that is not available allows or denies all URLs. Has
    /// no effect on a file that was parsed.
    #[doc(hidden)]
    pub fn with_reason(mut self, why: &str) -> Self {
        if let Some(blanket) = &mut self.blanket {
            why.clone_into(&mut blanket.why);
        }
        self
    }

    /// Removes the attached response, and passes the bytes of its body to `keep`, which may store
    /// the bytes. The digest that `keep` returns is added to the source of the robots.txt.
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

    /// Parses the first 500 KiB of a tdmrep.json, which names the pages that are reserved from text
    /// and data mining. The result denies no fetch. Never fails: if an item is no rule, parsing
    /// stops there. One record for all pages then replaces the rest of the file. This record
    /// reserves all pages if the rest contains a reservation.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::{Bot, RobotsTxt};
    ///
    /// let json = br#"[{"location": "/articles/", "tdm-reservation": 1}]"#;
    /// let reservations = RobotsTxt::tdmrep(json);
    /// let bot = Bot::new("FooBot")?;
    /// assert!(reservations.ruling(&bot, "/articles/1").allowed());
    /// assert_eq!(reservations.usages(&bot, "/articles/1")[0].value(), "1");
    /// assert!(reservations.usages(&bot, "/recipes/1").is_empty());
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn tdmrep(bytes: &[u8]) -> Self {
        Self::from_reservations(&tdmrep::records(bytes))
    }

    /// Parses `records`, the text of robots.txt records to which `tdmrep::records` has converted
    /// the rules of a tdmrep.json.
    fn from_reservations(records: &str) -> Self {
        let readings = Readings::as_it_is(records.as_bytes());
        Self {
            readings: Arc::new(readings),
            site_file: SiteFile::Tdmrep,
            ..Self::default()
        }
    }
}
