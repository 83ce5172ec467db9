//! Estimates the room that a compaction needs for temporary files. It reads a sample of the anchor
//! texts, so the estimate is wrong as far as the other anchor texts differ from the sample. It
//! changes nothing.

use heedful_base::error::Result;
use heedful_base::memory::Memory;

use crate::ask::AnchorChoice;
use crate::open::Index;

use super::sorting::Sorting;

/// [`Index::compact_room`] reads one of every `SAMPLED` documents with anchor texts. From this
/// sample, it estimates the bytes of all anchor texts.
const SAMPLED: u32 = 64;
/// Estimated bytes that an anchor text takes when it is sorted, in addition to the text and the URL
/// of its link target.
const OTHER_BYTES: u64 = 64;

impl Index {
    /// Estimates how many bytes of temporary files a compaction needs. The compaction is
    /// [`Index::compact_with`] with this `memory`, or [`Index::compact`] if `memory` is None.
    /// Returns 0 if no temporary file is needed. The files are in `TMPDIR`, or else in the system's
    /// folder for temporary files. The estimate leaves out the index's own folder. This folder has
    /// both the old and the new files until the compaction is over.
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if the index is damaged.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// writer.add(&filter.page("https://example.com/", &[], b"<a href=/a>A</a>")?)?;
    /// writer.commit()?;
    /// assert_eq!(index.compact_room(None)?, 0); // one anchor text is sorted in memory
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn compact_room(&self, memory: Option<Memory>) -> Result<u64> {
        let search = self.search()?;
        let mut sampled = 0_u64;
        let mut bytes = 0_u64;
        search.each_anchor(AnchorChoice::Sample(SAMPLED), |anchor| {
            let sources = anchor.sources.len() as u64;
            let length = (anchor.text.len() + anchor.url.len()) as u64;
            sampled += sources;
            bytes += sources * (length + OTHER_BYTES);
            Ok(())
        })?;
        let anchors = search.stats()?.anchors();
        let of_anchor = bytes.checked_div(sampled).unwrap_or(OTHER_BYTES);
        Ok(Sorting::new(memory).room(anchors, anchors.saturating_mul(of_anchor)))
    }
}
