//! Records the RSL licences and Names pages (pages that list names of bots) that a page's filter
//! pass requests. Requests for robots.txt and tdmrep.json are not recorded here.
//!
//! The filter requests RSL licences and Names pages through callbacks that all pages share. A pass
//! runs on one thread. So a document that is requested on a thread between [`begin`] and [`take`]
//! belongs to the page of that pass. Only runs that keep evidence record these documents.

use std::cell::RefCell;

use heedful::Filter;
use heedful_index::decision::{NAMES, Originals, RSL, SiteFileRef};

thread_local! {
    /// RSL licences and Names pages (pages that list names of bots) that this thread has requested
    /// since [`begin`]. Each item has the kind of the document and its URL.
    static CONSULTED: RefCell<Vec<(&'static str, String)>> = const { RefCell::new(Vec::new()) };
}

/// Returns `filter` with callbacks that record each requested RSL licence and Names page. A Names
/// page lists names of bots. The callbacks also store the bytes of fetched licences in `originals`.
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

/// Clears the list of documents that this thread has recorded. Must be called before a page is
/// judged.
pub(super) fn begin() {
    CONSULTED.with_borrow_mut(Vec::clear);
}

/// Returns references to the documents that were requested on this thread since [`begin`]. If the
/// digest of a document is known, its reference has the digest. Also clears the list of documents.
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
