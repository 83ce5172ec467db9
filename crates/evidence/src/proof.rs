//! Proofs that can be verified without the log. One kind proves that an entry is in a log, in the
//! form of c2sp.org/tlog-proof. The other kind proves that a log only grew, in the form of a request
//! to a witness (c2sp.org/tlog-witness).
//!
//! A proof of an entry reveals its record: URL, digest of the page, header lines, terms and
//! decision. What a proof shows depends on what its reader trusts: a public key, or a root that the
//! reader knows. Without either nothing is proved.

use data_encoding::BASE64;
use signed_note::Note;
use tlog_tiles::{Checkpoint, Hash as TreeHash, check_record, check_tree, record_hash};

use heedful_base::error::{Error, Result};
use heedful_index::decision::hex::{self, digest_name_of_bytes};
use heedful_index::decision::{BotAnswer, EntryKind, Hash, SiteFileRef};

use super::keys::{PublicKey, ValidSignature};
use super::log::{FoundEntry, Log, parse_checkpoint};
use super::record::{Record, SaltedRecord, digests_of};

/// First line of the text of a [`Proof`].
const PROOF: &str = "c2sp.org/tlog-proof@v1";

/// Public key or root hash by which the reader of a proof trusts the proof's checkpoint. A
/// checkpoint is the signed statement of a log's size and root hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trust {
    /// The reader trusts checkpoints that are signed with this key. The key may belong to the log,
    /// its operator or a witness.
    Key(PublicKey),
    /// The reader trusts the checkpoint whose Merkle tree has this root.
    Root(Hash),
}

impl Trust {
    /// Parses the root of a trusted checkpoint from 64 hexadecimal digits.
    ///
    /// # Errors
    /// A setting error if `text` is not 64 hexadecimal digits.
    pub fn from_root(text: &str) -> Result<Self> {
        match hex::read(text) {
            Some(root) => Ok(Self::Root(root)),
            None => Err(Error::setting("a root is 64 hexadecimal digits")),
        }
    }
}

/// Proof that a decision is recorded in an entry of a log. It can be verified without the log.
#[derive(Debug, PartialEq)]
pub struct Proof {
    kind: EntryKind,
    salted: SaltedRecord,
    number: u64,
    path: Vec<TreeHash>,
    checkpoint: SignedCheckpoint,
}

/// Proof that a log only grew: since an older state, entries were appended, and none was changed or
/// removed.
#[derive(Debug, PartialEq)]
pub struct Growth {
    old: u64,
    path: Vec<TreeHash>,
    checkpoint: SignedCheckpoint,
}

#[derive(Debug, PartialEq)]
struct SignedCheckpoint {
    note: Note,
    checkpoint: Checkpoint,
}

/// Facts about one entry of a log. A [`Proof`] gives these facts after its verification.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CheckedProof {
    /// URL of the page that the entry is about.
    pub url: String,
    /// Kind of the recorded decision.
    pub kind: EntryKind,
    /// Time of the page's fetch, in seconds since 1970. `None` if the time is unknown.
    pub captured: Option<i64>,
    /// BLAKE3 digest of the page's bytes: `blake3:` and hexadecimal digits. `None` if no page was
    /// read for the decision.
    pub page: Option<String>,
    /// Origin of the log's checkpoints, a name that identifies the log.
    pub origin: String,
    /// Number of entries in the log at the proof's checkpoint.
    pub size: u64,
    /// Number of this entry: its position in the log, from 0.
    pub number: u64,
    /// Root of the log's Merkle tree at the proof's checkpoint.
    pub root: Hash,
    /// Name of the trusted key, as the checkpoint's signature states it. `None` if a root was
    /// trusted.
    pub signer: Option<String>,
    /// Time of the signature by the trusted key, in seconds since 1970. `None` if a root was
    /// trusted, or if the signature has no time.
    pub time: Option<u64>,
    /// Version of heedful that made the decision.
    pub heedful: String,
    /// Version of docs/semantics.md by which the page was judged.
    pub law: u32,
    /// Reason why the page is not indexed or no longer indexed, or why its snapshot was removed.
    /// `None` for any other decision.
    pub reason: Option<String>,
    /// Decision for each bot: the allowed and denied uses, and the directives that decided.
    pub bots: Vec<BotAnswer>,
    /// Site files, such as robots.txt, on which the decision is based.
    pub files: Vec<SiteFileRef>,
}

