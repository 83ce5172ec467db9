//! One pass over one page: it receives robots.txt, headers and bytes, and returns the result.
//!
//! The first error ends a pass, and nothing of the page is returned then. The result does not
//! depend on how the bytes were cut into pieces. This file decides on no use of a page: it decodes
//! bytes, and passes the text to `lex` and `walk`. Only a pass for policies alone keeps the decoded
//! text until the end of the page.

use std::sync::Arc;
use std::time::SystemTime;

use url::Url;

use crate::charset::Charset;
use crate::explain::{ExplainSink, Explanation};
use crate::extract::ScannedParts;
use crate::ledger::PageEnd;
use crate::lex::{Lexer, Token};
use crate::note::NoteKind;
use crate::page::{Page, PageOrigin, PagePolicies, PageResponse, PolicyScan, Recorder};
use crate::scope::PassTerms;
use crate::sink::Sink;
use crate::sink::parts::VerdictSink;
use crate::walk::Walk;
use heedful_base::bot::Bot;
use heedful_base::error::{Error, Result};
use heedful_base::limits::size;
use heedful_robots::{RobotsState, RobotsTxt};

/// One pass over one page. Give it robots.txt and headers first, then the bytes in pieces of any
/// size, and then end it. The result does not depend on how the bytes were cut.
///
/// A [`Pass`] is `Send` if its sink is, so an async task can hold it over an `.await`.
///
/// ```
/// use heedful::{Bot, Filter, RobotsTxt, Use};
///
/// let mut pass = Filter::new(Bot::new("FooBot")?).open("https://example.com/rye")?;
/// pass.robots_txt(&RobotsTxt::parse(b"User-agent: *\nContent-Signal: ai-train=no\nAllow: /"));
/// pass.header("X-Robots-Tag", "noarchive");
/// for piece in [&b"<p>Dark br"[..], b"ead <!--noin", b"dex-->2 EUR"] {
///     pass.write(piece)?;
/// }
/// let page = pass.end()?;
///
/// assert_eq!(page.phrases(), ["Dark bread"]);
/// assert!(!page.policy().allows(Use::Train) && !page.policy().allows(Use::Archive));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug)]
pub struct Pass<S = Recorder> {
    url: Url,
    /// Second URL of the page, from [`Pass::also_at`].
    also: Option<Url>,
    /// URL under which the folder that contains the page's file is published, from
    /// [`Pass::in_folder`].
    site: Option<Url>,
    response: PageResponse,
    charset: Charset,
    stream: PassStream<S>,
    terms: Arc<PassTerms>,
    state: PassState,
}

#[derive(Debug)]
enum PassState {
    Good,
    Failing(Error),
    Failed,
}

impl<S: Sink> Pass<S> {
    pub(crate) fn new(
        terms: Arc<PassTerms>,
        url: &str,
        now: Option<SystemTime>,
        sink: S,
    ) -> Result<Self> {
        let url = Url::parse(url).map_err(|_| Error::url(url))?;
        let mut lexer = Lexer::new(&terms.limits);
        if terms.is_thorough {
            lexer = lexer.confirming();
        }
        Ok(Self {
            charset: Charset::new(),
            stream: PassStream {
                lexer,
                walk: Walk::new(terms.clone(), &url, now)?,
                sink,
                pending_text: None,
                length: 0,
                most: terms.limits.page_bytes,
            },
            url,
            also: None,
            site: None,
            response: PageResponse::default(),
            terms,
            state: PassState::Good,
        })
    }

    /// Makes the pass record each *lift*: an allowance of an inner element that cancels a denial of
    /// an outer element. An explanation can then report the lifts.
    pub(crate) fn record_lifts(&mut self) {
        self.stream.walk.record_lifts();
    }

    /// Gives the page a second URL, for example the URL of its folder if the page is an
    /// `index.html`. A denial for either URL then applies to the page. This includes denials in
    /// robots.txt files that are given to the pass later.
    ///
    /// ```
    /// use heedful::{Bot, Filter, RobotsTxt, Url};
    ///
    /// let mut pass = Filter::new(Bot::new("FooBot")?).open("https://example.com/new")?;
    /// pass.also_at(&Url::parse("https://example.com/old").expect("a URL"));
    /// pass.robots_txt(&RobotsTxt::parse(b"User-agent: *\nDisallow: /old"));
    /// assert!(!pass.end()?.policy().may_fetch()); // kept out by its second URL
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn also_at(&mut self, url: &Url) {
        self.release();
        let outcome = self.stream.walk.also_at(url, &self.url);
        self.note_failure(outcome);
        self.also = Some(url.clone());
    }

