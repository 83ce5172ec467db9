//! Names and contents of the files of a log, by C2SP's scheme for tiles (c2sp.org/tlog-tiles).
//!
//! A log has several sequences: the hashes of each level of the tree, entries, records, URLs, and
//! site files. A sequence is cut into bundles of a fixed width. Only the last bundle may have fewer
//! elements, and then its name has their number. So the names of all files follow from the sizes of
//! the sequences, and no commit overwrites a file of an earlier one.

use std::collections::HashSet;
use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use sha2::{Digest, Sha256};
use tlog_tiles::Tile;

use heedful_index::decision::Hash;

use super::state::Head;

/// Maximum length of a bundle after decompression, in bytes.
const MOST_UNPACKED: u64 = 1 << 30;

/// Sequence of elements that a log stores in bundles, which are files with a fixed number of
/// elements. The hashes of the Merkle tree are stored in tiles instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sequence {
    /// The entries of the log, in the format of c2sp.org/tlog-tiles.
    Entries,
    /// For each entry its salt and record, or nothing if the record was erased.
    Records,
    /// For each entry the tag of its URL, which is a short hash.
    Urls,
    /// The SHA-256 digest of each site file.
    Digests,
    /// The contents of the site files, such as robots.txt.
    SiteFiles,
}

impl Sequence {
    pub(super) const ALL: [Self; 5] = [
        Self::Entries,
        Self::Records,
        Self::Urls,
        Self::Digests,
        Self::SiteFiles,
    ];

    fn folder(self) -> &'static str {
        match self {
            Self::Entries => "tile/entries",
            Self::Records => "private/records",
            Self::Urls => "private/urls",
            Self::Digests => "files/digests",
            Self::SiteFiles => "files/files",
        }
    }

    /// Returns the binary logarithm of the number of elements in a full bundle.
    fn height(self) -> u8 {
        match self {
            Self::Entries | Self::Records | Self::Digests => 8,
            Self::Urls => 16,
            Self::SiteFiles => 4,
        }
    }

    /// Returns the number of elements in a full bundle.
    pub(super) fn width(self) -> u64 {
        1 << self.height()
    }

    /// Returns the number of elements that this sequence has at the commit with the head `head`.
    fn size_at(self, head: &Head) -> u64 {
        match self {
            Self::Entries | Self::Records | Self::Urls => head.size,
            Self::Digests | Self::SiteFiles => head.files,
        }
    }

    /// Returns the numbers of all bundles that this sequence has at the commit with the head
    /// `head`.
    pub(super) fn bundles(self, head: &Head) -> std::ops::Range<u64> {
        0..self.size_at(head).div_ceil(self.width())
    }

    /// Returns the file name of bundle number `bundle` at the commit with the head `head`.
    pub(super) fn name_at(self, bundle: u64, head: &Head) -> String {
        self.name(bundle, self.size_at(head))
    }

    /// Returns the file name of bundle number `bundle` if the sequence has `size` elements.
    pub(super) fn name(self, bundle: u64, size: u64) -> String {
        let width = (size - bundle * self.width()).min(self.width());
        let width = u32::try_from(width).unwrap_or(u32::MAX);
        let tile = Tile::new(self.height(), 0, bundle, width, true);
        let path = format!("tile/{}/data", self.height());
        tile.path().replacen(&path, self.folder(), 1)
    }
}

/// Returns the file name of a tile of the Merkle tree.
pub(super) fn tile_name(tile: &Tile) -> String {
    tile.path().replacen("tile/8/", "tile/", 1)
}

/// Returns the file names of all tiles and bundles that a log has at the commit with the head
/// `head`.
pub(super) fn names_at(head: &Head) -> HashSet<String> {
    let tiles = Tile::new_tiles(8, 0, head.size);
    let mut names: HashSet<_> = tiles.iter().map(tile_name).collect();
    for sequence in Sequence::ALL {
        names.extend(
            sequence
                .bundles(head)
                .map(|bundle| sequence.name_at(bundle, head)),
        );
    }
    names
}

/// Returns the file names of the tiles and bundles that are not full at the commit with the head
/// `head`.
pub(super) fn partial_names_at(head: &Head) -> HashSet<String> {
    let mut names = HashSet::new();
    for level in 0..8 {
        let hashes = head.size.checked_shr(8 * u32::from(level)).unwrap_or(0);
        if let Ok(width @ 1..) = u32::try_from(hashes % 256) {
            names.insert(tile_name(&Tile::new(8, level, hashes / 256, width, false)));
        }
    }
    for sequence in Sequence::ALL {
        let size = sequence.size_at(head);
        if !size.is_multiple_of(sequence.width()) {
            names.insert(sequence.name(size / sequence.width(), size));
        }
    }
    names
}

