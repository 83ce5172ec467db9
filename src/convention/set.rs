//! The conventions in force, and what the user adds to them.

use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use crate::policy::Uses;
use heedful_base::error::{Error, Result};
use heedful_base::lenient::near::hint;

use super::custom::{CUSTOM, Custom, sorted_rules};
use super::list::{Convention, LIST, Preset};

/// The switch by which no lenient form counts.
const AS_WRITTEN: &str = "as-written";
/// The switch by which a page that is known to be cut short is withheld wherever it breaks off.
pub(crate) const CUT_SHORT: &str = "cut-short";
/// The switch by which every page belongs to a site that marks what Pagefind may find.
pub(crate) const PAGEFIND_SITE: &str = "pagefind-site";
/// The switches, which are no conventions, each with what it does. No preset has one.
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

/// The names of the list, then those of the switches.
fn known() -> impl Iterator<Item = &'static str> {
    LIST.iter()
        .map(Convention::name)
        .chain(SWITCHES.map(|(switch, _)| switch))
}

/// Hashes a name by its length and its ends. Names are looked up for every tag that the gate lets
/// through.
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

/// The conventions in force, by default those of `web`, and what the user adds.
///
/// ```
/// use heedful::{Conventions, Uses};
/// let conventions = Conventions::parse("seed,+header,-rel")?;
/// assert_eq!(conventions.names().collect::<Vec<_>>(), ["meta", "header", "spiderline", "profile"]);
///
/// let conventions = Conventions::default()
///     .region("nosearch", "/nosearch", Uses::parse("noindex,noanchor")?)?
///     .element("nav, .menu[hidden]", Uses::parse("noindex")?)?;
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Conventions {
    /// The conventions in force, and the switches that are on.
    active: HashSet<&'static str, BuildHasherDefault<NameHasher>>,
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

    /// Reads a list of presets (`seed`, `web`, `all`, `none`) and changes (`+name`, `-name`), from
    /// left to right. A list that begins with a change begins with `web`.
    ///
    /// # Errors
    /// Fails if a name is unknown; the message suggests the nearest.
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

    /// All conventions, beside the switches and what the user has added.
    #[doc(hidden)]
    pub fn with_all(mut self) -> Self {
        self.active.extend(LIST.iter().map(Convention::name));
        self
    }

    /// Makes only correctly written statements count, as most readers do.
    #[doc(hidden)]
    pub fn exactly(mut self) -> Self {
        self.active.insert(AS_WRITTEN);
        self
    }

    /// True if miswritten statements count where their meaning is beyond doubt.
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

    /// Adds a region between two comments, given by their texts, bare or between `<!--` and `-->`.
    /// They are compared as all marks are: case, the width of blanks and blanks at the ends do not
    /// matter.
    ///
    /// # Errors
    /// Fails if a text is empty, both are the same, or no comment can have it.
    pub fn region(mut self, open: &str, close: &str, denies: Uses) -> Result<Self> {
        Arc::make_mut(&mut self.custom).region(open, close, denies)?;
        Ok(self)
    }

    /// Adds elements, with all they contain: `tag`, `.class`, `#id`, `[attribute]`,
    /// `[attribute=value]`, written together for one element, with commas between alternatives. A
    /// value with blanks is in quotes.
    ///
    /// # Errors
    /// Fails if the selector cannot be read, for example one with a combinator, or with one of
    /// CSS's flags after a value.
    pub fn element(mut self, selector: &str, denies: Uses) -> Result<Self> {
        Arc::make_mut(&mut self.custom).element(selector, denies)?;
        Ok(self)
    }

    /// Adds denials by the operator, for the pages that a URL pattern names. They are those of
    /// [`Filter::deny`](crate::Filter::deny), with the same patterns, but belong to these
    /// conventions.
    ///
    /// # Errors
    /// As for [`Filter::deny`](crate::Filter::deny).
    pub fn page(mut self, pattern: &str, denies: Uses) -> Result<Self> {
        Arc::make_mut(&mut self.custom).page(pattern, denies)?;
        Ok(self)
    }

    /// The user's own regions, in the order in which they were added: the denied uses, then the
    /// texts of the two comments.
    #[doc(hidden)]
    pub fn regions(&self) -> impl Iterator<Item = (Uses, &str, &str)> {
        self.custom.regions()
    }

    /// The user's own elements, in the order in which they were added: the denied uses, then the
    /// selector.
    #[doc(hidden)]
    pub fn elements(&self) -> impl Iterator<Item = (Uses, &str)> {
        self.custom.elements()
    }

    /// The denials by URL, in the order in which they were added.
    #[doc(hidden)]
    pub fn pages(&self) -> impl Iterator<Item = (Uses, &str)> {
        self.custom.pages()
    }

    /// The switches beside the conventions: the name of each, and what it does. No preset has one.
    pub fn switches() -> impl Iterator<Item = (&'static str, &'static str)> {
        SWITCHES.into_iter()
    }

    /// The names of the conventions in force. The last is `custom` if the user has added regions or
    /// elements. [Switches](Self::switches) that are on are among them.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        known()
            .filter(|name| self.active.contains(name))
            .chain((!self.custom.is_empty()).then_some(CUSTOM))
    }

    /// The user's own regions and elements, as they are written on the command line.
    pub fn own(&self) -> impl Iterator<Item = String> {
        self.custom.rules()
    }

    /// The names, and the regions and elements of the user's own. Logs of evidence and censuses
    /// know conventions by this; they have the denials by URL beside it.
    #[doc(hidden)]
    pub fn about_content(&self) -> String {
        self.listed() + &sorted_rules(self.custom.rules())
    }

    /// The names, without `custom`.
    fn listed(&self) -> String {
        self.names()
            .filter(|name| *name != CUSTOM)
            .collect::<Vec<_>>()
            .join(",")
    }

    /// Returns true if the convention of this name is in force.
    pub fn has(&self, name: &str) -> bool {
        self.active.contains(name)
    }

    /// True if the profile's classes are read.
    pub(crate) fn reads_profile(&self) -> bool {
        self.has("profile") || self.profile_is_lenient()
    }

    /// True if the profile's denials count in a page that does not declare it.
    pub(crate) fn profile_is_lenient(&self) -> bool {
        self.has("profile-undeclared")
    }
}

/// Writes the names, and what the user has added, as on the command line: regions, elements and
/// pages.
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
