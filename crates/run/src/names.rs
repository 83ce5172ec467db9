//! Collects the Names pages of the Robot Exclusion Profile among the inputs (docs/semantics.md,
//! section 4.3). These pages define names of robots.
//!
//! Names pages are collected from all inputs before the first of them is looked up, so the order of
//! pages and the number of threads change nothing. Inputs that need not be read for their
//! robots.txt files are read only at that first look-up, since hardly any page refers to a Names
//! page. Only a page that refers to another one shows that the other is a Names page, and it may
//! follow later. So every page that defines names of robots is collected. If a Names page has
//! several captures, the names in all of them are defined. A Names page is unavailable if its input
//! cannot be read twice, or if there are more than [`MOST`] Names pages. The pages that refer to an
//! unavailable one are judged more strictly.

use std::collections::HashMap;
use std::sync::LazyLock;

use url::Url;

use heedful::internals::charset::Charset;
use heedful::{Filter, ProfileNames};
use heedful_base::address::Key;
use heedful_index::decision::Originals;
use heedful_input::{FetchedPage, Input, Item, SpelledWord};

/// Names of robots that pages define. A key is the URL of the page that defines them.
#[derive(Clone, Debug, Default)]
pub struct NamesPages(HashMap<Key<'static>, Option<ProfileNames>>);

/// Maximum number of Names pages whose names are stored.
const MOST: usize = 100_000;
/// Byte string that every Names page contains. A page without it is not parsed for names.
pub(super) const WORD: SpelledWord = SpelledWord(b"robotexclusion.robotname", 6);

impl NamesPages {
    /// Adds the names of robots that a page defines. Also stores the page in `originals`, if given.
    pub(super) fn add(&mut self, document: &FetchedPage, originals: Option<&Originals>) {
        if !WORD.is_in(document.bytes()) {
            return;
        }
        let url = Url::parse(document.url()).ok();
        for url in url.iter().chain(document.file_url()) {
            let key = Key::of_url(url);
            if let Some(originals) = originals {
                originals.keep_at(key.as_str(), document.bytes());
            }
            self.add_at(key, document);
        }
    }

    fn add_all(&mut self, inputs: &[Input]) {
        for input in inputs {
            // The run reports an input that cannot be read. Its Names pages are unavailable.
            for (item, _) in input.survey().into_iter().flatten() {
                if let Item::Document(document) = item {
                    self.add(&document, None);
                }
            }
        }
    }

    fn add_at(&mut self, key: Key<'_>, document: &FetchedPage) {
        if self.0.len() >= MOST && !self.0.contains_key(key.as_str()) {
            return;
        }
        // If one capture cannot be read, the names of the other captures may be incomplete.
        let charset = Charset::from_headers(document.headers(), document.is_decoded());
        let names = ProfileNames::decoded(document.bytes(), charset).ok();
        let all = match self.0.remove(key.as_str()) {
            Some(before) => before.zip(names).map(|(before, names)| before.and(&names)),
            None => names,
        };
        self.0.insert(key.into_owned(), all);
    }

    /// Returns a copy of `filter` that also knows these Names pages. A Names page defines names of
    /// robots.
    pub fn known_to(self, filter: Filter) -> Filter {
        self.known_with(Vec::new(), filter)
    }

    /// Returns a copy of `filter` that also knows these Names pages and the Names pages in the
    /// inputs `later`. A Names page defines names of robots. The inputs `later` are read when the
    /// filter looks up a Names page for the first time.
    pub(super) fn known_with(mut self, later: Vec<Input>, filter: Filter) -> Filter {
        if self.0.is_empty() && later.is_empty() {
            return filter;
        }
        let before = filter.clone();
        let names = LazyLock::new(move || {
            self.add_all(&later);
            self
        });
        filter.names(move |url| {
            let found = names.0.get(url).and_then(Option::as_ref);
            match (before.names_at(url), found) {
                (Some(names), Some(found)) => Some(names.and(found)),
                (names, found) => names.or_else(|| found.cloned()),
            }
        })
    }
}

/// Yields the URL of each Names page, and the names that it defines. The names are `None` for a
/// page that could not be parsed.
impl IntoIterator for NamesPages {
    type Item = (String, Option<ProfileNames>);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        let pages: Vec<_> = self
            .0
            .into_iter()
            .map(|(key, names)| (key.into(), names))
            .collect();
        pages.into_iter()
    }
}
