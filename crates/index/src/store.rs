//! Snapshots of pages, stored in WARC files in the index's folder `snapshots`. Each snapshot is one
//! gzip member.
//!
//! A commit writes its new snapshots to new files, and later commits never change a file. The
//! payload of a commit lists all its snapshot files, each with the bytes of its records that belong
//! to a page. Which files a commit rewrites is decided elsewhere (`copies`). A file that no commit
//! lists is not part of the index, and the next writer deletes it. Any WARC reader can read the
//! files. Only the index knows which of their records still belong to a page.

use std::collections::HashMap;
use std::hash::Hasher;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher13;
use tantivy::directory::error::OpenWriteError;
use tantivy::directory::{Directory, FileSlice, TerminatingWrite, WritePtr};
use tantivy::{DocId, HasLen, SegmentReader};

use heedful_base::error::{Error, IndexTrouble, Result};
use heedful_base::warc::{self, WarcWriter};

use super::directory::{Folder, has_only};
use super::schema::{column, number};

/// Name of the snapshot folder inside the index's folder.
pub(super) const SNAPSHOTS: &str = "snapshots";

/// Entry of a snapshot file in a commit's payload: number, length and checksum of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StoreFile {
    pub(super) number: u64,
    pub(super) length: u64,
    /// Bytes of the file's records that belong to a page.
    pub(super) living: u64,
    /// Bytes of the file's records that belong to no page. The file's first record, which describes
    /// the file, is not counted.
    pub(super) dead: u64,
    /// Checksum of the first `length` bytes of the snapshot file. None for files of earlier
    /// versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) checksum: Option<u64>,
}

/// Location of a snapshot in the snapshot files: the number of the file, the record's offset, and
/// its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StoreOffset {
    pub(super) file: u64,
    pub(super) offset: u64,
    pub(super) length: u64,
}

impl StoreOffset {
    /// Reads the location of a page's snapshot from an index document. Returns None if the document
    /// has no location.
    pub(super) fn read(segment: &SegmentReader, document: DocId) -> Option<Self> {
        Some(Self {
            file: number(segment, column::FILE, document)?,
            offset: number(segment, column::OFFSET, document)?,
            length: number(segment, column::LENGTH, document)?,
        })
    }
}

/// The folder with an index's snapshot files.
#[derive(Clone, Debug)]
pub(super) struct Store {
    directory: Folder,
    /// Path of the snapshot folder. None for a simulated folder of a test.
    folder: Option<PathBuf>,
}

impl Store {
    pub(super) fn new(directory: Folder, folder: Option<PathBuf>) -> Self {
        Self { directory, folder }
    }

    /// Opens the snapshot files of a commit for reading.
    pub(super) fn open(&self, files: &[StoreFile]) -> Result<Snapshots> {
        let mut opened = HashMap::new();
        for file in files {
            let name = name(file.number);
            let slice = self
                .directory
                .open_read(&name)
                .map_err(|error| damaged(&name, &error))?;
            if (slice.len() as u64) < file.length {
                return Err(damaged(
                    &name,
                    &format!("it has {} of {} bytes", slice.len(), file.length),
                ));
            }
            opened.insert(file.number, slice);
        }
        Ok(Snapshots {
            files: Arc::new(opened),
        })
    }

    /// Creates the snapshot file with this number, and opens it for writing. A failed commit may
    /// have left a file of this name. Such a file is replaced.
    pub(super) fn begin(&self, number: u64) -> Result<StoreWriter> {
        let name = name(number);
        let out = match self.directory.open_write(&name) {
            Err(OpenWriteError::FileAlreadyExists(_)) => {
                self.directory.delete(&name).map_err(unwritten)?;
                self.directory.open_write(&name)
            }
            other => other,
        };
        let out = out.map_err(unwritten)?;
        let out = Summed {
            out,
            sum: SipHasher13::new(),
        };
        let warc = WarcWriter::new(out, true, SystemTime::now()).map_err(unwritten)?;
        Ok(StoreWriter {
            number,
            head: warc.length(),
            warc,
            living: 0,
        })
    }

