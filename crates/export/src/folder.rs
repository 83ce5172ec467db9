//! Writes the entries of an export to files in a folder, one entry for each URL.
//!
//! The latest entry of a URL wins: a new entry replaces the previous entry of its URL, unless the
//! previous one was fetched later. Our own tantivy index has the same rule. So the files can be
//! loaded in any order, and a WET file contains no page that a later record denies. The offset of
//! each entry is kept in memory, about a hundred bytes for each URL.
//!
//! An export is complete or absent. Its files are written in a temporary subfolder and moved when
//! all are complete, `export.json` last. The folder must be empty, because a second export would
//! replace deletions that are not loaded yet. If a run is killed, a subfolder `.unfinished-...`
//! remains, which later runs ignore. Entries are never split: an entry that is longer than the
//! maximum size of a file gets its own file.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;
use tempfile::TempDir;

use heedful_base::error::{Error, Result};

use super::engine::Engine;
use super::entry::ExportEntry;
use super::exporter::Exporter;
use super::id::DocumentId;
use super::parts::{PartFiles, PartOffset, io_error};
use super::table::TableKind;
use super::{ciff, table};

/// Prefix of the name of a subfolder in which the files of an export are written until the export
/// is complete.
const UNFINISHED: &str = ".unfinished-";
/// Name of the file that is written last. If it exists, the export is complete.
const LAST: &str = "export.json";

/// Export that is being written to the files of a folder.
///
/// ```
/// use std::time::SystemTime;
///
/// use heedful::{Bot, Filter};
/// use heedful_export::{Capture, Engine, ExportFolder, Exporter};
///
/// let folder = tempfile::tempdir()?;
/// let exporter = Exporter::new(Engine::Quickwit, SystemTime::now());
/// let mut export = ExportFolder::create(folder.path(), exporter.clone(), 1 << 20)?;
/// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], b"<p>Rye")?;
/// if let Some(entry) = exporter.page(&page, &Capture::default())? {
///     export.put(&entry)?;
/// }
/// export.finish()?;
///
/// let documents = std::fs::read_to_string(folder.path().join("documents-00001.ndjson"))?;
/// assert!(documents.contains("Rye"));
/// assert!(folder.path().join("export.json").exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ExportFolder {
    exporter: Exporter,
    folder: PathBuf,
    workshop: TempDir,
    parts: PartFiles,
    places: HashMap<DocumentId, EntryPlace>,
    /// Numbers of the part files that contain an outdated entry. An entry is outdated if a later
    /// entry of the same URL has replaced it.
    outdated: HashSet<u32>,
}

/// Location, kind and fetch time of the latest entry of a URL.
#[derive(Clone, Copy, Debug)]
struct EntryPlace {
    /// Time of the page's fetch, in seconds since 1970. `None` if the time is unknown.
    captured: Option<u64>,
    is_deletion: bool,
    spot: Option<PartOffset>,
}

/// Summary of a complete export: the numbers of documents and deletions, and the names of the
/// files.
///
/// ```
/// use std::time::SystemTime;
///
/// use heedful_export::{Engine, ExportFolder, Exporter};
///
/// let folder = tempfile::tempdir()?;
/// let exporter = Exporter::new(Engine::Solr, SystemTime::now());
/// let mut export = ExportFolder::create(folder.path(), exporter.clone(), 1 << 20)?;
/// export.put(&exporter.removed_url("https://example.com/rye", None).unwrap())?;
/// let report = export.finish()?;
///
/// assert_eq!((report.documents, report.deletions), (0, 1));
/// assert_eq!(report.files, ["delete-00001.json"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExportReport {
    /// Number of documents that the export adds.
    pub documents: u64,
    /// Number of URLs whose documents the export deletes.
    pub deletions: u64,
    /// Names of the files with documents and deletions, in the order in which they were written.
    pub files: Vec<String>,
}

