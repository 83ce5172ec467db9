//! Converts the rows of an Arrow batch to items of the library.
//!
//! The columns of a batch have the names of the keys of JSON Lines, in upper or lower case. Other
//! columns are ignored. If a column with a denial were ignored by mistake, the denial would be
//! lost. So a batch is refused if a column with such a name has an unsupported type or exists
//! twice, or if another column has a name similar to `headers` or `robots`. A cell that cannot be
//! read is an error of its row only.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, LargeStringArray, RecordBatch};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{ArrowError, DataType, Fields, TimeUnit};
use heedful_input::{Item, JsonRow, Robots, RowHeaders, is_site_file};

/// Name of the input in errors and answers about the rows of a batch.
pub const TABLE: &str = "batch";

/// Rows of an Arrow batch of pages. It is an iterator over the URL and the items of each row.
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
    /// Finds the columns of a batch by their names, and checks their types.
    pub fn new(batch: &RecordBatch) -> Result<Self, ArrowError> {
        let schema = batch.schema();
        for field in schema.fields() {
            let name = field.name();
            if let Some(meant) = JsonRow::misnamed(name) {
                let message = format!("the column `{name}` is not read; did you mean `{meant}`?");
                return Err(ArrowError::SchemaError(message));
            }
        }
        if column(batch, "headers")?.is_none()
            && let Some(path) = find_misplaced_headers(schema.fields(), &[])
        {
            let message = format!("`{path}` is not read; headers are read from a column `headers`");
            return Err(ArrowError::SchemaError(message));
        }
        let url = required_column(batch, "url", "text")?;
        let html = required_column(batch, "html", "text or bytes")?;
        Ok(Self {
            url: texts(&url)?,
            html: if is_binary(html.data_type()) {
                bytes(&html)?
            } else {
                texts(&html)?
            },
            headers: column(batch, "headers")?.map(headers).transpose()?,
            status: number_column(batch, "status")?,
            date: match flat_column(batch, "date", "RFC 3339 or a timestamp")? {
                Some(column) => Some(dates(&column)?),
                None => None,
            },
            robots: match flat_column(batch, "robots", "text or bytes")? {
                Some(column) => Some(bytes(&column)?),
                None => None,
            },
            robots_status: number_column(batch, "robots_status")?,
            next: 0,
        })
    }

    /// Iterates over the URLs of the rows. Rows without a URL are omitted.
    pub fn urls(&self) -> impl Iterator<Item = String> {
        (0..self.url.len()).filter_map(|at| text(&self.url, at))
    }

    /// Iterates over the robots.txt files among the rows. Each is paired with the cells of its row.
    /// A robots.txt whose row cannot be parsed denies everything.
    pub fn robots(&self) -> impl Iterator<Item = (JsonRow, Robots)> {
        (0..self.url.len()).filter_map(|at| self.robots_at(at))
    }

    /// Returns the cells of the row at position `at`, and the robots.txt in the row. Returns `None`
    /// if the row is not a robots.txt.
    fn robots_at(&self, at: usize) -> Option<(JsonRow, Robots)> {
        if !is_site_file(&text(&self.url, at)?) {
            return None;
        }
        for item in self.robots_row(at).into_items(TABLE, at as u64 + 1) {
            if let Item::Robots(robots) = item {
                return Some((self.robots_row(at), robots));
            }
        }
        None
    }

    /// Iterates over the rows. Returns the URL and the item of each row. If a row cannot be parsed,
    /// its error is the name of the invalid column.
    pub fn records(
        &self,
    ) -> impl Iterator<Item = (Option<String>, Result<Option<Item>, &'static str>)> {
        (0..self.url.len()).map(|at| (text(&self.url, at), self.record(at)))
    }

    /// Returns the item of the row at position `at`. If the row cannot be parsed, the error is the
    /// name of the invalid column.
    fn record(&self, at: usize) -> Result<Option<Item>, &'static str> {
        let row = self.row(at)?;
        Ok(row.into_record(TABLE, at as u64 + 1).pop())
    }

    /// Returns the cells of a robots.txt in the row at position `at`. If a cell cannot be parsed,
    /// only the URL is returned.
    fn robots_row(&self, at: usize) -> JsonRow {
        if let Ok(row) = self.row(at) {
            return row;
        }
        let mut row = JsonRow::default();
        row.url = text(&self.url, at);
        row
    }

    /// Returns the cells of the row at position `at`. If a cell cannot be parsed, the error is the
    /// name of its column.
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
        if let Some(numbers) = &self.status {
            row.status = numbers.get(at).ok_or("status")?;
        }
        if let Some(numbers) = &self.robots_status {
            row.robots_status = numbers.get(at).ok_or("robots_status")?;
        }
        if let Some(dates) = &self.date {
            row.date = text(dates, at);
        }
        if let Some(column) = &self.robots
            && let Some(robots) = blob(column, at)
        {
            row.robots = Some(String::from_utf8_lossy(&robots).into_owned());
        }
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

