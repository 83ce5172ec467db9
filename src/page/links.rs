//! The links of a page. A pass resolves them once for all its bots, and records which uses of a
//! link are denied to which bots. Both the page's policy and the verdict at the link's tag can deny
//! a use. A denied link stays in the list, and names the directive that denies it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use url::Url;

use crate::convention::quotable;
use crate::ledger::{PageEnd, VerdictId, Verdicts};
use crate::place::Place;
use crate::policy::{Directive, DirectiveId, Policy, Use, Uses};
use crate::sink::links::{FoundLink, LinkKind, LinkSink, PageLinkDenials};
use crate::sink::text::{FieldText, TextSink};
use heedful_base::address::{Base, Key};
use heedful_base::bot::{BotId, BotSet};

use super::shared::{BotClasses, SharedValues};

/// The finished record of a pass over one page, with the policy of each bot.
#[derive(Debug)]
pub(super) struct PageRecord {
    pub(super) outcome: PageEnd,
    pub(super) policies: SharedValues<Policy>,
    pub(super) all: BotSet,
}

impl PageRecord {
    /// Returns the bots to which the page as a whole denies `usage`.
    pub(super) fn denied(&self, usage: Use) -> BotSet {
        self.policies.bots(|policy| !policy.allows(usage))
    }
}

/// A link of a page, with the uses that one bot may make of the link.
///
/// ```
/// use heedful::{Bot, Filter};
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let html = b"<a href=/rye>Rye</a> <a href=/ad rel=nofollow>An ad</a>";
/// let page = filter.page("https://example.com/", &[], html)?;
/// let (rye, ad) = (&page.links()[0], &page.links()[1]);
/// assert!(rye.may_follow() && rye.may_credit());
/// assert_eq!((rye.url(), rye.text()), ("https://example.com/rye", "Rye"));
/// assert_eq!(ad.why_not_follow().map(|directive| directive.convention()), Some("rel"));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone)]
pub struct Link {
    all: Arc<PageLinks>,
    number: usize,
    bot: BotId,
}

/// All links of a page, which the [`Link`]s of all bots share.
struct PageLinks {
    record: Arc<PageRecord>,
    links: Vec<ResolvedLink>,
    /// The URLs of all links, concatenated without separators.
    urls: String,
    rels: Vec<String>,
    texts: AnchorTexts,
}

/// A link with its resolved URL, and for each bot the denied uses and the anchor text.
struct ResolvedLink {
    url: Range<usize>,
    kind: LinkKind,
    rel: Range<usize>,
    verdict: VerdictId,
    place: Place,
    /// Bots that may not follow the link.
    no_follow: BotSet,
    /// Bots that may not credit the link's anchor text to the link's target.
    no_credit: BotSet,
    text: SharedValues<LinkText>,
}

impl Link {
    /// Returns the absolute URL of the link's target, resolved against the page's base URL.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<base href=/shop/><a href=../rye>Rye</a>";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// assert_eq!(page.links()[0].url(), "https://example.com/rye");
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn url(&self) -> &str {
        &self.all.urls[self.link().url.clone()]
    }

