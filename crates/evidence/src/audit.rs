//! Verifies a whole log: the digest of every file, the hash of every entry, every blob, every
//! signature.
//!
//! An audit reads all bytes of the log, and repairs nothing. Each problem is reported with the
//! number of the first entry that it affects.

use std::collections::HashSet;

use sha2::{Digest, Sha256};

use heedful_base::error::Result;
use heedful_index::decision::hex::parse_digest_name;
use heedful_index::decision::{EntryKind, Hash};

use super::blob;
use super::context::EntryContext;
use super::entry::{EntryRow, ROW, sum};
use super::log::{Log, OpenSegment};
use super::sealed::is_sealed;
use super::segment::{self, BlobKind};
use super::tree::{BLOCK, root};

/// Result of the audit of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Audit {
    /// Number of entries that were verified.
    pub entries: u64,
    /// Number of entries of each kind of decision, in the order of [`EntryKind`].
    pub kinds: Vec<(EntryKind, u64)>,
    /// Number of site files (robots.txt and the like) in the log.
    pub files: u64,
    /// Number of entries whose URL is forgotten. Such an entry can no longer be found by its URL.
    pub forgotten: u64,
    /// Number of signed heads in the log whose signature is valid.
    pub signed: u64,
    /// Number (position in the log, from 0) of the first damaged entry. `None` if no entry is
    /// affected by damage.
    pub first_bad: Option<u64>,
    /// Descriptions of the problems that the audit found. Empty if the log is intact.
    pub found: Vec<String>,
}

/// Intermediate state of the audit of a log.
struct Auditor<'a> {
    log: &'a Log,
    audit: Audit,
    leaves: Vec<Hash>,
    blocks: u64,
    /// Digests of the site files that the audit found in the log so far.
    kept: HashSet<Hash>,
}

