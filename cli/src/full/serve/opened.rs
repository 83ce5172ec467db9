//! The index that `heedful serve` searches. Opens its last commit, and finds the origin from which
//! browsers get the copies of its pages.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use axum::http::HeaderMap;
use axum::http::header::HOST;
use heedful::{Result, Url};
use heedful_index::{Index, Search, Stats, Terms};

use crate::args::ServeArgs;

/// The index that `heedful serve` searches, in the folder `folder`. `view` shows the last commit of
/// the index. `copies_port` and `copies_url` are the port and the URL for copies of indexed pages.
pub(super) struct ServedIndex {
    pub(super) folder: PathBuf,
    view: Mutex<Arc<View>>,
    copies_port: OnceLock<u16>,
    copies_url: Option<Url>,
}

/// A view of one commit of the index that `heedful serve` searches.
pub(super) struct View {
    pub(super) search: Search,
    pub(super) terms: Terms,
    index: Index,
    facts: OnceLock<Stats>,
    languages: OnceLock<Vec<(String, u64)>>,
}

impl std::fmt::Debug for ServedIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Opened")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

impl ServedIndex {
    /// Opens the index of `heedful serve INDEX`. Returns None if the arguments name no index.
    pub(super) fn open(args: &ServeArgs) -> Result<Option<Self>> {
        let Some(folder) = args.index.clone() else {
            return Ok(None);
        };
        let view = Mutex::new(Arc::new(View::new(Index::open(&folder)?)?));
        Ok(Some(Self {
            folder,
            view,
            copies_port: OnceLock::new(),
            copies_url: args.copies_url.clone(),
        }))
    }

    /// Returns a view of the index's last commit. Opens the index again if there is a new commit,
    /// or if the folder now contains another index.
    pub(super) fn view(&self) -> Result<Arc<View>> {
        let mut view = self.view.lock().unwrap_or_else(PoisonError::into_inner);
        if !view.search.is_current().unwrap_or(false) {
            *view = Arc::new(View::new(Index::open(&self.folder)?)?);
        }
        Ok(Arc::clone(&view))
    }

    pub(super) fn serve_copies_on(&self, port: u16) {
        let _ = self.copies_port.set(port);
    }

    pub(super) fn copies_port(&self) -> Option<u16> {
        self.copies_port.get().copied()
    }

    /// Returns the origin from which a browser gets the copies of pages. By default, it consists of
    /// the host in the request's header `Host` and the port for copies.
    pub(super) fn copies(&self, headers: &HeaderMap) -> Option<String> {
        if let Some(url) = &self.copies_url {
            return Some(url.as_str().trim_end_matches('/').to_owned());
        }
        let host = headers.get(HOST)?.to_str().ok()?;
        let mut origin = Url::parse(&format!("http://{host}/")).ok()?;
        origin.set_port(Some(self.copies_port()?)).ok()?;
        Some(origin.origin().ascii_serialization())
    }
}

impl View {
    fn new(index: Index) -> Result<Self> {
        Ok(Self {
            search: index.search()?,
            terms: index.terms()?,
            index,
            facts: OnceLock::new(),
            languages: OnceLock::new(),
        })
    }

    /// Returns the totals of the index. They are computed only once for each commit.
    pub(super) fn facts(&self) -> Result<&Stats> {
        if let Some(facts) = self.facts.get() {
            return Ok(facts);
        }
        let facts = self.index.stats()?;
        Ok(self.facts.get_or_init(|| facts))
    }

    /// Returns the languages of the indexed pages, each with the number of its pages. They are
    /// counted only once for each commit.
    pub(super) fn languages(&self) -> Result<&[(String, u64)]> {
        if let Some(languages) = self.languages.get() {
            return Ok(languages);
        }
        let languages = self.search.languages()?;
        Ok(self.languages.get_or_init(|| languages))
    }

    /// Returns the name of the bot for which the pages of the index were judged.
    pub(super) fn bot(&self) -> Result<String> {
        Ok(self.terms.bot()?.name().to_owned())
    }
}
