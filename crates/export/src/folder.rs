//! Writes entries to files, each URL once.
//!
//! A later statement on a URL, or a later fetch, replaces the earlier entry, as in our own index.
//! So files may be loaded in any order, and a WET file holds no page that a later record denies.
//! The place of each entry is kept in memory, about a hundred bytes a URL.
//!
//! An export stands whole or not at all. Its files are made in a folder inside, and moved when all
//! are done, `export.json` last. The folder must be empty, because a second export would hide
//! deletions that nobody has loaded yet. A run that was killed leaves a folder `.unfinished-...`,
//! which nobody reads. No entry is ever cut. An entry that is too long for a file has one of its
//! own.

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
use super::{ciff, table};

/// The name of a folder in which files are made begins so.
const UNFINISHED: &str = ".unfinished-";
/// The file that marks an export as whole.
const LAST: &str = "export.json";

/// An export that is being written.
#[derive(Debug)]
pub struct ExportFolder {
    exporter: Exporter,
    folder: PathBuf,
    workshop: TempDir,
    parts: PartFiles,
    places: HashMap<DocumentId, EntryPlace>,
    /// The files that hold entries which are no longer valid.
    outdated: HashSet<u32>,
}

/// The place of an entry.
#[derive(Clone, Copy, Debug)]
struct EntryPlace {
    /// When it was fetched, in seconds since 1970.
    captured: Option<u64>,
    is_deletion: bool,
    spot: Option<PartOffset>,
}

/// The contents of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExportReport {
    /// The number of documents.
    pub documents: u64,
    /// The number of URLs that are deleted.
    pub deletions: u64,
    /// The files, in order, without the schema and `export.json`.
    pub files: Vec<String>,
}

impl ExportFolder {
    /// Begins an export in an empty folder, which is made if it is missing. A new file begins
    /// before one has more bytes than `most`.
    ///
    /// # Errors
    /// Fails if something is in the folder, or it cannot be written.
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

    /// Adds the entry of a URL in place of the one before, unless that was fetched later.
    ///
    /// # Errors
    /// Fails if it cannot be written.
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

    /// Moves the files to their places.
    ///
    /// # Errors
    /// Fails if they cannot be written, or if somebody else wrote into the folder meanwhile.
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
        // The order of a hash map is random.
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

    /// Makes one index of all documents.
    fn index(&mut self) -> Result<Vec<String>> {
        let name = "index.ciff";
        let to = self.workshop.path().join(name);
        let spots = self.spots(false);
        ciff::write(&mut self.parts, &spots, &to)?;
        Ok(vec![name.to_owned()])
    }

    /// Makes tables of the documents, a file each of theirs, and those of the deletions.
    fn tables(&mut self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for is_deletion in [false, true] {
            let spots = self.spots(is_deletion);
            let before = if is_deletion { "gone" } else { "pages" };
            for (number, held) in (1..).zip(spots.chunk_by(|one, other| one.file == other.file)) {
                let name = format!("{before}-{number:05}.parquet");
                table::write(
                    is_deletion,
                    &mut self.parts,
                    held,
                    &self.workshop.path().join(&name),
                )?;
                names.push(name);
            }
        }
        Ok(names)
    }

    /// The places of the valid documents, or of the valid deletions, in order.
    fn spots(&self, is_deletion: bool) -> Vec<PartOffset> {
        let places = self
            .places
            .values()
            .filter(|place| place.is_deletion == is_deletion);
        let mut spots: Vec<_> = places.filter_map(|place| place.spot).collect();
        spots.sort_unstable();
        spots
    }

    /// Renames the files of entries, with only valid entries in them. A file without any is
    /// dropped.
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

    /// Copies only these entries, with the text before, between and after them.
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

/// A time in seconds since 1970.
fn seconds(time: Option<SystemTime>) -> Option<u64> {
    let since = time?.duration_since(UNIX_EPOCH).ok()?;
    Some(since.as_secs())
}

/// Fails if a folder holds anything except the leftovers of killed runs and what this one makes.
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
