//! What the files of a site said that an index last knew of it.

use std::time::SystemTime;

use tantivy::DocAddress;
use tantivy::schema::{Term, Value};

use crate::rules::{bytes_of, owner};
use crate::stored::{document, text};
use crate::time::time;
use crate::trouble::{ErrorContext, catch_panics};
use heedful_base::error::Result;

use super::search::Search;

impl Search {
    /// The rules that are kept of the file at this URL, each with the time at which the site said
    /// them last.
    ///
    /// # Errors
    /// Fails if the index is damaged.
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
                    let said = found
                        .get_first(fields.ruled)
                        .and_then(|value| value.as_i64())
                        .and_then(time);
                    let said = said.zip(bytes_of(&text(&found, fields.rules)));
                    rules.push(
                        said.ok_or_else(|| self.index.trouble(&"the rules of a site are damaged"))?,
                    );
                }
            }
            Ok(rules)
        })
    }
}
