//! Verifies a whole log: every byte of every file.
//!
//! The tiles, and the rows of URLs, are computed again and compared. Entries are verified by the
//! root of the tree, records by their entries, site files by their digests, checkpoints by their
//! signatures. An audit repairs nothing. It reports each problem, with the first entry that it
//! affects. Files that a broken run has left are no part of the log: no decision depends on them.

use std::collections::HashSet;

use sha2::{Digest, Sha256};
use signed_note::Note;
use tlog_tiles::{Checkpoint, Tile, record_hash};

use heedful_base::error::Result;
use heedful_index::decision::{EntryKind, Hash};

use super::bundles::{self, Sequence, names_at, tile_name};
use super::files::UNFINISHED;
use super::keys::{SigningKey, signatures};
use super::log::{CHECKPOINT, COSIGNED, KEYS, Log, PRIVATE_KEY, UrlRow, tag, url_rows};
use super::record::{Entry, Record, SaltedRecord, digests_of};
use super::state::STATE;
use super::tiles::{FreshHashes, Tree};

/// Result of the audit of a log: the problems that were found, and the numbers of verified entries
/// and files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Audit {
    /// Number of entries that were read and verified.
    pub entries: u64,
    /// Number of entries for each kind of decision, in the order of [`EntryKind`].
    pub kinds: Vec<(EntryKind, u64)>,
    /// Number of site files (robots.txt, for example) in the log.
    pub files: u64,
    /// Number of entries whose records were erased.
    pub forgotten: u64,
    /// Number of valid signatures of the log's last checkpoint.
    pub signed: u64,
    /// Number of the first entry that is affected by damage: its position in the log, from 0.
    /// `None` if no entry is affected.
    pub first_bad: Option<u64>,
    /// Descriptions of all problems that the audit found. Empty if the log is intact.
    pub found: Vec<String>,
}

/// State of an audit in progress.
struct Auditor<'a> {
    log: &'a Log,
    audit: Audit,
    fresh: FreshHashes,
    /// Digests of the site files that the log contains.
    digests: HashSet<Hash>,
    /// Rows that the current bundle of URLs must have, computed from the records of the entries. A
    /// bundle is a file with a fixed number of elements. The list is emptied when the audit
    /// compares it with the stored bundle.
    urls: Vec<UrlRow>,
    /// Checkpoints of the log, each with the name of its file.
    checkpoints: Vec<(&'static str, Checkpoint)>,
}

impl Log {
    /// Verifies all files of the log. Nothing is repaired.
    ///
    /// # Errors
    /// An I/O error if the folder of the log cannot be listed. All other problems are descriptions
    /// in [`Audit::found`].
    pub fn audit(&self) -> Result<Audit> {
        let kinds = EntryKind::ALL.into_iter().map(|kind| (kind, 0)).collect();
        let mut auditor = Auditor {
            log: self,
            audit: Audit {
                kinds,
                ..Audit::default()
            },
            fresh: FreshHashes::default(),
            digests: HashSet::new(),
            urls: Vec::new(),
            checkpoints: Vec::new(),
        };
        auditor.names()?;
        auditor.site_files();
        auditor.signatures();
        for bundle in Sequence::Entries.bundles(self.head()) {
            auditor.bundle(bundle);
        }
        auditor.tree();
        Ok(auditor.audit)
    }
}

