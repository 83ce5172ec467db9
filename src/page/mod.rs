//! The result of a pass: the page as one bot may have it.
//!
//! All bots of the pass share the recording. A [`Page`] is one bot's reading of it, under the
//! page's policy. Content that the policy denies is not in it, and a reason is known for every
//! missing part.

mod links;
mod origin;
mod policies;
mod positions;
mod shared;
mod texts;

use std::ops::Range;
use std::sync::Arc;
use std::time::SystemTime;

use unicode_segmentation::UnicodeSegmentation;
use url::Url;

use crate::html::Tag;
use crate::ledger::{PageEnd, VerdictId, Verdicts};
use crate::note::Note;
use crate::policy::{Directive, Policy, Use};
use crate::sink::Sink;
use crate::sink::audit::{AuditSink, WithheldRange};
use crate::sink::links::{LinkKind, LinkSink};
use crate::sink::snapshot::{Dressing, SourceRecorder};
use crate::sink::text::{FieldText, TextSegment, TextSink};
use crate::walk::Judged;
use heedful_base::address::{Base, Key};
use heedful_base::bot::{Bot, BotId, Bots};
use heedful_base::error::Result;
use heedful_base::limits::{Limits, size};
use heedful_robots::{RobotsState, RobotsTxt, Ruling};

pub use links::Link;
use links::PageRecord;
pub use origin::{PageOrigin, PageResponse};
pub use policies::PagePolicies;
pub(crate) use policies::PolicyScan;
use policies::policies;
pub use positions::{PHRASE_GAP, POSITIONS, PositionedWord, step, words_of};
use shared::SharedValues;
use texts::TextReader;

/// The sink that [`Page`]s are made from. It records text, links, and withheld parts.
#[derive(Debug)]
pub struct Recorder {
    text: TextSink,
    links: LinkSink,
    audit: AuditSink,
    /// The `lang` attribute of the root element, and the verdict that says which bots may not have
    /// that element.
    language: Option<(String, VerdictId)>,
    /// The source, if snapshots are wanted.
    source: Option<SourceRecorder>,
}

impl Recorder {
    #[doc(hidden)]
    pub fn new(bots: &Bots, limits: &Limits, with_source: bool) -> Self {
        Self {
            text: TextSink::new(bots.all()),
            links: LinkSink::new(size(limits.links)),
            audit: AuditSink::new(size(limits.exclusions)),
            language: None,
            source: with_source.then(SourceRecorder::default),
        }
    }

    /// Notes that the page was not in UTF-8, so its text is not kept in its own bytes.
    pub(crate) fn set_transcoded(&mut self) {
        if let Some(source) = &mut self.source {
            source.set_transcoded();
        }
    }

    /// A page for each bot.
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
        let silenced = outcome.silenced(text.body.segments().iter().map(TextSegment::verdict), all);
        let record = Arc::new(PageRecord {
            policies: policies(&outcome, all, silenced),
            all,
            outcome,
        });
        let reader = TextReader {
            verdicts: &record.outcome.verdicts,
            all,
            shut: record.denied(Use::Index),
        };
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

/// The language that a tag of the root element declares.
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
        self.links.token(judged)?;
        if self.language.is_none() && judged.token().tag() == Tag::HTML {
            self.language = language(judged);
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

/// A page as one bot may have it.
#[derive(Clone, Debug)]
pub struct Page {
    bot: BotId,
    recording: Arc<Recording>,
}

/// The data that all pages of a pass share. Each reading is stored once for all bots that have the
/// same one.
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
    /// The bot that this page is for.
    pub fn bot(&self) -> &Bot {
        self.recording.bots.get(self.bot)
    }

    /// The URL that the pass was opened with, in normal form.
    pub fn url(&self) -> &str {
        self.recording.url.as_str()
    }

    /// The URL that the pass was opened with, parsed.
    #[doc(hidden)]
    pub fn location(&self) -> &Url {
        &self.recording.url
    }

    /// The key by which the page is kept.
    #[doc(hidden)]
    pub fn key(&self) -> Key<'_> {
        Key::of_url(self.location())
    }

