//! The snapshots of an index: WARC files in its folder `snapshots`, with a gzip member each.
//!
//! A file is written by one commit and never changed after it. The commit's payload lists the
//! files. A file from a commit that never came is not part of the index. The next writer deletes
//! it. Any program that reads WARC reads them, but only the index knows which records still belong
//! to a page.

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

use super::directory::Folder;
use super::schema::{column, number};

/// The name of the snapshot folder, inside the index's folder.
pub(super) const SNAPSHOTS: &str = "snapshots";

/// A snapshot file, as the payload names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StoreFile {
    pub(super) number: u64,
    pub(super) length: u64,
    /// The checksum over all its bytes; None for files of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) checksum: Option<u64>,
}

/// The place of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StoreOffset {
    pub(super) file: u64,
    pub(super) offset: u64,
    pub(super) length: u64,
}

impl StoreOffset {
    /// Reads the place of a snapshot from a document, if it has one.
    pub(super) fn read(segment: &SegmentReader, document: DocId) -> Option<Self> {
        Some(Self {
            file: number(segment, column::FILE, document)?,
            offset: number(segment, column::OFFSET, document)?,
            length: number(segment, column::LENGTH, document)?,
        })
    }
}

/// The folder of snapshots.
#[derive(Clone, Debug)]
pub(super) struct Store {
    directory: Folder,
    /// The path on disk, if the store is on disk.
    folder: Option<PathBuf>,
}

impl Store {
    pub(super) fn new(directory: Folder, folder: Option<PathBuf>) -> Self {
        Self { directory, folder }
    }

    /// Opens the files of a commit for reading.
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

    /// Begins a file. An existing file of that name is left over from a commit that never came, and
    /// is replaced.
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
        Ok(StoreWriter {
            number,
            warc: WarcWriter::new(out, true, SystemTime::now()).map_err(unwritten)?,
        })
    }

    /// Ends a file. It is on disk for good when this returns.
    pub(super) fn finish(&self, writer: StoreWriter) -> Result<StoreFile> {
        let number = writer.number;
        let length = writer.warc.length();
        let checksum = self.sync(writer).map_err(unwritten)?;
        Ok(StoreFile {
            number,
            length,
            checksum: Some(checksum),
        })
    }

    /// Syncs a file and its folder, and returns the checksum of the file.
    fn sync(&self, writer: StoreWriter) -> io::Result<u64> {
        let Summed { out, sum } = writer.warc.finish().map_err(io::Error::other)?;
        out.terminate()?;
        self.directory.sync_directory()?;
        Ok(sum.finish())
    }

    /// Deletes a file that no commit lists any more.
    pub(super) fn delete(&self, file: StoreFile) {
        // A file that stays, because a reader holds it, is deleted by the next writer.
        let _ = self.directory.delete(&name(file.number));
    }

    /// Deletes all files except these, and what the index next to them was about to rename.
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

/// A file that is being written.
pub(super) struct StoreWriter {
    number: u64,
    warc: WarcWriter<Summed>,
}

/// A file with a checksum over what was written.
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
    /// Adds the snapshot of the page at `url`.
    pub(super) fn add(&mut self, url: &str, html: &str) -> Result<StoreOffset> {
        let offset = self.warc.length();
        let length = self.warc.snapshot(url, html).map_err(unwritten)?;
        Ok(StoreOffset {
            file: self.number,
            offset,
            length,
        })
    }

    /// Adds a snapshot from another file.
    pub(super) fn copy(&mut self, member: &[u8]) -> Result<StoreOffset> {
        let offset = self.warc.length();
        let length = self.warc.copy(member).map_err(unwritten)?;
        Ok(StoreOffset {
            file: self.number,
            offset,
            length,
        })
    }
}

/// The snapshots of a commit.
#[derive(Clone)]
pub(super) struct Snapshots {
    files: Arc<HashMap<u64, FileSlice>>,
}

impl Snapshots {
    /// The names of the files whose bytes are not those that were written. This includes records
    /// that no page has any more, and the bytes between records.
    pub(super) fn damaged(&self, files: &[StoreFile]) -> Vec<String> {
        let mut damaged = Vec::new();
        for file in files {
            if !self.is_whole(file) {
                let name = name(file.number);
                damaged.push(format!("{SNAPSHOTS}/{} is damaged", name.display()));
            }
        }
        damaged
    }

    /// True if a file has its checksum. Files of earlier versions have none.
    fn is_whole(&self, file: &StoreFile) -> bool {
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

    /// The bytes of a record.
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

    /// The part of a file that has a record. Returns None if the file ends before.
    fn slice(&self, spot: StoreOffset) -> Option<FileSlice> {
        let file = self.files.get(&spot.file)?;
        let start = usize::try_from(spot.offset).ok()?;
        let end = usize::try_from(spot.offset.checked_add(spot.length)?).ok()?;
        if end > file.len() {
            return None;
        }
        Some(file.slice(start..end))
    }

    /// The snapshot of the page at `url`.
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

/// The checksum of a file over the bytes that a commit knows.
fn sum(file: &FileSlice, length: usize) -> io::Result<u64> {
    let mut sum = SipHasher13::new();
    for start in (0..length).step_by(CHUNK) {
        sum.write(&file.read_bytes_slice(start..length.min(start + CHUNK))?);
    }
    Ok(sum.finish())
}

/// The number of bytes read at once.
const CHUNK: usize = 1 << 20;
const ENDING: &str = ".warc.gz";

/// True if a folder holds nothing except snapshot files.
pub(super) fn is_ours(folder: &Path) -> bool {
    let Ok(mut entries) = std::fs::read_dir(folder) else {
        return false;
    };
    entries.all(|entry| entry.is_ok_and(|entry| is_name(&entry.file_name().to_string_lossy())))
}

fn is_name(name: &str) -> bool {
    match name.strip_suffix(ENDING) {
        Some(number) => number.len() == 8 && number.bytes().all(|b| b.is_ascii_digit()),
        None => false,
    }
}

fn name(number: u64) -> PathBuf {
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
