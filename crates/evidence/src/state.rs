//! The state of a log at a commit: its head, and what the log itself adds to it.

use std::io;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use heedful_base::error::{Error, Result};
use heedful_index::decision::Hash;
use heedful_index::decision::hex::{self, Hex};

use super::files::LogFiles;

/// Name of the file with the state of a log. The first line has the state as JSON. The second line
/// has the digest of the JSON.
pub(super) const STATE: &str = "log.json";
/// Maximum number of entries of a log.
pub(super) const MOST: u64 = 1 << 40;

/// Head of a log: its size and root hash at a commit. The commit of an index contains the head of
/// the index's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// Origin of the log's checkpoints, a name that identifies the log.
    pub(super) origin: String,
    pub(super) of: LogOwner,
    /// Number of entries in the log at the commit.
    pub(super) size: u64,
    /// Root of the Merkle tree over the entries of the log.
    pub(super) root: Hex<32>,
    /// Time of the commit, in seconds since 1970.
    pub(super) time: i64,
    /// Number of site files (robots.txt, for example) in the log.
    pub(super) files: u64,
}

/// Kind of the owner to which a log belongs. Only an owner of this kind may write to the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LogOwner {
    /// The log belongs to an index. The commits of the index contain the head of the log.
    Index,
    /// The log belongs to masks, the files with allowed uses (docs/mask.md). Several masks may
    /// write to the log, one after another.
    Masks,
}

/// State that a log stores about itself: the head at its last commit, and the erased records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LogState {
    pub(super) head: Head,
    /// Number of entries whose records were erased.
    pub(super) forgotten: u64,
    /// Numbers of the entries whose records are currently being erased, in ascending order. After a
    /// crash, the next writer finishes erasing them.
    pub(super) erasing: Vec<u64>,
}

impl Head {
    /// Returns the origin of the log's checkpoints, a name that identifies the log.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Returns the number of entries in the log at the commit.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the root of the Merkle tree over the entries of the log (RFC 6962).
    pub fn root(&self) -> Hash {
        self.root.0
    }

    /// Returns the time of the commit, in seconds since 1970, by the clock of the machine.
    pub fn time(&self) -> i64 {
        self.time
    }
}

impl LogState {
    /// True if the record of entry `number` is currently being erased.
    pub(super) fn is_erasing(&self, number: u64) -> bool {
        self.erasing.binary_search(&number).is_ok()
    }

    /// Reads the state of a log from its files. Returns `None` if there is no log.
    pub(super) fn read(files: &dyn LogFiles) -> Result<Option<Self>> {
        let bytes = match files.read(STATE) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(files.file_error(STATE, error)),
        };
        match Self::parse(&bytes) {
            Some(state) => Ok(Some(state)),
            None => Err(Error::evidence(format!(
                "{}/{STATE} is damaged",
                files.place()
            ))),
        }
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let (json, digest) = text.strip_suffix('\n')?.split_once('\n')?;
        if hex::text(&Sha256::digest(json)) != digest {
            return None;
        }
        let state: Self = serde_json::from_str(json).ok()?;
        (state.head.size <= MOST && state.head.files <= MOST).then_some(state)
    }

    pub(super) fn write(&self, files: &dyn LogFiles) -> Result<()> {
        let json = heedful_json::line(self);
        let digest = hex::text(&Sha256::digest(&json));
        files.replace_file(STATE, format!("{json}\n{digest}\n").as_bytes())
    }
}
