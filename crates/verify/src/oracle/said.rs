//! What is said of a page as a whole, outside of it and in it.

use url::Url;

use heedful::internals::convention::{self, StatementCollector, Whom, rsl};
use heedful::internals::scope::{PassTerms, Profile};
use heedful::{Directive, Extent, Licence, Origin, Place, Says, Uses};
use heedful_base::bot::BotSet;
use heedful_robots::{PageUrl, RobotsTxt};

/// The context of a page: everything that comes with it besides its bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surroundings<'a> {
    /// The robots.txt files, which must all let it in.
    pub robots: &'a [&'a RobotsTxt],
    /// The headers of the response.
    pub headers: &'a [(String, String)],
    /// Takes the bytes for UTF-8, whatever the transport or the page declares.
    pub is_utf8: bool,
    /// Another URL of the page: an `index.html` has the URL of its folder too.
    pub also_at: Option<&'a Url>,
}

/// The statements about the page so far.
pub(super) struct TreeSaid<'a> {
    terms: &'a PassTerms,
    pub(super) profile: Profile,
    /// The base of the page's addresses: that of its first `base` with an `href`, or its own URL.
    pub(super) base: Url,
    has_base: bool,
    /// The page's own URLs.
    urls: Vec<Url>,
    pub(super) ceiling: Vec<Directive>,
}

impl<'a> TreeSaid<'a> {
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
            ceiling: Vec::new(),
        }
    }

    /// Takes the `href` of a `base` of the page.
    pub(super) fn base_at(&mut self, href: Option<&str>) {
        let Some(href) = href.filter(|_| !self.has_base) else {
            return;
        };
        self.has_base = true;
        match self.base.join(href.trim()) {
            Ok(base) if !["data", "javascript"].contains(&base.scheme()) => self.base = base,
            _ => {}
        }
        self.profile.base_changed(Place::default());
    }

    /// Denies something of the page to all bots.
    pub(super) fn deny(&mut self, uses: Uses, extent: Extent) {
        self.ceiling
            .push(directive(Says::Deny(uses), self.terms.bots.all(), extent));
    }

    pub(super) fn surroundings(&mut self, url: &Url, around: &Surroundings<'_>) {
        let robots: Vec<_> = around
            .robots
            .iter()
            .map(|robots| self.terms.apply_mode(robots))
            .collect();
        for (_, address) in robots.iter().flat_map(|robots| robots.licence_lines()) {
            self.licensed(address, Extent::Response);
        }
        let also = around.also_at.map(Url::as_str);
        for (id, bot) in self.terms.bots.each() {
            if robots
                .iter()
                .any(|robots| !robots.ruling_of(bot, url.as_str(), also).allowed())
            {
                self.ceiling.push(directive(
                    Says::Deny(Uses::ALL),
                    BotSet::one(id),
                    Extent::Site,
                ));
            }
            let urls = std::iter::once(url.as_str()).chain(also);
            let readings = urls.flat_map(|url| {
                robots
                    .iter()
                    .flat_map(move |robots| robots.usage_readings(bot, url))
            });
            for reading in readings {
                let terms = self.terms;
                for mut ear in terms.collect_uses(&reading) {
                    ear.only(BotSet::one(id));
                    self.page_statements(&ear);
                }
            }
        }
        for page in std::iter::once(url).chain(around.also_at).map(PageUrl::of) {
            for denial in self.terms.denied(&page) {
                self.deny(denial.denies, Extent::Page);
            }
        }
        for (name, value) in around.headers {
            let mut ear = self.terms.collector();
            convention::header(name, value, &mut ear);
            self.page_statements(&ear);
        }
    }

    /// Keeps what is said of the page; returns what is said of a node.
    pub(super) fn page_statements(&mut self, ear: &StatementCollector<'_>) -> Vec<(Says, Whom)> {
        let mut node = Vec::new();
        for address in &ear.pointers {
            self.licensed(address, Extent::Page);
        }
        for said in &ear.heard {
            if said.extent.is_ceiling() {
                let bots = self.profile.bots(said.whom, true);
                self.ceiling.push(directive(said.says, bots, said.extent));
            } else {
                node.push((said.says, said.whom));
            }
        }
        node
    }

    /// Adds what the licence at an address denies of the page, if it is at hand.
    fn licensed(&mut self, address: &str, extent: Extent) {
        let (_, licence) = self.terms.licences.resolve(&self.base, address);
        if let Some(licence) = licence.filter(|_| self.terms.conventions.has(rsl::CONVENTION)) {
            self.licence(&licence, extent);
        }
    }

    pub(super) fn licence(&mut self, licence: &Licence, extent: Extent) {
        let denied: Vec<_> = self.urls.iter().map(|url| licence.denies(url)).collect();
        for uses in denied {
            self.deny(uses, extent);
        }
    }
}

fn directive(says: Says, bots: BotSet, extent: Extent) -> Directive {
    Directive {
        says,
        bots,
        extent,
        convention: "oracle",
        origin: Origin::Operator,
        text: String::new(),
    }
}
