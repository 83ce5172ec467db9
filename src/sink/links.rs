//! The links of a page, recorded once for all bots.
//!
//! Links are `a` `area` `link` `form` `iframe` `frame` `img` and META refresh. An element in `template` or `noscript`
//! is no link. The URL is resolved at the end, since a `base` may come late. The first `base` with an `href` counts,
//! wherever it is.

use std::ops::Range;

use url::Url;

use crate::error::{Error, Result};
use crate::html::{self, Facts, Tag};
use crate::ledger::{Outcome, VerdictId};
use crate::lex::TileKind;
use crate::locate::Field;
use crate::place::Place;
use crate::walk::Judged;

use super::receiver::Sink;

/// The kinds of elements that make links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LinkKind {
    /// `a href`
    A,
    /// `area href`
    Area,
    /// `link href`
    Link,
    /// `form action`
    Form,
    /// `iframe src`
    Iframe,
    /// `frame src`
    Frame,
    /// `img src`
    Img,
    /// META refresh
    Refresh,
}

crate::named::display!(LinkKind);

impl LinkKind {
    /// Its name.
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

    fn of(tag: Tag) -> Option<Self> {
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

/// A link as it was written.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) kind: LinkKind,
    /// The address of the target, and the `rel`: see [`Links::written`].
    pub(crate) target: Range<usize>,
    pub(crate) rel: Range<usize>,
    pub(crate) verdict: VerdictId,
    /// The number among the links with text; 0 for the others.
    pub(crate) number: u32,
    pub(crate) place: Place,
}

/// Records the links of one page.
#[derive(Debug)]
pub(crate) struct Links {
    most: usize,
    base: Option<String>,
    pub(crate) found: Vec<Found>,
    /// The values of their attributes, without separators.
    written: String,
}

impl Links {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, base: None, found: Vec::new(), written: String::new() }
    }

    /// The value of a link's attribute.
    pub(crate) fn written(&self, range: &Range<usize>) -> &str {
        &self.written[range.clone()]
    }

    fn write(&mut self, value: &str) -> Range<usize> {
        let start = self.written.len();
        self.written.push_str(value);
        start..self.written.len()
    }

    /// The base of the links.
    pub(crate) fn base(&self, page: &Url) -> Url {
        self.base.as_deref().and_then(|base| page.join(base.trim()).ok()).unwrap_or_else(|| page.clone())
    }

    fn start(&mut self, judged: &Judged<'_>) -> Result<()> {
        let tile = judged.tile();
        match tile.tag() {
            Tag::BASE => {
                if self.base.is_none() {
                    self.base = tile.attribute("href").map(String::from);
                }
                Ok(())
            }
            Tag::META => {
                let target = tile.attribute("http-equiv").zip(tile.attribute("content"));
                let target = target.and_then(|(header, content)| html::refresh(&header, &content));
                target.map_or(Ok(()), |target| self.add(LinkKind::Refresh, &target, judged))
            }
            tag if !tag.has(Facts::LINKS) => Ok(()),
            tag => {
                let target = tag.link_attribute().and_then(|attribute| tile.attribute(attribute));
                match (LinkKind::of(tag), target) {
                    (Some(kind), Some(target)) => self.add(kind, &target, judged),
                    _ => Ok(()),
                }
            }
        }
    }

    fn add(&mut self, kind: LinkKind, target: &str, judged: &Judged<'_>) -> Result<()> {
        if self.found.len() >= self.most {
            return Err(Error::limit("links", self.most as u64));
        }
        // In svg's title no link begins: text there belongs to the link round the drawing.
        let (tile, standing) = (judged.tile(), judged.standing());
        let target = self.write(target);
        let rel = self.write(&tile.attribute("rel").unwrap_or_default());
        self.found.push(Found {
            kind,
            target,
            rel,
            verdict: judged.id(),
            number: if kind == LinkKind::A && standing.field == Field::Body { standing.link } else { 0 },
            place: tile.place(),
        });
        Ok(())
    }
}

impl Sink for Links {
    #[inline]
    fn tile(&mut self, judged: &Judged<'_>) -> Result<()> {
        let tile = judged.tile();
        if tile.kind() != TileKind::Start || tile.is_foreign() || judged.standing().in_template {
            return Ok(());
        }
        self.start(judged)
    }

    fn finish(&mut self, _: &Outcome) -> Result<()> {
        Ok(())
    }
}
