//! The documents that a page's pass consulted, besides the files of its site: RSL licences and
//! Names pages.
//!
//! They are found by functions of the filter, which all pages share. A pass runs on one thread, so
//! what was asked for between its beginning and its end was asked for its page. Only runs that keep
//! evidence watch this.

use std::cell::RefCell;

use heedful::Filter;
use heedful_index::decision::{NAMES, Originals, RSL, SiteFileRef};

thread_local! {
    /// The kinds and URLs of the documents that were asked for on this thread.
    static CONSULTED: RefCell<Vec<(&'static str, String)>> = const { RefCell::new(Vec::new()) };
}

/// A filter that notes what it is asked for, and keeps the licences that were fetched.
pub(super) fn watched(filter: Filter, originals: &Originals) -> Filter {
    let (before, originals) = (filter.clone(), originals.clone());
    let of_licences = before.clone();
    let filter = filter.licences(move |url| {
        note(RSL, url);
        let licence = of_licences.licence_at(url);
        if let Some(bytes) = licence.as_ref().and_then(|licence| licence.sent()) {
            originals.keep_at(url, bytes);
        }
        licence
    });
    if !before.has_names() {
        return filter;
    }
    filter.names(move |url| {
        note(NAMES, url);
        before.names_at(url)
    })
}

fn note(kind: &'static str, url: &str) {
    CONSULTED.with_borrow_mut(|asked| {
        if !asked
            .iter()
            .any(|(own, known)| *own == kind && known == url)
        {
            asked.push((kind, url.to_owned()));
        }
    });
}

/// Forgets what was asked for another page.
pub(super) fn begin() {
    CONSULTED.with_borrow_mut(Vec::clear);
}

/// Takes what was asked for since the beginning.
pub(super) fn take(originals: &Originals) -> Vec<SiteFileRef> {
    let asked = CONSULTED.take();
    let named = asked.into_iter().flat_map(|(kind, url)| {
        let digests = originals.digests(&url);
        let none = digests.is_empty().then_some(None);
        let all = digests.into_iter().map(Some).chain(none);
        all.map(move |digest| SiteFileRef::new(kind, &url, None, digest))
            .collect::<Vec<_>>()
    });
    named.collect()
}