/// Finds a nested column that was probably meant to contain the headers of pages, and returns its
/// path. `above` are the names of the columns that contain `fields`.
fn find_misplaced_headers(fields: &Fields, above: &[&str]) -> Option<String> {
    for field in fields {
        let path = [above, &[field.name().as_str()]].concat();
        if JsonRow::is_misplaced(&path) {
            return Some(path.join("."));
        }
        if let DataType::Struct(fields) = field.data_type()
            && let Some(path) = find_misplaced_headers(fields, &path)
        {
            return Some(path);
        }
    }
    None
}

/// Finds a column of a batch by its name, in upper or lower case. Fails if two columns match.
fn column(batch: &RecordBatch, name: &str) -> Result<Option<ArrayRef>, ArrowError> {
    let schema = batch.schema();
    let mut found = None;
    for (at, field) in schema.fields().iter().enumerate() {
        if !field.name().eq_ignore_ascii_case(name) {
            continue;
        }
        if found.is_some() {
            return Err(ArrowError::SchemaError(format!(
                "the column `{name}` is there twice"
            )));
        }
        found = Some(batch.column(at).clone());
    }
    // A column of nulls only may have the type null.
    if let Some(column) = &found
        && *column.data_type() == DataType::Null
        && !matches!(name, "url" | "html")
    {
        return Ok(None);
    }
    Ok(found)
}

/// Finds a column with text or bytes in a batch by its name. Fails if the column is missing, or has
/// values of another kind. `wanted` describes the column in the error message.
fn required_column(batch: &RecordBatch, name: &str, wanted: &str) -> Result<ArrayRef, ArrowError> {
    match column(batch, name)? {
        Some(column) if !is_text(column.data_type()) => Err(type_error(name, wanted, &column)),
        Some(column) => Ok(column),
        None => Err(missing_error(batch, name)),
    }
}

/// Finds a column of a batch by its name. Returns `None` if the column is missing. Fails if it is
/// nested. `wanted` describes the column in the error.
fn flat_column(
    batch: &RecordBatch,
    name: &str,
    wanted: &str,
) -> Result<Option<ArrayRef>, ArrowError> {
    match column(batch, name)? {
        Some(column) if column.data_type().is_nested() => Err(type_error(name, wanted, &column)),
        column => Ok(column),
    }
}

/// Finds a column of numbers in a batch by its name. Returns `None` if the column is missing.
fn number_column(batch: &RecordBatch, name: &str) -> Result<Option<Numbers>, ArrowError> {
    match flat_column(batch, name, "a number")? {
        Some(column) => Ok(Some(Numbers::new(&column)?)),
        None => Ok(None),
    }
}

/// Creates the error for the column `name`, whose type is not the type that `wanted` describes.
fn type_error(name: &str, wanted: &str, column: &ArrayRef) -> ArrowError {
    ArrowError::SchemaError(format!(
        "{name}: {wanted} is wanted, not {}",
        column.data_type()
    ))
}

