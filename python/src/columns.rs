//! The program's JSON as Arrow columns: the same keys, nested. A row whose keys differ from the
//! schema is an error, so that the two cannot drift apart.

use std::sync::{Arc, LazyLock};

use arrow_array::{RecordBatch, UInt64Array};
use arrow_json::ReaderBuilder;
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};
use arrow_select::take::take;
use heedful::Page;
use heedful_json::PageJson;

/// The URL of a page, and its pages: one for each bot.
pub type PagesOfUrl = (String, heedful::Result<Vec<Page>>);

/// The schema of all batches.
pub static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    let verdict = [
        ("enter", DataType::Boolean),
        ("index", DataType::Boolean),
        ("follow", DataType::Boolean),
        ("anchor", DataType::Boolean),
        ("archive", DataType::Boolean),
        ("snippet", DataType::Boolean),
        ("image", DataType::Boolean),
        ("translate", DataType::Boolean),
        ("train", DataType::Boolean),
        ("input", DataType::Boolean),
        ("max_snippet", DataType::Int64),
        ("max_image_preview", DataType::Utf8),
        ("max_video_preview", DataType::Int64),
        ("unavailable_after", DataType::Utf8),
    ];
    let directive = [
        ("line", DataType::Int64),
        ("column", DataType::Int64),
        ("convention", DataType::Utf8),
        ("directive", DataType::Utf8),
        ("origin", DataType::Utf8),
    ];
    let why = [
        ("follow", object(directive.clone())),
        ("anchor", object(directive.clone())),
    ];
    let link = [
        ("url", DataType::Utf8),
        ("kind", DataType::Utf8),
        ("rel", list(DataType::Utf8)),
        ("text", DataType::Utf8),
        ("follow", DataType::Boolean),
        ("anchor", DataType::Boolean),
        ("why", object(why)),
        ("phrases", list(DataType::Utf8)),
        ("show", DataType::Boolean),
        ("input", DataType::Boolean),
    ];
    let range = [
        ("use", DataType::Utf8),
        ("start", DataType::Int64),
        ("end", DataType::Int64),
    ];
    let note = [
        ("kind", DataType::Utf8),
        ("line", DataType::Int64),
        ("column", DataType::Int64),
        ("message", DataType::Utf8),
        ("convention", DataType::Utf8),
    ];
    let about = [
        ("lang", DataType::Utf8),
        ("canonical", DataType::Utf8),
        ("content_type", DataType::Utf8),
        ("status", DataType::Int64),
        ("date", DataType::Utf8),
        ("robots", DataType::Utf8),
        ("robots_status", DataType::Int64),
    ];
    let source = [
        ("kind", DataType::Utf8),
        ("place", DataType::Utf8),
        ("fetched", DataType::Utf8),
        ("status", DataType::Int64),
        ("agent", DataType::Utf8),
    ];
    let kept_out = [
        ("line", DataType::Int64),
        ("rule", DataType::Utf8),
        ("group", DataType::Utf8),
        ("reason", DataType::Utf8),
        ("source", object(source)),
    ];
    Arc::new(Schema::new(fields([
        ("url", DataType::Utf8),
        ("bot", DataType::Utf8),
        ("verdict", object(verdict)),
        ("title", list(DataType::Utf8)),
        ("description", list(DataType::Utf8)),
        ("headings", list(DataType::Utf8)),
        ("phrases", list(DataType::Utf8)),
        ("alt", list(DataType::Utf8)),
        ("links", list(object(link))),
        ("snapshot", DataType::Utf8),
        (
            "exclusions",
            list(object(range.into_iter().chain(directive))),
        ),
        ("notes", list(object(note))),
        (
            "error",
            object([("kind", DataType::Utf8), ("message", DataType::Utf8)]),
        ),
        ("excerpt", DataType::Utf8),
        ("shown_title", DataType::Utf8),
        ("input", DataType::Utf8),
        ("about", object(about)),
        ("kept_out", object(kept_out)),
    ])))
});

pub fn fields(named: impl IntoIterator<Item = (&'static str, DataType)>) -> Fields {
    named
        .into_iter()
        .map(|(name, kind)| Field::new(name, kind, true))
        .collect()
}

pub fn object(named: impl IntoIterator<Item = (&'static str, DataType)>) -> DataType {
    DataType::Struct(fields(named))
}

pub fn list(of: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("item", of, true)))
}

/// A row for each answer and bot.
pub fn batch(answers: &[PagesOfUrl], bots: &[String]) -> Result<RecordBatch, ArrowError> {
    let rows: Vec<_> = answers
        .iter()
        .flat_map(|answer| rows(answer, bots))
        .collect();
    if rows.is_empty() {
        return Ok(RecordBatch::new_empty(SCHEMA.clone()));
    }
    let reader = ReaderBuilder::new(SCHEMA.clone())
        .with_strict_mode(true)
        .with_batch_size(rows.len());
    let mut decoder = reader.build_decoder()?;
    decoder.serialize(&rows)?;
    decoder
        .flush()?
        .ok_or_else(|| ArrowError::ComputeError("rows were lost".to_owned()))
}

fn rows<'a>((url, answer): &'a PagesOfUrl, bots: &'a [String]) -> Vec<PageJson<'a>> {
    match answer {
        Ok(pages) => pages.iter().map(PageJson::page).collect(),
        Err(error) => bots
            .iter()
            .map(|bot| PageJson::failed(url, bot, error))
            .collect(),
    }
}

/// The rows with columns of the table that they were made of, as they are. Each of its rows has as
/// many as there are bots.
pub fn kept(
    rows: RecordBatch,
    table: &RecordBatch,
    names: &[String],
    bots: usize,
) -> Result<RecordBatch, ArrowError> {
    if names.is_empty() {
        return Ok(rows);
    }
    let (mut fields, mut columns) = (rows.schema().fields().to_vec(), rows.columns().to_vec());
    let of_row: UInt64Array = (0..table.num_rows() as u64)
        .flat_map(|row| std::iter::repeat_n(row, bots))
        .collect();
    for name in names {
        let at = wanted(&fields, &table.schema(), name)
            .map_err(|why| ArrowError::SchemaError(format!("keep: {why}")))?;
        fields.push(table.schema().fields()[at].clone());
        columns.push(if bots == 1 {
            table.column(at).clone()
        } else {
            take(table.column(at), &of_row, None)?
        });
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

/// Where a column stands that is to be kept beside those that the rows have.
fn wanted(taken: &[Arc<Field>], table: &Schema, name: &str) -> Result<usize, String> {
    let of_name = |fields: &[Arc<Field>]| -> Vec<usize> {
        fields
            .iter()
            .enumerate()
            .filter(|(_, field)| field.name() == name)
            .map(|(at, _)| at)
            .collect()
    };
    let found = of_name(table.fields());
    let has: Vec<_> = table
        .fields()
        .iter()
        .map(|field| field.name().as_str())
        .collect();
    // Many readers of tables take no two names that differ in case alone.
    let is_taken = |field: &Arc<Field>| field.name().eq_ignore_ascii_case(name);
    match found[..] {
        [] => Err(format!(
            "there is no column `{name}`, but {}",
            has.join(", ")
        )),
        _ if SCHEMA.fields().iter().any(is_taken) => Err(format!(
            "the result has a column `{name}` of its own: rename it"
        )),
        _ if taken.iter().any(is_taken) => Err(format!("`{name}` is named twice")),
        [at] => Ok(at),
        _ => Err(format!("the column `{name}` is there twice")),
    }
}
