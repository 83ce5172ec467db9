//! Keeps what the files of sites say. A capture that is older than they are must not bring back
//! what they forbid.

use std::time::SystemTime;

use tantivy::schema::Term;

use crate::gone::Gone;
use crate::rules::owner;
use crate::time::{seconds, time};
use heedful_base::address::Key;
use heedful_base::error::Result;

use super::writer::{Writer, is_too_long};

impl Writer {
    /// Keeps the rules of the file at this URL in place of those that were kept, each with the time
    /// at which the site said them last.
    ///
    /// # Errors
    /// Fails if the index cannot be written.
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
            writer.tantivy.delete_term(kept);
            writer.put_all(made)
        })
    }

    /// Removes a page by a rule of its site that was known at this time, whenever the page was
    /// fetched. The tombstone is as late as the later of both, so no capture from before brings the
    /// page back.
    ///
    /// # Errors
    /// Fails if the index cannot be written.
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

    /// The time at which a URL was fetched last, as far as that is known.
    ///
    /// # Errors
    /// Fails if the index cannot be read.
    #[doc(hidden)]
    pub fn captured(&mut self, url: &str) -> Result<Option<SystemTime>> {
        Ok(self.past(&Key::parse(url))?.captured().and_then(time))
    }
}
