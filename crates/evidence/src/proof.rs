//! Proofs that can be verified without the log. One kind proves that an entry is in the log. The
//! other kind proves that the entries of an older head are a prefix of those of a newer head.
//!
//! A proof of an entry reveals the entry: the URL, the salt, the page's digest, and the texts of
//! context, headers and decision. The proof is verified without any other data. With the page's
//! bytes, the page can be judged again from the proof (`judge`).

use data_encoding::BASE64;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use heedful_base::address::Key as UrlKey;
use heedful_base::error::{Error, Result};
use heedful_index::decision::hex::{Hex, digest_name, digest_name_of_bytes, parse_digest_name};
use heedful_index::decision::{BotAnswer, Decision, EntryKind, Hash, PageDigest, SiteFileRef};

use super::blob;
use super::context::EntryContext;
use super::entry::{Entry, key, page};
use super::head::{VERSION, is_readable};
use super::log::{FoundEntry, Log};
use super::sealed::unseal;
use super::segment::BlobKind;
use super::sign::SignedHead;
use super::tree::{is_consistent, root_of_path};

/// Maximum length of a proof in bytes. If a proof would be longer, its text of the header lines is
/// replaced by a digest.
pub(super) const MOST: usize = 2048;

/// A proof that an entry is in a log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    heedful_evidence: u32,
    pub(super) url: String,
    salt: Hex<16>,
    kind: EntryKind,
    captured: Option<i64>,
    pub(super) page: Option<String>,
    context: String,
    /// Text of the recorded response header lines, or its digest if the text is too long for a
    /// proof.
    head: String,
    decision: String,
    number: u64,
    /// Audit path: sibling hashes on the way from the entry's leaf to the root, lowest first.
    path: String,
    log: Hex<16>,
    size: u64,
    root: Hex<32>,
    time: i64,
    signed: Option<Signature>,
}

/// Signature of the log's head, in the form in which a proof contains it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Signature {
    key: Hex<32>,
    signature: Hex<64>,
}

/// Result of verifying a [`Proof`]: the facts about one entry that the proof shows.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CheckedProof {
    /// URL of the page.
    pub url: String,
    /// Kind of the decision.
    pub kind: EntryKind,
    /// Time of the page's fetch, in seconds since 1970. `None` if unknown.
    pub captured: Option<i64>,
    /// Digest of the page: `blake3:` and hexadecimal digits. `None` if the entry has no page.
    pub page: Option<String>,
    /// Time of the log's head in the proof, in seconds since 1970. Without a signature, the time is
    /// only a claim of the proof itself.
    pub time: i64,
    /// Identifier of the log, number of the log's entries, and number of this entry in the log.
    /// Without a signature, these are only claims of the proof itself.
    pub log: (String, u64, u64),
    /// Root of the Merkle tree of the log, computed from the entry and its audit path.
    pub root: Hash,
    /// Version of the program that made the decision, and version of docs/semantics.md that it
    /// applied.
    pub made_by: (String, u32),
    /// Reason why the URL is not a page, or is no longer a page.
    pub reason: Option<String>,
    /// Decision for each bot: the allowed and denied uses, with the deciding directives.
    pub bots: Vec<BotAnswer>,
    /// Site files on which the decision is based.
    pub files: Vec<SiteFileRef>,
    /// Public key of the signature in hexadecimal digits. `None` if the proof has no signature.
    pub key: Option<String>,
}

impl CheckedProof {
    /// True if `bytes` are one of the [`files`](Self::files) on which the decision is based.
    pub fn has_file(&self, bytes: &[u8]) -> bool {
        let digest = digest_name_of_bytes(bytes);
        self.files
            .iter()
            .any(|file| file.digest.as_deref() == Some(digest.as_str()))
    }
}

impl Log {
    /// Returns the proof of the last decision about a URL. `None` if the log has no decision about
    /// the URL, or only forgotten ones.
    ///
    /// # Errors
    /// An evidence error if the log is damaged, an I/O error if the log cannot be read.
    pub fn prove(&self, url: &str) -> Result<Option<Proof>> {
        match self.find_entries(url)?.last() {
            Some(entry) => self.proof(url, entry).map(Some),
            None => Ok(None),
        }
    }

