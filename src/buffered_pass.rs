//! A page that is collected before it is filtered, for tasks that wait between its pieces.
//!
//! A [`Pass`] stays on its thread: html5ever's tree builder keeps texts that count their owners
//! without atomics, and nothing that a caller chooses changes that. This type keeps the
//! bytes and not the builder, so it can be moved to another thread and held over an `.await`. The
//! price is memory for the page, and that nothing is emitted before its end. It decides nothing:
//! the pass that it opens does.

use url::Url;

use crate::filter::Filter;
use crate::page::Page;
use crate::pass::Pass;
use crate::sink::Sink;
use heedful_base::error::{Error, Result};
use heedful_base::limits::size;
use heedful_robots::RobotsTxt;

/// A page whose pieces are collected, and filtered at its end. Unlike a [`Pass`] it is `Send`: a
/// task may hold it over an `.await`.
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
}

impl BufferedPass {
    /// Begins a page.
    ///
    /// # Errors
    /// Fails if the URL is not whole.
    pub fn new(filter: &Filter, url: &str) -> Result<Self> {
        let url = Url::parse(url).map_err(|_| Error::url(url))?;
        Ok(Self {
            filter: filter.clone(),
            url,
            robots: Vec::new(),
            headers: Vec::new(),
            bytes: Vec::new(),
        })
    }

    /// Takes the site's robots.txt, as [`Pass::robots_txt`] does.
    pub fn robots_txt(&mut self, robots: &RobotsTxt) {
        self.robots.push(robots.clone());
    }

    /// Takes a header line of the response, as [`Pass::header`] does.
    pub fn header(&mut self, name: &str, value: &str) {
        self.headers.push((name.to_owned(), value.to_owned()));
    }

    /// Takes bytes of the page.
    ///
    /// # Errors
    /// Fails if the page is so long that it must pass the limit `page_bytes`, whatever its
    /// encoding. No byte of it is kept then.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let limit = self.filter.limits_set().page_bytes;
        // Decoding makes one byte of two at the least, as in UTF-16.
        if self.bytes.len().saturating_add(bytes.len()) / 2 > size(limit) {
            self.bytes = Vec::new();
            return Err(Error::limit("page_bytes", limit));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Filters the page, and returns it as the first bot may have it.
    ///
    /// # Errors
    /// As for [`Pass::write`].
    pub fn end(self) -> Result<Page> {
        let pass = self.filter.open(self.url.as_str())?;
        self.feed(pass)?.end()
    }

    /// Filters the page into a sink, for example a [`Snapshot`](crate::Snapshot). The pass has
    /// everything but its end.
    ///
    /// # Errors
    /// As for [`Pass::write`].
    pub fn into_pass<S: Sink>(self, sink: S) -> Result<Pass<S>> {
        let pass = self.filter.open_with(self.url.as_str(), sink)?;
        self.feed(pass)
    }

    fn feed<S: Sink>(self, mut pass: Pass<S>) -> Result<Pass<S>> {
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