    /// Returns the key of the link's target, by which an index finds the page at that URL.
    #[doc(hidden)]
    pub fn key(&self) -> Key<'_> {
        Key::of_normal(self.url())
    }

    /// Returns the kind of the link, by the HTML element that makes it.
    ///
    /// ```
    /// use heedful::{Bot, Filter, LinkKind};
    ///
    /// let html = b"<a href=/rye>Rye</a><img src=/loaf.png><iframe src=/map></iframe>";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// let is_page = |kind| matches!(kind, LinkKind::A | LinkKind::Area | LinkKind::Iframe);
    /// let pages: Vec<_> = page.links().iter().filter(|link| is_page(link.kind())).collect();
    /// assert_eq!(pages.len(), 2);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn kind(&self) -> LinkKind {
        self.link().kind
    }

    /// Returns the words of the link's `rel` attribute, in lower case. Empty if there is no `rel`.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<link rel=canonical href=/rye><a rel='me NOFOLLOW' href=/ad>Ad</a>";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// assert_eq!(page.links()[0].rel(), ["canonical"]);
    /// assert_eq!(page.links()[1].rel(), ["me", "nofollow"]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn rel(&self) -> &[String] {
        &self.all.rels[self.link().rel.clone()]
    }

    /// Returns the anchor text of the link in one piece. Leaves out text that the bot may not
    /// index, or may not credit to the link's target. Returns an empty text if an exclusion divides
    /// the anchor text, since text on both sides of an exclusion is never joined.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<a href=/1>Dark rye</a>
    ///     <a href=/2>Dark <!--noindex-->2 EUR<!--/noindex--> rye</a>";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// let [whole, cut] = page.links() else { panic!("two links") };
    /// assert_eq!(whole.text(), "Dark rye");
    /// assert_eq!((cut.text(), cut.phrases().collect::<Vec<_>>()), ("", vec!["Dark", "rye"]));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn text(&self) -> &str {
        let link_text = self.link_text();
        if link_text.is_parted && self.phrases().nth(1).is_some() {
            ""
        } else {
            self.all.texts.text(link_text)
        }
    }

    /// Returns the phrases of the anchor text that the bot may index and credit: body text first,
    /// then alternative texts of images.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<a href=/rye><img src=a.png alt='A loaf'>Dark rye</a>";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// assert_eq!(page.links()[0].phrases().collect::<Vec<_>>(), ["Dark rye", "A loaf"]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn phrases(&self) -> impl Iterator<Item = &str> {
        let text = self.all.texts.text(self.link_text());
        let breaks = self.all.texts.breaks(self.link_text());
        let ends = breaks.iter().copied().chain([text.len()]);
        let starts = std::iter::once(0).chain(breaks.iter().copied());
        starts
            .zip(ends)
            .map(|(start, end)| text[start..end].trim())
            .filter(|phrase| !phrase.is_empty())
    }

    /// True if the bot may follow the link.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<a href=/rye>Rye</a> <a href=/ad rel=sponsored>Ad</a>";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// let queue: Vec<_> = page.links().iter().filter(|link| link.may_follow()).collect();
    /// assert_eq!(queue[0].url(), "https://example.com/rye");
    /// assert_eq!(queue.len(), 1);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn may_follow(&self) -> bool {
        !self.link().no_follow.contains(self.bot)
    }

    /// True if the bot may credit the anchor text to the link's target.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<p class=robots-noanchortext><a href=/rye>Rye</a>";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// let link = &page.links()[0];
    /// assert!(link.may_follow() && !link.may_credit());
    /// assert_eq!(link.text(), ""); // no text that must not be credited
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn may_credit(&self) -> bool {
        !self.link().no_credit.contains(self.bot)
    }

    /// True if the bot may show the anchor text, for example with a search result.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<a href=/rye>Rye</a> <span data-nosnippet><a href=/oat>Oat</a></span>";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// let shown: Vec<_> = page.links().iter().map(|link| link.may_show()).collect();
    /// assert_eq!(shown, [true, false]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn may_show(&self) -> bool {
        self.allows_text(Use::Snippet)
    }

    /// True if the bot may give the anchor text to a model as material for an answer.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let headers = [("Content-Usage", "ai-use=n")];
    /// let html = b"<a href=/rye>Rye</a>";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &headers, html)?;
    /// let link = &page.links()[0];
    /// assert!(link.may_show() && !link.may_be_input());
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn may_be_input(&self) -> bool {
        self.allows_text(Use::Input)
    }

    fn allows_text(&self, usage: Use) -> bool {
        let link_text = self.link_text();
        let policy = self.all.record.policies.get(self.bot);
        if !self.may_credit() || link_text.withheld.contains(usage) || !policy.allows(usage) {
            return false;
        }
        let text = self.all.texts.text(link_text);
        match policy.max_snippet() {
            Some(most) => text.len() <= most as usize || text.chars().count() <= most as usize,
            None => true,
        }
    }

    /// Returns the directive that denies following the link, or `None` if the bot may follow the
    /// link.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<meta name=robots content=nofollow><a href=/rye rel=nofollow>Rye</a>";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// let why = page.links()[0].why_not_follow().expect("a denial");
    /// assert_eq!(why.convention(), "meta"); // the page as a whole comes first
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn why_not_follow(&self) -> Option<&Directive> {
        self.all.record.outcome.directive(self.id_not_follow()?)
    }

    #[doc(hidden)]
    pub fn id_not_follow(&self) -> Option<DirectiveId> {
        if self.may_follow() {
            None
        } else {
            self.why(&[Use::Follow, Use::Image])
        }
    }

    /// Returns the directive that denies crediting the anchor text to the link's target. Returns
    /// `None` if the bot may credit the anchor text.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<p class=robots-noanchortext><a href=/rye>Rye</a>";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// let why = page.links()[0].why_not_credit().expect("a denial");
    /// assert_eq!(why.convention(), "profile");
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn why_not_credit(&self) -> Option<&Directive> {
        self.all.record.outcome.directive(self.id_not_credit()?)
    }

    #[doc(hidden)]
    pub fn id_not_credit(&self) -> Option<DirectiveId> {
        if self.may_credit() {
            None
        } else {
            self.why(&[Use::Anchor, Use::Follow, Use::Index, Use::Image])
        }
    }

    /// Returns the place of the link's tag in the page.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<p>Dark\n<a href=/rye>Rye</a>";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// assert_eq!((page.links()[0].place().line(), page.links()[0].place().column()), (2, 1));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn place(&self) -> Place {
        self.link().place
    }

    fn link(&self) -> &ResolvedLink {
        &self.all.links[self.number]
    }

    fn link_text(&self) -> &LinkText {
        self.link().text.get(self.bot)
    }

    /// Returns the number of the directive that denies the first denied use in `uses`. Returns
    /// `None` if none of these uses is denied. A directive about the whole page has precedence over
    /// a directive about a part of the page.
    fn why(&self, uses: &[Use]) -> Option<DirectiveId> {
        let PageRecord {
            outcome, policies, ..
        } = &*self.all.record;
        let policy = policies.get(self.bot);
        let verdict = outcome.verdict(self.link().verdict);
        let is_denied =
            |usage: &&Use| !policy.allows(**usage) || verdict.denied(**usage).contains(self.bot);
        let denied = *uses.iter().find(is_denied)?;
        if !policy.allows(denied)
            && let Some(whole) = policy.why_id(denied)
        {
            return Some(whole);
        }
        uses.iter()
            .find_map(|usage| verdict.winner(*usage, self.bot))
    }
}

