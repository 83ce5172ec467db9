//! What is said of a page as a whole: outside of it, and in it.

use url::Url;

use crate::bot::BotSet;
use crate::dialect::{self, Ear, Whom, rsl};
use crate::policy::{Extent, Facets, Says};
use crate::scope::Licence;

use super::{Around, Reader, directive};

impl Reader<'_> {
    pub(super) fn surroundings(&mut self, url: &Url, around: &Around<'_>) {
        let robots: Vec<_> = around.robots.iter().map(|robots| self.terms.read(robots)).collect();
        for (_, address) in robots.iter().flat_map(|robots| robots.licence_lines()) {
            self.licensed(address, Extent::Response);
        }
        let also = around.also_at.map(Url::as_str);
        for (id, bot) in self.terms.bots.each() {
            if robots.iter().any(|robots| !robots.ruling_of(bot, url.as_str(), also).allowed()) {
                self.page.ceiling.push(directive(Says::Deny(Facets::ALL), BotSet::one(id), Extent::Site));
            }
            let urls = std::iter::once(url.as_str()).chain(also);
            let readings = urls.flat_map(|url| robots.iter().flat_map(move |robots| robots.usage_readings(bot, url)));
            for reading in readings {
                let terms = self.terms;
                for mut ear in terms.uses(&reading) {
                    ear.only(BotSet::one(id));
                    self.page_statements(&ear);
                }
            }
        }
        for denial in std::iter::once(url).chain(around.also_at).flat_map(|url| self.terms.denied(url)) {
            self.page.ceiling.push(directive(Says::Deny(denial.denies), self.terms.bots.all(), Extent::Page));
        }
        for (name, value) in around.headers {
            let mut ear = self.terms.ear();
            dialect::header(name, value, &mut ear);
            self.page_statements(&ear);
        }
    }

    /// Keeps what is said of the page; returns what is said of a node.
    pub(super) fn page_statements(&mut self, ear: &Ear<'_>) -> Vec<(Says, Whom)> {
        let mut node = Vec::new();
        for address in &ear.pointers {
            self.licensed(address, Extent::Page);
        }
        for said in &ear.heard {
            if said.extent.is_ceiling() {
                let bots = self.profile.bots(said.whom, true);
                self.page.ceiling.push(directive(said.says, bots, said.extent));
            } else {
                node.push((said.says, said.whom));
            }
        }
        node
    }

    /// What the licence at an address denies of the page, if it is at hand.
    fn licensed(&mut self, address: &str, extent: Extent) {
        let (_, licence) = self.terms.licences.at(&self.base, address);
        if let Some(licence) = licence.filter(|_| self.terms.dialects.has(rsl::DIALECT)) {
            self.licence(&licence, extent);
        }
    }

    pub(super) fn licence(&mut self, licence: &Licence, extent: Extent) {
        for url in &self.urls {
            let denies = Says::Deny(licence.denies(url));
            self.page.ceiling.push(directive(denies, self.terms.bots.all(), extent));
        }
    }
}
