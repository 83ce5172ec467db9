//! Quickwit: documents for its ingest API, its index config, and its delete tasks.
//!
//! The files follow the documentation of Quickwit 0.8 ("Index configuration", "REST API", "Query
//! language", "Deletes"). Each line is a document, and a request has at most 10 MB. Only fields
//! marked `stored` are stored. Quickwit has no document identifiers, so a page that is sent twice
//! is indexed twice. Documents are removed only by delete tasks. A delete task is a query with an
//! upper bound for the time. So each document has two fields for these tasks: the hash of its URL,
//! and the time of its export in whole seconds. The delete tasks remove all documents of earlier
//! exports whose URLs are in this export, as documents or as deletions. The tasks select by time,
//! so they may be sent before or after the documents. A hash needs no escaping.
//!
//! Quickwit has no position gap between the values of a field. Presumably values are one position
//! apart, as in tantivy. Then an exact phrase query does not match across values, and a phrase
//! query with a slop does (inferred, not tested). No separator is put between values, because it
//! would add words to the page.

use std::time::SystemTime;

use serde_json::json;

use super::document::{Document, SEARCHED, unix_seconds, whole_seconds};
use super::id::DocumentId;

/// Maximum number of document identifiers in one delete task of Quickwit.
const AT_ONCE: usize = 1000;
/// Latest expiry date that is written for a page, as text. A later expiry date is replaced by this
/// date, because Quickwit stores dates in tantivy, whose dates end in the year 2262.
const LATEST: &str = "2200-01-01T00:00:00Z";

pub(super) fn document(id: DocumentId, mut document: Document<'_>, now: SystemTime) -> Vec<u8> {
    document.id = Some(id.to_string());
    document.exported = whole_seconds(now);
    document.unavailable_after = document
        .unavailable_after
        .map(|date| date.min(LATEST.to_owned()));
    let mut line = document.line();
    line.push(b'\n');
    line
}

/// Returns a list with one file of delete tasks, as its name and content. Returns an empty list if
/// there is nothing to delete. `now` is the time of this export. Times are compared in whole
/// seconds.
///
/// `gone` has the identifiers of deleted URLs. For these URLs, the tasks remove all documents that
/// were exported at or before `now`. `there` has the identifiers of URLs with a document in this
/// export. For these URLs, the tasks remove only documents that were exported before `now`. So the
/// documents of this export remain.
pub(super) fn deletions(
    gone: &[DocumentId],
    there: &[DocumentId],
    now: SystemTime,
) -> Vec<(String, String)> {
    let second = unix_seconds(now);
    let all = tasks(gone, second + 1) + &tasks(there, second);
    if all.is_empty() {
        Vec::new()
    } else {
        vec![("delete-tasks.ndjson".to_owned(), all)]
    }
}

/// Returns delete tasks for documents that were exported before `end`. `ids` has the identifiers of
/// the documents. `end` is a time in seconds since 1970.
fn tasks(ids: &[DocumentId], end: u64) -> String {
    let mut tasks = String::new();
    for ids in ids.chunks(AT_ONCE) {
        let ids: Vec<_> = ids.iter().map(DocumentId::to_string).collect();
        let query = format!("id:IN [{}]", ids.join(" "));
        let task = json!({"query": query, "end_timestamp": end});
        tasks.push_str(&format!("{task}\n"));
    }
    tasks
}

/// Returns the content of Quickwit's configuration file for an index with the name `index`.
pub(super) fn config(index: &str) -> String {
    let date = "type: datetime, input_formats: [rfc3339], fast_precision: seconds, fast: true, stored: true";
    let searched =
        "type: array<text>, tokenizer: default, record: position, fieldnorms: true, stored: false";
    [
        HEAD.replace("INDEX", index),
        field("exported", date),
        ["id", "url", "host", "canonical"].map(key).concat(),
        ["sites", "denied"].map(keys).concat(),
        field("max_snippet", "type: u64, stored: true, fast: true"),
        field("unavailable_after", date),
        "    # Shown, not searched.\n".to_owned(),
        ["shown_title", "excerpt", "input"]
            .map(|name| field(name, "type: text, indexed: false, stored: true"))
            .concat(),
        field("links", "type: array<text>, indexed: false, stored: true"),
        ABOUT_PHRASES.to_owned(),
        SEARCHED.map(|name| field(name, searched)).concat(),
        format!(
            "search_settings:\n  default_search_fields: [{}]\n",
            SEARCHED.join(", ")
        ),
    ]
    .concat()
}

/// Returns the line of Quickwit's configuration file that defines the field `name` with the
/// properties `properties`.
fn field(name: &str, properties: &str) -> String {
    format!("    - {{name: {name}, {properties}}}\n")
}

fn key(name: &str) -> String {
    field(name, "type: text, tokenizer: raw, stored: true")
}

fn keys(name: &str) -> String {
    field(name, "type: array<text>, tokenizer: raw, stored: true")
}

const HEAD: &str = r#"# Made by heedful: how Quickwit is to index what heedful exports.
version: "0.8"
index_id: INDEX
doc_mapping:
  mode: lenient
  # The documents hold text that may be searched and not shown.
  store_source: false
  # When the export was made: by it delete tasks tell old documents from new ones.
  timestamp_field: exported
  field_mappings:
"#;
const ABOUT_PHRASES: &str = r#"    # Searched, never stored. Each value is a phrase. Quickwit knows no gap between values: presumably they are one position
    # apart, so an exact phrase query does not run from one into the next, and one with a slop ("a b"~1) may.
"#;
