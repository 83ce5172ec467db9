//! The conventions in force, and what the user adds to them.

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, Result, hint};
use crate::policy::{Extent, Facets};

use super::custom::Custom;
use super::list::{Dialect, LIST, Preset};

/// What the user has added: regions and elements of one's own.
pub(crate) const CUSTOM: &str = "custom";
/// No convention, but switched like one: what is known to be cut short is withheld.
pub(crate) const CUT_SHORT: &str = "cut-short";
/// The same: every page is one of a site that marks what Pagefind may find.
pub(crate) const PAGEFIND_SITE: &str = "pagefind-site";
/// The switches, each with whether it is on from the preset `web` on.
const SWITCHES: [(&str, bool); 2] = [(CUT_SHORT, true), (PAGEFIND_SITE, false)];

/// The dialects in force: `web` unless said otherwise, and what the user adds.
///
/// ```
/// use heedful::{Dialects, Facets};
/// let dialects = Dialects::parse("seed,+header,-rel")?;
/// assert_eq!(dialects.names().collect::<Vec<_>>(), ["meta", "header", "spiderline", "profile"]);
///
/// let dialects = Dialects::default()
///     .region("nosearch", "/nosearch", Facets::parse("noindex,noanchor")?)?
///     .element("nav, .menu[hidden]", Facets::parse("noindex")?)?;
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialects {
    /// For each of the list.
    on: Vec<bool>,
    /// For each of the switches.
    switched: [bool; SWITCHES.len()],
    /// Only what is written rightly is heard.
    is_exact: bool,
    pub(super) custom: Arc<Custom>,
}

impl Default for Dialects {
    fn default() -> Self {
        Self::up_to(Preset::Web)
    }
}

impl Dialects {
    fn up_to(preset: Preset) -> Self {
        Self {
            on: LIST.iter().map(|dialect| dialect.preset <= preset).collect(),
            switched: SWITCHES.map(|(_, with_web)| with_web && preset >= Preset::Web),
            is_exact: false,
            custom: Arc::default(),
        }
    }

    /// Reads a list of presets (`seed`, `web`, `all`, `none`) and changes (`+name`, `-name`), from left to right.
    /// A list that begins with a change begins with `web`.
    ///
    /// # Errors
    /// When a name is unknown; the message suggests the nearest.
    pub fn parse(text: &str) -> Result<Self> {
        let mut set = Self::default();
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            match word {
                "seed" => set = Self::up_to(Preset::Seed),
                "web" => set = Self::default(),
                "all" => set = Self::up_to(Preset::All),
                "none" => {
                    set.on.fill(false);
                    set.switched.fill(false);
                }
                _ => set.change(word)?,
            }
        }
        Ok(set)
    }

    /// Hears only what is written rightly, as others do.
    pub(crate) fn exactly(mut self) -> Self {
        self.is_exact = true;
        self
    }

    /// Whether what is beyond doubt is heard, however it is written.
    pub(crate) fn repairs(&self) -> bool {
        !self.is_exact
    }

    fn change(&mut self, word: &str) -> Result<()> {
        let (on, name) = match word.split_at_checked(1) {
            Some(("+", name)) => (true, name),
            Some(("-", name)) => (false, name),
            _ => (true, word),
        };
        if let Some(at) = SWITCHES.iter().position(|(switch, _)| *switch == name) {
            self.switched[at] = on;
            return Ok(());
        }
        let at = LIST.iter().position(|dialect| dialect.name() == name).ok_or_else(|| unknown(name))?;
        self.on[at] = on;
        Ok(())
    }

    /// Adds a region between two comments, given by their texts, which are compared as all marks are: without regard to
    /// case, the width of blanks, and those at the ends.
    ///
    /// # Errors
    /// When a text is empty, or both are the same.
    pub fn region(mut self, open: &str, close: &str, denies: Facets) -> Result<Self> {
        Arc::make_mut(&mut self.custom).region(open, close, denies)?;
        Ok(self)
    }

    /// Adds elements, with all they contain: `tag`, `.class`, `#id`, `[attribute]`, `[attribute=value]`, written
    /// together for one element, with commas between alternatives.
    ///
    /// # Errors
    /// When the selector cannot be read, as one with a combinator.
    pub fn element(mut self, selector: &str, denies: Facets) -> Result<Self> {
        Arc::make_mut(&mut self.custom).element(selector, denies)?;
        Ok(self)
    }

    /// Denies more, as the one who runs the program, to the pages that a URL pattern names: as
    /// [`Filter::deny`](crate::Filter::deny) does, where these dialects are in force.
    ///
    /// # Errors
    /// When the pattern neither begins with `/` or `*` nor is a whole URL.
    pub fn page(mut self, pattern: &str, denies: Facets) -> Result<Self> {
        Arc::make_mut(&mut self.custom).page(pattern, denies)?;
        Ok(self)
    }

    /// What is denied by URL, in the order in which it was added.
    pub(crate) fn pages(&self) -> impl Iterator<Item = (Facets, &str)> {
        self.custom.pages()
    }

    /// The names of those in force; `cut-short` is among them where a page is withheld whose end is known to be missing,
    /// `pagefind-site` where one is that has no `data-pagefind-body`, and what the user has added is `custom`.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let listed = LIST.iter().zip(&self.on).filter(|(_, on)| **on).map(|(dialect, _)| dialect.name());
        listed.chain(self.switches()).chain((!self.custom.is_empty()).then_some(CUSTOM))
    }

    /// Whether the dialect of this name is in force.
    pub fn has(&self, name: &str) -> bool {
        let is_listed = LIST.iter().zip(&self.on).any(|(dialect, on)| *on && dialect.name() == name);
        is_listed || self.switches().any(|switch| switch == name)
    }

    fn switches(&self) -> impl Iterator<Item = &'static str> {
        SWITCHES.iter().zip(self.switched).filter(|(_, on)| *on).map(|((name, _), _)| *name)
    }

    /// Whether one of them speaks of elements with all they contain: then the tree is asked.
    pub(crate) fn mark_elements(&self) -> bool {
        self.custom.has_elements() || LIST.iter().zip(&self.on).any(|(d, on)| *on && d.reach() == Extent::Subtree)
    }

    /// Whether the profile's classes mean anything.
    pub(crate) fn know_the_profile(&self) -> bool {
        self.has("profile") || self.profile_is_lenient()
    }

    /// Whether the profile's denials count in a page that does not declare it.
    pub(crate) fn profile_is_lenient(&self) -> bool {
        self.has("profile-undeclared")
    }
}

/// The names, and what the user has added as the command line has it.
impl fmt::Display for Dialects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.names().filter(|name| *name != CUSTOM).collect();
        write!(f, "{}{}", names.join(","), self.custom)
    }
}

fn unknown(name: &str) -> Error {
    let switches = SWITCHES.map(|(name, _)| name);
    let known = LIST.iter().map(Dialect::name).chain(switches).chain(["seed", "web", "all", "none"]);
    let hint = hint(name, known);
    Error::setting(format!("there is no dialect `{name}`;{hint} `heedful dialects` lists them"))
}
