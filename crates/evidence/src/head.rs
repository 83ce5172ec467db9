//! The head of a log: its number of entries, the Merkle root over the entries, and the list of the
//! log's segment files.

use serde::{Deserialize, Serialize};

use heedful_index::decision::Hash;
use heedful_index::decision::hex::{self, Hex};

/// Version of the stored format of a log and of its proofs.
pub(super) const VERSION: u32 = 2;
/// Version of the text that a signature of a head signs. It is independent of `VERSION`, so that
/// older signatures stay valid.
const SIGNED: u32 = 1;

/// True for versions of the log's format that this program can read. Version 1 has no encrypted
/// texts, and is otherwise the same as version 2.
pub(super) fn is_readable(version: u32) -> bool {
    (1..=VERSION).contains(&version)
}

/// State of a log at a commit. A consistency proof for two heads shows that the log only gained
/// entries between the older head and the newer one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Identifier of the log, in 16 bytes.
    pub(super) log: Hex<16>,
    /// Kind of the log's owner: an index or masks.
    pub(super) of: LogOwner,
    /// Number of entries in the log.
    pub(super) size: u64,
    /// Root of the Merkle tree over the log's entries.
    pub(super) root: Hex<32>,
    /// Time of the log's commit, in seconds since 1970.
    pub(super) time: i64,
    pub(super) segments: Vec<SegmentFile>,
    /// Number that the next segment file will have. No earlier segment had this number.
    pub(super) next: u64,
}

/// Kind of owner that a log has. Only owners of this kind may write to the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LogOwner {
    /// The log belongs to an index, whose commits contain the log's head.
    Index,
    /// The log belongs to masks (docs/mask.md). A mask lists the permitted uses of each record of a
    /// corpus. Several masks write to the log, one after another.
    Masks,
}

/// A segment file as a log's head describes it: number, counts of entries and blobs, length and
/// digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SegmentFile {
    pub(super) number: u64,
    pub(super) entries: u32,
    pub(super) blobs: u32,
    pub(super) bytes: u64,
    /// SHA-256 of the segment file's bytes.
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

    /// Returns the identifier of the log in hexadecimal digits.
    pub fn log(&self) -> String {
        hex::text(&self.log.0)
    }

    /// Returns the number of entries in the log.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the root of the Merkle tree over the entries (RFC 6962).
    pub fn root(&self) -> Hash {
        self.root.0
    }

    /// Returns the time of the commit, in seconds since 1970.
    pub fn time(&self) -> i64 {
        self.time
    }

    /// Returns the text of this head that a signature signs.
    pub(super) fn statement(&self) -> String {
        statement(&self.log(), self.size, &self.root(), self.time)
    }
}

/// Returns the text that a signature of a head signs. It has log, size, root and time, each on its
/// own line.
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

/// Name of the file with the secret key for URL tags.
pub(super) const SECRET: &str = "secret";

/// True for names of files that reveal whether a URL is in the log. The temporary name of such a
/// file is recognized, too.
pub(super) fn is_secret(name: &str) -> bool {
    let name = final_name(name);
    name == SECRET || name.ends_with(".keys")
}

/// Returns the final name of a log's file: a temporary name without its temporary suffix, or `name`
/// itself.
fn final_name(name: &str) -> &str {
    name.strip_suffix(".next").unwrap_or(name)
}

/// Returns the number in the name of a segment's file (`.log` or `.keys`). `None` for other files.
pub(super) fn segment_number(name: &str) -> Option<u64> {
    let (number, ending) = final_name(name).split_once('.')?;
    matches!(ending, "log" | "keys").then(|| number.parse().ok())?
}
