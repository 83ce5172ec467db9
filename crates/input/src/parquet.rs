//! A row of a Parquet table is a page. The columns are the keys of JSON Lines, in upper or lower
//! case. Other columns are not read. One that was probably meant to hold a denial makes the table
//! unreadable.
//!
//! Damage costs its row group, which is the smallest part that can be read by itself. An unreadable
//! robots.txt forbids everything if its URL can be read.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use parquet::file::reader::{ChunkReader, FileReader, Length, SerializedFileReader};
use parquet::file::serialized_reader::ReadOptionsBuilder;
use parquet::record::Row as Record;
use parquet::record::reader::RowIter;
use parquet::schema::types::{Type, TypePtr};

use heedful_base::limits::{Limits, exceeded};

use super::archive::afforded;
use super::cells::{is_nanos, row, text};
use super::coding;
use super::item::{Damage, InputPlace, Item, ItemPlace, Items, Position, placed};
use super::jsonl::{broken, numbered};
use super::robots::is_site_file;
use super::row::JsonRow;
use super::terms::{Allowance, InputTerms};

/// True if this build can read tables.
pub(super) const IS_BUILT: bool = true;

const COLUMNS: [&str; 7] = [
    "url",
    "html",
    "headers",
    "status",
    "date",
    "robots",
    "robots_status",
];
/// The number of rows read at once. Pages are large.
const BATCH: usize = 16;
/// The maximum number of reads at the end of a file. A list that claims to go on behind it would be
/// read for hours.
const READS_AT_END: u32 = 16;
/// The bytes that a table ends with: a length, and `PAR1`.
const FOOTER: u64 = 8;
/// The rows that a table may have beyond those that fit in its bytes.
const FREE_ROWS: u64 = 100_000;

/// The limits of a table, and its use of them.
#[derive(Default)]
struct RowBounds {
    terms: Arc<InputTerms>,
    /// The bytes of value pages that are packed tighter than gzip can.
    loose: AtomicU64,
    /// The limit that was passed last.
    passed: Mutex<Option<&'static str>>,
}

impl RowBounds {
    /// Fails if a page of values whose head begins with these bytes may not be unpacked.
    fn check(&self, head: &[u8]) -> parquet::errors::Result<()> {
        let Some((unpacked, packed)) = sizes(head) else {
            return Ok(());
        };
        let limits = &self.terms.limits;
        let is_loose = unpacked > packed.saturating_mul(limits.member_ratio);
        let loose = if is_loose {
            self.loose.fetch_add(unpacked, Ordering::Relaxed) + unpacked
        } else {
            0
        };
        let name = match () {
            () if unpacked > limits.table_page_bytes => "table_page_bytes",
            () if loose > self.terms.free() => "member_ratio",
            () => return Ok(()),
        };
        *self.passed.lock().unwrap_or_else(PoisonError::into_inner) = Some(name);
        Err(io::Error::other(exceeded(name, limits)).into())
    }
}

/// The bytes of a page of values, unpacked and packed, by its head. The head is a struct in
/// Thrift's compact protocol, and these are its fields 2 and 3 (parquet.apache.org, `PageHeader`).
/// No known writer puts anything before them, so such a head counts as endless.
fn sizes(head: &[u8]) -> Option<(u64, u64)> {
    const NUMBER: u8 = 5;
    let (mut rest, mut id, mut unpacked) = (head, 0, None);
    loop {
        let (first, behind) = rest.split_first()?;
        rest = behind;
        let (step, kind) = (first >> 4, first & 15);
        id = if step == 0 && kind != 0 {
            zigzag(&mut rest)?
        } else {
            id + i64::from(step)
        };
        match (kind, id) {
            (0, _) => return None,
            (NUMBER, _) => {}
            _ => return Some((u64::MAX, 0)),
        }
        let value = u64::try_from(zigzag(&mut rest)?).unwrap_or(0);
        match (id, unpacked) {
            (2, _) => unpacked = Some(value),
            (3, Some(unpacked)) => return Some((unpacked, value)),
            _ => {}
        }
    }
}

fn zigzag(bytes: &mut &[u8]) -> Option<i64> {
    let (mut number, mut shift) = (0_u64, 0);
    loop {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(first & 0x7F).checked_shl(shift)?;
        if first & 0x80 == 0 {
            return Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed());
        }
        shift += 7;
    }
}

