//! Reusable settings ([`Filter`]), and one pass over one page ([`Pass`]).

#[cfg(feature = "run")]
use std::collections::HashSet;
use std::sync::Arc;
use std::time::SystemTime;

use url::Url;

use crate::bot::{Bot, Bots};
use crate::charset::Charset;
use crate::dialect::Dialects;
#[cfg(feature = "run")]
use crate::dialect::PAGEFIND_BODY;
use crate::error::{Error, Result};
use crate::explain::{Explanation, Witness};
use crate::ledger::PageEnd;
use crate::lex::Lexer;
use crate::limits::Limits;
use crate::note::NoteKind;
use crate::page::{At, Page, Recorder};
use crate::policy::Facets;
use crate::robots_txt::{Mode, RobotsTxt};
use crate::scope::{Licence, Licences, Names, Resolver, Terms};
use crate::sink::Sink;
use crate::walk::Walk;

/// The settings of a pass: dialects, bots and limits. Reusable, and may be shared between threads.
#[derive(Clone, Debug)]
#[must_use]
pub struct Filter {
    pub(crate) terms: Arc<Terms>,
    snapshots: bool,
}

impl Filter {
    /// A filter for one bot, with the dialects of the preset `web` and the default limits.
    pub fn new(bot: Bot) -> Self {
        Self::of(Bots::one(bot))
    }

    /// A filter that reads each page once for several bots.
    ///
    /// # Errors
    /// Fails with no bot, or with more than [`BotSet::MAX`](crate::BotSet::MAX).
    pub fn for_bots(bots: Vec<Bot>) -> Result<Self> {
        Bots::new(bots).map(Self::of)
    }

    fn of(bots: Bots) -> Self {
        Self { terms: Arc::new(Terms::new(bots)), snapshots: false }
    }

    fn terms_mut(&mut self) -> &mut Terms {
        Arc::make_mut(&mut self.terms)
    }

    /// Sets the dialects to obey.
    pub fn dialects(mut self, dialects: Dialects) -> Self {
        self.terms_mut().obey(dialects);
        self
    }