    /// Returns the proofs of all decisions about a URL, oldest first.
    ///
    /// # Errors
    /// An evidence error if the log is damaged, an I/O error if the log cannot be read.
    pub fn prove_all(&self, url: &str) -> Result<Vec<Proof>> {
        self.find_entries(url)?
            .iter()
            .map(|found| self.proof(url, found))
            .collect()
    }

    pub(super) fn find_entries(&self, url: &str) -> Result<Vec<FoundEntry>> {
        self.entries_of_url(UrlKey::parse(url).as_str(), &self.secret()?)
    }

    fn proof(&self, url: &str, found: &FoundEntry) -> Result<Proof> {
        let entry = self.entry(found.number, &found.row)?;
        let path = self.with_tree(|tree| tree.path(found.number))?;
        let signed = self
            .signatures()?
            .into_iter()
            .find(|signed| signed.is_of(self.head.size, &self.head.root.0));
        let [context, head, decision] = self.texts(found)?;
        let mut proof = Proof {
            heedful_evidence: VERSION,
            url: UrlKey::parse(url).into(),
            salt: Hex(found.salt),
            kind: entry.kind,
            captured: entry.captured,
            page: entry.digest(&found.salt).map(|digest| digest.to_string()),
            context,
            head,
            decision,
            number: found.number,
            path: BASE64.encode(path.as_flattened()),
            log: self.head.log,
            size: self.head.size,
            root: self.head.root,
            time: self.head.time,
            signed: signed.map(|signed| Signature {
                key: signed.key,
                signature: signed.signature,
            }),
        };
        if proof.line().len() > MOST {
            proof.head = digest_name(&entry.refers[1]);
        }
        Ok(proof)
    }

    /// Returns the proof that the log's first `old` entries have not changed since the log had only
    /// these entries.
    ///
    /// # Errors
    /// An evidence error if the log is damaged, or has fewer than `old` entries.
    pub fn consistency(&self, old: u64) -> Result<Consistency> {
        if old > self.head.size {
            return Err(Error::evidence(format!(
                "the log has {} entries, and never had {old}",
                self.head.size
            )));
        }
        let proof = self.with_tree(|tree| tree.consistency(old))?;
        Ok(Consistency {
            heedful_evidence: VERSION,
            log: self.head.log,
            old,
            old_root: Hex(self.root_at(old)?),
            size: self.head.size,
            root: self.head.root,
            proof: BASE64.encode(proof.as_flattened()),
        })
    }

    /// Computes the root of the Merkle tree over the first `size` entries of the log.
    pub(super) fn root_at(&self, size: u64) -> Result<Hash> {
        let blocks = usize::try_from(super::segment::blocks_in(size))
            .unwrap_or(usize::MAX)
            .min(self.blocks.len());
        super::tree::MerkleTree {
            size,
            blocks: &self.blocks[..blocks],
            leaves: &|block| self.leaves(block),
        }
        .root()
    }
}

fn hashes(text: &str) -> Option<Vec<Hash>> {
    let bytes = BASE64.decode(text.as_bytes()).ok()?;
    let (hashes, rest) = bytes.as_chunks();
    rest.is_empty().then(|| hashes.to_vec())
}

impl Proof {
    /// Parses a proof of an entry from a line of JSON.
    ///
    /// # Errors
    /// An evidence error if `text` is not a proof, or if the version of the proof is not supported.
    pub fn parse(text: &str) -> Result<Self> {
        let proof: Self = serde_json::from_str(text).map_err(|error| {
            Error::evidence(format!(
                "this is no proof, as `heedful evidence prove` writes one: {}",
                heedful_json::unreadable(&error)
            ))
        })?;
        if is_readable(proof.heedful_evidence) {
            Ok(proof)
        } else {
            Err(Error::evidence("a proof of another version"))
        }
    }

    /// Formats the proof of an entry as a line of JSON, without the line ending.
    pub fn line(&self) -> String {
        heedful_json::line(self)
    }