/// A file that is not read beyond its end.
struct Chunks(File, Arc<RowBounds>);

impl Length for Chunks {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl ChunkReader for Chunks {
    type T = BufReader<FileEnding>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        let mut file = self.0.try_clone()?;
        file.seek(SeekFrom::Start(start))?;
        let mut reader = BufReader::new(FileEnding {
            file,
            left: READS_AT_END,
        });
        // This comes before the memory is reserved. The bytes at the very end are no page: they say
        // where the list of pages is.
        if start.saturating_add(FOOTER) < self.len() {
            self.1.check(reader.fill_buf()?)?;
        }
        Ok(reader)
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        // This comes before the memory is reserved.
        if start
            .checked_add(length as u64)
            .is_none_or(|end| end > self.len())
        {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        self.0.get_bytes(start, length)
    }
}

struct FileEnding {
    file: File,
    left: u32,
}

impl Read for FileEnding {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        if read == 0 {
            self.left = self
                .left
                .checked_sub(1)
                .ok_or(io::ErrorKind::UnexpectedEof)?;
        }
        Ok(read)
    }
}

/// The position behind a row.
fn at(number: u64) -> Position {
    Position {
        number,
        ..Position::default()
    }
}

/// The items of the rows behind `number`.
pub(super) fn items(
    file: File,
    name: &Arc<str>,
    url: String,
    number: u64,
    read: Arc<AtomicU64>,
    terms: &Arc<InputTerms>,
) -> Result<Items, String> {
    let table = Arc::new(ParquetTable::open(file, terms)?);
    let groups = table.groups.clone();
    let (name, allowance) = (
        Arc::clone(name),
        Arc::new(Mutex::new(Allowance::new(terms))),
    );
    let (mut first, mut stored) = (0, 0);
    let parts = groups.into_iter().enumerate().flat_map(
        move |(
            group,
            Group {
                rows,
                bytes,
                is_empty,
            },
        )| {
            read.fetch_add(bytes, Ordering::Relaxed);
            let (start, name, url, table) =
                (first, Arc::clone(&name), url.clone(), Arc::clone(&table));
            let allowance = Arc::clone(&allowance);
            allowance
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .begin(stored);
            stored += bytes;
            let behind = stored;
            first += rows;
            let end = first;
            let rows = match end <= number {
                true => None,
                false if is_empty => Some(ParquetRows::none(start)),
                false => Some(ParquetRows::new(&table, &table.schema, group, start)),
            };
            let rows = rows
                .into_iter()
                .flatten()
                .filter(move |(row, found)| *row > number || found.is_err());
            rows.flat_map(move |(row, found)| {
                let origin = InputPlace {
                    file: Arc::clone(&name),
                    at: Some(ItemPlace::Number("row", row)),
                };
                // What is lost is one report, unless each row is asked for.
                let is_lost = found.is_err() && !is_empty && table.bounds.terms.each_record;
                let behind_it = if is_lost {
                    row.max(number) + 1..end + 1
                } else {
                    0..0
                };
                let name = Arc::clone(&name);
                let also_lost = move |row| {
                    let origin = InputPlace {
                        file: Arc::clone(&name),
                        at: Some(ItemPlace::Number("row", row)),
                    };
                    Item::Damage(Damage::new(origin, "a row behind one that cannot be read"))
                };
                let items = match found {
                    // It was reported before the place where this run begins.
                    Err(_) if row <= number => Vec::new(),
                    Ok(found) => {
                        let mut allowance =
                            allowance.lock().unwrap_or_else(PoisonError::into_inner);
                        page(
                            found,
                            &table,
                            || numbered(&url, "row", row),
                            origin,
                            &mut allowance,
                            behind,
                        )
                    }
                    Err(_) if is_empty => vec![Item::Damage(Damage::with(
                        origin,
                        exceeded("row_ratio", table.limits()),
                    ))],
                    Err(message) => lost(&table, group, start, row, table.damage(origin, &message)),
                };
                placed(items, at(row - 1), at(row))
                    .chain(behind_it.map(move |row| (also_lost(row), at(row))))
            })
        },
    );
    Ok(Box::new(parts))
}

