//! What was decided of a page: for each bot and use, if it is allowed, and by which directive.
//!
//! The words are those of the directive, and its place is that in the page. Nothing here decides.

use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use heedful::internals::convention::rsl;
use heedful::{Directive, Origin, Policy, Use, Uses};

/// The answer to one bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotAnswer {
    /// The bot.
    pub bot: String,
    /// What it may use the page for, as a whole.
    pub allow: AllowedUses,
    /// The directives that decided.
    pub why: Whys,
    /// The uses that are allowed for the page but not for all of its parts. None if that was not
    /// asked.
    pub parts: Option<Vec<String>>,
}

/// The uses that were asked about, each allowed or denied. In JSON it is an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AllowedUses {
    /// The uses that were asked about.
    pub asked: Uses,
    /// Those of them that are allowed.
    pub allowed: Uses,
}

/// The directives that decided on uses. In JSON it is an object; a use that no directive decided is
/// not in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Whys(pub Vec<(Use, Why)>);

/// The directive that decided on a use, as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Why {
    /// The line of the page at which it begins, if it is in the page.
    pub line: Option<u32>,
    /// The column in that line.
    pub column: Option<u32>,
    /// The convention.
    pub convention: String,
    /// Its words. For a file of the site they name the line there.
    pub directive: String,
    /// Where it is from: `page`, `header`, `rule` (of a robots.txt) and others, as in the JSON of
    /// pages.
    pub origin: String,
}

impl Why {
    /// True if these are the words of a `Link` line.
    #[doc(hidden)]
    pub fn quotes_links(&self) -> bool {
        self.origin == Origin::Header.name()
            && rsl::is_header(self.directive.split(':').next().unwrap_or_default())
    }

    fn from_directive(directive: &Directive) -> Self {
        let (line, column) = match directive.place() {
            Some(place) => (Some(place.line()), Some(place.column())),
            None => (None, None),
        };
        Self {
            line,
            column,
            convention: directive.convention().to_owned(),
            directive: directive.text().to_owned(),
            origin: directive.origin().name().to_owned(),
        }
    }
}

impl AllowedUses {
    /// These uses, all of them denied.
    #[doc(hidden)]
    pub fn none(asked: Uses) -> Self {
        Self {
            asked,
            allowed: Uses::NONE,
        }
    }

    pub(crate) fn from_policy(policy: &Policy, asked: Uses) -> Self {
        let mut allowed = Uses::NONE;
        for usage in asked.iter() {
            if policy.allows(usage) {
                allowed = allowed.union(Uses::new(&[usage]));
            }
        }
        Self { asked, allowed }
    }

    /// True if a use was asked about and is denied.
    pub fn denies(self, usage: Use) -> bool {
        self.asked.contains(usage) && !self.allows(usage)
    }

    /// True if a use was asked about and is allowed.
    pub fn allows(self, usage: Use) -> bool {
        self.allowed.contains(usage)
    }
}

impl BotAnswer {
    /// The answer of a policy about these uses.
    #[doc(hidden)]
    pub fn from_policy(
        bot: &str,
        policy: &Policy,
        asked: Uses,
        parts: Option<Vec<String>>,
    ) -> Self {
        let mut whys = Vec::new();
        for usage in asked.iter() {
            if let Some(directive) = policy.why(usage) {
                whys.push((usage, Why::from_directive(directive)));
            }
        }
        Self {
            bot: bot.to_owned(),
            allow: AllowedUses::from_policy(policy, asked),
            why: Whys(whys),
            parts,
        }
    }
}

impl Serialize for AllowedUses {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        for usage in self.asked.iter() {
            map.serialize_entry(usage.name(), &self.allows(usage))?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for AllowedUses {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut read = Self::default();
        for (usage, is_allowed) in from.deserialize_map(ByUse(std::marker::PhantomData::<bool>))? {
            let one = Uses::new(&[usage]);
            read.asked = read.asked.union(one);
            read.allowed = if is_allowed {
                read.allowed.union(one)
            } else {
                read.allowed
            };
        }
        Ok(read)
    }
}

impl Serialize for Whys {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(usage, why)| (usage.name(), why)))
    }
}

impl<'de> Deserialize<'de> for Whys {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(ByUse(std::marker::PhantomData::<Why>))
            .map(Self)
    }
}

/// Reads an object whose keys are uses.
struct ByUse<T>(std::marker::PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ByUse<T> {
    type Value = Vec<(Use, T)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of uses")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut read = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            let usage = Use::ALL.into_iter().find(|usage| usage.name() == name);
            let usage = usage.ok_or_else(|| A::Error::custom(format!("`{name}` is no use")))?;
            read.push((usage, map.next_value()?));
        }
        Ok(read)
    }
}
