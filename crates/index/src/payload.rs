//! The payload of a commit: an index's terms (bot, conventions, denials), analysis, sums over
//! pages, snapshot files and cursor, with a checksum.
//!
//! The payload is in `meta.json`, which tantivy writes without a checksum. The payload determines
//! the bot of the index and the uses that are denied. So a damaged payload must be detected.

use std::hash::Hasher;

use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher13;

use heedful::LAW;

use super::analysis::Analysis;
use super::folded::FoldedCommit;
use super::forms::{FORMS_VERSION, Forms};
use super::journal::JournalMark;
use super::store::StoreFile;
use super::terms::Terms;
use super::totals::PageTotals;

/// Version of the format in which an index is stored. An index with another format version is
/// refused.
pub(super) const FORMAT: u32 = 12;

/// JSON text directly before the value of the payload's checksum. The checksum is the last key of
/// the payload. It covers all text before this key, including keys that this version does not know.
const CHECKSUM: &str = ",\"checksum\":\"";

/// Payload of a commit of an index, serialized as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Payload {
    pub(super) heedful: String,
    pub(super) law: u32,
    pub(super) format: u32,
    pub(super) terms: Terms,
    /// Settings by which the index analyses text, such as the forms of words that it stores.
    pub(super) analysis: Analysis,
    /// Version of the rules by which forms of words were made for this index. Another version gives
    /// words other forms.
    pub(super) forms_version: u32,
    /// Number of compactions of the index up to this commit.
    pub(super) generation: u64,
    /// Files of the anchor texts that the last compaction collected by link target.
    #[serde(default)]
    pub(super) folded: FoldedCommit,
    /// Sums over all pages at this commit: the number of pages, and the words in each searched
    /// field.
    pub(super) totals: PageTotals,
    /// Snapshot files that belong to the index at this commit.
    pub(super) snapshots: Vec<StoreFile>,
    /// Number of the next snapshot file to be written. No earlier snapshot file has this number.
    pub(super) next_file: u64,
    /// Position in the caller's input, as passed to [`Writer::remember`](crate::Writer::remember).
    /// Its format is the caller's own.
    #[serde(default)]
    pub(super) cursor: Option<String>,
    /// State of the journal of decisions at this commit. None if the index has no journal.
    #[serde(rename = "evidence", skip_serializing_if = "Option::is_none", default)]
    pub(super) mark: Option<JournalMark>,
}

impl Payload {
    pub(super) fn new(terms: Terms, analysis: Analysis) -> Self {
        let heedful = env!("CARGO_PKG_VERSION").to_owned();
        Self {
            heedful,
            law: LAW,
            format: FORMAT,
            terms,
            analysis,
            forms_version: FORMS_VERSION,
            generation: 0,
            folded: FoldedCommit::default(),
            totals: PageTotals::default(),
            snapshots: Vec::new(),
            next_file: 1,
            cursor: None,
            mark: None,
        }
    }

    /// True if this version of heedful can read and write the index of this payload.
    pub(super) fn is_of_this_version(&self) -> bool {
        let has_forms = self.analysis.forms == Forms::Exact || self.forms_version == FORMS_VERSION;
        self.law == LAW && self.format == FORMAT && has_forms
    }

    /// Serializes the payload with its checksum, for `meta.json`.
    pub(super) fn to_json(&self) -> serde_json::Result<String> {
        let text = serde_json::to_string(self)?;
        let sum = sum(text.strip_suffix('}').unwrap_or(&text));
        Ok(format!(
            "{}{CHECKSUM}{sum}\"}}",
            text.strip_suffix('}').unwrap_or(&text)
        ))
    }
}

/// True if the text of a payload matches its checksum. The first formats had no checksum. So a text
/// without a checksum is accepted, unless it is a payload of this format.
pub(super) fn is_intact(text: &str) -> bool {
    match text.rsplit_once(CHECKSUM) {
        Some((before, after)) => after == format!("{}\"}}", sum(before)),
        None => serde_json::from_str::<Payload>(text).is_err(),
    }
}

fn sum(text: &str) -> String {
    let mut sum = SipHasher13::new();
    sum.write(text.as_bytes());
    format!("{:016x}", sum.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use heedful::{Bot, Filter};

    #[test]
    fn each_flipped_bit_is_seen() {
        let terms = Terms::from_filter(&Filter::new(Bot::new("FooBot").unwrap())).unwrap();
        let mut payload = Payload::new(terms, Analysis::default());
        payload.cursor = Some("{\"a\": 1}".to_owned());
        let text = payload.to_json().unwrap();
        let without_checksum = serde_json::to_string(&payload).unwrap();
        assert!(is_intact(&text) && !is_intact(&without_checksum));
        assert_eq!(serde_json::from_str::<Payload>(&text).unwrap(), payload);
        for (at, bit) in (0..text.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
            let mut flipped = text.clone().into_bytes();
            flipped[at] ^= 1 << bit;
            let Ok(flipped) = String::from_utf8(flipped) else {
                continue;
            };
            let is_seen =
                !is_intact(&flipped) || serde_json::from_str::<Payload>(&flipped).is_err();
            assert!(is_seen, "{flipped}");
        }
    }
}
