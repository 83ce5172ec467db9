//! Hostile Parquet tables, whose values or rows unpack to far more than the size of the file.

use std::sync::Arc;

use parquet::basic::{BrotliLevel, Compression};
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::Make::Bytes;
use crate::{GOOD, Row};

const MILLION: usize = 1_000_000;

pub(crate) const ROWS: &[Row] = &[
    (
        "Parquet, a value of 600 MB",
        Bytes(|good| table(good, 1, 1, Some(600 * MILLION))),
    ),
    (
        "Parquet, 20 rows of one value of 60 MB",
        Bytes(|good| table(good, 1, 20, Some(60 * MILLION))),
    ),
    (
        "Parquet, 20 groups of a value of 200 MB",
        Bytes(|good| table(good, 20, 1, Some(200 * MILLION))),
    ),
    (
        "Parquet, 200 million rows of nothing",
        Bytes(|good| table(good, 200, MILLION, None)),
    ),
    (
        "Parquet, 20 million rows of one value",
        Bytes(|good| table(good, 20, MILLION, Some(100))),
    ),
];

type Values = (Vec<ByteArray>, Vec<i16>);

/// Returns a Parquet table of row groups whose rows are all equal. Each row has a page of
/// `length` bytes, or no value if `length` is None. If `good` is true, there are two good pages
/// too.
fn table(good: bool, groups: usize, rows: usize, length: Option<usize>) -> Vec<u8> {
    let columns = "message pages { OPTIONAL BINARY url (STRING); OPTIONAL BINARY html (STRING); }";
    let schema = Arc::new(parse_message_type(columns).unwrap());
    let packed = Compression::BROTLI(BrotliLevel::default());
    let properties = WriterProperties::builder()
        .set_compression(packed)
        .set_data_page_row_count_limit(usize::MAX)
        .set_data_page_size_limit(usize::MAX)
        .set_dictionary_page_size_limit(usize::MAX)
        .set_statistics_enabled(parquet::file::properties::EnabledStatistics::None);
    let mut file =
        SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties.build())).unwrap();
    let mut group = |[urls, html]: [&Values; 2]| {
        let mut writer = file.next_row_group().unwrap();
        for (values, levels) in [urls, html] {
            let mut column = writer.next_column().unwrap().unwrap();
            column
                .typed::<ByteArrayType>()
                .write_batch(values, Some(levels), None)
                .unwrap();
            column.close().unwrap();
        }
        writer.close().unwrap();
    };
    let one = |text: &str| (vec![ByteArray::from(text)], vec![1]);
    let [first, last] = GOOD.map(|url| [one(url), one("<p>good")]);
    if good {
        group(first.each_ref());
    }
    let values = |value: ByteArray| -> Values { (vec![value; rows], vec![1; rows]) };
    let bad = match length {
        Some(length) => [
            values("https://bad.example/".into()),
            values(vec![b' '; length].into()),
        ],
        None => [(Vec::new(), vec![0; rows]), (Vec::new(), vec![0; rows])],
    };
    for _ in 0..groups {
        group(bad.each_ref());
    }
    if good {
        group(last.each_ref());
    }
    file.into_inner().unwrap()
}