    /// The language that the page's root element declares, or else the response's
    /// `Content-Language` if it is only one. It is as it was written. Returns None for a page that
    /// may not be indexed.
    pub fn language(&self) -> Option<&str> {
        if !self.policy().allows(Use::Index) {
            return None;
        }
        let Some((language, verdict)) = &self.recording.language else {
            return self.recording.response.language.as_deref();
        };
        // A root that is withheld declares nothing.
        let denied = self.outcome().verdict(*verdict).denied(Use::Index);
        if denied.contains(self.bot) {
            None
        } else {
            Some(language)
        }
    }

    /// The value of the response's `Content-Type`.
    pub fn content_type(&self) -> Option<&str> {
        self.recording.response.content_type.as_deref()
    }

    /// The status of the response, if it was given.
    pub fn status(&self) -> Option<u16> {
        self.recording.response.status
    }

    /// The kind of robots.txt that the page was judged by.
    pub fn robots_at_hand(&self) -> RobotsState {
        self.recording.response.robots
    }

    /// The robots.txt that kept the page out, with its answer: the rule, its line and group, or the
    /// status that decided. Of several that do, it is the first. `None` if the page entered.
    ///
    /// ```
    /// use heedful::{Bot, Filter, RobotsTxt};
    ///
    /// let mut pass = Filter::new(Bot::new("FooBot")?).open("https://example.com/drafts/rye")?;
    /// pass.robots_txt(&RobotsTxt::parse(b"User-agent: *\nDisallow: /drafts/"));
    /// let page = pass.end()?;
    /// assert!(!page.policy().entered());
    /// let (_, ruling) = page.kept_out_by().expect("a rule keeps it out");
    /// assert_eq!((ruling.line(), ruling.rule().as_deref()), (Some(2), Some("Disallow: /drafts/")));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn kept_out_by(&self) -> Option<(&RobotsTxt, Ruling<'_>)> {
        let robots = self.recording.response.blocking.find(self.bot)?;
        Some((
            robots,
            robots.ruling_of(self.bot(), self.url(), self.also_at()),
        ))
    }

    /// The time at which it was fetched, if it was given.
    pub fn fetched(&self) -> Option<SystemTime> {
        self.recording.response.fetched
    }

    /// The URL that the page says is the right one for it, in normal form and without its fragment.
    /// Returns None for a page that may not be indexed.
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

    /// The URL that it says is the right one for it. It is not followed.
    #[doc(hidden)]
    pub fn canonical(&self) -> Option<Key<'_>> {
        let key = self.canonical_link()?.key();
        (!key.is_too_long()).then_some(key)
    }

    /// Another URL of the page, for example that of an `index.html` beside its folder's: see
    /// [`Pass::also_at`](crate::Pass::also_at).
    pub fn also_at(&self) -> Option<&str> {
        self.recording.also.as_ref().map(Url::as_str)
    }

    /// The policy: what may be done with the page as a whole.
    pub fn policy(&self) -> &Policy {
        self.recording.record.policies.get(self.bot)
    }

    /// The body text that may be indexed, headings included, as phrases in order. A query for a
    /// phrase must not match words of two of them: with the feature `words`, `Page::words` gives
    /// the positions for that.
    pub fn phrases(&self) -> &[String] {
        self.recording.phrases.get(self.bot)
    }

    /// The words of [`Page::phrases`], each with its position, for an engine that keeps positions:
    /// see [`words_of`], which takes the phrases of any field.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let page = filter.page("https://example.com/", &[], b"<p>Dark <!--noindex-->and light<!--/noindex--> rye")?;
    /// assert_eq!(page.words().map(|word| word.position()).collect::<Vec<_>>(), [0, 1000]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn words(&self) -> impl Iterator<Item = PositionedWord<'_>> {
        words_of(self.phrases())
    }

    /// The phrases of the title.
    pub fn title(&self) -> &[String] {
        self.recording.title.get(self.bot)
    }

    /// The title as a search result may show it. Parts that may not be shown are left out, with
    /// `[...]` at short gaps. A page that asks for no snippet keeps its title.
    pub fn shown_title(&self) -> String {
        if !self.policy().allows(Use::Index) {
            return String::new();
        }
        self.field_excerpt(&self.recording.text.title, Use::Snippet)
    }

    /// The phrases of the META description.
    pub fn description(&self) -> &[String] {
        self.recording.description.get(self.bot)
    }

    /// The phrases of the headings, which are among [`Page::phrases`] too.
    pub fn headings(&self) -> &[String] {
        self.recording.headings.get(self.bot)
    }

    /// The alternative texts of images, each a phrase of its own.
    pub fn alternative(&self) -> &[String] {
        self.recording.alternative.get(self.bot)
    }

    /// The links in order, including those that may not be followed: see [`Link::may_follow`].
    pub fn links(&self) -> &[Link] {
        self.recording.links.get(self.bot)
    }

    /// The text that search results may be drawn from: it may be indexed and shown, with `[...]` at
    /// short gaps. A result may show no more of it than [`Policy::max_snippet`] characters.
    pub fn showable(&self) -> String {
        self.body_for(Use::Snippet)
    }

    /// The most that a search result may show: the beginning of [`Page::showable`], within
    /// [`Policy::max_snippet`].
    pub fn excerpt(&self) -> String {
        self.limit_to_max_snippet(self.showable())
    }

    /// The text that may be given to a model as material for an answer ([`Use::Input`]). It may
    /// be indexed and used so, with `[...]` at short gaps. It is cut to [`Policy::max_snippet`],
    /// which limits answers too.
    pub fn input(&self) -> String {
        self.limit_to_max_snippet(self.material())
    }

    /// The text of [`Page::input`] without the limit.
    #[doc(hidden)]
    pub fn material(&self) -> String {
        self.body_for(Use::Input)
    }

    /// The title as it may be given to a model, like [`Page::shown_title`].
    pub fn input_title(&self) -> String {
        if self.policy().allows(Use::Input) {
            self.field_excerpt(&self.recording.text.title, Use::Input)
        } else {
            String::new()
        }
    }

    fn body_for(&self, usage: Use) -> String {
        if self.policy().allows(usage) {
            self.field_excerpt(&self.recording.text.body, usage)
        } else {
            String::new()
        }
    }

    /// The text of a field that may be indexed and used for `usage`, with marks at gaps.
    fn field_excerpt(&self, field: &FieldText, usage: Use) -> String {
        texts::excerpt(field, usage, self.bot, self.verdicts())
    }

    fn limit_to_max_snippet(&self, mut text: String) -> String {
        if let Some(most) = self.policy().max_snippet() {
            text.truncate(beginning(&text, most as usize).len());
        }
        text
    }

    /// The page's own bytes, as UTF-8, without content that may not be archived. Returns `None` if
    /// the page may not be kept at all, or without [`Filter::snapshots`](crate::Filter::snapshots).
    pub fn snapshot(&self, dressing: &Dressing) -> Option<String> {
        let policy = self.policy();
        if !policy.entered() || !policy.allows(Use::Archive) || !policy.allows(Use::Index) {
            return None;
        }
        let source = self.recording.source.as_ref()?;
        source.snapshot(self.outcome(), self.bot, self.outcome().base(), dressing)
    }

    /// True if the bot may use the page as a whole for `usage`, and all text that it may index.
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

    /// The exclusions with their directives: first those of the whole page, then parts of the page
    /// in order.
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
        whole.chain(parts).filter(move |_| policy.entered())
    }

    /// All directives for this bot, obeyed or not: first those about the whole page, then those
    /// about its parts in order.
    pub fn directives(&self) -> impl Iterator<Item = &Directive> {
        let entered = self.policy().entered();
        self.outcome()
            .directives()
            .filter(move |said| entered && said.bots().contains(self.bot))
    }

    /// The notes on what looked wrong.
    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        let entered = self.policy().entered();
        self.outcome()
            .notes
            .iter()
            .filter(move |note| entered && note.bots().contains(self.bot))
    }

    /// The record of the page for all bots of its pass.
    #[doc(hidden)]
    pub fn outcome(&self) -> &PageEnd {
        &self.recording.record.outcome
    }

    /// The number of the page's bot in the pass.
    pub fn bot_id(&self) -> BotId {
        self.bot
    }

    /// The parts that were withheld from the bot, by their start.
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

/// The first `characters` characters at most, cut at the end of a word if there is one, and never
/// inside a grapheme.
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

/// A part of the page that the bot may not use in some way.
#[derive(Clone, Debug)]
pub struct Exclusion<'a> {
    usage: Use,
    range: Range<u64>,
    directive: &'a Directive,
}

impl<'a> Exclusion<'a> {
    /// The use that is denied.
    pub fn usage(&self) -> Use {
        self.usage
    }

    /// The range in bytes of the decoded page.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// The directive that denies it.
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
