//! A segment: a file with consecutive entries of a log. It also contains the blobs to which no
//! earlier entry refers (docs/evidence.md).
//!
//! A segment file consists of a JSON line, the rows, the table of blobs, the hashes of blocks that
//! end in the segment, and the compressed blobs. A separate file of keys links URLs to entries.
//! Segments are only storage: small neighbouring segments are merged, without effect on the Merkle
//! tree.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use heedful_index::decision::Hash;
use heedful_index::decision::hex::Hex;

use super::entry::{EntryRow, ROW, Salt};
use super::head::{VERSION, is_readable};
use super::tree::BLOCK;

/// Maximum number of entries in a segment.
pub(super) const MOST: usize = 1 << 16;
/// Number of uncompressed bytes of blobs that form one gzip member.
const MEMBER: usize = 1 << 16;
/// Number of compressed bytes of blobs at which a segment is full.
const MOST_PACKED: usize = 16 << 20;
/// Upper bound for the length of a blob, in bytes. Site files and response headers are truncated to
/// much shorter lengths.
const LONGEST: u64 = 64 << 20;
const TABLE_ROW: usize = 33;

/// Type of a blob in a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlobKind {
    /// Context: terms of judgement and site files by which pages were judged.
    Context = 1,
    /// The response header lines by which a page was judged.
    Head = 2,
    /// A decision about a page, with the directives that decided.
    Decision = 3,
    /// A site file (such as robots.txt), byte by byte as the site sent it.
    File = 4,
}

/// The JSON line at the beginning of a segment's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SegmentHead {
    evidence: u32,
    log: Hex<16>,
    /// Number of the segment's first entry, counted over the whole log.
    pub(super) first: u64,
    pub(super) entries: usize,
    /// Number of the segment's first blob, counted over the whole log.
    pub(super) first_blob: u32,
    pub(super) blobs: usize,
    /// Number of blocks of 256 entries whose last entry is in the segment.
    pub(super) blocks: usize,
    /// Number of blobs and compressed length in bytes of each gzip member.
    pub(super) members: Vec<(u32, u64)>,
}

/// Offsets in bytes of the parts of a segment's file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    pub(super) rows: u64,
    pub(super) table: u64,
    pub(super) blocks: u64,
    pub(super) members: u64,
}

impl SegmentHead {
    /// Parses the first line of a segment's file, and computes the offsets of the parts after the
    /// line. `None` if the line is damaged or belongs to another log than `log`.
    pub(super) fn read(bytes: &[u8], log: [u8; 16]) -> Option<(Self, Places)> {
        let end = memchr::memchr(b'\n', bytes)?;
        let head: Self = serde_json::from_slice(&bytes[..end]).ok()?;
        if !is_readable(head.evidence) || head.log.0 != log {
            return None;
        }
        let rows = end as u64 + 1;
        let table = rows.checked_add(head.entries.checked_mul(ROW)? as u64)?;
        let blocks = table.checked_add(head.blobs.checked_mul(TABLE_ROW)? as u64)?;
        let members = blocks.checked_add(head.blocks.checked_mul(32)? as u64)?;
        Some((
            head,
            Places {
                rows,
                table,
                blocks,
                members,
            },
        ))
    }

    /// Finds the gzip member that contains blob number `blob` of the log. Returns the member's
    /// offset from the first member, the member's length, and the blob's index in the member.
    pub(super) fn member_of(&self, blob: u32) -> Option<(u64, u64, u32)> {
        let mut place = 0;
        let mut number = blob.checked_sub(self.first_blob)?;
        for (blobs, bytes) in &self.members {
            if number < *blobs {
                return Some((place, *bytes, number));
            }
            place += bytes;
            number -= blobs;
        }
        None
    }
}

/// Decompresses a gzip member, and returns its blobs.
pub(super) fn unpack(member: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut bytes = Vec::new();
    GzDecoder::new(member)
        .take(LONGEST + 2 * MEMBER as u64)
        .read_to_end(&mut bytes)
        .ok()?;
    let mut rest = bytes.as_slice();
    let mut blobs = Vec::new();
    while let Some((length, bytes)) = rest.split_first_chunk() {
        let (blob, next) = bytes.split_at_checked(u32::from_be_bytes(*length) as usize)?;
        blobs.push(blob.to_vec());
        rest = next;
    }
    rest.is_empty().then_some(blobs)
}

