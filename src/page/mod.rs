//! The result of a pass: the page as one bot may have it.
//!
//! All bots of a pass share one recording of the page. A [`Page`] is one bot's view of the
//! recording, under the page's policy for that bot. Content that the policy denies is not in the
//! view, and each missing part has a known reason.

mod blocks;
mod links;
mod origin;
mod policies;
mod positions;
mod shared;
mod texts;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::time::SystemTime;

use unicode_segmentation::UnicodeSegmentation;
use url::Url;

use crate::html::{Landmark, Landmarks, Tag};
use crate::ledger::{PageEnd, VerdictId, Verdicts};
use crate::lex::TokenKind;
use crate::note::Note;
use crate::policy::{Directive, Policy, Use};
use crate::scope::PassTerms;
use crate::sink::Sink;
use crate::sink::audit::{AuditSink, WithheldRange};
use crate::sink::links::{LinkKind, LinkSink};
use crate::sink::snapshot::{Dressing, SourceRecorder};
use crate::sink::text::{FieldText, TextSegment, TextSink};
use crate::walk::Judged;
use heedful_base::address::{Base, Key};
use heedful_base::bot::{Bot, BotId, Bots};
use heedful_base::error::Result;
use heedful_base::limits::size;
use heedful_robots::{RobotsState, RobotsTxt, Ruling};

pub use blocks::Block;
pub use links::Link;
use links::PageRecord;
pub use origin::{PageOrigin, PageResponse};
pub use policies::PagePolicies;
pub(crate) use policies::PolicyScan;
use policies::policies;
pub use positions::{BLOCK_GAP, PHRASE_GAP, POSITIONS, Parting, PositionedWord, step, words_of};
use shared::SharedValues;
use texts::TextReader;

/// Sink that records the text, the links and the withheld parts of one page. The [`Page`] of each
/// bot is made from this recording.
///
/// ```
/// use heedful::{Bot, Filter, Pass, Recorder};
///
/// // `Pass` alone is a pass into a `Recorder`: only such a pass ends in a page.
/// fn read(mut pass: Pass<Recorder>) -> heedful::Result<usize> {
///     pass.write(b"<p>Dark bread")?;
///     Ok(pass.end()?.phrases().len())
/// }
/// let filter = Filter::new(Bot::new("FooBot")?);
/// assert_eq!(read(filter.open("https://example.com/")?)?, 1);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug)]
pub struct Recorder {
    text: TextSink,
    links: LinkSink,
    audit: AuditSink,
    /// The `lang` attribute of the root element, and the verdict for that element. A bot to which
    /// this verdict denies indexing does not get the language.
    language: Option<(String, VerdictId)>,
    /// HTML source of the page, from which snapshots are made. `None` if the source is not kept.
    source: Option<SourceRecorder>,
}

impl Recorder {
    #[doc(hidden)]
    pub fn new(terms: &PassTerms, with_source: bool) -> Self {
        let limits = &terms.limits;
        Self {
            text: TextSink::new(terms.bots.all(), terms.landmarks),
            links: LinkSink::new(size(limits.links)),
            audit: AuditSink::new(size(limits.exclusions)),
            language: None,
            source: with_source.then(SourceRecorder::default),
        }
    }

    /// Records that the page was not in UTF-8, or began with a byte order mark. A snapshot of the
    /// page then begins with a byte order mark.
    pub(crate) fn set_transcoded(&mut self) {
        if let Some(source) = &mut self.source {
            source.set_transcoded();
        }
    }

    /// Creates a page for each bot of the pass.
    #[doc(hidden)]
    pub fn pages(self, at: PageOrigin, bots: &Bots, outcome: PageEnd) -> Vec<Page> {
        let recording = Arc::new(self.recording(at, bots.clone(), outcome));
        bots.each()
            .map(|(bot, _)| Page {
                bot,
                recording: recording.clone(),
            })
            .collect()
    }

