//! The limits of reading an input, among them the number of bytes to which a page may be unpacked.
//!
//! Each page of an input may have `page_bytes` bytes. A page that is packed tighter than
//! `unpacked_ratio` is allowed only while the total of all pages of its input does not exceed that
//! ratio. So a few tightly packed pages are read, and an archive full of them is refused as a
//! decompression bomb. Tags have a limit of the same form (`tag_ratio`), because they cost more
//! than other bytes. Pages that are packed as tightly as usual never exceed these limits.

use std::io;
use std::sync::Arc;

use heedful_base::error::Error;
use heedful_base::limits::{Limits, exceeded};

use super::raw::BUFFER;

/// Limits and settings that apply while an input is read.
#[derive(Clone, Debug)]
pub(super) struct InputTerms {
    pub(super) limits: Limits,
    pub(super) digests: bool,
    /// True if each record of an archive yields an item. If false, records of a type that never
    /// contains a page yield no item.
    pub(super) each_record: bool,
    /// True if each record about a page in a WAT archive yields an item, even if `each_record` is
    /// false. A WAT archive has metadata of pages, but not the pages.
    pub(super) heads: bool,
    /// Number of archives in the file that contains this input. It is more than 1 only for a WACZ
    /// file. The archives of one file share [`InputTerms::free_bytes`] equally.
    pub(super) archives: u64,
}

impl Default for InputTerms {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            digests: true,
            each_record: false,
            heads: false,
            archives: 1,
        }
    }
}

impl InputTerms {
    /// Returns an allowance beyond two limits, in unpacked bytes. The limit `unpacked_ratio` is a
    /// number of unpacked bytes per byte of the input. All pages of the input together may exceed
    /// this limit by the allowance. The limit `member_ratio` is the same ratio for one packed
    /// member (gzip or zstd). All members above this limit may together have as many unpacked bytes
    /// as the allowance. So even a small input may have some tightly packed pages.
    pub(super) fn free_bytes(&self) -> u64 {
        self.limits.page_bytes.saturating_mul(4) / self.archives
    }

    /// Returns the number of HTML tags that the pages of an input may have beyond the limit
    /// `tag_ratio`. This limit is a number of tags per byte of the input. Without this allowance, a
    /// small packed input could have only few tags.
    fn free_tags(&self) -> u64 {
        self.limits.page_bytes / 64 / self.archives
    }
}

/// Upper bound for the unpacked size of one page or site file, with the limit from which the bound
/// follows.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnpackBudget<'a> {
    pub(super) limits: &'a Limits,
    pub(super) most: u64,
    /// Name of the limit that is exceeded by a larger page. `None` if the excess bytes are dropped
    /// without an error.
    name: Option<&'static str>,
}

impl<'a> UnpackBudget<'a> {
    /// Creates the bound for a file of which only the first `most` unpacked bytes are read. An
    /// example is a robots.txt. Further bytes of the file are dropped without an error.
    pub(super) fn beginning(limits: &'a Limits, most: u64) -> Self {
        Self {
            limits,
            most,
            name: None,
        }
    }

    /// Creates the bound for a page that was not read from an input. `stored` is the number of
    /// bytes that the page has in its stored (packed) form.
    pub(super) fn alone(limits: &'a Limits, stored: u64) -> Self {
        Self::of_page(
            limits,
            stored
                .saturating_mul(limits.unpacked_ratio)
                .saturating_add(BUFFER as u64),
        )
    }

    /// Creates the bound for the unpacked size of a page: `most` bytes, or the limit `page_bytes`
    /// if that is less.
    fn of_page(limits: &'a Limits, most: u64) -> Self {
        let name = if most < limits.page_bytes {
            "unpacked_ratio"
        } else {
            "page_bytes"
        };
        Self {
            limits,
            most: most.min(limits.page_bytes),
            name: Some(name),
        }
    }

    /// Returns an error if `bytes` is more than the bound. The error names the exceeded limit. A
    /// bound from [`UnpackBudget::beginning`] never gives an error, because further bytes are
    /// dropped.
    pub(super) fn check(&self, bytes: u64) -> Result<(), Error> {
        match self.name {
            Some(name) if bytes > self.most => Err(exceeded(name, self.limits)),
            _ => Ok(()),
        }
    }
}

/// The numbers of bytes and tags that the pages of an input have had so far. Later pages may have
/// the rest of what the limits allow.
#[derive(Clone, Debug)]
pub(super) struct Allowance {
    terms: Arc<InputTerms>,
    /// Total size in bytes of the unpacked pages so far.
    given: u64,
    /// Total number of HTML tags in the pages so far.
    tags: u64,
    /// Offset in the stored file (the input before unpacking) at which the current page begins.
    begun: u64,
}

