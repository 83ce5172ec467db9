//! A pass that asks only for the policies of its page: may it be indexed, archived, used as input,
//! for training?
//!
//! It gives the policies that a [`Pass`] gives, or its error, and no text and no links. The page's
//! text is kept to its end, and only those parts are read that the policies depend on
//! (`extract/scan`). In doubt that is all of it.

use std::time::SystemTime;

use url::Url;

use crate::page::PagePolicies;
use crate::pass::Pass;
use crate::sink::parts::VerdictSink;
use heedful_base::error::Result;
use heedful_robots::RobotsTxt;

/// One pass over one page for its policies alone. The inputs are those of [`Pass`], and the result
/// does not depend on how the bytes were cut. A page takes its decoded bytes in memory until the
/// end.
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

    /// Gives the pass its inputs with a function.
    #[doc(hidden)]
    pub fn with_inputs(
        self,
        feed: impl FnOnce(Pass<VerdictSink>) -> Result<Pass<VerdictSink>>,
    ) -> Result<Self> {
        feed(self.0).map(Self)
    }

    /// Gives the page a second URL: see [`Pass::also_at`].
    pub fn also_at(&mut self, url: &Url) {
        self.0.also_at(url);
    }

    /// Takes the site's robots.txt: see [`Pass::robots_txt`].
    pub fn robots_txt(&mut self, robots: &RobotsTxt) {
        self.0.robots_txt(robots);
    }

    /// Takes a header line of the response: see [`Pass::header`].
    pub fn header(&mut self, name: &str, value: &str) {
        self.0.header(name, value);
    }

    /// Gives the status of the response, and the time at which it was fetched. No policy depends on
    /// them.
    pub fn fetched(&mut self, status: Option<u16>, time: Option<SystemTime>) {
        self.0.fetched(status, time);
    }

    /// Declares that the bytes are UTF-8: see [`Pass::assume_utf8`].
    pub fn assume_utf8(&mut self) {
        self.0.assume_utf8();
    }

    /// Declares that the last bytes of the page are known to be missing: see [`Pass::cut_short`].
    pub fn cut_short(&mut self) {
        self.0.cut_short();
    }

    /// Takes bytes of the page.
    ///
    /// # Errors
    /// As for [`Pass::write`]; an error may also come only at the end.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.0.write(bytes)
    }

    /// Ends the pass. Returns the policies for all bots.
    ///
    /// # Errors
    /// As for [`Pass::end`].
    pub fn end(self) -> Result<PagePolicies> {
        self.0.end_policies()
    }
}
