//! Elasticsearch and `OpenSearch`: actions for the bulk API, and the mapping of the engine's index.
//!
//! The lines follow the documentation (Elasticsearch 7.8 to 9, `OpenSearch` 2 and 3: "Bulk API",
//! `position_increment_gap`, `_source`). Each action is a line. An `index` action is followed by a
//! line with the document, a `delete` action is not. The last line ends in a newline, too. `_id`
//! has at most 512 bytes. A phrase query matches across the values of a field only if its slop is
//! at least the position gap. Users write slops above Elasticsearch's default gap of 100, so ours
//! is 1000. Fields in `_source.excludes` are searched and not stored.

use serde_json::{Value, json};

use heedful::PHRASE_GAP;
use heedful_base::address::LONGEST;

use super::document::{Document, SEARCHED};
use super::id::DocumentId;

/// Returns two lines of a bulk request that adds `document` to an index of the engine. The first
/// line is the bulk API's `index` action. The second line is the document. The argument `index` is
/// the name of the engine's index.
pub(super) fn document(index: &str, id: DocumentId, document: &Document<'_>) -> Vec<u8> {
    let mut lines = format!(
        "{}\n",
        json!({"index": {"_index": index, "_id": id.to_string()}})
    )
    .into_bytes();
    lines.extend(document.line());
    lines.push(b'\n');
    lines
}

pub(super) fn deletion(index: &str, id: DocumentId) -> Vec<u8> {
    format!(
        "{}\n",
        json!({"delete": {"_index": index, "_id": id.to_string()}})
    )
    .into_bytes()
}

/// Returns the body of the HTTP request that creates the index in the engine, with the types of its
/// fields.
pub(super) fn mapping() -> String {
    let text =
        json!({"type": "text", "analyzer": "standard", "position_increment_gap": PHRASE_GAP});
    let mut properties: serde_json::Map<String, Value> = SEARCHED
        .iter()
        .map(|field| ((*field).to_owned(), text.clone()))
        .collect();
    let key = json!({"type": "keyword", "ignore_above": LONGEST});
    let shown = json!({"type": "text", "index": false});
    for (field, mapping) in [
        ("url", &key),
        ("host", &key),
        ("sites", &key),
        ("canonical", &key),
        ("denied", &key),
        ("shown_title", &shown),
        ("excerpt", &shown),
        ("input", &shown),
        ("max_snippet", &json!({"type": "long"})),
        (
            "unavailable_after",
            &json!({"type": "date", "format": "strict_date_optional_time"}),
        ),
        (
            "links",
            &json!({"type": "keyword", "index": false, "doc_values": false}),
        ),
    ] {
        properties.insert(field.to_owned(), mapping.clone());
    }
    let mapping = json!({
        "settings": {"index": {"query": {"default_field": SEARCHED}}},
        // A field that is missing in the mapping is neither searched nor given a guessed type.
        "mappings": {"dynamic": false, "_source": {"excludes": SEARCHED}, "properties": properties},
    });
    format!("{mapping:#}\n")
}