    /// Declares that the page is a file of a local folder. `site` is the folder's URL on the web. A
    /// link to an `index.html` or `index.htm` in that folder is then resolved to the URL of the
    /// index file's directory.
    ///
    /// ```
    /// use heedful::{Bot, Filter, Url};
    ///
    /// let mut pass = Filter::new(Bot::new("FooBot")?).open("https://example.com/rye.html")?;
    /// pass.in_folder(&Url::parse("https://example.com/").expect("a URL"));
    /// pass.write(b"<a href=bread/index.html>Bread</a>")?;
    /// assert_eq!(pass.end()?.links()[0].url(), "https://example.com/bread/");
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn in_folder(&mut self, site: &Url) {
        self.site = Some(site.clone());
    }

    /// Applies a robots.txt of the site. A bot for which the file disallows the page gets an empty
    /// page, and [`Page::robots_denial`] returns the deciding rule. If several robots.txt files are
    /// given, each of them can disallow the page.
    ///
    /// ```
    /// use heedful::{Bot, Filter, RobotsTxt};
    ///
    /// let mut pass = Filter::new(Bot::new("FooBot")?).open("https://example.com/drafts/rye")?;
    /// pass.robots_txt(&RobotsTxt::parse(b"User-agent: foobot\nDisallow: /drafts/"));
    /// pass.write(b"<p>Dark bread")?;
    /// let page = pass.end()?;
    /// assert!(page.phrases().is_empty() && !page.policy().may_fetch());
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn robots_txt(&mut self, robots: &RobotsTxt) {
        self.release();
        self.response.robots = self.response.robots.max(RobotsState::from_robots(robots));
        let before = self.stream.walk.denied_bots();
        let outcome = self.stream.walk.robots_txt(
            robots,
            self.url.as_str(),
            self.also.as_ref().map(Url::as_str),
        );
        self.note_failure(outcome);
        let kept_out = self.stream.walk.denied_bots().without(before);
        if !kept_out.is_empty() {
            self.response
                .blocking
                .add(kept_out, self.terms.apply_mode(robots).into_owned());
        }
    }