impl Allowance {
    pub(super) fn new(terms: &Arc<InputTerms>) -> Self {
        Self {
            terms: Arc::clone(terms),
            given: 0,
            tags: 0,
            begun: 0,
        }
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.terms.limits
    }

    /// Records that the next page of the input begins at offset `stored` of the stored file (the
    /// input before unpacking).
    pub(super) fn begin(&mut self, stored: u64) {
        self.begun = stored;
    }

    /// Returns the bound for the unpacked size of the current page. The page ends at offset
    /// `stored` of the stored file (the input before unpacking). The bound follows from the stored
    /// size of the page, and from what earlier pages left of the limits.
    pub(super) fn room(&self, stored: u64) -> UnpackBudget<'_> {
        let limits = &self.terms.limits;
        // The source unpacks ahead, so several small pages may end at the same stored offset.
        let own = stored
            .saturating_sub(self.begun)
            .saturating_mul(limits.unpacked_ratio)
            .saturating_add(BUFFER as u64);
        let all = stored
            .saturating_mul(limits.unpacked_ratio)
            .saturating_add(self.terms.free_bytes());
        UnpackBudget::of_page(limits, own.max(all.saturating_sub(self.given)))
    }

    /// Counts the bytes and tags of the current page. The page ends at offset `stored` of the
    /// stored file (the input before unpacking). Returns an error if the page has too many tags.
    pub(super) fn give(&mut self, page: &[u8], stored: u64) -> Result<(), Error> {
        let limits = &self.terms.limits;
        let own = stored
            .saturating_sub(self.begun)
            .saturating_mul(limits.tag_ratio)
            .saturating_add(BUFFER as u64);
        let all = stored
            .saturating_mul(limits.tag_ratio)
            .saturating_add(self.terms.free_tags());
        let tags = memchr::memchr_iter(b'<', page).count() as u64;
        if tags > own.max(all.saturating_sub(self.tags)) {
            return Err(exceeded("tag_ratio", limits));
        }
        self.given = self.given.saturating_add(page.len() as u64);
        self.tags = self.tags.saturating_add(tags);
        Ok(())
    }
}

/// Costs of reading an input, beyond reading and unpacking each of its bytes once.
#[derive(Clone, Debug)]
pub(super) struct Spent {
    terms: Arc<InputTerms>,
    /// Number of unpacked bytes from packed members whose compression ratio exceeds the limit
    /// `member_ratio`. The ratio of gzip never exceeds the default of this limit. So gzip members
    /// are counted only if the limit was lowered.
    over_ratio_bytes: u64,
    /// Number of bytes of the input that were read a second time.
    reread: u64,
}

impl Spent {
    pub(super) fn new(terms: &Arc<InputTerms>) -> Self {
        Self {
            terms: Arc::clone(terms),
            over_ratio_bytes: 0,
            reread: 0,
        }
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.terms.limits
    }

    /// True if `bytes` more bytes may be read a second time. If so, counts them. The upper bound is
    /// the limit `reread_bytes` plus four times `stored`, the number of bytes that were read once.
    pub(super) fn affords(&mut self, bytes: u64, stored: u64) -> bool {
        let most = self
            .terms
            .limits
            .reread_bytes
            .saturating_add(stored.saturating_mul(4));
        let spent = self.reread.saturating_add(bytes);
        let is_within = spent <= most;
        if is_within {
            self.reread = spent;
        }
        is_within
    }

    /// Checks `count` bytes that were just unpacked from a packed member (gzip or zstd), and
    /// returns `count`. `of_member` is the number of bytes that were unpacked from the member so
    /// far. `packed` is the number of packed bytes of the member so far. If the ratio of these
    /// numbers exceeds the limit `member_ratio`, the `count` bytes are added to `over_ratio_bytes`.
    /// Returns an error if this sum exceeds [`InputTerms::free_bytes`].
    pub(super) fn unpacked(
        &mut self,
        count: usize,
        of_member: u64,
        packed: u64,
    ) -> io::Result<usize> {
        if of_member > packed.saturating_mul(self.terms.limits.member_ratio) {
            self.over_ratio_bytes = self.over_ratio_bytes.saturating_add(count as u64);
            if self.over_ratio_bytes > self.terms.free_bytes() {
                return Err(io::Error::other(exceeded(
                    "member_ratio",
                    &self.terms.limits,
                )));
            }
        }
        Ok(count)
    }
}

/// Returns the error of the limit that caused an I/O error. `None` if no limit caused it.
pub(super) fn limit_in(error: &io::Error, limits: &Limits) -> Option<Error> {
    let inner = error.get_ref()?.downcast_ref::<Error>()?;
    inner.passed_limit().map(|name| exceeded(name, limits))
}
