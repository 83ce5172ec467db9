//! The entry of a log, in two forms: the form that is hashed, and the form that is stored
//! (docs/evidence.md).
//!
//! An entry contains neither its URL nor the plain digest of its page. Its key is a hash of the URL
//! and a salt, and the page's digest is encrypted with the same salt. The salt is stored in a
//! separate file (`keys`). Without the salt, the entry cannot be linked to a page. Nobody can find
//! another URL and salt with the same key, so an entry cannot be presented as that of another page.

use sha2::{Digest, Sha256};

use heedful_index::decision::{EntryKind, Hash, PageDigest};

use super::tree::leaf;

/// The salt of one entry: random bytes that are secret until a proof reveals them.
pub(super) type Salt = [u8; 16];

/// Length of a log entry in its stored form, in bytes.
pub(super) const ROW: usize = 1 + 8 + 32 + 32 + 3 * 4 + 4;

const WITHOUT_PAGE: Hash = [0; 32];

/// Returns the number by which a kind of entry is stored. The first kind has the number 1.
fn kind_number(kind: EntryKind) -> u8 {
    for (own, number) in EntryKind::ALL.into_iter().zip(1..) {
        if own == kind {
            return number;
        }
    }
    0
}

fn kind_of_number(number: u8) -> Option<EntryKind> {
    EntryKind::ALL
        .get(usize::from(number).checked_sub(1)?)
        .copied()
}

/// An entry in the form that is hashed: it refers to its texts by digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) kind: EntryKind,
    /// Time of the page's fetch, in seconds since 1970.
    pub(super) captured: Option<i64>,
    pub(super) key: Hash,
    /// Digest of the page, encrypted with the entry's salt.
    pub(super) page: Hash,
    /// Digests of the three texts to which the entry refers: context, response header lines and
    /// decision, in this order.
    pub(super) refers: [Hash; 3],
}

/// An entry in the form that is stored (a row of a segment): it refers to blobs by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EntryRow {
    pub(super) kind: EntryKind,
    pub(super) captured: Option<i64>,
    pub(super) key: Hash,
    pub(super) page: Hash,
    pub(super) refers: [u32; 3],
}

/// Computes the key of an entry: a hash of its URL and its salt.
pub(super) fn key(url: &str, salt: &Salt) -> Hash {
    Sha256::new()
        .chain_update(b"heedful url\0")
        .chain_update(salt)
        .chain_update(url)
        .finalize()
        .into()
}

/// Encrypts the plain digest of a page with a salt, or decrypts an encrypted digest.
fn hidden(digest: &Hash, salt: &Salt) -> Hash {
    let pad: Hash = Sha256::new()
        .chain_update(b"heedful page\0")
        .chain_update(salt)
        .finalize()
        .into();
    std::array::from_fn(|at| digest[at] ^ pad[at])
}

/// Returns the value of the field [`Entry::page`]: the encrypted digest of the page. Returns a
/// fixed value if `digest` is `None`.
pub(super) fn page(digest: Option<PageDigest>, salt: &Salt) -> Hash {
    match digest {
        Some(digest) => hidden(&digest.0, salt),
        None => WITHOUT_PAGE,
    }
}

impl Entry {
    /// Returns the bytes of the entry that are hashed. Their hash is the entry's leaf in the Merkle
    /// tree.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(1 + 8 + 5 * 32);
        bytes.push(kind_number(self.kind));
        bytes.extend(self.captured.unwrap_or(i64::MIN).to_be_bytes());
        bytes.extend(self.key);
        bytes.extend(self.page);
        bytes.extend(self.refers.as_flattened());
        bytes
    }

    pub(super) fn leaf(&self) -> Hash {
        leaf(&self.bytes())
    }

    /// Decrypts the digest of the entry's page. `None` if the entry has no page digest.
    pub(super) fn digest(&self, salt: &Salt) -> Option<PageDigest> {
        (self.page != WITHOUT_PAGE).then(|| PageDigest(hidden(&self.page, salt)))
    }
}

impl EntryRow {
    /// Converts the stored row into the entry in the form that is hashed. `refers` are the digests
    /// of the row's blobs.
    pub(super) fn entry(&self, refers: [Hash; 3]) -> Entry {
        let Self {
            kind,
            captured,
            key,
            page,
            ..
        } = *self;
        Entry {
            kind,
            captured,
            key,
            page,
            refers,
        }
    }

    /// Returns the bytes of the row as a segment stores them. The last four bytes are a checksum of
    /// `leaf` and `number`. It detects damage, and a row at a wrong position in the log.
    pub(super) fn bytes(&self, leaf: &Hash, number: u64) -> [u8; ROW] {
        let mut row = Vec::with_capacity(ROW);
        row.push(kind_number(self.kind));
        row.extend(self.captured.unwrap_or(i64::MIN).to_be_bytes());
        row.extend(self.key);
        row.extend(self.page);
        for number in self.refers {
            row.extend(number.to_be_bytes());
        }
        row.extend(sum(leaf, number));
        row.try_into().unwrap_or([0; ROW])
    }

    /// Parses a row from its stored bytes; `None` if they are invalid.
    pub(super) fn read(row: &[u8]) -> Option<Self> {
        let captured = i64::from_be_bytes(array(row, 1)?);
        let mut refers = [0; 3];
        for (number, at) in refers.iter_mut().zip([73, 77, 81]) {
            *number = u32::from_be_bytes(array(row, at)?);
        }
        Some(Self {
            kind: kind_of_number(*row.first()?)?,
            captured: (captured != i64::MIN).then_some(captured),
            key: array(row, 9)?,
            page: array(row, 41)?,
            refers,
        })
    }
}

/// Returns the `N` bytes of a row that begin at index `at`.
fn array<const N: usize>(row: &[u8], at: usize) -> Option<[u8; N]> {
    row.get(at..)?.first_chunk().copied()
}

/// Computes the checksum at the end of the stored row of entry `number`, whose leaf hash is `leaf`.
pub(super) fn sum(leaf: &Hash, number: u64) -> [u8; 4] {
    let number = number.to_be_bytes();
    std::array::from_fn(|at| leaf[at] ^ number[at + 4])
}
