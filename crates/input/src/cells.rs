//! Converts a row of a Parquet table into a page.
//!
//! The column `html` may be a string, which is decoded text, or bytes, whose charset is detected.
//! The column `headers` may be a map, or a list of pairs or of name-value groups. The column `date`
//! may be a string, a timestamp or a day; an invalid date is handled like a missing one.

use std::time::{Duration, SystemTime};

use parquet::basic::{LogicalType, TimeUnit};
use parquet::record::{Field, Row as Record};
use parquet::schema::types::Type;

use heedful_base::date::rfc3339;

use super::row::{JsonRow, RowHeaders};

pub(super) fn is_nanos(column: &Type) -> bool {
    let logical = column.get_basic_info().logical_type_ref();
    matches!(logical, Some(LogicalType::Timestamp(timestamp)) if timestamp.unit == TimeUnit::NANOS)
}

/// Converts a row of a Parquet table into a [`JsonRow`]. `is_nanos` is true if the column `date`
/// counts nanoseconds. If a column is invalid or repeated, the column's name is the error. Such a
/// column is not ignored, because it might contain a header that forbids something.
pub(super) fn row(record: Record, is_nanos: bool) -> Result<JsonRow, String> {
    let mut row = JsonRow::default();
    for (name, field) in record.into_columns() {
        let is_read = match (name.to_ascii_lowercase().as_str(), &field) {
            (_, Field::Null) => true,
            ("url", field) => set(&mut row.url, text(field)),
            ("html", _) if row.html.is_some() || row.bytes.is_some() => false,
            ("html", Field::Bytes(bytes)) => set(&mut row.bytes, Some(bytes.data().to_vec())),
            ("html", field) => set(&mut row.html, text(field)),
            ("headers", field) => headers(field)
                .map(|headers| row.headers.extend(headers))
                .is_some(),
            ("status", field) => set(&mut row.status, status(field)),
            ("date", field) => {
                row.date = row.date.or(date(field, is_nanos));
                true
            }
            ("robots", field) => set(&mut row.robots, text(field)),
            ("robots_status", field) => set(&mut row.robots_status, status(field)),
            _ => true,
        };
        if !is_read {
            return Err(name);
        }
    }
    Ok(row)
}

fn set<T>(place: &mut Option<T>, value: Option<T>) -> bool {
    let is_first = place.is_none();
    *place = value;
    is_first && place.is_some()
}

pub(super) fn text(field: &Field) -> Option<String> {
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

fn date(field: &Field, is_nanos: bool) -> Option<String> {
    let (units, per_second) = match *field {
        Field::Date(days) => (i64::from(days) * 24 * 60 * 60, 1),
        Field::TimestampMillis(n) => (n, 1000),
        Field::TimestampMicros(n) => (n, 1_000_000),
        Field::Long(n) if is_nanos => (n, 1_000_000_000),
        _ => return text(field),
    };
    let nanos = units.rem_euclid(per_second) * (1_000_000_000 / per_second);
    let whole = units.div_euclid(per_second);
    let seconds = Duration::from_secs(whole.unsigned_abs());
    let epoch = SystemTime::UNIX_EPOCH;
    let second = if whole < 0 {
        epoch.checked_sub(seconds)
    } else {
        epoch.checked_add(seconds)
    };
    rfc3339(second?.checked_add(Duration::from_nanos(u64::try_from(nanos).ok()?))?)
}

/// Converts the column `headers`: a map, or a list of pairs or of name-value groups. A string is
/// parsed as JSON by the rules of [`RowHeaders`]. `None` if the column has none of these forms.
fn headers(field: &Field) -> Option<Vec<(String, String)>> {
    match field {
        Field::MapInternal(map) => map
            .entries()
            .iter()
            .map(|(name, value)| Some((text(name)?, value_of(value)?)))
            .collect(),
        Field::ListInternal(list) => list.elements().iter().map(pair).collect(),
        field => serde_json::from_str::<RowHeaders>(&text(field)?)
            .ok()
            .map(|headers| headers.0),
    }
}

fn pair(field: &Field) -> Option<(String, String)> {
    match field {
        Field::Group(row) => named_pair(row),
        Field::ListInternal(list) => match list.elements() {
            [name, value] => Some((text(name)?, value_of(value)?)),
            _ => None,
        },
        _ => None,
    }
}

/// Converts a Parquet group with two fields into a header. The field `name`, `key` or `header` is
/// the header's name, and the field `value` is its value. `None` if the group has other fields.
fn named_pair(record: &Record) -> Option<(String, String)> {
    let mut name = None;
    let mut value = None;
    for (key, field) in record.get_column_iter() {
        let is_read = match key.to_ascii_lowercase().as_str() {
            "name" | "key" | "header" => set(&mut name, text(field)),
            "value" => set(&mut value, value_of(field)),
            _ => false,
        };
        if !is_read {
            return None;
        }
    }
    name.zip(value)
}

fn value_of(field: &Field) -> Option<String> {
    if matches!(field, Field::Null) {
        Some(String::new())
    } else {
        text(field)
    }
}
