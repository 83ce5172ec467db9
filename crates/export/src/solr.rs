//! Solr: documents for its update handler in JSON, and its schema.
//!
//! The files follow Solr's reference guide ("Indexing with Update Handlers", "Schema API", "Field
//! Type Definitions and Properties", 8 to 10). An array of documents adds the documents, and
//! `{"delete": [IDS]}` deletes documents. One message for both would be an object in which the keys
//! `add` and `delete` are repeated. The guide describes such messages, but few other programs can
//! parse them. An export has one entry for each URL, so the order of entries does not matter.
//! Therefore arrays of documents and a separate file of deletions suffice. (Lines of documents are
//! accepted only since Solr 10.) In a stream the order matters, so each line of a stream is a
//! command. The unique key is `id`, as in Solr's default schema.

use serde_json::{Value, json};

use heedful::PHRASE_GAP;

use super::document::{Document, SEARCHED};
use super::id::DocumentId;

/// Maximum number of document identifiers in one delete request to Solr.
const AT_ONCE: usize = 100_000;

/// Formats a document as JSON, without a line end. `id` is the identifier of the document. A file
/// for Solr is a JSON array of documents.
pub(super) fn document(id: DocumentId, mut document: Document<'_>) -> Vec<u8> {
    document.id = Some(id.to_string());
    document.line()
}

/// Returns the command that adds a document to Solr. The command is one line of a stream.
/// `document` is the document as JSON.
pub(super) fn addition(document: &[u8]) -> Vec<u8> {
    [b"{\"add\":{\"doc\":", document, b"}}\n"].concat()
}

/// Returns the command that deletes the document with the identifier `id` from Solr. The command is
/// one line of a stream.
pub(super) fn deletion(id: DocumentId) -> Vec<u8> {
    format!("{}\n", json!({"delete": [id.to_string()]})).into_bytes()
}

pub(super) fn deletions(gone: &[DocumentId]) -> Vec<(String, String)> {
    let file = |(number, ids): (usize, &[DocumentId])| {
        let ids: Vec<_> = ids.iter().map(DocumentId::to_string).collect();
        (
            format!("delete-{:05}.json", number + 1),
            format!("{}\n", json!({"delete": ids})),
        )
    };
    gone.chunks(AT_ONCE).enumerate().map(file).collect()
}

/// Returns commands for Solr's Schema API. They define field types for heedful's fields, so that
/// the fields do not depend on the settings of existing field types.
pub(super) fn schema() -> String {
    let analyzer = json!({
        "tokenizer": {"name": "standard"},
        "filters": [{"name": "lowercase"}],
    });
    let types = json!([
        {"name": "heedful_text", "class": "solr.TextField", "positionIncrementGap": PHRASE_GAP.to_string(), "analyzer": analyzer},
        {"name": "heedful_key", "class": "solr.StrField"},
        {"name": "heedful_date", "class": "solr.DatePointField"},
        {"name": "heedful_number", "class": "solr.LongPointField"},
    ]);
    let searched = SEARCHED.iter().map(
        |name| json!({"name": name, "type": "heedful_text", "indexed": true, "stored": false, "multiValued": true}),
    );
    let key = |name: &str, many: bool| json!({"name": name, "type": "heedful_key", "indexed": true, "stored": true, "docValues": true, "multiValued": many});
    let shown = |name: &str, many: bool| json!({"name": name, "type": "heedful_key", "indexed": false, "stored": true, "docValues": false, "multiValued": many});
    let number = |name: &str, kind: &str| json!({"name": name, "type": kind, "indexed": true, "stored": true, "docValues": true, "multiValued": false});
    let others = [
        key("url", false),
        key("host", false),
        key("sites", true),
        key("canonical", false),
        key("denied", true),
        shown("shown_title", false),
        shown("excerpt", false),
        shown("input", false),
        shown("links", true),
        number("max_snippet", "heedful_number"),
        number("unavailable_after", "heedful_date"),
    ];
    let fields: Vec<Value> = searched.chain(others).collect();
    // Solr runs commands in order, and a field needs its type first.
    format!(
        "{{\n\"add-field-type\": {types:#},\n\"add-field\": {:#}\n}}\n",
        Value::Array(fields)
    )
}
