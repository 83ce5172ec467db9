//! The Merkle tree over the entries of a log, by RFC 6962, section 2.1, with SHA-256.
//!
//! The tree yields roots, audit paths and consistency proofs, and verifies them by RFC 9162,
//! sections 2.1.3.2 and 2.1.4.2. The hash of each complete block of 256 entries is stored, so
//! computing a proof needs the entries of at most two blocks. This module reads no files: a
//! callback returns the hashes of a block's entries.

use sha2::{Digest, Sha256};

use heedful_base::error::Result;
use heedful_index::decision::Hash;

/// Number of entries in a block, for which the log stores one hash.
pub(super) const BLOCK: u64 = 256;

/// Computes the leaf hash of a log entry from its bytes.
pub(super) fn leaf(entry: &[u8]) -> Hash {
    Sha256::new()
        .chain_update([0])
        .chain_update(entry)
        .finalize()
        .into()
}

fn node(left: &Hash, right: &Hash) -> Hash {
    Sha256::new()
        .chain_update([1])
        .chain_update(left)
        .chain_update(right)
        .finalize()
        .into()
}

/// Returns the largest power of two below `size`. `size` must be at least 2.
fn split(size: u64) -> u64 {
    1 << (63 - (size - 1).leading_zeros())
}

/// Computes the root of the Merkle tree over a complete list of leaf hashes.
pub(super) fn root(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => Sha256::digest([]).into(),
        [leaf] => *leaf,
        _ => {
            let (left, right) =
                leaves.split_at(usize::try_from(split(leaves.len() as u64)).unwrap_or(1));
            node(&root(left), &root(right))
        }
    }
}

/// A Merkle tree over the entries of a log. The hashes of its complete blocks are known.
pub(super) struct MerkleTree<'a> {
    pub(super) size: u64,
    /// Hashes of the complete blocks of 256 entries.
    pub(super) blocks: &'a [Hash],
    /// Callback that takes the number of a block, and returns the leaf hashes of that block. The
    /// last block may be incomplete.
    pub(super) leaves: &'a dyn Fn(u64) -> Result<Vec<Hash>>,
}

impl MerkleTree<'_> {
    pub(super) fn root(&self) -> Result<Hash> {
        self.over(0, self.size)
    }

    /// Computes the hash of the subtree over the entries `from..to`.
    fn over(&self, from: u64, to: u64) -> Result<Hash> {
        let size = to - from;
        let block = from / BLOCK;
        if size == BLOCK
            && from.is_multiple_of(BLOCK)
            && let Some(known) = usize::try_from(block)
                .ok()
                .and_then(|block| self.blocks.get(block))
        {
            return Ok(*known);
        }
        if size <= BLOCK {
            let leaves = (self.leaves)(block)?;
            let at = |number: u64| {
                usize::try_from(number - block * BLOCK)
                    .unwrap_or(usize::MAX)
                    .min(leaves.len())
            };
            return Ok(root(&leaves[at(from)..at(to)]));
        }
        let half = from + split(size);
        Ok(node(&self.over(from, half)?, &self.over(half, to)?))
    }

    /// Returns the audit path of entry `number`: the sibling hashes on the way from its leaf to the
    /// root, lowest first.
    pub(super) fn path(&self, number: u64) -> Result<Vec<Hash>> {
        let mut from = 0;
        let mut to = self.size;
        let mut path = Vec::new();
        while to - from > 1 {
            let half = from + split(to - from);
            if number < half {
                path.push(self.over(half, to)?);
                to = half;
            } else {
                path.push(self.over(from, half)?);
                from = half;
            }
        }
        path.reverse();
        Ok(path)
    }

    /// Returns the proof that the tree of the first `old` entries is a prefix of this tree (RFC
    /// 6962, section 2.1.2).
    pub(super) fn consistency(&self, old: u64) -> Result<Vec<Hash>> {
        let mut from = 0;
        let mut to = self.size;
        let mut is_whole = true;
        let mut proof = Vec::new();
        if old == 0 || old >= self.size {
            return Ok(proof);
        }
        while to > old {
            let half = from + split(to - from);
            if old <= half {
                proof.push(self.over(half, to)?);
                to = half;
            } else {
                proof.push(self.over(from, half)?);
                from = half;
                is_whole = false;
            }
        }
        if !is_whole {
            proof.push(self.over(from, to)?);
        }
        proof.reverse();
        Ok(proof)
    }
}

/// Computes the root from a leaf hash and its audit path. `number` is the entry's position among
/// `size` entries. `None` if the path has the wrong length for this position and size.
pub(super) fn root_of_path(leaf: Hash, number: u64, size: u64, path: &[Hash]) -> Option<Hash> {
    if number >= size {
        return None;
    }
    let mut at = number;
    let mut last = size - 1;
    let mut hash = leaf;
    for beside in path {
        if last == 0 {
            return None;
        }
        if at & 1 == 1 || at == last {
            hash = node(beside, &hash);
            while at & 1 == 0 && at != 0 {
                at >>= 1;
                last >>= 1;
            }
        } else {
            hash = node(&hash, beside);
        }
        at >>= 1;
        last >>= 1;
    }
    (last == 0).then_some(hash)
}

