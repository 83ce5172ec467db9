//! The answer to one bot about a page. It says for each use if the use is allowed, and which
//! directive decided.
//!
//! An answer quotes a directive with the spelling of the page, and with its position in the page.
//! This module never decides.

use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use heedful::internals::convention::rsl;
use heedful::{Directive, Origin, Policy, Use, Uses};

/// Answer to one bot about a page. It states which uses are allowed, and which directives decided
/// on the uses.
///
/// # Examples
/// ```
/// use heedful::Use;
/// use heedful_index::decision::BotAnswer;
///
/// let json = r#"{"bot": "foobot", "allow": {"index": true, "train": false}, "why": {}, "parts": null}"#;
/// let answer: BotAnswer = serde_json::from_str(json)?;
/// assert!(answer.allow.allows(Use::Index) && answer.allow.denies(Use::Train));
/// assert!(answer.why.0.is_empty()); // no directive is quoted
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotAnswer {
    /// Name of the bot that gets this answer, without its aliases.
    pub bot: String,
    /// Uses that were evaluated for the page as a whole, each allowed or denied.
    pub allow: AllowedUses,
    /// Deciding directive for each use. A use without a deciding directive has no entry.
    pub why: Whys,
    /// Names of the uses that are allowed for the page as a whole, but denied for a part of the
    /// page. None if the parts of the page were not evaluated.
    pub parts: Option<Vec<String>>,
}

/// A set of evaluated uses of a page, each allowed or denied. In JSON it is an object of booleans.
///
/// # Examples
/// ```
/// use heedful::{Use, Uses};
/// use heedful_index::decision::AllowedUses;
///
/// let uses = AllowedUses {
///     asked: Uses::parse_names("index,train")?,
///     allowed: Uses::parse_names("index")?,
/// };
/// assert!(uses.allows(Use::Index) && uses.denies(Use::Train));
/// assert!(!uses.allows(Use::Archive) && !uses.denies(Use::Archive)); // not evaluated
/// assert_eq!(serde_json::to_string(&uses)?, r#"{"index":true,"train":false}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AllowedUses {
    /// All uses that were evaluated, allowed or denied.
    pub asked: Uses,
    /// Uses that were evaluated and are allowed.
    pub allowed: Uses,
}

/// The deciding directive for each use. In JSON it is an object whose keys are the names of the
/// uses. A use without a deciding directive has no key.
///
/// # Examples
/// ```
/// use heedful::Use;
/// use heedful_index::decision::Whys;
///
/// let json = r#"{"train": {"line": 1, "column": 1, "convention": "meta",
///     "directive": "robots: noai", "origin": "page"}}"#;
/// let whys: Whys = serde_json::from_str(json)?;
/// let (usage, why) = &whys.0[0];
/// assert_eq!((*usage, why.convention.as_str(), why.line), (Use::Train, "meta", Some(1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Whys(pub Vec<(Use, Why)>);

/// A directive that decided on a use, quoted in its original spelling. The directive comes from a
/// page, a header or a site file.
///
/// # Examples
/// For an example see [`Whys`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Why {
    /// Line of the page at which the directive begins. None if the directive is in a header or a
    /// file.
    pub line: Option<u32>,
    /// Column at which the directive begins in its line of the page. None if the directive is
    /// in a header or a file.
    pub column: Option<u32>,
    /// Name of the convention to which the directive belongs.
    pub convention: String,
    /// Text of the directive. A directive of a site file includes its line number in that file.
    pub directive: String,
    /// Name of the directive's origin, such as `page` or `header`. The name `rule` stands for a
    /// rule of a robots.txt. The JSON output for pages has the same names.
    pub origin: String,
}

impl Why {
    /// True if the directive is quoted from a `Link` header.
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
    /// Creates a set of evaluated uses that are all denied.
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

    /// True if a use was evaluated and is denied. False if it was not evaluated.
    pub fn denies(self, usage: Use) -> bool {
        self.asked.contains(usage) && !self.allows(usage)
    }

    /// True if a use was evaluated and is allowed. False if it was not evaluated.
    pub fn allows(self, usage: Use) -> bool {
        self.allowed.contains(usage)
    }
}

impl BotAnswer {
    /// Creates the answer to the bot named `bot` from its policy for a page. The answer covers the
    /// uses in `asked`.
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

/// Deserializer of a JSON object whose keys are names of uses.
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
