//! Records the links of a page once for all bots.
//!
//! Links are `a`, `area`, `link`, `form`, `iframe`, `frame`, `img` and META refresh. An element in
//! `template` or `noscript` is no link. URLs are resolved at the page's end, since the `base` may
//! follow the links. The first `base` with an `href` is used, wherever it is in the page.

use std::borrow::Cow;
use std::ops::Range;

use url::Url;

use crate::html::{self, Facts, Tag};
use crate::ledger::{PageEnd, VerdictId};
use crate::locate::Field;
use crate::place::Place;
use crate::policy::{Use, Verdict};
use crate::walk::Judged;
use heedful_base::bot::BotSet;
use heedful_base::error::{Error, Result};

use super::receiver::Sink;

/// Kind of a link, by the element and attribute that state its target.
///
/// ```
/// use heedful::{Bot, Filter, LinkKind};
///
/// let html = b"<a href=/rye>Rye</a><img src=loaf.jpg><form action=/buy></form>";
/// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
/// let crawled = page.links().iter().filter(|link| match link.kind() {
///     LinkKind::A | LinkKind::Area | LinkKind::Iframe | LinkKind::Frame => true,
///     LinkKind::Link | LinkKind::Form | LinkKind::Img | LinkKind::Refresh => false,
/// });
/// assert_eq!(crawled.count(), 1);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// A link by the `href` of an `a`.
    A,
    /// A link by the `href` of an `area`.
    Area,
    /// A link by the `href` of a `link` element.
    Link,
    /// A link by the `action` of a `form`.
    Form,
    /// A link by the `src` of an `iframe`.
    Iframe,
    /// A link by the `src` of a `frame`.
    Frame,
    /// A link by the `src` of an `img`.
    Img,
    /// A link by the URL in a META refresh.
    Refresh,
}

heedful_base::display!(LinkKind);

impl LinkKind {
    /// Returns the name of the element that makes a link of this kind, or `refresh` for a META
    /// refresh.
    pub fn name(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::Area => "area",
            Self::Link => "link",
            Self::Form => "form",
            Self::Iframe => "iframe",
            Self::Frame => "frame",
            Self::Img => "img",
            Self::Refresh => "refresh",
        }
    }

    fn from_tag(tag: Tag) -> Option<Self> {
        match tag {
            Tag::A => Some(Self::A),
            Tag::AREA => Some(Self::Area),
            Tag::LINK => Some(Self::Link),
            Tag::FORM => Some(Self::Form),
            Tag::IFRAME => Some(Self::Iframe),
            Tag::FRAME => Some(Self::Frame),
            Tag::IMG => Some(Self::Img),
            _ => None,
        }
    }
}

/// A link as its start tag states it. The URL and the permissions of the link are known only at the
/// page's end. So [`LinkTarget::url`], [`LinkTarget::no_follow`] and [`LinkTarget::no_credit`] need
/// the [`PageEnd`].
///
/// ```
/// use heedful::{Bot, BotId, Filter, Judged, PageEnd, Result, Sink, LinkTarget};
///
/// #[derive(Default)]
/// struct Queue {
///     links: Vec<LinkTarget<'static>>,
///     urls: Vec<String>,
/// }
///
/// impl Sink for Queue {
///     fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
///         self.links.extend(LinkTarget::from_token(judged).map(LinkTarget::into_owned));
///         Ok(())
///     }
///
///     fn finish(&mut self, outcome: &PageEnd) -> Result<()> {
///         let may = |target: &&LinkTarget<'_>| !target.no_follow(outcome).contains(BotId::FIRST);
///         let urls = self.links.iter().filter(may).filter_map(|target| target.url(outcome));
///         self.urls = urls.map(String::from).collect();
///         Ok(())
///     }
/// }
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let mut pass = filter.open_with("https://example.com/a/", Queue::default())?;
/// pass.write(b"<a href=b>yes</a> <a href=c class=robots-nofollow>no</a> <a href=d rel=nofollow>no</a>")?;
/// assert_eq!(pass.into_sink()?.urls, ["https://example.com/a/b"]);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LinkTarget<'a> {
    kind: LinkKind,
    address: Cow<'a, str>,
    rel: Cow<'a, str>,
    verdict: VerdictId,
    number: Option<u32>,
    place: Place,
}

impl<'a> LinkTarget<'a> {
    /// Returns the link that the token makes, or `None` if the token is not the start tag of a
    /// link.
    #[inline]
    pub fn from_token(judged: &Judged<'a>) -> Option<Self> {
        let (kind, address) = Self::kind_and_address(judged)?;
        let token = judged.token();
        // In svg's `title` no link begins: its text belongs to the link around the drawing.
        let has_text = kind == LinkKind::A && judged.field() == Field::Body;
        Some(Self {
            kind,
            address,
            rel: token.attribute("rel").unwrap_or_default(),
            verdict: judged.id(),
            number: judged.link().filter(|_| has_text),
            place: token.place(),
        })
    }

    /// Returns the kind and the address of the link that the token makes. `None` if the token is
    /// not the start tag of a link.
    #[inline]
    pub(super) fn kind_and_address(judged: &Judged<'a>) -> Option<(LinkKind, Cow<'a, str>)> {
        let token = judged.token();
        let may_link = token.tag().has(Facts::LINKS) || token.tag() == Tag::META;
        if !may_link || !judged.is_page_element() || token.is_foreign() {
            return None;
        }
        Some(match token.tag() {
            Tag::META => {
                let header = token.attribute("http-equiv")?;
                let content = token.attribute("content")?;
                (
                    LinkKind::Refresh,
                    Cow::Owned(html::refresh(&header, &content)?),
                )
            }
            tag => (
                LinkKind::from_tag(tag)?,
                token.attribute(tag.link_attribute()?)?,
            ),
        })
    }