impl CheckedProof {
    /// True if `bytes` is the content of one of the decision's site files ([`files`](Self::files)).
    pub fn has_file(&self, bytes: &[u8]) -> bool {
        let digest = digest_name_of_bytes(bytes);
        let mut digests = self.files.iter().filter_map(|file| file.digest.as_ref());
        digests.any(|own| *own == digest)
    }
}

impl Log {
    /// Returns the proof of the last decision about the URL `url`. Decisions with erased records
    /// are ignored. Returns `None` if no decision about the URL is left.
    ///
    /// # Errors
    /// An evidence error if the log is damaged. Also an evidence error if the last run was
    /// interrupted before it signed the entry. An I/O error if the log cannot be read.
    pub fn prove(&self, url: &str) -> Result<Option<Proof>> {
        let found = self.entries_of_url(url)?;
        found.last().map(|entry| self.proof(entry)).transpose()
    }

    /// Returns the proofs of all decisions about the URL `url`, oldest first. Decisions with erased
    /// records are left out.
    ///
    /// # Errors
    /// An evidence error if the log is damaged. Also an evidence error if the last run was
    /// interrupted before it signed one of the entries. An I/O error if the log cannot be read.
    pub fn prove_all(&self, url: &str) -> Result<Vec<Proof>> {
        let found = self.entries_of_url(url)?;
        found.iter().map(|entry| self.proof(entry)).collect()
    }

    fn proof(&self, found: &FoundEntry) -> Result<Proof> {
        let checkpoint = self.best_checkpoint(found.number)?;
        let tree = self.tree();
        let size = checkpoint.checkpoint.size();
        if size <= found.number {
            return Err(Error::evidence(
                "the last run broke off before it signed this entry: the next run signs it",
            ));
        }
        let path = tree.result(tlog_tiles::prove_record(size, found.number, &tree))?;
        Ok(Proof {
            kind: found.kind,
            salted: found.salted.clone(),
            number: found.number,
            path,
            checkpoint,
        })
    }

    /// Returns the checkpoint for a proof of entry `number`. It is the last cosigned checkpoint, or
    /// the last checkpoint if no cosigned one covers the entry.
    fn best_checkpoint(&self, number: u64) -> Result<SignedCheckpoint> {
        let read = self.checkpoint()?;
        let last = SignedCheckpoint::from(read);
        let is_cosigned = super::keys::signatures(&last.note).len() > 1;
        if is_cosigned {
            return Ok(last);
        }
        let cosigned = self.cosigned()?;
        let best = cosigned.filter(|(_, checkpoint)| checkpoint.size() > number);
        Ok(best.map_or(last, SignedCheckpoint::from))
    }

    /// Returns the proof that the log has only grown since it had `old` entries. None of these
    /// entries was changed or removed since then.
    ///
    /// # Errors
    /// An evidence error if the log is damaged. Also an evidence error if the last checkpoint
    /// covers fewer than `old` entries.
    pub fn growth(&self, old: u64) -> Result<Growth> {
        let checkpoint = SignedCheckpoint::from(self.checkpoint()?);
        let size = checkpoint.checkpoint.size();
        if old > size {
            let message = format!("the log has {size} entries, and never had {old}");
            return Err(Error::evidence(message));
        }
        let tree = self.tree();
        let path = if old == 0 || old == size {
            Vec::new()
        } else {
            tree.result(tlog_tiles::prove_tree(size, old, &tree))?
        };
        Ok(Growth {
            old,
            path,
            checkpoint,
        })
    }
}

impl From<(Note, Checkpoint)> for SignedCheckpoint {
    fn from((note, checkpoint): (Note, Checkpoint)) -> Self {
        Self { note, checkpoint }
    }
}

impl SignedCheckpoint {
    fn parse(text: &str) -> Option<Self> {
        parse_checkpoint(text.as_bytes()).map(Self::from)
    }