    fn recording(self, at: PageOrigin, bots: Bots, outcome: PageEnd) -> Recording {
        let PageOrigin {
            url,
            also,
            site,
            response,
        } = at;
        let text = self.text;
        let all = bots.all();
        let silenced =
            outcome.bots_without_words(text.body.segments().iter().map(TextSegment::verdict), all);
        let record = Arc::new(PageRecord {
            policies: policies(&outcome, all, silenced),
            all,
            outcome,
        });
        let reader = TextReader::new(&record);
        Recording {
            title: reader.phrases(&text.title),
            description: reader.phrases(&text.description),
            headings: reader.headings(&text.body),
            phrases: reader.phrases(&text.body),
            alternative: reader.phrases(&text.alternative),
            links: links::read(
                &self.links,
                &text,
                &record,
                &Base::new(record.outcome.base(), site.as_ref()),
                &url,
            ),
            url,
            also,
            bots,
            record,
            text,
            response,
            language: self.language,
            audit: self.audit,
            source: self.source,
        }
    }
}

/// Returns the language that the token declares in a `lang` attribute, with the token's verdict.
/// `None` if the token is no start tag of the root element, or has no language.
fn language(judged: &Judged<'_>) -> Option<(String, VerdictId)> {
    let token = judged.token();
    let is_root = judged.is_page_element() && !token.is_foreign();
    if !is_root {
        return None;
    }
    let value = token.attribute("lang")?;
    let language = value.trim();
    (!language.is_empty()).then(|| (language.to_owned(), judged.id()))
}

impl Sink for Recorder {
    #[inline]
    fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
        self.text.token(judged)?;
        if judged.token().kind() == TokenKind::Start {
            self.links.token(judged)?;
            if self.language.is_none() && judged.token().tag() == Tag::HTML {
                self.language = language(judged);
            }
        }
        if let Some(source) = &mut self.source {
            source.token(judged)?;
        }
        self.audit.token(judged)
    }

    fn finish(&mut self, outcome: &PageEnd) -> Result<()> {
        self.text.finish(outcome)?;
        self.links.finish(outcome)?;
        self.audit.finish(outcome)
    }
}

/// A page as one bot may have it: its text, its links, and the policy for the page as a whole.
///
/// A text field, such as [`Page::title`], is a list of phrases. A phrase ends where something was
/// excluded. So no phrase query matches across the exclusion.
///
/// ```
/// use heedful::{Bot, Filter, Use};
///
/// let html = b"<title>Rye</title><p>Dark <!--noindex-->2 EUR<!--/noindex--> <a href=/oat>oat</a>";
/// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
/// assert_eq!(page.title(), ["Rye"]);
/// assert_eq!(page.phrases(), ["Dark", "oat"]);
/// assert_eq!(page.links()[0].url(), "https://example.com/oat");
/// assert!(page.policy().allows(Use::Index));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Page {
    bot: BotId,
    recording: Arc<Recording>,
}

/// Data of one page, shared by the [`Page`]s of all bots. If several bots may have the same text,
/// the recording has only one copy of this text.
#[derive(Debug)]
struct Recording {
    url: Url,
    also: Option<Url>,
    bots: Bots,
    record: Arc<PageRecord>,
    text: TextSink,
    response: PageResponse,
    language: Option<(String, VerdictId)>,
    audit: AuditSink,
    source: Option<SourceRecorder>,
    title: SharedValues<Vec<String>>,
    description: SharedValues<Vec<String>>,
    headings: SharedValues<Vec<String>>,
    phrases: SharedValues<Vec<String>>,
    alternative: SharedValues<Vec<String>>,
    links: SharedValues<Vec<Link>>,
}

impl Page {
    /// Returns the bot for which this page was made.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let page = Filter::new(Bot::new("FooBot/2.1")?).page("https://example.com/", &[], b"")?;
    /// assert_eq!(page.bot().name(), "FooBot"); // without the version
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn bot(&self) -> &Bot {
        self.recording.bots.get(self.bot)
    }

    /// Returns the URL with which the pass was opened, in normal form.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let page = filter.page("HTTPS://Example.com:443/a/../rye", &[], b"")?;
    /// assert_eq!(page.url(), "https://example.com/rye");
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn url(&self) -> &str {
        self.recording.url.as_str()
    }

    /// Returns the URL with which the pass was opened, as a [`Url`].
    #[doc(hidden)]
    pub fn location(&self) -> &Url {
        &self.recording.url
    }