impl ExportFolder {
    /// Begins an export in `folder`, which must be empty. Creates the folder if it is missing.
    /// `most` is the maximum size of a file of the export in bytes, usually [`Engine::file_bytes`].
    /// Only a file with a single entry may be larger.
    ///
    /// # Errors
    /// A setting error if `folder` is not empty. An I/O error if the folder cannot be created or
    /// written.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use heedful_export::{Engine, ExportFolder, Exporter};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let exporter = Exporter::new(Engine::Solr, SystemTime::now());
    /// let most = Engine::Solr.file_bytes();
    /// ExportFolder::create(folder.path(), exporter.clone(), most)?.finish()?;
    ///
    /// // The first export must be loaded and removed before another one.
    /// assert!(ExportFolder::create(folder.path(), exporter, most).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn create(folder: impl AsRef<Path>, exporter: Exporter, most: u64) -> Result<Self> {
        let folder = folder.as_ref();
        let opening = exporter.opening()?;
        std::fs::create_dir_all(folder).map_err(io_error(folder))?;
        check_empty(folder)?;
        let workshop = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .tempdir_in(folder)
            .map_err(io_error(folder))?;
        Ok(Self {
            parts: PartFiles::new(workshop.path(), opening, most),
            exporter,
            folder: folder.to_owned(),
            workshop,
            places: HashMap::new(),
            outdated: HashSet::new(),
        })
    }

    /// Adds an entry to the export. If the previous entry of the same URL has a later fetch time,
    /// the new entry is ignored. Otherwise the new entry replaces the previous entry.
    ///
    /// # Errors
    /// An I/O error if the entry cannot be written to a temporary file.
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    ///
    /// use heedful::{Bot, Filter};
    /// use heedful_export::{Capture, Engine, ExportFolder, Exporter};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let exporter = Exporter::new(Engine::Solr, SystemTime::now());
    /// let mut export = ExportFolder::create(folder.path(), exporter.clone(), 1 << 20)?;
    /// let fetched = |seconds| Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
    /// export.put(&exporter.removed_url("https://example.com/", fetched(200)).unwrap())?;
    ///
    /// // An older capture from another archive does not bring the page back.
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], b"<p>Rye")?;
    /// let capture = Capture { captured: fetched(100), ..Capture::default() };
    /// export.put(&exporter.page(&page, &capture)?.unwrap())?;
    /// assert_eq!(export.finish()?.documents, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn put(&mut self, entry: &ExportEntry) -> Result<()> {
        let now = seconds(entry.captured);
        let before = self.places.get(&entry.id).and_then(|place| place.captured);
        if let Some(before) = before
            && let Some(now) = now
            && before > now
        {
            return Ok(());
        }
        let spot = if entry.body.is_empty() {
            None
        } else {
            Some(self.parts.write(&entry.body)?)
        };
        let before = self.places.insert(
            entry.id,
            EntryPlace {
                captured: now.or(before),
                is_deletion: entry.is_deletion,
                spot,
            },
        );
        if let Some(before) = before
            && let Some(spot) = before.spot
        {
            self.outdated.insert(spot.file);
        }
        Ok(())
    }

    /// Completes all files of the export, and moves them to the folder of the export. Returns the
    /// summary of the export.
    ///
    /// # Errors
    /// An I/O error if a file of the export cannot be written or moved. A setting error if another
    /// program has written to the folder since the export began.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use heedful_export::{Engine, ExportFolder, Exporter};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let exporter = Exporter::new(Engine::Elasticsearch, SystemTime::now());
    /// let mut export = ExportFolder::create(folder.path(), exporter.clone(), 1 << 20)?;
    /// export.put(&exporter.removed_url("https://example.com/rye", None).unwrap())?;
    /// assert!(!folder.path().join("bulk-00001.ndjson").exists());
    ///
    /// assert_eq!(export.finish()?.files, ["bulk-00001.ndjson"]);
    /// assert!(folder.path().join("bulk-00001.ndjson").exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn finish(mut self) -> Result<ExportReport> {
        self.parts.close()?;
        let mut files = match self.exporter.engine() {
            Engine::Ciff => self.index()?,
            Engine::Parquet => self.tables()?,
            _ => self.finish_parts()?,
        };
        let mut gone = Vec::new();
        let mut there = Vec::new();
        for (id, place) in &self.places {
            if place.is_deletion {
                gone.push(*id);
            } else {
                there.push(*id);
            }
        }
        // A hash map has a random order, and equal exports must be equal files.
        gone.sort_unstable();
        there.sort_unstable();
        for (name, text) in self.exporter.deletions(&gone, &there) {
            self.make(&name, text.as_bytes())?;
            files.push(name);
        }
        let exported = ExportReport {
            documents: there.len() as u64,
            deletions: gone.len() as u64,
            files,
        };
        let schema = self.exporter.schema();
        for (name, text) in &schema {
            self.make(name, text.as_bytes())?;
        }
        self.make(LAST, self.summary(&exported).as_bytes())?;
        check_empty(&self.folder)?;
        let names = exported
            .files
            .iter()
            .map(String::as_str)
            .chain(schema.iter().map(|(name, _)| *name))
            .chain([LAST]);
        for name in names {
            let to = self.folder.join(name);
            std::fs::rename(self.workshop.path().join(name), &to).map_err(io_error(&to))?;
        }
        Ok(exported)
    }

    fn summary(&self, exported: &ExportReport) -> String {
        let summary = json!({
            "heedful": env!("CARGO_PKG_VERSION"), "engine": self.exporter.engine().name(),
            "documents": exported.documents, "deletions": exported.deletions, "files": exported.files,
        });
        format!("{summary:#}\n")
    }

    fn make(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.workshop.path().join(name);
        let mut file = File::create_new(&path).map_err(io_error(&path))?;
        file.write_all(bytes).map_err(io_error(&path))?;
        file.sync_all().map_err(io_error(&path))
    }

    /// Writes all documents of the export to one CIFF file. Returns a list with the name of this
    /// file.
    fn index(&mut self) -> Result<Vec<String>> {
        let name = "index.ciff";
        let to = self.workshop.path().join(name);
        let spots = self.spots(false);
        ciff::write(&mut self.parts, &spots, &to)?;
        Ok(vec![name.to_owned()])
    }

    /// Writes the Parquet tables, and returns the names of their files. The tables of documents
    /// come first, followed by the tables of deletions. Each part file (a temporary file with
    /// entries) gives at most one table of each kind.
    fn tables(&mut self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for table in self.exporter.tables() {
            let is_deletion = table == TableKind::Gone;
            let spots = self.spots(is_deletion);
            let before = if is_deletion { "gone" } else { "pages" };
            for (number, held) in (1..).zip(spots.chunk_by(|one, other| one.file == other.file)) {
                let name = format!("{before}-{number:05}.parquet");
                table::write(
                    table,
                    &mut self.parts,
                    held,
                    &self.workshop.path().join(&name),
                )?;
                names.push(name);
            }
        }
        Ok(names)
    }

    /// Returns the locations of the latest entries of all URLs: of the documents, or of the
    /// deletions if `is_deletion` is true. The locations are in the order of the part files.
    fn spots(&self, is_deletion: bool) -> Vec<PartOffset> {
        let places = self
            .places
            .values()
            .filter(|place| place.is_deletion == is_deletion);
        let mut spots: Vec<_> = places.filter_map(|place| place.spot).collect();
        spots.sort_unstable();
        spots
    }

    /// Adds the part files to the export. A part file without outdated entries is moved. If a part
    /// file has outdated entries, its other entries are copied to a new file. For Solr, the entries
    /// are always copied, because a file for Solr is a JSON array and a part file is not. Returns
    /// the names of the export's files.
    fn finish_parts(&mut self) -> Result<Vec<String>> {
        let (before, after) = self.exporter.engine().files();
        let mut spots: Vec<PartOffset> = self
            .places
            .values()
            .filter_map(|place| place.spot)
            .collect();
        spots.sort_unstable();
        let mut names = Vec::new();
        for held in spots.chunk_by(|one, other| one.file == other.file) {
            let part = self.parts.path(held[0].file);
            let name = format!("{before}{:05}{after}", names.len() + 1);
            let path = self.workshop.path().join(&name);
            if self.exporter.engine() == Engine::Solr || self.outdated.contains(&held[0].file) {
                self.copy(&path, held)?;
            } else {
                std::fs::rename(&part, &path).map_err(io_error(&path))?;
            }
            names.push(name);
        }
        Ok(names)
    }

    /// Copies the entries at the locations `held` to the new file `to`. Also writes the text that
    /// the engine requires before, between and after the entries.
    fn copy(&mut self, to: &Path, held: &[PartOffset]) -> Result<()> {
        let (first, next, last): (Vec<u8>, &[u8], &[u8]) = match self.exporter.engine() {
            Engine::Solr => (b"[\n".to_vec(), b",\n", b"\n]\n"),
            _ => (self.parts.opening().to_vec(), b"", b""),
        };
        let mut out = BufWriter::new(File::create_new(to).map_err(io_error(to))?);
        out.write_all(&first).map_err(io_error(to))?;
        for (number, spot) in held.iter().enumerate() {
            let before = if number > 0 { next } else { b"" };
            let body = self.parts.read(*spot)?;
            out.write_all(before).map_err(io_error(to))?;
            out.write_all(&body).map_err(io_error(to))?;
        }
        out.write_all(last).map_err(io_error(to))?;
        let file = out
            .into_inner()
            .map_err(io::IntoInnerError::into_error)
            .map_err(io_error(to))?;
        file.sync_all().map_err(io_error(to))
    }
}

/// Converts a time to seconds since 1970. Returns `None` for an unknown time, or a time before
/// 1970.
fn seconds(time: Option<SystemTime>) -> Option<u64> {
    let since = time?.duration_since(UNIX_EPOCH).ok()?;
    Some(since.as_secs())
}

/// Returns a setting error if `folder` contains anything except the subfolders of unfinished
/// exports.
fn check_empty(folder: &Path) -> Result<()> {
    if folder.join(LAST).exists() {
        return Err(Error::setting(format!(
            "{} holds an export already: name another folder, or remove it when it is loaded",
            folder.display()
        )));
    }
    for entry in std::fs::read_dir(folder).map_err(io_error(folder))? {
        let name = entry.map_err(io_error(folder))?.file_name();
        let name = name.to_string_lossy();
        if !name.starts_with(UNFINISHED) {
            return Err(Error::setting(format!(
                "{} is not empty (`{name}`): an export wants a folder of its own",
                folder.display()
            )));
        }
    }
    Ok(())
}
