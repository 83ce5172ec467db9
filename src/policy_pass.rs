//! A pass that computes only the policies of its page: may the page be indexed, archived, used as
//! input, used for training?
//!
//! A [`PolicyPass`] returns the same policies as a [`Pass`], or the same error, but no text and no
//! links. It keeps the page's text to the end, and parses only those parts of it that the policies
//! depend on (`extract/scan`). In doubt it parses all of the text.

use std::time::SystemTime;

use url::Url;

use crate::page::PagePolicies;
use crate::pass::Pass;
use crate::sink::parts::VerdictSink;
use heedful_base::error::Result;
use heedful_robots::RobotsTxt;

/// One pass over one page that computes only the page's policies. It has the same inputs as a
/// [`Pass`], and the result does not depend on how the bytes were cut. The decoded page stays in
/// memory until the end of the pass.
///
/// ```
/// use heedful::{Bot, Use, Filter};
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let mut pass = filter.open_policies("https://example.com/rye")?;
/// pass.header("X-Robots-Tag", "noarchive");
/// pass.write(b"<p>Dark rye <meta name=robots content=nosnippet>")?;
/// let policies = pass.end()?;
/// let (_, policy) = policies.each().next().expect("a filter has a bot");
/// assert!(policy.allows(Use::Index) && !policy.allows(Use::Archive));
/// assert_eq!(policy.why(Use::Snippet).and_then(|why| why.place()).map(|place| place.column()), Some(13));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug)]
pub struct PolicyPass(Pass<VerdictSink>);

impl PolicyPass {
    pub(crate) fn new(mut pass: Pass<VerdictSink>) -> Self {
        pass.hold();
        Self(pass)
    }

    /// Calls `feed` with the [`Pass`] inside this policy pass. `feed` gives robots.txt, headers and
    /// bytes to the [`Pass`], and returns it.
    #[doc(hidden)]
    pub fn with_inputs(
        self,
        feed: impl FnOnce(Pass<VerdictSink>) -> Result<Pass<VerdictSink>>,
    ) -> Result<Self> {
        feed(self.0).map(Self)
    }

    /// Gives the page a second URL. Denials for this URL then apply to the page too: see
    /// [`Pass::also_at`].
    ///
    /// ```
    /// use heedful::{Bot, BotId, Filter, RobotsTxt, Url};
    ///
    /// let mut pass = Filter::new(Bot::new("FooBot")?).open_policies("https://example.com/new")?;
    /// pass.also_at(&Url::parse("https://example.com/old").expect("a URL"));
    /// pass.robots_txt(&RobotsTxt::parse(b"User-agent: *\nDisallow: /old"));
    /// assert!(!pass.end()?.policy(BotId::FIRST).may_fetch());
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn also_at(&mut self, url: &Url) {
        self.0.also_at(url);
    }

    /// Applies a robots.txt of the site: see [`Pass::robots_txt`].
    ///
    /// ```
    /// use heedful::{Bot, BotId, Filter, RobotsTxt, Use};
    ///
    /// let mut pass = Filter::new(Bot::new("FooBot")?).open_policies("https://example.com/rye")?;
    /// pass.robots_txt(&RobotsTxt::parse(b"User-agent: *\nContent-Signal: ai-train=no\nAllow: /"));
    /// let policies = pass.end()?;
    /// let policy = policies.policy(BotId::FIRST);
    /// assert!(policy.may_fetch() && !policy.allows(Use::Train));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn robots_txt(&mut self, robots: &RobotsTxt) {
        self.0.robots_txt(robots);
    }

    /// Applies a header line of the response: see [`Pass::header`].
    ///
    /// ```
    /// use heedful::{Bot, BotId, Filter, Use};
    ///
    /// let mut pass = Filter::new(Bot::new("FooBot")?).open_policies("https://example.com/rye")?;
    /// pass.header("Content-Usage", "train-ai=n");
    /// assert!(!pass.end()?.policy(BotId::FIRST).allows(Use::Train));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn header(&mut self, name: &str, value: &str) {
        self.0.header(name, value);
    }

    /// Sets the status of the response, and the time at which the page was fetched. Neither value
    /// has an effect on policies. The method exists so that a `PolicyPass` has the same inputs as a
    /// [`Pass`].
    pub fn fetched(&mut self, status: Option<u16>, time: Option<SystemTime>) {
        self.0.fetched(status, time);
    }

    /// Declares that the bytes of the page are UTF-8: see [`Pass::assume_utf8`].
    ///
    /// ```
    /// use heedful::{Bot, BotId, Filter, Use};
    ///
    /// // Decoded before, so the META must not make it windows-1252.
    /// let mut pass = Filter::new(Bot::new("FooBot")?).open_policies("https://example.com/")?;
    /// pass.assume_utf8();
    /// pass.write("<meta charset=windows-1252><meta name=robots content=“noarchive”>".as_bytes())?;
    /// assert!(!pass.end()?.policy(BotId::FIRST).allows(Use::Archive));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn assume_utf8(&mut self) {
        self.0.assume_utf8();
    }

    /// Declares that the last bytes of the page are missing: see [`Pass::cut_short`].
    ///
    /// ```
    /// use heedful::{Bot, BotId, Filter, Use};
    ///
    /// let mut pass = Filter::new(Bot::new("FooBot")?).open_policies("https://example.com/rye")?;
    /// pass.cut_short();
    /// pass.write(b"<head><title>Rye</title><meta name=rob")?;
    /// assert!(!pass.end()?.policy(BotId::FIRST).allows(Use::Index)); // the rest may deny it
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn cut_short(&mut self) {
        self.0.cut_short();
    }

    /// Adds the next bytes of the page. A piece may end anywhere, even inside a tag or a character.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the page exceeds a limit. Some
    /// errors in the bytes are found only by [`PolicyPass::end`].
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.0.write(bytes)
    }

    /// Ends the pass. Returns the policies of the page for all bots.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the page exceeds a limit. Returns
    /// [`ErrorKind::Ambiguous`](crate::ErrorKind::Ambiguous) if two HTML parsers would find
    /// different text in the page.
    ///
    /// ```
    /// use heedful::{Bot, Filter, Use};
    ///
    /// let mut pass = Filter::new(Bot::new("FooBot")?).open_policies("https://example.com/")?;
    /// pass.write(b"<p>Dark bread")?;
    /// pass.write(b"<meta name=robots content=noindex>")?; // a META counts wherever it is
    /// let policies = pass.end()?;
    /// assert!(policies.each().all(|(_, policy)| !policy.allows(Use::Index)));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn end(self) -> Result<PagePolicies> {
        self.0.end_policies()
    }
}