/// Parses `name` as the file name of a tile (a file of tree hashes) or bundle (a file of entries,
/// records, URLs or site files). The file may be from any commit. Returns `None` for any other file
/// name.
///
/// The result has the tile or bundle, and a number. For a tile, the number counts the hashes in the
/// tile's level of the tree. For a bundle, it counts the elements in the bundle's sequence. Both
/// are counted at the commit with the head `head`.
fn parse_name(name: &str, head: &Head) -> Option<(Tile, u64)> {
    for sequence in Sequence::ALL {
        if let Some(path) = name.strip_prefix(sequence.folder()) {
            let path = format!("tile/{}/data{path}", sequence.height());
            return Some((Tile::from_path(&path).ok()?, sequence.size_at(head)));
        }
    }
    let path = name.strip_prefix("tile/")?;
    let tile = Tile::from_path(&format!("tile/8/{path}")).ok()?;
    let hashes = head.size.checked_shr(8 * u32::from(tile.level()));
    Some((tile, hashes.unwrap_or(0)))
}

/// True if `name` is the file name of a tile or bundle, which may be from any commit.
pub(super) fn is_name(name: &str, head: &Head) -> bool {
    parse_name(name, head).is_some()
}

/// True if the tile or bundle with the file name `name` has elements that were added after a
/// commit. `head` is the log's head at this commit. False if `name` is any other file name.
pub(super) fn is_newer(name: &str, head: &Head) -> bool {
    parse_name(name, head).is_some_and(|(tile, size)| first_of(&tile) + width_of(&tile) > size)
}

/// Returns the position of a tile's first hash in the tile's level, counted from 0. For a bundle,
/// returns the position of its first element in the sequence.
fn first_of(tile: &Tile) -> u64 {
    tile.level_index() << tile.height()
}

fn width_of(tile: &Tile) -> u64 {
    u64::from(tile.width())
}

/// Returns the new file name of a partial tile, or a partial bundle of entries, that has grown but
/// is still partial. `name` is its file name at an earlier commit. The result is its file name at
/// the commit with the head `head`. Returns `None` if the tile or bundle has not grown, or has
/// become full. Also returns `None` for the name of any other file.
pub(super) fn widened(name: &str, head: &Head) -> Option<String> {
    if !name.starts_with("tile/") {
        return None;
    }
    let (tile, size) = parse_name(name, head)?;
    let width = size.checked_sub(first_of(&tile))?;
    if width_of(&tile) >= width || width >= 1 << tile.height() {
        return None;
    }
    let before = name.strip_suffix(&format!(".p/{}", tile.width()))?;
    Some(format!("{before}.p/{width}"))
}

/// Encodes a bundle of entries as the content of a file. For each entry, the file has the entry's
/// length in two bytes, and then the entry's bytes.
pub(super) fn entries(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in entries {
        let length = u16::try_from(entry.len()).unwrap_or(u16::MAX);
        bytes.extend(length.to_be_bytes());
        bytes.extend(entry);
    }
    bytes
}

/// Parses the content of a file as a bundle of entries. Returns `None` if it is damaged.
pub(super) fn parse_entries(mut bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut entries = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk() {
        let (entry, rest) = rest.split_at_checked(u16::from_be_bytes(*length).into())?;
        entries.push(entry.to_vec());
        bytes = rest;
    }
    bytes.is_empty().then_some(entries)
}

/// Encodes a bundle of records or site files as the content of a file. The file has the compressed
/// elements, and then the digest of the compressed bytes.
pub(super) fn pack<'a>(items: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut plain = Vec::new();
    for item in items {
        let length = u32::try_from(item.len()).unwrap_or(u32::MAX);
        plain.extend(length.to_be_bytes());
        plain.extend(item);
    }
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::fast());
    // A vector takes all bytes.
    let _ = packer.write_all(&plain);
    with_digest(packer.finish().unwrap_or_default())
}

/// Parses the content of a file as a bundle of records or site files. Returns `None` if it is
/// damaged.
pub(super) fn unpack(bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut unpacked = Vec::new();
    let packed = without_digest(bytes)?;
    let mut unpacker = ZlibDecoder::new(packed).take(MOST_UNPACKED);
    unpacker.read_to_end(&mut unpacked).ok()?;
    let mut rest = unpacked.as_slice();
    let mut items = Vec::new();
    while let Some((length, after)) = rest.split_first_chunk() {
        let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
        let (item, after) = after.split_at_checked(length)?;
        items.push(item.to_vec());
        rest = after;
    }
    rest.is_empty().then_some(items)
}

/// Appends the SHA-256 digest of `bytes`, so that any change of the bytes can be detected.
pub(super) fn with_digest(mut bytes: Vec<u8>) -> Vec<u8> {
    let digest = Sha256::digest(&bytes);
    bytes.extend(digest);
    bytes
}

/// Returns `bytes` without the SHA-256 digest at its end. Returns `None` if the digest does not
/// match.
pub(super) fn without_digest(bytes: &[u8]) -> Option<&[u8]> {
    let (bytes, digest) = bytes.split_last_chunk::<32>()?;
    (Hash::from(Sha256::digest(bytes)) == *digest).then_some(bytes)
}
