//! Writes a log of evidence.
//!
//! New entries of a log stay in memory until [`LogWriter::finish`] has written and synced them in
//! new files. `finish` returns the head that the commit of the index or mask must contain. After
//! that commit, [`LogWriter::committed`] stores the head in the log, and deletes files that the
//! head does not name. After a crash, the next writer restores the log to the last commit: it
//! deletes all later files.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use heedful_base::error::{Error, Result};
use heedful_index::decision::hex::Hex;
use heedful_index::decision::{EntryKind, Hash, PageDigest};

use super::entry::{EntryRow, Salt, key, page};
use super::files::{LogFiles, LogFolder};
use super::head::{Head, LogOwner, SECRET, SegmentFile, keys_name, segment_name, segment_number};
use super::log::{HEAD, Log, REFERS, head_file, read_head, tag};
use super::sealed::{SealedText, seal};
use super::segment::{self, BlobKind, MOST, Segment, keys_file};
use super::tree::{BLOCK, MerkleTree, root};

/// Maximum number of blobs that the writer remembers for reuse, not counting site files.
const MOST_KNOWN: usize = 1 << 16;
/// Number of random bytes that the writer requests from the system at once.
const RANDOM: usize = 4096;

/// The parts of a new log entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewEntry<'a> {
    pub(crate) kind: EntryKind,
    /// URL that the entry is about, in its normal form.
    pub(crate) url: &'a str,
    pub(crate) captured: Option<i64>,
    /// Digest of the page. `None` if the URL is not a page.
    pub(crate) page: Option<PageDigest>,
    /// Context, response header lines, and decision of the entry, in this order.
    pub(crate) refers: [SealedText<'a>; 3],
}

/// A log that is opened for writing. A log has only one writer at a time.
#[derive(Debug)]
pub(crate) struct LogWriter {
    pub(super) files: Arc<dyn LogFiles>,
    secret: Hash,
    /// Head of the log at the last commit.
    pub(super) head: Head,
    /// Head that includes the entries that were written to files but are not committed yet.
    next: Option<Head>,
    segment: Segment,
    /// Segment files that were written since the last commit.
    written: Vec<SegmentFile>,
    next_number: u64,
    size: u64,
    blobs: u32,
    blocks: Vec<Hash>,
    /// Leaf hashes of the entries after the last complete block of 256 entries.
    rest: Vec<Hash>,
    /// Numbers of blobs that new entries can reuse, by type and digest of the blob.
    known: HashMap<(u8, Hash), u32>,
    known_files: HashMap<Hash, u32>,
    random: Vec<u8>,
}

/// State of the log that a writer requires when it opens the log.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LogStart<'a> {
    /// The log must be empty, because its index has no evidence yet.
    New,
    /// The log must contain all entries up to this head, which the last commit of the index names.
    At(&'a Head),
    /// The log belongs to masks. The writer continues from the head that the log itself stores.
    Own,
}

impl LogStart<'_> {
    fn owner(self) -> LogOwner {
        if matches!(self, Self::Own) {
            LogOwner::Masks
        } else {
            LogOwner::Index
        }
    }
}

impl LogWriter {
    pub(crate) fn open_folder(folder: &Path, standing: LogStart<'_>) -> Result<Self> {
        // The check precedes the lock, so that a wrong folder is not changed.
        match standing {
            LogStart::At(head) if !folder.join(HEAD).exists() => {
                return Err(missing(&folder.display().to_string(), head));
            }
            _ => {}
        }
        Self::open(
            &(Arc::new(LogFolder::lock(folder)?) as Arc<dyn LogFiles>),
            standing,
        )
    }

    /// Opens an index's log without the index, so without knowing the head in the index's last
    /// commit. A log of masks is opened at its own head.
    ///
    /// # Errors
    /// An evidence error if the head that the log stores may differ from the head in the index's
    /// last commit.
    pub(super) fn open_alone(folder: &Path) -> Result<Self> {
        // The lock creates a file, so the check for a log comes first.
        if read_head(&LogFolder::open(folder))?.is_none() {
            return Err(no_evidence(folder));
        }
        let files = Arc::new(LogFolder::lock(folder)?) as Arc<dyn LogFiles>;
        let Some(own) = read_head(&*files)? else {
            return Err(no_evidence(folder));
        };
        if own.of == LogOwner::Masks {
            return Self::open(&files, LogStart::Own);
        }
        if files.in_folder(has_more(&*files, &own))? {
            let message = format!(
                "{} has files of a run that broke off, and only its index knows if they are part of the log: name that \
                 with --index DIR",
                files.place()
            );
            return Err(Error::evidence(message));
        }
        Self::open(&files, LogStart::At(&own))
    }

