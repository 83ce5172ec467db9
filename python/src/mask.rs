//! Masks like those of `heedful mask`, for whole inputs and for batches of rows. A mask lists the
//! allowed uses of each record.
//!
//! The answers of a mask are the contents of the program's JSON as nested Arrow columns, with the
//! names of the JSON's keys. Only requested uses have a key. If no directive decided about a use,
//! its directive is null. An answer whose keys differ from the schema is an error, so JSON and
//! schema cannot diverge.

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
use crate::error::{batch_error, py_error};
use crate::filter::{PyFilter, rows_and_gate};
use crate::given::{OneOrMore, argument, object, optional};
use crate::progress;
use crate::reader::{Batches, RowStream, row_count};
use crate::rows::TABLE;
use crate::whole::{Argument, InputArguments, InputRun, OpenedInputs};

/// Default of the argument `use`: the uses about which a mask has answers.
const USES: &str = "index,archive,input,train";

/// Options of a mask: the uses about which it has answers, and the optional contents of an answer
/// (`parts`, `digest`).
struct MaskOptions {
    uses: Uses,
    parts: bool,
    digest: bool,
}

impl MaskOptions {
    fn new(
        uses: Argument<'_, '_>,
        parts: Argument<'_, '_>,
        digest: Argument<'_, '_>,
    ) -> PyResult<Self> {
        let uses = match optional("use", uses)? {
            Some(OneOrMore(uses)) => uses.join(","),
            None => USES.to_owned(),
        };
        Ok(Self {
            uses: Uses::parse_names(&uses).map_err(py_error)?,
            parts: optional("parts", parts)?.unwrap_or_default(),
            digest: optional("digest", digest)?.unwrap_or(true),
        })
    }

    /// Converts these options to the library's type.
    fn questions(&self, filter: &heedful::Filter) -> MaskQuestions {
        let mut questions = MaskQuestions::new(self.uses, filter);
        if self.parts {
            questions = questions.parts();
        }
        if !self.digest {
            questions = questions.without_digests();
        }
        questions
    }

    /// Returns the Arrow schema of the batches of a mask's answers.
    fn schema(&self) -> SchemaRef {
        let directive = [
            ("line", DataType::Int64),
            ("column", DataType::Int64),
            ("convention", DataType::Utf8),
            ("directive", DataType::Utf8),
            ("origin", DataType::Utf8),
        ];
        let allow = self.by_use(&DataType::Boolean);
        let bot = [
            ("bot", DataType::Utf8),
            ("allow", allow.clone()),
            ("why", self.by_use(&group(directive))),
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
            ("robots", DataType::Utf8),
            ("robots_status", DataType::Int64),
            ("law", DataType::Int64),
            ("allow", allow),
            ("bots", list(group(bot))),
        ])))
    }

    /// Returns the Arrow type of an object with one field for each requested use. Each field of the
    /// object has the type `kind`.
    fn by_use(&self, kind: &DataType) -> DataType {
        group(self.uses.iter().map(|usage| (usage.name(), kind.clone())))
    }
}

/// Converts answers of a mask to a batch, with a row for each answer.
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

/// Computes the mask of whole inputs. Returns a stream of batches with a row for each record.
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
    let whole = InputRun::new(
        inputs,
        InputArguments {
            url,
            headers,
            robots,
            robots_from,
            require_robots,
            jobs,
        },
    )?;
    let options = MaskOptions::new(r#use, parts, digest)?;
    let rows = row_count(rows)?;
    let progress = progress::callback(progress)?;
    let opened = py
        .detach(|| whole.open(Inputs::default().each_record(), &filter.filter()))
        .map_err(py_error)?;
    let schema = options.schema();
    let now = filter.now();
    let stream = RowStream {
        schema: Arc::clone(&schema),
        opened: Arc::new(opened),
        progress,
    };
    stream.start(py, move |opened, batches| {
        let OpenedInputs { filter, .. } = opened;
        let questions = options.questions(filter);
        let mut waiting = AnswerBatch {
            answers: Vec::new(),
            rows,
            schema,
            batches,
        };
        whole
            .run(opened)
            .limits(filter.get_limits())
            .now(now)
            .each(
                |document, at_the_gate| questions.page(document, &at_the_gate, filter),
                |outcome, _| waiting.add(questions.answer(outcome)),
            )?;
        waiting.send()
    })
}

/// Buffer for the answers of a mask. It collects answers until there are enough for a batch.
struct AnswerBatch<'a> {
    answers: Vec<MaskAnswer>,
    rows: usize,
    schema: SchemaRef,
    batches: &'a Batches,
}

impl AnswerBatch<'_> {
    /// Adds an answer to the buffer. If the buffer is then full, sends its answers as a batch.
    fn add(&mut self, answer: MaskAnswer) -> heedful::Result<()> {
        self.answers.push(answer);
        if self.answers.len() < self.rows {
            Ok(())
        } else {
            self.send()
        }
    }

    /// Sends all answers in the buffer as one batch.
    fn send(&mut self) -> heedful::Result<()> {
        let answers = std::mem::take(&mut self.answers);
        if answers.is_empty() {
            Ok(())
        } else {
            self.batches.send(batch(&answers, &self.schema))
        }
    }
}

/// Computes the mask of a batch: for each row, the allowed uses of the row's page. The result has
/// one row per row of the batch, in the same order.
#[pyfunction]
#[pyo3(signature = (batch, filter, *, r#use = None, parts = None, digest = None, robots = None),
    text_signature = "(batch, filter, *, use='index,archive,input,train', parts=False, digest=True, robots=None)")]
pub fn mask_batch<'py>(
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
    let options = MaskOptions::new(r#use, parts, digest)?;
    let result = py.detach(|| {
        self::batch(
            &answers(&rows, robots.as_ref(), &filter, &options)?,
            &options.schema(),
        )
    });
    PyRecordBatch::new(result.map_err(batch_error)?).into_pyarrow(py)
}

/// Returns the mask's answer for each row of `batch`. The robots.txt files in `batch` and in the
/// batch `more` apply to all rows.
fn answers(
    batch: &RecordBatch,
    more: Option<&RecordBatch>,
    filter: &heedful::Filter,
    options: &MaskOptions,
) -> Result<Vec<MaskAnswer>, ArrowError> {
    let (rows, gate) = rows_and_gate(batch, more)?;
    let questions = options.questions(filter);
    let mut answers = Vec::new();
    for (at, (url, record)) in (1..).zip(rows.records()) {
        let answer = match record {
            Ok(Some(item)) => questions.answer_item(item, filter, &gate),
            Ok(None) => questions.unknown("no record"),
            Err(column) => questions.unknown(format!("`{column}` cannot be read")),
        };
        // The position of a damaged record may be unknown, so all answers have the position of
        // their row.
        answers.push(MaskAnswer {
            file: TABLE.to_owned(),
            unit: Some("row".to_owned()),
            at: Some(at),
            url,
            ..answer
        });
    }
    Ok(answers)
}