    /// Returns the key by which an index stores and finds the page.
    #[doc(hidden)]
    pub fn key(&self) -> Key<'_> {
        Key::of_url(self.location())
    }

    /// Returns the language that the `lang` attribute of the page's root element declares, spelt as
    /// in the page. Without this attribute, the `Content-Language` header counts if it names a
    /// single language. Returns `None` if no language is declared, or if the page may not be
    /// indexed.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let headers = [("Content-Language", "de")];
    /// let page = filter.page("https://example.com/", &headers, b"<html lang=en-GB><p>Rye")?;
    /// assert_eq!(page.language(), Some("en-GB"));
    /// let page = filter.page("https://example.com/", &headers, b"<p>Rye")?;
    /// assert_eq!(page.language(), Some("de"));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn language(&self) -> Option<&str> {
        if !self.policy().allows(Use::Index) {
            return None;
        }
        let Some((language, verdict)) = &self.recording.language else {
            return self.recording.response.language.as_deref();
        };
        // A root element that is withheld declares no language.
        let denied = self.outcome().verdict(*verdict).denied(Use::Index);
        if denied.contains(self.bot) {
            None
        } else {
            Some(language)
        }
    }

    /// Returns the value of the response's `Content-Type` header. Returns `None` if the pass
    /// received no such header.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let headers = [("content-type", " text/html; charset=utf-8")];
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &headers, b"")?;
    /// assert_eq!(page.content_type(), Some("text/html; charset=utf-8"));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn content_type(&self) -> Option<&str> {
        self.recording.response.content_type.as_deref()
    }

    /// Returns the HTTP status of the response, or `None` if
    /// [`Pass::fetched`](crate::Pass::fetched) did not set a status.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let mut pass = Filter::new(Bot::new("FooBot")?).open("https://example.com/")?;
    /// pass.fetched(Some(404), None);
    /// pass.write(b"<p>Not found")?;
    /// let page = pass.end()?;
    /// assert_eq!(page.status(), Some(404));
    /// assert_eq!(page.phrases(), ["Not found"]); // the status decides nothing
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn status(&self) -> Option<u16> {
        self.recording.response.status
    }

    /// Returns the state of the robots.txt by which the page was judged. If the pass received no
    /// robots.txt, the state is [`RobotsState::Absent`]. If the pass received several files, the
    /// greatest of their states counts, in the order of [`RobotsState`].
    ///
    /// ```
    /// use heedful::{Bot, Filter, RobotsState, RobotsTxt};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let mut pass = filter.open("https://example.com/")?;
    /// pass.robots_txt(&RobotsTxt::parse(b"User-agent: *\nAllow: /"));
    /// let asked = pass.end()?.robots_state();
    /// let page = filter.page("https://example.com/", &[], b"")?;
    /// assert_ne!(asked, page.robots_state());
    /// assert_eq!(page.robots_state(), RobotsState::default()); // no file was given
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn robots_state(&self) -> RobotsState {
        self.recording.response.robots
    }

    /// Returns the robots.txt that disallows the page for the bot, and the ruling of this file. The
    /// ruling has the deciding rule with its line and group, or the deciding HTTP status. If
    /// several files disallow the page, the first of them is returned. Returns `None` if the bot
    /// may fetch the page.
    ///
    /// ```
    /// use heedful::{Bot, Filter, RobotsTxt};
    ///
    /// let mut pass = Filter::new(Bot::new("FooBot")?).open("https://example.com/drafts/rye")?;
    /// pass.robots_txt(&RobotsTxt::parse(b"User-agent: *\nDisallow: /drafts/"));
    /// let page = pass.end()?;
    /// assert!(!page.policy().may_fetch());
    /// let (_, ruling) = page.robots_denial().expect("a rule keeps it out");
    /// assert_eq!(ruling.line(), Some(2));
    /// assert_eq!(ruling.rule().as_deref(), Some("Disallow: /drafts/"));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn robots_denial(&self) -> Option<(&RobotsTxt, Ruling<'_>)> {
        let robots = self.recording.response.blocking.find(self.bot)?;
        Some((
            robots,
            robots.ruling_of(self.bot(), self.url(), self.also_at()),
        ))
    }

    /// Returns the time at which the page was fetched, or `None` if
    /// [`Pass::fetched`](crate::Pass::fetched) did not set a time.
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    ///
    /// use heedful::{Bot, Filter};
    ///
    /// let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_500_000_000);
    /// let mut pass = Filter::new(Bot::new("FooBot")?).open("https://example.com/")?;
    /// pass.fetched(None, Some(time));
    /// assert_eq!(pass.end()?.fetched(), Some(time));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn fetched(&self) -> Option<SystemTime> {
        self.recording.response.fetched
    }

    /// Returns the canonical URL that the page declares for itself, in normal form and without a
    /// fragment. Returns `None` if the page declares none, or if the page may not be indexed.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<link rel=canonical href='/rye#top'><p>Dark bread";
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let page = filter.page("https://example.com/rye?from=ad", &[], html)?;
    /// assert_eq!(page.canonical_url(), Some("https://example.com/rye"));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn canonical_url(&self) -> Option<&str> {
        if !self.policy().allows(Use::Index) {
            return None;
        }
        self.canonical_link()?.url().split('#').next()
    }

    fn canonical_link(&self) -> Option<&Link> {
        let is_canonical = |link: &&Link| {
            link.kind() == LinkKind::Link && link.rel().iter().any(|rel| rel == "canonical")
        };
        self.links().iter().find(is_canonical)
    }

    /// Returns the key by which an index finds the canonical URL that the page declares. Returns
    /// `None` if the page declares none, or if the key is too long for an index.
    #[doc(hidden)]
    pub fn canonical(&self) -> Option<Key<'_>> {
        let key = self.canonical_link()?.key();
        (!key.is_too_long()).then_some(key)
    }

    /// Returns the second URL of the page, which [`Pass::also_at`](crate::Pass::also_at) sets. For
    /// an `index.html`, this may be the URL of its folder. Returns `None` if no second URL was set.
    ///
    /// ```
    /// use heedful::{Bot, Filter, Url};
    ///
    /// let mut pass = Filter::new(Bot::new("FooBot")?).open("https://example.com/rye/index.html")?;
    /// pass.also_at(&Url::parse("https://example.com/rye/").expect("a URL"));
    /// assert_eq!(pass.end()?.also_at(), Some("https://example.com/rye/"));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn also_at(&self) -> Option<&str> {
        self.recording.also.as_ref().map(Url::as_str)
    }

    /// Returns the policy, which states what the bot may do with the page as a whole.
    ///
    /// ```
    /// use heedful::{Bot, Filter, Use};
    ///
    /// let headers = [("X-Robots-Tag", "nosnippet")];
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let page = filter.page("https://example.com/", &headers, b"<p>Rye")?;
    /// assert!(page.policy().allows(Use::Index) && !page.policy().allows(Use::Snippet));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn policy(&self) -> &Policy {
        self.recording.record.policies.get(self.bot)
    }

    /// Returns the body text that may be indexed, headings included, as phrases in source order. A
    /// phrase query must not match across the border of two phrases, since text may have been
    /// withheld there. An index with positions should use [`Page::words`], which puts a gap of
    /// positions between two phrases.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<h1>Rye</h1><p>Dark <!--noindex-->2 EUR<!--/noindex--> bread";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// assert_eq!(page.phrases(), ["Rye Dark", "bread"]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn phrases(&self) -> &[String] {
        self.recording.phrases.get(self.bot)
    }

    /// Returns the text of [`Page::phrases`] and [`Page::alternative`] as blocks in source order:
    /// paragraphs, headings, list items, table cells and so on. Blocks without text that the bot
    /// may index are left out.
    ///
    /// ```
    /// use heedful::{BlockKind, Bot, Filter};
    ///
    /// let html = b"<h1>Rye</h1><p>Dark bread<p class=robots-noindex>2 EUR<img src=a.png alt='A loaf'>";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// let kinds: Vec<_> = page.blocks().iter().map(|block| block.kind()).collect();
    /// assert_eq!(kinds, [BlockKind::Heading, BlockKind::Paragraph]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn blocks(&self) -> Vec<Block<'_>> {
        let reader = TextReader::new(&self.recording.record);
        if reader.denied_bots.contains(self.bot) {
            return Vec::new();
        }
        blocks::blocks(&self.recording.text, reader, self.bot)
    }

    /// Returns the text of [`Page::phrases`] with line breaks, as the HTML standard sets them in
    /// `innerText` without any style sheet. A blank line separates paragraphs, and a tab separates
    /// the cells of a table. A line break also separates two phrases.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<h1>Rye</h1><p>Dark <!--noindex-->2 EUR<!--/noindex--> bread<p>Baked<br>daily";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// assert_eq!(page.text(), "Rye\n\nDark\nbread\n\nBaked\ndaily");
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn text(&self) -> String {
        blocks::text(&self.blocks())
    }

    /// Returns the phrases of the body text in `landmarks`. Each phrase is paired with the kind of
    /// border between it and the phrase before. If `by_blocks` is true, a phrase also ends where a
    /// block ends.
    #[doc(hidden)]
    pub fn phrases_in(
        &self,
        landmarks: Landmarks,
        by_blocks: bool,
    ) -> Vec<(Cow<'_, str>, Parting)> {
        let body = &self.recording.text.body;
        let is_wanted = |segment: &TextSegment| landmarks.contains(segment.landmark);
        if !body.segments().iter().any(is_wanted) {
            return Vec::new();
        }
        if by_blocks {
            return blocks::parted_by_blocks(self.blocks(), landmarks);
        }
        if body.segments().iter().all(is_wanted) {
            let phrases = self.phrases().iter();
            return phrases
                .map(|phrase| (Cow::Borrowed(phrase.as_str()), Parting::Phrase))
                .collect();
        }
        let reader = TextReader::new(&self.recording.record);
        let phrases = reader.phrases_in(body, landmarks, self.bot).into_iter();
        phrases
            .map(|phrase| (Cow::Owned(phrase), Parting::Phrase))
            .collect()
    }

    /// Returns the words of [`Page::phrases`], each with its position in an index. For another
    /// text, such as [`Page::title`], use [`words_of`].
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let html = b"<p>Dark <!--noindex-->and light<!--/noindex--> rye";
    /// let page = filter.page("https://example.com/", &[], html)?;
    /// assert_eq!(page.words().map(|word| word.position()).collect::<Vec<_>>(), [0, 1000]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn words(&self) -> impl Iterator<Item = PositionedWord<'_>> {
        words_of(self.phrases())
    }

    /// Returns the phrases of the page's title.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<title>Rye <!--noindex--> bread</title>"; // HTML knows no comments in a title
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// assert_eq!(page.title(), ["Rye <!--noindex--> bread"]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn title(&self) -> &[String] {
        self.recording.title.get(self.bot)
    }

    /// Returns the title as a search result may show it. A withheld part of at most 160 characters
    /// becomes `[...]`, and a longer part leaves no sign. Even a page that denies snippets shows
    /// its title. The title is empty if the page may not be indexed.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<meta name=robots content=nosnippet><title>Rye</title><p>Dark bread";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// assert_eq!((page.shown_title(), page.excerpt()), ("Rye".to_owned(), String::new()));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn shown_title(&self) -> String {
        if !self.policy().allows(Use::Index) {
            return String::new();
        }
        self.field_excerpt(&self.recording.text.title, Use::Snippet)
    }

    /// Returns the phrases of the page's META description.
    pub fn description(&self) -> &[String] {
        self.recording.description.get(self.bot)
    }

    /// Returns the phrases of the headings `h1` to `h6`, which are also part of [`Page::phrases`].
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<meta name=description content='How we bake'>
    ///     <h1>Rye</h1><h2>Dark</h2><p>Bread";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// assert_eq!(page.headings(), ["Rye", "Dark"]);
    /// assert_eq!(page.description(), ["How we bake"]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn headings(&self) -> &[String] {
        self.recording.headings.get(self.bot)
    }

    /// Returns the alternative texts (`alt`) of images. Leaves out text that may not be indexed.
    /// Each alternative text is a phrase of its own.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<img src=a.png alt='A loaf'>
    ///     <img src=b.png alt='An oven' class=robots-noindex>";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// assert_eq!(page.alternative(), ["A loaf"]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn alternative(&self) -> &[String] {
        self.recording.alternative.get(self.bot)
    }

    /// Returns the links of the page in source order. Links that the bot may not follow are
    /// included: see [`Link::may_follow`].
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<a href=/rye>Rye</a><a href=/ad rel=nofollow>Ad</a>
    ///     <a href=mailto:a@example.com>Mail</a>";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// let urls: Vec<_> = page.links().iter().map(|link| link.url()).collect();
    /// assert_eq!(urls, ["https://example.com/rye", "https://example.com/ad"]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn links(&self) -> &[Link] {
        self.recording.links.get(self.bot)
    }

    /// Returns the body text from which a search result may quote: text that may be both indexed
    /// and shown. A withheld part of at most 160 characters becomes `[...]`, and a longer part
    /// leaves no sign. A search result may show at most [`Policy::max_snippet`] characters of this
    /// text.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<p>Dark bread <span data-nosnippet>from 2 EUR</span> with rye";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// assert_eq!(page.showable(), "Dark bread [...] with rye");
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn showable(&self) -> String {
        self.body_for(Use::Snippet, Landmarks::ALL)
    }

    /// Returns the text of [`Page::showable`], with the text of navigation landmarks moved to the
    /// end.
    #[doc(hidden)]
    pub fn showable_navigation_last(&self) -> String {
        self.navigation_last(Use::Snippet)
    }

    /// Returns the text of [`Page::material`], with the text of navigation landmarks moved to the
    /// end.
    #[doc(hidden)]
    pub fn material_navigation_last(&self) -> String {
        self.navigation_last(Use::Input)
    }

    fn navigation_last(&self, usage: Use) -> String {
        let navigation = Landmarks::one(Some(Landmark::Navigation));
        let mut text = self.body_for(usage, Landmarks::ALL.without(navigation));
        let segments = self.recording.text.body.segments();
        if segments
            .iter()
            .any(|segment| navigation.contains(segment.landmark))
        {
            let last = self.body_for(usage, navigation);
            if !text.is_empty() && !last.is_empty() {
                text.push(' ');
            }
            text.push_str(&last);
        }
        text
    }

    /// Returns the longest excerpt that a search result may show: the beginning of
    /// [`Page::showable`], at most [`Policy::max_snippet`] characters.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<meta name=robots content='max-snippet:12'><p>Dark bread with rye";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// assert_eq!(page.excerpt(), "Dark bread");
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn excerpt(&self) -> String {
        self.limit_to_max_snippet(self.showable())
    }

    /// Returns the body text that a model may get as material for an answer. This is text that may
    /// be indexed and used for [`Use::Input`]. A withheld part of at most 160 characters becomes
    /// `[...]`, and a longer part leaves no sign. The text is cut to [`Policy::max_snippet`]
    /// characters, since this limit also holds for answers.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let headers = [("Content-Usage", "ai-use=n")];
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let page = filter.page("https://example.com/", &[], b"<p>Dark bread")?;
    /// assert_eq!(page.input(), "Dark bread");
    /// assert_eq!(filter.page("https://example.com/", &headers, b"<p>Dark bread")?.input(), "");
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn input(&self) -> String {
        self.limit_to_max_snippet(self.material())
    }

    /// Returns the text of [`Page::input`] without the limit of [`Policy::max_snippet`].
    #[doc(hidden)]
    pub fn material(&self) -> String {
        self.body_for(Use::Input, Landmarks::ALL)
    }

    /// Returns the title as a model may get it as material for an answer. A withheld part of at
    /// most 160 characters becomes `[...]`, and a longer part leaves no sign. Empty if the page as
    /// a whole denies [`Use::Input`].
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<meta name=robots content=nosnippet><title>Rye</title>";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// assert_eq!(page.shown_title(), "Rye");
    /// assert_eq!(page.input_title(), ""); // content that may not be shown is no material
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn input_title(&self) -> String {
        if self.policy().allows(Use::Input) {
            self.field_excerpt(&self.recording.text.title, Use::Input)
        } else {
            String::new()
        }
    }

    fn body_for(&self, usage: Use, landmarks: Landmarks) -> String {
        if self.policy().allows(usage) {
            let body = &self.recording.text.body;
            texts::excerpt(body, usage, landmarks, self.bot, self.verdicts())
        } else {
            String::new()
        }
    }

    /// Returns the text of `field` that may be both indexed and used for `usage`. `[...]` replaces
    /// a withheld part of at most 160 characters, and longer parts leave no sign.
    fn field_excerpt(&self, field: &FieldText, usage: Use) -> String {
        texts::excerpt(field, usage, Landmarks::ALL, self.bot, self.verdicts())
    }

    fn limit_to_max_snippet(&self, mut text: String) -> String {
        if let Some(most) = self.policy().max_snippet() {
            text.truncate(beginning(&text, most as usize).len());
        }
        text
    }

    /// Returns a copy of the page's own HTML in UTF-8, without content that may not be archived.
    /// `dressing` sets the mark at each cut, and additions such as a banner.
    ///
    /// Returns `None` if the bot may not store a copy of the page. Also returns `None` if the
    /// filter was made without [`Filter::snapshots`](crate::Filter::snapshots).
    ///
    /// ```
    /// use heedful::{Bot, Dressing, Filter};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?).snapshots();
    /// let html = b"<p>Dark <b class=robots-noarchive>2 EUR</b>";
    /// let page = filter.page("https://example.com/", &[], html)?;
    /// assert_eq!(page.snapshot(&Dressing::default()).as_deref(), Some("<p>Dark <b>[...]</b>"));
    /// let headers = [("X-Robots-Tag", "noarchive")];
    /// let page = filter.page("https://example.com/", &headers, b"<p>Dark bread")?;
    /// assert!(page.snapshot(&Dressing::default()).is_none());
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn snapshot(&self, dressing: &Dressing) -> Option<String> {
        let policy = self.policy();
        if !policy.may_fetch() || !policy.allows(Use::Archive) || !policy.allows(Use::Index) {
            return None;
        }
        let source = self.recording.source.as_ref()?;
        source.snapshot(self.outcome(), self.bot, self.outcome().base(), dressing)
    }

    /// True if `usage` is allowed for the page as a whole, and for each of its texts. Text that the
    /// bot may not index does not count.
    ///
    /// ```
    /// use heedful::{Bot, Filter, Use};
    ///
    /// let html = b"<p>Dark bread <span data-nosnippet>from 2 EUR</span>";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// assert!(page.policy().allows(Use::Snippet) && !page.allows_throughout(Use::Snippet));
    /// assert!(page.allows_throughout(Use::Index));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn allows_throughout(&self, usage: Use) -> bool {
        let text = &self.recording.text;
        let fields = [
            &text.body,
            &text.title,
            &text.description,
            &text.alternative,
        ];
        self.policy().allows(usage)
            && fields
                .iter()
                .all(|field| texts::allows(field, usage, self.bot, self.verdicts()))
    }

    /// Returns each use that is denied to the bot, with the denied part and the directive. Denials
    /// for the whole page come first, then denials for parts of the page in source order. Leaves
    /// out a denial that only follows from the denial of another use. Empty if a robots.txt
    /// disallows the page.
    ///
    /// ```
    /// use heedful::{Bot, Filter, Use};
    ///
    /// let html = b"<meta name=robots content=notranslate><p>one <!--noindex-->two<!--/noindex-->";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// let uses: Vec<_> = page.exclusions().map(|exclusion| exclusion.usage()).collect();
    /// assert_eq!(uses, [Use::Translate, Use::Index, Use::Anchor]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn exclusions(&self) -> impl Iterator<Item = Exclusion<'_>> {
        let outcome = self.outcome();
        let policy = self.policy();
        let whole = Use::ALL.into_iter().filter_map(move |usage| {
            if policy.allows(usage) || policy.is_derived(usage) {
                return None;
            }
            Some(Exclusion {
                usage,
                range: 0..outcome.length,
                directive: policy.why(usage)?,
            })
        });
        let parts = self.withheld().filter_map(move |withheld| {
            Some(Exclusion {
                usage: withheld.winner.usage,
                range: withheld.start..withheld.end,
                directive: outcome.directive(withheld.winner.directive)?,
            })
        });
        whole.chain(parts).filter(move |_| policy.may_fetch())
    }

    /// Returns all directives that are addressed to the bot, whether obeyed or not. Directives
    /// about the whole page come first, then directives about parts of the page in source order.
    /// Empty if a robots.txt disallows the page.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<meta name=robots content='index, max-snippet:20'>";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// assert_eq!(page.directives().count(), 2); // the allowance is listed too
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn directives(&self) -> impl Iterator<Item = &Directive> {
        let entered = self.policy().may_fetch();
        self.outcome()
            .directives()
            .filter(move |said| entered && said.bots().contains(self.bot))
    }

    /// Returns the notes that concern the bot. Each note reports something that looked wrong in the
    /// page. Empty if a robots.txt disallows the page.
    ///
    /// ```
    /// use heedful::{Bot, Filter, NoteKind};
    ///
    /// let html = b"<p>Dark bread <!--/noindex-->";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// let kinds: Vec<_> = page.notes().map(|note| note.kind()).collect();
    /// assert_eq!(kinds, [NoteKind::StrayClose]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        let entered = self.policy().may_fetch();
        self.outcome()
            .notes
            .iter()
            .filter(move |note| entered && note.bots().contains(self.bot))
    }

    /// Returns the finished record of the pass, which the pages of all bots share.
    #[doc(hidden)]
    pub fn outcome(&self) -> &PageEnd {
        &self.recording.record.outcome
    }

    /// Returns the number of the page's bot, by which the pass identifies the bot.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let filter = Filter::for_bots(vec![Bot::new("FooBot")?, Bot::new("BarBot")?])?;
    /// let pages = filter.open("https://example.com/")?.end_each()?;
    /// assert_ne!(pages[0].bot_id(), pages[1].bot_id());
    /// assert_eq!(pages[1].bot().name(), "BarBot");
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn bot_id(&self) -> BotId {
        self.bot
    }

    /// Returns the ranges of the page that are withheld from the bot for some use, sorted by their
    /// start.
    pub(crate) fn withheld(&self) -> impl Iterator<Item = &WithheldRange> {
        self.recording
            .audit
            .closed
            .iter()
            .filter(|withheld| withheld.winner.bots.contains(self.bot))
    }

    fn verdicts(&self) -> &Verdicts {
        &self.outcome().verdicts
    }
}