    /// Verifies that this checkpoint is signed with the trusted key, or has the trusted root.
    /// Returns the signature by the trusted key, or `None` if a root was trusted.
    fn check(&self, trust: &Trust) -> Result<Option<ValidSignature>> {
        match trust {
            Trust::Key(key) => match key.find_signature(&self.note) {
                Some(valid) => Ok(Some(valid)),
                None => Err(does_not_hold(
                    "it is not signed with the key that was given",
                )),
            },
            Trust::Root(root) if self.checkpoint.hash().0 == *root => Ok(None),
            Trust::Root(_) => Err(does_not_hold("it is about another root")),
        }
    }
}

fn does_not_hold(why: &str) -> Error {
    Error::evidence(format!("the proof does not hold: {why}"))
}

/// Formats a proof as text: the lines `head`, the hashes of `path`, and the checkpoint with its
/// signatures.
fn text(head: &str, path: &[TreeHash], checkpoint: &SignedCheckpoint) -> String {
    let mut text = head.to_owned();
    for hash in path {
        text.push_str(&format!("{hash}\n"));
    }
    text.push('\n');
    text + &String::from_utf8_lossy(&checkpoint.note.to_bytes())
}

/// Parses the hashes of a path through the Merkle tree, one for each line. Returns `None` if a line
/// is no hash.
fn parse_path<'a>(lines: impl Iterator<Item = &'a str>) -> Option<Vec<TreeHash>> {
    lines.map(|line| TreeHash::parse_hash(line).ok()).collect()
}