/// Formats the link with the uses that its bot may make of it. Leaves out data that all links of a
/// page share.
impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link")
            .field("url", &self.url())
            .field("kind", &self.kind())
            .field("rel", &self.rel())
            .field("phrases", &self.phrases().collect::<Vec<_>>())
            .field("may_follow", &self.may_follow())
            .field("may_credit", &self.may_credit())
            .field("may_show", &self.may_show())
            .field("why_not_follow", &self.why_not_follow())
            .field("why_not_credit", &self.why_not_credit())
            .field("place", &self.place())
            .finish()
    }
}

/// Resolves the links of a page, and returns each bot's list of links. Keeps only links whose URL
/// has the scheme `http`, `https`, or the scheme of the page's own URL.
pub(super) fn read(
    links: &LinkSink,
    text: &TextSink,
    record: &Arc<PageRecord>,
    base: &Base<'_>,
    page: &Url,
) -> SharedValues<Vec<Link>> {
    let mut numbers = 0;
    for found in &links.found {
        numbers = numbers.max(found.number as usize);
    }
    let resolver = LinkResolver {
        record,
        fields: [&text.body, &text.alternative].map(|field| (field, spans(field, numbers))),
        base,
        page,
        whole: PageLinkDenials::new(|usage| record.denied(usage)),
    };
    let mut all = PageLinks {
        record: record.clone(),
        links: Vec::with_capacity(links.found.len()),
        urls: String::new(),
        rels: Vec::new(),
        texts: AnchorTexts::default(),
    };
    for found in &links.found {
        resolver.link(found, links, &mut all);
    }
    let mut classes = BotClasses::new(record.all);
    for (bots, _) in record.policies.iter() {
        classes.split(bots);
    }
    for link in &all.links {
        link.split_classes(&record.outcome, &mut classes);
    }
    let all = Arc::new(all);
    SharedValues::new(&classes, |bot| {
        if !record.policies.get(bot).may_fetch() {
            return Vec::new();
        }
        let link = |number| Link {
            all: all.clone(),
            number,
            bot,
        };
        (0..all.links.len()).map(link).collect()
    })
}

