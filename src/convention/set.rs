//! The set of conventions in force, and the user's own rules. [`Conventions::parse`] parses a set
//! from the text that is written on the command line.

use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use crate::policy::Uses;
use heedful_base::error::{Error, Result};
use heedful_base::lenient::near::hint;

use super::custom::{CUSTOM, Custom, sorted_rules};
use super::list::{Convention, LIST, Preset};

/// Name of the switch that turns lenient forms off. Misspelt markup then has no effect.
const AS_WRITTEN: &str = "as-written";
/// Name of the switch that withholds each page that is known to break off before its `</html>`.
pub(crate) const CUT_SHORT: &str = "cut-short";
/// Name of the switch that treats every site as one that uses `data-pagefind-body`. Text outside of
/// elements with this attribute is then not indexed.
pub(crate) const PAGEFIND_SITE: &str = "pagefind-site";
/// All switches, each with its name and a description of its effect. Switches are no conventions,
/// and no preset turns a switch on.
const SWITCHES: [(&str, &str); 3] = [
    (
        AS_WRITTEN,
        "only what is written as its convention writes it counts, in pages and in a robots.txt",
    ),
    (
        CUT_SHORT,
        "a page whose end is known to be missing is withheld wherever it breaks off, unless its </html> is there",
    ),
    (
        PAGEFIND_SITE,
        "every page is one of a site that marks with data-pagefind-body what may be found",
    ),
];

/// Returns the names of all conventions, and then the names of the switches.
fn known() -> impl Iterator<Item = &'static str> {
    LIST.iter()
        .map(Convention::name)
        .chain(SWITCHES.map(|(switch, _)| switch))
}

/// The conventions that a filter obeys, and the user's own rules. The default is the preset `web`.
///
/// ```
/// use heedful::{Bot, Conventions, Filter};
///
/// let filter = Filter::new(Bot::new("FooBot")?).conventions(Conventions::parse("none,+rel")?);
/// let html = b"<meta name=robots content=noindex><a href=/ad rel=nofollow>Ad</a>";
/// let page = filter.page("https://example.com/", &[], html)?;
/// assert_eq!(page.phrases(), ["Ad"]); // META is not obeyed
/// assert!(!page.links()[0].may_follow());
/// # Ok::<(), heedful::Error>(())
/// ```
///
/// A set can be written as a preset, followed by changes. Methods add rules of your own:
///
/// ```
/// use heedful::{Conventions, Uses};
/// let conventions = Conventions::parse("seed,+header,-rel")?;
/// let names: Vec<_> = conventions.names().collect();
/// assert_eq!(names, ["meta", "header", "spiderline", "profile"]);
///
/// let conventions = Conventions::default()
///     .region("nosearch", "/nosearch", Uses::parse("noindex,noanchor")?)?
///     .element("nav, .menu[hidden]", Uses::parse("noindex")?)?;
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Conventions {
    /// Names of the conventions in force, and of the switches that are on.
    active: HashSet<&'static str, BuildHasherDefault<NameHasher>>,
    /// The user's own regions and elements, and the denials by URL.
    pub(super) custom: Arc<Custom>,
}

impl Default for Conventions {
    fn default() -> Self {
        Self::up_to(Preset::Web)
    }
}

heedful_base::from_str!(Conventions);

impl Conventions {
    fn up_to(preset: Preset) -> Self {
        let on = LIST
            .iter()
            .filter(|convention| convention.preset <= preset)
            .map(Convention::name)
            .collect();
        Self {
            active: on,
            custom: Arc::default(),
        }
    }

