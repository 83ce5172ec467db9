//! What a feed of changes means for an index.

use std::collections::{BTreeSet, HashSet};

use crate::address::Key;
use crate::error::Result;
use crate::filter::Filter;
use crate::index::{Gone, Search, Writer};
use crate::policy::{Facet, Facets};

use super::change::Change;
use super::gate::AtTheGate;
use super::purged::{Dropped, Purged};
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
    let there: HashSet<String> = urls.iter().cloned().collect();
    let gone: HashSet<&String> = gone.iter().collect();
    let mut dropped = BTreeSet::new();
    for change in changes {
        let url = String::from(Key::of(&change.url));
        if !change.allowed.is_empty() && (gone.contains(&url) || there.contains(&url)) {
            found.allowed.push(url.clone());
        }
        let forbidden = change.forbids();
        if forbidden.is_empty() || !there.contains(&url) || dropped.contains(&url) {
            continue;
        }
        if change.fetched().zip(search.fetched(&url)?).is_some_and(|(said, fetched)| said < fetched) {
            found.outdated += 1;
        } else if forbidden.contains(Facet::Index) {
            let why = change.reason(Facet::Index).to_owned();
            found.dropped.push(Dropped { url: url.clone(), reason: Gone::Removed, why });
            dropped.insert(url);
        } else {
            forbid(url, forbidden, search, found)?;
        }
    }
    let is_dropped = |url: &String| dropped.contains(url);
    found.denied.retain(|(url, _)| !is_dropped(url));
    found.limited.retain(|url| !is_dropped(url));
    found.bare.retain(|url| !is_dropped(url));
    urls.retain(|url| !is_dropped(url));
    Ok(())
}

/// Notes what a page that stays may not be used for.
fn forbid(url: String, forbidden: Facets, search: &Search, found: &mut Purged) -> Result<()> {
    if forbidden.contains(Facet::Archive) && search.has_snapshot(&url)? {
        found.bare.push(url.clone());
    }
    if forbidden.iter().any(|facet| facet != Facet::Archive) {
        found.limited.push(url.clone());
    }
    found.denied.push((url, forbidden));
    Ok(())
}

/// Keeps in mind what is denied to pages, without a commit.
pub(super) fn deny(denied: &[(String, Facets)], writer: &mut Writer, filter: &Filter) -> Result<()> {
    for (url, facets) in denied {
        // The filter is for this page alone.
        let filter = filter.clone().deny(*facets, "/")?;
        writer.confirm(&unread(url, None, AtTheGate::default(), &filter)?, None)?;
    }
    Ok(())
}
