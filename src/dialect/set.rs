//! The conventions in force, and what the user adds to them.

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, Result, hint};
use crate::policy::{Extent, Facets};

use super::custom::{CUSTOM, Custom};
use super::list::{Dialect, LIST, Preset};

/// No convention, but switched like one: what is known to be cut short is withheld.
pub(crate) const CUT_SHORT: &str = "cut-short";
/// The same: every page is one of a site that marks what Pagefind may find.
pub(crate) const PAGEFIND_SITE: &str = "pagefind-site";
/// The switches, each with whether it is on from the preset `web` on.
const SWITCHES: [(&str, bool); 2] = [(CUT_SHORT, true), (PAGEFIND_SITE, false)];

/// The names of the list, then those of the switches.
const NAMES: [&str; LIST.len() + SWITCHES.len()] = {
    let (mut names, mut at) = ([""; LIST.len() + SWITCHES.len()], 0);
    while at < names.len() {
        names[at] = if at < LIST.len() { LIST[at].name() } else { SWITCHES[at - LIST.len()].0 };
        at += 1;
    }
    names
};

/// The place of each name in `NAMES`, plus one, by its hash or behind that: somebody asks for a name with every tag that may
/// speak.
const PLACES: [u8; 256] = {
    let (mut places, mut at) = ([0; 256], 0);
    while at < NAMES.len() {
        let mut place = hash(NAMES[at].as_bytes());
        while places[place] != 0 {
            place = (place + 1) % places.len();
        }
        places[place] = at as u8 + 1;
        at += 1;
    }
    places
};

const fn hash(name: &[u8]) -> usize {
    let [first, .., last] = name else { return 0 };
    (*first as usize * 7 + *last as usize * 31 + name.len() * 13) % 256
}

/// Where a name stands in `NAMES`.
fn number(name: &str) -> Option<usize> {
    let from = hash(name.as_bytes());
    let places = (0..PLACES.len()).map(|step| PLACES[(from + step) % PLACES.len()]).take_while(|place| *place != 0);
    places.map(|place| usize::from(place) - 1).find(|at| NAMES[*at] == name)
}

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
#[must_use]
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

crate::named::from_str!(Dialects);

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
        let is_on = |at: usize| self.on.get(at).copied().unwrap_or_else(|| self.switched[at - LIST.len()]);
        number(name).is_some_and(is_on)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_where_it_stands() {
        for (at, name) in NAMES.iter().enumerate() {
            assert_eq!(number(name), Some(at));
        }
        for other in ["", "m", "met", "metas", "custom"] {
            assert_eq!(number(other), None);
        }
    }
}
