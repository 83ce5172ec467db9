//! Who may enter at all: the robots.txt files of all inputs, each page's own, and what the user gives.

use std::collections::HashMap;

use url::Url;

use crate::error::Result;
use crate::input::{Answer, Document, Input, authority};
use crate::robots_txt::RobotsTxt;

/// The robots.txt files of all inputs, and what to do without one.
#[derive(Debug, Default)]
pub struct Gate {
    sites: HashMap<String, Vec<RobotsTxt>>,
    everywhere: Option<RobotsTxt>,
    /// What stands for a robots.txt that is not at hand, if one is required.
    required: Option<RobotsTxt>,
}

impl Gate {
    /// Reads the robots.txt files of the inputs, wherever they stand in them.
    ///
    /// # Errors
    /// When an input cannot be read at all.
    pub fn of(inputs: &[Input]) -> Result<Self> {
        let mut answers: HashMap<String, Vec<Answer>> = HashMap::new();
        for input in inputs {
            for robots in input.robots()? {
                answers.entry(robots.authority().to_owned()).or_default().push(robots.into_answer());
            }
        }
        let sites = answers.keys().map(|site| (site.clone(), rules(site, &answers, RobotsTxt::REDIRECTS))).collect();
        Ok(Self { sites, ..Self::default() })
    }

    /// A robots.txt for every site, besides its own.
    pub fn everywhere(mut self, robots: RobotsTxt) -> Self {
        self.everywhere = Some(robots);
        self
    }

    /// Keeps out the pages of a site whose robots.txt is not at hand.
    pub fn required(mut self) -> Self {
        self.required = Some(RobotsTxt::shut());
        self
    }

    /// What is at hand for a page.
    pub(super) fn for_page<'a>(&'a self, document: &'a Document) -> AtTheGate<'a> {
        let site = Url::parse(document.url()).ok().filter(|url| url.scheme() != "file").map(|url| authority(&url));
        let found = site.as_ref().and_then(|site| self.sites.get(site)).map_or(&[][..], Vec::as_slice);
        let mut robots: Vec<_> = document.robots().into_iter().chain(found).chain(&self.everywhere).collect();
        let without = if robots.is_empty() { site } else { None };
        if without.is_some() {
            robots.extend(&self.required);
        }
        AtTheGate { robots, without }
    }
}

/// A page's robots.txt files.
#[derive(Debug)]
pub struct AtTheGate<'a> {
    /// All of them must let the page in.
    pub robots: Vec<&'a RobotsTxt>,
    /// The site, if no robots.txt was at hand for it.
    pub without: Option<String>,
}

/// What a site's robots.txt files say, through redirects; a site that was asked several times means all its answers.
/// What cannot be had, because a redirect leads astray or too far, may forbid anything.
fn rules(site: &str, answers: &HashMap<String, Vec<Answer>>, redirects: usize) -> Vec<RobotsTxt> {
    let Some(found) = answers.get(site) else { return vec![RobotsTxt::shut()] };
    let mut all = Vec::new();
    for answer in found {
        match answer {
            Answer::Rules(rules) => all.push(rules.clone()),
            Answer::Redirect(target) => match Url::parse(target).ok().filter(|url| url.path() == "/robots.txt") {
                Some(url) if redirects > 0 => all.extend(rules(&authority(&url), answers, redirects - 1)),
                _ => all.push(RobotsTxt::shut()),
            },
        }
    }
    all
}
