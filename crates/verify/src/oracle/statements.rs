//! Collects the statements about a page as a whole, from the robots.txt files, the headers and the
//! markup of the page.

use url::Url;

use heedful::internals::convention::{self, Recipients, StatementCollector, rsl};
use heedful::internals::scope::{PassTerms, Profile};
use heedful::{Directive, Extent, Licence, Origin, Place, StatementContent, Uses};
use heedful_base::bot::BotSet;
use heedful_robots::{PageUrl, RobotsTxt};

/// Data outside of a page's bytes that affect which uses of the page are allowed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surroundings<'a> {
    /// Parsed robots.txt files. The page may be read only if all of them allow it.
    pub robots: &'a [&'a RobotsTxt],
    /// Headers of the HTTP response, as pairs of name and value.
    pub headers: &'a [(String, String)],
    /// True if the page's bytes must be decoded as UTF-8, whatever the headers or the page declare.
    pub is_utf8: bool,
    /// Second URL of the page. For example, an `index.html` also has the URL of its folder. `None`
    /// if the page has only one URL.
    pub also_at: Option<&'a Url>,
}

/// Statements about the page as a whole that the reader has found up to the current token.
pub(super) struct TreeStatements<'a> {
    terms: &'a PassTerms,
    pub(super) profile: Profile,
    /// Base URL for relative addresses in the page. It is the URL of the first `base` element with
    /// an `href`, or else the page's URL.
    pub(super) base: Url,
    has_base: bool,
    /// The page's URL, followed by the URL in [`Surroundings::also_at`] if there is one.
    urls: Vec<Url>,
    /// Directives about the whole page.
    pub(super) page_wide: Vec<Directive>,
}

impl<'a> TreeStatements<'a> {
    pub(super) fn new(terms: &'a PassTerms, url: &Url, around: &Surroundings<'_>) -> Self {
        Self {
            terms,
            profile: Profile::new(&terms.bots, &terms.conventions),
            base: url.clone(),
            has_base: false,
            urls: std::iter::once(url)
                .chain(around.also_at)
                .cloned()
                .collect(),
            page_wide: Vec::new(),
        }
    }

    /// Sets the base URL of the page to the `href` of a `base` element. Only the first `href` in a
    /// page has an effect.
    pub(super) fn set_base(&mut self, href: Option<&str>) {
        if self.has_base {
            return;
        }
        let Some(href) = href else {
            return;
        };
        self.has_base = true;
        match self.base.join(href.trim()) {
            Ok(base) if !["data", "javascript"].contains(&base.scheme()) => self.base = base,
            _ => {}
        }
        self.profile.base_changed(Place::default());
    }

    /// Records a denial of uses to all bots. `extent` is the page, its response or its site, so the
    /// denial applies to the whole page.
    pub(super) fn deny_for_all_bots(&mut self, uses: Uses, extent: Extent) {
        self.page_wide.push(directive(
            StatementContent::Deny(uses),
            self.terms.bots.all(),
            extent,
        ));
    }

    pub(super) fn surroundings(&mut self, url: &Url, around: &Surroundings<'_>) {
        let robots: Vec<_> = around
            .robots
            .iter()
            .map(|robots| self.terms.apply_mode(robots))
            .collect();
        for robots in &robots {
            for (_, address) in robots.licence_lines() {
                self.add_licence_at(address, Extent::Response);
            }
        }
        let also = around.also_at.map(Url::as_str);
        for (id, bot) in self.terms.bots.each() {
            if robots
                .iter()
                .any(|robots| !robots.ruling_of(bot, url.as_str(), also).allowed())
            {
                self.page_wide.push(directive(
                    StatementContent::Deny(Uses::ALL),
                    BotSet::single(id),
                    Extent::Site,
                ));
            }
            let terms = self.terms;
            for url in std::iter::once(url.as_str()).chain(also) {
                for robots in &robots {
                    for reading in robots.usage_readings(bot, url) {
                        for mut collector in terms.collect_uses(&reading) {
                            collector.restrict_to(BotSet::single(id));
                            self.page_statements(&collector);
                        }
                    }
                }
            }
        }
        for page in std::iter::once(url).chain(around.also_at).map(PageUrl::new) {
            for denial in self.terms.denied(&page) {
                self.deny_for_all_bots(denial.denies, Extent::Page);
            }
        }
        for (name, value) in around.headers {
            let mut collector = self.terms.collector();
            convention::header(name, value, &mut collector);
            self.page_statements(&collector);
        }
    }

    /// Records the statements of `collector` that apply to the whole page. Returns the statements
    /// that apply to a single node.
    pub(super) fn page_statements(
        &mut self,
        collector: &StatementCollector<'_>,
    ) -> Vec<(StatementContent, Recipients)> {
        let mut node = Vec::new();
        for address in &collector.pointers {
            self.add_licence_at(address, Extent::Page);
        }
        for said in &collector.statements {
            if said.extent.is_page_wide() {
                let bots = self.profile.bots(said.recipients, true);
                self.page_wide.push(directive(said.says, bots, said.extent));
            } else {
                node.push((said.says, said.recipients));
            }
        }
        node
    }

    /// Adds the denials of the RSL licence at the URL `address`. Does nothing if the licence is not
    /// available.
    fn add_licence_at(&mut self, address: &str, extent: Extent) {
        let (_, licence) = self.terms.licences.resolve(&self.base, address);
        if let Some(licence) = licence
            && self.terms.conventions.has(rsl::CONVENTION)
        {
            self.add_licence(&licence, extent);
        }
    }

    pub(super) fn add_licence(&mut self, licence: &Licence, extent: Extent) {
        let denied: Vec<_> = self.urls.iter().map(|url| licence.denies(url)).collect();
        for uses in denied {
            self.deny_for_all_bots(uses, extent);
        }
    }
}

fn directive(says: StatementContent, bots: BotSet, extent: Extent) -> Directive {
    Directive {
        says,
        bots,
        extent,
        convention: "oracle",
        origin: Origin::Operator,
        text: String::new(),
    }
}
