//! A convention: its name, how it is written (`sign`), and its rows in the documents (`law`).

use crate::policy::{Extent, Uses};

use super::law::Law;
use super::sign::Sign;

/// One convention.
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
    pub(super) law: Law,
}

impl Convention {
    /// Its name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The smallest preset that it belongs to: `seed`, `web` or `all`.
    pub fn preset(&self) -> &'static str {
        self.preset.name()
    }

    /// How far its statements reach.
    pub fn reach(&self) -> Extent {
        self.signs.first().map_or(Extent::Page, |sign| sign.reach())
    }

    /// The uses that it can deny, without derived ones.
    pub fn denies(&self) -> Uses {
        self.signs
            .iter()
            .fold(Uses::NONE, |all, sign| all.union(sign.uses()))
    }

    /// The rule that decides if it is used more than once.
    pub fn rule(&self) -> &'static str {
        self.rule
    }

    /// A short description.
    pub fn summary(&self) -> &'static str {
        self.summary
    }

    /// An example of its use.
    pub fn example(&self) -> &'static str {
        self.example
    }

    /// Its origin: the vendor, or the document that describes it.
    pub fn source(&self) -> &'static str {
        self.source
    }

    /// Other programs that read it.
    pub fn readers(&self) -> &'static str {
        self.readers
    }

    /// Its rows in the tables of docs/semantics.md: the section, how it is written, what it
    /// withholds. The tests of the documents use them.
    #[doc(hidden)]
    pub fn law(&self) -> Vec<(&'static str, String, String)> {
        self.law.rows(self.signs)
    }
}

/// The smallest preset that a convention belongs to.
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
