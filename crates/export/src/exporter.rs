//! Converts a page into the entry of an export, in the form that the engine accepts.

use std::time::SystemTime;

use heedful::{Page, Use, Uses};
use heedful_base::address::Key;
use heedful_base::error::{Error, Result};

use super::capture::Capture;
use super::document::Document;
use super::engine::Engine;
use super::entry::ExportEntry;
use super::id::DocumentId;
use super::table::TableKind;
use super::{ciff, elastic, quickwit, solr, sphinx, table, wet};

/// Converts pages to the entries of an export for one engine.
///
/// ```
/// use std::time::SystemTime;
///
/// use heedful_export::{Capture, Engine, Exporter};
/// use heedful::{Bot, Filter};
///
/// let exporter = Exporter::new(Engine::Elasticsearch, SystemTime::now()).name("pages")?;
/// let html = b"<p>one <!--noindex-->two<!--/noindex-->";
/// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
/// let entry = exporter.page(&page, &Capture::default())?.expect("a page that may be indexed");
/// let message = String::from_utf8(entry.message().into_owned())?;
/// assert!(message.contains("one") && !message.contains("two"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Exporter {
    engine: Engine,
    /// Name of the index in the engine, which the files of the export mention.
    name: String,
    /// Uses that a page must allow, in addition to `index`. Pages that deny one of them are not
    /// exported.
    needs: Uses,
    /// True if the Parquet table of pages has a column with the blocks of each page.
    has_blocks: bool,
    /// Time at which the export is made.
    now: SystemTime,
}

impl Exporter {
    /// Creates an exporter for `engine`. `now` is the time at which the export is made. The index
    /// in the engine is named `heedful` unless [`Exporter::name`] is called.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use heedful_export::{Engine, Exporter};
    ///
    /// let exporter = Exporter::new(Engine::Manticore, SystemTime::now());
    /// let (_, sql) = &exporter.schema()[0];
    /// assert!(sql.starts_with("CREATE TABLE heedful "));
    /// ```
    pub fn new(engine: Engine, now: SystemTime) -> Self {
        Self {
            engine,
            name: "heedful".to_owned(),
            needs: Uses::NONE,
            has_blocks: false,
            now,
        }
    }

    /// Sets the name of the index in the engine. A name has 3 to 200 characters, and begins with a
    /// letter. The characters `a-z`, `0-9`, `-` and `_` are allowed. Sphinx and Manticore do not
    /// allow `-`.
    ///
    /// # Errors
    /// A setting error if the name is invalid. Also a setting error if the file format for the
    /// engine has no place for an index name ([`Engine::has_names`]).
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use heedful_export::{Engine, Exporter};
    ///
    /// let now = SystemTime::UNIX_EPOCH;
    /// assert!(Exporter::new(Engine::Elasticsearch, now).name("bread-2026").is_ok());
    /// assert!(Exporter::new(Engine::Manticore, now).name("bread-2026").is_err());
    /// assert!(Exporter::new(Engine::Wet, now).name("bread").is_err());
    /// ```
    pub fn name(mut self, name: &str) -> Result<Self> {
        check_name(self.engine, name)?;
        name.clone_into(&mut self.name);
        Ok(self)
    }

    /// Sets the uses that an exported page must allow, in addition to `index`. A page is not
    /// exported if one of these uses is denied for the page or for a part of its text. In this case
    /// the page's entry is a deletion.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use heedful::{Bot, Filter, Uses};
    /// use heedful_export::{Capture, Engine, Exporter};
    ///
    /// let html = b"<meta name=robots content=noarchive><p>Dark rye";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// let exporter = Exporter::new(Engine::Solr, SystemTime::UNIX_EPOCH);
    /// let strict = exporter.clone().needs(Uses::parse_names("archive")?);
    ///
    /// assert!(!exporter.page(&page, &Capture::default())?.unwrap().is_deletion());
    /// assert!(strict.page(&page, &Capture::default())?.unwrap().is_deletion());
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn needs(mut self, uses: Uses) -> Self {
        self.needs = uses;
        self
    }

    /// Adds a column `blocks` to the Parquet table of pages. Blocks are the paragraphs, headings,
    /// list items and table cells of a page.
    ///
    /// # Errors
    /// A setting error if the engine is not [`Engine::Parquet`]. Files for other engines have no
    /// blocks.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use heedful_export::{Engine, Exporter};
    ///
    /// let exporter = |engine| Exporter::new(engine, SystemTime::UNIX_EPOCH).blocks();
    /// assert!(exporter(Engine::Solr).is_err());
    /// assert!(exporter(Engine::Parquet).is_ok());
    /// ```
    pub fn blocks(mut self) -> Result<Self> {
        if self.engine != Engine::Parquet {
            return Err(Error::setting(format!(
                "the files for {} have no blocks; tables have: {}",
                self.engine,
                Engine::Parquet
            )));
        }
        self.has_blocks = true;
        Ok(self)
    }

    /// Returns the two Parquet tables of this export: the table of pages, then the table of deleted
    /// URLs.
    pub(super) fn tables(&self) -> [TableKind; 2] {
        let has_blocks = self.has_blocks;
        [TableKind::Pages { has_blocks }, TableKind::Gone]
    }

