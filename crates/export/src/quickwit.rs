//! Quickwit's ingest API, its index config and its delete tasks.
//!
//! This follows its documentation (0.8: "Index configuration", "REST API", "Query language",
//! "Deletes"). Each line is a document, and a request has at most 10 MB. Only fields marked
//! `stored` are stored. There are no identifiers, so a page that is sent twice is there twice. Only
//! a delete task removes anything: a query with a span of time. So each document bears the hash of
//! its URL and the second of its export. The tasks delete what earlier exports held of all URLs of
//! this one, and what this one takes back. They select by time, so they may be sent before the
//! documents or after them. A hash needs no escaping.
//!
//! It has no gap between the values of a field. Presumably they are one position apart, as in
//! tantivy. Then an exact phrase does not cross, and a sloppy one does (inferred, not tried).
//! Nothing is put between them, because that would add words of ours.

use std::time::SystemTime;

use serde_json::json;

use super::document::{Document, SEARCHED, unix_seconds, whole_seconds};
use super::id::DocumentId;

/// The number of identifiers in one task.
const AT_ONCE: usize = 1000;
/// A tantivy date ends in 2262, so later expiry dates become this one. Such dates compare as texts.
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

/// The tasks for earlier exports of URLs that have a document. For URLs that are gone, they cover
/// this second too.
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

/// The delete tasks for these documents, as far as they were exported before `end`.
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

/// The index config.
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

/// The mapping of a field, with its properties.
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
