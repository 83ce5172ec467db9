//! The sums of a census, and how two of them become one.

use std::collections::BTreeMap;

use heedful_base::error::Result;

use super::page::PageCount;
use super::row::{CensusRow, ConventionId, Count};
use super::sample::Sample;
use super::settings::CensusSettings;

/// Counts of the statements of publishers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Census {
    pub(super) settings: CensusSettings,
    pub(super) rows: BTreeMap<CensusRow, Count>,
    /// Records that gave no page, or less than a whole one, by their outcome.
    pub(super) outcomes: BTreeMap<String, u64>,
    pub(super) sample: Sample,
}

impl Census {
    pub(super) fn with_settings(settings: CensusSettings) -> Self {
        let sample = Sample::new(settings.sites);
        Self {
            settings,
            rows: BTreeMap::new(),
            outcomes: BTreeMap::new(),
            sample,
        }
    }

    /// Adds a page.
    pub fn add(&mut self, page: &PageCount) {
        for (row, count) in &page.rows {
            self.rows.entry(*row).or_default().add(*count);
        }
        if let Some(site) = self.sample.site(page.site) {
            for (row, count) in &page.rows {
                site.entry(*row).or_default().add(*count);
            }
        }
    }

    /// Counts the outcome of a record that gave no page, or less than a whole one.
    pub fn add_outcome(&mut self, what: &str) {
        let number = self.outcomes.entry(what.to_owned()).or_default();
        *number = number.saturating_add(1);
    }

    /// Adds another census. The result is that of one census of both.
    ///
    /// # Errors
    /// Fails if they were made by another version, for other bots, or with other settings. Then
    /// nothing is added.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        self.settings.agree(&other.settings)?;
        for (row, count) in &other.rows {
            self.rows.entry(*row).or_default().add(*count);
        }
        for (what, more) in &other.outcomes {
            let number = self.outcomes.entry(what.clone()).or_default();
            *number = number.saturating_add(*more);
        }
        self.sample.merge(&other.sample);
        Ok(())
    }

    /// All rows, in their order.
    pub fn rows(&self) -> impl Iterator<Item = (CensusRow, Count)> {
        self.rows.iter().map(|(row, count)| (*row, *count))
    }

    /// The count of a row.
    pub fn count(&self, row: CensusRow) -> Count {
        self.rows.get(&row).copied().unwrap_or_default()
    }

    /// Records that gave no page, or less than a whole one, by their outcome.
    pub fn outcomes(&self) -> impl Iterator<Item = (&str, u64)> {
        self.outcomes
            .iter()
            .map(|(what, number)| (what.as_str(), *number))
    }

    /// The names of the bots.
    pub fn bots(&self) -> impl Iterator<Item = &str> {
        self.settings
            .bots
            .iter()
            .map(|bot| bot.split('=').next().unwrap_or_default())
    }

    /// True if a convention is among those that are obeyed.
    pub fn obeys(&self, convention: ConventionId) -> bool {
        convention.name() == "robots.txt"
            || self
                .settings
                .obeyed
                .iter()
                .any(|name| name == convention.name())
    }

    /// The number of sites, which is an estimate if [`Census::is_sampled`].
    pub fn sites(&self) -> u64 {
        self.sample.number()
    }

    /// The number of sites whose counts are kept apart.
    pub fn sites_kept(&self) -> usize {
        self.sample.sites().len()
    }

    /// True if there were more sites than are kept.
    pub fn is_sampled(&self) -> bool {
        self.sample.is_cut()
    }
}
