//! Merge policy of an index: decides which of its segments are merged, and when.
//!
//! Segments are in tiers by the bytes of their living documents. Each tier is eight times the one
//! below it. Eight segments of a tier are merged into one of a higher tier. So a document is copied
//! once for each tier, and the number of segments grows with the logarithm of the index. No merge
//! creates a segment above a bound of some gigabytes, so a larger index has one more segment for
//! each two of them. A segment with many deleted documents is rewritten alone, whatever its size.
//!
//! A merge maps the files that it reads. Beside these it took 3 MB of memory for each 100 MB that
//! it read (12 MB for 80,000 pages of 394 MB). So the bound follows from the memory of the writer.
//! A merge also needs free disk for the segment that it writes. `compact` ignores this policy and
//! merges all segments into one.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use tantivy::directory::Directory;
use tantivy::index::SegmentId;
use tantivy::indexer::{MergeCandidate, MergePolicy};
use tantivy::{HasLen, Index, SegmentMeta};

use crate::directory::SEGMENT_FILES;

use heedful_base::memory::Memory;

/// Maximum bytes of documents that one merge of segments reads, without deleted documents. A bound
/// on memory may lower it.
const MOST: u64 = 4 << 30;
/// Bytes that a merge may read for each byte of [`Memory::of_index`]. A merge takes about 3 MB of
/// memory for each 100 MB that it reads. So the largest merge takes about half of that memory.
const READ_FOR_A_BYTE: u64 = 16;
/// Size in bytes below which all segments are in the lowest tier. Copying such a segment costs less
/// than a commit.
const LOWEST: u64 = 256 << 10;
/// Number of segments of one tier that are merged. Also the factor between the sizes of two
/// neighbouring tiers.
const ALIKE: usize = 8;
/// Share of deleted documents (0 to 1) above which a segment is rewritten alone.
const DELETED_SHARE: f64 = 0.3;

/// Merge policy for the segments of one index.
#[derive(Debug)]
pub(super) struct TieredMergePolicy {
    index: Index,
    /// Maximum bytes of documents that one merge reads, without deleted documents.
    most: u64,
    /// Total bytes of the files of each segment. They are read once, because these files never
    /// change.
    sizes: Mutex<HashMap<SegmentId, u64>>,
}

/// A segment as the merge policy sees it.
#[derive(Clone, Copy, Debug)]
struct Measured<T> {
    segment: T,
    /// Estimated bytes of the segment's documents, without deleted documents.
    bytes: u64,
    is_sparse: bool,
}

impl TieredMergePolicy {
    pub(super) fn new(index: &Index, memory: Option<Memory>) -> Self {
        let most = memory.map_or(MOST, |memory| {
            memory.of_index().saturating_mul(READ_FOR_A_BYTE).min(MOST)
        });
        Self {
            index: index.clone(),
            most,
            sizes: Mutex::default(),
        }
    }

    /// Returns the total size of a segment's files in bytes.
    fn size(&self, segment: &SegmentMeta) -> u64 {
        let mut sizes = self.sizes.lock().unwrap_or_else(PoisonError::into_inner);
        *sizes.entry(segment.id()).or_insert_with(|| {
            let mut bytes = 0;
            for part in SEGMENT_FILES {
                let path = segment.relative_path(part);
                if let Ok(file) = self.index.directory().open_read(&path) {
                    bytes += file.len() as u64;
                }
            }
            bytes
        })
    }

    fn measure(&self, segment: &SegmentMeta) -> Measured<SegmentId> {
        let share = f64::from(segment.num_docs()) / f64::from(segment.max_doc().max(1));
        Measured {
            segment: segment.id(),
            bytes: (self.size(segment) as f64 * share) as u64,
            is_sparse: share < 1.0 - DELETED_SHARE,
        }
    }
}

impl MergePolicy for TieredMergePolicy {
    fn compute_merge_candidates(&self, segments: &[SegmentMeta]) -> Vec<MergeCandidate> {
        let segments = segments.iter().map(|segment| self.measure(segment));
        choose_merges(segments.collect(), self.most)
            .into_iter()
            .map(MergeCandidate)
            .collect()
    }
}

/// Chooses the merges of an index with these segments. Each entry of the result has the segments of
/// one merge, of at most `most` bytes. A segment of more than half of `most` is not merged with
/// others.
fn choose_merges<T: Copy>(mut segments: Vec<Measured<T>>, most: u64) -> Vec<Vec<T>> {
    segments.sort_by_key(|segment| segment.bytes);
    let mut tiers: BTreeMap<u32, Vec<Measured<T>>> = BTreeMap::new();
    let mut merges = Vec::new();
    for segment in segments {
        if segment.is_sparse {
            merges.push(vec![segment.segment]);
        } else if segment.bytes <= most / 2 {
            tiers.entry(tier(segment.bytes)).or_default().push(segment);
        }
    }
    for alike in tiers.values() {
        if alike.len() >= ALIKE {
            merges.append(&mut split_merge(alike, most));
        }
    }
    merges
}

