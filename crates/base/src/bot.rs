//! Names of bots in publishers' statements, and sets of bots.
//!
//! Names are compared whole, never by substring. ASCII case, runs of blanks and a version
//! (`FooBot/1.0`) are ignored. The crate `heedful-robots` decides which part of a robots.txt's
//! agent line is a name. A browser's full User-Agent is refused as a name: no publisher's statement
//! to the bot would ever match it.

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, Result};

/// A bot, with its name and other names. The name is the product token, such as `FooBot`. The other
/// names are those that publishers use for the bot.
///
/// # Examples
///
/// ```
/// use heedful_base::bot::Bot;
///
/// let bot = Bot::new("FooBot/1.0")?.alias("Foo Bot")?;
/// assert_eq!(bot.name(), "FooBot");
/// assert!(bot.is_called("foobot/2.1") && bot.is_called(" FOO  bot "));
/// assert!(!bot.is_called("foobot-news"));
/// # Ok::<(), heedful_base::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct Bot {
    name: String,
    /// Name and aliases in the form that [`fold`] returns, for comparison. Empty for a bot without
    /// a name.
    folded_names: Vec<String>,
}

crate::from_str!(Bot);

/// Formats the bot's names in the form that [`Bot::parse`] parses.
impl fmt::Display for Bot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format_names(self.names()))
    }
}

/// Formats a bot's names as [`Bot::parse`] parses them: `NAME`, or `NAME=ALIAS,...`. Returns `*` if
/// `names` is empty.
///
/// # Examples
///
/// ```
/// use heedful_base::bot::format_names;
///
/// assert_eq!(format_names(["foobot", "foo bot", "foo"]), "foobot=foo bot,foo");
/// assert_eq!(format_names([]), "*");
/// ```
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
    /// Creates a bot with the product token `name`. A version is cut off: `FooBot/1.0` becomes
    /// `FooBot`.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](crate::error::ErrorKind::Setting) if `name` is empty or is a whole
    /// User-Agent. This error is also returned for `robots` and `*`, because both mean every bot.
    /// Other causes are a comma, a colon, an equals sign or a control character in `name`.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::bot::Bot;
    ///
    /// assert_eq!(Bot::new("FooBot/1.0")?.name(), "FooBot");
    ///
    /// let agent = "Mozilla/5.0 (compatible; FooBot/1.0; +https://foo.example/bot)";
    /// let error = Bot::new(agent).unwrap_err();
    /// assert!(error.to_string().ends_with("give the product token alone: FooBot"));
    /// # Ok::<(), heedful_base::error::Error>(())
    /// ```
    pub fn new(name: &str) -> Result<Self> {
        let folded_names = vec![Self::fold_checked(name)?];
        Ok(Self {
            name: without_version(name.trim()).to_owned(),
            folded_names,
        })
    }

    /// Returns a bot without a name. Only statements that address every bot apply to it.
    /// [`Bot::name`] returns `*` for it.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::bot::Bot;
    ///
    /// let bot = Bot::unnamed();
    /// assert_eq!(bot.name(), "*");
    /// assert!(!bot.is_called("*"));
    /// assert_eq!(bot.names().count(), 0);
    /// ```
    pub fn unnamed() -> Self {
        Self {
            name: "*".to_owned(),
            folded_names: Vec::new(),
        }
    }

    /// Adds `name` as another name of this bot. A version is cut off.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](crate::error::ErrorKind::Setting) if `name` is a name that
    /// [`Bot::new`] refuses.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::bot::Bot;
    ///
    /// let bot = Bot::new("FooBot")?.alias("Foo Bot")?;
    /// assert!(bot.is_called("foo bot"));
    /// assert!(bot.names().eq(["foobot", "foo bot"]));
    /// # Ok::<(), heedful_base::error::Error>(())
    /// ```
    pub fn alias(mut self, name: &str) -> Result<Self> {
        self.folded_names.push(Self::fold_checked(name)?);
        Ok(self)
    }

    /// Parses a bot's names as a user types them: `NAME`, or `NAME=ALIAS,...`.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](crate::error::ErrorKind::Setting) if `text` has a name that
    /// [`Bot::new`] refuses.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::bot::Bot;
    ///
    /// let bot = Bot::parse("FooBot=Foo Bot,Foo")?;
    /// assert!(bot.is_called("foo"));
    /// assert_eq!(bot.to_string(), "foobot=foo bot,foo");
    /// # Ok::<(), heedful_base::error::Error>(())
    /// ```
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

    /// Name that was passed to [`Bot::new`], trimmed and without a version. For a bot from
    /// [`Bot::unnamed`], the name is `*`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// True if `name` is one of this bot's names, with or without a version.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::bot::Bot;
    ///
    /// let bot = Bot::new("FooBot")?;
    /// assert!(bot.is_called("FOOBOT/2.1"));
    /// assert!(!bot.is_called("foo") && !bot.is_called("foobot-news"));
    /// # Ok::<(), heedful_base::error::Error>(())
    /// ```
    pub fn is_called(&self, name: &str) -> bool {
        let name = fold(without_version(name));
        self.folded_names.contains(&name)
    }

    /// Returns the bot's name and aliases, in lower case with single blanks. Yields nothing for a
    /// bot from [`Bot::unnamed`].
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.folded_names.iter().map(String::as_str)
    }

    /// Returns the names that [`Bot::names`] yields, as a slice.
    pub fn folded_names(&self) -> &[String] {
        &self.folded_names
    }

    /// Returns `name` without its version, in the form that [`fold`] returns. Fails if no bot may
    /// have this name. The message then says what to write instead.
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

