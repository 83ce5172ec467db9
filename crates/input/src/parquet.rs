//! Reads a Parquet table: each row is a page.
//!
//! The columns of the table have the names of the keys of JSON Lines, in upper or lower case. Other
//! columns are ignored, but a column that probably was meant to contain a denial makes the whole
//! table an error. After damage, the rest of the row group is lost, because a row group is the
//! smallest part that can be read alone. A robots.txt in the lost rows forbids everything, as far
//! as its URL can still be read. Sizes that a table claims are never trusted for an allocation.

use std::collections::VecDeque;
use std::fs::File;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::Length;
use parquet::record::Row as Record;
use parquet::record::reader::{ReaderIter, TreeBuilder};
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

use heedful_base::limits::{Limits, exceeded};

use super::archive::afforded;
use super::cells::{is_nanos, row, text};
use super::coding;
use super::item::{Damage, InputPlace, Item, ItemPlace, Items, Position, placed};
use super::jsonl::{broken, numbered};
use super::robots::is_site_file;
use super::row::JsonRow;
use super::table_file::{RowBounds, TableFile};
use super::table_pages::TableReader;
use super::terms::{Allowance, InputTerms};

const COLUMNS: [&str; 7] = [
    "url",
    "html",
    "headers",
    "status",
    "date",
    "robots",
    "robots_status",
];
/// Number of rows of a table that are decoded at once. It is small because pages are large.
const BATCH: usize = 16;
/// Total number of excess rows that the row groups of a table may have. Excess rows of a group are
/// those above the limit `row_ratio` times the group's stored bytes.
const FREE_ROWS: u64 = 100_000;

/// Returns the position after row number `number` of a table.
fn position_after(number: u64) -> Position {
    Position {
        number,
        ..Position::default()
    }
}

/// Returns the items of the rows after row number `number` of the table. The error is a message for
/// a table that cannot be read.
pub(super) fn items(
    file: File,
    name: &Arc<str>,
    url: String,
    number: u64,
    read: Arc<AtomicU64>,
    terms: &Arc<InputTerms>,
) -> Result<Items, String> {
    let table = ParquetTable::open(file, terms)?;
    Ok(Box::new(TableItems {
        name: Arc::clone(name),
        url,
        number,
        read,
        allowance: Allowance::new(terms),
        next_group: 0,
        rows: None,
        end: 0,
        stored: 0,
        waiting: VecDeque::new(),
        lost: 0..0,
        table,
    }))
}

/// Iterator over the items of a table. Each item is paired with the position at which reading can
/// resume after the item.
struct TableItems {
    table: ParquetTable,
    name: Arc<str>,
    url: String,
    /// Number of the row after which the iterator begins. 0 for the whole table.
    number: u64,
    /// Counter of the bytes of all row groups that were begun so far, shared with the caller.
    read: Arc<AtomicU64>,
    allowance: Allowance,
    next_group: usize,
    /// The rows of the current row group that were not read yet. `None` if no row group is being
    /// read.
    rows: Option<ParquetRows>,
    /// Number of rows from the start of the table to the end of the current row group.
    end: u64,
    /// Number of bytes from the start of the table to the end of the current row group.
    stored: u64,
    /// Items of the most recently read row that were not yielded yet.
    waiting: VecDeque<(Item, Position)>,
    /// Numbers of the lost rows that still have to yield a damage item. A row is lost if an earlier
    /// row of its row group cannot be read. The range is empty if the setting `each_record` is
    /// false.
    lost: Range<u64>,
}

impl TableItems {
    /// Moves to the next row group of the table. Returns false after the last row group.
    fn begin_group(&mut self) -> bool {
        let number = self.next_group;
        let Some(group) = self.table.groups.get(number) else {
            return false;
        };
        self.next_group += 1;
        self.read.fetch_add(group.bytes, Ordering::Relaxed);
        self.allowance.begin(self.stored);
        self.stored += group.bytes;
        let start = self.end;
        self.end += group.rows;
        self.rows = if self.end <= self.number {
            None
        } else if group.exceeds_row_ratio {
            Some(ParquetRows::none(start))
        } else {
            let schema = &self.table.schema;
            Some(ParquetRows::new(&self.table, schema, number, start))
        };
        true
    }

    fn origin(&self, row: u64) -> InputPlace {
        InputPlace {
            file: Arc::clone(&self.name),
            at: Some(ItemPlace::Number("row", row)),
        }
    }