impl ResolvedLink {
    /// Splits the groups of bots in `classes` where bots differ at this link. Two bots differ if
    /// they have different anchor texts or different denied uses, or if different directives deny
    /// these uses.
    fn split_classes(&self, outcome: &PageEnd, classes: &mut BotClasses) {
        classes.split(self.no_follow);
        classes.split(self.no_credit);
        for (bots, _) in self.text.iter() {
            classes.split(bots);
        }
        for winner in outcome.verdict(self.verdict).winners() {
            classes.split(winner.bots);
        }
    }
}

/// Data of a page that is needed to resolve each of the page's links.
struct LinkResolver<'a> {
    record: &'a PageRecord,
    /// The text fields that contain anchor texts: body text, then alternative texts. Each field is
    /// paired with one index range for each link. This range covers the segments of the field that
    /// are text of the link.
    fields: [(&'a FieldText, Vec<Range<usize>>); 2],
    base: &'a Base<'a>,
    page: &'a Url,
    whole: PageLinkDenials,
}

impl LinkResolver<'_> {
    /// Resolves the link `found`. Adds it to `all` if its URL has the scheme `http`, `https`, or
    /// the scheme of the page's own URL.
    fn link(&self, found: &FoundLink, links: &LinkSink, all: &mut PageLinks) {
        let start = all.urls.len();
        if !self
            .base
            .join(links.written(&found.target), self.page, &mut all.urls)
        {
            return;
        }
        let verdict = self.record.outcome.verdict(found.verdict);
        let no_credit = self.whole.no_credit(found.kind, verdict);
        let rels = all.rels.len();
        // A `rel` without its closing quote has swallowed text of the page, which must not be
        // shown.
        let rel = quotable(links.written(&found.rel));
        all.rels
            .extend(rel.split_ascii_whitespace().map(str::to_ascii_lowercase));
        all.links.push(ResolvedLink {
            url: start..all.urls.len(),
            kind: found.kind,
            rel: rels..all.rels.len(),
            verdict: found.verdict,
            place: found.place,
            no_follow: self.whole.no_follow(found.kind, verdict),
            no_credit,
            text: self.text(found.number, no_credit, &mut all.texts),
        });
    }

    /// Makes the anchor text of the link with this number. The text is made once for each group of
    /// bots that may have the same text. The bots in `no_credit` may not credit the text to the
    /// link's target, and get no text.
    fn text(
        &self,
        number: u32,
        no_credit: BotSet,
        texts: &mut AnchorTexts,
    ) -> SharedValues<LinkText> {
        let at = (number as usize).wrapping_sub(1);
        let parts = self
            .fields
            .each_ref()
            .map(|(field, spans)| (*field, spans.get(at).cloned().unwrap_or(0..0)));
        let all = self.record.all;
        let verdicts = &self.record.outcome.verdicts;
        let mut classes = BotClasses::new(all);
        for segment in parts
            .iter()
            .flat_map(|(field, span)| &field.segments()[span.clone()])
        {
            // A bot that may not credit the link reads none of its text, so no other difference
            // counts for it.
            classes.split(no_credit);
            if !segment.is_free(verdicts) {
                for usage in [Use::Index, Use::Anchor]
                    .into_iter()
                    .chain(PARTLY_DENIED_USES)
                {
                    classes.split(segment.denied(verdicts, usage, all).without(no_credit));
                }
            }
            classes.split(segment.begins(all).without(no_credit));
            classes.split(segment.breaks.without(no_credit));
        }
        SharedValues::new(&classes, |bot| {
            if no_credit.contains(bot) {
                LinkText::default()
            } else {
                texts.read(&parts, bot, verdicts)
            }
        })
    }
}