    /// Sets the limits of a pass.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.terms_mut().limits = limits;
        self
    }

    /// The limits of this filter. Code that reads pages for the filter keeps to them too.
    pub fn limits_set(&self) -> &Limits {
        &self.terms.limits
    }

    /// Sets the URI by which a page declares the Robot Exclusion Profile. The default is the draft's
    /// `http://example.org/xmdp/robots-profile#`.
    pub fn profile(mut self, uri: &str) -> Self {
        uri.clone_into(&mut self.terms_mut().profile.uri);
        self
    }

    /// Sets how Names pages are found: `resolve` gets the URL of one, and returns its content or nothing. Without a
    /// resolver no Names page is known. Then the profile's denials for a bot by number bind every bot, and its
    /// allowances bind none.
    pub fn names(mut self, resolve: impl Fn(&str) -> Option<Names> + Send + Sync + 'static) -> Self {
        self.terms_mut().profile.resolver = Some(Resolver::new(resolve));
        self
    }

    /// Sets how RSL documents are found, by the whole address that a page, a header or a robots.txt gives. A document
    /// that is not found denies nothing, and is reported in a note (`terms`). The function is called once for each
    /// pointer of each page.
    pub fn licences(mut self, resolve: impl Fn(&str) -> Option<Licence> + Send + Sync + 'static) -> Self {
        self.terms_mut().licences = Licences::new(resolve);
        self
    }

    #[cfg(feature = "run")]
    pub(crate) fn asks_for_pagefind_sites(&self) -> bool {
        self.terms.dialects.has(PAGEFIND_BODY)
    }

    /// Adds sites that have a page with `data-pagefind-body`, as scheme, host and port.
    #[cfg(feature = "run")]
    pub(crate) fn pagefind_sites(mut self, sites: &HashSet<String>) -> Self {
        if !sites.is_empty() {
            let known = &mut self.terms_mut().pagefind_sites;
            *known = Arc::new(known.union(sites).cloned().collect());
        }
        self
    }

    #[cfg(feature = "run")]
    pub(crate) fn asks_for_names(&self) -> bool {
        self.terms.dialects.know_the_profile()
    }

    /// The names in the page at `url`, as far as is known.
    #[cfg(feature = "run")]
    pub(crate) fn names_at(&self, url: &str) -> Option<Names> {
        self.terms.profile.resolver.as_ref()?.names_at(url)
    }

    /// Denies more facets, on the operator's behalf, to the pages that a URL pattern matches. A pattern that begins
    /// with `/` is compared with path and query as in robots.txt. Any other pattern is compared with the whole URL.
    ///
    /// # Errors
    /// Fails if the pattern is neither a path nor a URL.
    pub fn deny(mut self, denies: Facets, pattern: &str) -> Result<Self> {
        self.terms_mut().deny(denies, pattern)?;
        Ok(self)
    }

    /// Sets how every robots.txt is read. The default is RFC 9309, or what the file itself says.
    pub fn robots_mode(mut self, mode: Mode) -> Self {
        self.terms_mut().mode = Some(mode);
        self
    }

    /// Sets the clock: a page past its `unavailable_after` is not indexed. Without a clock the time is only reported.
    pub fn now(mut self, now: SystemTime) -> Self {
        self.terms_mut().now = Some(now);
        self
    }

    /// Keeps each page's source to the end of the pass, for [`Page::snapshot`].
    pub fn snapshots(mut self) -> Self {
        self.snapshots = true;
        self
    }

    #[cfg(feature = "oracle")]
    pub(crate) fn without_clock(mut self) -> Self {
        if self.terms.now.is_some() {
            self.terms_mut().now = None;
        }
        self
    }

    /// Hears every tile and judges every place twice, even if that is known to change nothing.
    #[cfg(feature = "oracle")]
    pub(crate) fn thorough(mut self) -> Self {
        self.terms_mut().is_thorough = true;
        self
    }

    /// Begins a page.
    ///
    /// # Errors
    /// Fails if the URL is not absolute.
    pub fn open(&self, url: &str) -> Result<Pass> {
        self.open_with(url, Recorder::new(&self.terms.bots, &self.terms.limits, self.snapshots))
    }

    /// Begins a page whose tiles go to a sink of the caller's.
    ///
    /// # Errors
    /// As for [`Filter::open`].
    pub fn open_with<S: Sink>(&self, url: &str, sink: S) -> Result<Pass<S>> {
        let url = Url::parse(url).map_err(|_| Error::url(url))?;
        Ok(Pass {
            charset: Charset::new(),
            stream: Stream {
                lexer: Lexer::new(&self.terms.limits),
                walk: Walk::new(self.terms.clone(), &url)?,
                sink,
                length: 0,
                most: self.terms.limits.page_bytes,
            },
            url,
            also: None,
            site: None,
            terms: self.terms.clone(),
            state: State::Good,
        })
    }

    /// Begins a page with an explanation of everything. The explanation also holds the withheld parts.
    ///
    /// ```
    /// use heedful::{Bot, BotId, Fate, Filter};
    ///
    /// let mut pass = Filter::new(Bot::new("FooBot")?).explain("https://example.com/")?;
    /// pass.write(b"<p>one <!--noindex--> two <!--/noindex--></p><!--noindex--><!--/noindex-->")?;
    /// let explanation = pass.end()?;
    /// let heard: Vec<_> = explanation.heard().iter().map(|heard| heard.directive().text()).collect();
    /// assert_eq!(heard, ["<!--noindex-->", "<!--noindex-->"]);
    /// let fates: Vec<_> = explanation.effects(BotId::FIRST).iter().map(|effects| effects[0].fate()).collect();
    /// assert_eq!(fates, [Fate::Obeyed, Fate::Idle]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Filter::open`].
    pub fn explain(&self, url: &str) -> Result<Pass<Witness>> {
        let recorder = Recorder::new(&self.terms.bots, &self.terms.limits, true);
        let mut pass = self.open_with(url, Witness::new(recorder, self.terms.bots.all()))?;
        pass.stream.walk.ask_why();
        Ok(pass)
    }

    /// Reads a whole page for the first bot.
    ///
    /// # Errors
    /// As for [`Filter::open`], [`Pass::write`] and [`Pass::end`].
    pub fn page(&self, url: &str, html: &[u8]) -> Result<Page> {
        let mut pass = self.open(url)?;
        pass.write(html)?;
        pass.end()
    }
}

