//! Rows of an Arrow batch as the library's rows. Columns are the keys of JSON Lines, in upper or
//! lower case, and others are not read.
//!
//! A column of an unreadable kind, one that is there twice, or one whose name is nearly `headers`
//! or `robots`, is an error of the batch, because an overlooked column could forbid. An unreadable
//! cell is an error of its row.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{ArrowError, DataType, Field, Fields, TimeUnit};
use heedful_input::{Item, JsonRow, Robots, RowHeaders, is_site_file};

/// The name that rows have for the table they are in.
pub const TABLE: &str = "batch";

/// An iterator of each row's URL and item.
pub struct RowBatch {
    url: ArrayRef,
    html: ArrayRef,
    headers: Option<ArrayRef>,
    status: Option<Numbers>,
    date: Option<ArrayRef>,
    robots: Option<ArrayRef>,
    robots_status: Option<Numbers>,
    next: usize,
}

impl RowBatch {
    pub fn of(batch: &RecordBatch) -> Result<Self, ArrowError> {
        let given =
            |name: &str, wanted: &str, may_be: fn(&DataType) -> bool| match column(batch, name)? {
                Some(column) if !may_be(column.data_type()) => Err(refused(name, wanted, &column)),
                column => Ok(column),
            };
        let schema = batch.schema();
        let misnamed = |field: &Arc<Field>| {
            JsonRow::misnamed(field.name()).map(|meant| (field.name().clone(), meant))
        };
        if let Some((name, meant)) = schema.fields().iter().find_map(misnamed) {
            let message = format!("the column `{name}` is not read; did you mean `{meant}`?");
            return Err(ArrowError::SchemaError(message));
        }
        if column(batch, "headers")?.is_none()
            && let Some(path) = misplaced(schema.fields(), &[])
        {
            let message = format!("`{path}` is not read; headers are read from a column `headers`");
            return Err(ArrowError::SchemaError(message));
        }
        let needed =
            |name: &str, wanted| given(name, wanted, is_text)?.ok_or_else(|| missing(batch, name));
        let optional = |name: &str, wanted| given(name, wanted, |kind| !kind.is_nested());
        let (url, html) = (needed("url", "text")?, needed("html", "text or bytes")?);
        Ok(Self {
            url: texts(&url)?,
            html: if is_binary(html.data_type()) {
                bytes(&html)?
            } else {
                texts(&html)?
            },
            headers: column(batch, "headers")?.map(headers).transpose()?,
            status: optional("status", "a number")?
                .map(|status| Numbers::of(&status))
                .transpose()?,
            date: optional("date", "RFC 3339 or a timestamp")?
                .map(|date| dates(&date))
                .transpose()?,
            robots: optional("robots", "text or bytes")?
                .map(|robots| bytes(&robots))
                .transpose()?,
            robots_status: optional("robots_status", "a number")?
                .map(|status| Numbers::of(&status))
                .transpose()?,
            next: 0,
        })
    }

    /// The URLs of the rows that have one.
    pub fn urls(&self) -> impl Iterator<Item = String> {
        (0..self.url.len()).filter_map(|at| text(&self.url, at))
    }

    /// The robots.txt files among the rows, each with its row. One that cannot be read forbids all.
    pub fn robots(&self) -> impl Iterator<Item = (JsonRow, Robots)> {
        let is_robots = |at: &usize| text(&self.url, *at).is_some_and(|url| is_site_file(&url));
        let read = |at| {
            let found = |item| {
                if let Item::Robots(robots) = item {
                    Some(robots)
                } else {
                    None
                }
            };
            let items = self.robots_row(at).into_items(TABLE, at as u64 + 1);
            Some((self.robots_row(at), items.into_iter().find_map(found)?))
        };
        (0..self.url.len()).filter(is_robots).filter_map(read)
    }

    /// The item that stands for each row, or the column of it that cannot be read.
    pub fn records(
        &self,
    ) -> impl Iterator<Item = (Option<String>, Result<Option<Item>, &'static str>)> {
        (0..self.url.len()).map(|at| {
            let record = |row: JsonRow| row.into_record(TABLE, at as u64 + 1).pop();
            (text(&self.url, at), self.row(at).map(record))
        })
    }

    /// A row that is a robots.txt. If it cannot be read, the row has only its URL.
    fn robots_row(&self, at: usize) -> JsonRow {
        self.row(at).unwrap_or_else(|_| {
            let mut row = JsonRow::default();
            row.url = text(&self.url, at);
            row
        })
    }