    pub(crate) fn open(files: &Arc<dyn LogFiles>, standing: LogStart<'_>) -> Result<Self> {
        let place = files.place();
        let own = read_head(&**files)?;
        let head = match (own, standing) {
            (None, LogStart::At(head)) => return Err(missing(&place, head)),
            (None, _) => create_log(&**files, standing.owner())?,
            (Some(own), _) if own.of != standing.owner() => return Err(other(&place)),
            (Some(own), LogStart::Own) => own,
            (Some(own), LogStart::New) if own.size == 0 => own,
            (Some(_), LogStart::New) => return Err(other(&place)),
            (Some(own), LogStart::At(head)) if own.log != head.log => {
                return Err(missing(&place, head));
            }
            (Some(own), LogStart::At(head))
                if own.size > head.size || own.size == head.size && own.root != head.root =>
            {
                let message = format!(
                    "{place} has {} entries, and what it is for knows of {}: one of the two is an older copy; restore the \
                     other, or begin new evidence in another folder",
                    own.size, head.size
                );
                return Err(Error::evidence(message));
            }
            (Some(_), LogStart::At(head)) => head.clone(),
        };
        let log = Log::open_files(Arc::clone(files), head)?;
        Self::append_to(log)
    }

    /// Creates a writer that appends entries to `log`.
    fn append_to(log: Log) -> Result<Self> {
        let rest = log.leaves(segment::blocks_in(log.head.size))?;
        let found = log.with_tree(|tree| tree.root())?;
        if found != log.head.root.0 {
            return Err(Error::evidence(format!(
                "{}: its entries do not lead to the root of its head; `heedful evidence audit` names the first bad one",
                log.files.place()
            )));
        }
        let secret = log.secret()?;
        let blobs = log.head.segments.iter().map(|file| file.blobs).sum();
        let mut known = HashMap::new();
        let mut known_files = HashMap::new();
        for opened in &log.segments {
            for ((kind, digest), number) in log.table(opened)?.iter().zip(opened.head.first_blob..)
            {
                if *kind == BlobKind::File as u8 {
                    known_files.insert(*digest, number);
                } else if known.len() < MOST_KNOWN {
                    known.insert((*kind, *digest), number);
                }
            }
        }
        let Log {
            files,
            head,
            blocks,
            ..
        } = log;
        let writer = Self {
            segment: Segment::new(head.log.0, head.size, blobs),
            written: Vec::new(),
            next: None,
            next_number: head.next,
            size: head.size,
            blobs,
            blocks,
            rest,
            known,
            known_files,
            random: Vec::new(),
            secret,
            files,
            head,
        };
        // A file that cannot be deleted is harmless here; the next writer tries again.
        let _ = writer.sweep();
        if read_head(&*writer.files)?.as_ref() != Some(&writer.head) {
            writer.keep_head()?;
        }
        Ok(writer)
    }

    /// Deletes all files of segments that the log's head does not name. If a file cannot be
    /// deleted, continues with the other files, and returns the first error.
    pub(super) fn sweep(&self) -> std::io::Result<()> {
        let mut swept = Ok(());
        for name in self.files.names()? {
            if self.is_left_over(&name) {
                let deleted = self.files.delete(&name);
                swept = swept.and(deleted);
            }
        }
        swept
    }

    /// True for the name of a file that is incomplete, or belongs to a segment that the log's head
    /// does not name.
    fn is_left_over(&self, name: &str) -> bool {
        if name.ends_with(".next") {
            return true;
        }
        let named = &self.head.segments;
        match segment_number(name) {
            Some(number) => !named.iter().any(|file| file.number == number),
            None => false,
        }
    }

    /// Returns the path of the log's folder, for error messages and for later commits.
    pub(crate) fn place(&self) -> String {
        self.files.place()
    }

    /// Returns the head of the log at the last commit.
    pub(crate) fn head(&self) -> &Head {
        &self.head
    }

    /// Stores the content of a site file, unless the log has it, and returns its digest.
    pub(crate) fn file(&mut self, bytes: &[u8]) -> Result<Hash> {
        let digest = Sha256::digest(bytes).into();
        if !self.known_files.contains_key(&digest) {
            let number = self.new_blob(BlobKind::File, &digest, bytes)?;
            self.known_files.insert(digest, number);
        }
        Ok(digest)
    }

    /// True if the log has a site file with this digest.
    pub(crate) fn has_file(&self, digest: &Hash) -> bool {
        self.known_files.contains_key(digest)
    }

