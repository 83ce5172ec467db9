//! Parquet tables in zstd, as other programs write them and as nobody should.
//!
//! The tables are written without compression. Then each page is packed again by ruzstd, so that
//! the tests need no C. `tests/parquet_check.py` reads the tables that pyarrow writes.

use std::fs;
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::parser::parse_message_type;

use crate::command::{path, run};
use crate::support::made::{folder, zst};

const GROUPS: usize = 3;

/// A stored page, and the unpacked size that its header claims.
type Packed = (Vec<u8>, usize);

/// A way to pack a page wrongly, with its name.
type Lie = (&'static str, fn(&[u8]) -> Packed);

fn honest(plain: &[u8]) -> Packed {
    (zst(plain), plain.len())
}

fn html(group: usize) -> String {
    format!("<p>word{group} {}", "rye ".repeat(200))
}

/// Returns a table of [`GROUPS`] row groups, with a page and a row without HTML each.
fn plain(version: WriterVersion, has_dictionary: bool) -> Bytes {
    let schema = "message pages { REQUIRED BINARY url (STRING); OPTIONAL BINARY html (STRING); }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = WriterProperties::builder()
        .set_writer_version(version)
        .set_dictionary_enabled(has_dictionary)
        .build();
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
    for number in 0..GROUPS {
        let url = |name: &str| {
            let url = format!("https://site.example/{name}{number}");
            ByteArray::from(url.as_str())
        };
        let mut group = file.next_row_group().unwrap();
        let columns = [
            (vec![url("a"), url("b")], None),
            (vec![html(number).as_str().into()], Some([1, 0])),
        ];
        for (values, levels) in columns {
            let mut column = group.next_column().unwrap().unwrap();
            let levels = levels.as_ref().map(<[i16; 2]>::as_slice);
            column
                .typed::<ByteArrayType>()
                .write_batch(&values, levels, None)
                .unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    file.into_inner().unwrap().into()
}

/// Returns the table with each page packed by `pack`, which gets the number of the row group and
/// the bytes to pack.
fn packed(table: &Bytes, pack: impl Fn(usize, &[u8]) -> Packed) -> Vec<u8> {
    let reader = SerializedFileReader::new(table.clone()).unwrap();
    let schema = reader.metadata().file_metadata().schema_descr();
    let schema = schema.root_schema_ptr();
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
    for number in 0..reader.num_row_groups() {
        let rows = reader.get_row_group(number).unwrap();
        let mut group = file.next_row_group().unwrap();
        for column in 0..rows.num_columns() {
            let mut chunk = TrackedWrite::new(Vec::new());
            let mut pages = rows.get_column_page_reader(column).unwrap();
            let mut dictionary = None;
            let mut first = None;
            while let Some(page) = pages.get_next_page().unwrap() {
                let at = i64::try_from(chunk.bytes_written()).unwrap();
                match page {
                    Page::DictionaryPage { .. } => dictionary = Some(at),
                    _ if first.is_none() => first = Some(at),
                    _ => {}
                }
                let page = packed_page(page, |bytes| pack(number, bytes));
                SerializedPageWriter::new(&mut chunk)
                    .write_page(page)
                    .unwrap();
            }
            let bytes = chunk.into_inner().unwrap();
            let metadata = rows.metadata().column(column).clone().into_builder();
            let metadata = metadata
                .set_compression(Compression::ZSTD(ZstdLevel::default()))
                .set_total_compressed_size(i64::try_from(bytes.len()).unwrap())
                .set_dictionary_page_offset(dictionary)
                .set_data_page_offset(first.unwrap())
                .build()
                .unwrap();
            let close = ColumnCloseResult {
                bytes_written: bytes.len() as u64,
                rows_written: 2,
                metadata,
                bloom_filter: None,
                column_index: None,
                offset_index: None,
            };
            group.append_column(&Bytes::from(bytes), close).unwrap();
        }
        group.close().unwrap();
    }
    file.into_inner().unwrap()
}

fn packed_page(mut page: Page, pack: impl Fn(&[u8]) -> Packed) -> CompressedPage {
    let levels = match &mut page {
        Page::DataPageV2 {
            is_compressed,
            def_levels_byte_len,
            rep_levels_byte_len,
            ..
        } => {
            *is_compressed = true;
            (*def_levels_byte_len + *rep_levels_byte_len) as usize
        }
        _ => 0,
    };
    let (Page::DataPage { buf, .. }
    | Page::DictionaryPage { buf, .. }
    | Page::DataPageV2 { buf, .. }) = &mut page;
    let (stored, claimed) = pack(&buf[levels..]);
    *buf = [&buf[..levels], &stored].concat().into();
    CompressedPage::new(page, levels + claimed)
}

/// Returns the words of the pages that are read from a table, and what was reported.
fn read(table: &[u8]) -> (Vec<String>, String) {
    let folder = folder();
    let file = path(&folder, "pages.parquet");
    fs::write(&file, table).unwrap();
    let (_, out, told) = run(&["text", &file], "");
    let words = out.split_whitespace();
    let words = words.filter(|word| word.starts_with("word"));
    let told = told.replace(&file, "FILE");
    let told = told.split(" in ").next().unwrap().to_owned();
    (words.map(str::to_owned).collect(), told)
}

#[test]
fn tables_in_zstd_are_read() {
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for has_dictionary in [false, true] {
            let plain = plain(version, has_dictionary);
            let expected = read(&plain);
            assert_eq!(expected.0, ["word0", "word1", "word2"]);
            let packed = packed(&plain, |_, bytes| honest(bytes));
            assert!(packed.len() < plain.len());
            assert_eq!(read(&packed), expected, "{version:?} {has_dictionary}");
            // Several frames are one page, as they are one file elsewhere.
            let halves = |_: usize, bytes: &[u8]| {
                let (first, last) = bytes.split_at(bytes.len() / 2);
                ([zst(first), zst(last)].concat(), bytes.len())
            };
            assert_eq!(read(&self::packed(&plain, halves)), expected);
        }
    }
}

#[test]
fn a_page_of_zstd_that_lies_or_is_damaged_costs_its_row_group() {
    let more = |bytes: &[u8]| (zst(bytes), bytes.len() + 1);
    let less = |bytes: &[u8]| (zst(bytes), bytes.len() - 1);
    let bomb = |bytes: &[u8]| (zst(&vec![b' '; 200 << 20]), bytes.len());
    let cut = |bytes: &[u8]| {
        let stored = zst(bytes);
        (stored[..stored.len() - 4].to_vec(), bytes.len())
    };
    let other = |bytes: &[u8]| (bytes.to_vec(), bytes.len());
    let none = |bytes: &[u8]| (Vec::new(), bytes.len());
    let cases: [Lie; 6] = [
        ("more", more),
        ("less", less),
        ("bomb", bomb),
        ("cut", cut),
        ("no zstd", other),
        ("nothing", none),
    ];
    let plain = plain(WriterVersion::PARQUET_1_0, false);
    for (name, pack) in cases {
        let table = packed(&plain, |group, bytes| {
            if group == 1 {
                pack(bytes)
            } else {
                honest(bytes)
            }
        });
        let (words, told) = read(&table);
        assert_eq!(words, ["word0", "word2"], "{name}: {told}");
        assert!(told.contains("row 3"), "{name}: {told}");
    }
}

/// Frames with bytes changed at random cost at most their row group, and never the program.
#[test]
fn damage_in_a_frame_costs_its_row_group() {
    let plain = plain(WriterVersion::PARQUET_2_0, true);
    let mut chance = fastrand::Rng::with_seed(7);
    for _ in 0..40 {
        let seed = chance.u64(..);
        let table = packed(&plain, |group, bytes| {
            let (mut stored, claimed) = honest(bytes);
            if group == 1 {
                let mut chance = fastrand::Rng::with_seed(seed);
                let at = chance.usize(..stored.len());
                stored[at] ^= chance.u8(1..);
            }
            (stored, claimed)
        });
        let (words, told) = read(&table);
        let others: Vec<_> = words.iter().filter(|word| *word != "word1").collect();
        assert_eq!(others, ["word0", "word2"], "{seed}: {told}");
    }
}
