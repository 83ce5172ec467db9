//! Reads a log: its entries, their records, and the tree over them.
//!
//! Reading an entry verifies that it is the entry of its record. Only the audit (`audit`) reads all
//! files.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};
use signed_note::Note;
use tlog_tiles::Checkpoint;

use heedful_base::address::Key;
use heedful_base::error::{Error, Result};
use heedful_index::decision::{BotAnswer, EntryKind, Hash};

use super::bundles::{self, Sequence};
use super::files::{LogFiles, LogFolder};
use super::keys::PublicKey;
use super::record::{Entry, Record, SaltedRecord};
use super::state::{Head, LogState};
use super::tiles::Tree;

/// Name of the file with the log's last checkpoint.
pub(super) const CHECKPOINT: &str = "checkpoint";
/// Name of the file with the last checkpoint that has a cosignature.
pub(super) const COSIGNED: &str = "cosigned";
/// Name of the file with the verifier keys, one in each line. The first key is the log's own. The
/// other keys belong to cosigners.
pub(super) const KEYS: &str = "keys";
/// Name of the file with the private key of the log.
pub(super) const PRIVATE_KEY: &str = "private/key";
/// Length in bytes of a row in a bundle of URLs. A row has a short hash of a URL (8 bytes), and the
/// number of an entry inside the bundle (2 bytes).
const URL_ROW: usize = 8 + 2;

/// Append-only log of the decisions about pages (evidence), opened for reading.
#[derive(Debug)]
pub struct Log {
    pub(super) files: Arc<dyn LogFiles>,
    pub(super) state: LogState,
    /// Data that was already read from the files of the log: the last bundle of records, and the
    /// rows for URLs. A row has a short hash of a URL, and the number of an entry about the URL.
    cache: Mutex<Cache>,
}

#[derive(Debug, Default)]
struct Cache {
    records: Option<(u64, Vec<Vec<u8>>)>,
    urls: Vec<Arc<Vec<UrlRow>>>,
}

/// Row of a bundle of URLs. `tag` is a short hash of a URL. `entry` is the number of an entry about
/// this URL, counted from the start of the bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct UrlRow {
    pub(super) tag: [u8; 8],
    pub(super) entry: u16,
}

/// Entry that was found by the URL of its page, together with its record.
#[derive(Clone, Debug)]
pub(super) struct FoundEntry {
    pub(super) number: u64,
    pub(super) kind: EntryKind,
    pub(super) salted: SaltedRecord,
    pub(super) record: Record,
}

/// Decision about a URL, as it is recorded in a log.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordedDecision {
    /// Number of the decision's entry: its position in the log, from 0.
    pub number: u64,
    /// Kind of the recorded decision.
    pub kind: EntryKind,
    /// Time of the page's fetch, in seconds since 1970. `None` if the time is unknown.
    pub captured: Option<i64>,
    /// Version of docs/semantics.md by which the page was judged.
    pub law: u32,
    /// Reason why the page is not indexed or no longer indexed, or why its snapshot was removed.
    /// `None` for any other decision.
    pub reason: Option<String>,
    /// Text of the header, rule or other statement that caused [`RecordedDecision::reason`]. `None`
    /// if no statement caused the reason.
    pub why: Option<String>,
    /// Decision for each bot: the allowed and denied uses, and the directives that decided.
    pub bots: Vec<BotAnswer>,
}

