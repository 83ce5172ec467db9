//! What a feed of changes means for an index.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::SystemTime;

use url::Url;

use heedful::{Filter, Use, Uses};
use heedful_base::address::Key;
use heedful_base::error::Result;
use heedful_index::{Gone, Search, Writer};

use super::change::KeptPage;
use super::gate::AtTheGate;
use super::purged::{Dropped, Purged};
use super::takedown::form;
use super::unread::unread;

/// Sorts changes by what becomes of their pages. `gone` are the URLs that are known and not there,
/// `urls` the pages; those that stay are left in it. A feed may say the same a million times: what
/// is kept grows with the index and not with it.
pub(super) fn sort<'a>(
    changes: impl Iterator<Item = &'a KeptPage>,
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
    let (mut dropped, mut allowed) = (BTreeSet::new(), BTreeSet::new());
    let (mut denials, mut fetched) = (BTreeMap::new(), HashMap::new());
    for change in changes {
        found.changes += 1;
        let url = page_of(change, &there, search)?;
        if change.allows && (gone.contains(&url) || there.0.contains(&url)) {
            allowed.insert(url.clone());
        }
        let (forbidden, at) = (change.forbids, change.fetched);
        if forbidden.is_empty() || !there.0.contains(&url) || dropped.contains(&url) {
            continue;
        }
        if !fetched.contains_key(&url) {
            fetched.insert(url.clone(), search.captured(&url)?);
        }
        if at
            .zip(fetched[&url])
            .is_some_and(|(said, fetched)| said < fetched)
        {
            found.outdated += 1;
        } else if forbidden.contains(Use::Index) {
            let dropping = Dropped::new(url.clone(), Gone::Removed, &*change.why);
            found.dropped.push(Dropped {
                found: at,
                ..dropping
            });
            dropped.insert(url);
        } else {
            add(denials.entry(url).or_default(), (forbidden, at));
        }
    }
    urls.retain(|url| !dropped.contains(url));
    found.allowed.extend(allowed);
    let denials = denials
        .into_iter()
        .filter(|(url, _)| !dropped.contains(url));
    denials
        .into_iter()
        .try_for_each(|(url, denials)| forbid(&url, &denials, search, found))
}

/// What is denied, and since when.
type NewDenial = (Uses, Option<SystemTime>);

/// Adds a denial, unless another one says as much; those that it says too go. A denial holds
/// against all captures before it, one without a time until the page is indexed again.
fn add(denials: &mut Vec<NewDenial>, (uses, at): NewDenial) {
    let says = |(all, late): &NewDenial, (some, early): &NewDenial| {
        some.without(*all).is_empty() && late.is_some() == early.is_some() && late >= early
    };
    let new = (uses, at);
    if !denials.iter().any(|own| says(own, &new)) {
        denials.retain(|own| !says(&new, own));
        denials.push(new);
    }
}

/// The pages of an index, and those whose URLs can be written in another way, by the form of all
/// these ways.
struct There(HashSet<String>, HashMap<Vec<u8>, String>);

impl There {
    fn of(urls: &[String]) -> Self {
        let others = urls
            .iter()
            .map(|url| (form(url), url))
            .filter(|(form, url)| form != url.as_bytes());
        Self(
            urls.iter().cloned().collect(),
            others.map(|(form, url)| (form, url.clone())).collect(),
        )
    }

    /// The page with this URL, however it is written.
    fn page(&self, url: &str) -> Option<String> {
        let form = form(url);
        let plain = || self.0.get(str::from_utf8(&form).ok()?);
        self.0
            .get(url)
            .or_else(|| self.1.get(&form))
            .or_else(plain)
            .cloned()
    }
}

/// The URL of the page that a change is about. A page at the URL of its folder has that of its file
/// too.
fn page_of(change: &KeptPage, there: &There, search: &Search) -> Result<String> {
    let url = String::from(Key::of(&change.url));
    if let Some(page) = there.page(&url) {
        return Ok(page);
    }
    let folder = Url::parse(&url).ok().and_then(|url| url.join(".").ok());
    match folder.and_then(|folder| there.page(folder.as_str())) {
        Some(folder)
            if search
                .also_at(&folder)?
                .is_some_and(|also| form(&also) == form(&url)) =>
        {
            Ok(folder)
        }
        _ => Ok(url),
    }
}

/// Notes what a page that stays may not be used for.
fn forbid(url: &str, denials: &[NewDenial], search: &Search, found: &mut Purged) -> Result<()> {
    let forbidden = denials
        .iter()
        .fold(Uses::NONE, |all, (uses, _)| all.union(*uses));
    if forbidden.contains(Use::Archive) && search.has_snapshot(url)? {
        found.bare.push(url.to_owned());
    }
    if forbidden.iter().any(|usage| usage != Use::Archive) {
        found.limited.push(url.to_owned());
    }
    // In the order of their times: an index passes over what is older than what it has heard.
    let mut denials = denials.to_vec();
    denials.sort_by_key(|(_, at)| *at);
    found.denied.extend(
        denials
            .into_iter()
            .map(|(uses, at)| (url.to_owned(), uses, at)),
    );
    Ok(())
}

/// Keeps in mind what is denied to pages, with the time from which on, without a commit.
pub(super) fn deny(
    denied: &[(String, Uses, Option<SystemTime>)],
    writer: &mut Writer,
    filter: &Filter,
) -> Result<()> {
    for (url, uses, at) in denied {
        // The filter is for this page alone.
        let filter = filter.clone().deny(*uses, "/")?;
        writer.confirm(&unread(url, None, AtTheGate::default(), &filter)?, *at)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_denial_that_says_nothing_new_is_not_kept() {
        let uses = |names: &str| Uses::parse_names(names).unwrap();
        let at = |second| Some(SystemTime::UNIX_EPOCH + Duration::from_secs(second));
        let (train, input, both) = (uses("train"), uses("input"), uses("train,input"));
        let mut denials = Vec::new();
        for denial in [
            (train, at(5)),
            (input, at(9)),
            (train, at(3)),
            (train, at(7)),
            (train, None),
            (train, None),
        ] {
            add(&mut denials, denial);
        }
        assert_eq!(denials, [(input, at(9)), (train, at(7)), (train, None)]);
        add(&mut denials, (both, at(8)));
        assert_eq!(denials, [(input, at(9)), (train, None), (both, at(8))]);
    }
}