/// A row of the keys file of a segment: the tag by which a URL is found, the salt of its entry, and
/// the entry's number in the segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KeyRow {
    pub(super) tag: [u8; 8],
    pub(super) entry: u32,
    pub(super) salt: Salt,
}

pub(super) const KEY_ROW: usize = 8 + 4 + 16;

/// Returns the content of a segment's keys file: the rows sorted by tag, and a digest over them.
pub(super) fn keys_file(mut keys: Vec<KeyRow>) -> Vec<u8> {
    keys.sort_unstable();
    let mut bytes = Vec::with_capacity(keys.len() * KEY_ROW + 32);
    for row in keys {
        bytes.extend(row.tag);
        bytes.extend(row.entry.to_be_bytes());
        bytes.extend(row.salt);
    }
    let sum: Hash = Sha256::digest(&bytes).into();
    bytes.extend(sum);
    bytes
}

/// Parses the content of a keys file; `None` if it is damaged.
pub(super) fn keys(file: &[u8]) -> Option<Vec<KeyRow>> {
    let (rows, sum) = file.split_last_chunk::<32>()?;
    let is_whole = Hash::from(Sha256::digest(rows)) == *sum && rows.len().is_multiple_of(KEY_ROW);
    is_whole.then(|| rows.chunks_exact(KEY_ROW).filter_map(key_row).collect())
}

pub(super) fn key_row(row: &[u8]) -> Option<KeyRow> {
    let (tag, rest) = row.split_first_chunk()?;
    let (entry, salt) = rest.split_first_chunk()?;
    Some(KeyRow {
        tag: *tag,
        entry: u32::from_be_bytes(*entry),
        salt: salt.try_into().ok()?,
    })
}

/// A segment of a log in memory that is not yet written.
#[derive(Debug)]
pub(super) struct Segment {
    log: [u8; 16],
    first: u64,
    first_blob: u32,
    rows: Vec<u8>,
    table: Vec<u8>,
    blocks: Vec<Hash>,
    members: Vec<(u32, u64)>,
    packed: Vec<u8>,
    /// Blobs of the gzip member that is not complete yet, uncompressed.
    waiting: Vec<u8>,
    waiting_blobs: u32,
    pub(super) keys: Vec<KeyRow>,
}

impl Segment {
    pub(super) fn new(log: [u8; 16], first: u64, first_blob: u32) -> Self {
        Self {
            log,
            first,
            first_blob,
            rows: Vec::new(),
            table: Vec::new(),
            blocks: Vec::new(),
            members: Vec::new(),
            packed: Vec::new(),
            waiting: Vec::new(),
            waiting_blobs: 0,
            keys: Vec::new(),
        }
    }

    /// Parses a complete segment, so that the next segment can be appended to it. `file` is the
    /// content of the segment's file.
    pub(super) fn from_file(file: &[u8], keys: Vec<KeyRow>, log: [u8; 16]) -> Option<Self> {
        let (head, places) = SegmentHead::read(file, log)?;
        let part =
            |from: u64, to: u64| file.get(usize::try_from(from).ok()?..usize::try_from(to).ok()?);
        Some(Self {
            log,
            first: head.first,
            first_blob: head.first_blob,
            rows: part(places.rows, places.table)?.to_vec(),
            table: part(places.table, places.blocks)?.to_vec(),
            blocks: part(places.blocks, places.members)?
                .chunks_exact(32)
                .filter_map(|hash| hash.try_into().ok())
                .collect(),
            members: head.members,
            packed: part(places.members, file.len() as u64)?.to_vec(),
            waiting: Vec::new(),
            waiting_blobs: 0,
            keys,
        })
    }

    pub(super) fn entries(&self) -> usize {
        self.rows.len() / ROW
    }

    pub(super) fn blobs(&self) -> usize {
        self.table.len() / TABLE_ROW
    }

