//! Records directives from outside of a page: from the files of its site, and from the operator.

use std::sync::Arc;

use url::Url;

use crate::convention::{INDEX, PAGEFIND_BODY, rsl};
use crate::ledger::{Ledger, PageEnd};
use crate::policy::{Directive, Extent, Origin, StatementContent, Uses};
use crate::scope::{Licence, PassTerms};
use heedful_base::bot::{Bot, BotSet};
use heedful_base::error::Result;
use heedful_robots::{PageUrl, RobotsTxt, SiteFile, Usage, decide_the_same};

use super::recorder::StatementRecorder;
use super::site::PageSite;
use super::words::shortened_copy;

impl StatementRecorder {
    /// Records the operator's denials that match the page's URL `url`. `known` is another URL of
    /// the page, whose denials are recorded already. Denials that match `known` too are skipped.
    pub(super) fn add_operator_denials(
        &mut self,
        url: &Url,
        known: Option<&Url>,
        ledger: &mut Ledger,
    ) -> Result<()> {
        self.site.urls.push(url.clone());
        let page = PageUrl::new(url);
        let known = known.map(PageUrl::new);
        for denial in self.terms.denied(&page) {
            if let Some(known) = &known
                && denial.is_about(known)
            {
                continue;
            }
            ledger.deny(
                denial.denies,
                Extent::Page,
                "operator",
                Origin::Operator,
                shortened_copy(&denial.text),
            )?;
        }
        Ok(())
    }

    /// Records the ruling of the file `robots` on the page for each bot. If the bot may not fetch
    /// the page, the ruling denies all uses. Otherwise the ruling has the file's lines about uses.
    /// Bots with the same ruling share one directive. If the page has a second URL, `also`, the
    /// rulings for both URLs are recorded. Licences that the file names are recorded too.
    pub(super) fn add_robots_txt(
        &mut self,
        robots: &RobotsTxt,
        url: &str,
        also: Option<&str>,
        ledger: &mut Ledger,
    ) -> Result<()> {
        let terms = self.terms.clone();
        let robots = &*terms.apply_mode(robots);
        let mut answers: Vec<(BotSet, PageRuling<'_>)> = Vec::new();
        for (id, bot) in terms.bots.each() {
            let bots = BotSet::single(id);
            for answer in PageRuling::all(robots, bot, url, also) {
                match answers.iter_mut().find(|(_, known)| known.is_same(&answer)) {
                    Some((known, _)) => *known = known.or(bots),
                    None => answers.push((bots, answer)),
                }
            }
        }
        for (bots, answer) in answers {
            self.record_ruling(robots.site_file(), bots, answer, ledger)?;
        }
        if !terms.conventions.has(rsl::CONVENTION) {
            return Ok(());
        }
        for (line, address) in robots.licence_lines() {
            let text = format!("License: {address} (line {line} of robots.txt)");
            self.record_licence_at(
                &licence_address(address, url),
                (Origin::Record { line }, Extent::Response),
                &text,
                ledger,
            )?;
        }
        Ok(())
    }

    fn record_ruling(
        &mut self,
        file: SiteFile,
        bots: BotSet,
        ruling: PageRuling<'_>,
        ledger: &mut Ledger,
    ) -> Result<()> {
        if let Some((line, text)) = ruling.blocking_rule {
            ledger.add_directive(Directive {
                says: StatementContent::Deny(Uses::ALL),
                bots,
                extent: Extent::Site,
                convention: "robots.txt",
                origin: Origin::Rule { line },
                text: shortened_copy(&text),
            })?;
            return Ok(());
        }
        let terms = self.terms.clone();
        for reading in &ruling.usages {
            for (mut collector, usage) in terms.collect_uses(reading).into_iter().zip(reading) {
                collector.restrict_to(bots);
                let written = usage.written();
                let line = usage.line();
                let (origin, place) = match file {
                    SiteFile::Tdmrep => (Origin::Reservation { rule: line }, "rule"),
                    _ => (Origin::Record { line }, "line"),
                };
                self.record(
                    collector,
                    origin,
                    |_| format!("{written} ({place} {line} of {})", file.name()),
                    ledger,
                )?;
            }
        }
        Ok(())
    }

    /// Denies `index` if the page lacks Pagefind's attribute `data-pagefind-body`, and its site has
    /// this attribute on other pages. Does nothing if no byte of the page was read.
    pub(super) fn deny_unmarked(&self, ledger: &mut Ledger) -> Result<()> {
        let is_mark = |statement: &Directive| {
            !statement.extent.is_page_wide()
                && statement.convention == PAGEFIND_BODY
                && matches!(statement.says, StatementContent::Deny(_))
        };
        if !self.site.is_of_pagefind(&self.terms)
            || ledger.length() == 0
            || ledger.directives().any(is_mark)
        {
            return Ok(());
        }
        let text = "other pages of the site have `data-pagefind-body`, this one has not";
        ledger.deny(
            INDEX,
            Extent::Page,
            PAGEFIND_BODY,
            Origin::Input,
            text.to_owned(),
        )?;
        Ok(())
    }
}

/// Returns the finished record of a page of which only the URL is known. The record has the
/// operator's denials for this URL, and the statements about it in `files`.
pub fn unread_page<'r>(
    terms: &Arc<PassTerms>,
    url: &Url,
    files: impl Iterator<Item = &'r RobotsTxt>,
) -> Result<PageEnd> {
    let mut ledger = Ledger::new(&terms.limits, terms.bots.all(), url, None);
    let mut recorder = StatementRecorder::new(terms.clone(), PageSite::default());
    recorder.add_operator_denials(url, None, &mut ledger)?;
    for robots in files {
        recorder.add_robots_txt(robots, url.as_str(), None, &mut ledger)?;
    }
    Ok(ledger.finish(Vec::new(), None))
}