fn page(
    record: Record,
    table: &ParquetTable,
    url: impl FnOnce() -> String,
    origin: InputPlace,
    allowance: &mut Allowance,
    stored: u64,
) -> Vec<Item> {
    let urls = urls(&record);
    let row = match row(record, table.is_nanos) {
        Ok(row) => row,
        Err(column) => {
            return broken(
                urls,
                Damage::new(origin, format!("no page: `{column}` cannot be read")),
            );
        }
    };
    let bytes = row
        .html
        .as_deref()
        .map(str::as_bytes)
        .or(row.bytes.as_deref())
        .unwrap_or_default();
    let is_packed = coding::is_gzip(bytes);
    let given = allowance
        .room(stored)
        .check(bytes.len() as u64)
        .and_then(|()| allowance.give(bytes, stored));
    if let Err(error) = given {
        return broken(urls, Damage::with(origin, error));
    }
    let items = row.items(url, origin, &table.bounds.terms, &allowance.room(stored));
    // Of a page that was packed only the packed bytes were counted.
    if is_packed {
        items
            .into_iter()
            .map(|item| afforded(item, allowance, stored))
            .collect()
    } else {
        items
    }
}

fn urls(record: &Record) -> Vec<String> {
    let urls = record
        .get_column_iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case("url"));
    urls.filter_map(|(_, field)| text(field)).collect()
}

/// The items for the rest of a group. Its URLs may be whole, and a robots.txt may be among them.
fn lost(table: &ParquetTable, group: usize, start: u64, from: u64, damage: Damage) -> Vec<Item> {
    let rows = table
        .urls
        .iter()
        .flat_map(|schema| ParquetRows::new(table, schema, group, start));
    let behind = rows
        .filter(|(row, _)| *row >= from)
        .filter_map(|(_, found)| found.ok());
    let is_robots = |url: &String| is_site_file(url);
    let robots: Vec<_> = behind
        .flat_map(|row| urls(&row))
        .filter(is_robots)
        .collect();
    broken(robots, damage)
}

/// A group of rows.
#[derive(Clone, Copy)]
struct Group {
    rows: u64,
    bytes: u64,
    /// True if it has far more rows than bytes, and so had others before it. Its rows are not read.
    is_empty: bool,
}

/// The groups of a table with this many bytes. Their sizes are what the table claims.
fn groups(said: impl Iterator<Item = (u64, u64)>, length: u64, limits: &Limits) -> Vec<Group> {
    let (mut left, mut loose) = (length, 0_u64);
    let group = |(rows, bytes): (u64, u64)| {
        // Groups that share their bytes count them once.
        let bytes = bytes.min(left);
        left -= bytes;
        loose = loose.saturating_add(rows.saturating_sub(bytes.saturating_mul(limits.row_ratio)));
        Group {
            rows,
            bytes,
            is_empty: rows > bytes.saturating_mul(limits.row_ratio) && loose > FREE_ROWS,
        }
    };
    said.map(group).collect()
}

/// The nested column that was probably meant to hold the headers.
fn misplaced(group: &Type, above: &[&str]) -> Option<String> {
    group.get_fields().iter().find_map(|column| {
        let path = [above, &[column.name()]].concat();
        match column.is_group() {
            _ if JsonRow::is_misplaced(&path) => Some(path.join(".")),
            true => misplaced(column, &path),
            false => None,
        }
    })
}

/// A table, and its groups.
struct ParquetTable {
    file: File,
    bounds: Arc<RowBounds>,
    schema: Type,
    /// The type of the URL column alone.
    urls: Option<Type>,
    /// True if its dates are in nanoseconds.
    is_nanos: bool,
    groups: Vec<Group>,
}

