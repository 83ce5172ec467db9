//! Merge policy of an index: decides which of its segments are merged, and when.
//!
//! The merge policy is tantivy's: eight segments of similar size are merged, or fewer if many of
//! their documents are deleted. But here no merge creates a segment above a bound. A merge maps all
//! its input into memory, so memory stays bounded for an index of any size. `compact` ignores this
//! policy and merges all segments into one.

use std::collections::HashMap;

use tantivy::directory::Directory;
use tantivy::index::SegmentComponent;
use tantivy::indexer::{MergeCandidate, MergePolicy};
use tantivy::merge_policy::LogMergePolicy;
use tantivy::{HasLen, Index, SegmentMeta};

/// Maximum bytes that one merge of segments reads. A merge of a single segment with many deleted
/// documents may read more.
const MOST: usize = 96 << 20;
/// Maximum bytes of a segment that may be merged with other segments.
const FULL: usize = MOST / 2;
/// Share of deleted documents (0 to 1) above which a segment is rewritten.
const DELETED_SHARE: f32 = 0.3;

/// Kinds of files of a segment that a merge of segments reads.
const FILES: [SegmentComponent; 6] = [
    SegmentComponent::Postings,
    SegmentComponent::Positions,
    SegmentComponent::Terms,
    SegmentComponent::Store,
    SegmentComponent::FastFields,
    SegmentComponent::FieldNorms,
];

/// Merge policy for the segments of one index.
#[derive(Debug)]
pub(super) struct BoundedMergePolicy {
    index: Index,
    log: LogMergePolicy,
}

impl BoundedMergePolicy {
    pub(super) fn new(index: &Index) -> Self {
        let mut log = LogMergePolicy::default();
        log.set_del_docs_ratio_before_merge(DELETED_SHARE);
        Self {
            index: index.clone(),
            log,
        }
    }

    /// Returns the total size of a segment's files in bytes.
    fn size(&self, segment: &SegmentMeta) -> usize {
        let mut bytes = 0;
        for part in FILES {
            let path = segment.relative_path(part);
            if let Ok(file) = self.index.directory().open_read(&path) {
                bytes += file.len();
            }
        }
        bytes
    }
}

impl MergePolicy for BoundedMergePolicy {
    fn compute_merge_candidates(&self, segments: &[SegmentMeta]) -> Vec<MergeCandidate> {
        let mut sizes = HashMap::new();
        let mut growing = Vec::new();
        let mut full = Vec::new();
        for segment in segments {
            let size = self.size(segment);
            sizes.insert(segment.id(), size);
            if size <= FULL {
                growing.push(segment.clone());
            } else if is_sparse(segment) {
                full.push(MergeCandidate(vec![segment.id()]));
            }
        }
        let mut found = Vec::new();
        for MergeCandidate(segments) in self.log.compute_merge_candidates(&growing) {
            let mut sized = Vec::with_capacity(segments.len());
            for id in &segments {
                sized.push((*id, sizes.get(id).copied().unwrap_or(0)));
            }
            for part in split_merge(&sized) {
                // The log policy proposed the whole merge. A part with one segment would gain
                // nothing.
                if part.len() > 1 || segments.len() == 1 {
                    found.push(MergeCandidate(part));
                }
            }
        }
        found.append(&mut full);
        found
    }
}

fn is_sparse(segment: &SegmentMeta) -> bool {
    segment.num_deleted_docs() as f32 > segment.max_doc() as f32 * DELETED_SHARE
}

/// Splits a merge of segments into parts of at most [`MOST`] bytes each. A larger segment is a part
/// of its own. Each entry of `segments` has a segment and its size in bytes.
fn split_merge<T: Copy>(segments: &[(T, usize)]) -> Vec<Vec<T>> {
    let mut parts: Vec<(Vec<T>, usize)> = Vec::new();
    for (segment, size) in segments {
        match parts.last_mut() {
            Some((part, sum)) if *sum + size <= MOST => {
                part.push(*segment);
                *sum += size;
            }
            _ => parts.push((vec![*segment], *size)),
        }
    }
    parts.into_iter().map(|(part, _)| part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_merge_reads_more_than_its_bound() {
        let sizes: Vec<_> = (0..40).map(|n| (n, (n * 7 % 48) << 20)).collect();
        let parts = split_merge(&sizes);
        assert_eq!(parts.concat(), (0..40).collect::<Vec<_>>());
        assert!(
            parts
                .iter()
                .all(|part| part.iter().map(|n| sizes[*n].1).sum::<usize>() <= MOST)
        );
        assert!(parts.iter().any(|part| part.len() > 1));
    }
}