/// Returns the number of the tier of a segment with this size.
fn tier(bytes: u64) -> u32 {
    (bytes / LOWEST)
        .checked_ilog(ALIKE as u64)
        .map_or(0, |tier| tier + 1)
}

/// Splits a merge of segments into parts of at most `most` bytes each. A part with at least
/// [`ALIKE`] segments is kept. A part of fewer segments, but more than one, is kept if it has more
/// than half of `most` bytes. All other parts are left out.
fn split_merge<T: Copy>(segments: &[Measured<T>], most: u64) -> Vec<Vec<T>> {
    let mut parts: Vec<(Vec<T>, u64)> = Vec::new();
    for segment in segments {
        match parts.last_mut() {
            Some((part, sum)) if *sum + segment.bytes <= most => {
                part.push(segment.segment);
                *sum += segment.bytes;
            }
            _ => parts.push((vec![segment.segment], segment.bytes)),
        }
    }
    parts.retain(|(part, sum)| part.len() >= ALIKE || (part.len() > 1 && *sum > most / 2));
    parts.into_iter().map(|(part, _)| part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tantivy::schema::Schema;

    /// A simulated segment: its bytes, and the number of merges that copied its oldest document.
    type Simulated = (u64, u32);

    /// Simulates an index to which segments of these sizes are added one by one. After each
    /// segment, the merges of the policy are applied. The first returned value is the maximum
    /// number of segments at any time. The second is the maximum number of merges that copied the
    /// same document. The third has all segments at the end.
    fn grow(sizes: impl Iterator<Item = u64>) -> (usize, u32, Vec<Simulated>) {
        let mut segments: Vec<Simulated> = Vec::new();
        let mut most = 0;
        for size in sizes {
            segments.push((size, 0));
            loop {
                let merges = choose_merges(sized(&segments), MOST);
                if merges.is_empty() {
                    break;
                }
                for merge in &merges {
                    let merged: Vec<_> = merge.iter().map(|at| segments[*at]).collect();
                    let bytes = merged.iter().map(|(bytes, _)| bytes).sum();
                    assert!(merge.len() > 1 && bytes <= MOST, "{merge:?}: {bytes}");
                    let copies = merged.iter().map(|(_, copies)| copies).max().unwrap();
                    segments.push((bytes, copies + 1));
                }
                let gone = merges.concat();
                let mut at = 0;
                segments.retain(|_| {
                    at += 1;
                    !gone.contains(&(at - 1))
                });
            }
            most = most.max(segments.len());
        }
        let copies = segments.iter().map(|(_, copies)| *copies).max().unwrap();
        (most, copies, segments)
    }

    fn sized(segments: &[Simulated]) -> Vec<Measured<usize>> {
        let sized = |(segment, (bytes, _)): (usize, &Simulated)| Measured {
            segment,
            bytes: *bytes,
            is_sparse: false,
        };
        segments.iter().enumerate().map(sized).collect()
    }

    /// Returns `number` pseudo-random sizes, from half of `size` to one and a half times `size`.
    fn sizes(size: u64, number: u64) -> impl Iterator<Item = u64> {
        (0..number).map(move |n| {
            let random = n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
            size / 2 + random % size
        })
    }

    #[test]
    fn a_terabyte_has_some_hundred_segments() {
        const MB: u64 = 1_000_000;
        let total = 1_000_000 * MB;
        // What indexing threads write, at different settings of memory.
        for size in [40 * MB, 115 * MB, 300 * MB] {
            let (most, copies, segments) = grow(sizes(size, total / size));
            let bytes: u64 = segments.iter().map(|(bytes, _)| bytes).sum();
            assert!(bytes > total * 9 / 10, "{bytes}");
            assert!(most < 480, "{size}: {most} segments");
            assert!(copies <= 4, "{size}: {copies} copies");
        }
    }

    #[test]
    fn small_commits_are_copied_a_few_times() {
        for (size, number) in [(5_000, 20_000), (60_000, 10_000), (1_000_000, 5_000)] {
            let (most, copies, _) = grow(sizes(size, number));
            assert!(most < 40, "{size}: {most} segments");
            assert!(copies <= 16, "{size}: {copies} copies");
        }
    }

    #[test]
    fn little_memory_makes_smaller_merges() {
        let index = Index::create_in_ram(Schema::builder().build());
        let most = |memory| TieredMergePolicy::new(&index, memory).most;
        let memory = |bytes| Some(Memory::new(bytes).unwrap());
        assert_eq!(most(memory(Memory::LEAST)), 512 << 20);
        assert_eq!((most(memory(1 << 30)), most(None)), (MOST, MOST));
    }

    #[test]
    fn a_sparse_segment_is_rewritten_whatever_its_size() {
        let mut segments = sized(&[(10, 0), (100 << 20, 0), (3 * MOST, 0), (MOST / 2, 0)]);
        assert!(choose_merges(segments.clone(), MOST).is_empty());
        for segment in &mut segments[..3] {
            segment.is_sparse = true;
        }
        assert_eq!(choose_merges(segments, MOST), [[0], [1], [2]]);
    }
}