impl Log {
    /// Opens the log in `folder` for reading, in the state of the log's last commit.
    ///
    /// # Errors
    /// An evidence error if the folder has no log, or if the stored state of the log is damaged.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self> {
        let files: Arc<dyn LogFiles> = Arc::new(LogFolder::open(folder.as_ref()));
        match LogState::read(&*files)? {
            Some(state) => Ok(Self::from_state(files, state)),
            None => Err(Error::evidence(format!(
                "{} holds no evidence: make some with `heedful index INPUT -o INDEX --evidence DIR`",
                files.place()
            ))),
        }
    }

    /// Opens the log in `folder` for reading, in the state that `head` describes. `head` comes from
    /// the last commit of an index. After a crash, the log itself may store an older head.
    ///
    /// # Errors
    /// An evidence error if `folder` has no log with the origin of `head`. Also an evidence error
    /// if the log has more entries than `head` states.
    pub fn open_at(folder: impl AsRef<Path>, head: &Head) -> Result<Self> {
        Self::open_files_at(Arc::new(LogFolder::open(folder.as_ref())), head)
    }

    pub(crate) fn open_files_at(files: Arc<dyn LogFiles>, head: &Head) -> Result<Self> {
        let place = files.place();
        match LogState::read(&*files)? {
            Some(own) if own.head.origin == head.origin && own.head.size <= head.size => {
                let head = head.clone();
                Ok(Self::from_state(files, LogState { head, ..own }))
            }
            Some(own) if own.head.origin == head.origin => Err(Error::evidence(format!(
                "{place} has {} entries, and the index names {}: one of the two is an older copy",
                own.head.size, head.size
            ))),
            _ => Err(Error::evidence(format!(
                "{place} does not hold the log {}",
                head.origin
            ))),
        }
    }

    pub(super) fn from_state(files: Arc<dyn LogFiles>, state: LogState) -> Self {
        Self {
            files,
            state,
            cache: Mutex::default(),
        }
    }

    /// Returns the head that the log had when it was opened.
    pub fn head(&self) -> &Head {
        &self.state.head
    }

    pub(super) fn tree(&self) -> Tree<'_> {
        Tree {
            files: &*self.files,
            stored: self.head().size,
            fresh: None,
        }
    }

    /// Reads bundle number `bundle` of a sequence. An error names the bundle's file.
    pub(super) fn bundle(&self, sequence: Sequence, bundle: u64) -> Result<Vec<u8>> {
        let name = sequence.name_at(bundle, self.head());
        let read = self.files.read(&name);
        read.map_err(|error| self.files.file_error(&name, error))
    }

    pub(super) fn damaged(&self, name: &str) -> Error {
        Error::evidence(format!("{}/{name} is damaged", self.files.place()))
    }

    /// Reads the entries of bundle number `bundle`, each as bytes.
    pub(super) fn entries(&self, bundle: u64) -> Result<Vec<Vec<u8>>> {
        let bytes = self.bundle(Sequence::Entries, bundle)?;
        let name = Sequence::Entries.name_at(bundle, self.head());
        bundles::parse_entries(&bytes).ok_or_else(|| self.damaged(&name))
    }

    /// Reads the elements of bundle number `bundle` of a sequence whose bundles are compressed:
    /// records or site files.
    pub(super) fn packed(&self, sequence: Sequence, bundle: u64) -> Result<Vec<Vec<u8>>> {
        let bytes = self.bundle(sequence, bundle)?;
        let name = sequence.name_at(bundle, self.head());
        bundles::unpack(&bytes).ok_or_else(|| self.damaged(&name))
    }

    /// Reads the record of entry `number`. Returns `None` if the record was erased.
    pub(super) fn record(&self, number: u64) -> Result<Option<SaltedRecord>> {
        let width = Sequence::Records.width();
        let bundle = number / width;
        if self.state.is_erasing(number) {
            return Ok(None);
        }
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let records = match cache.records.take() {
            Some((known, records)) if known == bundle => records,
            _ => self.packed(Sequence::Records, bundle)?,
        };
        let at = usize::try_from(number % width).unwrap_or(usize::MAX);
        let bytes = records.get(at).cloned().unwrap_or_default();
        cache.records = Some((bundle, records));
        if bytes.is_empty() {
            return Ok(None);
        }
        let name = Sequence::Records.name_at(bundle, self.head());
        SaltedRecord::read(&bytes)
            .map(Some)
            .ok_or_else(|| self.damaged(&name))
    }

    /// Reads the entry with the number `number`.
    pub(super) fn entry(&self, number: u64) -> Result<Entry> {
        let width = Sequence::Entries.width();
        let entries = self.entries(number / width)?;
        let at = usize::try_from(number % width).unwrap_or(usize::MAX);
        let entry = entries.get(at).and_then(|bytes| Entry::read(bytes));
        entry.ok_or_else(|| self.damaged_entry(number))
    }

    pub(super) fn damaged_entry(&self, number: u64) -> Error {
        Error::evidence(format!(
            "{}: entry {number} is not as it was written",
            self.files.place()
        ))
    }

    /// Returns the rows of the bundle of URLs with the number `bundle`. A row has the tag (a short
    /// hash) of a URL, and the number of an entry about the URL. The rows are sorted by tag, then
    /// by entry.
    fn url_rows(&self, bundle: u64) -> Result<Arc<Vec<UrlRow>>> {
        let at = usize::try_from(bundle).unwrap_or(usize::MAX);
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        while cache.urls.len() <= at {
            let rows = self.read_url_rows(cache.urls.len() as u64)?;
            cache.urls.push(Arc::new(rows));
        }
        Ok(Arc::clone(&cache.urls[at]))
    }

    pub(super) fn read_url_rows(&self, bundle: u64) -> Result<Vec<UrlRow>> {
        let name = Sequence::Urls.name_at(bundle, self.head());
        let rows = parse_url_rows(&self.bundle(Sequence::Urls, bundle)?);
        rows.ok_or_else(|| self.damaged(&name))
    }

    /// Returns the entries about the URL `url`, oldest first. Entries whose records were erased are
    /// left out.
    pub(super) fn entries_of_url(&self, url: &str) -> Result<Vec<FoundEntry>> {
        let url = Key::parse(url);
        let tag = tag(url.as_str());
        let mut found = Vec::new();
        for bundle in Sequence::Urls.bundles(self.head()) {
            let rows = self.url_rows(bundle)?;
            let first = rows.partition_point(|row| row.tag < tag);
            for row in rows[first..].iter().take_while(|row| row.tag == tag) {
                let number = bundle * Sequence::Urls.width() + u64::from(row.entry);
                let Some(entry) = self.found_entry(number)? else {
                    continue;
                };
                // Different URLs can share a tag of 64 bits.
                if entry.record.url == url.as_str() {
                    found.push(entry);
                }
            }
        }
        Ok(found)
    }

    /// Reads entry `number` with its record. Returns `None` if the record was erased.
    fn found_entry(&self, number: u64) -> Result<Option<FoundEntry>> {
        let Some(salted) = self.record(number)? else {
            return Ok(None);
        };
        let entry = self.entry(number)?;
        if salted.entry(entry.kind) != entry {
            return Err(self.damaged_entry(number));
        }
        Ok(Some(FoundEntry {
            number,
            kind: entry.kind,
            record: Record::parse(&salted.text)?,
            salted,
        }))
    }

    /// Returns the decisions about the URL `url`, oldest first. Decisions with erased records are
    /// left out.
    ///
    /// # Errors
    /// An evidence error if the log is damaged. An I/O error if the log cannot be read.
    pub fn history(&self, url: &str) -> Result<Vec<RecordedDecision>> {
        let found = self.entries_of_url(url)?;
        Ok(found.into_iter().map(FoundEntry::decision).collect())
    }

    /// Finds a site file, such as a robots.txt, by its SHA-256 digest. Returns the content of the
    /// file, or `None` if the log has no file with this digest.
    ///
    /// # Errors
    /// An evidence error if the log is damaged. An I/O error if the log cannot be read.
    pub fn site_file(&self, digest: &Hash) -> Result<Option<Vec<u8>>> {
        let digests = self.digests()?;
        let Some(number) = digests.iter().position(|own| own == digest) else {
            return Ok(None);
        };
        let width = Sequence::SiteFiles.width();
        let files = self.packed(Sequence::SiteFiles, number as u64 / width)?;
        let at = usize::try_from(number as u64 % width).unwrap_or(usize::MAX);
        match files.into_iter().nth(at) {
            Some(bytes) if Hash::from(Sha256::digest(&bytes)) == *digest => Ok(Some(bytes)),
            _ => Err(Error::evidence(format!(
                "{}: a site file is damaged",
                self.files.place()
            ))),
        }
    }

    /// Reads the SHA-256 digests of all site files, in the order in which they were added to the
    /// log.
    pub(super) fn digests(&self) -> Result<Vec<Hash>> {
        let mut digests = Vec::new();
        for bundle in Sequence::Digests.bundles(self.head()) {
            let bytes = self.bundle(Sequence::Digests, bundle)?;
            let name = Sequence::Digests.name_at(bundle, self.head());
            let (hashes, rest) = bytes.as_chunks();
            if !rest.is_empty() {
                return Err(self.damaged(&name));
            }
            digests.extend_from_slice(hashes);
        }
        Ok(digests)
    }

    /// Reads the verifier keys. The first key is the log's own. The other keys belong to cosigners.
    pub(super) fn keys(&self) -> Result<Vec<PublicKey>> {
        let bytes = self.files.read_if_any(KEYS)?.unwrap_or_default();
        let text = String::from_utf8(bytes).map_err(|_| self.damaged(KEYS))?;
        let keys: Vec<_> = text.lines().map(PublicKey::read).collect::<Result<_>>()?;
        let is_twice = |at: usize| keys[..at].contains(&keys[at]);
        let is_good = super::keys::file(&keys) == text && !(0..keys.len()).any(is_twice);
        if is_good {
            Ok(keys)
        } else {
            Err(self.damaged(KEYS))
        }
    }

    /// Returns the public key of the log. This key verifies the log's own signatures of
    /// checkpoints.
    ///
    /// # Errors
    /// An evidence error if the log is damaged. An I/O error if the log cannot be read.
    pub fn key(&self) -> Result<PublicKey> {
        let first = self.keys()?.into_iter().next();
        first.ok_or_else(|| self.damaged(KEYS))
    }

    /// Reads the last checkpoint that has a cosignature. Returns `None` if no checkpoint has one.
    pub(super) fn cosigned(&self) -> Result<Option<(Note, Checkpoint)>> {
        match self.files.read_if_any(COSIGNED)? {
            Some(bytes) => match parse_checkpoint(&bytes) {
                Some(parsed) => Ok(Some(parsed)),
                None => Err(self.damaged(COSIGNED)),
            },
            None => Ok(None),
        }
    }

    /// Reads the log's last checkpoint.
    pub(super) fn checkpoint(&self) -> Result<(Note, Checkpoint)> {
        let read = self.files.read(CHECKPOINT);
        let bytes = read.map_err(|error| self.files.file_error(CHECKPOINT, error))?;
        parse_checkpoint(&bytes).ok_or_else(|| self.damaged(CHECKPOINT))
    }
}