    fn row(&self, at: usize) -> Result<JsonRow, &'static str> {
        let mut row = JsonRow::default();
        row.url = text(&self.url, at);
        match self.html.data_type() {
            DataType::LargeBinary => row.bytes = blob(&self.html, at),
            _ => row.html = text(&self.html, at),
        }
        if let Some(column) = &self.headers {
            row.headers = pairs(column, at).ok_or("headers")?;
        }
        row.status = number(self.status.as_ref(), at).map_err(|()| "status")?;
        row.robots_status =
            number(self.robots_status.as_ref(), at).map_err(|()| "robots_status")?;
        row.date = self.date.as_ref().and_then(|dates| text(dates, at));
        let robots = self.robots.as_ref().and_then(|robots| blob(robots, at));
        row.robots = robots.map(|robots| String::from_utf8_lossy(&robots).into_owned());
        Ok(row)
    }
}

impl Iterator for RowBatch {
    type Item = (String, Result<Vec<Item>, heedful::Error>);

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.next;
        if at >= self.url.len() {
            return None;
        }
        self.next += 1;
        let url = text(&self.url, at).unwrap_or_default();
        let items = match self.row(at) {
            Ok(row) => Ok(row.into_items(TABLE, at as u64 + 1)),
            Err(column) => {
                let message = format!("row {}: no page: `{column}` cannot be read", at + 1);
                Err(heedful::ErrorKind::Input(message).into())
            }
        };
        Some((url, items))
    }
}

/// The nested column that was probably meant to hold the headers.
fn misplaced(fields: &Fields, above: &[&str]) -> Option<String> {
    fields.iter().find_map(|field| {
        let path = [above, &[field.name().as_str()]].concat();
        match field.data_type() {
            _ if JsonRow::is_misplaced(&path) => Some(path.join(".")),
            DataType::Struct(fields) => misplaced(fields, &path),
            _ => None,
        }
    })
}

fn column(batch: &RecordBatch, name: &str) -> Result<Option<ArrayRef>, ArrowError> {
    let schema = batch.schema();
    let mut found = schema
        .fields()
        .iter()
        .enumerate()
        .filter(|(_, field)| field.name().eq_ignore_ascii_case(name));
    let first = found.next().map(|(at, _)| batch.column(at).clone());
    match found.next() {
        Some(_) => Err(ArrowError::SchemaError(format!(
            "the column `{name}` is there twice"
        ))),
        // A column of nulls may have no other type.
        None => Ok(first.filter(|column| {
            *column.data_type() != DataType::Null || matches!(name, "url" | "html")
        })),
    }
}

fn refused(name: &str, wanted: &str, column: &ArrayRef) -> ArrowError {
    ArrowError::SchemaError(format!(
        "{name}: {wanted} is wanted, not {}",
        column.data_type()
    ))
}

fn missing(batch: &RecordBatch, name: &str) -> ArrowError {
    let schema = batch.schema();
    let has: Vec<_> = schema
        .fields()
        .iter()
        .map(|field| field.name().as_str())
        .collect();
    ArrowError::SchemaError(format!(
        "there is no column `{name}`, but {}",
        has.join(", ")
    ))
}

/// Text or bytes, packed in whatever way.
fn is_text(kind: &DataType) -> bool {
    !(kind.is_nested() || kind.is_numeric() || kind.is_temporal() || *kind == DataType::Boolean)
}

fn is_binary(kind: &DataType) -> bool {
    match kind {
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => true,
        DataType::Dictionary(_, values) => is_binary(values),
        _ => false,
    }
}

fn cast(column: &ArrayRef, kind: &DataType) -> Result<ArrayRef, ArrowError> {
    // Values that cannot be cast become null, which is checked later.
    cast_with_options(
        column,
        kind,
        &CastOptions {
            safe: true,
            ..CastOptions::default()
        },
    )
}

fn texts(column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    cast(column, &DataType::LargeUtf8)
}

fn bytes(column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    cast(column, &DataType::LargeBinary)
}

fn dates(column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    match column.data_type() {
        DataType::Timestamp(..) => texts(&cast(
            column,
            &DataType::Timestamp(TimeUnit::Microsecond, Some("+00:00".into())),
        )?),
        _ => texts(column),
    }
}

