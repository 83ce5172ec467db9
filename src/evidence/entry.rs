//! An entry of a log, as it is hashed and as it is stored (docs/evidence.md).
//!
//! An entry names neither its URL nor the digest of its page. Its key is a hash of the URL with a salt, and the digest is
//! hidden with the same salt. The salt is kept apart (`keys`). Without it nobody can tell which page an entry is about.
//! The key fixes the salt, so nobody can open an entry as another page's.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::hex;
use super::tree::{Hash, leaf};

/// A secret of one entry.
pub(super) type Salt = [u8; 16];

/// The bytes of an entry as it is stored.
pub(super) const ROW: usize = 1 + 8 + 32 + 32 + 3 * 4 + 4;

const WITHOUT_PAGE: Hash = [0; 32];

/// What an entry records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum EntryKind {
    /// A page that was read, and what it may be used for.
    Page,
    /// A page that is unchanged: what was said of it without its bytes.
    Unchanged,
    /// A URL that is no page, or no longer one.
    Gone,
    /// The kept copy of a page was removed; the page stays.
    Copy,
    /// A record that could not be read: everything is denied.
    Unknown,
}

heedful_base::display!(EntryKind);

impl EntryKind {
    /// All kinds, in the order of their numbers, from 1 on.
    pub(super) const ALL: [Self; 5] = [Self::Page, Self::Unchanged, Self::Gone, Self::Copy, Self::Unknown];

    /// The name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Unchanged => "unchanged",
            Self::Gone => "gone",
            Self::Copy => "copy",
            Self::Unknown => "unknown",
        }
    }

    fn number(self) -> u8 {
        Self::ALL.iter().zip(1..).find(|(kind, _)| **kind == self).map_or(0, |(_, number)| number)
    }

    fn numbered(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number).checked_sub(1)?).copied()
    }
}

/// An entry, as it is hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) kind: EntryKind,
    /// When the page was fetched, in seconds since 1970.
    pub(super) captured: Option<i64>,
    pub(super) key: Hash,
    /// The digest of the page, hidden.
    pub(super) page: Hash,
    /// The digests of what the entry refers to.
    pub(super) refers: [Hash; 3],
}

/// An entry, as it is stored: it refers to blobs by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) kind: EntryKind,
    pub(super) captured: Option<i64>,
    pub(super) key: Hash,
    pub(super) page: Hash,
    pub(super) refers: [u32; 3],
}

/// The BLAKE3 digest of a page's bytes. It is written as `blake3:` and hexadecimal digits.
///
/// All other hashes of evidence are SHA-256. Pages are most of the bytes that evidence reads, and SHA-256 would cost
/// more for them than all else that evidence does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageDigest(Hash);

impl PageDigest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(blake3::hash(bytes).into())
    }

    /// The digest that a proof names.
    pub(super) fn read(named: &str) -> Option<Self> {
        hex::read(named.strip_prefix("blake3:")?).map(Self)
    }
}

impl fmt::Display for PageDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "blake3:{}", hex::text(&self.0))
    }
}

/// The key of a URL's entry.
pub(super) fn key(url: &str, salt: &Salt) -> Hash {
    Sha256::new().chain_update(b"heedful url\0").chain_update(salt).chain_update(url).finalize().into()
}

/// Hides the digest of a page, or shows a hidden one.
fn hidden(digest: &Hash, salt: &Salt) -> Hash {
    let pad: Hash = Sha256::new().chain_update(b"heedful page\0").chain_update(salt).finalize().into();
    std::array::from_fn(|at| digest[at] ^ pad[at])
}

/// The field for the page of an entry.
pub(super) fn page(digest: Option<PageDigest>, salt: &Salt) -> Hash {
    digest.map_or(WITHOUT_PAGE, |digest| hidden(&digest.0, salt))
}

impl Entry {
    /// The bytes that are hashed.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(1 + 8 + 5 * 32);
        bytes.push(self.kind.number());
        bytes.extend(self.captured.unwrap_or(i64::MIN).to_be_bytes());
        bytes.extend(self.key);
        bytes.extend(self.page);
        bytes.extend(self.refers.as_flattened());
        bytes
    }

    pub(super) fn leaf(&self) -> Hash {
        leaf(&self.bytes())
    }

    /// The digest of the page, if the entry has one.
    pub(super) fn digest(&self, salt: &Salt) -> Option<PageDigest> {
        (self.page != WITHOUT_PAGE).then(|| PageDigest(hidden(&self.page, salt)))
    }
}

impl Row {
    /// The entry, with the digests of its blobs.
    pub(super) fn entry(&self, refers: [Hash; 3]) -> Entry {
        let Self { kind, captured, key, page, .. } = *self;
        Entry { kind, captured, key, page, refers }
    }

    /// The row as it is stored. Its last bytes tell if it is damaged, or in another's place.
    pub(super) fn bytes(&self, leaf: &Hash, number: u64) -> [u8; ROW] {
        let mut row = Vec::with_capacity(ROW);
        row.push(self.kind.number());
        row.extend(self.captured.unwrap_or(i64::MIN).to_be_bytes());
        row.extend(self.key);
        row.extend(self.page);
        row.extend(self.refers.iter().flat_map(|number| number.to_be_bytes()));
        row.extend(sum(leaf, number));
        row.try_into().unwrap_or([0; ROW])
    }

    /// Reads a row; None if it is none.
    pub(super) fn read(row: &[u8]) -> Option<Self> {
        let hash = |from: usize| row.get(from..from + 32)?.try_into().ok();
        let number = |from: usize| Some(u32::from_be_bytes(row.get(from..from + 4)?.try_into().ok()?));
        let captured = i64::from_be_bytes(row.get(1..9)?.try_into().ok()?);
        Some(Self {
            kind: EntryKind::numbered(*row.first()?)?,
            captured: (captured != i64::MIN).then_some(captured),
            key: hash(9)?,
            page: hash(41)?,
            refers: [number(73)?, number(77)?, number(81)?],
        })
    }
}

/// The last bytes of a row.
pub(super) fn sum(leaf: &Hash, number: u64) -> [u8; 4] {
    let number = number.to_be_bytes();
    std::array::from_fn(|at| leaf[at] ^ number[at + 4])
}