impl FoundEntry {
    pub(super) fn decision(self) -> RecordedDecision {
        let record = self.record;
        RecordedDecision {
            number: self.number,
            kind: self.kind,
            captured: record.captured,
            law: record.law,
            reason: record.reason,
            why: record.why,
            bots: record.bots,
        }
    }
}

/// Parses a checkpoint with its signatures. Returns `None` if it is malformed, or states too many
/// entries. The signatures are not verified.
pub(super) fn parse_checkpoint(bytes: &[u8]) -> Option<(Note, Checkpoint)> {
    let note = Note::from_bytes(bytes).ok()?;
    let checkpoint = Checkpoint::from_bytes(note.text()).ok()?;
    (checkpoint.size() <= super::state::MOST).then_some((note, checkpoint))
}

/// Returns the tag of a URL: the first 8 bytes of its SHA-256, by which the entries about the URL
/// are found.
pub(super) fn tag(url: &str) -> [u8; 8] {
    let hash: Hash = Sha256::digest(url).into();
    std::array::from_fn(|at| hash[at])
}

/// Encodes the rows of a bundle of URLs as the content of a file. `rows` must be sorted.
pub(super) fn url_rows(rows: &[UrlRow]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(rows.len() * URL_ROW + 32);
    for row in rows {
        bytes.extend(row.tag);
        bytes.extend(row.entry.to_be_bytes());
    }
    bundles::with_digest(bytes)
}

/// Parses the content of a file as the rows of a bundle of URLs. Returns `None` if it is damaged.
fn parse_url_rows(bytes: &[u8]) -> Option<Vec<UrlRow>> {
    let (rows, rest) = bundles::without_digest(bytes)?.as_chunks::<URL_ROW>();
    let parse = |row: &[u8; URL_ROW]| {
        let (tag, entry) = row.split_first_chunk()?;
        let entry = u16::from_be_bytes(entry.try_into().ok()?);
        Some(UrlRow { tag: *tag, entry })
    };
    rest.is_empty().then(|| rows.iter().map(parse).collect())?
}
