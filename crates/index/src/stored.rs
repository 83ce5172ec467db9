//! Reads stored documents of a tantivy index. Checks the lengths in them before allocating memory.
//!
//! tantivy allocates as much memory as a stored text's length says. A flipped bit in a stored block
//! would abort the process. This module instead reports a document with a wrong length as damaged.
//! The layout is that of tantivy 0.27: the number of fields, then each field's number, type code
//! and value. Only the types in this index's schema are read. Any other type is reported as damage.

use std::io;

use tantivy::schema::{Field, Value};
use tantivy::store::StoreReader;
use tantivy::{DocAddress, Searcher, TantivyDocument};

use super::lengths::variable;

/// Number of decompressed blocks cached for each segment, as in tantivy.
const KEPT: usize = 100;

/// Document stores (tantivy's store of field values) of all segments of an index, in the order of
/// the segments.
pub(super) struct Stores(Vec<StoreReader>);

impl Stores {
    pub(super) fn open(searcher: &Searcher) -> io::Result<Self> {
        let mut stores = Vec::new();
        for segment in searcher.segment_readers() {
            stores.push(segment.get_store_reader(KEPT)?);
        }
        Ok(Self(stores))
    }

    pub(super) fn document(&self, address: DocAddress) -> tantivy::Result<TantivyDocument> {
        let store = self
            .0
            .get(address.segment_ord as usize)
            .ok_or_else(damaged)?;
        Ok(read(&store.get_document_bytes(address.doc_id)?).ok_or_else(damaged)?)
    }
}

/// Reads one stored document. Decompressed blocks are not cached for later calls, so this function
/// is for callers that need only a few documents.
pub(super) fn document(
    searcher: &Searcher,
    address: DocAddress,
) -> tantivy::Result<TantivyDocument> {
    let store = searcher
        .segment_reader(address.segment_ord)
        .get_store_reader(1)?;
    Ok(read(&store.get_document_bytes(address.doc_id)?).ok_or_else(damaged)?)
}

/// Returns the first text of a document's field. Returns an empty text if the field has none.
pub(super) fn text(document: &TantivyDocument, field: Field) -> String {
    document
        .get_first(field)
        .and_then(|value| value.as_str())
        .unwrap_or_default()
        .to_owned()
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a stored document is damaged")
}

/// Type code of a text value in a stored document. The next two constants are the type codes of
/// numbers.
const TEXT: u8 = 0;
const U64: u8 = 1;
const I64: u8 = 2;

/// Parses a stored document. Returns None if its bytes are damaged.
fn read(bytes: &[u8]) -> Option<TantivyDocument> {
    let mut rest = Rest(bytes);
    let mut document = TantivyDocument::new();
    for _ in 0..rest.number()? {
        let field = Field::from_field_id(u32::from_le_bytes(rest.chunk()?));
        let [code] = rest.chunk()?;
        match code {
            TEXT => document.add_text(field, rest.text()?),
            U64 => document.add_u64(field, u64::from_le_bytes(rest.chunk()?)),
            I64 => document.add_i64(field, i64::from_le_bytes(rest.chunk()?)),
            _ => return None,
        }
    }
    Some(document)
}

/// Bytes of a stored document that are not parsed yet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn chunk<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (chunk, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*chunk)
    }

    fn number(&mut self) -> Option<usize> {
        // A 64-bit number has at most 10 bytes of seven bits. Lengths here have at most 9.
        let end = self.0.iter().take(9).position(|byte| byte & 0x80 != 0)?;
        let (number, rest) = self.0.split_at(end + 1);
        self.0 = rest;
        usize::try_from(variable(number)).ok()
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = self.number()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        std::str::from_utf8(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use tantivy::schema::{STORED, Schema};

    use super::*;

    #[test]
    fn documents_are_read_as_tantivy_reads_them() -> tantivy::Result<()> {
        let mut schema = Schema::builder();
        let (text, number) = (
            schema.add_text_field("text", STORED),
            schema.add_u64_field("number", STORED),
        );
        let date = schema.add_i64_field("date", STORED);
        let index = tantivy::Index::create_in_ram(schema.build());
        let mut writer = index.writer_with_num_threads(1, 15_000_000)?;
        for length in [0, 1, 127, 128, 20_000] {
            let mut document = TantivyDocument::new();
            document.add_text(text, "\u{E9}".repeat(length));
            document.add_u64(number, length as u64);
            document.add_i64(date, -(length as i64));
            document.add_text(text, "more");
            writer.add_document(document)?;
        }
        writer.commit()?;
        let searcher = index.reader()?.searcher();
        let stores = Stores::open(&searcher)?;
        for doc in 0..5 {
            let address = DocAddress::new(0, doc);
            let expected: TantivyDocument = searcher.doc(address)?;
            assert_eq!(stores.document(address)?, expected);
            assert_eq!(document(&searcher, address)?, expected);
        }
        Ok(())
    }

    #[test]
    fn a_length_that_lies_is_damage() {
        assert!(read(&[0x80]).is_some());
        let text = [0x81, 3, 0, 0, 0, TEXT, 0x82, b'a', b'b'];
        assert!(read(&text).is_some());
        for at in 0..text.len() {
            assert!(read(&text[..at]).is_none());
        }
        assert!(read(&[0x81, 3, 0, 0, 0, TEXT, 0x7F, 0x7F, 0x7F, 0x7F, 0xFF, b'a']).is_none());
    }
}