/// True if `proof` shows that the tree of the first `old` entries is a prefix of the tree of `new`
/// entries. If one of the two trees is empty, its root must be that of a tree without entries.
pub(super) fn is_consistent(
    (old, old_root): (u64, Hash),
    (new, new_root): (u64, Hash),
    proof: &[Hash],
) -> bool {
    let may_be = |size: u64, own: Hash| size != 0 || own == root(&[]);
    if !may_be(old, old_root) || !may_be(new, new_root) {
        return false;
    }
    if old == 0 || old == new {
        return proof.is_empty() && old <= new && (old == 0 || old_root == new_root);
    }
    if old > new {
        return false;
    }
    let first = old.is_power_of_two().then_some(old_root);
    let mut hashes = first.into_iter().chain(proof.iter().copied());
    let mut at = old - 1;
    let mut last = new - 1;
    while at & 1 == 1 {
        at >>= 1;
        last >>= 1;
    }
    let Some(begin) = hashes.next() else {
        return false;
    };
    let mut older = begin;
    let mut newer = begin;
    for beside in hashes {
        if last == 0 {
            return false;
        }
        if at & 1 == 1 || at == last {
            older = node(&beside, &older);
            newer = node(&beside, &newer);
            while at & 1 == 0 && at != 0 {
                at >>= 1;
                last >>= 1;
            }
        } else {
            newer = node(&newer, &beside);
        }
        at >>= 1;
        last >>= 1;
    }
    last == 0 && older == old_root && newer == new_root
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(size: u64) -> Vec<Hash> {
        (0..size)
            .map(|number| leaf(&number.to_be_bytes()))
            .collect()
    }

    /// Calls `take` with the Merkle tree over the first `size` elements of the leaf hashes `all`.
    fn with<T>(all: &[Hash], size: u64, take: impl FnOnce(&MerkleTree<'_>) -> T) -> T {
        let all = &all[..usize::try_from(size).unwrap()];
        let blocks: Vec<_> = all.chunks_exact(256).map(root).collect();
        let leaves = |block: u64| {
            let from = usize::try_from(block * BLOCK).unwrap();
            Ok(all[from..all.len().min(from + 256)].to_vec())
        };
        take(&MerkleTree {
            size,
            blocks: &blocks,
            leaves: &leaves,
        })
    }

    /// Tests the roots of small trees. The expected hashes are those that Certificate
    /// Transparency's reference implementation has for its test tree.
    #[test]
    fn the_roots_are_those_of_certificate_transparency() {
        let inputs: [&[u8]; 8] = [
            b"",
            b"\x00",
            b"\x10",
            b"\x20\x21",
            b"\x30\x31",
            b"\x40\x41\x42\x43",
            b"\x50\x51\x52\x53\x54\x55\x56\x57",
            b"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
        ];
        let leaves: Vec<_> = inputs.into_iter().map(leaf).collect();
        for (size, expected) in [
            (
                0,
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            ),
            (
                1,
                "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            ),
            (
                2,
                "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
            ),
            (
                3,
                "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
            ),
            (
                7,
                "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
            ),
            (
                8,
                "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
            ),
        ] {
            assert_eq!(
                data_encoding::HEXLOWER.encode(&root(&leaves[..size])),
                expected,
                "{size}"
            );
        }
    }

    #[test]
    fn each_path_leads_to_the_root_and_none_that_is_altered() {
        let all = leaves(1200);
        for size in (1..40).chain([255, 256, 257, 511, 512, 513, 1023, 1024, 1200]) {
            let expected = root(&all[..usize::try_from(size).unwrap()]);
            with(&all, size, |tree| {
                assert_eq!(tree.root().unwrap(), expected, "{size}");
                for number in
                    (0..size).filter(|number| size < 40 || number % 37 == 0 || number + 2 > size)
                {
                    let (path, own) = (
                        tree.path(number).unwrap(),
                        all[usize::try_from(number).unwrap()],
                    );
                    assert_eq!(
                        root_of_path(own, number, size, &path),
                        Some(expected),
                        "{number} of {size}"
                    );
                    assert_ne!(root_of_path(own, number ^ 1, size, &path), Some(expected));
                    for at in 0..path.len() {
                        let mut altered = path.clone();
                        altered[at][at % 32] ^= 1;
                        assert_ne!(root_of_path(own, number, size, &altered), Some(expected));
                        altered.remove(at);
                        assert_ne!(root_of_path(own, number, size, &altered), Some(expected));
                    }
                }
            });
        }
    }

    #[test]
    fn each_tree_is_the_beginning_of_each_later_one() {
        let all = leaves(1200);
        let sizes = (0..20).chain([255, 256, 257, 600, 1024, 1200]);
        for (old, new) in sizes
            .clone()
            .flat_map(|old| sizes.clone().map(move |new| (old, new)))
        {
            let before = (old, with(&all, old, |tree| tree.root().unwrap()));
            with(&all, new, |tree| {
                let (after, proof) = ((new, tree.root().unwrap()), tree.consistency(old).unwrap());
                assert_eq!(
                    is_consistent(before, after, &proof),
                    old <= new,
                    "{old} {new}"
                );
                if (1..new).contains(&old) {
                    let other = (old, leaf(b"other"));
                    assert!(!is_consistent(other, after, &proof));
                    assert!(!is_consistent(before, (new, leaf(b"other")), &proof));
                    assert!(!is_consistent(before, after, &proof[1..]), "{old} {new}");
                }
            });
        }
    }

    /// The root of an empty tree must be the hash of the empty string.
    #[test]
    fn a_tree_without_entries_has_one_root() {
        let (empty, other) = (root(&[]), [7; 32]);
        assert!(
            is_consistent((0, empty), (0, empty), &[])
                && is_consistent((0, empty), (5, other), &[])
        );
        for (old, new) in [
            ((0, other), (0, empty)),
            ((0, empty), (0, other)),
            ((0, other), (0, other)),
            ((0, other), (5, other)),
        ] {
            assert!(!is_consistent(old, new, &[]), "{old:?} {new:?}");
        }
    }
}
