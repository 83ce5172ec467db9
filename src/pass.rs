//! One pass over one page: its inputs in order, and its result.
//!
//! The first error ends a pass: nothing of the page is left then. The result does not depend on how
//! the bytes were cut.

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

/// One pass over one page: first robots.txt and headers, then the bytes in pieces of any size, then
/// the end. It stays on its thread; a [`BufferedPass`](crate::BufferedPass) is `Send`, and can be
/// held over an `.await`. The result does not depend on how the bytes were cut.
#[derive(Debug)]
pub struct Pass<S = Recorder> {
    url: Url,
    /// Another URL of the page.
    also: Option<Url>,
    /// The URL of the folder that the page is a file of.
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
        Ok(Self {
            charset: Charset::new(),
            stream: PassStream {
                lexer: Lexer::new(&terms.limits),
                walk: Walk::new(terms.clone(), &url, now)?,
                sink,
                held: None,
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

    /// Records the denials that allowances lift, for the end of the pass.
    pub(crate) fn record_lifts(&mut self) {
        self.stream.walk.record_lifts();
    }

    /// Gives the page a second URL, for example that of its folder if it is an `index.html`. A
    /// denial by URL counts for both, also in robots.txt files that come later.
    pub fn also_at(&mut self, url: &Url) {
        self.release();
        let outcome = self.stream.walk.also_at(url, &self.url);
        self.note_failure(outcome);
        self.also = Some(url.clone());
    }

    /// Declares that the page is a file in a folder that is on the web at `site`. Links to an
    /// `index.html` or `index.htm` in it then lead to its folder.
    pub fn in_folder(&mut self, site: &Url) {
        self.site = Some(site.clone());
    }

    /// Takes the site's robots.txt. A bot that it keeps out gets nothing of the page:
    /// [`Page::kept_out_by`] tells the rule.
    pub fn robots_txt(&mut self, robots: &RobotsTxt) {
        self.release();
        self.response.robots = self.response.robots.max(RobotsState::from_robots(robots));
        let before = self.stream.walk.shut();
        let outcome = self.stream.walk.robots_txt(
            robots,
            self.url.as_str(),
            self.also.as_ref().map(Url::as_str),
        );
        self.note_failure(outcome);
        let kept_out = self.stream.walk.shut().without(before);
        if !kept_out.is_empty() {
            self.response
                .blocking
                .add(kept_out, self.terms.apply_mode(robots).into_owned());
        }
    }

    /// Takes a header line of the response. Names are compared ignoring case, and lines without a
    /// meaning here are ignored. The character set of a `Content-Type` counts only before the first
    /// [`Pass::write`].
    pub fn header(&mut self, name: &str, value: &str) {
        self.charset.header(name, value);
        self.response.header(name, value);
        self.release();
        let outcome = self.stream.walk.header(name, value);
        self.note_failure(outcome);
    }

    /// Gives the status of the response, and the time at which it was fetched. [`Page::status`] and
    /// [`Page::fetched`] return them; nothing else depends on them.
    pub fn fetched(&mut self, status: Option<u16>, time: Option<SystemTime>) {
        self.response.status = status;
        self.response.fetched = time;
    }

    /// Notes that the time of the fetch was given, and cannot be read.
    #[doc(hidden)]
    pub fn undated(&mut self, date: &str) {
        self.stream.walk.note_unreadable_date(date);
    }

    /// Declares that the bytes are UTF-8, whatever the page or a header declares. Call it before
    /// the first [`Pass::write`].
    pub fn assume_utf8(&mut self) {
        self.charset.set_utf8();
    }

    /// Declares that the last bytes of the page are known to be missing, for example because the
    /// transfer broke off. A denial could be in them if the page breaks off before its head is
    /// closed: it is withheld then. With the switch `cut-short` among the conventions it is withheld
    /// always, unless its `</html>` is there.
    pub fn cut_short(&mut self) {
        self.stream.walk.cut_short();
    }

    /// Takes bytes of the page.
    ///
    /// # Errors
    /// Fails if a limit is passed, or if the markup can be read in two ways. Nothing of the page is
    /// left then. A short page is held back at first, so the same failure may come from the end of
    /// the pass instead.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.check()?;
        if self.stream.walk.is_shut() {
            return Ok(());
        }
        let stream = &mut self.stream;
        if let Some(held) = &mut stream.held {
            held.reserve(bytes.len().min(size(stream.most)));
        }
        let outcome = self.charset.write(bytes, &mut |text| stream.write(text));
        self.note_failure(outcome);
        self.check()
    }

    /// Ends the pass and gives the sink back, after its [`Sink::finish`].
    ///
    /// # Errors
    /// As for [`Pass::write`].
    pub fn into_sink(self) -> Result<S> {
        let (sink, _) = self.into_parts()?;
        Ok(sink)
    }

    /// Reads the text that is held, since what comes now must be read after it.
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

    /// The settings of the pass.
    #[doc(hidden)]
    pub fn terms(&self) -> Arc<PassTerms> {
        self.terms.clone()
    }

    /// Another URL of the page, if it has one.
    #[doc(hidden)]
    pub fn second_url(&self) -> Option<&Url> {
        self.also.as_ref()
    }

    /// The bots that the pass is for.
    #[doc(hidden)]
    pub fn bots(&self) -> Vec<Bot> {
        self.terms.bots.list().to_vec()
    }

    fn note_failure(&mut self, outcome: Result<()>) {
        if let (Err(error), PassState::Good) = (outcome, &self.state) {
            self.state = PassState::Failing(error);
        }
    }

    /// Returns the first error once. From then on the pass is over.
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

    /// Ends the pass. Returns the sink after its [`Sink::finish`], and what is known of the page.
    #[doc(hidden)]
    pub fn into_parts(self) -> Result<(S, PageEnd)> {
        self.into_parts_with(|_| ())
    }

    /// Ends the pass like [`Self::into_parts`]. First calls `transcoded` with the sink if the page
    /// was not in UTF-8, or began with a byte order mark.
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
        let origin = self.origin();
        let terms = self.terms.clone();
        let (recorder, outcome) = self.into_parts_with(Recorder::set_transcoded)?;
        Ok(recorder.pages(origin, &terms.bots, outcome))
    }
}

impl Pass<VerdictSink> {
    /// Holds the text back until all of it is there. Then only parts of it are read.
    pub(crate) fn hold(&mut self) {
        self.stream.held = Some(String::new());
    }

    /// Ends the pass. Returns the policies of the page.
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
            &outcome,
        ))
    }
}

impl Pass<ExplainSink> {
    /// Ends the pass. Returns the page for each bot, with the explanation.
    ///
    /// # Errors
    /// As for [`Pass::write`].
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

/// Passes decoded text on to the sink.
#[derive(Debug)]
struct PassStream<S> {
    lexer: Lexer,
    walk: Walk,
    sink: S,
    /// The text so far, if it is held back until the end.
    held: Option<String>,
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
        match &mut self.held {
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

    /// Reads the text that is held, and holds no more back.
    fn release(&mut self) -> Result<()> {
        match self.held.take_if(|held| !held.is_empty()) {
            Some(held) => self.read(&held),
            None => Ok(()),
        }
    }

    /// Ends the text.
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
    /// Reads only the parts of the text held that the page's policies depend on.
    fn scan(&mut self) -> Result<PolicyScan> {
        let whole = PolicyScan {
            length: self.length,
            read: self.length,
            has_rel: false,
        };
        let Some(held) = self.held.take() else {
            return Ok(whole);
        };
        let Some(ScannedParts { parts, has_rel }) = self.walk.scan(&held) else {
            self.sink.expect(held.len());
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