/// One pass over one page: first robots.txt and headers, then the bytes in pieces of any size, then the end. It stays
/// on its thread. The result does not depend on how the bytes were cut.
#[derive(Debug)]
pub struct Pass<S = Recorder> {
    url: Url,
    /// Another URL of the page.
    also: Option<Url>,
    /// The URL of the folder that the page is a file of.
    site: Option<Url>,
    charset: Charset,
    stream: Stream<S>,
    terms: Arc<Terms>,
    state: State,
}

#[derive(Debug)]
enum State {
    Good,
    Failing(Error),
    Failed,
}

impl<S: Sink> Pass<S> {
    /// Gives the page a second URL, for example that of its folder if it is an `index.html`. A denial by URL counts for
    /// both, also in robots.txt files that come later.
    pub fn also_at(&mut self, url: &Url) {
        let outcome = self.stream.walk.also_at(url, &self.url);
        self.note_failure(outcome);
        self.also = Some(url.clone());
    }

    /// Says that the page is a file in a folder that is on the web at `site`. Links to an `index.html` or `index.htm`
    /// in it then lead to its folder.
    pub fn in_folder(&mut self, site: &Url) {
        self.site = Some(site.clone());
    }

    /// Takes the site's robots.txt. A bot that it keeps out gets nothing of the page.
    pub fn robots_txt(&mut self, robots: &RobotsTxt) {
        let outcome = self.stream.walk.robots_txt(robots, self.url.as_str(), self.also.as_ref().map(Url::as_str));
        self.note_failure(outcome);
    }

    /// Takes a header line of the response. Names are compared ignoring case, and lines without a meaning here are
    /// ignored. The character set of a `Content-Type` counts only before the first [`Pass::write`].
    pub fn header(&mut self, name: &str, value: &str) {
        self.charset.header(name, value);
        let outcome = self.stream.walk.header(name, value);
        self.note_failure(outcome);
    }

    /// Says that the bytes are UTF-8, whatever the page or a header declares. Call it before the first [`Pass::write`].
    pub fn assume_utf8(&mut self) {
        self.charset.set_utf8();
    }

    /// Says that the last bytes of the page are known to be missing, for example because the transfer broke off. A
    /// denial could be in them. So the page is withheld, unless its `</html>` is there or the dialects are without
    /// `cut-short`.
    pub fn cut_short(&mut self) {
        self.stream.walk.cut_short();
    }