    /// Stores a text of the entry that has this salt, encrypted if it names the page. Returns the
    /// number and the digest of the text's blob.
    fn text(&mut self, kind: BlobKind, text: SealedText<'_>, salt: &Salt) -> Result<(u32, Hash)> {
        match text {
            SealedText::Shared(text) => self.blob(kind, text.as_bytes()),
            SealedText::Own(text) => {
                let sealed = seal(text, kind, salt);
                let digest = Sha256::digest(&sealed).into();
                Ok((self.new_blob(kind, &digest, sealed.as_bytes())?, digest))
            }
        }
    }

    /// Stores a blob, unless the writer remembers that the log has it. Returns the blob's number
    /// and digest.
    fn blob(&mut self, kind: BlobKind, bytes: &[u8]) -> Result<(u32, Hash)> {
        let digest = Sha256::digest(bytes).into();
        let key = (kind as u8, digest);
        if let Some(number) = self.known.get(&key) {
            return Ok((*number, digest));
        }
        if self.known.len() >= MOST_KNOWN {
            self.known.clear();
        }
        let number = self.new_blob(kind, &digest, bytes)?;
        self.known.insert(key, number);
        Ok((number, digest))
    }

    fn new_blob(&mut self, kind: BlobKind, digest: &Hash, bytes: &[u8]) -> Result<u32> {
        let number = self.blobs;
        let Some(next) = number.checked_add(1) else {
            return Err(Error::evidence("the log is full".to_owned()));
        };
        self.blobs = next;
        let added = self.segment.add_blob(kind, digest, bytes);
        self.files.in_folder(added)?;
        Ok(number)
    }

    /// Adds an entry to the log, in memory. Returns the number of the entry.
    pub(crate) fn add(&mut self, new: &NewEntry<'_>) -> Result<u64> {
        if self.segment.is_full() {
            self.write_segment()?;
        }
        let mut numbers = [0; 3];
        let mut digests = [[0; 32]; 3];
        let salt = self.salt()?;
        for (at, (text, kind)) in new.refers.into_iter().zip(REFERS).enumerate() {
            (numbers[at], digests[at]) = self.text(kind, text, &salt)?;
        }
        let row = EntryRow {
            kind: new.kind,
            captured: new.captured,
            key: key(new.url, &salt),
            page: page(new.page, &salt),
            refers: numbers,
        };
        let leaf = row.entry(digests).leaf();
        let number = self.size;
        self.rest.push(leaf);
        let mut block = None;
        if self.rest.len() as u64 == BLOCK {
            let hash = root(&std::mem::take(&mut self.rest));
            self.blocks.push(hash);
            block = Some(hash);
        }
        let tag = tag(new.url, &self.secret);
        self.segment.add(row.bytes(&leaf, number), tag, salt, block);
        self.size += 1;
        Ok(number)
    }

    fn salt(&mut self) -> Result<Salt> {
        if self.random.len() < size_of::<Salt>() {
            self.random = vec![0; RANDOM];
            fill(&mut self.random)?;
        }
        let at = self.random.len() - size_of::<Salt>();
        Ok(self.random.split_off(at).try_into().unwrap_or_default())
    }

    /// Writes and syncs all entries that were added since the last commit. Returns the log's head,
    /// which the commit must contain. `time` is the time of the commit in seconds since 1970.
    ///
    /// # Errors
    /// An I/O error if a file of the log cannot be written. Entries of earlier commits are not
    /// affected.
    pub(crate) fn finish(&mut self, time: i64) -> Result<Head> {
        if self.segment.is_empty() && self.written.is_empty() {
            return Ok(self.head.clone());
        }
        let mut kept = self.head.segments.clone();
        self.join_small(&mut kept)?;
        self.write_segment()?;
        kept.append(&mut self.written);
        self.files.in_folder(self.files.sync())?;
        let rest = &self.rest;
        let root = MerkleTree {
            size: self.size,
            blocks: &self.blocks,
            leaves: &|_| Ok(rest.clone()),
        }
        .root()?;
        let head = Head {
            log: self.head.log,
            of: self.head.of,
            size: self.size,
            root: Hex(root),
            time,
            segments: kept,
            next: self.next_number,
        };
        self.next = Some(head.clone());
        Ok(head)
    }