/// Returns the beginning of `text`, at most `characters` characters long. The text is cut after a
/// whole word if possible, and never inside a grapheme.
pub fn beginning(text: &str, characters: usize) -> &str {
    let Some((end, _)) = text.char_indices().nth(characters) else {
        return text;
    };
    let mut whole = 0;
    for (start, _) in text.grapheme_indices(true) {
        if start > end {
            break;
        }
        whole = start;
    }
    let cut = &text[..whole];
    if text[whole..].starts_with(char::is_whitespace) {
        return cut.trim_end();
    }
    match cut.rfind(char::is_whitespace) {
        Some(blank) => cut[..blank].trim_end(),
        None => cut,
    }
}

/// Denial of one use to a bot, for a part of a page or for the whole page.
///
/// ```
/// use heedful::{Bot, Filter, Use};
///
/// let html = b"<p>Dark bread <span data-nosnippet>from 2 EUR</span>";
/// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
/// let exclusion = page.exclusions().next().expect("a part that may not be shown");
/// assert_eq!(exclusion.usage(), Use::Snippet);
/// assert_eq!(exclusion.directive().convention(), "nosnippet");
/// assert_eq!(exclusion.range().start, 14);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Exclusion<'a> {
    usage: Use,
    range: Range<u64>,
    directive: &'a Directive,
}

impl<'a> Exclusion<'a> {
    /// Returns the use that is denied.
    pub fn usage(&self) -> Use {
        self.usage
    }

    /// Returns the byte range in the decoded page for which the use is denied.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// Returns the directive that denies the use.
    pub fn directive(&self) -> &'a Directive {
        self.directive
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings() {
        for (characters, expected) in [
            (100, "dark rye bread"),
            (8, "dark rye"),
            (10, "dark rye"),
            (3, "dar"),
            (0, ""),
        ] {
            assert_eq!(beginning("dark rye bread", characters), expected);
        }
    }
}
