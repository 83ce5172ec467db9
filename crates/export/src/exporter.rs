//! Turns a page into the entry that an engine takes.

use std::time::SystemTime;

use heedful::{Page, Use, Uses};
use heedful_base::address::Key;
use heedful_base::error::{Error, Result};

use super::capture::Capture;
use super::document::Document;
use super::engine::Engine;
use super::entry::ExportEntry;
use super::id::DocumentId;
use super::{ciff, elastic, quickwit, solr, sphinx, table, wet};

/// Makes entries for an engine.
///
/// ```
/// use std::time::SystemTime;
///
/// use heedful_export::{Capture, Engine, Exporter};
/// use heedful::{Bot, Filter};
///
/// let exporter = Exporter::new(Engine::Elasticsearch, SystemTime::now()).name("pages")?;
/// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], b"<p>one <!--noindex-->two<!--/noindex-->")?;
/// let entry = exporter.page(&page, &Capture::default())?.expect("a page that may be indexed");
/// let message = String::from_utf8(entry.message().into_owned())?;
/// assert!(message.contains("one") && !message.contains("two"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Exporter {
    engine: Engine,
    name: String,
    needs: Uses,
    now: SystemTime,
}

impl Exporter {
    /// Makes an exporter for an index that is called `heedful`. `now` is the time of the export.
    pub fn new(engine: Engine, now: SystemTime) -> Self {
        Self {
            engine,
            name: "heedful".to_owned(),
            needs: Uses::NONE,
            now,
        }
    }

    /// Sets the name of the index. The rules for names are those that all engines share; Sphinx and
    /// Manticore take no hyphen.
    ///
    /// # Errors
    /// Fails if no engine would take it, or the engine's files name no index.
    pub fn name(mut self, name: &str) -> Result<Self> {
        let is_plain =
            |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
        if !self.engine.has_names() {
            return Err(Error::setting(format!(
                "the files for {} name no index",
                self.engine.name()
            )));
        }
        if !(3..=200).contains(&name.len())
            || !name.starts_with(|c: char| c.is_ascii_lowercase())
            || !name.chars().all(is_plain)
        {
            return Err(Error::setting(format!(
                "`{name}` is no name for an index: 3 to 200 of a-z, 0-9, - and _, beginning with a letter"
            )));
        }
        if self.engine == Engine::Manticore && name.contains('-') {
            return Err(Error::setting(format!(
                "`{name}` is no name for a table of Manticore or Sphinx: no - in it"
            )));
        }
        name.clone_into(&mut self.name);
        Ok(self)
    }

    /// Keeps only pages that allow all of these uses, as a whole and in every part of the text.
    /// The others are deleted.
    pub fn needs(mut self, uses: Uses) -> Self {
        self.needs = uses;
        self
    }

    /// The engine that the entries are for.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// The entry of a page: its document, or a deletion if it may not be there. Returns None if its
    /// URL is too long.
    ///
    /// # Errors
    /// Fails if it cannot be written down.
    pub fn page(&self, page: &Page, capture: &Capture<'_>) -> Result<Option<ExportEntry>> {
        let needs = std::iter::once(Use::Index).chain(self.needs.iter());
        if !needs.into_iter().all(|usage| page.allows_throughout(usage)) {
            return Ok(self.deletion(&page.key(), capture.captured));
        }
        let key = page.key();
        let Some(id) = DocumentId::from_key(&key) else {
            return Ok(None);
        };
        let document = || Document::from_page(page, &key);
        let body = match self.engine {
            Engine::Elasticsearch | Engine::OpenSearch => {
                elastic::document(&self.name, id, &document())
            }
            Engine::Solr => solr::document(id, document()),
            Engine::Quickwit => quickwit::document(id, document(), self.now),
            Engine::Manticore => sphinx::document(
                &self.name,
                id,
                &document(),
                page.policy().unavailable_after(),
            ),
            Engine::Ciff => ciff::document(key.as_str(), page),
            Engine::Parquet => table::document(id, key.as_str(), page, capture),
            Engine::Wet => wet::document(key.as_str(), page, capture, self.now)?,
        };
        Ok(Some(ExportEntry::document(
            self.engine,
            id,
            body,
            capture.captured,
        )))
    }

    /// The entry of a page that is unchanged. `page` is what its headers make of a page without
    /// bytes. If they deny anything, it is a deletion, because nobody knows whether they did
    /// before. Otherwise it is None.
    pub fn unchanged(&self, page: &Page, capture: &Capture<'_>) -> Option<ExportEntry> {
        let policy = page.policy();
        let may_stay = Use::ALL.into_iter().all(|usage| policy.allows(usage))
            && policy.max_snippet().is_none()
            && policy.unavailable_after().is_none();
        if may_stay {
            None
        } else {
            self.deletion(&page.key(), capture.captured)
        }
    }

    /// The entry of a URL that is no page any more, found at this time. Returns None if the URL is
    /// too long: it was never there.
    pub fn gone(&self, url: &str, captured: Option<SystemTime>) -> Option<ExportEntry> {
        self.deletion(&Key::parse(url), captured)
    }

    fn deletion(&self, key: &Key<'_>, captured: Option<SystemTime>) -> Option<ExportEntry> {
        let id = DocumentId::from_key(key)?;
        let body = match self.engine {
            Engine::Elasticsearch | Engine::OpenSearch => elastic::deletion(&self.name, id),
            Engine::Manticore => sphinx::deletion(&self.name, id),
            Engine::Parquet => table::deletion(id, captured),
            _ => Vec::new(),
        };
        Some(ExportEntry::deletion(self.engine, id, body, captured))
    }

    /// The bytes before a stream of entries, and before each file of them.
    ///
    /// # Errors
    /// Fails if it cannot be written down, or the feature that the engine needs was not built.
    pub fn opening(&self) -> Result<Vec<u8>> {
        self.engine.check_built()?;
        if self.engine == Engine::Wet {
            wet::opening(self.now)
        } else {
            Ok(Vec::new())
        }
    }

    /// The files that the engine must load first: their names and contents.
    pub fn schema(&self) -> Vec<(&'static str, String)> {
        match self.engine {
            Engine::Elasticsearch | Engine::OpenSearch => {
                vec![("mapping.json", elastic::mapping())]
            }
            Engine::Solr => vec![("schema.json", solr::schema())],
            Engine::Quickwit => vec![("index.yaml", quickwit::config(&self.name))],
            Engine::Manticore => {
                vec![
                    ("create.sql", sphinx::table(&self.name)),
                    ("sphinx.conf", sphinx::configuration(&self.name)),
                ]
            }
            Engine::Ciff | Engine::Parquet | Engine::Wet => Vec::new(),
        }
    }

    /// The deletions that are not among the documents: names and contents of files. The URLs
    /// in `gone` are deleted, those in `there` have a document.
    pub(super) fn deletions(
        &self,
        gone: &[DocumentId],
        there: &[DocumentId],
    ) -> Vec<(String, String)> {
        match self.engine {
            Engine::Solr => solr::deletions(gone),
            Engine::Quickwit => quickwit::deletions(gone, there, self.now),
            _ => Vec::new(),
        }
    }
}
