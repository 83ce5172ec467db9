//! Reads a log: its entries, its blobs, and the Merkle tree over them.
//!
//! Opening a log verifies that the files that its head names exist, are consecutive and have the
//! right lengths. Only [`audit`](super::audit) reads all their bytes. If the files contradict the
//! head, the error names the first bad entry.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use sha2::{Digest, Sha256};

use heedful_base::error::{Error, ErrorKind, Result};
use heedful_index::decision::Hash;

use super::entry::{Entry, EntryRow, ROW, Salt, key};
use super::files::{LogFiles, LogFolder};
use super::head::{Head, SECRET, SegmentFile};
use super::segment::{self, BlobKind, KEY_ROW, Places, SegmentHead};
use super::tree::{BLOCK, MerkleTree};

pub(super) const HEAD: &str = "head.json";
/// Upper bound for the length in bytes of a segment's first line, which is JSON.
const FIRST_LINE: u64 = 1 << 16;

/// A log of evidence, opened for reading.
#[derive(Debug)]
pub struct Log {
    pub(super) files: Arc<dyn LogFiles>,
    pub(super) head: Head,
    pub(super) segments: Vec<OpenSegment>,
    /// Hashes of the complete blocks of 256 entries, in the order of the log.
    pub(super) blocks: Vec<Hash>,
}

/// A segment of a log whose JSON line was read; its table of blobs is read when it is needed.
#[derive(Debug)]
pub(super) struct OpenSegment {
    pub(super) file: SegmentFile,
    pub(super) head: SegmentHead,
    pub(super) places: Places,
    table: OnceLock<Vec<(u8, Hash)>>,
}

/// An entry that was found by its URL, with the salt that links it to the URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FoundEntry {
    pub(super) number: u64,
    pub(super) salt: Salt,
    pub(super) row: EntryRow,
}