impl Log {
    /// Verifies the whole log: every entry, blob, signature and file digest.
    ///
    /// # Errors
    /// An evidence error if the log is too damaged to be read to its end. All smaller problems are
    /// reported in the [`Audit`].
    pub fn audit(&self) -> Result<Audit> {
        let mut auditing = Auditor {
            log: self,
            audit: Audit::default(),
            leaves: Vec::new(),
            blocks: 0,
            kept: HashSet::new(),
        };
        auditing.audit.kinds = EntryKind::ALL.into_iter().map(|kind| (kind, 0)).collect();
        for opened in &self.segments {
            auditing.segment(opened)?;
        }
        auditing.signatures()?;
        if auditing.audit.found.is_empty() && self.root_at(self.head.size)? != self.head.root.0 {
            auditing
                .audit
                .found
                .push("the entries do not lead to the root of the head".to_owned());
        }
        if let Err(error) = self.secret() {
            auditing.audit.found.push(error.to_string());
        }
        auditing.audit.files = auditing.kept.len() as u64;
        Ok(auditing.audit)
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

    fn segment(&mut self, opened: &OpenSegment) -> Result<()> {
        let first = opened.head.first;
        let name = opened.file.name();
        let bytes = self.log.read(&opened.file, first, 0..opened.file.bytes)?;
        let before = self.audit.found.len();
        self.blobs(opened)?;
        self.rows(opened, &bytes)?;
        self.keys(opened);
        if Hash::from(Sha256::digest(&bytes)) != opened.file.sum.0
            && self.audit.found.len() == before
        {
            self.report(Some(first), format!("{name} is not as it was written"));
        }
        Ok(())
    }

    fn rows(&mut self, opened: &OpenSegment, bytes: &[u8]) -> Result<()> {
        let from = usize::try_from(opened.places.rows).unwrap_or(usize::MAX);
        let rows = bytes
            .get(from..from + opened.head.entries * ROW)
            .unwrap_or_default();
        for (number, bytes) in (opened.head.first..).zip(rows.chunks_exact(ROW)) {
            self.audit.entries += 1;
            match EntryRow::read(bytes) {
                None => self.report(Some(number), "it is of no known kind".to_owned()),
                Some(row) => self.row(number, &row, &bytes[ROW - 4..])?,
            }
        }
        Ok(())
    }

    fn row(&mut self, number: u64, row: &EntryRow, own: &[u8]) -> Result<()> {
        for (kind, count) in &mut self.audit.kinds {
            if *kind == row.kind {
                *count += 1;
            }
        }
        let Ok(entry) = self.log.entry(number, row) else {
            self.report(Some(number), "it refers to what is not there".to_owned());
            return Ok(());
        };
        let leaf = entry.leaf();
        if sum(&leaf, number) != own {
            self.report(
                Some(number),
                "it was altered, or stood elsewhere".to_owned(),
            );
        }
        self.leaves.push(leaf);
        if self.leaves.len() as u64 == BLOCK {
            let found = root(&std::mem::take(&mut self.leaves));
            let first = self.blocks * BLOCK;
            let block = usize::try_from(self.blocks).unwrap_or(usize::MAX);
            if self.log.blocks.get(block) != Some(&found) {
                let message = format!(
                    "its hash, with those up to entry {number}, is not that of their block"
                );
                self.report(Some(first), message);
            }
            self.blocks += 1;
        }
        Ok(())
    }

    /// Verifies each blob of a segment, and reports the first entry that refers to a damaged blob.
    fn blobs(&mut self, opened: &OpenSegment) -> Result<()> {
        let table = self.log.table(opened)?.to_vec();
        let mut place = opened.places.members;
        let mut number = 0;
        let mut bad = HashSet::new();
        for (blobs, length) in &opened.head.members {
            let member = self
                .log
                .read(&opened.file, opened.head.first, place..place + length)?;
            let unpacked = segment::unpack(&member).unwrap_or_default();
            for at in 0..*blobs as usize {
                let is_good = match (unpacked.get(at), table.get(number + at)) {
                    (Some(blob), Some(expected)) => self.blob(blob, *expected),
                    _ => false,
                };
                if !is_good {
                    bad.insert(
                        opened.head.first_blob + u32::try_from(number + at).unwrap_or(u32::MAX),
                    );
                }
            }
            place += length;
            number += *blobs as usize;
        }
        if number != table.len() {
            self.report(
                Some(opened.head.first),
                format!("{} lacks blobs", opened.file.name()),
            );
        }
        if !bad.is_empty() {
            let entry = self.referring(&bad)?;
            let name = opened.file.name();
            self.report(
                entry.or(Some(opened.head.first)),
                format!("what it refers to in {name} is not as it was written"),
            );
        }
        Ok(())
    }

    /// True if `blob` has the digest `digest`, and its content is valid for the type `kind`. Type
    /// and digest are those in the segment's table of blobs. A context is only valid if the audit
    /// found all site files that the context names.
    fn blob(&mut self, blob: &[u8], (kind, digest): (u8, Hash)) -> bool {
        if Hash::from(Sha256::digest(blob)) != digest {
            return false;
        }
        if kind == BlobKind::File as u8 {
            self.kept.insert(digest);
            return true;
        }
        let Ok(text) = std::str::from_utf8(blob) else {
            return false;
        };
        if kind == BlobKind::Context as u8 {
            return match EntryContext::read(text) {
                Ok(context) => self.has_files(&context),
                Err(_) => false,
            };
        }
        kind == BlobKind::Decision as u8 && (is_sealed(text) || blob::read(text).is_ok())
            || kind == BlobKind::Head as u8
    }

    /// True if the audit found all site files that `context` names in the log.
    fn has_files(&self, context: &EntryContext) -> bool {
        let files = context.files.iter();
        files
            .filter_map(|file| parse_digest_name(file.digest.as_deref()?))
            .all(|digest| self.kept.contains(&digest))
    }

    fn referring(&self, blobs: &HashSet<u32>) -> Result<Option<u64>> {
        for opened in &self.log.segments {
            let first = opened.head.first;
            let entries = opened.head.entries as u64;
            let bytes = self.log.read(
                &opened.file,
                first,
                opened.places.rows..opened.places.rows + entries * ROW as u64,
            )?;
            for (number, row) in (first..).zip(segment::rows(&bytes)) {
                if let Some(row) = row
                    && row.refers.iter().any(|blob| blobs.contains(blob))
                {
                    return Ok(Some(number));
                }
            }
        }
        Ok(None)
    }

    fn keys(&mut self, opened: &OpenSegment) {
        let name = opened.file.keys_name();
        let keys = match self.log.files.read(&name, None) {
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                self.report(None, format!("{name} cannot be read: {error}"));
                return;
            }
            Ok(file) => segment::keys(&file),
            Err(_) => None,
        };
        let Some(keys) = keys else {
            self.report(
                None,
                format!(
                    "{name} is gone or damaged: no URL leads to the entries of {}",
                    opened.file.name()
                ),
            );
            return;
        };
        let entries: HashSet<_> = keys.iter().map(|row| row.entry).collect();
        if entries.len() != keys.len()
            || entries
                .iter()
                .any(|entry| *entry as usize >= opened.head.entries)
        {
            self.report(
                None,
                format!("{name} is not that of {}", opened.file.name()),
            );
        }
        self.audit.forgotten += (opened.head.entries - keys.len().min(opened.head.entries)) as u64;
    }

    fn signatures(&mut self) -> Result<()> {
        let signatures = match self.log.signatures() {
            Ok(signatures) => signatures,
            Err(error) => {
                self.report(None, error.to_string());
                return Ok(());
            }
        };
        let log = self.log.head.log();
        for signed in signatures {
            let what = format!("the signature over {} entries", signed.size);
            if !signed.is_good(&log) {
                self.report(None, format!("{what} is not that of its key"));
            } else if signed.size > self.log.head.size {
                self.report(None, format!("{what} is for more entries than there are"));
            } else if self.log.root_at(signed.size)? != signed.root.0 {
                self.report(None, format!("{what} is over other entries"));
            } else {
                self.audit.signed += 1;
            }
        }
        Ok(())
    }
}