/// Parses a decimal number without leading zeros or a sign. Returns `None` for any other text.
fn parse_number(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

impl Proof {
    /// Parses a text of one or more proofs.
    ///
    /// # Errors
    /// An evidence error if `text` is empty, or contains anything but proofs of entries.
    pub fn parse_all(text: &str) -> Result<Vec<Self>> {
        let first_line = format!("{PROOF}\n");
        let mut proofs = text.split(&first_line);
        let malformed =
            || Error::evidence("this is no proof, as `heedful evidence prove` writes one");
        if proofs.next() != Some("") || text.is_empty() {
            return Err(malformed());
        }
        proofs
            .map(|proof| Self::parse_after_first_line(proof).ok_or_else(malformed))
            .collect()
    }

    fn parse_after_first_line(text: &str) -> Option<Self> {
        let (head, checkpoint) = text.split_once("\n\n")?;
        let mut lines = head.split('\n');
        let extra = lines.next()?.strip_prefix("extra ")?;
        let number = parse_number(lines.next()?.strip_prefix("index ")?)?;
        let extra = String::from_utf8(BASE64.decode(extra.as_bytes()).ok()?).ok()?;
        let (kind, rest) = extra.split_once('\n')?;
        let (salt, record) = rest.split_once('\n')?;
        Some(Self {
            kind: EntryKind::ALL.into_iter().find(|own| own.name() == kind)?,
            salted: SaltedRecord {
                salt: hex::read(salt)?,
                text: record.to_owned(),
            },
            number,
            path: parse_path(lines)?,
            checkpoint: SignedCheckpoint::parse(checkpoint)?,
        })
    }

    /// Formats the proof as text, by c2sp.org/tlog-proof. The line `extra` has the kind of the
    /// decision, the salt and the record.
    pub fn text(&self) -> String {
        let salt = hex::text(&self.salted.salt);
        let extra = format!("{}\n{salt}\n{}", self.kind, self.salted.text);
        let extra = BASE64.encode(extra.as_bytes());
        let head = format!("{PROOF}\nextra {extra}\nindex {}\n", self.number);
        text(&head, &self.path, &self.checkpoint)
    }

    pub(super) fn record(&self) -> Result<Record> {
        Record::parse(&self.salted.text)
    }

    /// Returns the SHA-256 digests of the site files on which the recorded decision is based.
    ///
    /// # Errors
    /// An evidence error if the proof's record cannot be parsed.
    pub fn site_files(&self) -> Result<Vec<Hash>> {
        Ok(digests_of(&self.record()?.files).collect())
    }

    /// Verifies this proof. The entry must be in the log of the proof's checkpoint. The checkpoint
    /// must have the trusted root, or a signature by the trusted key.
    ///
    /// # Errors
    /// An evidence error if the entry is not in the log, or if the checkpoint is not trusted. Also
    /// an evidence error if the record cannot be parsed.
    pub fn check(&self, trust: &Trust) -> Result<CheckedProof> {
        let signature = self.checkpoint.check(trust)?;
        let checkpoint = &self.checkpoint.checkpoint;
        let (size, root) = (checkpoint.size(), *checkpoint.hash());
        let leaf = record_hash(&self.salted.entry(self.kind).bytes());
        let is_inside = self.number < size
            && self.path.len() <= 64
            && check_record(&self.path, size, root, self.number, leaf).is_ok();
        if !is_inside {
            return Err(does_not_hold(
                "it does not lead to the root of its checkpoint",
            ));
        }
        let record = self.record()?;
        Ok(CheckedProof {
            url: record.url,
            kind: self.kind,
            captured: record.captured,
            page: record.page,
            origin: checkpoint.origin().to_owned(),
            size,
            number: self.number,
            root: root.0,
            time: signature.as_ref().and_then(|valid| valid.time),
            signer: signature.map(|valid| valid.name),
            heedful: record.heedful,
            law: record.law,
            reason: record.reason,
            bots: record.bots,
            files: record.files,
        })
    }
}

impl Growth {
    /// Parses the text of a proof that a log only grew.
    ///
    /// # Errors
    /// An evidence error if `text` is not the text of a [`Growth`].
    pub fn parse(text: &str) -> Result<Self> {
        let parse = || {
            let (head, checkpoint) = text.split_once("\n\n")?;
            let mut lines = head.split('\n');
            Some(Self {
                old: parse_number(lines.next()?.strip_prefix("old ")?)?,
                path: parse_path(lines)?,
                checkpoint: SignedCheckpoint::parse(checkpoint)?,
            })
        };
        parse().ok_or_else(|| Error::evidence("this is no proof that a log grew"))
    }

    /// True if `text` begins like the text of a proof that a log only grew.
    pub fn is_in(text: &str) -> bool {
        text.starts_with("old ")
    }

    /// Formats the proof as text, in the form of a request to a witness (c2sp.org/tlog-witness).
    pub fn text(&self) -> String {
        let head = format!("old {}\n", self.old);
        text(&head, &self.path, &self.checkpoint)
    }

    /// Returns the number of entries in the log at the older state, and the number at the proof's
    /// checkpoint.
    pub fn sizes(&self) -> (u64, u64) {
        (self.old, self.checkpoint.checkpoint.size())
    }

    /// Verifies that a log has only grown between an older state and the proof's checkpoint.
    /// `older` is the text of the older state's checkpoint. If `trust` is a key, both checkpoints
    /// must be signed with this key. If `trust` is a root, the proof's checkpoint must have this
    /// root.
    ///
    /// # Errors
    /// An evidence error if `older` is not the checkpoint of the proof's older state, or if a
    /// checkpoint is not trusted. Also an evidence error if an entry of the older state was changed
    /// or removed.
    pub fn check(&self, older: &str, trust: &Trust) -> Result<()> {
        let older = SignedCheckpoint::parse(older)
            .ok_or_else(|| Error::evidence("the older checkpoint is malformed"))?;
        self.checkpoint.check(trust)?;
        if let Trust::Key(_) = trust {
            older.check(trust)?;
        }
        let (old, new) = (&older.checkpoint, &self.checkpoint.checkpoint);
        if old.origin() != new.origin() || old.size() != self.old {
            return Err(does_not_hold(
                "it is about another state than the older one",
            ));
        }
        let is_empty = old.size() == 0;
        let holds = if is_empty {
            self.path.is_empty() && *old.hash() == tlog_tiles::EMPTY_HASH
        } else if old.size() == new.size() {
            self.path.is_empty() && old.hash() == new.hash()
        } else {
            old.size() < new.size()
                && self.path.len() <= 64
                && check_tree(&self.path, new.size(), *new.hash(), old.size(), *old.hash()).is_ok()
        };
        if holds {
            Ok(())
        } else {
            Err(does_not_hold("the log is not one that only grew"))
        }
    }
}