/// Cuts the version off a bot's name: returns `FooBot` for `FooBot/1.0`.
fn without_version(name: &str) -> &str {
    name.split('/').next().unwrap_or_default().trim_end()
}

/// True if `name` is a whole User-Agent, not only a product token. In a whole User-Agent, a comment
/// or another product follows the first product and its version.
fn is_user_agent(name: &str) -> bool {
    if name.contains(['(', ')', ';']) {
        return true;
    }
    match name.trim().split_once('/') {
        Some((_, version)) => version.trim().contains(char::is_whitespace),
        None => false,
    }
}

/// Product names in the User-Agents of common browsers, in lower case.
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

/// Guesses the name of the bot's product in the User-Agent `agent`. It is the product after
/// `compatible;`. Otherwise it is the last product with a version, except browsers' products.
/// Otherwise it is the text before the first comment. Returns `None` if none of these looks like a
/// product.
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

/// True if `name` begins with an ASCII letter and is not the name of a browser's product.
fn is_product(name: &str) -> bool {
    name.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
        && !BROWSERS.contains(&&*name.to_ascii_lowercase())
}

/// Returns the bot's name `name` in the form in which names are compared: in lower case, trimmed,
/// and with single blanks.
///
/// # Examples
///
/// ```
/// assert_eq!(heedful_base::bot::fold("  Foo \t BOT "), "foo bot");
/// ```
pub fn fold(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    for word in name.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded.make_ascii_lowercase();
    folded
}

/// Number of a bot: its index in the list that was passed to `heedful::Filter::for_bots`. The
/// results of this filter refer to the bot by this number.
///
/// # Examples
///
/// ```
/// use heedful_base::bot::BotId;
///
/// assert_eq!(BotId::nth(0), BotId::FIRST);
/// assert_eq!(BotId::nth(3).index(), 3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BotId(u8);

impl BotId {
    /// Number of the first bot in a filter's list. A filter that `heedful::Filter::new` creates has
    /// only this bot.
    pub const FIRST: Self = Self(0);

    /// Returns the number of the bot at `index` in the filter's list of bots.
    ///
    /// If `index` is past the end of the list, no bot has the returned number. For this number, a
    /// policy allows nothing, and a `heedful::Snapshot` is empty. A set of the bots to which a use
    /// is denied does not contain the number. The use then looks allowed. So query a [`BotSet`]
    /// only with numbers of the filter's bots.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::bot::{BotId, BotSet};
    ///
    /// assert!(BotSet::EVERY.contains(BotId::nth(63)));
    /// assert!(!BotSet::EVERY.contains(BotId::nth(64)));
    /// assert!(BotSet::single(BotId::nth(64)).is_empty());
    /// ```
    pub fn nth(index: usize) -> Self {
        Self(u8::try_from(index).unwrap_or(u8::MAX))
    }

    /// Index of the bot in the filter's list of bots, counted from 0.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Set of bots from the list of one filter, as a bitmask of their numbers.
///
/// # Examples
///
/// ```
/// use heedful_base::bot::{BotId, BotSet};
///
/// let set: BotSet = [BotId::nth(2), BotId::FIRST].into_iter().collect();
/// assert_eq!(set.count(), 2);
/// assert!(set.contains(BotId::nth(2)) && !set.contains(BotId::nth(1)));
/// assert!(set.iter().eq([BotId::FIRST, BotId::nth(2)]));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BotSet(u64);

impl BotSet {
    /// Maximum number of bots in one pass over a page.
    pub const MAX: usize = 64;
    /// Set without any bot.
    pub const NONE: Self = Self(0);
    /// Set of all [`BotSet::MAX`] possible bots.
    pub const EVERY: Self = Self(u64::MAX);

    /// Returns the bots in the set, in the order of their numbers.
    pub fn iter(self) -> impl Iterator<Item = BotId> {
        (0..Self::MAX)
            .map(BotId::nth)
            .filter(move |bot| self.contains(*bot))
    }

    /// Returns the set of the first `count` bots of a pass.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::bot::{BotId, BotSet};
    ///
    /// let set = BotSet::all(2);
    /// assert!(set.contains(BotId::nth(1)) && !set.contains(BotId::nth(2)));
    /// ```
    pub fn all(count: usize) -> Self {
        Self(if count >= Self::MAX {
            u64::MAX
        } else {
            (1 << count) - 1
        })
    }

