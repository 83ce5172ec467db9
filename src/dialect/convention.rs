//! One convention, as the list has it.

use crate::policy::{Extent, Facets};

/// One convention.
#[derive(Debug)]
pub struct Dialect {
    pub(super) name: &'static str,
    pub(super) preset: Preset,
    pub(super) reach: Extent,
    pub(super) denies: Facets,
    pub(super) rule: &'static str,
    pub(super) summary: &'static str,
    pub(super) example: &'static str,
    pub(super) source: &'static str,
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
        self.reach
    }

    /// What it can deny, derived facets apart.
    pub fn denies(&self) -> Facets {
        self.denies
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
