//! The head of a log: how many entries it has, the root over them, and the files in which they are.

use serde::{Deserialize, Serialize};

use heedful_index::decision::Hash;
use heedful_index::decision::hex::{self, Hex};

/// The version of the stored form, and of proofs.
pub(super) const VERSION: u32 = 2;
/// The version of the text that is signed. A log that goes on keeps its signatures.
const SIGNED: u32 = 1;

/// True for versions that can be read. The first one has no sealed texts, and is otherwise the
/// same.
pub(super) fn is_readable(version: u32) -> bool {
    (1..=VERSION).contains(&version)
}

/// The state of a log at a commit. Whoever keeps an older one can be shown that the log only grew
/// since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The identifier of the log.
    pub(super) log: Hex<16>,
    /// What writes it.
    pub(super) of: LogOwner,
    /// The number of entries.
    pub(super) size: u64,
    /// The root of the tree over them.
    pub(super) root: Hex<32>,
    /// When it was written, in seconds since 1970.
    pub(super) time: i64,
    pub(super) segments: Vec<SegmentFile>,
    /// A number that no segment has had.
    pub(super) next: u64,
}

/// What a log is for. Only one of them writes to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LogOwner {
    /// An index, whose commits name the log's head.
    Index,
    /// Masks, one after the other.
    Masks,
}

/// A file of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SegmentFile {
    pub(super) number: u64,
    pub(super) entries: u32,
    pub(super) blobs: u32,
    pub(super) bytes: u64,
    /// The digest of all its bytes.
    pub(super) sum: Hex<32>,
}

impl Head {
    pub(super) fn new(log: [u8; 16], of: LogOwner) -> Self {
        let root = Hex(super::tree::root(&[]));
        Self {
            log: Hex(log),
            of,
            size: 0,
            root,
            time: 0,
            segments: Vec::new(),
            next: 1,
        }
    }

    /// The identifier of the log, in hexadecimal digits.
    pub fn log(&self) -> String {
        hex::text(&self.log.0)
    }

    /// The number of entries.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The root of the tree over the entries (RFC 6962).
    pub fn root(&self) -> Hash {
        self.root.0
    }

    /// When it was written, in seconds since 1970.
    pub fn time(&self) -> i64 {
        self.time
    }

    /// The text that is signed.
    pub(super) fn statement(&self) -> String {
        statement(&self.log(), self.size, &self.root(), self.time)
    }
}

/// The text that a signature is for: the log, its size, its root, the time, a line each.
pub(super) fn statement(log: &str, size: u64, root: &Hash, time: i64) -> String {
    format!(
        "heedful evidence {SIGNED}\n{log}\n{size}\n{}\n{time}\n",
        hex::text(root)
    )
}

impl SegmentFile {
    pub(super) fn name(&self) -> String {
        segment_name(self.number)
    }

    pub(super) fn keys_name(&self) -> String {
        keys_name(self.number)
    }
}

pub(super) fn segment_name(number: u64) -> String {
    format!("{number:08}.log")
}

pub(super) fn keys_name(number: u64) -> String {
    format!("{number:08}.keys")
}

/// The secret by which URLs are found.
pub(super) const SECRET: &str = "secret";

/// True for files that show if a URL is in the log, also while they are written.
pub(super) fn is_secret(name: &str) -> bool {
    let name = final_name(name);
    name == SECRET || name.ends_with(".keys")
}

/// The name that a file has once it is written.
fn final_name(name: &str) -> &str {
    name.strip_suffix(".next").unwrap_or(name)
}

/// The number of the segment that a file belongs to.
pub(super) fn segment_number(name: &str) -> Option<u64> {
    let (number, ending) = final_name(name).split_once('.')?;
    matches!(ending, "log" | "keys").then(|| number.parse().ok())?
}
