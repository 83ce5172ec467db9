//! A row of a Parquet table is a page: the columns are the keys of JSON Lines. `html` may be text, which was decoded before, or
//! bytes, which are sniffed; `headers` a map, or a list of pairs; `date` a text or a timestamp. Other columns are not read.
//!
//! What is damaged costs its row group, which is the smallest part that can be read by itself.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::serialized_reader::ReadOptionsBuilder;
use parquet::record::reader::RowIter;
use parquet::record::{Field, Row};
use parquet::schema::types::Type;

use crate::error::{ErrorKind, Result};
use crate::json::rfc3339;

use super::item::At;
use super::jsonl::{Headers, Line, numbered};
use super::{Damage, Item, Items, Origin, Position};

const COLUMNS: [&str; 7] = ["url", "html", "headers", "status", "date", "robots", "robots_status"];
/// Rows that are read at once: pages are large.
const BATCH: usize = 16;

/// The rows behind `number`.
pub(super) fn items(file: File, name: &Arc<str>, url: String, number: u64, read: Arc<AtomicU64>) -> Result<Items> {
    let table = Table::open(file).map_err(|error| ErrorKind::Input(format!("{name}: {error}")))?;
    let groups = table.groups.clone();
    let name = Arc::clone(name);
    let mut first = 0;
    let parts = groups.into_iter().enumerate().flat_map(move |(group, (rows, bytes))| {
        read.fetch_add(bytes, Ordering::Relaxed);
        let (start, name, url) = (first, Arc::clone(&name), url.clone());
        first += rows;
        let is_passed = first <= number;
        let rows = if is_passed { None } else { Some(Rows::new(&table, group, start)) };
        rows.into_iter().flatten().filter_map(move |(row, found)| {
            if row <= number {
                return None;
            }
            let origin = Origin { file: Arc::clone(&name), at: Some(At::Number("row", row)) };
            let item = match found {
                Ok(found) => match line(found) {
                    Ok(line) => line.item(|| numbered(&url, "row", row), origin),
                    Err(column) => Item::Damage(Damage::new(origin, format!("no page: `{column}` cannot be read"))),
                },
                Err(message) => Item::Damage(Damage::new(origin, format!("rows that cannot be read ({message})"))),
            };
            Some((item, Position { number: row, ..Position::default() }))
        })
    });
    Ok(Box::new(parts))
}

/// A table, and how many rows and bytes its groups have.
struct Table {
    file: File,
    schema: Type,
    groups: Vec<(u64, u64)>,
}

impl Table {
    fn open(file: File) -> std::result::Result<Self, String> {
        let reader = SerializedFileReader::new(file.try_clone().map_err(|error| error.to_string())?);
        let reader = reader.map_err(|error| error.to_string())?;
        let metadata = reader.metadata();
        let schema = metadata.file_metadata().schema();
        let columns: Vec<_> =
            schema.get_fields().iter().filter(|field| COLUMNS.contains(&field.name())).cloned().collect();
        if !columns.iter().any(|column| column.name() == "html") {
            return Err("there is no column `html`".to_owned());
        }
        let schema = Type::group_type_builder(schema.name()).with_fields(columns).build();
        let size = |n: i64| u64::try_from(n).unwrap_or(0);
        let groups = metadata.row_groups().iter().map(|g| (size(g.num_rows()), size(g.compressed_size()))).collect();
        Ok(Self { file, schema: schema.map_err(|error| error.to_string())?, groups })
    }

    fn rows(&self, group: usize) -> std::result::Result<RowIter<'static>, String> {
        let file = self.file.try_clone().map_err(|error| error.to_string())?;
        let options = ReadOptionsBuilder::new().with_predicate(Box::new(move |_, at| at == group)).build();
        let reader = SerializedFileReader::new_with_options(file, options).map_err(|error| error.to_string())?;
        let rows = RowIter::from_file_into(Box::new(reader)).project(Some(self.schema.clone()));
        Ok(rows.map_err(|error| error.to_string())?.with_batch_size(BATCH))
    }
}

/// The rows of a group, each with its number in the table, from 1; the first that cannot be read is the last.
struct Rows {
    rows: std::result::Result<RowIter<'static>, String>,
    number: u64,
    over: bool,
}

