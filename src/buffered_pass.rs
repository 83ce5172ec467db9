//! Collects the bytes of a page before they are filtered, for async tasks that await between the
//! pieces of a page.
//!
//! A [`Pass`] stays on its thread: html5ever's tree builder keeps reference-counted texts without
//! atomics, and no setting changes that. A [`BufferedPass`] keeps the bytes and no tree builder, so
//! it can be moved to another thread and held over an `.await`. The price is memory for the page,
//! and that a sink receives no token before the end of the page. All decisions are those of the
//! [`Pass`] that is opened at the end.

use url::Url;

use crate::filter::Filter;
use crate::page::Page;
use crate::pass::Pass;
use crate::sink::Sink;
use heedful_base::error::{Error, Result};
use heedful_base::limits::size;
use heedful_robots::RobotsTxt;

/// Collects the pieces of a page, and filters them at the end of the page. Unlike a [`Pass`] it is
/// `Send`, so a task may hold it over an `.await`.
///
/// ```
/// use heedful::{Bot, BufferedPass, Filter};
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let mut page = BufferedPass::new(&filter, "https://example.com/rye")?;
/// page.header("Content-Type", "text/html");
/// page.write(b"Dark rye <!--noindex-->ad<!--/noi")?;
/// let mut page = std::thread::spawn(move || page).join().unwrap();
/// page.write(b"ndex--> bread.")?;
/// assert_eq!(page.end()?.phrases(), ["Dark rye", "bread."]);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct BufferedPass {
    filter: Filter,
    url: Url,
    robots: Vec<RobotsTxt>,
    headers: Vec<(String, String)>,
    bytes: Vec<u8>,
    /// True once a piece exceeded the limit `page_bytes`. No piece after it may make a page.
    is_too_long: bool,
}

impl BufferedPass {
    /// Begins to collect the page at `url`. The settings of `filter` are cloned.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Url`](crate::ErrorKind::Url) if `url` is not an absolute URL.
    ///
    /// ```
    /// use heedful::{Bot, BufferedPass, Filter};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// assert!(BufferedPass::new(&filter, "https://example.com/rye").is_ok());
    /// assert!(BufferedPass::new(&filter, "/rye").is_err()); // known before the first byte arrives
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn new(filter: &Filter, url: &str) -> Result<Self> {
        let url = Url::parse(url).map_err(|_| Error::url(url))?;
        Ok(Self {
            filter: filter.clone(),
            url,
            robots: Vec::new(),
            headers: Vec::new(),
            bytes: Vec::new(),
            is_too_long: false,
        })
    }

    /// Stores a robots.txt of the site, which is applied when the page is filtered: see
    /// [`Pass::robots_txt`].
    ///
    /// ```
    /// use heedful::{Bot, BufferedPass, Filter, RobotsTxt};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let mut page = BufferedPass::new(&filter, "https://example.com/drafts/rye")?;
    /// page.robots_txt(&RobotsTxt::parse(b"User-agent: *\nDisallow: /drafts/"));
    /// page.write(b"<p>Dark bread")?;
    /// assert!(!page.end()?.policy().may_fetch());
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn robots_txt(&mut self, robots: &RobotsTxt) {
        self.robots.push(robots.clone());
    }

    /// Stores a header line of the response, which is applied when the page is filtered: see
    /// [`Pass::header`].
    ///
    /// ```
    /// use heedful::{Bot, BufferedPass, Filter, Use};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let mut page = BufferedPass::new(&filter, "https://example.com/rye")?;
    /// page.header("X-Robots-Tag", "nosnippet");
    /// page.write(b"<p>Dark bread")?;
    /// assert!(!page.end()?.policy().allows(Use::Snippet));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn header(&mut self, name: &str, value: &str) {
        self.headers.push((name.to_owned(), value.to_owned()));
    }

    /// Appends the next bytes of the page to the bytes that are collected so far.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the page is too long for the limit
    /// `page_bytes`, whatever its encoding is. All collected bytes of the page are dropped then, and
    /// every later call of `write`, `end` and `into_pass` returns the same error.
    ///
    /// ```
    /// use heedful::{Bot, BufferedPass, Filter, Limits};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?).limits(Limits::default().page_bytes(10));
    /// let mut page = BufferedPass::new(&filter, "https://example.com/rye")?;
    /// let error = page.write(b"<p>Dark bread with rye").unwrap_err();
    /// assert_eq!(error.passed_limit(), Some("page_bytes"));
    /// assert!(page.write(b"<p>Spelt").is_err() && page.end().is_err());
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let limit = self.filter.get_limits().page_bytes;
        // Decoding shrinks a page to half its bytes at most, as in UTF-16.
        if self.bytes.len().saturating_add(bytes.len()) / 2 > size(limit) {
            self.bytes = Vec::new();
            self.is_too_long = true;
        }
        self.check_length()?;
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Filters the page, and returns it as the first bot of the filter may have it.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the page exceeds a limit, and
    /// [`ErrorKind::Ambiguous`](crate::ErrorKind::Ambiguous) if two HTML parsers would find
    /// different text in it.
    pub fn end(self) -> Result<Page> {
        let pass = self.filter.open(self.url.as_str())?;
        self.feed(pass)?.end()
    }

    /// Opens a pass into `sink`, for example a [`Snapshot`](crate::Snapshot), and writes all bytes
    /// of the page to it. Returns this pass, which the caller must end.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the page exceeds a limit, and
    /// [`ErrorKind::Ambiguous`](crate::ErrorKind::Ambiguous) if two HTML parsers would find
    /// different text in it.
    ///
    /// ```
    /// use heedful::{Bot, BufferedPass, CutMark, Filter, Snapshot};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let mut page = BufferedPass::new(&filter, "https://example.com/rye")?;
    /// page.write(b"<p>Dark bread")?;
    /// let pass = page.into_pass(Snapshot::new(Vec::new(), CutMark::default()))?;
    /// assert_eq!(pass.into_sink()?.into_inner().as_deref(), Some(&b"<p>Dark bread"[..]));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn into_pass<S: Sink>(self, sink: S) -> Result<Pass<S>> {
        let pass = self.filter.open_with(self.url.as_str(), sink)?;
        self.feed(pass)
    }

    fn check_length(&self) -> Result<()> {
        if self.is_too_long {
            return Err(Error::limit(
                "page_bytes",
                self.filter.get_limits().page_bytes,
            ));
        }
        Ok(())
    }

    fn feed<S: Sink>(self, mut pass: Pass<S>) -> Result<Pass<S>> {
        self.check_length()?;
        for robots in &self.robots {
            pass.robots_txt(robots);
        }
        for (name, value) in &self.headers {
            pass.header(name, value);
        }
        pass.write(&self.bytes)?;
        Ok(pass)
    }
}
