//! The type of a convention: its name, its signs (`sign`), its description, and its rows in the
//! documents (`law`). It holds data only.

use crate::policy::{Extent, Uses};

use super::law::DocRows;
use super::sign::Sign;

/// A convention by which publishers exclude content. [`CONVENTIONS`](crate::CONVENTIONS) lists all
/// conventions.
///
/// ```
/// use heedful::{CONVENTIONS, Use};
///
/// let mut training = Vec::new();
/// for convention in CONVENTIONS.iter() {
///     if convention.denies().contains(Use::Train) && convention.preset() == "web" {
///         training.push(convention.name());
///     }
/// }
/// assert!(training.contains(&"tdm") && training.contains(&"aipref"));
/// assert!(!training.contains(&"rel"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Convention {
    pub(super) name: &'static str,
    pub(super) preset: Preset,
    pub(super) signs: &'static [Sign],
    pub(super) rule: &'static str,
    pub(super) summary: &'static str,
    pub(super) example: &'static str,
    pub(super) source: &'static str,
    pub(super) readers: &'static str,
    pub(super) law: DocRows,
}

impl Convention {
    /// Returns the name of the convention, such as `rel`.
    /// [`Conventions::parse`](crate::Conventions::parse) accepts these names.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the smallest preset that includes the convention. It is `seed`, `web` or `all`.
    pub fn preset(&self) -> &'static str {
        self.preset.name()
    }

    /// Returns the extent of the convention's statements: how much of a site or page a statement is
    /// about.
    ///
    /// ```
    /// use heedful::{CONVENTIONS, Extent};
    ///
    /// let nosnippet = CONVENTIONS.iter().find(|convention| convention.name() == "nosnippet");
    /// assert_eq!(nosnippet.map(|convention| convention.reach()), Some(Extent::Subtree));
    /// ```
    pub fn reach(&self) -> Extent {
        self.signs.first().map_or(Extent::Page, |sign| sign.reach())
    }

    /// Returns the uses that the convention can deny. Uses that follow only from another denial are
    /// not included.
    ///
    /// ```
    /// use heedful::{CONVENTIONS, Use};
    ///
    /// let meta = CONVENTIONS.iter().find(|convention| convention.name() == "meta").expect("a convention");
    /// assert!(meta.denies().contains(Use::Index));
    /// assert!(!meta.denies().contains(Use::Anchor)); // only follows from a denial
    /// ```
    pub fn denies(&self) -> Uses {
        self.signs
            .iter()
            .fold(Uses::NONE, |all, sign| all.union(sign.uses()))
    }

    /// Returns the rule, as a short text, by which several statements of the convention are
    /// combined. An example is `nearest wins`.
    ///
    /// ```
    /// use heedful::CONVENTIONS;
    ///
    /// let profile = CONVENTIONS.iter().find(|convention| convention.name() == "profile");
    /// assert_eq!(profile.map(|convention| convention.rule()), Some("nearest wins"));
    /// ```
    pub fn rule(&self) -> &'static str {
        self.rule
    }

    /// Returns a short description of the convention.
    pub fn summary(&self) -> &'static str {
        self.summary
    }

    /// Returns an example of the convention: a piece of HTML, a header, or a line of a robots.txt.
    pub fn example(&self) -> &'static str {
        self.example
    }

    /// Returns the vendor of the convention, or the document that describes the convention.
    pub fn source(&self) -> &'static str {
        self.source
    }

    /// Returns a text for people about the programs that obey the convention.
    pub fn readers(&self) -> &'static str {
        self.readers
    }

    /// Returns the convention's rows in the tables of docs/semantics.md, for tests. Each row has
    /// the section, the markup of the convention, and the uses that it withholds.
    #[doc(hidden)]
    pub fn law(&self) -> Vec<(&'static str, String, String)> {
        self.law.rows(self.signs)
    }
}

/// Named set of conventions that are in force together. Each preset also includes the conventions
/// of the variants before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Preset {
    Seed,
    Web,
    All,
}

impl Preset {
    fn name(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::Web => "web",
            Self::All => "all",
        }
    }
}