    /// Returns the same link with copies of all strings that are borrowed from the page.
    pub fn into_owned(self) -> LinkTarget<'static> {
        LinkTarget {
            address: Cow::Owned(self.address.into_owned()),
            rel: Cow::Owned(self.rel.into_owned()),
            ..self
        }
    }

    /// Returns the kind of the link, by the element that makes it.
    pub fn kind(&self) -> LinkKind {
        self.kind
    }

    /// Returns the link's address as it is spelt in the page. The address may be relative.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns the value of the link's `rel` attribute as it is spelt in the page. Empty if there
    /// is no `rel`.
    pub fn rel(&self) -> &str {
        &self.rel
    }

    /// Returns the number of the link. Returns `None` for a link without anchor text, such as an
    /// `img`. [`Judged::link`] returns this number for each token of the link's anchor text.
    pub fn number(&self) -> Option<u32> {
        self.number
    }

    /// Returns the place of the link's start tag.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Returns the absolute URL of the link. Returns `None` if a bot cannot fetch URLs with this
    /// scheme: see [`PageEnd::resolve`].
    pub fn url(&self, outcome: &PageEnd) -> Option<Url> {
        outcome.resolve(&self.address)
    }

    /// Returns the bots that may not follow the link.
    pub fn no_follow(&self, outcome: &PageEnd) -> BotSet {
        PageLinkDenials::new(|usage| outcome.denied(usage))
            .no_follow(self.kind, outcome.verdict(self.verdict))
    }

    /// Returns the bots that may not credit the anchor text to the link's target.
    pub fn no_credit(&self, outcome: &PageEnd) -> BotSet {
        PageLinkDenials::new(|usage| outcome.denied(usage))
            .no_credit(self.kind, outcome.verdict(self.verdict))
    }
}

/// The bots to which a page as a whole denies the uses of links: following, crediting, and listing
/// images.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageLinkDenials {
    follow: BotSet,
    anchor: BotSet,
    image: BotSet,
}

impl PageLinkDenials {
    pub(crate) fn new(denied: impl Fn(Use) -> BotSet) -> Self {
        Self {
            follow: denied(Use::Follow),
            anchor: denied(Use::Anchor),
            image: denied(Use::Image),
        }
    }

    /// Returns the bots that may not follow a link of this kind. `verdict` has the denials at the
    /// link's tag.
    pub(crate) fn no_follow(self, kind: LinkKind, verdict: &Verdict) -> BotSet {
        self.follow
            .or(verdict.denied(Use::Follow))
            .or(self.image_denied(kind, verdict))
    }

    /// Returns the bots that may not credit the anchor text of a link of this kind to the link's
    /// target. `verdict` has the denials at the link's tag.
    pub(crate) fn no_credit(self, kind: LinkKind, verdict: &Verdict) -> BotSet {
        self.anchor
            .or(verdict.denied(Use::Anchor))
            .or(self.image_denied(kind, verdict))
    }

    /// Returns the bots that may not list the image, if the link is an `img`. These bots may not
    /// follow or credit the link either. Empty for links of other kinds.
    fn image_denied(self, kind: LinkKind, verdict: &Verdict) -> BotSet {
        if kind == LinkKind::Img {
            self.image.or(verdict.denied(Use::Image))
        } else {
            BotSet::NONE
        }
    }
}

/// A link of the page. The link's address is stored as the page spells it, and is not resolved yet.
#[derive(Debug)]
pub(crate) struct FoundLink {
    pub(crate) kind: LinkKind,
    /// Byte range of the link's address in the buffer `written` of [`LinkSink`].
    pub(crate) target: Range<usize>,
    pub(crate) rel: Range<usize>,
    pub(crate) verdict: VerdictId,
    /// Number of the link among the links with anchor text, from 1. 0 for a link without anchor
    /// text.
    pub(crate) number: u32,
    pub(crate) place: Place,
}

/// Sink that records the links of one page.
#[derive(Debug)]
pub(crate) struct LinkSink {
    most: usize,
    pub(crate) found: Vec<FoundLink>,
    /// The addresses and `rel` values of all links, concatenated without separators.
    written: String,
}

impl LinkSink {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            found: Vec::new(),
            written: String::new(),
        }
    }

    /// Returns the attribute value that is stored in the byte range `range` of the buffer
    /// `written`.
    pub(crate) fn written(&self, range: &Range<usize>) -> &str {
        &self.written[range.clone()]
    }

    fn write(&mut self, value: &str) -> Range<usize> {
        let start = self.written.len();
        self.written.push_str(value);
        start..self.written.len()
    }
}

impl Sink for LinkSink {
    #[inline]
    fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
        let Some(LinkTarget {
            kind,
            address,
            rel,
            verdict,
            number,
            place,
        }) = LinkTarget::from_token(judged)
        else {
            return Ok(());
        };
        if self.found.len() >= self.most {
            return Err(Error::limit("links", self.most as u64));
        }
        let target = self.write(&address);
        let rel = self.write(&rel);
        self.found.push(FoundLink {
            kind,
            target,
            rel,
            verdict,
            number: number.unwrap_or(0),
            place,
        });
        Ok(())
    }

    fn finish(&mut self, _: &PageEnd) -> Result<()> {
        Ok(())
    }
}
