//! tantivy's writer of an index, with a queue of operations before it.
//!
//! Each batch of documents wakes one of tantivy's indexing threads. For a small page this costs as
//! much as a tenth of all other work. So documents wait in the queue until a batch is large enough.
//! Deletions wait there too, because tantivy applies operations in the order in which it receives
//! them. tantivy's own writer is accessible only through [`Operations::direct`], which empties the
//! queue first.
//!
//! A deletion costs tantivy as much as there are documents with its term, deleted ones too. So many
//! captures of one URL would take time that grows with the square of their number. Documents of a
//! URL that are deleted while they wait never reach tantivy, and neither does all but the last of
//! the URL's deletions.

use std::collections::HashMap;
use std::sync::Arc;

use tantivy::indexer::UserOperation;
use tantivy::schema::{Term, Value};
use tantivy::{IndexWriter, TantivyDocument};

use crate::open::Index;
use crate::pending::{Pending, weight};
use crate::schema::Fields;

/// Size of the queue, in estimated bytes, at which its operations are passed to tantivy.
const BATCH: usize = 256 << 10;

pub(super) struct Operations {
    /// tantivy's own writer. None only while this value is dropped.
    tantivy: Option<IndexWriter>,
    fields: Fields,
    pending: Arc<Pending>,
    /// Operations in the order in which they were added. None stands for an operation that a later
    /// one made needless.
    queue: Vec<Option<UserOperation>>,
    /// For each URL, the positions of its operations in the queue.
    of_urls: HashMap<String, UrlOperations>,
    /// Bytes of the queue's packed texts, as [`Pending`] counts them.
    packed: usize,
    /// Estimated bytes of all operations in the queue.
    bytes: usize,
}

/// The operations on one URL, as their positions in the queue.
#[derive(Default)]
struct UrlOperations {
    deletion: Option<usize>,
    documents: Vec<usize>,
}

impl Operations {
    pub(super) fn new(tantivy: IndexWriter, index: &Index) -> Self {
        Self {
            tantivy: Some(tantivy),
            fields: index.fields,
            pending: Arc::clone(&index.pending),
            queue: Vec::new(),
            of_urls: HashMap::new(),
            packed: 0,
            bytes: 0,
        }
    }

    /// Adds the documents of one URL to the queue. tantivy later receives all of them in one batch.
    pub(super) fn add(&mut self, documents: Vec<TantivyDocument>) -> tantivy::Result<()> {
        for document in documents {
            for (field, value) in document.field_values() {
                let Some(text) = value.as_str() else {
                    continue;
                };
                self.bytes += text.len();
                if field == self.fields.owner {
                    let of_url = self.of_urls.entry(text.to_owned()).or_default();
                    of_url.documents.push(self.queue.len());
                }
            }
            self.packed += packed_weight(&self.fields, &document);
            self.queue(UserOperation::Add(document));
        }
        self.pass_batch()
    }

    /// Deletes all documents that contain a term. Documents that are added after this call stay.
    pub(super) fn delete(&mut self, term: Term) -> tantivy::Result<()> {
        if term.field() == self.fields.owner
            && let Some(url) = term.value().as_str()
        {
            self.supersede(url);
        }
        self.queue(UserOperation::Delete(term));
        self.pass_batch()
    }

    /// Removes the operations on a URL from the queue, before a deletion of all documents of the
    /// URL is added.
    fn supersede(&mut self, url: &str) {
        let of_url = self.of_urls.entry(url.to_owned()).or_default();
        let deletion = of_url.deletion.replace(self.queue.len());
        let documents = std::mem::take(&mut of_url.documents);
        for place in deletion.into_iter().chain(documents) {
            if let Some(UserOperation::Add(document)) = self.queue[place].take() {
                self.packed -= packed_weight(&self.fields, &document);
            }
        }
    }

    /// Passes the queue to tantivy, and returns tantivy's own writer.
    pub(super) fn direct(&mut self) -> tantivy::Result<&mut IndexWriter> {
        self.pass()?;
        Ok(self.writer())
    }

    fn writer(&mut self) -> &mut IndexWriter {
        let Some(writer) = &mut self.tantivy else {
            unreachable!("it is taken when this is dropped")
        };
        writer
    }

    fn queue(&mut self, operation: UserOperation) {
        self.bytes += weight("");
        self.queue.push(Some(operation));
    }

    /// Passes the queue to tantivy if it is large enough for a batch.
    fn pass_batch(&mut self) -> tantivy::Result<()> {
        if self.bytes < BATCH {
            return Ok(());
        }
        self.pass()
    }

    fn pass(&mut self) -> tantivy::Result<()> {
        if self.queue.is_empty() {
            return Ok(());
        }
        let queue: Vec<_> = self.queue.drain(..).flatten().collect();
        self.of_urls.clear();
        self.bytes = 0;
        self.pending.add(std::mem::take(&mut self.packed));
        self.writer().run(queue)?;
        Ok(())
    }
}

/// Returns the bytes of a document's packed texts, as [`Pending`] counts them.
fn packed_weight(fields: &Fields, document: &TantivyDocument) -> usize {
    let mut bytes = 0;
    for (field, value) in document.field_values() {
        if let Some(text) = value.as_str()
            && fields.is_packed(field)
        {
            bytes += weight(text);
        }
    }
    bytes
}

/// Waits for tantivy's merging threads before the index's writer lock is released. Otherwise a
/// merge could continue, and overwrite the next writer's commit with an older state.
impl Drop for Operations {
    fn drop(&mut self) {
        let _ = self.tantivy.take().map(IndexWriter::wait_merging_threads);
    }
}