impl ParquetTable {
    fn open(file: File, terms: &Arc<InputTerms>) -> Result<Self, String> {
        let bounds = Arc::new(RowBounds {
            terms: Arc::clone(terms),
            ..RowBounds::default()
        });
        let again = file.try_clone().map_err(|error| error.to_string())?;
        let reader = SerializedFileReader::new(Chunks(again, Arc::clone(&bounds)));
        let reader = reader.map_err(|error| error.to_string())?;
        let metadata = reader.metadata();
        let schema = metadata.file_metadata().schema();
        let is_named = |name| move |column: &&TypePtr| column.name().eq_ignore_ascii_case(name);
        let is_read = |column: &&TypePtr| COLUMNS.iter().any(|name| is_named(name)(column));
        let columns: Vec<_> = schema
            .get_fields()
            .iter()
            .filter(is_read)
            .cloned()
            .collect();
        // If each row is asked for, each row says that it has no page.
        if !terms.each_record && !columns.iter().any(|column| is_named("html")(&column)) {
            return Err("there is no column `html`".to_owned());
        }
        let misnamed = |column: &TypePtr| {
            JsonRow::misnamed(column.name()).map(|meant| (column.name().to_owned(), meant))
        };
        if let Some((name, meant)) = schema.get_fields().iter().find_map(misnamed) {
            return Err(format!(
                "the column `{name}` is not read; did you mean `{meant}`?"
            ));
        }
        if !columns.iter().any(|column| is_named("headers")(&column))
            && let Some(path) = misplaced(schema, &[])
        {
            return Err(format!(
                "`{path}` is not read; headers are read from a column `headers`"
            ));
        }
        let urls: Vec<_> = columns.iter().filter(is_named("url")).cloned().collect();
        let is_nanos = columns
            .iter()
            .filter(is_named("date"))
            .any(|column| is_nanos(column));
        let part = |columns| {
            Type::group_type_builder(schema.name())
                .with_fields(columns)
                .build()
        };
        let urls = if urls.is_empty() {
            None
        } else {
            part(urls).ok()
        };
        let schema = part(columns);
        let size = |n: i64| u64::try_from(n).unwrap_or(0);
        let said = metadata
            .row_groups()
            .iter()
            .map(|g| (size(g.num_rows()), size(g.compressed_size())));
        let groups = groups(said, file.len(), &terms.limits);
        let schema = schema.map_err(|error| error.to_string())?;
        Ok(Self {
            file,
            bounds,
            schema,
            urls,
            is_nanos,
            groups,
        })
    }

    fn limits(&self) -> &Limits {
        &self.bounds.terms.limits
    }

    /// The damage for rows that cannot be read, because of a limit or the reader's message.
    fn damage(&self, origin: InputPlace, message: &str) -> Damage {
        let limit = self
            .bounds
            .passed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        match limit {
            Some(name) => Damage::with(origin, exceeded(name, self.limits())),
            None => Damage::new(origin, format!("rows that cannot be read ({message})")),
        }
    }

    fn rows(&self, schema: &Type, group: usize) -> Result<RowIter<'static>, String> {
        let file = self.file.try_clone().map_err(|error| error.to_string())?;
        let options = ReadOptionsBuilder::new()
            .with_predicate(Box::new(move |_, at| at == group))
            .build();
        let reader =
            SerializedFileReader::new_with_options(Chunks(file, Arc::clone(&self.bounds)), options);
        let reader = reader.map_err(|error| error.to_string())?;
        let rows = RowIter::from_file_into(Box::new(reader)).project(Some(schema.clone()));
        Ok(rows
            .map_err(|error| error.to_string())?
            .with_batch_size(BATCH))
    }
}

/// The rows of a group, each with its number in the table, from 1. Reading ends at the first that
/// cannot be read.
struct ParquetRows {
    rows: Result<RowIter<'static>, String>,
    number: u64,
    over: bool,
}

impl ParquetRows {
    fn new(table: &ParquetTable, schema: &Type, group: usize, start: u64) -> Self {
        let rows = catch_unwind(AssertUnwindSafe(|| table.rows(schema, group)));
        Self {
            rows: rows.unwrap_or_else(|_| Err("damaged".to_owned())),
            number: start,
            over: false,
        }
    }

    /// Stands for a group that is not read. It gives one row, at which that is reported.
    fn none(start: u64) -> Self {
        Self {
            rows: Err(String::new()),
            number: start,
            over: false,
        }
    }

    fn record(&mut self) -> Option<Result<Record, String>> {
        match &mut self.rows {
            Err(message) => Some(Err(std::mem::take(message))),
            Ok(rows) => match catch_unwind(AssertUnwindSafe(|| rows.next())) {
                Ok(row) => row.map(|row| row.map_err(|error| error.to_string())),
                Err(_) => Some(Err("damaged".to_owned())),
            },
        }
    }
}

impl Iterator for ParquetRows {
    type Item = (u64, Result<Record, String>);

    fn next(&mut self) -> Option<Self::Item> {
        let row = if self.over { None } else { self.record() };
        self.over = !matches!(row, Some(Ok(_)));
        self.number += 1;
        row.map(|row| (self.number, row))
    }
}