/// Creates the error for the column `name`, which the batch does not have.
fn missing_error(batch: &RecordBatch, name: &str) -> ArrowError {
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

/// True if an Arrow type is text or bytes, in any encoding.
fn is_text(kind: &DataType) -> bool {
    !(kind.is_nested() || kind.is_numeric() || kind.is_temporal() || *kind == DataType::Boolean)
}

/// True if an Arrow type is bytes, in any encoding.
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

/// Converts a column to the Arrow type `kind`.
fn cast(column: &ArrayRef, kind: &DataType) -> Result<ArrayRef, ArrowError> {
    // Values that cannot be converted become null, which is checked later.
    cast_with_options(
        column,
        kind,
        &CastOptions {
            safe: true,
            ..CastOptions::default()
        },
    )
}

/// Converts a column to text. Invalid UTF-8 in the column becomes U+FFFD, as in the text of a
/// response. Arrow does not ensure that text is valid UTF-8.
fn texts(column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let texts = cast(column, &DataType::LargeUtf8)?;
    let binary = bytes(&texts)?;
    let cells = binary.as_binary::<i64>();
    if cells
        .iter()
        .flatten()
        .all(|cell| std::str::from_utf8(cell).is_ok())
    {
        return Ok(texts);
    }
    let texts: LargeStringArray = cells
        .iter()
        .map(|cell| cell.map(String::from_utf8_lossy))
        .collect();
    Ok(Arc::new(texts))
}

fn bytes(column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    cast(column, &DataType::LargeBinary)
}

/// Converts a column of fetch dates to text.
fn dates(column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    match column.data_type() {
        DataType::Timestamp(..) => texts(&cast(
            column,
            &DataType::Timestamp(TimeUnit::Microsecond, Some("+00:00".into())),
        )?),
        _ => texts(column),
    }
}

/// Converts the column with the headers of pages to a type that [`pairs`] can parse. Fails for
/// other types.
fn headers(column: ArrayRef) -> Result<ArrayRef, ArrowError> {
    match column.data_type() {
        DataType::Map(..) | DataType::List(_) | DataType::LargeList(_) => Ok(column),
        kind if is_text(kind) && !is_binary(kind) => texts(&column),
        _ => Err(type_error(
            "headers",
            "a map, a list of groups with name and value, a list of pairs, or JSON",
            &column,
        )),
    }
}

/// Returns the text in a column of text, in the row at position `at`. Returns `None` for null.
fn text(column: &ArrayRef, at: usize) -> Option<String> {
    let column = column.as_string::<i64>();
    column.is_valid(at).then(|| column.value(at).to_owned())
}

/// Returns the bytes in a column of bytes, in the row at position `at`. Returns `None` for null.
fn blob(column: &ArrayRef, at: usize) -> Option<Vec<u8>> {
    let column = column.as_binary::<i64>();
    column.is_valid(at).then(|| column.value(at).to_vec())
}

/// Column of numbers: the original column, and the numbers to which it was converted.
struct Numbers {
    column: ArrayRef,
    numbers: ArrayRef,
}

impl Numbers {
    fn new(column: &ArrayRef) -> Result<Self, ArrowError> {
        let texts = is_text(column.data_type()).then(|| texts(column));
        let readable = texts.transpose()?.unwrap_or_else(|| column.clone());
        Ok(Self {
            column: column.clone(),
            numbers: cast(&readable, &DataType::Int64)?,
        })
    }

    /// Returns the number in the row at position `at`. Returns `Some(None)` if the value is null,
    /// and `None` if the value is not a number from 0 to 65535.
    fn get(&self, at: usize) -> Option<Option<u16>> {
        if !self.column.is_valid(at) {
            return Some(None);
        }
        let values = self.numbers.as_primitive::<Int64Type>();
        if !values.is_valid(at) {
            return None;
        }
        u16::try_from(values.value(at)).ok().map(Some)
    }
}

/// Returns the headers of the page in the row at position `at`, as pairs of name and value. A
/// header whose value is null gets an empty value. Returns `None` if the cell cannot be parsed.
fn pairs(column: &ArrayRef, at: usize) -> Option<Vec<(String, String)>> {
    if column.is_null(at) {
        return Some(Vec::new());
    }
    match column.data_type() {
        DataType::Map(..) => {
            let entries = column.as_map().value(at);
            zip_columns(entries.column(0), entries.column(1))
        }
        DataType::List(_) | DataType::LargeList(_) => list_pairs(&list_at(column, at)),
        _ => {
            let headers: RowHeaders = serde_json::from_str(&text(column, at)?).ok()?;
            Some(headers.0)
        }
    }
}

/// Converts a list of objects or of lists to headers, as pairs of name and value. Returns `None` if
/// an element cannot be converted.
fn list_pairs(elements: &ArrayRef) -> Option<Vec<(String, String)>> {
    match elements.data_type() {
        DataType::Struct(fields) => {
            if fields.len() != 2 {
                return None;
            }
            let names = find_field(fields, &["name", "key", "header"])?;
            let values = find_field(fields, &["value"])?;
            let group = elements.as_struct();
            zip_columns(group.column(names), group.column(values))
        }
        DataType::List(_) | DataType::LargeList(_) => {
            (0..elements.len()).map(|at| pair(elements, at)).collect()
        }
        _ => None,
    }
}

/// Returns the position of the first field that has one of these names, in upper or lower case.
fn find_field(fields: &Fields, names: &[&str]) -> Option<usize> {
    fields.iter().position(|field| {
        names
            .iter()
            .any(|name| field.name().eq_ignore_ascii_case(name))
    })
}

/// Returns the list in the row at position `at` of `lists`, a column of lists.
fn list_at(lists: &ArrayRef, at: usize) -> ArrayRef {
    match lists.data_type() {
        DataType::List(_) => lists.as_list::<i32>().value(at),
        _ => lists.as_list::<i64>().value(at),
    }
}

/// Returns the list in the row at position `at` as a pair of texts. Returns `None` unless the list
/// has exactly two texts.
fn pair(lists: &ArrayRef, at: usize) -> Option<(String, String)> {
    let both = texts(&list_at(lists, at)).ok()?;
    if both.len() != 2 {
        return None;
    }
    Some((text(&both, 0)?, text(&both, 1).unwrap_or_default()))
}

/// Returns headers as pairs of name and value. `values` has a value for each name in `names`. If a
/// value is a list, the result has a pair for each element of the list.
fn zip_columns(names: &ArrayRef, values: &ArrayRef) -> Option<Vec<(String, String)>> {
    let names = texts(names).ok()?;
    let mut pairs = Vec::new();
    if !matches!(
        values.data_type(),
        DataType::List(_) | DataType::LargeList(_)
    ) {
        let values = texts(values).ok()?;
        for at in 0..names.len() {
            pairs.push((text(&names, at)?, text(&values, at).unwrap_or_default()));
        }
        return Some(pairs);
    }
    for row in 0..values.len() {
        let name = text(&names, row)?;
        let list = texts(&list_at(values, row)).ok()?;
        for at in 0..list.len() {
            pairs.push((name.clone(), text(&list, at).unwrap_or_default()));
        }
    }
    Some(pairs)
}