    /// Takes bytes of the page.
    ///
    /// # Errors
    /// Fails if a limit is passed, or if the markup can be read in two ways. Nothing of the page is left then.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.check()?;
        if self.stream.walk.is_shut() {
            return Ok(());
        }
        let stream = &mut self.stream;
        let outcome = self.charset.write(bytes, &mut |text| stream.write(text));
        self.note_failure(outcome);
        self.check()
    }

    /// Ends the pass and gives the sink back, after its [`Sink::finish`].
    ///
    /// # Errors
    /// As for [`Pass::write`].
    pub fn into_sink(self) -> Result<S> {
        self.into_parts().map(|(sink, _)| sink)
    }

    fn at(&self) -> At {
        At { url: self.url.clone(), also: self.also.clone(), site: self.site.clone() }
    }

    /// The settings of the pass.
    pub(crate) fn terms(&self) -> Arc<Terms> {
        self.terms.clone()
    }

    /// Another URL of the page, if it has one.
    pub(crate) fn second_url(&self) -> Option<&Url> {
        self.also.as_ref()
    }

    /// The bots that the pass is for.
    pub(crate) fn bots(&self) -> Vec<Bot> {
        self.terms.bots.list().to_vec()
    }

    fn note_failure(&mut self, outcome: Result<()>) {
        if let (Err(error), State::Good) = (outcome, &self.state) {
            self.state = State::Failing(error);
        }
    }

    /// Returns the first error once. From then on the pass is over.
    fn check(&mut self) -> Result<()> {
        match std::mem::replace(&mut self.state, State::Failed) {
            State::Good => {
                self.state = State::Good;
                Ok(())
            }
            State::Failing(error) => Err(error),
            State::Failed => Err(Error::setting("this pass has failed before: nothing of the page is left")),
        }
    }

    /// Ends the pass. Returns the sink after its [`Sink::finish`], and what is known of the page.
    pub(crate) fn into_parts(self) -> Result<(S, PageEnd)> {
        self.into_parts_with(|_| ())
    }

    /// Ends the pass like [`Self::into_parts`]. Calls `transcoded` if the page's bytes were not those of its text.
    fn into_parts_with(mut self, transcoded: impl FnOnce(&mut S)) -> Result<(S, PageEnd)> {
        self.check()?;
        let stream = &mut self.stream;
        self.charset.end(&mut |text| stream.write(text))?;
        let (mut walk, mut sink) = self.stream.end()?;
        if self.charset.malformed() {
            walk.note(NoteKind::MalformedText, "some bytes are no text in the page's encoding: they read as U+FFFD");
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
    /// Ends the pass. Returns the page as the first bot may have it.
    ///
    /// # Errors
    /// As for [`Pass::write`].
    pub fn end(self) -> Result<Page> {
        Ok(self.end_each()?.swap_remove(0))
    }

    /// Ends the pass. Returns the page for each bot, in their order.
    ///
    /// # Errors
    /// As for [`Pass::write`].
    pub fn end_each(self) -> Result<Vec<Page>> {
        let (at, terms) = (self.at(), self.terms.clone());
        let (recorder, outcome) = self.into_parts_with(Recorder::set_transcoded)?;
        Ok(recorder.pages(at, &terms.bots, outcome))
    }
}

impl Pass<Witness> {
    /// Ends the pass. Returns the page for each bot, with the explanation.
    ///
    /// # Errors
    /// As for [`Pass::write`].
    pub fn end(self) -> Result<Explanation> {
        let (at, terms) = (self.at(), self.terms.clone());
        let (witness, outcome) = self.into_parts_with(|witness| witness.recorder.set_transcoded())?;
        let (recorder, seen) = witness.into_parts();
        Ok(Explanation::new(recorder.pages(at, &terms.bots, outcome), seen))
    }
}

/// Passes decoded text on to the sink.
#[derive(Debug)]
struct Stream<S> {
    lexer: Lexer,
    walk: Walk,
    sink: S,
    length: u64,
    most: u64,
}

impl<S: Sink> Stream<S> {
    fn write(&mut self, text: &str) -> Result<()> {
        self.length += text.len() as u64;
        if self.length > self.most {
            return Err(Error::limit("page_bytes", self.most));
        }
        let (walk, sink) = (&mut self.walk, &mut self.sink);
        self.lexer.write(text, &mut |tile| walk.tile(tile, &mut |judged| sink.tile(judged)))
    }

    /// Ends the text.
    fn end(self) -> Result<(Walk, S)> {
        let Self { lexer, mut walk, mut sink, .. } = self;
        lexer.end(&mut |tile| walk.tile(tile, &mut |judged| sink.tile(judged)))?;
        Ok((walk, sink))
    }
}
