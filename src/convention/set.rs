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
/// Name of the switch that withholds every page that is known to break off before its `</html>`.
/// For example, a WARC header may state that the page was truncated.
pub(crate) const CUT_SHORT: &str = "cut-short";
/// Name of the switch by which every site counts as a site that uses `data-pagefind-body`. Then
/// only text inside elements with this attribute is indexed.
pub(crate) const PAGEFIND_SITE: &str = "pagefind-site";
/// All switches, each with its name and a description of its effect. A switch is a setting that
/// [`Conventions::parse`] accepts beside the names of conventions. No preset turns a switch on.
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

/// Returns the names of all conventions, and then the names of all switches. A switch is a setting
/// beside the conventions, such as `as-written`.
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

    /// Turns on all conventions. The [switches](Self::switches) and the user's own rules are not
    /// changed.
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

    /// Adds a rule for regions, which denies the uses `denies`. A region begins at a comment with
    /// the text `open`, and ends at a comment with the text `close`. Both texts may be given bare,
    /// or between `<!--` and `-->`. Comparisons ignore ASCII case, and blanks at both ends of a
    /// text. Any number of blanks may separate two words.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Setting`](heedful_base::error::ErrorKind::Setting) if a text is empty,
    /// too long, or impossible in an HTML comment. Returns the same error if both texts are equal.
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

    /// Adds a rule for the elements that `selector` matches. The rule denies the uses `denies` of
    /// these elements and of their content. A selector such as `div.menu[hidden]` consists of
    /// `tag`, `.class`, `#id`, `[attribute]` and `[attribute=value]`, without blanks between the
    /// parts. Commas separate alternative selectors. A value with blanks must be in quotes.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Setting`](heedful_base::error::ErrorKind::Setting) if the selector does
    /// not parse. For example, a selector with a combinator, such as `nav > a`, does not parse. A
    /// flag after a value, as in CSS's `[lang=en i]`, does not parse either.
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

    /// Denies the uses `denies` for each page whose URL matches `pattern`. The syntax and the
    /// effect are those of [`Filter::deny`](crate::Filter::deny). Unlike a denial by that method,
    /// this denial is a part of these conventions.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Setting`](heedful_base::error::ErrorKind::Setting) if `pattern` does
    /// not begin with `/` or `*`, and does not contain `://`.
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

    /// Returns all switches, each with its name and a description of its effect. A switch is a
    /// setting that [`Conventions::parse`] accepts beside the names of conventions. No preset turns
    /// a switch on.
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

    /// Returns the names of the conventions in force, and then the names of the
    /// [switches](Self::switches) that are on. If the user has added rules for regions or elements,
    /// the last name is `custom`.
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

    /// Formats the conventions as a text that identifies them in evidence logs and censuses. The
    /// text has the names of the conventions in force, and the names of the
    /// [switches](Self::switches) that are on. The user's own rules for regions and elements
    /// follow. Denials by URL are not in the text, since logs and censuses record these denials
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

    /// True if the convention with this name is in force, or the [switch](Self::switches) with this
    /// name is on.
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

    /// True if a convention in force uses the class names of the Robot Exclusion Profile, such as
    /// `robots-noindex`. If false, these class names have no effect.
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

/// Hash function for the names of conventions. It uses only the length, the first byte and the last
/// byte of a name. The function must be fast, since names are looked up for many tags of a page.
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