impl Rows {
    fn new(table: &Table, group: usize, start: u64) -> Self {
        let rows = catch_unwind(AssertUnwindSafe(|| table.rows(group)));
        Self { rows: rows.unwrap_or_else(|_| Err("damaged".to_owned())), number: start, over: false }
    }

    fn row(&mut self) -> Option<std::result::Result<Row, String>> {
        match &mut self.rows {
            Err(message) => Some(Err(std::mem::take(message))),
            Ok(rows) => match catch_unwind(AssertUnwindSafe(|| rows.next())) {
                Ok(row) => row.map(|row| row.map_err(|error| error.to_string())),
                Err(_) => Some(Err("damaged".to_owned())),
            },
        }
    }
}

impl Iterator for Rows {
    type Item = (u64, std::result::Result<Row, String>);

    fn next(&mut self) -> Option<Self::Item> {
        let row = if self.over { None } else { self.row() };
        self.over = !matches!(row, Some(Ok(_)));
        self.number += 1;
        row.map(|row| (self.number, row))
    }
}

/// A page; or the column that is of no use. A header that was overlooked could be one that forbids.
fn line(row: Row) -> std::result::Result<Line, String> {
    let mut line = Line::default();
    for (name, field) in row.into_columns() {
        let is_read = match (name.as_str(), &field) {
            (_, Field::Null) => true,
            ("url", field) => set(&mut line.url, text(field)),
            ("html", Field::Bytes(bytes)) => set(&mut line.bytes, Some(bytes.data().to_vec())),
            ("html", field) => set(&mut line.html, text(field)),
            ("headers", field) => headers(field).map(|headers| line.headers = headers).is_some(),
            ("status", field) => set(&mut line.status, status(field)),
            ("date", field) => set(&mut line.date, date(field)),
            ("robots", field) => set(&mut line.robots, text(field)),
            ("robots_status", field) => set(&mut line.robots_status, status(field)),
            _ => true,
        };
        if !is_read {
            return Err(name);
        }
    }
    Ok(line)
}

fn set<T>(place: &mut Option<T>, value: Option<T>) -> bool {
    *place = value;
    place.is_some()
}

fn text(field: &Field) -> Option<String> {
    match field {
        Field::Str(text) => Some(text.clone()),
        Field::Bytes(bytes) => Some(String::from_utf8_lossy(bytes.data()).into_owned()),
        _ => None,
    }
}

fn status(field: &Field) -> Option<u16> {
    let number = match *field {
        Field::Byte(n) => i64::from(n),
        Field::Short(n) => i64::from(n),
        Field::Int(n) => i64::from(n),
        Field::Long(n) => n,
        Field::UByte(n) => i64::from(n),
        Field::UShort(n) => i64::from(n),
        Field::UInt(n) => i64::from(n),
        _ => return text(field)?.trim().parse().ok(),
    };
    u16::try_from(number).ok()
}

fn date(field: &Field) -> Option<String> {
    let since = match *field {
        Field::TimestampMillis(n) => Duration::from_millis(u64::try_from(n).ok()?),
        Field::TimestampMicros(n) => Duration::from_micros(u64::try_from(n).ok()?),
        _ => return text(field),
    };
    rfc3339(SystemTime::UNIX_EPOCH + since)
}

/// A map, a list of pairs or of groups of two, or any of them as JSON.
fn headers(field: &Field) -> Option<Vec<(String, String)>> {
    match field {
        Field::MapInternal(map) => {
            map.entries().iter().map(|(name, value)| Some((text(name)?, value_of(value)?))).collect()
        }
        Field::ListInternal(list) => list.elements().iter().map(pair).collect(),
        field => serde_json::from_str::<Headers>(&text(field)?).ok().map(Headers::pairs),
    }
}

fn pair(field: &Field) -> Option<(String, String)> {
    let parts: Vec<_> = match field {
        Field::Group(row) => row.get_column_iter().map(|(_, field)| field).collect(),
        Field::ListInternal(list) => list.elements().iter().collect(),
        _ => return None,
    };
    match parts.as_slice() {
        [name, value] => Some((text(name)?, value_of(value)?)),
        _ => None,
    }
}

fn value_of(field: &Field) -> Option<String> {
    if matches!(field, Field::Null) { Some(String::new()) } else { text(field) }
}
