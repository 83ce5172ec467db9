//! The names by which a publisher may address a bot, and sets of bots.
//!
//! Names are compared whole, never by substring. ASCII case, runs of blanks and a version
//! (`FooBot/1.0`) are ignored. The module `robots_txt` decides which part of an agent line counts
//! as a name. A whole User-Agent is refused as a name: no publisher's statement to the bot would
//! ever match it.

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, Result};

/// A bot: its product token, and any other names publishers use for it.
///
/// ```
/// use heedful_base::bot::Bot;
/// let bot = Bot::new("FooBot/1.0")?.alias("Foo Bot")?;
/// assert!(bot.name() == "FooBot" && bot.is_called("foobot/2.1") && bot.is_called(" FOO  bot "));
/// assert!(!bot.is_called("foobot-news"));
/// # Ok::<(), heedful_base::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct Bot {
    name: String,
    /// The name and the aliases, folded for comparison.
    folded: Vec<String>,
}

crate::from_str!(Bot);

/// As [`Bot::parse`] reads it.
impl fmt::Display for Bot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format_names(self.names()))
    }
}

/// A bot's names as [`Bot::parse`] reads them, or `*` if there is none.
pub fn format_names<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names = names.into_iter();
    let name = names.next().unwrap_or("*");
    let aliases: Vec<_> = names.collect();
    if aliases.is_empty() {
        name.to_owned()
    } else {
        format!("{name}={}", aliases.join(","))
    }
}

impl Bot {
    /// A bot with this product token. A version is cut off.
    ///
    /// # Errors
    /// Fails if the name is empty, is `robots` or `*` (these mean everybody), or is a whole
    /// User-Agent. A comma, a colon, an equals sign or a control character in it is an error too.
    pub fn new(name: &str) -> Result<Self> {
        let folded = vec![Self::fold_checked(name)?];
        Ok(Self {
            name: without_version(name.trim()).to_owned(),
            folded,
        })
    }

    /// A bot without a name: only statements to every bot apply to it. Its name is `*`.
    pub fn unnamed() -> Self {
        Self {
            name: "*".to_owned(),
            folded: Vec::new(),
        }
    }

    /// Adds another name for the same bot.
    ///
    /// # Errors
    /// As for [`Bot::new`].
    pub fn alias(mut self, name: &str) -> Result<Self> {
        self.folded.push(Self::fold_checked(name)?);
        Ok(self)
    }

    /// A bot as people write it: `NAME`, or `NAME=ALIAS,...`.
    ///
    /// # Errors
    /// As for [`Bot::new`].
    pub fn parse(text: &str) -> Result<Self> {
        let (name, aliases) = text.split_once('=').unwrap_or((text, ""));
        let mut bot = Self::new(name)?;
        for alias in aliases.split(',') {
            if !alias.trim().is_empty() {
                bot = bot.alias(alias)?;
            }
        }
        Ok(bot)
    }

    /// The name that was given to [`Bot::new`].
    pub fn name(&self) -> &str {
        &self.name
    }

    /// True if `name` is one of this bot's names, with or without a version.
    pub fn is_called(&self, name: &str) -> bool {
        let name = fold(without_version(name));
        self.folded.contains(&name)
    }

    /// The bot's name and aliases, in lower case with single blanks.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.folded.iter().map(String::as_str)
    }

    /// The names of [`Bot::names`], as a slice.
    pub fn folded(&self) -> &[String] {
        &self.folded
    }

    fn fold_checked(name: &str) -> Result<String> {
        if name.trim().chars().any(char::is_control) {
            return Err(Error::setting(format!(
                "the bot name `{}` holds a control character: leave it out",
                name.escape_debug()
            )));
        }
        if is_user_agent(name) {
            let token = match product(name) {
                Some(token) => format!(": {token}"),
                None => ", as in FooBot/1.0".to_owned(),
            };
            return Err(Error::setting(format!(
                "`{}` is a whole User-Agent: give the product token alone{token}",
                name.trim()
            )));
        }
        let folded = fold(without_version(name));
        match folded.as_str() {
            "" => Err(Error::setting("a bot needs a name")),
            "robots" | "*" => Err(Error::setting(format!(
                "`{folded}` means every bot and cannot be the name of one"
            ))),
            name if name.contains('=') => Err(Error::setting(format!(
                "the bot name `{name}` holds an equals sign: commas are between the aliases of a bot, as in NAME=ALIAS,ALIAS"
            ))),
            name if name.contains([',', ':']) => Err(Error::setting(format!(
                "the bot name `{name}` holds a comma or a colon: give the product token alone"
            ))),
            _ => Ok(folded),
        }
    }
}

/// `FooBot` from `FooBot/1.0`.
fn without_version(name: &str) -> &str {
    name.split('/').next().unwrap_or_default().trim_end()
}

/// True if there is more than a name and its version: a comment, or another product.
fn is_user_agent(name: &str) -> bool {
    if name.contains(['(', ')', ';']) {
        return true;
    }
    match name.trim().split_once('/') {
        Some((_, version)) => version.trim().contains(char::is_whitespace),
        None => false,
    }
}

/// Product names that any browser's User-Agent may have, in lower case.
const BROWSERS: [&str; 9] = [
    "mozilla",
    "applewebkit",
    "khtml",
    "gecko",
    "chrome",
    "safari",
    "firefox",
    "version",
    "mobile",
];