/// Returns the RSL licences that a robots.txt names for the pages of its site. For a licence that
/// is not available, returns an empty licence. `url` is the URL of any page of the site.
pub fn site_licences(robots: &RobotsTxt, url: &Url, terms: &PassTerms) -> Vec<Licence> {
    let mut licences = Vec::new();
    if !terms.conventions.has(rsl::CONVENTION) {
        return licences;
    }
    for (_, address) in robots.licence_lines() {
        let address = licence_address(address, url.as_str());
        let (_, licence) = terms.licences.resolve(url, &address);
        licences.push(licence.unwrap_or_default());
    }
    licences
}

/// Returns the URL of a licence that a robots.txt names. A relative address is joined to the root
/// of the site, not to the page's path.
fn licence_address(address: &str, url: &str) -> String {
    let plain = address.trim_matches(['"', '\'', '<', '>']);
    let whole = Url::parse(url).and_then(|url| url.join("/")?.join(plain));
    match whole {
        Ok(whole) => whole.into(),
        Err(_) => plain.to_owned(),
    }
}

/// Ruling of one robots.txt about a page for one bot.
struct PageRuling<'a> {
    /// Line number and text of the rule that disallows the page. `None` if the bot may enter.
    blocking_rule: Option<(Option<u32>, String)>,
    /// Lines of the file that allow or deny uses to the bot. The file is read with and without
    /// repairs of typing errors, and each reading has its own list. If a reading decides the same
    /// as the reading before it, its list is left out.
    usages: Vec<Vec<Usage<'a>>>,
}

impl<'a> PageRuling<'a> {
    fn new(robots: &'a RobotsTxt, bot: &Bot, url: &str) -> Self {
        let ruling = robots.ruling(bot, url);
        if ruling.allowed() {
            let mut usages = robots.usage_readings(bot, url);
            usages.dedup_by(|one, other| decide_the_same(one, other));
            return Self {
                blocking_rule: None,
                usages,
            };
        }
        let rule = ruling.rule().unwrap_or_default();
        let text = match ruling.line() {
            Some(line) => format!("{rule} (line {line})"),
            None => rule.into_owned(),
        };
        Self {
            blocking_rule: Some((ruling.line(), text)),
            usages: Vec::new(),
        }
    }

    /// Returns the rulings on both URLs of a page: `url`, and `also` if there is a second URL. If
    /// the first ruling disallows the page, or if both rulings are the same, returns only the
    /// ruling on `url`.
    fn all(robots: &'a RobotsTxt, bot: &Bot, url: &str, also: Option<&str>) -> Vec<Self> {
        let mut all = vec![Self::new(robots, bot, url)];
        if let Some(also) = also
            && all[0].blocking_rule.is_none()
        {
            let second = Self::new(robots, bot, also);
            if !second.is_same(&all[0]) {
                all.push(second);
            }
        }
        all
    }

    fn is_same(&self, other: &Self) -> bool {
        let mut readings = self.usages.iter().zip(&other.usages);
        let is_same_use = self.usages.len() == other.usages.len()
            && readings.all(|(one, other)| decide_the_same(one, other));
        self.blocking_rule == other.blocking_rule && is_same_use
    }
}
