//! What each record may be used for, as the program's `heedful mask`: of whole inputs, and of rows.
//!
//! The answers are the program's JSON as Arrow columns: the same keys, nested, of the uses that are
//! asked about. A directive that is null decided nothing. An answer whose keys differ from the
//! schema is an error, so that the two cannot drift apart.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_json::ReaderBuilder;
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use heedful::Uses;
use heedful_input::Inputs;
use heedful_run::mask::{MaskAnswer, MaskQuestions};
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;

use crate::columns::{fields, list, object as group};
use crate::error::{of_batch, raised};
use crate::filter::{PyFilter, gated};
use crate::given::{OneOrMore, argument, object, optional};
use crate::progress;
use crate::reader::{Batches, RowStream, rows_of};
use crate::rows::TABLE;
use crate::whole::{InputRun, OpenedInputs, Permissions};

/// The uses that are asked about, unless somebody says otherwise.
const USES: &str = "index,archive,input,train";

/// The question, and the columns of its answers.
struct MaskRow {
    uses: Uses,
    parts: bool,
    digest: bool,
}

impl MaskRow {
    fn of(
        uses: Permissions<'_, '_>,
        parts: Permissions<'_, '_>,
        digest: Permissions<'_, '_>,
    ) -> PyResult<Self> {
        let uses: Option<OneOrMore> = optional("use", uses)?;
        let uses = uses.map_or_else(|| USES.to_owned(), |uses| uses.0.join(","));
        Ok(Self {
            uses: Uses::parse_names(&uses).map_err(|error| raised(&error))?,
            parts: optional("parts", parts)?.unwrap_or_default(),
            digest: optional("digest", digest)?.unwrap_or(true),
        })
    }

    fn asking(&self, filter: &heedful::Filter) -> MaskQuestions {
        let asking = MaskQuestions::new(self.uses, filter);
        let asking = if self.parts { asking.parts() } else { asking };
        if self.digest {
            asking
        } else {
            asking.without_digests()
        }
    }

    fn schema(&self) -> SchemaRef {
        let directive = [
            ("line", DataType::Int64),
            ("column", DataType::Int64),
            ("convention", DataType::Utf8),
            ("directive", DataType::Utf8),
            ("origin", DataType::Utf8),
        ];
        let each = |of: DataType| group(self.uses.iter().map(|usage| (usage.name(), of.clone())));
        let allow = each(DataType::Boolean);
        let bot = [
            ("bot", DataType::Utf8),
            ("allow", allow.clone()),
            ("why", each(group(directive))),
            ("parts", list(DataType::Utf8)),
        ];
        Arc::new(Schema::new(fields([
            ("file", DataType::Utf8),
            ("unit", DataType::Utf8),
            ("at", DataType::Int64),
            ("record", DataType::Utf8),
            ("url", DataType::Utf8),
            ("date", DataType::Utf8),
            ("kind", DataType::Utf8),
            ("reason", DataType::Utf8),
            ("digest", DataType::Utf8),
            ("law", DataType::Int64),
            ("allow", allow),
            ("bots", list(group(bot))),
        ])))
    }
}

/// A row for each answer.
fn batch(answers: &[MaskAnswer], schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    if answers.is_empty() {
        return Ok(RecordBatch::new_empty(Arc::clone(schema)));
    }
    let reader = ReaderBuilder::new(Arc::clone(schema))
        .with_strict_mode(true)
        .with_batch_size(answers.len());
    let mut decoder = reader.build_decoder()?;
    decoder.serialize(answers)?;
    decoder
        .flush()?
        .ok_or_else(|| ArrowError::ComputeError("answers were lost".to_owned()))
}