    /// Completes a snapshot file and syncs it. Afterwards the file survives a crash.
    pub(super) fn finish(&self, writer: StoreWriter) -> Result<StoreFile> {
        let StoreWriter { number, living, .. } = writer;
        let (length, dead) = (writer.length(), writer.dead());
        let checksum = self.sync(writer).map_err(unwritten)?;
        Ok(StoreFile {
            number,
            length,
            living,
            dead,
            checksum: Some(checksum),
        })
    }

    /// Syncs a snapshot file and its folder, and returns the file's checksum.
    fn sync(&self, writer: StoreWriter) -> io::Result<u64> {
        let Summed { out, sum } = writer.warc.finish().map_err(io::Error::other)?;
        out.terminate()?;
        self.directory.sync_directory()?;
        Ok(sum.finish())
    }

    /// Deletes a snapshot file of an earlier commit that the last commit no longer lists.
    pub(super) fn delete(&self, file: StoreFile) {
        // If a reader holds the file open and the system refuses, the next writer deletes the file.
        let _ = self.directory.delete(&name(file.number));
    }

    /// Deletes all snapshot files except `files`. Also deletes temporary files that an interrupted
    /// commit left in the index's folder.
    pub(super) fn sweep(&self, files: &[StoreFile]) {
        let Some(folder) = &self.folder else {
            return;
        };
        if let Some(parent) = folder.parent()
            && let Ok(entries) = std::fs::read_dir(parent)
        {
            for entry in entries.flatten() {
                if entry.file_name().to_string_lossy().starts_with(".tmp") {
                    let _ = std::fs::remove_file(entry.path());
                }
            }
        }
        let Ok(entries) = std::fs::read_dir(folder) else {
            return;
        };
        let names: Vec<_> = files.iter().map(|file| name(file.number)).collect();
        for entry in entries.flatten() {
            let found = PathBuf::from(entry.file_name());
            if is_name(&found.to_string_lossy()) && !names.contains(&found) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

/// A snapshot file to which records are being appended.
pub(super) struct StoreWriter {
    number: u64,
    warc: WarcWriter<Summed>,
    /// Bytes of the file's first record, which describes the file.
    head: u64,
    /// Bytes of the appended records that belong to a page.
    living: u64,
}

/// A file for writing that computes a checksum over all bytes written to it.
struct Summed {
    out: WritePtr,
    sum: SipHasher13,
}

impl Write for Summed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.sum.write(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl StoreWriter {
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Number of bytes written to this file so far.
    pub(super) fn length(&self) -> u64 {
        self.warc.length()
    }

    /// Bytes of the appended records that belong to no page any more.
    pub(super) fn dead(&self) -> u64 {
        self.length().saturating_sub(self.head + self.living)
    }

    pub(super) fn living(&self) -> u64 {
        self.living
    }

    /// Records that the record at `spot` no longer belongs to a page. Its bytes then count as dead.
    pub(super) fn release(&mut self, spot: StoreOffset) {
        self.living = self.living.saturating_sub(spot.length);
    }

    /// Appends the snapshot of the page at `url` to this snapshot file, and returns its location.
    pub(super) fn add(&mut self, url: &str, html: &str) -> Result<StoreOffset> {
        let offset = self.warc.length();
        let length = self.warc.snapshot(url, html).map_err(unwritten)?;
        Ok(self.appended(offset, length))
    }

    /// Appends a record that was copied from another snapshot file, and returns its location in
    /// this file.
    pub(super) fn copy(&mut self, member: &[u8]) -> Result<StoreOffset> {
        let offset = self.warc.length();
        let length = self.warc.copy(member).map_err(unwritten)?;
        Ok(self.appended(offset, length))
    }

    fn appended(&mut self, offset: u64, length: u64) -> StoreOffset {
        self.living += length;
        StoreOffset {
            file: self.number,
            offset,
            length,
        }
    }
}

/// Snapshot files of a commit, opened for reading and keyed by their number.
#[derive(Clone)]
pub(super) struct Snapshots {
    files: Arc<HashMap<u64, FileSlice>>,
}

impl Snapshots {
    /// Checks snapshot files by their checksums. Returns one message for each damaged file. The
    /// checksum covers all bytes of a file, including records that belong to no page.
    pub(super) fn damaged(&self, files: &[StoreFile]) -> Vec<String> {
        let mut damaged = Vec::new();
        for file in files {
            if !self.is_intact(file) {
                let name = name(file.number);
                damaged.push(format!("{SNAPSHOTS}/{} is damaged", name.display()));
            }
        }
        damaged
    }

    /// True if a snapshot file matches its checksum. A file of an earlier version has no checksum,
    /// and the result is true.
    pub(super) fn is_intact(&self, file: &StoreFile) -> bool {
        let Some(checksum) = file.checksum else {
            return true;
        };
        let Some(slice) = self.files.get(&file.number) else {
            return false;
        };
        let Ok(length) = usize::try_from(file.length) else {
            return false;
        };
        matches!(sum(slice, length), Ok(sum) if sum == checksum)
    }

    /// Reads the bytes of a snapshot's record, which is one gzip member. `spot` is the location of
    /// the record.
    pub(super) fn member(&self, spot: StoreOffset) -> Result<Vec<u8>> {
        let name = name(spot.file);
        let Some(slice) = self.slice(spot) else {
            return Err(damaged(
                &name,
                &format!(
                    "it ends before byte {}",
                    spot.offset.saturating_add(spot.length)
                ),
            ));
        };
        match slice.read_bytes() {
            Ok(bytes) => Ok(bytes.as_slice().to_vec()),
            Err(error) => Err(damaged(&name, &error)),
        }
    }

    /// Returns the slice of a snapshot file that contains the record at `spot`. Returns None if the
    /// file ends before the record does.
    fn slice(&self, spot: StoreOffset) -> Option<FileSlice> {
        let file = self.files.get(&spot.file)?;
        let start = usize::try_from(spot.offset).ok()?;
        let end = usize::try_from(spot.offset.checked_add(spot.length)?).ok()?;
        if end > file.len() {
            return None;
        }
        Some(file.slice(start..end))
    }

    /// Reads the snapshot of the page at `url` as HTML. `spot` is the location of the snapshot.
    /// Fails if the record there has another URL.
    pub(super) fn read(&self, url: &str, spot: StoreOffset) -> Result<String> {
        match warc::read(&self.member(spot)?) {
            Some((target, html)) if target == url => Ok(html),
            _ => Err(damaged(
                &name(spot.file),
                &format!("no whole snapshot of {url} at byte {}", spot.offset),
            )),
        }
    }
}

/// Computes the checksum of the first `length` bytes of a snapshot file.
fn sum(file: &FileSlice, length: usize) -> io::Result<u64> {
    let mut sum = SipHasher13::new();
    for start in (0..length).step_by(CHUNK) {
        sum.write(&file.read_bytes_slice(start..length.min(start + CHUNK))?);
    }
    Ok(sum.finish())
}

/// Number of bytes of a snapshot file that are read at once to compute its checksum.
const CHUNK: usize = 1 << 20;
const ENDING: &str = ".warc.gz";

/// True if a folder contains only files that are named like snapshot files.
pub(super) fn is_ours(folder: &Path) -> bool {
    has_only(folder, |name| is_name(&name.to_string_lossy()))
}

fn is_name(name: &str) -> bool {
    match name.strip_suffix(ENDING) {
        Some(number) => number.len() == 8 && number.bytes().all(|b| b.is_ascii_digit()),
        None => false,
    }
}

/// Returns the name of the snapshot file with this number.
pub(super) fn name(number: u64) -> PathBuf {
    PathBuf::from(format!("{number:08}{ENDING}"))
}

fn damaged(name: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::index(
        IndexTrouble::Damaged,
        format!("the snapshots in {}: {error}", name.display()),
    )
}

fn unwritten(error: impl std::fmt::Display) -> Error {
    let message = format!(
        "the snapshots cannot be written ({error}); what was committed before still stands"
    );
    Error::index(IndexTrouble::Damaged, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_after_the_end_of_its_file_is_damage() {
        let file = FileSlice::from(b"0123".as_slice());
        let snapshots = Snapshots {
            files: Arc::new(HashMap::from([(1, file)])),
        };
        let spot = |offset, length| StoreOffset {
            file: 1,
            offset,
            length,
        };
        assert_eq!(snapshots.member(spot(1, 3)).unwrap(), b"123");
        for spot in [spot(2, 3), spot(5, 1), spot(u64::MAX, 2)] {
            let error = snapshots.member(spot).unwrap_err().to_string();
            assert!(error.contains("it ends before byte"), "{error}");
        }
    }
}
