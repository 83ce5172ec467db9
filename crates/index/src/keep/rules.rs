//! Stores the rules of site files, such as robots.txt. They also apply to older captures: a page
//! that was captured before the site served these rules is not added if the rules forbid it.

use std::time::SystemTime;

use tantivy::schema::Term;

use crate::gone::Gone;
use crate::rules::owner;
use crate::time::{seconds, time};
use heedful_base::address::Key;
use heedful_base::error::Result;

use super::writer::{Writer, is_too_long};

impl Writer {
    /// Stores the rules of the site file (such as robots.txt) at the URL `place`. Each entry of
    /// `rules` has the time at which the site last served the rules, and then the rules. Rules of
    /// this file that were stored earlier are deleted. Does nothing if `place` is longer than 8,192
    /// bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if writing fails.
    #[doc(hidden)]
    pub fn keep_rules(&mut self, place: &str, rules: &[(SystemTime, Vec<u8>)]) -> Result<()> {
        if is_too_long(place) {
            return Ok(());
        }
        let owner = owner(place);
        let documents = self.documents();
        let made = rules
            .iter()
            .map(|(time, rules)| documents.rules(&owner, seconds(*time), rules))
            .collect();
        let kept = Term::from_field_text(documents.fields.owner, &owner);
        self.all_or_nothing(|writer| {
            writer.delete_term(kept)?;
            writer.put_all(made)
        })
    }

    /// Removes a page because a rule of its site forbids the page. `known` is the time at which the
    /// rule was known. The page is removed even if it was fetched later. The tombstone gets the
    /// later of `known` and the page's fetch time. So no capture up to that time adds the page
    /// again. Returns false and does nothing if the URL is longer than 8,192 bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if writing fails.
    #[doc(hidden)]
    pub fn remove_ruled(
        &mut self,
        url: &str,
        reason: Gone,
        why: &str,
        known: SystemTime,
    ) -> Result<bool> {
        let fetched = self.captured(url)?;
        self.remove_captured(url, reason, why, fetched.max(Some(known)))
    }

    /// Returns the time at which the page at a URL was last fetched. Pages that were added since
    /// the last commit are included. Returns None if the URL or its time is not known.
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if the index cannot be read.
    #[doc(hidden)]
    pub fn captured(&mut self, url: &str) -> Result<Option<SystemTime>> {
        Ok(self.past(&Key::parse(url))?.captured().and_then(time))
    }
}
