//! Reads pages for a census.
//!
//! Each page is read with all conventions, for the filter's bots and for a bot without a name. A
//! directive that applies to the nameless bot addresses all bots. If the page uses a convention
//! that the filter does not obey, the page is read a second time, with only the obeyed conventions.
//! The second pass counts what these deny. Nearly all pages are read once.

use std::sync::Arc;

use heedful::CONVENTIONS as LIST;
use heedful::{Filter, PageEnd, Pass};
use heedful_base::bot::{Bot, BotSet, Bots};
use heedful_base::error::{Error, Result};

use super::page::{PageCount, Readers, Tally};
use super::sample::site;
use super::settings::CensusSettings;
use super::sums::Census;

/// Reads pages, and counts the statements of their publishers for a [`Census`]. Threads may share a
/// counter.
///
/// For an example see [`Counter::page`].
#[derive(Clone, Debug)]
pub struct Counter {
    all: Filter,
    obeyed: Filter,
    readers: Readers,
    settings: CensusSettings,
}

impl Counter {
    /// Creates a counter with the bots and settings of `filter`.
    ///
    /// The counter also uses the survey in `filter`: facts about whole sites that an earlier pass
    /// over the inputs collected. A survey has only facts for conventions that `filter` obeys. For
    /// example, a Pagefind attribute on one page affects the site's other pages. The census counts
    /// this effect only if `filter` obeys the convention `pagefind`.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](heedful_base::error::ErrorKind::Setting) if the filter already has
    /// [`BotSet::MAX`] bots. A census adds one bot without a name.
    pub fn new(filter: &Filter) -> Result<Self> {
        let bots = filter.terms.bots.list();
        if bots.len() >= BotSet::MAX {
            return Err(Error::setting(format!(
                "a census reads as at most {} bots",
                BotSet::MAX - 1
            )));
        }
        let readers = Readers { count: bots.len() };
        let bots = Bots::new(bots.iter().cloned().chain([Bot::unnamed()]).collect())?;
        let mut obeyed = filter.clone();
        Arc::make_mut(&mut obeyed.terms).bots = bots;
        let all = obeyed
            .clone()
            .conventions(filter.terms.conventions.clone().with_all());
        Ok(Self {
            all,
            obeyed,
            readers,
            settings: CensusSettings::from_filter(filter),
        })
    }

    /// Returns a census without any page, with the settings of this counter.
    pub fn census(&self) -> Census {
        Census::with_settings(self.settings.clone())
    }

    /// Counts the statements of the page at `url`. The function `feed` must pass the headers, the
    /// robots.txt and the bytes of the page to the given [`Pass`]. This method calls `feed` once or
    /// twice. Each call must pass the same data.
    ///
    /// # Errors
    /// Any error of `feed`, [`Filter::open`], [`Pass::write`] or [`Pass::end`].
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_census::{ConventionId, Counter, CensusRow};
    /// use heedful::{Bot, Filter};
    ///
    /// let counter = Counter::new(&Filter::new(Bot::new("FooBot")?))?;
    /// let mut census = counter.census();
    /// census.add(&counter.page("https://example.com/", |mut pass| {
    ///     pass.write(b"<meta name=robots content=noindex><p>Rye")?;
    ///     Ok(pass)
    /// })?);
    /// let said = CensusRow::Convention(ConventionId::find("meta").unwrap());
    /// assert_eq!(census.count(said).pages, 1);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn page(
        &self,
        url: &str,
        feed: impl Fn(Pass<Tally>) -> Result<Pass<Tally>>,
    ) -> Result<PageCount> {
        let all = feed(self.all.open_with(url, Tally::default())?)?.into_parts()?;
        let mut obeyed = None;
        if self.is_read_otherwise(&all.1) {
            let pass = self.obeyed.open_with(url, Tally::default())?;
            obeyed = Some(feed(pass)?.into_parts()?);
        }
        Ok(PageCount::new(
            site(url),
            self.readers,
            &all,
            obeyed.as_ref(),
        ))
    }

    /// True if a statement of the page belongs to a known convention that the filter does not obey.
    /// In this case the page is read a second time, with only the obeyed conventions.
    fn is_read_otherwise(&self, end: &PageEnd) -> bool {
        let conventions = &self.obeyed.terms.conventions;
        end.directives()
            .any(|directive| match directive.convention() {
                // Directives of two conventions have this name.
                "profile" => !conventions.has("profile") || !conventions.has("profile-undeclared"),
                name => !conventions.has(name) && LIST.iter().any(|known| known.name() == name),
            })
    }
}
