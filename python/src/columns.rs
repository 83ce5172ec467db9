//! The program's JSON as Arrow columns: the same keys, nested. A row whose keys differ from the schema is an error, so that the
//! two cannot drift apart.

use std::sync::{Arc, LazyLock};

use arrow_array::RecordBatch;
use arrow_json::ReaderBuilder;
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};
use heedful::Page;
use heedful::json::PageJson;

/// The URL of a page, and its pages: one for each bot.
pub type Answer = (String, heedful::Result<Vec<Page>>);

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
        ("dialect", DataType::Utf8),
        ("directive", DataType::Utf8),
        ("origin", DataType::Utf8),
    ];
    let why = [("follow", object(directive.clone())), ("anchor", object(directive.clone()))];
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
    let range = [("facet", DataType::Utf8), ("start", DataType::Int64), ("end", DataType::Int64)];
    let note = [
        ("kind", DataType::Utf8),
        ("line", DataType::Int64),
        ("column", DataType::Int64),
        ("message", DataType::Utf8),
        ("dialect", DataType::Utf8),
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
        ("exclusions", list(object(range.into_iter().chain(directive)))),
        ("notes", list(object(note))),
        ("error", object([("kind", DataType::Utf8), ("message", DataType::Utf8)])),
        ("excerpt", DataType::Utf8),
        ("shown_title", DataType::Utf8),
        ("input", DataType::Utf8),
    ])))
});

fn fields(named: impl IntoIterator<Item = (&'static str, DataType)>) -> Fields {
    named.into_iter().map(|(name, kind)| Field::new(name, kind, true)).collect()
}

fn object(named: impl IntoIterator<Item = (&'static str, DataType)>) -> DataType {
    DataType::Struct(fields(named))
}

fn list(of: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("item", of, true)))
}

/// A row for each answer and bot.
pub fn batch(answers: &[Answer], bots: &[String]) -> Result<RecordBatch, ArrowError> {
    let rows: Vec<_> = answers.iter().flat_map(|answer| rows(answer, bots)).collect();
    if rows.is_empty() {
        return Ok(RecordBatch::new_empty(SCHEMA.clone()));
    }
    let reader = ReaderBuilder::new(SCHEMA.clone()).with_strict_mode(true).with_batch_size(rows.len());
    let mut decoder = reader.build_decoder()?;
    decoder.serialize(&rows)?;
    decoder.flush()?.ok_or_else(|| ArrowError::ComputeError("rows were lost".to_owned()))
}

fn rows<'a>((url, answer): &'a Answer, bots: &'a [String]) -> Vec<PageJson<'a>> {
    match answer {
        Ok(pages) => pages.iter().map(PageJson::page).collect(),
        Err(error) => bots.iter().map(|bot| PageJson::failed(url, bot, error)).collect(),
    }
}