/// A column of texts, lists, maps or groups, ready to be read as headers.
fn headers(column: ArrayRef) -> Result<ArrayRef, ArrowError> {
    match column.data_type() {
        DataType::Map(..) | DataType::List(_) | DataType::LargeList(_) => Ok(column),
        kind if is_text(kind) && !is_binary(kind) => texts(&column),
        _ => Err(refused(
            "headers",
            "a map, a list of groups with name and value, a list of pairs, or JSON",
            &column,
        )),
    }
}

fn text(column: &ArrayRef, at: usize) -> Option<String> {
    let column = column.as_string::<i64>();
    column.is_valid(at).then(|| column.value(at).to_owned())
}

fn blob(column: &ArrayRef, at: usize) -> Option<Vec<u8>> {
    let column = column.as_binary::<i64>();
    column.is_valid(at).then(|| column.value(at).to_vec())
}

/// Numbers, next to the values they come from.
struct Numbers {
    column: ArrayRef,
    numbers: ArrayRef,
}

impl Numbers {
    fn of(column: &ArrayRef) -> Result<Self, ArrowError> {
        Ok(Self {
            column: column.clone(),
            numbers: cast(column, &DataType::Int64)?,
        })
    }
}

fn number(numbers: Option<&Numbers>, at: usize) -> Result<Option<u16>, ()> {
    let Some(numbers) = numbers.filter(|numbers| numbers.column.is_valid(at)) else {
        return Ok(None);
    };
    let values = numbers.numbers.as_primitive::<Int64Type>();
    let value = values.is_valid(at).then(|| values.value(at)).ok_or(())?;
    u16::try_from(value).map(Some).map_err(|_| ())
}

/// The headers of a row. A name without a value has an empty one.
fn pairs(column: &ArrayRef, at: usize) -> Option<Vec<(String, String)>> {
    if column.is_null(at) {
        return Some(Vec::new());
    }
    match column.data_type() {
        DataType::Map(..) => {
            let entries = column.as_map().value(at);
            named(entries.column(0), entries.column(1))
        }
        DataType::List(_) => of_list(&column.as_list::<i32>().value(at)),
        DataType::LargeList(_) => of_list(&column.as_list::<i64>().value(at)),
        _ => serde_json::from_str::<RowHeaders>(&text(column, at)?)
            .ok()
            .map(|headers| headers.0),
    }
}

fn of_list(elements: &ArrayRef) -> Option<Vec<(String, String)>> {
    match elements.data_type() {
        DataType::Struct(fields) => {
            let of = |names: &[&str]| {
                let is_named =
                    |name: &str| names.iter().any(|known| name.eq_ignore_ascii_case(known));
                let at = fields.iter().position(|field| is_named(field.name()))?;
                Some(elements.as_struct().column(at).clone())
            };
            if fields.len() != 2 {
                return None;
            }
            named(&of(&["name", "key", "header"])?, &of(&["value"])?)
        }
        DataType::List(_) | DataType::LargeList(_) => {
            (0..elements.len()).map(|at| pair(elements, at)).collect()
        }
        _ => None,
    }
}

/// A list of two texts.
fn pair(lists: &ArrayRef, at: usize) -> Option<(String, String)> {
    let list = match lists.data_type() {
        DataType::List(_) => lists.as_list::<i32>().value(at),
        _ => lists.as_list::<i64>().value(at),
    };
    let both = texts(&list).ok().filter(|list| list.len() == 2)?;
    Some((text(&both, 0)?, text(&both, 1).unwrap_or_default()))
}

/// Names next to values, or next to lists of values.
fn named(names: &ArrayRef, values: &ArrayRef) -> Option<Vec<(String, String)>> {
    let names = texts(names).ok()?;
    let lists: Option<Vec<ArrayRef>> = match values.data_type() {
        DataType::List(_) => Some(
            (0..values.len())
                .map(|at| values.as_list::<i32>().value(at))
                .collect(),
        ),
        DataType::LargeList(_) => Some(
            (0..values.len())
                .map(|at| values.as_list::<i64>().value(at))
                .collect(),
        ),
        _ => None,
    };
    let Some(lists) = lists else {
        let values = texts(values).ok()?;
        return (0..names.len())
            .map(|at| Some((text(&names, at)?, text(&values, at).unwrap_or_default())))
            .collect();
    };
    let mut pairs = Vec::new();
    for (at, values) in lists.iter().enumerate() {
        let (name, values) = (text(&names, at)?, texts(values).ok()?);
        pairs.extend(
            (0..values.len()).map(|at| (name.clone(), text(&values, at).unwrap_or_default())),
        );
    }
    Some(pairs)
}