    /// Returns the items for row number `row` of the table. `found` is the row, or an error if the
    /// row cannot be read. After an error, the items report the loss of the rest of the row group.
    fn items(&mut self, row: u64, found: Result<Record, String>) -> Vec<Item> {
        let origin = self.origin(row);
        let message = match found {
            Ok(found) => {
                let url = || numbered(&self.url, "row", row);
                return page(
                    found,
                    &self.table,
                    url,
                    origin,
                    &mut self.allowance,
                    self.stored,
                );
            }
            Err(message) => message,
        };
        let number = self.next_group - 1;
        let group = self.table.groups[number];
        // The loss is reported once for the whole group, unless each row must yield an item.
        if !group.exceeds_row_ratio && self.table.bounds.terms.each_record {
            self.lost = row.max(self.number) + 1..self.end + 1;
        }
        if row <= self.number {
            // The run that ended after this row has already reported the loss.
            return Vec::new();
        }
        if group.exceeds_row_ratio {
            let error = exceeded("row_ratio", self.table.limits());
            return vec![Item::Damage(Damage::from_error(origin, error))];
        }
        let start = self.end - group.rows;
        let damage = self.table.damage(origin, &message);
        lost(&self.table, number, start, row, damage)
    }
}

impl Iterator for TableItems {
    type Item = (Item, Position);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.waiting.pop_front() {
                return Some(item);
            }
            if let Some(row) = self.lost.next() {
                let damage = Damage::new(self.origin(row), "a row after one that cannot be read");
                return Some((Item::Damage(damage), position_after(row)));
            }
            match self.rows.as_mut().and_then(ParquetRows::next) {
                Some((row, found)) => {
                    if row <= self.number && found.is_ok() {
                        continue;
                    }
                    let items = self.items(row, found);
                    let before = position_after(row - 1);
                    self.waiting
                        .extend(placed(items, before, position_after(row)));
                }
                None if !self.begin_group() => return None,
                None => {}
            }
        }
    }
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
        Ok(row) => JsonRow {
            text_key: table.text_column.clone(),
            ..row
        },
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
    let checked = allowance.room(stored).check(bytes.len() as u64);
    if let Err(error) = checked.and_then(|()| allowance.give(bytes, stored)) {
        return broken(urls, Damage::from_error(origin, error));
    }
    let items = row.items(url, origin, &table.bounds.terms, &allowance.room(stored));
    // The check above counted only the packed bytes of such a page.
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
    let mut urls = Vec::new();
    for (name, field) in record.get_column_iter() {
        if name.eq_ignore_ascii_case("url") {
            urls.extend(text(field));
        }
    }
    urls
}

/// Returns the items for the lost rows of the row group `group`. The lost rows are those from row
/// number `from` to the end of the group. `start` is the number of rows before the group. For each
/// lost robots.txt with a readable URL, the items contain a robots.txt that forbids everything. The
/// last item is `damage`.
fn lost(table: &ParquetTable, group: usize, start: u64, from: u64, damage: Damage) -> Vec<Item> {
    let mut robots = Vec::new();
    if let Some(schema) = &table.urls {
        for (row, found) in ParquetRows::new(table, schema, group, start) {
            if let Ok(found) = found
                && row >= from
            {
                robots.extend(urls(&found).into_iter().filter(|url| is_site_file(url)));
            }
        }
    }
    broken(robots, damage)
}

/// A row group of a table, with its numbers of rows and stored bytes.
#[derive(Clone, Copy)]
struct Group {
    rows: u64,
    bytes: u64,
    /// True if the row group is skipped because it has too many rows. The limit `row_ratio` bounds
    /// the rows per stored byte. Rows above that bound are excess rows. A group with excess rows is
    /// skipped only if it and the groups before it have more than `FREE_ROWS` excess rows in total.
    exceeds_row_ratio: bool,
}

/// Returns the row groups of a table, with the numbers of rows and bytes that the table claims. If
/// all groups together claim more bytes than `length`, the size of the file, the bytes of the last
/// groups are reduced.
fn groups(claimed: &[RowGroupMetaData], length: u64, limits: &Limits) -> Vec<Group> {
    let mut left = length;
    let mut loose = 0_u64;
    let mut groups = Vec::with_capacity(claimed.len());
    for group in claimed {
        let rows = u64::try_from(group.num_rows()).unwrap_or(0);
        // Overlapping groups count their common bytes once: the sum never passes the file's length.
        let bytes = u64::try_from(group.compressed_size())
            .unwrap_or(0)
            .min(left);
        left -= bytes;
        let most = bytes.saturating_mul(limits.row_ratio);
        loose = loose.saturating_add(rows.saturating_sub(most));
        groups.push(Group {
            rows,
            bytes,
            exceeds_row_ratio: rows > most && loose > FREE_ROWS,
        });
    }
    groups
}

