//! Reads the rules of site files, such as robots.txt, that an index stores.

use std::time::SystemTime;

use tantivy::schema::{Term, Value};
use tantivy::{DocAddress, TantivyDocument};

use crate::open::IndexContext;
use crate::rules::{bytes_of, owner};
use crate::schema::Fields;
use crate::stored::{document, text};
use crate::time::time;
use crate::trouble::catch_panics;
use heedful_base::error::Result;

use super::search::Search;

impl Search {
    /// Returns the stored rules of the site file (robots.txt, for example) at the URL `place`. Each
    /// element has the time at which the site last served the rules, and the rules themselves.
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if the index is damaged.
    #[doc(hidden)]
    pub fn rules(&self, place: &str) -> Result<Vec<(SystemTime, Vec<u8>)>> {
        let fields = &self.index.fields;
        let owned = Term::from_field_text(fields.owner, &owner(place));
        catch_panics(&self.index.folder, || {
            let mut rules = Vec::new();
            for (ordinal, segment) in (0..).zip(self.searcher.segment_readers()) {
                for found in self.documents(segment, &owned)? {
                    let found = document(&self.searcher, DocAddress::new(ordinal, found));
                    let found = found.in_index(&self.index)?;
                    let Some(dated) = dated_rules(&found, fields) else {
                        return Err(self.index.trouble(&"the rules of a site are damaged"));
                    };
                    rules.push(dated);
                }
            }
            Ok(rules)
        })
    }
}

/// Decodes the rules of a site file from the document that stores them. Returns the time at which
/// the site last served the rules, and then the rules. Returns None if the document is damaged.
fn dated_rules(document: &TantivyDocument, fields: &Fields) -> Option<(SystemTime, Vec<u8>)> {
    let seconds = document.get_first(fields.ruled)?.as_i64()?;
    let rules = bytes_of(&text(document, fields.rules))?;
    Some((time(seconds)?, rules))
}
