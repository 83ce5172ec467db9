//! The answers of sites that were asked for their robots.txt or tdmrep.json, each with the number of the record after
//! it.
//!
//! Different answers of a site are kept, and of equal ones only the first. All of them must let a page in, so the
//! others would change nothing. Memory grows with what sites say, not with how often they were asked. A question about
//! a page follows at most as many answers as a limit says, through redirects too. A site that passes a limit is shut.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::SystemTime;

use url::Url;

use crate::address::authority;
use crate::input::{Answer, Robots};
use crate::limits::{Limits, MOST_REDIRECTS, size};
use crate::robots_txt::{RobotsTxt, SiteFile, Source};

use super::shelf::{Id, Shelf};

/// The answers of all sites, in the order of the input.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// The sites by [`key`]: each file of a site has its own entry.
    sites: HashMap<Box<str>, Site>,
    /// The record from which on there were more sites than are kept, and the count of answers then.
    too_many: Option<(u64, u64)>,
    /// The number of answers so far: a remembered count tells which came since.
    count: u64,
}

/// The limits of what is kept.
#[derive(Debug)]
pub(super) struct Most {
    sites: usize,
    answers: usize,
    bytes: u64,
    redirects: usize,
    values: BTreeMap<&'static str, u64>,
}

#[derive(Debug, Default)]
struct Site {
    answers: Vec<KeptAnswer>,
    /// The bytes that its files take in memory.
    bytes: u64,
    /// The record from which on it passes a limit, and that limit.
    shut: Option<(u64, &'static str)>,
    /// The count of all answers when this site last said something new.
    changed: u64,
}

#[derive(Debug)]
struct KeptAnswer {
    number: u64,
    what: What,
}

#[derive(Debug)]
enum What {
    Rules(Id, Option<Arc<Source>>),
    /// A redirect to the same file of another site, or None if it leads elsewhere.
    Redirect(Option<Box<str>>),
    Unknown,
}

impl What {
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Rules(one, _), Self::Rules(other, _)) => one == other,
            (Self::Redirect(one), Self::Redirect(other)) => one == other,
            (Self::Unknown, Self::Unknown) => true,
            _ => false,
        }
    }
}

impl What {
    /// Notes that the site gave the same answer again. One without a date counts as given now.
    fn was_sent_again(&mut self, again: &Self) {
        let (Self::Rules(_, Some(source)), Self::Rules(_, again)) = (self, again) else { return };
        let time = again.as_ref().and_then(|again| again.last_sent()).unwrap_or_else(SystemTime::now);
        if source.last_sent().is_some_and(|last| last < time) {
            Arc::make_mut(source).sent_again(time);
        }
    }
}

impl Default for Most {
    fn default() -> Self {
        Self::of(&Limits::default())
    }
}

impl Most {
    pub(super) fn of(limits: &Limits) -> Self {
        let values = [
            ("sites", limits.sites),
            ("robots_answers", limits.robots_answers),
            ("robots_site_bytes", limits.robots_site_bytes),
            ("robots_file_bytes", limits.robots_file_bytes),
        ];
        let (sites, answers) = (size(limits.sites), size(limits.robots_answers));
        let redirects = size(limits.redirects.min(MOST_REDIRECTS));
        Self { sites, answers, bytes: limits.robots_site_bytes, redirects, values: values.into() }
    }

    /// The rules for a site whose files pass a limit.
    fn shut_by(&self, file: SiteFile, limit: &'static str) -> RobotsTxt {
        file.shut_by(limit, self.values.get(limit).copied().unwrap_or_default())
    }
}

impl Answers {
    /// Notes an answer of a site, given before the record of this number.
    pub(super) fn note(&mut self, number: u64, robots: Robots, (shelf, most): (&Shelf, &Most)) {
        let file = robots.file();
        let key = key(robots.authority(), file).into_owned();
        if self.sites.len() >= most.sites && !self.sites.contains_key(key.as_str()) {
            if self.too_many.is_none() {
                self.count += 1;
                self.too_many = Some((number, self.count));
            }
            return;
        }
        let site = self.sites.entry(key.into_boxed_str()).or_default();
        if site.shut.is_some() {
            return;
        }
        let what = match robots.into_answer() {
            Answer::Rules(file) => {
                let file = shelf.named(file);
                shelf.put(&file).map(|id| What::Rules(id, file.shared_source()))
            }
            Answer::Redirect(target) => Some(What::Redirect(target_of(&target, file))),
            Answer::Unknown => Some(What::Unknown),
        };
        let same = what.as_ref().and_then(|what| site.answers.iter_mut().find(|said| said.what.is_same(what)));
        if let (Some(said), Some(what)) = (same, &what) {
            return said.what.was_sent_again(what);
        }
        match what {
            Some(_) if site.answers.len() >= most.answers => site.shut = Some((number, "robots_answers")),
            Some(what) => {
                site.bytes += if let What::Rules(id, _) = &what { shelf.held(*id) } else { 0 };
                match site.bytes > most.bytes {
                    true => site.shut = Some((number, "robots_site_bytes")),
                    false => site.answers.push(KeptAnswer { number, what }),
                }
            }
            None => site.shut = Some((number, "robots_file_bytes")),
        }
        self.count += 1;
        site.changed = self.count;
    }

    pub(super) fn has(&self, (site, file): (&str, SiteFile)) -> bool {
        self.sites.contains_key(&*key(site, file))
    }