    /// Parses a list of presets (`seed`, `web`, `all`, `none`) and changes (`+name`, `-name`),
    /// separated by commas, from left to right. If the list begins with a change, it changes the
    /// preset `web`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Setting`](heedful_base::error::ErrorKind::Setting) if a name is
    /// unknown. The message suggests the nearest name.
    ///
    /// ```
    /// use heedful::Conventions;
    ///
    /// let conventions = Conventions::parse("-googleoff")?;
    /// assert!(conventions.has("meta") && !conventions.has("googleoff"));
    /// let error = Conventions::parse("gogleoff").unwrap_err();
    /// assert!(error.to_string().contains("googleoff"));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self> {
        let mut set = Self::default();
        for word in text
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
        {
            match word {
                "seed" => set = Self::up_to(Preset::Seed),
                "web" => set = Self::default(),
                "all" => set = Self::up_to(Preset::All),
                "none" => set.active.clear(),
                _ => set.change(word)?,
            }
        }
        Ok(set)
    }

    /// Turns on all conventions. The switches and the user's own rules are not changed.
    #[doc(hidden)]
    pub fn with_all(mut self) -> Self {
        self.active.extend(LIST.iter().map(Convention::name));
        self
    }

    /// Turns on the switch `as-written`. Misspelt markup then has no effect, as in most other
    /// programs.
    #[doc(hidden)]
    pub fn without_lenient_forms(mut self) -> Self {
        self.active.insert(AS_WRITTEN);
        self
    }

    /// True if misspelt denials whose meaning is beyond doubt are obeyed too. False if the switch
    /// `as-written` is on.
    pub(crate) fn repairs(&self) -> bool {
        !self.has(AS_WRITTEN)
    }

    fn change(&mut self, word: &str) -> Result<()> {
        let (is_added, name) = match word.split_at_checked(1) {
            Some(("+", name)) => (true, name),
            Some(("-", name)) => (false, name),
            _ => (true, word),
        };
        let Some(name) = known().find(|known| *known == name) else {
            return Err(unknown(name));
        };
        if is_added {
            self.active.insert(name);
        } else {
            self.active.remove(name);
        }
        Ok(())
    }

    /// Adds a rule for regions that a comment `open` begins and a comment `close` ends. Each
    /// comment is given by its text, bare or between `<!--` and `-->`. Comparisons ignore ASCII
    /// case, the number of blanks between words, and blanks at both ends.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Setting`](heedful_base::error::ErrorKind::Setting) if the text of a
    /// comment is empty, too long, or impossible in an HTML comment. Returns the same error if both
    /// comments have the same text.
    ///
    /// ```
    /// use heedful::{Bot, Conventions, Filter, Uses};
    ///
    /// let noindex = Uses::parse("noindex")?;
    /// let conventions = Conventions::default().region("sidebar", "/sidebar", noindex)?;
    /// let filter = Filter::new(Bot::new("FooBot")?).conventions(conventions);
    /// let html = b"<p>Dark <!-- SIDEBAR -->Home<!--/sidebar--> bread";
    /// assert_eq!(filter.page("https://example.com/", &[], html)?.phrases(), ["Dark", "bread"]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn region(mut self, open: &str, close: &str, denies: Uses) -> Result<Self> {
        Arc::make_mut(&mut self.custom).region(open, close, denies)?;
        Ok(self)
    }

    /// Adds a rule that denies uses of the elements that a selector matches, with their content. A
    /// selector consists of `tag`, `.class`, `#id`, `[attribute]` and `[attribute=value]`, written
    /// together for one element. Commas separate alternatives. A value with blanks must be in
    /// quotes.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Setting`](heedful_base::error::ErrorKind::Setting) if the selector does
    /// not parse, for example if it has a combinator, or one of CSS's flags after a value.
    ///
    /// ```
    /// use heedful::{Bot, Conventions, Filter, Uses};
    ///
    /// let noindex = Uses::parse("noindex")?;
    /// let conventions = Conventions::default().element("nav, div.menu[hidden]", noindex)?;
    /// let filter = Filter::new(Bot::new("FooBot")?).conventions(conventions);
    /// let html = b"<nav>Home</nav><div class=menu>Today</div><div class=menu hidden>Old</div>";
    /// assert_eq!(filter.page("https://example.com/", &[], html)?.phrases(), ["Today"]);
    /// assert!(Conventions::default().element("nav > a", Uses::parse("noindex")?).is_err());
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn element(mut self, selector: &str, denies: Uses) -> Result<Self> {
        Arc::make_mut(&mut self.custom).element(selector, denies)?;
        Ok(self)
    }

    /// Adds a denial for the pages whose URL matches a pattern. The effect and the syntax of the
    /// pattern are those of [`Filter::deny`](crate::Filter::deny), but the denial is a part of
    /// these conventions.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Setting`](heedful_base::error::ErrorKind::Setting) if the pattern
    /// neither begins with `/` or `*` nor contains `://`.
    ///
    /// ```
    /// use heedful::{Bot, Conventions, Filter, Uses};
    ///
    /// let conventions = Conventions::default().page("/drafts/", Uses::parse("noindex")?)?;
    /// let filter = Filter::new(Bot::new("FooBot")?).conventions(conventions);
    /// let page = filter.page("https://example.com/drafts/rye", &[], b"<p>Dark bread")?;
    /// assert!(page.phrases().is_empty());
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn page(mut self, pattern: &str, denies: Uses) -> Result<Self> {
        Arc::make_mut(&mut self.custom).page(pattern, denies)?;
        Ok(self)
    }

    /// Returns the regions that [`Conventions::region`] added, in the order of adding. Each has the
    /// denied uses, the text of the opening comment, and the text of the closing comment.
    #[doc(hidden)]
    pub fn regions(&self) -> impl Iterator<Item = (Uses, &str, &str)> {
        self.custom.regions()
    }

    /// Returns the rules for elements that [`Conventions::element`] added, in the order of adding.
    /// Each has the denied uses and the selector.
    #[doc(hidden)]
    pub fn elements(&self) -> impl Iterator<Item = (Uses, &str)> {
        self.custom.elements()
    }

    /// Returns the denials by URL that [`Conventions::page`] added, in the order of adding. Each
    /// has the denied uses and the URL pattern.
    #[doc(hidden)]
    pub fn pages(&self) -> impl Iterator<Item = (Uses, &str)> {
        self.custom.pages()
    }

    /// Returns all switches, which [`Conventions::parse`] accepts like names of conventions. Each
    /// has a name and a description of its effect. No preset turns a switch on.
    ///
    /// ```
    /// use heedful::Conventions;
    ///
    /// let names: Vec<_> = Conventions::switches().map(|(name, _)| name).collect();
    /// assert_eq!(names, ["as-written", "cut-short", "pagefind-site"]);
    /// assert!(!Conventions::parse("all")?.has("cut-short"));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn switches() -> impl Iterator<Item = (&'static str, &'static str)> {
        SWITCHES.into_iter()
    }

    /// Returns the names of the conventions in force, and those of the [switches](Self::switches)
    /// that are on. The last name is `custom` if the user has added regions or elements.
    ///
    /// ```
    /// use heedful::Conventions;
    ///
    /// let names: Vec<_> = Conventions::parse("none,+rel,+cut-short")?.names().collect();
    /// assert_eq!(names, ["rel", "cut-short"]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        known()
            .filter(|name| self.active.contains(name))
            .chain((!self.custom.is_empty()).then_some(CUSTOM))
    }

    /// Returns the user's own rules for regions and elements, each as it is written on the command
    /// line.
    ///
    /// ```
    /// use heedful::{Conventions, Uses};
    ///
    /// let conventions = Conventions::default().element("nav", Uses::parse("noindex")?)?;
    /// assert_eq!(conventions.custom_rules().collect::<Vec<_>>(), ["noindex=nav"]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn custom_rules(&self) -> impl Iterator<Item = String> {
        self.custom.rules()
    }

    /// Formats the names of the conventions in force and the switches that are on, and the user's
    /// own rules for regions and elements. Evidence logs and censuses identify a set of conventions
    /// by this text. Denials by URL are not in the text, since logs and censuses record them
    /// separately.
    #[doc(hidden)]
    pub fn about_content(&self) -> String {
        self.listed() + &sorted_rules(self.custom.rules())
    }

    /// Formats the names that [`Conventions::names`] returns, without `custom`, separated by
    /// commas.
    fn listed(&self) -> String {
        self.names()
            .filter(|name| *name != CUSTOM)
            .collect::<Vec<_>>()
            .join(",")
    }

    /// True if the convention with this name is in force, or the switch with this name is on.
    ///
    /// ```
    /// use heedful::Conventions;
    ///
    /// assert!(Conventions::default().has("spiderline"));
    /// assert!(!Conventions::parse("none")?.has("spiderline"));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn has(&self, name: &str) -> bool {
        self.active.contains(name)
    }

    /// True if class names of the Robot Exclusion Profile, such as `robots-noindex`, may have an
    /// effect.
    pub(crate) fn reads_profile(&self) -> bool {
        self.has("profile") || self.profile_is_lenient()
    }

    /// True if denying class names of the Robot Exclusion Profile are obeyed also on pages that do
    /// not declare the profile.
    pub(crate) fn profile_is_lenient(&self) -> bool {
        self.has("profile-undeclared")
    }
}

/// Writes the names of the conventions in force and the switches that are on. Then writes the
/// user's own rules as on the command line: regions, elements and denials by URL.
impl fmt::Display for Conventions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules = self.custom.rules().chain(self.custom.page_rules());
        write!(f, "{}{}", self.listed(), sorted_rules(rules))
    }
}

fn unknown(name: &str) -> Error {
    if name == CUSTOM {
        return Error::setting(
            "`custom` stands for rules of your own: leave it out, and give the rules themselves",
        );
    }
    let hint = hint(name, known().chain(["seed", "web", "all", "none"]));
    Error::setting(format!(
        "there is no convention `{name}`;{hint} `heedful conventions` lists them"
    ))
}

/// Hashes the name of a convention by its length, its first byte and its last byte. The hash is
/// simple for speed, since names are looked up for many tags of a page.
#[derive(Default)]
struct NameHasher(u64);

impl Hasher for NameHasher {
    fn write(&mut self, name: &[u8]) {
        if let [first, .., last] = name {
            let ends = u64::from(*first) << 16 | u64::from(*last) << 8;
            self.0 = (ends | name.len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
    }

    fn write_u8(&mut self, _: u8) {}

    fn finish(&self) -> u64 {
        self.0
    }
}
