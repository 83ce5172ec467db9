//! Reads pages for a census.
//!
//! Each page is read with all conventions, for the bots of the filter and for one without a name:
//! its directives are for everyone. If a convention was used that is not obeyed, the page is read
//! once more without it, so that what is obeyed is counted as it is. Nearly all pages are read
//! once.

use std::sync::Arc;

use heedful::CONVENTIONS as LIST;
use heedful::{Filter, PageEnd, Pass};
use heedful_base::bot::{Bot, BotSet, Bots};
use heedful_base::error::{Error, Result};

use super::page::{PageCount, Readers, Tally};
use super::sample::site;
use super::settings::CensusSettings;
use super::sums::Census;

/// Reads pages for a [`Census`]. It may be shared between threads.
#[derive(Clone, Debug)]
pub struct Counter {
    all: Filter,
    obeyed: Filter,
    readers: Readers,
    settings: CensusSettings,
}

impl Counter {
    /// A counter for the bots and settings of a filter, and the results of its survey. So marks for
    /// Pagefind are known of a site's other pages only if they are obeyed.
    ///
    /// # Errors
    /// Fails if the filter is for [`BotSet::MAX`] bots: one place is needed.
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

    /// An empty census.
    pub fn census(&self) -> Census {
        Census::with_settings(self.settings.clone())
    }

    /// Reads a page. `feed` gives what is known of it and its bytes to a pass, and is called once
    /// or twice.
    ///
    /// # Errors
    /// As for [`Filter::open`], [`Pass::write`] and [`Pass::end`].
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

    /// True if the page uses a convention that is not obeyed.
    fn is_read_otherwise(&self, end: &PageEnd) -> bool {
        let conventions = &self.obeyed.terms.conventions;
        end.directives()
            .any(|directive| match directive.convention() {
                // Two conventions have this name in directives.
                "profile" => !conventions.has("profile") || !conventions.has("profile-undeclared"),
                name => !conventions.has(name) && LIST.iter().any(|known| known.name() == name),
            })
    }
}