    /// True if the segment in memory has neither entries nor blobs.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.table.is_empty()
    }

    /// True if the segment has so many entries or bytes that the next entry should begin a new one.
    pub(super) fn is_full(&self) -> bool {
        self.entries() >= MOST || self.packed.len() >= MOST_PACKED
    }

    /// Adds the row of an entry, with its tag and salt. If the entry is the last of a block of 256
    /// entries, `block` is the hash of that block.
    pub(super) fn add(&mut self, row: [u8; ROW], tag: [u8; 8], salt: Salt, block: Option<Hash>) {
        let entry = u32::try_from(self.entries()).unwrap_or(u32::MAX);
        self.keys.push(KeyRow { tag, entry, salt });
        self.rows.extend(row);
        self.blocks.extend(block);
    }

    /// Adds a blob to the segment.
    pub(super) fn add_blob(
        &mut self,
        kind: BlobKind,
        digest: &Hash,
        bytes: &[u8],
    ) -> std::io::Result<()> {
        self.table.push(kind as u8);
        self.table.extend(digest);
        self.waiting
            .extend(u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_be_bytes());
        self.waiting.extend(bytes);
        self.waiting_blobs += 1;
        if self.waiting.len() >= MEMBER {
            self.pack()
        } else {
            Ok(())
        }
    }

    fn pack(&mut self) -> std::io::Result<()> {
        if self.waiting_blobs == 0 {
            return Ok(());
        }
        let before = self.packed.len();
        let mut packer = GzEncoder::new(&mut self.packed, Compression::default());
        packer
            .write_all(&self.waiting)
            .and_then(|()| packer.finish())?;
        self.members.push((
            std::mem::take(&mut self.waiting_blobs),
            (self.packed.len() - before) as u64,
        ));
        self.waiting.clear();
        Ok(())
    }

    /// Appends all entries and blobs of `next`, the following segment of the log.
    pub(super) fn join(&mut self, next: Self) -> std::io::Result<()> {
        self.pack()?;
        let before = u32::try_from(self.entries()).unwrap_or(u32::MAX);
        self.keys.extend(next.keys.iter().map(|row| KeyRow {
            entry: row.entry + before,
            ..*row
        }));
        let Self {
            rows,
            table,
            blocks,
            members,
            packed,
            waiting,
            waiting_blobs,
            ..
        } = next;
        self.rows.extend(rows);
        self.table.extend(table);
        self.blocks.extend(blocks);
        self.members.extend(members);
        self.packed.extend(packed);
        self.waiting = waiting;
        self.waiting_blobs = waiting_blobs;
        Ok(())
    }

    /// Returns the complete content of the segment's file.
    pub(super) fn bytes(&mut self) -> std::io::Result<Vec<u8>> {
        self.pack()?;
        let head = SegmentHead {
            evidence: VERSION,
            log: Hex(self.log),
            first: self.first,
            entries: self.entries(),
            first_blob: self.first_blob,
            blobs: self.blobs(),
            blocks: self.blocks.len(),
            members: self.members.clone(),
        };
        let mut bytes = serde_json::to_vec(&head)?;
        bytes.push(b'\n');
        bytes.extend(&self.rows);
        bytes.extend(&self.table);
        bytes.extend(self.blocks.as_flattened());
        bytes.extend(&self.packed);
        Ok(bytes)
    }
}

/// Parses a table of blobs into the type and digest of each blob.
pub(super) fn table(bytes: &[u8]) -> impl Iterator<Item = (u8, Hash)> {
    bytes
        .chunks_exact(TABLE_ROW)
        .filter_map(|row| Some((*row.first()?, row.get(1..)?.try_into().ok()?)))
}

/// Parses consecutive stored rows of a segment. An invalid row is `None`.
pub(super) fn rows(bytes: &[u8]) -> impl Iterator<Item = Option<EntryRow>> {
    bytes.chunks_exact(ROW).map(EntryRow::read)
}

/// Returns the number of complete blocks of 256 entries in a log of `size` entries.
pub(super) fn blocks_in(size: u64) -> u64 {
    size / BLOCK
}
