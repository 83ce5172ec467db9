//! Reads the hashes of the Merkle tree over a log's entries from the tiles in its files.

use std::collections::HashMap;

use tlog_tiles::{
    Hash, HashReader, Tile, split_stored_hash_index, stored_hash_index,
    stored_hashes_for_record_hash,
};

use heedful_base::error::{Error, Result};

use super::bundles::tile_name;
use super::files::LogFiles;

/// Merkle tree over the entries of a log. Its hashes are in stored tiles, or only in memory if they
/// are new.
pub(super) struct Tree<'a> {
    pub(super) files: &'a dyn LogFiles,
    /// Number of entries at the last commit. The tiles over these entries are stored.
    pub(super) stored: u64,
    /// Hashes that are not yet stored in a tile. `None` if all hashes are stored.
    pub(super) fresh: Option<&'a FreshHashes>,
}

/// Hashes of the tree that are not yet stored in a tile, by their storage index
/// (c2sp.org/tlog-tiles).
#[derive(Debug, Default)]
pub(super) struct FreshHashes(HashMap<u64, Hash>);

impl FreshHashes {
    /// Adds the hashes that the tree gets with the entry number `number`. These are `leaf`, the
    /// hash of the entry itself, and the hashes of the subtrees that end with this entry. `files`
    /// contains the tiles over the first `stored` entries.
    pub(super) fn add(
        &mut self,
        files: &dyn LogFiles,
        stored: u64,
        number: u64,
        leaf: Hash,
    ) -> Result<()> {
        let tree = self.tree(files, stored);
        let hashes = tree.result(stored_hashes_for_record_hash(number, leaf, &tree))?;
        let first = stored_hash_index(0, number);
        self.0.extend((first..).zip(hashes));
        Ok(())
    }

    /// Returns the tree with these hashes, and with the stored tiles over the first `stored`
    /// entries.
    pub(super) fn tree<'a>(&'a self, files: &'a dyn LogFiles, stored: u64) -> Tree<'a> {
        Tree {
            files,
            stored,
            fresh: Some(self),
        }
    }

    /// Removes the hashes inside tile number `tile` of the lowest level, because the tile was
    /// written. Only the hash of the whole tile is still needed.
    pub(super) fn forget_tile(&mut self, tile: u64) {
        for level in 0..8 {
            let width = 256 >> level;
            for at in tile * width..(tile + 1) * width {
                self.0.remove(&stored_hash_index(level, at));
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

impl HashReader for Tree<'_> {
    fn read_hashes(&self, indexes: &[u64]) -> std::result::Result<Vec<Hash>, tlog_tiles::Error> {
        let mut hashes = Vec::with_capacity(indexes.len());
        let mut last: Option<(Tile, Vec<u8>)> = None;
        for index in indexes {
            if let Some(hash) = self.fresh.and_then(|fresh| fresh.0.get(index)) {
                hashes.push(*hash);
                continue;
            }
            let tile = self.stored_tile(*index)?;
            let data = match last.take() {
                Some((known, data)) if known == tile => data,
                _ => self.read_tile(&tile)?,
            };
            hashes.push(tile.hash_at_index(&data, *index)?);
            last = Some((tile, data));
        }
        Ok(hashes)
    }
}

impl Tree<'_> {
    /// Returns the stored tile from which the hash with the storage index `index` can be read or
    /// computed.
    fn stored_tile(&self, index: u64) -> std::result::Result<Tile, tlog_tiles::Error> {
        let (level, at) = split_stored_hash_index(index);
        let tile_level = level / 8;
        let number = at >> (8 - level % 8);
        let stored = self.stored.checked_shr(u32::from(tile_level) * 8);
        let width = stored.unwrap_or(0).saturating_sub(number << 8).min(256);
        match u32::try_from(width) {
            Ok(width) if width > 0 => Ok(Tile::new(8, tile_level, number, width, false)),
            _ => Err(tlog_tiles::Error::IndexesNotInTree),
        }
    }

    fn read_tile(&self, tile: &Tile) -> std::result::Result<Vec<u8>, tlog_tiles::Error> {
        let name = tile_name(tile);
        let read = self.files.read(&name);
        read.map_err(|error| tlog_tiles::Error::InvalidInput(format!("{name}: {error}")))
    }

    /// Returns the root of the Merkle tree over the first `size` entries.
    pub(super) fn root(&self, size: u64) -> Result<Hash> {
        self.result(tlog_tiles::tree_hash(size, self))
    }

    /// Converts an error of the tree to an evidence error that names the folder of the log.
    pub(super) fn result<T>(&self, result: std::result::Result<T, tlog_tiles::Error>) -> Result<T> {
        result.map_err(|error| Error::evidence(format!("{}: {error}", self.files.place())))
    }
}
