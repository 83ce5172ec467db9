//! Converts the program's JSON to nested Arrow columns, with the names of the JSON's keys. A row
//! whose keys differ from the schema is an error, so JSON and schema cannot diverge.

use std::sync::{Arc, LazyLock};

use arrow_array::builder::StringBuilder;
use arrow_array::{RecordBatch, StringArray, UInt64Array};
use arrow_json::ReaderBuilder;
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};
use arrow_select::take::take;
use heedful::Page;
use heedful_json::PageJson;

/// The URL of a row, and the result of filtering the row: one page for each bot, or the row's
/// error.
pub type PagesOfUrl = (String, heedful::Result<Vec<Page>>);

/// Optional columns of the rows of filtered pages.
#[derive(Clone, Copy)]
pub struct Columns {
    /// True if the column `blocks` has values. The column exists in any case.
    pub blocks: bool,
    /// True if the rows have a last column `text` with the page's text and its line breaks.
    pub text: bool,
}

impl Columns {
    /// Returns the schema of batches with these columns.
    pub fn schema(self) -> SchemaRef {
        if !self.text {
            return SCHEMA.clone();
        }
        let mut fields = SCHEMA.fields().to_vec();
        fields.push(Arc::new(Field::new("text", DataType::Utf8, true)));
        Arc::new(Schema::new(fields))
    }
}

/// Arrow schema of all batches of filtered pages. It lacks the columns that callers add.
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
    let block = [
        ("kind", DataType::Utf8),
        ("level", DataType::Int64),
        ("row", DataType::Int64),
        ("landmark", DataType::Utf8),
        ("line", DataType::Int64),
        ("column", DataType::Int64),
        ("phrases", list(DataType::Utf8)),
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
        ("blocks", list(object(block))),
    ])))
});

/// Creates nullable Arrow fields from pairs of name and type.
pub fn fields(columns: impl IntoIterator<Item = (&'static str, DataType)>) -> Fields {
    columns
        .into_iter()
        .map(|(name, kind)| Field::new(name, kind, true))
        .collect()
}

/// Creates the Arrow type of a nested object. Its fields have these names and types.
pub fn object(columns: impl IntoIterator<Item = (&'static str, DataType)>) -> DataType {
    DataType::Struct(fields(columns))
}

/// Creates the Arrow type of a list with elements of this type.
pub fn list(element: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("item", element, true)))
}

/// Converts filtered pages to a batch, with a row for each page and bot. An error also has a row
/// for each bot. `bots` has the names of the bots.
pub fn batch(
    answers: &[PagesOfUrl],
    bots: &[String],
    columns: Columns,
) -> Result<RecordBatch, ArrowError> {
    let mut rows = Vec::new();
    for (url, answer) in answers {
        match answer {
            Ok(pages) => rows.extend(
                pages
                    .iter()
                    .map(|page| PageJson::asked(page, columns.blocks)),
            ),
            Err(error) => rows.extend(bots.iter().map(|bot| PageJson::failed(url, bot, error))),
        }
    }
    if rows.is_empty() {
        return Ok(RecordBatch::new_empty(columns.schema()));
    }
    let reader = ReaderBuilder::new(SCHEMA.clone())
        .with_strict_mode(true)
        .with_batch_size(rows.len());
    let mut decoder = reader.build_decoder()?;
    decoder.serialize(&rows)?;
    let rows = decoder
        .flush()?
        .ok_or_else(|| ArrowError::ComputeError("rows were lost".to_owned()))?;
    if !columns.text {
        return Ok(rows);
    }
    let mut values = rows.columns().to_vec();
    values.push(Arc::new(texts(answers, bots.len())));
    RecordBatch::try_new(columns.schema(), values)
}

/// Creates the column with the text of each page. The column is null in a row with an error.
fn texts(answers: &[PagesOfUrl], bots: usize) -> StringArray {
    let mut texts = StringBuilder::new();
    for (_, answer) in answers {
        match answer {
            Ok(pages) => {
                for page in pages {
                    texts.append_value(page.text());
                }
            }
            Err(_) => {
                for _ in 0..bots {
                    texts.append_null();
                }
            }
        }
    }
    texts.finish()
}

/// Copies the columns with the names `names` from the batch `table` to `rows`. `rows` was made from
/// `table`, and has `bots` rows for each row of `table`.
pub fn add_columns(
    rows: RecordBatch,
    table: &RecordBatch,
    names: &[String],
    bots: usize,
) -> Result<RecordBatch, ArrowError> {
    if names.is_empty() {
        return Ok(rows);
    }
    let mut fields = rows.schema().fields().to_vec();
    let mut columns = rows.columns().to_vec();
    let table_rows: UInt64Array = (0..table.num_rows() as u64)
        .flat_map(|row| std::iter::repeat_n(row, bots))
        .collect();
    for name in names {
        let at = find_column(&fields, &table.schema(), name)
            .map_err(|why| ArrowError::SchemaError(format!("keep: {why}")))?;
        fields.push(table.schema().fields()[at].clone());
        columns.push(if bots == 1 {
            table.column(at).clone()
        } else {
            take(table.column(at), &table_rows, None)?
        });
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

/// Returns the position of the column `name` in the schema of a table. Fails if the column is
/// missing or repeated. Also fails if a column in `present` or in [`SCHEMA`] has the same name.
fn find_column(present: &[Arc<Field>], table: &Schema, name: &str) -> Result<usize, String> {
    let mut found = Vec::new();
    let mut names = Vec::new();
    for (at, field) in table.fields().iter().enumerate() {
        if field.name() == name {
            found.push(at);
        }
        names.push(field.name().as_str());
    }
    if found.is_empty() {
        return Err(format!(
            "there is no column `{name}`, but {}",
            names.join(", ")
        ));
    }
    if has_field(SCHEMA.fields(), name) {
        return Err(format!(
            "the result has a column `{name}` of its own: rename it"
        ));
    }
    if has_field(present, name) {
        return Err(format!("`{name}` is named twice"));
    }
    match found[..] {
        [at] => Ok(at),
        _ => Err(format!("the column `{name}` is there twice")),
    }
}

/// True if one of the fields has this name, in upper or lower case. Many readers of tables reject
/// names that differ only in case.
fn has_field(fields: &[Arc<Field>], name: &str) -> bool {
    fields
        .iter()
        .any(|field| field.name().eq_ignore_ascii_case(name))
}