    /// Applies a header line of the response. Header names are compared ignoring case, and headers
    /// that no convention reads are ignored. The charset of a `Content-Type` has an effect only
    /// before the first [`Pass::write`].
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let mut pass = Filter::new(Bot::new("FooBot")?).open("https://example.com/")?;
    /// pass.header("content-type", "text/html; charset=iso-8859-1");
    /// pass.header("X-Robots-Tag", "barbot: noindex");
    /// pass.write(b"<p>caf\xE9")?;
    /// assert_eq!(pass.end()?.phrases(), ["caf\u{E9}"]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn header(&mut self, name: &str, value: &str) {
        self.charset.header(name, value);
        self.response.header(name, value);
        self.release();
        let outcome = self.stream.walk.header(name, value);
        self.note_failure(outcome);
    }

    /// Sets the status of the response, and the time at which the page was fetched.
    /// [`Page::status`] and [`Page::fetched`] return them, and nothing else depends on them.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use heedful::{Bot, Filter};
    ///
    /// let mut pass = Filter::new(Bot::new("FooBot")?).open("https://example.com/")?;
    /// pass.fetched(Some(200), Some(SystemTime::UNIX_EPOCH));
    /// let page = pass.end()?;
    /// assert_eq!((page.status(), page.fetched()), (Some(200), Some(SystemTime::UNIX_EPOCH)));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn fetched(&mut self, status: Option<u16>, time: Option<SystemTime>) {
        self.response.status = status;
        self.response.fetched = time;
    }

    /// Adds a note that the time at which the page was fetched cannot be parsed. `date` is the text
    /// that cannot be parsed.
    #[doc(hidden)]
    pub fn note_unreadable_date(&mut self, date: &str) {
        self.stream.walk.note_unreadable_date(date);
    }

    /// Declares that the bytes of the page are UTF-8, whatever the page or a header declares. The
    /// call has an effect only before the first [`Pass::write`].
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// // A crawler has decoded the page, but its META still names the old charset.
    /// let mut pass = Filter::new(Bot::new("FooBot")?).open("https://example.com/")?;
    /// pass.assume_utf8();
    /// pass.write("<meta charset=iso-8859-1><p>café".as_bytes())?;
    /// assert_eq!(pass.end()?.phrases(), ["café"]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn assume_utf8(&mut self) {
        self.charset.set_utf8();
    }

    /// Declares that the last bytes of the page are missing, for example because the transfer broke
    /// off. The missing bytes may contain a denial. If the head of the page is incomplete, the page
    /// is therefore withheld.
    ///
    /// The switch `cut-short` ([`Conventions::switches`](crate::Conventions::switches)) withholds
    /// more: all pages with missing bytes. The exception is a page whose `</html>` was read.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let phrases = |html: &[u8]| -> heedful::Result<usize> {
    ///     let mut pass = filter.open("https://example.com/")?;
    ///     pass.cut_short();
    ///     pass.write(html)?;
    ///     Ok(pass.end()?.phrases().len())
    /// };
    /// assert_eq!(phrases(b"<head><title>Rye</title><meta name=rob")?, 0);
    /// assert_eq!(phrases(b"<head><title>Rye</title></head><body>Dark bre")?, 1);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn cut_short(&mut self) {
        self.stream.walk.cut_short();
    }

    /// Filters the next bytes of the page. `bytes` may end anywhere, even inside a tag or a
    /// character.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the page exceeds a limit. Returns
    /// [`ErrorKind::Ambiguous`](crate::ErrorKind::Ambiguous) if two HTML parsers would find
    /// different text in the page. After an error nothing of the page is returned, and each further
    /// call returns [`ErrorKind::Setting`](crate::ErrorKind::Setting).
    ///
    /// The first 64 KiB of a page are collected before they are filtered. So a later call, or the
    /// end of the pass, may return an error that these bytes cause.
    ///
    /// ```
    /// use heedful::{Bot, Filter, Limits};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?).limits(Limits::default().page_bytes(20));
    /// let mut pass = filter.open("https://example.com/")?;
    /// pass.write(b"<p>Dark bread")?;
    /// pass.write(b", light bread")?; // held back: the limit is checked when the page is decoded
    /// assert_eq!(pass.end().unwrap_err().passed_limit(), Some("page_bytes"));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.check()?;
        if self.stream.walk.is_disallowed() {
            return Ok(());
        }
        let stream = &mut self.stream;
        if let Some(held) = &mut stream.pending_text {
            held.reserve(bytes.len().min(size(stream.most)));
        }
        let outcome = self.charset.write(bytes, &mut |text| stream.write(text));
        self.note_failure(outcome);
        self.check()
    }

    /// Ends the pass, calls [`Sink::finish`], and returns the sink.
    ///
    /// # Errors
    /// Returns the errors of [`Pass::write`] and of [`Sink::finish`].
    ///
    /// ```
    /// use heedful::{Bot, CutMark, Filter, Snapshot};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let sink = Snapshot::new(Vec::new(), CutMark::default());
    /// let mut pass = filter.open_with("https://example.com/", sink)?;
    /// pass.write(b"<p>Dark bread")?;
    /// assert_eq!(pass.into_sink()?.into_inner().as_deref(), Some(&b"<p>Dark bread"[..]));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn into_sink(self) -> Result<S> {
        let (sink, _) = self.into_parts()?;
        Ok(sink)
    }

    /// Parses the decoded text that was held back so far. Only a pass for policies holds text back.
    /// Callers do this before they apply an input, such as a header, that must not affect this
    /// text.
    fn release(&mut self) {
        let outcome = self.stream.release();
        self.note_failure(outcome);
    }

    fn origin(&self) -> PageOrigin {
        PageOrigin {
            url: self.url.clone(),
            also: self.also.clone(),
            site: self.site.clone(),
            response: self.response.clone(),
        }
    }

    /// Returns the settings of the pass.
    #[doc(hidden)]
    pub fn terms(&self) -> Arc<PassTerms> {
        self.terms.clone()
    }

    /// Returns the second URL of the page, if [`Pass::also_at`] set one.
    #[doc(hidden)]
    pub fn second_url(&self) -> Option<&Url> {
        self.also.as_ref()
    }

    /// Returns the bots of the pass.
    #[doc(hidden)]
    pub fn bots(&self) -> Vec<Bot> {
        self.terms.bots.list().to_vec()
    }

    fn note_failure(&mut self, outcome: Result<()>) {
        if let (Err(error), PassState::Good) = (outcome, &self.state) {
            self.state = PassState::Failing(error);
        }
    }

    /// Returns an error if the pass has failed. The first call after the failure returns the
    /// original error. Every later call returns [`ErrorKind::Setting`](crate::ErrorKind::Setting).
    fn check(&mut self) -> Result<()> {
        match std::mem::replace(&mut self.state, PassState::Failed) {
            PassState::Good => {
                self.state = PassState::Good;
                Ok(())
            }
            PassState::Failing(error) => Err(error),
            PassState::Failed => Err(Error::setting(
                "this pass has failed before: nothing of the page is left",
            )),
        }
    }

    /// Ends the pass, and calls [`Sink::finish`]. Returns the sink, and the finished record of the
    /// page.
    #[doc(hidden)]
    pub fn into_parts(self) -> Result<(S, PageEnd)> {
        self.into_parts_with(|_| ())
    }

    /// Ends the pass like [`Self::into_parts`]. If the page was not in UTF-8 or began with a byte
    /// order mark, it calls `transcoded` with the sink before [`Sink::finish`].
    fn into_parts_with(mut self, transcoded: impl FnOnce(&mut S)) -> Result<(S, PageEnd)> {
        self.check()?;
        let stream = &mut self.stream;
        self.charset.end(&mut |text| stream.write(text))?;
        let (mut walk, mut sink) = self.stream.end()?;
        if self.charset.malformed() {
            walk.note(
                NoteKind::MalformedText,
                "some bytes are no text in the page's encoding: they read as U+FFFD",
            );
        }
        if self.charset.wants_mark() {
            transcoded(&mut sink);
        }
        let outcome = walk.end()?;
        sink.finish(&outcome)?;
        Ok((sink, outcome))
    }
}

