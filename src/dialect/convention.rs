//! What a convention is: a name, how it is spoken (`sign`), and what documents say of it (`law`).

use crate::policy::{Extent, Facets};

use super::law::Law;
use super::sign::Sign;

/// One convention.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    pub(super) name: &'static str,
    pub(super) preset: Preset,
    pub(super) signs: &'static [Sign],
    pub(super) rule: &'static str,
    pub(super) summary: &'static str,
    pub(super) example: &'static str,
    pub(super) source: &'static str,
    pub(super) readers: &'static str,
    pub(super) law: Law,
}

impl Dialect {
    /// Its name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The smallest preset that it belongs to: `seed`, `web` or `all`.
    pub fn preset(&self) -> &'static str {
        self.preset.name()
    }

    /// How far what it says reaches.
    pub fn reach(&self) -> Extent {
        self.signs.first().map_or(Extent::Page, |sign| sign.reach())
    }

    /// What it can deny, derived facets apart.
    pub fn denies(&self) -> Facets {
        self.signs.iter().fold(Facets::NONE, |all, sign| all.with(sign.facets()))
    }

    /// What counts where it speaks twice.
    pub fn rule(&self) -> &'static str {
        self.rule
    }

    /// What it is, in a few words.
    pub fn summary(&self) -> &'static str {
        self.summary
    }

    /// How it is written.
    pub fn example(&self) -> &'static str {
        self.example
    }

    /// Whose it is, or where it is described.
    pub fn source(&self) -> &'static str {
        self.source
    }

    /// Who reads it besides heedful.
    pub fn readers(&self) -> &'static str {
        self.readers
    }

    /// Its rows in the tables of docs/semantics.md: the section, how it is written, what it withholds. Made for the tests that
    /// hold the documents.
    #[doc(hidden)]
    pub fn law(&self) -> Vec<(&'static str, String, String)> {
        self.law.rows(self.signs)
    }
}

/// The smallest preset that a dialect belongs to.
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