impl Auditor<'_> {
    fn report(&mut self, number: Option<u64>, what: String) {
        let first = [self.audit.first_bad, number].into_iter().flatten().min();
        self.audit.first_bad = first;
        self.audit.found.push(match number {
            Some(number) => format!("entry {number}: {what}"),
            None => what,
        });
    }

    /// Returns the value of `result`. If `result` is an error, reports it and returns `None`.
    /// `number` is the entry that the report names as affected. It is `None` if no entry is known.
    fn good<T>(&mut self, number: Option<u64>, result: Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.report(number, error.to_string());
                None
            }
        }
    }

    /// Reports each file in the log's folder with an unknown name. Also checks the tiles (files of
    /// tree hashes) and the bundles of entries that are not full yet. If the folder has a shorter
    /// version from an earlier checkpoint, the current file must begin with the shorter version.
    fn names(&mut self) -> Result<()> {
        let own = [STATE, CHECKPOINT, COSIGNED, KEYS, PRIVATE_KEY];
        let named = names_at(self.log.head());
        for name in self.log.files.in_folder(self.log.files.names())? {
            let is_known = own.contains(&name.as_str())
                || named.contains(&name)
                || bundles::is_name(&name, self.log.head())
                || name.ends_with(UNFINISHED);
            if !is_known {
                self.report(None, format!("{name} is no file of a log"));
            }
            if let Some(wider) = bundles::widened(&name, self.log.head()) {
                self.narrower(&name, &wider);
            }
        }
        Ok(())
    }

    /// Compares two versions of a tile or bundle: the partial file `name` of an earlier checkpoint,
    /// and the current file `wider`. Reports a problem if `wider` does not begin with the bytes of
    /// `name`. Also reports a problem if the file `name` has another number of elements than its
    /// name states.
    fn narrower(&mut self, name: &str, wider: &str) {
        let read = |name: &str| self.log.files.read(name).unwrap_or_default();
        let (own, wider) = (read(name), read(wider));
        let elements = |bytes: &[u8]| match name.starts_with("tile/entries/") {
            true => bundles::parse_entries(bytes).map(|entries| entries.len()),
            false => Some(bytes.len() / 32),
        };
        let width = name.rsplit('/').next().and_then(|width| width.parse().ok());
        if !wider.starts_with(&own) || elements(&own) != width {
            self.report(None, format!("{name} is not as it was written"));
        }
    }

    fn site_files(&mut self) {
        let digests = self.log.digests();
        let digests = self.good(None, digests).unwrap_or_default();
        let mut number = 0;
        for bundle in Sequence::SiteFiles.bundles(self.log.head()) {
            let files = self.log.packed(Sequence::SiteFiles, bundle);
            for bytes in self.good(None, files).unwrap_or_default() {
                let digest: Hash = Sha256::digest(&bytes).into();
                if digests.get(number) != Some(&digest) {
                    self.report(None, format!("site file {number} is not as it was written"));
                }
                number += 1;
            }
        }
        if number != digests.len() || number as u64 != self.log.head().files {
            self.report(None, "site files are missing".to_owned());
        }
        self.audit.files = number as u64;
        self.digests = digests.into_iter().collect();
    }

    /// Verifies the log's keys, and all signatures of its checkpoints.
    fn signatures(&mut self) {
        let checkpoint = self.log.checkpoint();
        if let Some((note, checkpoint)) = self.good(None, checkpoint) {
            self.audit.signed = self.note(CHECKPOINT, &note);
            self.checkpoints.push((CHECKPOINT, checkpoint));
        }
        let cosigned = self.log.cosigned();
        if let Some((note, checkpoint)) = self.good(None, cosigned).flatten() {
            if self.note(COSIGNED, &note) < 2 {
                self.report(None, format!("{COSIGNED} has no cosignature"));
            }
            self.checkpoints.push((COSIGNED, checkpoint));
        }
        let private = self.log.files.read(PRIVATE_KEY);
        let private = private.map_err(|error| self.log.files.file_error(PRIVATE_KEY, error));
        let Some(private) = self.good(None, private) else {
            return;
        };
        let key = SigningKey::read(&String::from_utf8_lossy(&private));
        let is_own = match (key, self.log.key()) {
            (Ok(key), Ok(public)) => key.public() == public && key.text().as_bytes() == private,
            _ => false,
        };
        if !is_own {
            self.report(None, format!("{PRIVATE_KEY} is not the key of the log"));
        }
    }

    /// Verifies the signatures of `note`, the checkpoint in the file `name`. Returns the number of
    /// valid signatures. Reports each invalid signature. Also reports a checkpoint without a valid
    /// signature by the log's own key.
    fn note(&mut self, name: &str, note: &Note) -> u64 {
        let keys = self.log.keys();
        let keys = self.good(None, keys).unwrap_or_default();
        let mut valid = 0;
        for signature in signatures(note) {
            if keys
                .iter()
                .any(|key| key.verify(note.text(), &signature).is_some())
            {
                valid += 1;
            } else {
                self.report(None, format!("{name}: a signature is not valid"));
            }
        }
        let is_by_log = keys
            .first()
            .is_some_and(|key| key.find_signature(note).is_some());
        if !is_by_log {
            self.report(None, format!("{name} is not signed by the log"));
        }
        let stored = self.log.files.read(name).unwrap_or_default();
        if stored != note.to_bytes() {
            self.report(None, format!("{name} is not as it was written"));
        }
        valid
    }

    /// Verifies the entries of bundle number `bundle`, their hashes and their records.
    fn bundle(&mut self, bundle: u64) {
        let first = bundle * Sequence::Entries.width();
        let entries = self.log.entries(bundle);
        let Some(entries) = self.good(Some(first), entries) else {
            return;
        };
        let records = self.log.packed(Sequence::Records, bundle);
        let records = self.good(Some(first), records);
        if records
            .as_ref()
            .is_some_and(|records| records.len() != entries.len())
        {
            self.report(Some(first), "records are missing".to_owned());
        }
        let records = records.unwrap_or_default();
        for (at, (number, bytes)) in (first..).zip(&entries).enumerate() {
            self.audit.entries += 1;
            let leaf = record_hash(bytes);
            let added = self.fresh.add(&*self.log.files, 0, number, leaf);
            self.good(Some(number), added);
            self.entry(number, bytes, records.get(at).map_or(&[], Vec::as_slice));
            self.check_roots(number + 1);
            if (number + 1).is_multiple_of(Sequence::Urls.width()) {
                self.urls(number / Sequence::Urls.width());
            }
        }
        let width = u32::try_from(entries.len()).unwrap_or(0);
        if (1..=256).contains(&width) {
            self.tile(&Tile::new(8, 0, bundle, width, false), Some(first));
        }
        if width == 256 {
            self.fresh.forget_tile(bundle);
        }
    }

    fn entry(&mut self, number: u64, bytes: &[u8], record: &[u8]) {
        let Some(entry) = Entry::read(bytes) else {
            return self.report(Some(number), "it is of no known kind".to_owned());
        };
        for (kind, count) in &mut self.audit.kinds {
            *count += u64::from(*kind == entry.kind);
        }
        if record.is_empty() || self.log.state.is_erasing(number) {
            self.audit.forgotten += 1;
            return;
        }
        let salted = SaltedRecord::read(record).filter(|own| own.entry(entry.kind) == entry);
        let Some(record) = salted.and_then(|salted| Record::parse(&salted.text).ok()) else {
            return self.report(Some(number), "its record is another one".to_owned());
        };
        for digest in digests_of(&record.files) {
            if !self.digests.contains(&digest) {
                self.report(Some(number), "a site file of it is missing".to_owned());
            }
        }
        let at = number % Sequence::Urls.width();
        self.urls.push(UrlRow {
            tag: tag(&record.url),
            entry: u16::try_from(at).unwrap_or(u16::MAX),
        });
    }

    /// Compares a stored bundle of URLs with the rows that were computed from the records. `bundle`
    /// is the number of the bundle. Reports the bundle's file if the rows differ.
    fn urls(&mut self, bundle: u64) {
        let mut rows = std::mem::take(&mut self.urls);
        rows.sort_unstable();
        let stored = self.log.bundle(Sequence::Urls, bundle);
        let is_being_changed = !self.log.state.erasing.is_empty();
        let stored = self.good(None, stored).unwrap_or_default();
        if stored != url_rows(&rows) && !is_being_changed {
            let name = Sequence::Urls.name_at(bundle, self.log.head());
            self.report(None, format!("{name} is not as it was written"));
        }
    }

    /// Returns the Merkle tree over the entries that were read so far. Its hashes are computed, and
    /// not read from tiles.
    fn computed_tree(&self) -> Tree<'_> {
        self.fresh.tree(&*self.log.files, 0)
    }

    /// Compares the stored tile `tile` (a file of hashes) with the hashes that were computed from
    /// the entries. Reports a changed file if the tile has other hashes. `number` is the first
    /// affected entry for the report, or `None` if no entry is known.
    fn tile(&mut self, tile: &Tile, number: Option<u64>) {
        let computed = tile.read_data(&self.computed_tree()).ok();
        let name = tile_name(tile);
        if computed.is_none() || self.log.files.read(&name).ok() != computed {
            self.report(number, format!("{name} is not as it was written"));
        }
    }

    /// Verifies the root hash of each checkpoint that covers `size` entries. The hash must equal
    /// the root hash that was computed from these entries.
    fn check_roots(&mut self, size: u64) {
        let checkpoints = std::mem::take(&mut self.checkpoints);
        for (name, checkpoint) in &checkpoints {
            if checkpoint.size() == size {
                let root = self.computed_tree().root(size);
                let root = self.good(None, root);
                if root.as_ref() != Some(checkpoint.hash()) {
                    self.report(None, format!("{name} has another root than the entries"));
                }
            }
        }
        self.checkpoints = checkpoints;
    }

    /// Verifies the parts that depend on all entries: higher tiles, the root hash, the checkpoints
    /// and the number of erased records.
    fn tree(&mut self) {
        let head = self.log.head();
        let size = head.size;
        if !size.is_multiple_of(Sequence::Urls.width()) {
            self.urls(size / Sequence::Urls.width());
        }
        let tiles = Tile::new_tiles(8, 0, size);
        for tile in tiles.iter().filter(|tile| tile.level() > 0) {
            self.tile(tile, None);
        }
        let root = self.computed_tree().root(size);
        let root = self.good(None, root);
        if self.audit.entries != size || root.is_none_or(|root| root.0 != head.root.0) {
            self.report(
                None,
                "the entries do not lead to the root of the head".to_owned(),
            );
        }
        for at in 0..self.checkpoints.len() {
            let (name, checkpoint) = &self.checkpoints[at];
            let is_empty = checkpoint.size() == 0;
            let is_good = checkpoint.origin() == head.origin
                && checkpoint.size() <= size
                && (!is_empty || *checkpoint.hash() == tlog_tiles::EMPTY_HASH);
            let is_last = checkpoint.size() == size || *name == COSIGNED;
            if !is_good {
                let message = format!("{name} is that of another log, or of a newer one");
                self.report(None, message);
            } else if !is_last {
                let message = format!("{name} is that of an earlier state; the next run signs it");
                self.report(None, message);
            }
        }
        let state = &self.log.state;
        if self.audit.forgotten != state.forgotten + state.erasing.len() as u64 {
            self.report(
                None,
                "records are missing that were never erased".to_owned(),
            );
        }
    }
}