/// The product that a User-Agent most likely means: the one after `compatible;`, else the last one
/// that is not a browser's.
fn product(agent: &str) -> Option<&str> {
    if let Some(at) = agent.to_ascii_lowercase().find("compatible;")
        && let Some(part) = agent[at..].split([';', '(', ')']).nth(1)
    {
        let name = without_version(part.trim());
        if is_product(name) {
            return Some(name);
        }
    }
    let mut last = None;
    for word in agent.split(|c: char| c.is_whitespace() || "();,".contains(c)) {
        let name = without_version(word);
        if word.contains('/') && !word.contains(':') && is_product(name) {
            last = Some(name);
        }
    }
    if last.is_some() {
        return last;
    }
    let begins = without_version(agent.split(['(', ';']).next()?.trim());
    is_product(begins).then_some(begins)
}

fn is_product(name: &str) -> bool {
    name.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
        && !BROWSERS.contains(&&*name.to_ascii_lowercase())
}

/// The name in lower case, trimmed, with single blanks.
pub fn fold(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    for word in name.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(&word.to_ascii_lowercase());
    }
    folded
}

/// The number of a bot in its pass: its index in the list given to `heedful::Filter::for_bots`.
///
/// ```
/// use heedful_base::bot::BotId;
/// assert_eq!(BotId::nth(0), BotId::FIRST);
/// assert_eq!(BotId::nth(3).index(), 3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BotId(u8);

impl BotId {
    /// The first bot. A pass of `heedful::Filter::new` has no other.
    pub const FIRST: Self = Self(0);

    /// The bot at this index of the list. An index outside of it is of no bot of the pass. A policy
    /// allows such a one nothing, and a `heedful::Snapshot` for it is void. But no [`BotSet`] holds
    /// it, a set of denials neither: ask sets for the filter's own bots only.
    pub fn nth(index: usize) -> Self {
        Self(u8::try_from(index).unwrap_or(u8::MAX))
    }

    /// The index in the list, from 0.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A set of the bots of one pass, by their index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BotSet(u64);

impl BotSet {
    /// The most bots one pass serves.
    pub const MAX: usize = 64;
    /// The empty set.
    pub const NONE: Self = Self(0);
    /// All possible bots.
    pub const EVERY: Self = Self(u64::MAX);

    /// The bots in the set, in the order of their filter.
    pub fn iter(self) -> impl Iterator<Item = BotId> {
        (0..Self::MAX)
            .map(BotId::nth)
            .filter(move |bot| self.contains(*bot))
    }

    /// The first `count` bots of a pass.
    pub fn all(count: usize) -> Self {
        Self(if count >= Self::MAX {
            u64::MAX
        } else {
            (1 << count) - 1
        })
    }

    /// The set of this bot alone. It is empty if no set can hold the bot.
    #[inline]
    pub fn one(bot: BotId) -> Self {
        Self(1_u64.checked_shl(u32::from(bot.0)).unwrap_or(0))
    }

    /// The number of bots in the set.
    #[inline]
    pub fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The first bot in the set. For an empty set it is a bot that no set holds.
    pub fn first(self) -> BotId {
        BotId::nth(self.0.trailing_zeros() as usize)
    }

    /// True if the bot is in the set.
    #[inline]
    pub fn contains(self, bot: BotId) -> bool {
        self.and(Self::one(bot)) != Self::NONE
    }

    /// True if no bot is in the set.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The bots that are in either set.
    #[inline]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The bots that are in both sets.
    #[inline]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The bots of this set that are not in the other.
    #[inline]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// The set of these bots. An index that no set can hold is left out.
impl FromIterator<BotId> for BotSet {
    fn from_iter<I: IntoIterator<Item = BotId>>(bots: I) -> Self {
        let mut set = Self::NONE;
        for bot in bots {
            set = set.or(Self::one(bot));
        }
        set
    }
}

/// The bots of one pass.
#[derive(Clone, Debug)]
pub struct Bots(Arc<[Bot]>);

impl Bots {
    /// One bot.
    pub fn one(bot: Bot) -> Self {
        Self(Arc::from([bot]))
    }

    /// No bots, for a pass that reads a page for none.
    pub fn none() -> Self {
        Self(Arc::from([]))
    }

    /// These bots, numbered in their order.
    ///
    /// # Errors
    /// Fails if there is none, or if there are more than [`BotSet::MAX`].
    pub fn new(bots: Vec<Bot>) -> Result<Self> {
        match bots.len() {
            0 => Err(Error::setting("a filter needs at least one bot")),
            n if n > BotSet::MAX => Err(Error::setting(format!(
                "a pass serves at most {} bots, not {n}",
                BotSet::MAX
            ))),
            _ => Ok(Self(bots.into())),
        }
    }

    /// The bots, in their order.
    pub fn list(&self) -> &[Bot] {
        &self.0
    }

    /// The bot with this number, or the first bot if there is none.
    pub fn get(&self, bot: BotId) -> &Bot {
        self.0.get(bot.index()).unwrap_or(&self.0[0])
    }

    /// Each bot with its number.
    pub fn each(&self) -> impl Iterator<Item = (BotId, &Bot)> {
        self.0
            .iter()
            .enumerate()
            .map(|(index, bot)| (BotId::nth(index), bot))
    }

    /// The set of all of them.
    pub fn all(&self) -> BotSet {
        BotSet::all(self.0.len())
    }

    /// The bots with this name. A version in `name` is ignored.
    pub fn called(&self, name: &str) -> BotSet {
        let name = fold(without_version(name));
        let called = self.each().filter(|(_, bot)| bot.folded.contains(&name));
        called.map(|(id, _)| id).collect()
    }
}