    /// Returns the engine for which this exporter makes entries.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// Returns the export entry of a page. If the page allows `index` and all other needed uses
    /// ([`Exporter::needs`]), the entry is a document. Otherwise the entry is a deletion. Returns
    /// `None` if the page's URL is too long for any index.
    ///
    /// # Errors
    /// An I/O error if a WET record cannot be compressed.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use heedful::{Bot, Filter};
    /// use heedful_export::{Capture, Engine, Exporter};
    ///
    /// let html = b"<meta name=robots content=noindex><p>Dark rye";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// let exporter = Exporter::new(Engine::Elasticsearch, SystemTime::UNIX_EPOCH);
    ///
    /// // The engine must forget what an earlier export may have loaded.
    /// let entry = exporter.page(&page, &Capture::default())?.unwrap();
    /// assert!(entry.is_deletion());
    /// # Ok::<(), heedful::Error>(())
    /// ```
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
            Engine::Parquet => table::document(id, key.as_str(), page, capture, self.has_blocks),
            Engine::Wet => wet::document(key.as_str(), page, capture, self.now)?,
        };
        Ok(Some(ExportEntry::document(
            self.engine,
            id,
            body,
            capture.captured,
        )))
    }

    /// Returns the entry for a page whose response had the status 304 (not modified). `page` is the
    /// result of filtering the headers of this response with an empty body. If the headers deny a
    /// use or state a limit, the entry is a deletion. The reason is that the exported document may
    /// not respect these headers. Returns `None` if the headers state no denial and no limit.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use heedful::{Bot, Filter};
    /// use heedful_export::{Capture, Engine, Exporter};
    ///
    /// let exporter = Exporter::new(Engine::Elasticsearch, SystemTime::UNIX_EPOCH);
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let same = filter.page("https://example.com/", &[], b"")?;
    /// let denied = filter.page("https://example.com/", &[("X-Robots-Tag", "noindex")], b"")?;
    ///
    /// assert!(exporter.unchanged(&same, &Capture::default()).is_none());
    /// assert!(exporter.unchanged(&denied, &Capture::default()).unwrap().is_deletion());
    /// # Ok::<(), heedful::Error>(())
    /// ```
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

    /// Returns a deletion for `url`, which was no longer a page at the time `captured`. If the URL
    /// is too long for any index, no export contains it. In this case the function returns `None`.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use heedful_export::{Engine, Exporter};
    ///
    /// let exporter = Exporter::new(Engine::Solr, SystemTime::UNIX_EPOCH);
    /// let entry = exporter.removed_url("https://example.com/rye", None).unwrap();
    /// assert!(entry.message().starts_with(b"{\"delete\":"));
    /// ```
    pub fn removed_url(&self, url: &str, captured: Option<SystemTime>) -> Option<ExportEntry> {
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

    /// Returns the bytes that must precede the first entry of a stream or file. For WET, the bytes
    /// are a `warcinfo` record. For any other engine, the result is empty.
    ///
    /// # Errors
    /// An I/O error if the `warcinfo` record cannot be compressed.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use heedful_export::{Engine, Exporter};
    ///
    /// let opening = |engine| Exporter::new(engine, SystemTime::UNIX_EPOCH).opening();
    /// assert!(opening(Engine::Solr)?.is_empty());
    /// // A gzip member.
    /// assert!(opening(Engine::Wet)?.starts_with(&[0x1F, 0x8B]));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn opening(&self) -> Result<Vec<u8>> {
        if self.engine == Engine::Wet {
            wet::opening(self.now)
        } else {
            Ok(Vec::new())
        }
    }

    /// Returns the schema files that the engine must load before the entries. Each element has the
    /// name and the content of a file. The list is empty for CIFF, Parquet and WET.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use heedful_export::{Engine, Exporter};
    ///
    /// let schema = Exporter::new(Engine::Elasticsearch, SystemTime::UNIX_EPOCH).schema();
    /// let (name, mapping) = &schema[0];
    /// assert_eq!(*name, "mapping.json");
    /// // The engine does not store text that may only be searched.
    /// assert!(mapping.contains("excludes"));
    /// ```
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

    /// Returns the separate files with deletions. Each element has the name and the content of a
    /// file. Only Solr and Quickwit have separate files. For any other engine, the list is empty.
    ///
    /// `gone` has the identifiers of the deleted URLs. `there` has the identifiers of the URLs that
    /// have a document in the export. It is used only for Quickwit, where a new document does not
    /// replace the older one, so the older one must be deleted.
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

/// Checks `name`, the name of an index in the engine. Returns a setting error if the engine does
/// not allow the name. Also returns a setting error if the file format for the engine has no place
/// for an index name.
fn check_name(engine: Engine, name: &str) -> Result<()> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    if !engine.has_names() {
        return Err(Error::setting(format!(
            "the files for {} name no index",
            engine.name()
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
    if engine == Engine::Manticore && name.contains('-') {
        return Err(Error::setting(format!(
            "`{name}` is no name for a table of Manticore or Sphinx: no - in it"
        )));
    }
    Ok(())
}
