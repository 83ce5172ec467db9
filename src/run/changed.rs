//! What a feed of changes means for an index.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::SystemTime;

use url::Url;

use crate::address::Key;
use crate::error::Result;
use crate::filter::Filter;
use crate::index::{Gone, Search, Writer};
use crate::policy::{Facet, Facets};

use super::change::Change;
use super::gate::AtTheGate;
use super::purged::{Dropped, Purged};
use super::takedown::form;
use super::unread::unread;

/// Sorts changes by what becomes of their pages. `gone` are the URLs that are known and not there, `urls` the pages; those
/// that stay are left in it.
pub(super) fn sort<'a>(
    changes: impl Iterator<Item = &'a Change>,
    (gone, urls): (&[String], &mut Vec<String>),
    search: &Search,
    found: &mut Purged,
) -> Result<()> {
    let mut changes = changes.peekable();
    if changes.peek().is_none() {
        return Ok(());
    }
    let there = There::of(urls);
    let gone: HashSet<&String> = gone.iter().collect();
    let mut dropped = BTreeSet::new();
    for change in changes {
        found.changes += 1;
        let url = page_of(change, &there, search)?;
        if !change.allowed.is_empty() && (gone.contains(&url) || there.0.contains(&url)) {
            found.allowed.push(url.clone());
        }
        let (forbidden, at) = (change.forbids(), change.fetched());
        if forbidden.is_empty() || !there.0.contains(&url) || dropped.contains(&url) {
            continue;
        }
        if at.zip(search.fetched(&url)?).is_some_and(|(said, fetched)| said < fetched) {
            found.outdated += 1;
        } else if forbidden.contains(Facet::Index) {
            let why = change.reason(Facet::Index);
            found.dropped.push(Dropped { found: at, ..Dropped::new(url.clone(), Gone::Removed, why) });
            dropped.insert(url);
        } else {
            forbid(url, (forbidden, at), search, found)?;
        }
    }
    urls.retain(|url| !dropped.contains(url));
    Ok(())
}

/// The pages of an index, and those whose URLs can be written in another way, by the form of all these ways.
struct There(HashSet<String>, HashMap<Vec<u8>, String>);

impl There {
    fn of(urls: &[String]) -> Self {
        let others = urls.iter().map(|url| (form(url), url)).filter(|(form, url)| form != url.as_bytes());
        Self(urls.iter().cloned().collect(), others.map(|(form, url)| (form, url.clone())).collect())
    }

    /// The page with this URL, however it is written.
    fn page(&self, url: &str) -> Option<String> {
        let form = form(url);
        let plain = || self.0.get(str::from_utf8(&form).ok()?);
        self.0.get(url).or_else(|| self.1.get(&form)).or_else(plain).cloned()
    }
}

/// The URL of the page that a change is about. A page at the URL of its folder has that of its file too.
fn page_of(change: &Change, there: &There, search: &Search) -> Result<String> {
    let url = String::from(Key::of(&change.url));
    if let Some(page) = there.page(&url) {
        return Ok(page);
    }
    let folder = Url::parse(&url).ok().and_then(|url| url.join(".").ok());
    match folder.and_then(|folder| there.page(folder.as_str())) {
        Some(folder) if search.also_at(&folder)?.is_some_and(|also| form(&also) == form(&url)) => Ok(folder),
        _ => Ok(url),
    }
}

/// Notes what a page that stays may not be used for.
fn forbid(
    url: String,
    (forbidden, at): (Facets, Option<SystemTime>),
    search: &Search,
    found: &mut Purged,
) -> Result<()> {
    if forbidden.contains(Facet::Archive) && search.has_snapshot(&url)? {
        found.bare.push(url.clone());
    }
    if forbidden.iter().any(|facet| facet != Facet::Archive) {
        found.limited.push(url.clone());
    }
    found.denied.push((url, forbidden, at));
    Ok(())
}

/// Keeps in mind what is denied to pages, with the time from which on, without a commit.
pub(super) fn deny(
    denied: &[(String, Facets, Option<SystemTime>)],
    writer: &mut Writer,
    filter: &Filter,
) -> Result<()> {
    for (url, facets, at) in denied {
        // The filter is for this page alone.
        let filter = filter.clone().deny(*facets, "/")?;
        writer.confirm(&unread(url, None, AtTheGate::default(), &filter)?, *at)?;
    }
    Ok(())
}
