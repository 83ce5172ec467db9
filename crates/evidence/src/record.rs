//! The entry of a log, and the record to which it commits.
//!
//! A record is JSON with all that is known about a decision: URL, digest of the page, header lines,
//! terms and deciding directives. The entry has only the kind of the decision, and the hash of a
//! random salt with the record. Without salt and record nobody can tell which page an entry is
//! about. Nobody can find another record with the same hash, so an entry proves its record.

use data_encoding::BASE64;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use heedful::LAW;
use heedful_base::error::{Error, Result};
use heedful_index::decision::hex::parse_digest_name;
use heedful_index::decision::{
    Basis, BotAnswer, Decision, DecisionRecord, EntryKind, Hash, SiteFileRef,
};

use super::terms::BotTerms;

/// First line of each entry. It names the format of the entry and of its record.
const FORMAT: &str = "heedful evidence 3";
/// Maximum length in bytes of a directive's text in a record. A longer text is truncated.
const MOST_DIRECTIVE: usize = 200;

/// Salt of one entry: random bytes that are hashed together with the entry's record. The salt stays
/// secret until a proof reveals it.
pub(super) type Salt = [u8; 16];

/// Record of one decision: all data on which the decision rests, and its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    /// URL of the page, in normal form.
    pub(super) url: String,
    /// Time of the page's fetch, in seconds since 1970. `None` if the time is unknown.
    pub(super) captured: Option<i64>,
    /// BLAKE3 digest of the page's bytes. `None` if no page was read for the decision.
    pub(super) page: Option<String>,
    /// Version of heedful that judged the page.
    pub(super) heedful: String,
    /// Version of docs/semantics.md (the law) by which the page was judged.
    pub(super) law: u32,
    /// Settings by which the page was judged, one element for each bot.
    pub(super) terms: Vec<BotTerms>,
    /// Site files, such as robots.txt, on which the decision is based.
    pub(super) files: Vec<SiteFileRef>,
    /// HTTP header lines that can affect the decision, each as name and value. If a name begins
    /// with a colon, the line is not a header. Instead it records how the page was read.
    pub(super) head: Vec<(String, String)>,
    pub(super) reason: Option<String>,
    pub(super) why: Option<String>,
    pub(super) bots: Vec<BotAnswer>,
}

/// Record as the log stores it. `text` is the record as JSON. `salt` is hashed together with the
/// text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SaltedRecord {
    pub(super) salt: Salt,
    pub(super) text: String,
}

/// Entry of a log: the kind of a decision, and the hash of the decision's record with a salt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) kind: EntryKind,
    pub(super) commitment: Hash,
}

impl Record {
    pub(super) fn new(decided: &DecisionRecord, basis: &Basis, terms: &[BotTerms]) -> Self {
        let Decision { reason, why, bots } = decided.decision.clone();
        let mut bots = bots;
        for (_, why) in bots.iter_mut().flat_map(|answer| &mut answer.why.0) {
            cut(&mut why.directive);
        }
        Self {
            url: decided.url.clone(),
            captured: decided.captured,
            page: basis.page.map(|digest| digest.to_string()),
            heedful: env!("CARGO_PKG_VERSION").to_owned(),
            law: LAW,
            terms: terms.to_vec(),
            files: basis.files.clone(),
            head: basis.head.clone(),
            reason,
            why,
            bots,
        }
    }

    pub(super) fn parse(text: &str) -> Result<Self> {
        serde_json::from_str(text)
            .map_err(|error| Error::evidence(format!("the record cannot be read ({error})")))
    }
}

/// Returns the SHA-256 digests of `files`, without files whose content is unknown.
pub(super) fn digests_of(files: &[SiteFileRef]) -> impl Iterator<Item = Hash> {
    let named = files.iter().filter_map(|file| file.digest.as_deref());
    named.filter_map(parse_digest_name)
}

/// Truncates the text of a directive to [`MOST_DIRECTIVE`] bytes. The whole directive can still be
/// found in the page by its line and column.
fn cut(text: &mut String) {
    if text.len() > MOST_DIRECTIVE {
        text.truncate(text.floor_char_boundary(MOST_DIRECTIVE - 3));
        text.push_str("...");
    }
}

impl SaltedRecord {
    pub(super) fn entry(&self, kind: EntryKind) -> Entry {
        let commitment = Sha256::new()
            .chain_update(b"heedful record\0")
            .chain_update(self.salt)
            .chain_update(&self.text)
            .finalize();
        Entry {
            kind,
            commitment: commitment.into(),
        }
    }

    /// Returns the bytes that the log stores for this record: the salt, followed by the text.
    pub(super) fn bytes(&self) -> Vec<u8> {
        [&self.salt, self.text.as_bytes()].concat()
    }

    /// Parses the bytes that [`SaltedRecord::bytes`] returns. Returns `None` if they are too short
    /// or not UTF-8.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let (salt, text) = bytes.split_first_chunk()?;
        Some(Self {
            salt: *salt,
            text: String::from_utf8(text.to_vec()).ok()?,
        })
    }
}

impl Entry {
    /// Returns the bytes of the entry, which are three lines of text. The hash of these bytes is a
    /// leaf of the Merkle tree.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let commitment = BASE64.encode(&self.commitment);
        format!("{FORMAT}\n{}\n{commitment}\n", self.kind).into_bytes()
    }

    /// Parses the bytes that [`Entry::bytes`] returns. Returns `None` if they are damaged or have
    /// another format.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let mut lines = text.strip_suffix('\n')?.split('\n');
        let (format, kind, commitment) = (lines.next()?, lines.next()?, lines.next()?);
        if format != FORMAT || lines.next().is_some() {
            return None;
        }
        Some(Self {
            kind: EntryKind::ALL.into_iter().find(|own| own.name() == kind)?,
            commitment: BASE64.decode(commitment.as_bytes()).ok()?.try_into().ok()?,
        })
    }
}
