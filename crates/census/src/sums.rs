//! The counts of a census, summed over many pages, and the merge of two censuses.

use std::collections::BTreeMap;

use heedful_base::error::Result;

use super::page::PageCount;
use super::row::{CensusRow, ConventionId, Count};
use super::sample::Sample;
use super::settings::CensusSettings;

/// Counts of publishers' statements, summed over many pages.
///
/// # Examples
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_census::{CensusRow, ConventionId, Counter};
///
/// let counter = Counter::new(&Filter::new(Bot::new("FooBot")?))?;
/// let mut census = counter.census();
/// for (host, html) in [("a.example", "<meta name=robots content=noai>"), ("b.example", "<p>Rye")] {
///     census.add(&counter.page(&format!("https://{host}/"), |mut pass| {
///         pass.write(html.as_bytes())?;
///         Ok(pass)
///     })?);
/// }
/// let meta = CensusRow::Convention(ConventionId::find("meta").unwrap());
/// assert_eq!(census.share_of_pages(meta).share(), Some(0.5));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Census {
    pub(super) settings: CensusSettings,
    pub(super) rows: BTreeMap<CensusRow, Count>,
    /// Number of input records for each outcome, such as `not HTML`. Records that gave a complete
    /// page are not counted here.
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

    /// Adds the counts of one page to this census.
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

    /// Counts an input record that gave no complete page. `what` is the name of the outcome, such
    /// as `not HTML`.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_census::Counter;
    ///
    /// let mut census = Counter::new(&Filter::new(Bot::new("FooBot")?))?.census();
    /// census.add_outcome("not HTML");
    /// census.add_outcome("not HTML");
    /// assert_eq!(census.outcomes().collect::<Vec<_>>(), [("not HTML", 2)]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn add_outcome(&mut self, what: &str) {
        let number = self.outcomes.entry(what.to_owned()).or_default();
        *number = number.saturating_add(1);
    }

    /// Adds the counts of the census `other` to this census. The result is the same as one census
    /// over the pages of both.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](heedful_base::error::ErrorKind::Setting) if the version of heedful,
    /// the bots or another setting differs. In this case nothing is added.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_census::{CensusRow, Counter};
    ///
    /// let counter = Counter::new(&Filter::new(Bot::new("FooBot")?))?;
    /// let mut parts = ["https://a.example/", "https://b.example/"].map(|url| {
    ///     let mut census = counter.census();
    ///     census.add(&counter.page(url, Ok).unwrap());
    ///     census
    /// });
    /// let [one, two] = &mut parts; // of two machines
    /// one.merge(two)?;
    /// assert_eq!((one.count(CensusRow::Pages).pages, one.sites()), (2, 2));
    ///
    /// let other = Counter::new(&Filter::new(Bot::new("BarBot")?))?.census();
    /// assert!(one.merge(&other).is_err());
    /// # Ok::<(), heedful::Error>(())
    /// ```
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

    /// Returns all rows of this census with their counts, in the order of [`CensusRow`].
    pub fn rows(&self) -> impl Iterator<Item = (CensusRow, Count)> {
        self.rows.iter().map(|(row, count)| (*row, *count))
    }

    /// Returns the counts of the row `row`. All numbers are 0 if no page is counted in this row.
    pub fn count(&self, row: CensusRow) -> Count {
        self.rows.get(&row).copied().unwrap_or_default()
    }

    /// Returns the number of input records for each outcome, such as `not HTML`. Records that gave
    /// a complete page are not counted here.
    pub fn outcomes(&self) -> impl Iterator<Item = (&str, u64)> {
        self.outcomes
            .iter()
            .map(|(what, number)| (what.as_str(), *number))
    }

    /// Returns the names of the bots of this census. The field `bot` of a [`CensusRow`] is an index
    /// into these names.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_census::Counter;
    ///
    /// let bots = vec![Bot::new("FooBot")?, Bot::new("BarBot")?];
    /// let census = Counter::new(&Filter::for_bots(bots)?)?.census();
    /// assert_eq!(census.bots().nth(1), Some("BarBot"));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn bots(&self) -> impl Iterator<Item = &str> {
        self.settings
            .bots
            .iter()
            .map(|bot| bot.split('=').next().unwrap_or_default())
    }

    /// True if the filter of this census obeys `convention`. Rules of robots.txt are always obeyed.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Conventions, Filter};
    /// use heedful_census::{ConventionId, Counter};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?).conventions(Conventions::parse("none")?);
    /// let census = Counter::new(&filter)?.census();
    /// assert!(!census.obeys(ConventionId::find("meta").unwrap()));
    /// assert!(census.obeys(ConventionId::find("robots.txt").unwrap()));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn obeys(&self, convention: ConventionId) -> bool {
        convention.name() == "robots.txt"
            || self
                .settings
                .obeyed
                .iter()
                .any(|name| name == convention.name())
    }

    /// Returns the number of sites with counted pages. The number is an estimate if
    /// [`Census::is_sampled`] returns true.
    pub fn sites(&self) -> u64 {
        self.sample.number()
    }

    /// Returns the number of sites in the sample. The census stores separate counts only for these
    /// sites.
    pub fn sites_kept(&self) -> usize {
        self.sample.sites().len()
    }

    /// True if sites were dropped from the sample, so that the sample does not have all sites.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter, Limits};
    /// use heedful_census::Counter;
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?).limits(Limits::default().census_sites(2));
    /// let counter = Counter::new(&filter)?;
    /// let mut census = counter.census();
    /// for number in 0..9 {
    ///     census.add(&counter.page(&format!("https://s{number}.example/"), Ok)?);
    /// }
    /// assert_eq!(census.sites_kept(), 2);
    /// assert!(census.is_sampled()); // so `sites()` is an estimate
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn is_sampled(&self) -> bool {
        self.sample.is_cut()
    }
}
