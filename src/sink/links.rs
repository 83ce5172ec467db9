//! The links of a page, recorded once for all bots.
//!
//! `a` `area` `link` `form` `iframe` `frame` `img` and META refresh. What stands in `template` or `noscript` is no
//! link. The URL is resolved at the end, for a `base` may come late; the first `base` with an `href` counts, wherever
//! it stands.

use url::Url;

use crate::error::{Error, Result};
use crate::html;
use crate::lex::{Tile, TileKind};
use crate::place::Place;
use crate::walk::{Judged, VerdictId};

use super::Sink;

/// What kind of element a link is.
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

    fn of(name: &str) -> Option<Self> {
        [Self::A, Self::Area, Self::Link, Self::Form, Self::Iframe, Self::Frame, Self::Img]
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}

/// A link as it was written.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) kind: LinkKind,
    pub(crate) target: String,
    pub(crate) rel: String,
    pub(crate) verdict: VerdictId,
    /// Its number among the links with text; 0 for the others.
    pub(crate) number: u32,
    pub(crate) place: Place,
}

/// Records the links of one page.
#[derive(Debug)]
pub(crate) struct Links {
    most: usize,
    base: Option<String>,
    pub(crate) found: Vec<Found>,
}

impl Links {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, base: None, found: Vec::new() }
    }

    /// What the links are relative to.
    pub(crate) fn base(&self, page: &Url) -> Url {
        self.base.as_deref().and_then(|base| page.join(base.trim()).ok()).unwrap_or_else(|| page.clone())
    }

    fn add(&mut self, kind: LinkKind, target: String, judged: &Judged<'_>) -> Result<()> {
        if self.found.len() >= self.most {
            return Err(Error::limit("links", self.most as u64));
        }
        let tile = judged.tile();
        self.found.push(Found {
            kind,
            target,
            rel: tile.attribute("rel").unwrap_or_default().into_owned(),
            verdict: judged.id(),
            number: if kind == LinkKind::A { judged.standing().link } else { 0 },
            place: tile.place(),
        });
        Ok(())
    }
}

impl Sink for Links {
    fn tile(&mut self, judged: &Judged<'_>) -> Result<()> {
        let tile = judged.tile();
        if tile.kind() != TileKind::Start || tile.is_foreign() || judged.standing().in_template {
            return Ok(());
        }
        match tile.name() {
            "base" => {
                if self.base.is_none() {
                    self.base = tile.attribute("href").map(String::from);
                }
                Ok(())
            }
            "meta" => refresh(tile).map_or(Ok(()), |target| self.add(LinkKind::Refresh, target, judged)),
            name => {
                let target = html::link_attribute(name).and_then(|attribute| tile.attribute(attribute));
                match (LinkKind::of(name), target) {
                    (Some(kind), Some(target)) => self.add(kind, target.into_owned(), judged),
                    _ => Ok(()),
                }
            }
        }
    }
}

/// The target of a META refresh: `5; url='/next'`.
fn refresh(tile: &Tile<'_>) -> Option<String> {
    if !tile.attribute("http-equiv")?.trim().eq_ignore_ascii_case("refresh") {
        return None;
    }
    let content = tile.attribute("content")?;
    let rest = content.trim_start().trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let rest = rest.trim_start().trim_start_matches([';', ',']).trim_start();
    let target = match rest.get(..3) {
        Some(word) if word.eq_ignore_ascii_case("url") => rest[3..].trim_start().strip_prefix('=')?.trim_start(),
        _ => rest,
    };
    let target = match target.chars().next()? {
        quote @ ('"' | '\'') => target[1..].split(quote).next()?,
        _ => target,
    };
    Some(target.trim().to_owned())
}
