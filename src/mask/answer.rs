//! The answer for one record, and its form in JSON (docs/mask.md).

use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::{Error, Result};
use crate::policy::{Directive, Facet, Facets, LAW, Policy};

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum AnswerKind {
    /// A page that was read, or a URL that was judged without its page.
    Page,
    /// A record that is no page: a request, metadata, a redirect, a picture.
    None,
    /// A record that could not be read, or whose content is not here.
    Unknown,
}

crate::named::display!(AnswerKind);

impl AnswerKind {
    /// The name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::None => "none",
            Self::Unknown => "unknown",
        }
    }
}

/// The answer for one record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The input.
    pub file: String,
    /// The unit of `at`: `byte`, `line`, `object` or `row`. None if the file is the record.
    pub unit: Option<String>,
    /// The place of the record in the input.
    pub at: Option<u64>,
    /// The identifier of the record in an archive.
    pub record: Option<String>,
    /// The URL of the record, where it is known.
    pub url: Option<String>,
    /// When it was fetched, by RFC 3339.
    pub date: Option<String>,
    /// What the record is.
    pub kind: AnswerKind,
    /// Why it is no page, or unknown.
    pub reason: Option<String>,
    /// The digest of the page's bytes as they were read, without transfer and content encodings: `sha256:` and hex.
    pub digest: Option<String>,
    /// The version of docs/semantics.md that decided.
    pub law: u32,
    /// The uses that are allowed to all of the bots.
    pub allow: Allowed,
    /// The answers for each bot.
    pub bots: Vec<BotAnswer>,
}

/// The answer to one bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotAnswer {
    /// The bot.
    pub bot: String,
    /// What it may use the page for, as a whole.
    pub allow: Allowed,
    /// The directives that decided.
    pub why: Whys,
    /// The uses that are allowed for the page but not for all of its parts. None if that was not asked.
    pub parts: Option<Vec<String>>,
}

/// The uses that were asked about, each allowed or denied. In JSON it is an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowed {
    /// The uses that were asked about.
    pub asked: Facets,
    /// Those of them that are allowed.
    pub allowed: Facets,
}

/// The directives that decided on uses. In JSON it is an object; a use that no directive decided is not in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Whys(pub Vec<(Facet, Why)>);

/// The directive that decided on a use, as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Why {
    /// The line of the page at which it begins, if it is in the page.
    pub line: Option<u32>,
    /// The column in that line.
    pub column: Option<u32>,
    /// The convention.
    pub dialect: String,
    /// Its words. For a file of the site they name the line there.
    pub directive: String,
    /// Where it is from: `page`, `header`, `rule` (of a robots.txt) and others, as in the JSON of pages.
    pub origin: String,
}

impl Why {
    fn of(directive: &Directive) -> Self {
        let place = directive.place();
        Self {
            line: place.map(|place| place.line()),
            column: place.map(|place| place.column()),
            dialect: directive.dialect().to_owned(),
            directive: directive.text().to_owned(),
            origin: directive.origin().name().to_owned(),
        }
    }
}

impl Allowed {
    /// These uses, all of them denied.
    pub(super) fn none(asked: Facets) -> Self {
        Self { asked, allowed: Facets::NONE }
    }

    pub(super) fn of(policy: &Policy, asked: Facets) -> Self {
        let allowed = asked.iter().filter(|facet| policy.allows(*facet));
        Self { asked, allowed: allowed.fold(Facets::NONE, |all, facet| all.with(Facets::of(&[facet]))) }
    }

    /// True if a use was asked about and is allowed.
    pub fn allows(self, facet: Facet) -> bool {
        self.allowed.contains(facet)
    }
}

impl BotAnswer {
    /// What a policy says about these uses.
    pub(super) fn of(bot: &str, policy: &Policy, asked: Facets, parts: Option<Vec<String>>) -> Self {
        let why = |facet: Facet| Some((facet, Why::of(policy.why(facet)?)));
        Self {
            bot: bot.to_owned(),
            allow: Allowed::of(policy, asked),
            why: Whys(asked.iter().filter_map(why).collect()),
            parts,
        }
    }
}

impl Answer {
    /// The answer for a record of which nothing is known: everything is denied.
    pub(super) fn denied(kind: AnswerKind, reason: String, asked: Facets, bots: &[String]) -> Self {
        let deny = |bot: &String| BotAnswer {
            bot: bot.clone(),
            allow: Allowed::none(asked),
            why: Whys::default(),
            parts: None,
        };
        Self {
            file: String::new(),
            unit: None,
            at: None,
            record: None,
            url: None,
            date: None,
            kind,
            reason: Some(reason),
            digest: None,
            law: LAW,
            allow: Allowed::none(asked),
            bots: bots.iter().map(deny).collect(),
        }
    }

    /// The answer for a page, from what each bot may do with it.
    pub(super) fn page(bots: Vec<BotAnswer>, asked: Facets) -> Self {
        let denied = bots.iter().fold(Facets::NONE, |all, bot| all.with(asked.without(bot.allow.allowed)));
        let allow = Allowed { asked, allowed: asked.without(denied) };
        let nothing = Self::denied(AnswerKind::Page, String::new(), asked, &[]);
        Self { reason: None, allow, bots, ..nothing }
    }

    /// Reads a line of a mask.
    ///
    /// # Errors
    /// Fails if it is none.
    pub fn parse(line: &str) -> Result<Self> {
        serde_json::from_str(line).map_err(|error| Error::setting(format!("no answer of a mask ({error})")))
    }

    /// The answer as a line of JSON, without a line end.
    pub fn line(&self) -> String {
        crate::json::line(self)
    }
}

impl Serialize for Allowed {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        for facet in self.asked.iter() {
            map.serialize_entry(facet.name(), &self.allows(facet))?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Allowed {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        let mut read = Self::default();
        for (facet, is_allowed) in from.deserialize_map(ByUse(std::marker::PhantomData::<bool>))? {
            let one = Facets::of(&[facet]);
            read.asked = read.asked.with(one);
            read.allowed = if is_allowed { read.allowed.with(one) } else { read.allowed };
        }
        Ok(read)
    }
}

impl Serialize for Whys {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(facet, why)| (facet.name(), why)))
    }
}

impl<'de> Deserialize<'de> for Whys {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        from.deserialize_map(ByUse(std::marker::PhantomData::<Why>)).map(Self)
    }
}

/// Reads an object whose keys are uses.
struct ByUse<T>(std::marker::PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ByUse<T> {
    type Value = Vec<(Facet, T)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of uses")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Self::Value, A::Error> {
        let mut read = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            let facet = Facet::ALL.into_iter().find(|facet| facet.name() == name);
            let facet = facet.ok_or_else(|| A::Error::custom(format!("`{name}` is no use")))?;
            read.push((facet, map.next_value()?));
        }
        Ok(read)
    }
}