/// Searches `group`, a group of columns, for a nested column that was probably meant to contain the
/// response headers. Returns the path of this column. `None` if there is no such column. The names
/// in the path are joined by dots. The path begins with `above`, the path of `group`.
fn misplaced(group: &Type, above: &[&str]) -> Option<String> {
    for column in group.get_fields() {
        let path = [above, &[column.name()]].concat();
        if JsonRow::is_misplaced(&path) {
            return Some(path.join("."));
        }
        if column.is_group()
            && let Some(found) = misplaced(column, &path)
        {
            return Some(found);
        }
    }
    None
}

/// True if one of the columns has the name `name`, in upper or lower case.
fn has_column(columns: &[TypePtr], name: &str) -> bool {
    columns
        .iter()
        .any(|column| column.name().eq_ignore_ascii_case(name))
}

/// A Parquet table that was opened: file, schema and row groups.
struct ParquetTable {
    reader: TableReader,
    bounds: Arc<RowBounds>,
    schema: Type,
    /// Schema with only the column `url`. `None` if the table has no such column.
    urls: Option<Type>,
    /// True if the column `date` of the table is a timestamp in nanoseconds.
    is_nanos: bool,
    /// Name of a column with text that was extracted from pages, such as `markdown`. `None` if the
    /// table has no such column.
    text_column: Option<String>,
    groups: Vec<Group>,
}

impl ParquetTable {
    fn open(file: File, terms: &Arc<InputTerms>) -> Result<Self, String> {
        let bounds = Arc::new(RowBounds::new(terms));
        let length = file.len();
        let reader = TableReader::new(TableFile::new(file, &bounds));
        let reader = reader.map_err(|error| error.to_string())?;
        let metadata = reader.metadata();
        let schema = metadata.file_metadata().schema();
        let mut columns = schema.get_fields().to_vec();
        columns.retain(|column| {
            COLUMNS
                .iter()
                .any(|name| column.name().eq_ignore_ascii_case(name))
        });
        // With `each_record`, each row reports that it has no page.
        if !terms.each_record && !has_column(&columns, "html") {
            return Err("there is no column `html`".to_owned());
        }
        for column in schema.get_fields() {
            let name = column.name();
            if let Some(meant) = JsonRow::misnamed(name) {
                return Err(format!(
                    "the column `{name}` is not read; did you mean `{meant}`?"
                ));
            }
        }
        if !has_column(&columns, "headers")
            && let Some(path) = misplaced(schema, &[])
        {
            return Err(format!(
                "`{path}` is not read; headers are read from a column `headers`"
            ));
        }
        let is_nanos = columns
            .iter()
            .any(|column| column.name().eq_ignore_ascii_case("date") && is_nanos(column));
        let mut urls = columns.clone();
        urls.retain(|column| column.name().eq_ignore_ascii_case("url"));
        let urls = if urls.is_empty() {
            None
        } else {
            part(schema, urls).ok()
        };
        let mut names = schema.get_fields().iter().map(|column| column.name());
        let text_column = names.find(|name| JsonRow::is_text(name)).map(str::to_owned);
        let groups = groups(metadata.row_groups(), length, &terms.limits);
        let schema = part(schema, columns).map_err(|error| error.to_string())?;
        Ok(Self {
            reader,
            bounds,
            schema,
            urls,
            is_nanos,
            text_column,
            groups,
        })
    }

    fn limits(&self) -> &Limits {
        &self.bounds.terms.limits
    }

    /// Returns the damage item for rows that cannot be read. If a limit was exceeded, the damage
    /// has the error of this limit. Otherwise its error is `message`, the error of the Parquet
    /// library.
    fn damage(&self, origin: InputPlace, message: &str) -> Damage {
        let limit = self.bounds.take_passed();
        match limit {
            Some(name) => Damage::from_error(origin, exceeded(name, self.limits())),
            None => Damage::new(origin, format!("rows that cannot be read ({message})")),
        }
    }

    /// Returns the rows of a row group, with the columns of `schema`.
    fn rows(&self, schema: &Type, group: usize) -> Result<ReaderIter, String> {
        let columns = Arc::new(SchemaDescriptor::new(Arc::new(schema.clone())));
        let group = self.reader.row_group(group);
        let group = group.map_err(|error| error.to_string())?;
        let rows = TreeBuilder::new().with_batch_size(BATCH);
        rows.as_iter(columns, &group)
            .map_err(|error| error.to_string())
    }
}

/// Returns a schema with the name of `schema`, but only with the columns `columns`.
fn part(schema: &Type, columns: Vec<TypePtr>) -> parquet::errors::Result<Type> {
    Type::group_type_builder(schema.name())
        .with_fields(columns)
        .build()
}

/// Iterator over the rows of a row group. Each row is paired with its number in the table, which
/// counts from 1. The iterator ends after the first row that cannot be read.
struct ParquetRows {
    rows: Result<ReaderIter, String>,
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

    /// Creates the iterator for a row group that is skipped. The iterator yields a single error, so
    /// that the row group is reported as damage.
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