impl Log {
    /// Opens the log in a folder at its last commit.
    ///
    /// # Errors
    /// An evidence error if the folder has no log, or the log contradicts its own head.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self> {
        let files: Arc<dyn LogFiles> = Arc::new(LogFolder::open(folder.as_ref()));
        let head = read_head(&*files)?.ok_or_else(|| {
            let place = files.place();
            Error::evidence(format!(
                "{place} holds no evidence: make some with `heedful index INPUT -o INDEX --evidence DIR`"
            ))
        })?;
        Self::open_files(files, head)
    }

    /// Opens the log in a folder at `head`, which the commit of an index contains. After a crash,
    /// the head that the log itself stores may be older than `head`.
    ///
    /// # Errors
    /// An evidence error if the folder contains another log than the one that `head` identifies, or
    /// the log's files contradict `head`.
    pub fn open_at(folder: impl AsRef<Path>, head: &Head) -> Result<Self> {
        let files: Arc<dyn LogFiles> = Arc::new(LogFolder::open(folder.as_ref()));
        match read_head(&*files)? {
            Some(own) if own.log == head.log && own.size <= head.size => {
                Self::open_files(files, head.clone())
            }
            Some(own) if own.log == head.log => Err(Error::evidence(format!(
                "{} has {} entries, and the index names {}: one of the two is an older copy",
                files.place(),
                own.size,
                head.size
            ))),
            _ => Err(Error::evidence(format!(
                "{} does not hold the log {}",
                files.place(),
                head.log()
            ))),
        }
    }

    /// Opens the log in these files at the state that `head` describes.
    #[cfg(test)]
    pub(crate) fn from_files(files: Arc<dyn LogFiles>, head: Head) -> Result<Self> {
        Self::open_files(files, head)
    }

    /// Opens the log in these files at the state that `head` describes.
    pub(super) fn open_files(files: Arc<dyn LogFiles>, head: Head) -> Result<Self> {
        let mut log = Self {
            files,
            head,
            segments: Vec::new(),
            blocks: Vec::new(),
        };
        let mut first = 0;
        let mut first_blob = 0;
        for file in log.head.segments.clone() {
            let opened = log.open_segment(file, first, first_blob)?;
            first += u64::from(file.entries);
            first_blob += file.blobs;
            let Places {
                blocks, members, ..
            } = opened.places;
            let hashes = log.read(&file, first, blocks..members)?;
            let (hashes, _) = hashes.as_chunks();
            log.blocks.extend(hashes);
            log.segments.push(opened);
        }
        if first != log.head.size || log.blocks.len() as u64 != segment::blocks_in(first) {
            return Err(
                log.damaged_entry(first.min(log.head.size), "its head counts other entries")
            );
        }
        Ok(log)
    }

    fn open_segment(&self, file: SegmentFile, first: u64, first_blob: u32) -> Result<OpenSegment> {
        let bytes = self.read(&file, first, 0..file.bytes.min(FIRST_LINE))?;
        if let Some((head, places)) = SegmentHead::read(&bytes, self.head.log.0) {
            let is_in_place = head.first == first && head.first_blob == first_blob;
            let is_counted =
                head.entries == file.entries as usize && head.blobs == file.blobs as usize;
            let packed: u64 = head.members.iter().map(|(_, bytes)| bytes).sum();
            if is_in_place && is_counted && places.members + packed == file.bytes {
                return Ok(OpenSegment {
                    file,
                    head,
                    places,
                    table: OnceLock::new(),
                });
            }
        }
        Err(self.damaged_entry(
            first,
            &format!("{} is not the file that was written", file.name()),
        ))
    }

    /// Reads a range of bytes of a segment's file. If that fails, the error names `first` as the
    /// first damaged entry.
    pub(super) fn read(
        &self,
        file: &SegmentFile,
        first: u64,
        range: std::ops::Range<u64>,
    ) -> Result<Vec<u8>> {
        let error = match self.files.read(&file.name(), Some(range)) {
            Ok(bytes) => return Ok(bytes),
            Err(error) => error,
        };
        let what = match error.kind() {
            std::io::ErrorKind::NotFound => format!("{} is gone", file.name()),
            std::io::ErrorKind::UnexpectedEof => format!("{} was cut off", file.name()),
            _ => format!("{}: {error}", file.name()),
        };
        Err(self.damaged_entry(first, &what))
    }

    /// Creates the error for a log that is damaged from entry `number` on. `what` describes the
    /// damage.
    pub(super) fn damaged_entry(&self, number: u64, what: &str) -> Error {
        Error::evidence(format!(
            "{}: entry {number} is not as it was written: {what}",
            self.files.place()
        ))
    }

    /// Returns the head at which the log was opened.
    pub fn head(&self) -> &Head {
        &self.head
    }

    pub(super) fn segment_of(&self, number: u64) -> Option<&OpenSegment> {
        let at = self
            .segments
            .partition_point(|segment| segment.head.first <= number);
        let segment = self.segments.get(at.checked_sub(1)?)?;
        (number < segment.head.first + segment.head.entries as u64).then_some(segment)
    }

    /// Reads the rows of the entries `from..to`. They may span several segments.
    pub(super) fn rows(&self, from: u64, to: u64) -> Result<Vec<EntryRow>> {
        let mut rows = Vec::new();
        let mut at = from;
        while at < to.min(self.head.size) {
            let Some(segment) = self.segment_of(at) else {
                return Err(self.damaged_entry(at, "no segment has it"));
            };
            let end = to.min(segment.head.first + segment.head.entries as u64);
            let start_byte = segment.row_place(at);
            let end_byte = segment.row_place(end);
            let bytes = self.read(&segment.file, at, start_byte..end_byte)?;
            for (number, row) in (at..).zip(segment::rows(&bytes)) {
                let Some(row) = row else {
                    return Err(self.damaged_entry(number, "it is of no known kind"));
                };
                rows.push(row);
            }
            at = end;
        }
        Ok(rows)
    }

    /// Returns the type and digest of each blob of a segment, in the order of the segment.
    pub(super) fn table<'a>(&self, segment: &'a OpenSegment) -> Result<&'a [(u8, Hash)]> {
        if segment.table.get().is_none() {
            let Places { table, blocks, .. } = segment.places;
            let bytes = self.read(&segment.file, segment.head.first, table..blocks)?;
            let _ = segment.table.set(segment::table(&bytes).collect());
        }
        Ok(segment.table.get().map_or(&[], Vec::as_slice))
    }

    fn segment_of_blob(&self, blob: u32) -> Option<&OpenSegment> {
        let at = self
            .segments
            .partition_point(|segment| segment.head.first_blob <= blob);
        let before = self.segments.get(..at)?;
        before.iter().rev().find(|segment| segment.head.blobs > 0)
    }

    /// Returns the digest of blob number `blob` of the log. `None` if that blob has another type
    /// than `kind`.
    pub(super) fn digest(&self, blob: u32, kind: BlobKind) -> Result<Option<Hash>> {
        let Some(segment) = self.segment_of_blob(blob) else {
            return Ok(None);
        };
        let table = self.table(segment)?;
        match table.get((blob - segment.head.first_blob) as usize) {
            Some((own, digest)) if *own == kind as u8 => Ok(Some(*digest)),
            _ => Ok(None),
        }
    }

    /// Reads blob number `blob` of the log, and verifies its digest. `None` if the blob is damaged
    /// or has another type than `kind`.
    pub(super) fn blob(&self, blob: u32, kind: BlobKind) -> Result<Option<Vec<u8>>> {
        let Some(digest) = self.digest(blob, kind)? else {
            return Ok(None);
        };
        let Some(segment) = self.segment_of_blob(blob) else {
            return Ok(None);
        };
        let Some((place, length, number)) = segment.head.member_of(blob) else {
            return Ok(None);
        };
        let from = segment.places.members + place;
        let member = self.read(&segment.file, segment.head.first, from..from + length)?;
        let Some(blobs) = segment::unpack(&member) else {
            return Ok(None);
        };
        match blobs.into_iter().nth(number as usize) {
            Some(bytes) if Hash::from(Sha256::digest(&bytes)) == digest => Ok(Some(bytes)),
            _ => Ok(None),
        }
    }

    /// Converts the stored row of entry `number` into the form that is hashed, with the digests of
    /// its blobs.
    pub(super) fn entry(&self, number: u64, row: &EntryRow) -> Result<Entry> {
        let mut refers = [[0; 32]; 3];
        for ((digest, blob), kind) in refers.iter_mut().zip(row.refers).zip(REFERS) {
            let Some(found) = self.digest(blob, kind)? else {
                return Err(self.damaged_entry(number, "it refers to what is not there"));
            };
            *digest = found;
        }
        Ok(row.entry(refers))
    }

    /// Reads the context, headers and decision to which an entry refers, in the form that is
    /// hashed: sealed texts stay encrypted.
    pub(super) fn texts(&self, found: &FoundEntry) -> Result<[String; 3]> {
        let mut texts = [const { String::new() }; 3];
        for ((text, blob), kind) in texts.iter_mut().zip(found.row.refers).zip(REFERS) {
            let bytes = self
                .blob(blob, kind)?
                .and_then(|bytes| String::from_utf8(bytes).ok());
            *text = bytes
                .ok_or_else(|| self.damaged_entry(found.number, "what it refers to is damaged"))?;
        }
        Ok(texts)
    }

    /// Returns the leaf hashes of the entries in block number `block`. The last block may be
    /// incomplete.
    pub(super) fn leaves(&self, block: u64) -> Result<Vec<Hash>> {
        let from = block * BLOCK;
        let rows = self.rows(from, from + BLOCK)?;
        let mut leaves = Vec::with_capacity(rows.len());
        for (number, row) in (from..).zip(&rows) {
            leaves.push(self.entry(number, row)?.leaf());
        }
        Ok(leaves)
    }

    /// Calls `take` with the Merkle tree over all entries of the log, and returns the result of
    /// `take`.
    pub(super) fn with_tree<T>(
        &self,
        take: impl FnOnce(&MerkleTree<'_>) -> Result<T>,
    ) -> Result<T> {
        take(&MerkleTree {
            size: self.head.size,
            blocks: &self.blocks,
            leaves: &|block| self.leaves(block),
        })
    }

    /// Reads the log's secret key, which is needed to compute the tags of URLs.
    pub(super) fn secret(&self) -> Result<Hash> {
        match Hash::try_from(self.files.read_file(SECRET)?) {
            Ok(secret) => Ok(secret),
            Err(_) => Err(Error::evidence(format!(
                "{} is damaged",
                self.path_of(SECRET)
            ))),
        }
    }

    fn path_of(&self, name: &str) -> String {
        format!("{}/{name}", self.files.place())
    }

    /// Returns the entries about `url`, oldest first. Forgotten entries are missing. `url` must be
    /// in its normal form, and `secret` is the key for tags.
    pub(super) fn entries_of_url(&self, url: &str, secret: &Hash) -> Result<Vec<FoundEntry>> {
        let tag = tag(url, secret);
        let mut found = Vec::new();
        for segment in &self.segments {
            for row in self.keys_with(segment, tag)? {
                let number = segment.head.first + u64::from(row.entry);
                // Different URLs can share a tag of 64 bits.
                if let Some(entry) = self.rows(number, number + 1)?.pop()
                    && entry.key == key(url, &row.salt)
                {
                    found.push(FoundEntry {
                        number,
                        salt: row.salt,
                        row: entry,
                    });
                }
            }
        }
        found.sort_by_key(|found| found.number);
        Ok(found)
    }

    /// Returns those rows of a segment's keys file that have this tag. Tags are uniformly
    /// distributed, so the rows near the tag's expected position are read first, and the whole file
    /// only if necessary.
    fn keys_with(&self, segment: &OpenSegment, tag: [u8; 8]) -> Result<Vec<segment::KeyRow>> {
        let name = segment.file.keys_name();
        let rows = segment.head.entries as u64;
        let width = 4 * rows.isqrt() + 16;
        let guess = (u128::from(u64::from_be_bytes(tag)) * u128::from(rows)) >> 64;
        let guess = u64::try_from(guess).unwrap_or(rows);
        let from = guess.saturating_sub(width);
        let to = (guess + width).min(rows);
        let near = self
            .files
            .read(&name, Some(from * KEY_ROW as u64..to * KEY_ROW as u64));
        let near: Vec<_> = near
            .unwrap_or_default()
            .chunks_exact(KEY_ROW)
            .filter_map(segment::key_row)
            .collect();
        let has_all = match near.as_slice() {
            [] => false,
            [first, ..] if from > 0 && first.tag >= tag => false,
            [.., last] => to == rows || last.tag > tag,
        };
        let mut keys = if has_all {
            near
        } else {
            // Rows were removed from the file, so the expected position may be too far off.
            let file = self.files.read_file(&name)?;
            let Some(keys) = segment::keys(&file) else {
                return Err(Error::evidence(format!(
                    "{} is damaged",
                    self.path_of(&name)
                )));
            };
            keys
        };
        keys.retain(|row| row.tag == tag);
        Ok(keys)
    }
}

