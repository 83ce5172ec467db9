//! The conventions in force, and what the user adds to them.

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, Result, hint};
use crate::policy::{Extent, Facets};

use super::custom::{CUSTOM, Custom, in_order};
use super::list::{Dialect, LIST, Preset};
use super::met::Met;

/// A switch, no convention: pages that are known to be cut short are withheld.
pub(crate) const CUT_SHORT: &str = "cut-short";
/// A switch, no convention: every page belongs to a site that marks what Pagefind may find.
pub(crate) const PAGEFIND_SITE: &str = "pagefind-site";
/// The switches, each with true if it is on from the preset `web` on.
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

/// The place of each name in `NAMES`, plus one, at its hash or after that. Names are looked up for every tag that the
/// gate lets through.
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

/// The place of a name in `NAMES`.
fn number(name: &str) -> Option<usize> {
    let from = hash(name.as_bytes());
    let places = (0..PLACES.len()).map(|step| PLACES[(from + step) % PLACES.len()]).take_while(|place| *place != 0);
    places.map(|place| usize::from(place) - 1).find(|at| NAMES[*at] == name)
}

/// The dialects in force, by default those of `web`, and what the user adds.
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
    /// For each dialect of the list, true if it is in force.
    on: Vec<bool>,
    /// For each switch, true if it is on.
    switched: [bool; SWITCHES.len()],
    /// Only correctly written statements count.
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
    /// Fails if a name is unknown; the message suggests the nearest.
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

    /// All dialects, beside the switches and what the user has added.
    #[cfg(feature = "census")]
    pub(crate) fn with_all(mut self) -> Self {
        self.on.fill(true);
        self
    }

    /// Makes only correctly written statements count, as most readers do.
    pub(crate) fn exactly(mut self) -> Self {
        self.is_exact = true;
        self
    }

    /// True if miswritten statements count where their meaning is beyond doubt.
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

    /// Adds a region between two comments, given by their texts, bare or between `<!--` and `-->`. They are compared as
    /// all marks are: case, the width of blanks and blanks at the ends do not matter.
    ///
    /// # Errors
    /// Fails if a text is empty, both are the same, or no comment can have it.
    pub fn region(mut self, open: &str, close: &str, denies: Facets) -> Result<Self> {
        Arc::make_mut(&mut self.custom).region(open, close, denies)?;
        Ok(self)
    }

    /// Adds elements, with all they contain: `tag`, `.class`, `#id`, `[attribute]`, `[attribute=value]`, written
    /// together for one element, with commas between alternatives. A value with blanks stands in quotes.
    ///
    /// # Errors
    /// Fails if the selector cannot be read, for example one with a combinator, or with one of CSS's flags behind a value.
    pub fn element(mut self, selector: &str, denies: Facets) -> Result<Self> {
        Arc::make_mut(&mut self.custom).element(selector, denies)?;
        Ok(self)
    }

    /// Adds denials by the operator, for the pages that a URL pattern names. They are those of
    /// [`Filter::deny`](crate::Filter::deny), with the same patterns, but belong to these dialects.
    ///
    /// # Errors
    /// As for [`Filter::deny`](crate::Filter::deny).
    pub fn page(mut self, pattern: &str, denies: Facets) -> Result<Self> {
        Arc::make_mut(&mut self.custom).page(pattern, denies)?;
        Ok(self)
    }

    /// The denials by URL, in the order in which they were added.
    pub(crate) fn pages(&self) -> impl Iterator<Item = (Facets, &str, &Arc<Met>)> {
        self.custom.pages()
    }

    /// The names of the dialects in force. The last is `custom` if the user has added regions or elements. Two are
    /// switches. By `cut-short`, pages are withheld whose end is known to be missing; by `pagefind-site`, pages without
    /// `data-pagefind-body`.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let listed = LIST.iter().zip(&self.on).filter(|(_, on)| **on).map(|(dialect, _)| dialect.name());
        listed.chain(self.switches()).chain((!self.custom.is_empty()).then_some(CUSTOM))
    }

    /// The user's own regions and elements, as they are written on the command line.
    pub fn own(&self) -> impl Iterator<Item = String> {
        self.custom.rules().map(|(rule, _)| rule)
    }

    /// The user's own regions and elements that no page had yet, and the denials of [`Dialects::page`] that were about no
    /// page, as they are written on the command line. A rule with a slip in it is among them. Clones of a
    /// [`Filter`](crate::Filter) share what was met.
    ///
    /// ```
    /// use heedful::{Bot, Dialects, Facets, Filter};
    ///
    /// let noindex = Facets::parse("noindex")?;
    /// let dialects = Dialects::parse("meta")?.page("/rye", noindex)?.page("/wheat", noindex)?.element("nav", noindex)?;
    /// assert!(dialects.to_string().ends_with(" noindex=/rye noindex=/wheat noindex=nav"));
    /// let filter = Filter::new(Bot::new("FooBot")?).dialects(dialects);
    /// filter.clone().page("https://example.com/rye", b"<p>one")?;
    /// assert_eq!(filter.dialects_set().unmet().collect::<Vec<_>>(), ["noindex=nav", "noindex=/wheat"]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn unmet(&self) -> impl Iterator<Item = String> {
        let rules = self.custom.rules().chain(self.custom.page_rules());
        rules.filter(|(_, is_met)| !is_met).map(|(rule, _)| rule)
    }

    /// The names, and the regions and elements of the user's own. Logs of evidence and censuses know dialects by this;
    /// they have the denials by URL beside it.
    #[cfg(any(feature = "census", feature = "index"))]
    pub(crate) fn about_content(&self) -> String {
        self.listed() + &in_order(self.custom.rules())
    }

    /// The names, without `custom`.
    fn listed(&self) -> String {
        self.names().filter(|name| *name != CUSTOM).collect::<Vec<_>>().join(",")
    }

    /// Returns true if the dialect of this name is in force.
    pub fn has(&self, name: &str) -> bool {
        let is_on = |at: usize| self.on.get(at).copied().unwrap_or_else(|| self.switched[at - LIST.len()]);
        number(name).is_some_and(is_on)
    }

    fn switches(&self) -> impl Iterator<Item = &'static str> {
        SWITCHES.iter().zip(self.switched).filter(|(_, on)| *on).map(|((name, _), _)| *name)
    }

    /// True if one of them can mark elements with all that they contain. Only then the tree is needed.
    pub(crate) fn mark_elements(&self) -> bool {
        self.custom.has_elements() || LIST.iter().zip(&self.on).any(|(d, on)| *on && d.reach() == Extent::Subtree)
    }

    /// True if the profile's classes are read.
    pub(crate) fn know_the_profile(&self) -> bool {
        self.has("profile") || self.profile_is_lenient()
    }

    /// True if the profile's denials count in a page that does not declare it.
    pub(crate) fn profile_is_lenient(&self) -> bool {
        self.has("profile-undeclared")
    }
}

/// Writes the names, and what the user has added, as on the command line: regions, elements and pages.
impl fmt::Display for Dialects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules = self.custom.rules().chain(self.custom.page_rules());
        write!(f, "{}{}", self.listed(), in_order(rules))
    }
}

fn unknown(name: &str) -> Error {
    if name == CUSTOM {
        return Error::setting("`custom` stands for rules of your own: leave it out, and give the rules themselves");
    }
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