    /// Merges the new segment with the last segment of `kept`, which is removed from `kept`.
    /// Repeats this with the merged segment. Stops when the last segment of `kept` has more entries
    /// than the segment to merge it with, or both together have too many. So many small commits
    /// leave few segments.
    fn join_small(&mut self, kept: &mut Vec<SegmentFile>) -> Result<()> {
        while self.written.is_empty()
            && let Some(last) = kept.last()
            && last.entries as usize <= self.segment.entries()
            && last.entries as usize + self.segment.entries() <= MOST
        {
            let file = self.files.read(&last.name(), None);
            let file = self.files.in_folder(file)?;
            let keys = self.files.read(&last.keys_name(), None);
            let keys = self.files.in_folder(keys)?;
            let Some(mut joined) = read_segment(&file, &keys, last, self.head.log.0) else {
                let first = self.head.size - u64::from(last.entries);
                let message = format!(
                    "{}: {} is damaged, from entry {first} on",
                    self.files.place(),
                    last.name()
                );
                return Err(Error::evidence(message));
            };
            let segment = std::mem::replace(&mut self.segment, Segment::new(self.head.log.0, 0, 0));
            self.files.in_folder(joined.join(segment))?;
            self.segment = joined;
            kept.pop();
        }
        Ok(())
    }

    fn write_segment(&mut self) -> Result<()> {
        if self.segment.is_empty() {
            return Ok(());
        }
        let next = Segment::new(self.head.log.0, self.size, self.blobs);
        let mut segment = std::mem::replace(&mut self.segment, next);
        let entries = segment.entries();
        let blobs = segment.blobs();
        let bytes = self.files.in_folder(segment.bytes())?;
        let number = self.next_number;
        let keys = keys_file(segment.keys);
        let written = self.files.write(&segment_name(number), &bytes);
        self.files.in_folder(written)?;
        let written = self.files.write(&keys_name(number), &keys);
        self.files.in_folder(written)?;
        self.next_number += 1;
        self.written.push(SegmentFile {
            number,
            entries: u32::try_from(entries).unwrap_or(u32::MAX),
            blobs: u32::try_from(blobs).unwrap_or(u32::MAX),
            bytes: bytes.len() as u64,
            sum: Hex(Sha256::digest(&bytes).into()),
        });
        Ok(())
    }

    /// Stores the head that includes the finished entries as the head of the log. The commit with
    /// these entries must be complete.
    ///
    /// # Errors
    /// An I/O error if the head cannot be written to the log. Then the next writer stores the head.
    pub(crate) fn committed(&mut self) -> Result<()> {
        let Some(head) = self.next.take() else {
            return Ok(());
        };
        self.head = head;
        self.keep_head()?;
        let _ = self.sweep();
        Ok(())
    }

    fn keep_head(&self) -> Result<()> {
        let replaced = self.files.replace(HEAD, &head_file(&self.head));
        self.files.in_folder(replaced)
    }
}

/// Parses a segment from the contents of its file and of its keys file. `None` if one of the two
/// files is damaged.
fn read_segment(file: &[u8], keys: &[u8], named: &SegmentFile, log: [u8; 16]) -> Option<Segment> {
    if Hash::from(Sha256::digest(file)) != named.sum.0 {
        return None;
    }
    Segment::from_file(file, segment::keys(keys)?, log)
}

/// True if the folder has segment files that are newer than the state that `head` describes.
fn has_more(files: &dyn LogFiles, head: &Head) -> std::io::Result<bool> {
    for name in files.names()? {
        if let Some(number) = segment_number(&name)
            && number >= head.next
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Creates an empty log with an owner of this kind, and returns its head.
fn create_log(files: &dyn LogFiles, of: LogOwner) -> Result<Head> {
    for name in files.in_folder(files.names())? {
        if !name.starts_with(HEAD) && !name.starts_with(SECRET) {
            let message = format!(
                "{} is not empty and holds no evidence: choose another folder",
                files.place()
            );
            return Err(Error::evidence(message));
        }
    }
    let mut log = [0; 16];
    let mut secret = [0; 32];
    fill(&mut log)?;
    fill(&mut secret)?;
    let head = Head::new(log, of);
    files.in_folder(files.replace(SECRET, &secret))?;
    files.in_folder(files.replace(HEAD, &head_file(&head)))?;
    Ok(head)
}

fn no_evidence(folder: &Path) -> Error {
    Error::evidence(format!("{} holds no evidence", folder.display()))
}

fn other(place: &str) -> Error {
    Error::evidence(format!(
        "{place} holds the evidence of something else: choose another folder"
    ))
}

fn missing(place: &str, head: &Head) -> Error {
    let log = head.log();
    let size = head.size;
    let message = format!(
        "{place} does not hold the log {log}, which the last commit names with {size} entries: say where that is with \
         --evidence DIR, or begin new evidence with `heedful index` and --evidence DIR --new-evidence"
    );
    Error::evidence(message)
}

fn fill(bytes: &mut [u8]) -> Result<()> {
    getrandom::fill(bytes)
        .map_err(|error| Error::evidence(format!("the system gives no random bytes ({error})")))
}