impl OpenSegment {
    /// Returns the offset in the segment's file at which the row of entry `number` begins.
    fn row_place(&self, number: u64) -> u64 {
        self.places.rows + (number - self.head.first) * ROW as u64
    }
}

/// Types of the three blobs to which an entry refers, in the order of the entry's references.
pub(super) const REFERS: [BlobKind; 3] = [BlobKind::Context, BlobKind::Head, BlobKind::Decision];

/// Reads the head that the log in a folder stores; `None` if the folder has no log.
pub(super) fn read_head(files: &dyn LogFiles) -> Result<Option<Head>> {
    let bytes = match files.read(HEAD, None) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => {
            return Err(ErrorKind::Io {
                subject: format!("{}/{HEAD}", files.place()),
                source,
            }
            .into());
        }
    };
    match parse_head(&bytes) {
        Some(head) => Ok(Some(head)),
        None => Err(Error::evidence(format!(
            "{}/{HEAD} is damaged",
            files.place()
        ))),
    }
}

/// Parses the content of the file with a log's head. `None` if it is damaged.
fn parse_head(bytes: &[u8]) -> Option<Head> {
    let bytes = bytes.trim_ascii_end();
    let at = memchr::memrchr(b'\n', bytes)?;
    let text = &bytes[..at];
    let sum = &bytes[at + 1..];
    if heedful_index::decision::hex::text(&Sha256::digest(text)).as_bytes() != sum {
        return None;
    }
    serde_json::from_slice(text).ok()
}

/// Returns the content of the file with a log's head: the head as a line of JSON, and a line with
/// its digest.
pub(super) fn head_file(head: &Head) -> Vec<u8> {
    let text = serde_json::to_vec(head).unwrap_or_default();
    let sum = heedful_index::decision::hex::text(&Sha256::digest(&text));
    [text.as_slice(), b"\n", sum.as_bytes(), b"\n"].concat()
}

/// Computes the tag of a URL, a keyed hash by which the entries of the URL are found. Without the
/// secret key, nobody can find out whether a guessed URL has this tag.
pub(super) fn tag(url: &str, secret: &Hash) -> [u8; 8] {
    let hash: Hash = Sha256::new()
        .chain_update(b"heedful tag\0")
        .chain_update(secret)
        .chain_update(url)
        .finalize()
        .into();
    std::array::from_fn(|at| hash[at])
}