/// The answers for all records of whole inputs.
#[pyfunction]
#[pyo3(signature = (inputs, filter, *, r#use = None, parts = None, digest = None, url = None, headers = None, robots = None,
    robots_from = None, require_robots = None, jobs = None, rows = None, progress = None),
    text_signature = "(inputs, filter, *, use='index,archive,input,train', parts=False, digest=True, url=None, headers=None, \
robots=None, robots_from=None, require_robots=False, jobs=1, rows=256, progress=False)")]
pub fn mask<'py>(
    py: Python<'py>,
    inputs: &Bound<'py, PyAny>,
    filter: &Bound<'py, PyAny>,
    r#use: Option<&Bound<'py, PyAny>>,
    parts: Option<&Bound<'py, PyAny>>,
    digest: Option<&Bound<'py, PyAny>>,
    url: Option<&Bound<'py, PyAny>>,
    headers: Option<&Bound<'py, PyAny>>,
    robots: Option<&Bound<'py, PyAny>>,
    robots_from: Option<&Bound<'py, PyAny>>,
    require_robots: Option<&Bound<'py, PyAny>>,
    jobs: Option<&Bound<'py, PyAny>>,
    rows: Option<&Bound<'py, PyAny>>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let filter = object::<PyFilter>("filter", filter)?.get();
    let whole = InputRun::of(
        inputs,
        (url, headers),
        (robots, robots_from, require_robots),
        jobs,
    )?;
    let question = MaskRow::of(r#use, parts, digest)?;
    let rows = rows_of(rows)?;
    let progress = progress.map(progress::told).transpose()?.flatten();
    let opened = py
        .detach(|| whole.open(Inputs::default().each_record(), &filter.filter()))
        .map_err(|error| raised(&error))?;
    let (schema, now) = (question.schema(), filter.now());
    let stream = RowStream {
        schema: Arc::clone(&schema),
        opened: Arc::new(opened),
        progress,
    };
    stream.begun(py, move |opened, batches| {
        let OpenedInputs { filter, .. } = opened;
        let (asking, mut waiting) = (
            question.asking(filter),
            Waiting {
                answers: Vec::new(),
                rows,
                schema,
                batches,
            },
        );
        whole
            .run(opened)
            .limits(filter.limits_set())
            .now(now)
            .each(
                |document, at_the_gate| asking.page(document, &at_the_gate, filter),
                |outcome, _| waiting.add(asking.answer(outcome)),
            )?;
        waiting.send()
    })
}

/// Answers until they fill a batch.
struct Waiting<'a> {
    answers: Vec<MaskAnswer>,
    rows: usize,
    schema: SchemaRef,
    batches: &'a Batches,
}

impl Waiting<'_> {
    fn add(&mut self, answer: MaskAnswer) -> heedful::Result<()> {
        self.answers.push(answer);
        if self.answers.len() < self.rows {
            Ok(())
        } else {
            self.send()
        }
    }

    fn send(&mut self) -> heedful::Result<()> {
        let answers = std::mem::take(&mut self.answers);
        if answers.is_empty() {
            Ok(())
        } else {
            self.batches.send(batch(&answers, &self.schema))
        }
    }
}

/// An answer for each row of a batch, in their order.
#[pyfunction]
#[pyo3(name = "mask_batch", signature = (batch, filter, *, r#use = None, parts = None, digest = None, robots = None),
    text_signature = "(batch, filter, *, use='index,archive,input,train', parts=False, digest=True, robots=None)")]
pub fn of_rows<'py>(
    py: Python<'py>,
    batch: &Bound<'py, PyAny>,
    filter: &Bound<'py, PyAny>,
    r#use: Option<&Bound<'py, PyAny>>,
    parts: Option<&Bound<'py, PyAny>>,
    digest: Option<&Bound<'py, PyAny>>,
    robots: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let rows: RecordBatch = argument("batch", batch)?;
    let filter = object::<PyFilter>("filter", filter)?.get().filter();
    let robots: Option<RecordBatch> = optional("robots", robots)?;
    let question = MaskRow::of(r#use, parts, digest)?;
    let answered = py.detach(|| {
        self::batch(
            &answers(&rows, robots.as_ref(), &filter, &question)?,
            &question.schema(),
        )
    });
    PyRecordBatch::new(answered.map_err(of_batch)?).into_pyarrow(py)
}

fn answers(
    batch: &RecordBatch,
    more: Option<&RecordBatch>,
    filter: &heedful::Filter,
    question: &MaskRow,
) -> Result<Vec<MaskAnswer>, ArrowError> {
    let (rows, gate) = gated(batch, more)?;
    let asking = question.asking(filter);
    let answer = |(at, (url, record)): (u64, (Option<String>, Result<Option<_>, &str>))| {
        let answer = match record {
            Ok(Some(item)) => asking.one(item, filter, &gate),
            Ok(None) => asking.unknown("no record"),
            Err(column) => asking.unknown(format!("`{column}` cannot be read")),
        };
        // A place that damage does not tell is that of the row.
        MaskAnswer {
            file: TABLE.to_owned(),
            unit: Some("row".to_owned()),
            at: Some(at),
            url,
            ..answer
        }
    };
    Ok((1..).zip(rows.records()).map(answer).collect())
}