    pub(super) fn entry(&self) -> Option<Entry> {
        let digest = match &self.page {
            Some(named) => Some(PageDigest::read(named)?),
            None => None,
        };
        let head =
            parse_digest_name(&self.head).unwrap_or_else(|| Sha256::digest(&self.head).into());
        Some(Entry {
            kind: self.kind,
            captured: self.captured,
            key: key(&self.url, &self.salt.0),
            page: page(digest, &self.salt.0),
            refers: [
                Sha256::digest(&self.context).into(),
                head,
                Sha256::digest(&self.decision).into(),
            ],
        })
    }

    pub(super) fn context(&self) -> Result<EntryContext> {
        EntryContext::read(&self.context)
    }

    /// Parses the response header lines that the proof contains.
    pub(super) fn head_lines(&self) -> Result<Vec<(String, String)>> {
        serde_json::from_str(&unseal(&self.head, BlobKind::Head, &self.salt.0)?).map_err(|_| {
            Error::evidence("the lines of the head are not in the proof, because they are too long")
        })
    }

    pub(super) fn decided(&self) -> Result<Decision> {
        blob::read(&unseal(&self.decision, BlobKind::Decision, &self.salt.0)?)
    }

    /// Computes the root of the Merkle tree from the entry and its audit path. `None` if the proof
    /// is malformed.
    fn computed_root(&self) -> Option<Hash> {
        let path = hashes(&self.path)?;
        let leaf = self.entry()?.leaf();
        root_of_path(leaf, self.number, self.size, &path)
    }

    /// Verifies that the entry is in a log with the root that the proof names. If the proof has a
    /// signature, verifies the signature, too.
    ///
    /// # Errors
    /// An evidence error if the audit path does not lead to the root that the proof names. Also an
    /// evidence error if the signature is invalid, or a text in the proof cannot be read.
    pub fn check(&self) -> Result<CheckedProof> {
        if self.computed_root() != Some(self.root.0) {
            return Err(Error::evidence(
                "the proof does not hold: it does not lead to the root that it names",
            ));
        }
        let log = heedful_index::decision::hex::text(&self.log.0);
        let key = match &self.signed {
            None => None,
            Some(Signature { key, signature }) => {
                let signed = SignedHead {
                    size: self.size,
                    root: self.root,
                    time: self.time,
                    key: *key,
                    signature: *signature,
                };
                if !signed.is_good(&log) {
                    return Err(Error::evidence(
                        "the proof does not hold: its signature is not that of its key",
                    ));
                }
                Some(signed.key())
            }
        };
        let context = self.context()?;
        let decision = self.decided()?;
        Ok(CheckedProof {
            url: self.url.clone(),
            kind: self.kind,
            captured: self.captured,
            page: self.page.clone(),
            time: self.time,
            log: (log, self.size, self.number),
            root: self.root.0,
            made_by: (context.heedful, context.law),
            reason: decision.reason,
            bots: decision.bots,
            files: context.files,
            key,
        })
    }
}

/// A proof that the entries of a log at an older head are a prefix of its entries at a newer head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Consistency {
    heedful_evidence: u32,
    log: Hex<16>,
    old: u64,
    old_root: Hex<32>,
    size: u64,
    root: Hex<32>,
    proof: String,
}

impl Consistency {
    /// Parses a consistency proof from a line of JSON.
    ///
    /// # Errors
    /// An evidence error if `text` is not a consistency proof.
    pub fn parse(text: &str) -> Result<Self> {
        serde_json::from_str(text)
            .map_err(|error| Error::evidence(format!("this is no proof ({error})")))
    }

    /// Formats the consistency proof as a line of JSON, without the line ending.
    pub fn line(&self) -> String {
        heedful_json::line(self)
    }

    /// Returns the identifier of the log in hexadecimal digits.
    pub fn log(&self) -> String {
        heedful_index::decision::hex::text(&self.log.0)
    }

    /// True if the proof shows that the log's newer state only added entries to its older state.
    pub fn holds(&self) -> bool {
        let (old, new) = self.heads();
        match hashes(&self.proof) {
            Some(proof) => is_readable(self.heedful_evidence) && is_consistent(old, new, &proof),
            None => false,
        }
    }

    /// Returns the size and root of the log in its older state, then those in its newer state.
    pub fn heads(&self) -> ((u64, Hash), (u64, Hash)) {
        ((self.old, self.old_root.0), (self.size, self.root.0))
    }
}