    /// The sites that were heard, by whichever file; some may come twice.
    pub(super) fn sites(&self) -> impl Iterator<Item = &str> {
        // The key for another file than robots.txt has its path behind the site.
        let site = |key: &'_ str| key.match_indices('/').nth(2).map_or(key.len(), |(end, _)| end);
        self.sites.keys().map(move |key| &key[..site(key)])
    }

    /// The number of answers that said something new.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The number of sites that each limit shut; 0 for the limit of sites, whose sites are not counted.
    pub(super) fn shut(&self) -> BTreeMap<&'static str, u64> {
        let mut shut = BTreeMap::new();
        for (_, limit) in self.sites.values().filter_map(|site| site.shut) {
            *shut.entry(limit).or_default() += 1;
        }
        if self.too_many.is_some() {
            shut.insert("sites", 0);
        }
        shut
    }

    /// The rules of a site's files of this kind up to the record of this number, through redirects. If a site gave
    /// several answers, all of them count. A redirect that leads astray, in a circle or too far means that anything may
    /// be forbidden. The result is empty if the site was not heard.
    pub(super) fn rules(
        &self,
        (site, file): (&str, SiteFile),
        number: u64,
        (shelf, most): (&Shelf, &Most),
    ) -> Vec<RobotsTxt> {
        let site = &*key(site, file);
        let was_heard = |site: &Site| {
            site.answers.iter().any(|said| said.number <= number) || site.shut.is_some_and(|(at, _)| at <= number)
        };
        if !self.sites.get(site).is_some_and(was_heard) {
            let may_be_lost = self.too_many.is_some_and(|(at, _)| at <= number);
            return if may_be_lost { vec![most.shut_by(file, "sites")] } else { Vec::new() };
        }
        let (path, seen) = (Vec::new(), HashSet::new());
        let mut walk =
            Walk { answers: self, file, number, shelf, most, path, seen, steps: 0, bytes: 0, found: Vec::new() };
        walk.follow(site);
        walk.found
    }

    /// Returns true if a site, or one that it redirects to, said something new since that count of answers.
    pub(super) fn has_news(&self, (site, file): (&str, SiteFile), since: u64, most: &Most) -> bool {
        let site = &*key(site, file);
        if !self.sites.contains_key(site) {
            return self.too_many.is_some_and(|(_, changed)| changed > since);
        }
        let (mut open, mut seen) = (vec![site], HashSet::from([site]));
        while let Some(site) = open.pop() {
            let Some(known) = self.sites.get(site) else { continue };
            if known.changed > since || seen.len() > most.answers {
                return true;
            }
            let targets = known.answers.iter().filter_map(|said| match &said.what {
                What::Redirect(Some(target)) => Some(&**target),
                _ => None,
            });
            open.extend(targets.filter(|target| seen.insert(target)));
        }
        false
    }
}

/// The key for answers about a file of a site.
fn key(authority: &str, file: SiteFile) -> Cow<'_, str> {
    match file {
        SiteFile::Robots => authority.into(),
        other => format!("{authority}{}", other.path()).into(),
    }
}

/// The site to whose file of this kind a redirect leads; None if it leads to something else.
fn target_of(target: &str, file: SiteFile) -> Option<Box<str>> {
    let url = Url::parse(target).ok().filter(|url| url.path() == file.path())?;
    Some(key(&authority(&url), file).into_owned().into_boxed_str())
}

/// A walk from a site along its redirects. It visits each site once, however many lead to it.
struct Walk<'a> {
    answers: &'a Answers,
    file: SiteFile,
    number: u64,
    shelf: &'a Shelf,
    most: &'a Most,
    /// The sites that led here.
    path: Vec<&'a str>,
    seen: HashSet<&'a str>,
    steps: usize,
    bytes: u64,
    found: Vec<RobotsTxt>,
}

impl<'a> Walk<'a> {
    fn follow(&mut self, site: &'a str) {
        let before = self.found.len();
        self.path.push(site);
        self.seen.insert(site);
        if let Some(known) = self.answers.sites.get(site) {
            self.hear(known);
        }
        if self.found.len() == before {
            self.found.extend(self.file.astray());
        }
        self.path.pop();
    }

    fn hear(&mut self, site: &'a Site) {
        let number = self.number;
        if let Some((_, limit)) = site.shut.filter(|(at, _)| *at <= number) {
            return self.found.push(self.most.shut_by(self.file, limit));
        }
        for said in site.answers.iter().filter(|said| said.number <= number) {
            self.steps += 1;
            if self.steps > self.most.answers {
                return self.found.push(self.most.shut_by(self.file, "robots_answers"));
            }
            match &said.what {
                What::Rules(id, _) if self.is_too_much(*id) => {
                    return self.found.push(self.most.shut_by(self.file, "robots_site_bytes"));
                }
                What::Rules(id, source) => self.found.push(self.shelf.get(*id).sourced(source.clone())),
                What::Unknown => (),
                What::Redirect(Some(target)) if self.may_go(target) => {
                    if !self.seen.contains(&**target) {
                        self.follow(target);
                    }
                }
                What::Redirect(_) => self.found.extend(self.file.astray()),
            }
        }
    }

    fn is_too_much(&mut self, id: Id) -> bool {
        self.bytes += self.shelf.held(id);
        self.bytes > self.most.bytes
    }

    fn may_go(&self, target: &str) -> bool {
        self.path.len() <= self.most.redirects && !self.path.contains(&target)
    }
}
