//! The documents that a page's pass consulted, besides the files of its site: RSL licences and
//! Names pages.
//!
//! They are found by functions of the filter, which all pages share. A pass runs on one thread, so
//! documents that were asked for between its beginning and its end were asked for its page. Only
//! runs that keep evidence watch this.

use std::cell::RefCell;

use heedful::Filter;
use heedful_index::decision::{NAMES, Originals, RSL, SiteFileRef};

thread_local! {
    /// The kinds and URLs of the documents that were asked for on this thread.
    static CONSULTED: RefCell<Vec<(&'static str, String)>> = const { RefCell::new(Vec::new()) };
}

/// A filter that notes the documents that it is asked for, and keeps the licences that were
/// fetched.
pub(super) fn watched(filter: Filter, originals: &Originals) -> Filter {
    let before = filter.clone();
    let originals = originals.clone();
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
        let is_known = |(own, known): &(&str, String)| *own == kind && known == url;
        if !asked.iter().any(is_known) {
            asked.push((kind, url.to_owned()));
        }
    });
}

/// Forgets the documents of another page.
pub(super) fn begin() {
    CONSULTED.with_borrow_mut(Vec::clear);
}

/// Takes the documents that were asked for since the beginning.
pub(super) fn take(originals: &Originals) -> Vec<SiteFileRef> {
    let mut documents = Vec::new();
    for (kind, url) in CONSULTED.take() {
        let digests = originals.digests(&url);
        if digests.is_empty() {
            documents.push(SiteFileRef::new(kind, &url, None, None));
        }
        for digest in digests {
            documents.push(SiteFileRef::new(kind, &url, None, Some(digest)));
        }
    }
    documents
}