/// Returns one index range for each link. The links are numbered from 1 to `numbers`. The range
/// covers the segments of `field` that are anchor text of the link. One range suffices, since text
/// of another link never interrupts the text of a link.
fn spans(field: &FieldText, numbers: usize) -> Vec<Range<usize>> {
    let mut spans = vec![0..0; numbers];
    for (at, segment) in field.segments().iter().enumerate() {
        if let Some(span) = spans.get_mut((segment.link as usize).wrapping_sub(1)) {
            *span = if span.end == 0 {
                at..at + 1
            } else {
                span.start..at + 1
            };
        }
    }
    spans
}

/// Uses that can be denied for a part of an anchor text although the bot may index this part, and
/// may credit it to the link's target.
const PARTLY_DENIED_USES: [Use; 2] = [Use::Snippet, Use::Input];

/// The anchor texts of all links, concatenated without separators.
#[derive(Debug, Default)]
struct AnchorTexts {
    text: String,
    /// Byte offsets at which phrases end. Each offset is counted from the start of the anchor text
    /// that contains the phrase.
    breaks: Vec<usize>,
}

/// The anchor text of one link, as ranges in the fields of [`AnchorTexts`].
#[derive(Debug, Default)]
struct LinkText {
    text: Range<usize>,
    breaks: Range<usize>,
    /// True if an exclusion is inside the anchor text.
    is_parted: bool,
    /// The uses in [`PARTLY_DENIED_USES`] that are denied for at least one part of the anchor text.
    withheld: Uses,
}

impl AnchorTexts {
    fn text(&self, link: &LinkText) -> &str {
        &self.text[link.text.clone()]
    }

    fn breaks(&self, link: &LinkText) -> &[usize] {
        &self.breaks[link.breaks.clone()]
    }

    /// Appends the anchor text of one link to the buffer: body text first, then alternative texts.
    /// Leaves out text that `bot` may not index, or may not credit to the link's target. In
    /// `parts`, each field is paired with an index range. This range covers the segments of the
    /// field that are text of the link.
    fn read(
        &mut self,
        parts: &[(&FieldText, Range<usize>)],
        bot: BotId,
        verdicts: &Verdicts,
    ) -> LinkText {
        let start = self.text.len();
        let first = self.breaks.len();
        let mut is_parted = false;
        let mut withheld = Uses::NONE;
        for (field, span) in parts {
            let mut ends = true;
            for (segment, text) in field.pieces(span.clone()) {
                let may = segment.may(bot, verdicts, &[Use::Index, Use::Anchor]);
                is_parted |= !may || segment.is_parted(bot);
                ends |= !may || segment.begins(BotSet::single(bot)).contains(bot);
                if !may {
                    continue;
                }
                self.add(start, text, std::mem::take(&mut ends));
                if segment.is_free(verdicts) {
                    continue;
                }
                for usage in PARTLY_DENIED_USES {
                    if !segment.may(bot, verdicts, &[usage]) {
                        withheld = withheld.union(Uses::new(&[usage]));
                    }
                }
            }
        }
        let text = self.trim(start, first);
        LinkText {
            text,
            breaks: first..self.breaks.len(),
            is_parted,
            withheld,
        }
    }

    /// Appends `text` to the anchor text of the current link. This anchor text begins at byte
    /// offset `start` of `self.text`. If `begins` is true, `text` begins a new phrase.
    fn add(&mut self, start: usize, text: &str, begins: bool) {
        if begins && self.text.len() > start {
            self.breaks.push(self.text.len() - start);
            if !text.starts_with(' ') {
                self.text.push(' ');
            }
        }
        self.text.push_str(text);
    }

    /// Removes white space around the anchor text of the current link, and returns the range of the
    /// remaining text. The anchor text begins at byte offset `start` of `self.text`. The ends of
    /// its phrases, `self.breaks[first..]`, are adjusted.
    fn trim(&mut self, start: usize, first: usize) -> Range<usize> {
        self.text
            .truncate(start + self.text[start..].trim_end().len());
        let blank = self.text[start..].len() - self.text[start..].trim_start().len();
        let length = self.text.len() - start - blank;
        let mut kept = first;
        for at in first..self.breaks.len() {
            let moved = self.breaks[at].saturating_sub(blank);
            if (1..length).contains(&moved) {
                self.breaks[kept] = moved;
                kept += 1;
            }
        }
        self.breaks.truncate(kept);
        start + blank..self.text.len()
    }
}
