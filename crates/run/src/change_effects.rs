//! Decides the effect of a feed of changes on the pages of an index.
//!
//! A page whose indexing is denied is removed. A page whose archiving is denied loses its snapshot.
//! Denials of other uses are written to the index. A change has no effect if it is older than the
//! capture in the index, or if the index does not know its URL.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::SystemTime;

use url::Url;

use heedful::{Filter, Use, Uses};
use heedful_base::address::Key;
use heedful_base::error::Result;
use heedful_index::{Gone, Search, Writer};

use super::change::PurgeChange;
use super::gate::GateRules;
use super::purge_result::{Purged, RemovedPage};
use super::takedown::form;
use super::unread_pages::unread;

/// Sorts the changes of a feed by their effect on indexed pages, and adds the effects to `found`.
/// `urls` has the URLs of the indexed pages. If a page must be removed, its URL is deleted from
/// `urls`.
///
/// `gone` has the URLs of pages that were removed earlier. For these pages, only changes that allow
/// a use are reported. Each effect is stored once, even if the feed repeats a change.
pub(super) fn sort<'a>(
    changes: impl Iterator<Item = &'a PurgeChange>,
    gone: &[String],
    urls: &mut Vec<String>,
    search: &Search,
    found: &mut Purged,
) -> Result<()> {
    let mut changes = changes.peekable();
    if changes.peek().is_none() {
        return Ok(());
    }
    let pages = KnownPages::new(urls);
    let gone: HashSet<&String> = gone.iter().collect();
    let mut removed = BTreeSet::new();
    let mut allowed = BTreeSet::new();
    let mut denials = BTreeMap::new();
    let mut captures = HashMap::new();
    for change in changes {
        found.changes += 1;
        let url = page_of(change, &pages, search)?;
        let is_page = pages.urls.contains(&url);
        if change.allows && (is_page || gone.contains(&url)) {
            allowed.insert(url.clone());
        }
        if change.forbids.is_empty() || !is_page || removed.contains(&url) {
            continue;
        }
        if !captures.contains_key(&url) {
            captures.insert(url.clone(), search.captured(&url)?);
        }
        if let (Some(fetched), Some(captured)) = (change.fetched, captures[&url])
            && fetched < captured
        {
            found.outdated += 1;
        } else if change.forbids.contains(Use::Index) {
            let page = RemovedPage::new(url.clone(), Gone::Removed, &*change.why);
            found.removed_pages.push(RemovedPage {
                denied_at: change.fetched,
                ..page
            });
            removed.insert(url);
        } else {
            let denial = (change.forbids, change.fetched);
            add(denials.entry(url).or_default(), denial);
        }
    }
    urls.retain(|url| !removed.contains(url));
    found.allowed.extend(allowed);
    for (url, denials) in denials {
        if !removed.contains(&url) {
            add_denied_uses(&url, &denials, search, found)?;
        }
    }
    Ok(())
}

/// Denial in a feed: the denied uses, and the time at which the denied page was fetched. The time
/// is `None` if it is unknown.
type NewDenial = (Uses, Option<SystemTime>);

/// Adds a denial to a page's list of denials, unless a denial in the list includes the new one.
/// Removes the denials of the list that the new one includes. A denial with a time applies to all
/// captures before that time. A denial without a time applies until the page is indexed again.
fn add(denials: &mut Vec<NewDenial>, new: NewDenial) {
    if !denials.iter().any(|own| includes(own, &new)) {
        denials.retain(|own| !includes(&new, own));
        denials.push(new);
    }
}

/// True if the first denial includes the second. The first denial then denies all uses that the
/// second denies, for all captures (fetches) to which the second applies.
fn includes((all, late): &NewDenial, (some, early): &NewDenial) -> bool {
    some.without(*all).is_empty() && late.is_some() == early.is_some() && late >= early
}

/// Lookup table of the URLs of an index. The table also finds a URL that is percent-encoded in
/// another way than in the index, for example with `%7E` in place of `~`.
struct KnownPages {
    urls: HashSet<String>,
    /// URLs of the index that differ from their normalized form. The key is the normalized form of
    /// the URL.
    by_form: HashMap<Vec<u8>, String>,
}

impl KnownPages {
    fn new(urls: &[String]) -> Self {
        let mut by_form = HashMap::new();
        for url in urls {
            let form = form(url);
            if form != url.as_bytes() {
                by_form.insert(form, url.clone());
            }
        }
        Self {
            urls: urls.iter().cloned().collect(),
            by_form,
        }
    }

    /// Returns the URL in the index that is equivalent to `url`, or `None`.
    fn page(&self, url: &str) -> Option<&String> {
        if let Some(page) = self.urls.get(url) {
            return Some(page);
        }
        let form = form(url);
        if let Some(page) = self.by_form.get(&form) {
            return Some(page);
        }
        self.urls.get(str::from_utf8(&form).ok()?)
    }
}

/// Returns the URL under which the index stores the page of a change. If the index does not have
/// the page, returns the URL of the change.
///
/// The index may store the page under the URL of its folder. The change may then have the URL of
/// the page's file, such as `/index.html`.
fn page_of(change: &PurgeChange, pages: &KnownPages, search: &Search) -> Result<String> {
    let url = String::from(Key::parse(&change.url));
    if let Some(page) = pages.page(&url) {
        return Ok(page.clone());
    }
    if let Ok(parsed) = Url::parse(&url)
        && let Ok(folder) = parsed.join(".")
        && let Some(page) = pages.page(folder.as_str())
        && let Some(also) = search.also_at(page)?
        && form(&also) == form(&url)
    {
        return Ok(page.clone());
    }
    Ok(url)
}

/// Adds to `found` the uses that a feed now denies for a page that stays in the index.
fn add_denied_uses(
    url: &str,
    denials: &[NewDenial],
    search: &Search,
    found: &mut Purged,
) -> Result<()> {
    let mut forbidden = Uses::NONE;
    for (uses, _) in denials {
        forbidden = forbidden.union(*uses);
    }
    if forbidden.contains(Use::Archive) && search.has_snapshot(url)? {
        found.without_snapshot.push(url.to_owned());
    }
    if forbidden.iter().any(|usage| usage != Use::Archive) {
        found.restricted_pages.push(url.to_owned());
    }
    // An index ignores a denial that is older than one it has read, so the oldest comes first.
    let mut denials = denials.to_vec();
    denials.sort_by_key(|(_, time)| *time);
    for (uses, time) in denials {
        found.denied.push((url.to_owned(), uses, time));
    }
    Ok(())
}

/// Writes the denials `denied` to the index, without a commit. A denial has the URL of a page, the
/// denied uses, and the time at which the denied page was fetched.
pub(super) fn deny(
    denied: &[(String, Uses, Option<SystemTime>)],
    writer: &mut Writer,
    filter: &Filter,
) -> Result<()> {
    for (url, uses, at) in denied {
        // The pattern `/` denies the whole site, but this filter judges only this page.
        let filter = filter.clone().deny(*uses, "/")?;
        writer.confirm(&unread(url, None, GateRules::default(), &filter)?, *at)?;
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