    /// Returns the set that contains only `bot`. The set is empty if the bot's number is
    /// [`BotSet::MAX`] or more.
    #[inline]
    pub fn single(bot: BotId) -> Self {
        Self(1_u64.checked_shl(u32::from(bot.0)).unwrap_or(0))
    }

    /// Number of bots in the set.
    #[inline]
    pub fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns the bot with the lowest number in the set. For an empty set, returns a number that
    /// no set contains.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::bot::{BotId, BotSet};
    ///
    /// let set = BotSet::all(3).without(BotSet::single(BotId::FIRST));
    /// assert_eq!(set.first(), BotId::nth(1));
    /// assert!(!BotSet::EVERY.contains(BotSet::NONE.first()));
    /// ```
    pub fn first(self) -> BotId {
        BotId::nth(self.0.trailing_zeros() as usize)
    }

    /// True if `bot` is in the set.
    #[inline]
    pub fn contains(self, bot: BotId) -> bool {
        self.and(Self::single(bot)) != Self::NONE
    }

    /// True if no bot is in the set.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the bots that are in this set, in `other` or in both.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::bot::{BotId, BotSet};
    ///
    /// let (one, two) = (BotSet::single(BotId::nth(0)), BotSet::single(BotId::nth(1)));
    /// assert_eq!(one.or(two), BotSet::all(2));
    /// assert_eq!(one.or(two).and(two), two);
    /// assert_eq!(one.or(two).without(two), one);
    /// ```
    #[inline]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the bots that are both in this set and in `other`.
    #[inline]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns the bots of this set that are not in `other`.
    #[inline]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// Collects bots into a set. Bots whose number is [`BotSet::MAX`] or more are left out.
impl FromIterator<BotId> for BotSet {
    fn from_iter<I: IntoIterator<Item = BotId>>(bots: I) -> Self {
        let mut set = Self::NONE;
        for bot in bots {
            set = set.or(Self::single(bot));
        }
        set
    }
}

/// List of the bots for which one pass reads a page. A bot's number is its index in the list.
///
/// # Examples
///
/// ```
/// use heedful_base::bot::{Bot, BotId, BotSet, Bots};
///
/// let bots = Bots::new(vec![Bot::new("FooBot")?, Bot::new("BarBot")?])?;
/// assert_eq!(bots.get(BotId::nth(1)).name(), "BarBot");
/// assert_eq!(bots.with_name("barbot/2.0"), BotSet::single(BotId::nth(1)));
/// # Ok::<(), heedful_base::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Bots(Arc<[Bot]>);

impl Bots {
    /// Creates a list with only one bot.
    pub fn one(bot: Bot) -> Self {
        Self(Arc::from([bot]))
    }

    /// Creates an empty list, for a pass that judges a page for no bot.
    pub fn none() -> Self {
        Self(Arc::from([]))
    }

    /// Creates a list of `bots`. The number of a bot is its index in the vector.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](crate::error::ErrorKind::Setting) if `bots` is empty, or has more
    /// than [`BotSet::MAX`] elements.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::bot::{Bot, Bots};
    ///
    /// let bots = Bots::new(vec![Bot::new("FooBot")?, Bot::new("BarBot")?])?;
    /// let names: Vec<_> = bots.each().map(|(id, bot)| (id.index(), bot.name())).collect();
    /// assert_eq!(names, [(0, "FooBot"), (1, "BarBot")]);
    /// assert!(Bots::new(Vec::new()).is_err());
    /// # Ok::<(), heedful_base::error::Error>(())
    /// ```
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

    /// Bots of the list, in the order of their numbers.
    pub fn list(&self) -> &[Bot] {
        &self.0
    }

    /// Returns the bot with the number `bot`. If no bot has this number, returns the first bot.
    ///
    /// # Panics
    /// Panics if the list of bots is empty.
    pub fn get(&self, bot: BotId) -> &Bot {
        self.0.get(bot.index()).unwrap_or(&self.0[0])
    }

    /// Returns each bot of the list with its number.
    pub fn each(&self) -> impl Iterator<Item = (BotId, &Bot)> {
        self.0
            .iter()
            .enumerate()
            .map(|(index, bot)| (BotId::nth(index), bot))
    }

    /// Returns the set of all bots of the list.
    pub fn all(&self) -> BotSet {
        BotSet::all(self.0.len())
    }

    /// Returns the set of the bots whose name or alias is `name`. A version in `name` is ignored.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::bot::{Bot, BotSet, Bots};
    ///
    /// let bots = Bots::new(vec![Bot::parse("FooBot=Foo")?, Bot::parse("OldFooBot=Foo")?])?;
    /// assert_eq!(bots.with_name("foo"), bots.all());
    /// assert_eq!(bots.with_name("bar"), BotSet::NONE);
    /// # Ok::<(), heedful_base::error::Error>(())
    /// ```
    pub fn with_name(&self, name: &str) -> BotSet {
        let name = fold(without_version(name));
        let called = self
            .each()
            .filter(|(_, bot)| bot.folded_names.contains(&name));
        called.map(|(id, _)| id).collect()
    }
}