impl Pass<Recorder> {
    /// Ends the pass. Returns the page as the first bot of the filter may have it.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the page exceeds a limit. Returns
    /// [`ErrorKind::Ambiguous`](crate::ErrorKind::Ambiguous) if two HTML parsers would find
    /// different text in the page.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let mut pass = Filter::new(Bot::new("FooBot")?).open("https://example.com/")?;
    /// pass.write(b"<p>Dark bread")?;
    /// pass.write(b"<meta name=robots content=noindex>")?; // the last tag may forbid everything
    /// assert!(pass.end()?.phrases().is_empty());
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn end(self) -> Result<Page> {
        Ok(self.end_each()?.swap_remove(0))
    }

    /// Ends the pass. Returns a page for each bot, in the order of the filter's bots.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the page exceeds a limit. Returns
    /// [`ErrorKind::Ambiguous`](crate::ErrorKind::Ambiguous) if two HTML parsers would find
    /// different text in the page.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let filter = Filter::for_bots(vec![Bot::new("FooBot")?, Bot::new("BarBot")?])?;
    /// let mut pass = filter.open("https://example.com/")?;
    /// pass.write(b"<meta name=barbot content=noindex><p>Dark bread")?;
    /// for page in pass.end_each()? {
    ///     assert_eq!(page.phrases().is_empty(), page.bot().name() == "BarBot");
    /// }
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn end_each(self) -> Result<Vec<Page>> {
        let origin = self.origin();
        let terms = self.terms.clone();
        let (recorder, outcome) = self.into_parts_with(Recorder::set_transcoded)?;
        Ok(recorder.pages(origin, &terms.bots, outcome))
    }
}

impl Pass<VerdictSink> {
    /// Makes the pass keep the page's decoded text, instead of parsing each piece at once. At the
    /// end of the page, the pass parses only the parts on which the page's policies may depend. If
    /// these parts cannot be found with certainty, all of the text is parsed.
    pub(crate) fn hold(&mut self) {
        self.stream.pending_text = Some(String::new());
    }

    /// Ends a pass for policies alone. Returns the policies of the page.
    pub(crate) fn end_policies(mut self) -> Result<PagePolicies> {
        self.check()?;
        let stream = &mut self.stream;
        self.charset.end(&mut |text| stream.write(text))?;
        let scan = stream.scan()?;
        let (walk, mut parts) = self.stream.end()?;
        let outcome = walk.end()?;
        parts.finish(&outcome)?;
        Ok(PagePolicies::new(
            self.url,
            self.terms.bots.clone(),
            &parts,
            scan,
            self.response.robots,
            &outcome,
        ))
    }
}

