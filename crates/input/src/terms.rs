//! The terms of reading an input: its limits, the check of digests, and the bytes to which a
//! page may be unpacked.
//!
//! A page may have `page_bytes`. A page that is packed tighter than `unpacked_ratio` gets through
//! only while its input has not given more than that in all. A few such pages do no harm; an
//! archive of them is a bomb. Tags have a limit of the same form (`tag_ratio`), because they cost
//! more than other bytes. This module never affects a page that is packed as pages usually are.

use std::io;
use std::sync::Arc;

use heedful_base::error::Error;
use heedful_base::limits::{Limits, exceeded};

use super::raw::BUFFER;

/// The terms of reading an input.
#[derive(Clone, Debug)]
pub(super) struct InputTerms {
    pub(super) limits: Limits,
    pub(super) digests: bool,
    /// True if each record gives an item, also one that can be no page.
    pub(super) each_record: bool,
    /// The number of archives in the same file. They share what is free.
    pub(super) archives: u64,
}

impl Default for InputTerms {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            digests: true,
            each_record: false,
            archives: 1,
        }
    }
}

impl InputTerms {
    /// The bytes that tightly packed pages may give in any case, whatever the size of the input.
    pub(super) fn free(&self) -> u64 {
        self.limits.page_bytes.saturating_mul(4) / self.archives
    }

    /// The tags that pages may have in any case.
    fn free_tags(&self) -> u64 {
        self.limits.page_bytes / 64 / self.archives
    }
}

/// The number of bytes to which one page may be unpacked.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnpackBudget<'a> {
    pub(super) limits: &'a Limits,
    pub(super) most: u64,
    /// The limit that larger pages pass. It is None if the rest is simply not read.
    name: Option<&'static str>,
}

impl<'a> UnpackBudget<'a> {
    /// The room for a file that is read only to a length, such as a robots.txt.
    pub(super) fn beginning(limits: &'a Limits, most: u64) -> Self {
        Self {
            limits,
            most,
            name: None,
        }
    }

    /// The room for a page that belongs to no input, stored in so many bytes.
    pub(super) fn alone(limits: &'a Limits, stored: u64) -> Self {
        Self::of_page(
            limits,
            stored
                .saturating_mul(limits.unpacked_ratio)
                .saturating_add(BUFFER as u64),
        )
    }

    /// The room for a page, unless `page_bytes` is less.
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

    /// Fails if there is no room for this many bytes.
    pub(super) fn check(&self, bytes: u64) -> Result<(), Error> {
        match self.name {
            Some(name) if bytes > self.most => Err(exceeded(name, self.limits)),
            _ => Ok(()),
        }
    }
}

/// The number of bytes to which the pages of an input may still be unpacked.
#[derive(Clone, Debug)]
pub(super) struct Allowance {
    terms: Arc<InputTerms>,
    /// The bytes of the pages so far, and their tags.
    given: u64,
    tags: u64,
    /// The byte of the file at which the current page begins.
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

    /// Notes that a page begins at this byte of the file.
    pub(super) fn begin(&mut self, stored: u64) {
        self.begun = stored;
    }

    /// The room for a page whose last byte is here in the file.
    pub(super) fn room(&self, stored: u64) -> UnpackBudget<'_> {
        let limits = &self.terms.limits;
        // Bytes are unpacked ahead, so a small page may seem to be stored in none.
        let own = stored
            .saturating_sub(self.begun)
            .saturating_mul(limits.unpacked_ratio)
            .saturating_add(BUFFER as u64);
        let all = stored
            .saturating_mul(limits.unpacked_ratio)
            .saturating_add(self.terms.free());
        UnpackBudget::of_page(limits, own.max(all.saturating_sub(self.given)))
    }

    /// Counts a page whose last byte is here in the file. Fails if it has more tags than it
    /// may.
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

/// The cost of an input beyond reading each of its bytes once.
#[derive(Debug)]
pub(super) struct Spent {
    terms: Arc<InputTerms>,
    /// The bytes of members that were packed tighter than gzip can.
    loose: u64,
    /// The bytes that were read a second time.
    reread: u64,
}

impl Spent {
    pub(super) fn new(terms: &Arc<InputTerms>) -> Self {
        Self {
            terms: Arc::clone(terms),
            loose: 0,
            reread: 0,
        }
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.terms.limits
    }

    /// True if this many bytes may be read a second time. The maximum is a limit plus four times
    /// the bytes that were read once.
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

    /// Checks the number of bytes that a member gave last. Fails if it gives more than its bytes
    /// can hold, and others did so before.
    pub(super) fn unpacked(
        &mut self,
        count: usize,
        of_member: u64,
        packed: u64,
    ) -> io::Result<usize> {
        if of_member > packed.saturating_mul(self.terms.limits.member_ratio) {
            self.loose = self.loose.saturating_add(count as u64);
            if self.loose > self.terms.free() {
                return Err(io::Error::other(exceeded(
                    "member_ratio",
                    &self.terms.limits,
                )));
            }
        }
        Ok(count)
    }
}

/// The limit that made reading fail, if there is one.
pub(super) fn limit_in(error: &io::Error, limits: &Limits) -> Option<Error> {
    let inner = error.get_ref()?.downcast_ref::<Error>()?;
    inner.passed_limit().map(|name| exceeded(name, limits))
}