impl Pass<ExplainSink> {
    /// Ends the pass. Returns an explanation of every decision. The explanation also has a page for
    /// each bot.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the page exceeds a limit. Returns
    /// [`ErrorKind::Ambiguous`](crate::ErrorKind::Ambiguous) if two HTML parsers would find
    /// different text in the page.
    ///
    /// ```
    /// use heedful::{Bot, BotId, Filter};
    ///
    /// let mut pass = Filter::new(Bot::new("FooBot")?).explain("https://example.com/")?;
    /// pass.write(b"<p>one <!--noindex-->two<!--/noindex-->")?;
    /// let explanation = pass.end()?;
    /// assert_eq!(explanation.page(BotId::FIRST).expect("a bot of the pass").phrases(), ["one"]);
    /// assert!(explanation.source().contains("two")); // the explanation holds withheld text
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn end(self) -> Result<Explanation> {
        let origin = self.origin();
        let terms = self.terms.clone();
        let (explain_sink, outcome) =
            self.into_parts_with(|explain_sink| explain_sink.recorder.set_transcoded())?;
        let (recorder, record) = explain_sink.into_parts();
        let pages = recorder.pages(origin, &terms.bots, outcome);
        Ok(Explanation::new(pages, record))
    }
}

/// The part of a pass after decoding: parses text to tokens, judges them, and passes them to the
/// sink.
#[derive(Debug)]
struct PassStream<S> {
    lexer: Lexer,
    walk: Walk,
    sink: S,
    /// Decoded text that is held back until the end of the page. `None` if each text is parsed as
    /// soon as it is decoded.
    pending_text: Option<String>,
    length: u64,
    most: u64,
}

impl<S: Sink> PassStream<S> {
    fn write(&mut self, text: &str) -> Result<()> {
        self.length += text.len() as u64;
        if self.length > self.most {
            self.release()?;
            return Err(Error::limit("page_bytes", self.most));
        }
        match &mut self.pending_text {
            Some(held) => held.push_str(text),
            None => self.read(text)?,
        }
        Ok(())
    }

    fn read(&mut self, text: &str) -> Result<()> {
        let walk = &mut self.walk;
        let sink = &mut self.sink;
        self.lexer.write(text, &mut |token| {
            walk.token(token, &mut |judged| sink.token(judged))
        })
    }

    /// Parses the decoded text that is held back, and stops holding back text: later text is parsed
    /// as soon as it is decoded. Does nothing if no text is held back.
    fn release(&mut self) -> Result<()> {
        match self.pending_text.take_if(|held| !held.is_empty()) {
            Some(held) => self.read(&held),
            None => Ok(()),
        }
    }

    /// Passes the last tokens of the page to the sink. Returns the walk, which has judged the
    /// page's tokens, and the sink.
    fn end(self) -> Result<(Walk, S)> {
        let Self {
            lexer,
            mut walk,
            mut sink,
            ..
        } = self;
        lexer.end(&mut |token| walk.token(token, &mut |judged| sink.token(judged)))?;
        Ok((walk, sink))
    }
}

impl PassStream<VerdictSink> {
    /// Parses the parts of `pending_text` on which the page's policies may depend. All of the text
    /// is parsed if these parts cannot be found with certainty.
    fn scan(&mut self) -> Result<PolicyScan> {
        let whole = PolicyScan {
            length: self.length,
            read: self.length,
            has_rel: false,
        };
        let Some(held) = self.pending_text.take() else {
            return Ok(whole);
        };
        let Some(ScannedParts { parts, has_rel }) = self.walk.scan(&held) else {
            self.sink.set_page_length(held.len());
            self.read(&held)?;
            return Ok(whole);
        };
        let mut at = 0;
        let mut read = 0;
        for part in parts {
            let walk = &mut self.walk;
            let sink = &mut self.sink;
            let mut out = |token: &Token<'_>| walk.token(token, &mut |judged| sink.token(judged));
            self.lexer.skip(&held[at..part.start], &mut out)?;
            self.lexer.write(&held[part.clone()], &mut out)?;
            read += part.len() as u64;
            at = part.end;
        }
        Ok(PolicyScan {
            read,
            has_rel,
            ..whole
        })
    }
}
