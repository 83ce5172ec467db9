//! Whole inputs as a stream of Arrow batches: the rows of `heedful filter`, in its order.
//!
//! A thread of its own reads, as in the program. Batches wait until they are asked for, so memory
//! does not grow. If the thread ends early, the stream ends with an error, never silently.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::SystemTime;

use arrow_array::builder::{BinaryBuilder, Int32Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator};
use arrow_schema::{ArrowError, SchemaRef};
use crossbeam_channel::{Sender, bounded};
use heedful::{ErrorKind, ProfileNames};
use heedful_index::Search;
use heedful_input::{Inputs, authority};
use heedful_run as run;
use heedful_run::Outcome;
use pyo3::prelude::*;
use pyo3_arrow::{PyRecordBatch, PyRecordBatchReader};

use crate::columns;
use crate::error::{of_batch, raised, setting};
use crate::filter::PyFilter;
use crate::given::{Paths, argument, object, optional};
use crate::progress;
use crate::rows::RowBatch;
use crate::whole::{InputRun, OpenedInputs, Permissions};
use crate::writer::{PyWriter, WriterState};

/// A batch with more bytes of HTML behind it is full.
const BATCH_BYTES: usize = 32 << 20;

/// A batch of so many rows is full, unless somebody says otherwise.
const ROWS: usize = 256;

/// The rows of all inputs.
#[pyfunction]
#[pyo3(signature = (inputs, filter, *, url = None, headers = None, robots = None, robots_from = None, require_robots = None,
    writer = None, jobs = None, rows = None, progress = None), text_signature = "(inputs, filter, *, url=None, headers=None, robots=None, \
robots_from=None, require_robots=False, writer=None, jobs=1, rows=256, progress=False)")]
pub fn read<'py>(
    py: Python<'py>,
    inputs: &Bound<'py, PyAny>,
    filter: &Bound<'py, PyAny>,
    url: Option<&Bound<'py, PyAny>>,
    headers: Option<&Bound<'py, PyAny>>,
    robots: Option<&Bound<'py, PyAny>>,
    robots_from: Option<&Bound<'py, PyAny>>,
    require_robots: Option<&Bound<'py, PyAny>>,
    writer: Option<&Bound<'py, PyAny>>,
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
    let writer = writer
        .map(|writer| object::<PyWriter>("writer", writer))
        .transpose()?;
    let rows = rows_of(rows)?;
    let progress = progress.map(progress::told).transpose()?.flatten();
    let indexing = writer
        .map(|writer| Indexing::of(writer.get(), filter))
        .transpose()?;
    let known = writer
        .map(|writer| writer.get().search())
        .transpose()
        .map_err(|error| raised(&error))?;
    let open = || {
        let opened = whole.open(Inputs::default(), &filter.filter())?;
        let gate = match known {
            Some(known) => opened.gate.remembering(known),
            None => opened.gate,
        };
        Ok(OpenedInputs { gate, ..opened })
    };
    let opened = py.detach(open).map_err(|error| raised(&error))?;
    let reading = InputReader {
        bots: filter.bots().to_vec(),
        now: filter.now(),
        indexing,
        rows,
    };
    let of = RowStream {
        schema: columns::SCHEMA.clone(),
        opened: Arc::new(opened),
        progress,
    };
    of.begun(py, move |opened, batches| {
        reading.run(&whole, opened, batches)
    })
}

/// The number of rows that fill a batch.
pub fn rows_of(rows: Permissions<'_, '_>) -> PyResult<usize> {
    Ok(optional("rows", rows)?.unwrap_or(ROWS).max(1))
}

type Answered = Result<RecordBatch, ArrowError>;

/// Batches on their way to Python.
pub struct RowStream<'py> {
    pub schema: SchemaRef,
    pub opened: Arc<OpenedInputs>,
    pub progress: Option<Bound<'py, PyAny>>,
}

impl<'py> RowStream<'py> {
    /// Reads on a thread of its own.
    pub fn begun(
        self,
        py: Python<'py>,
        work: impl FnOnce(&OpenedInputs, &Batches) -> heedful::Result<()> + Send + 'static,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (batches_in, batches_out) = bounded(1);
        let opened = Arc::clone(&self.opened);
        thread::spawn(move || {
            let batches = Batches(batches_in);
            let failure = match catch_unwind(AssertUnwindSafe(|| work(&opened, &batches))) {
                Ok(Ok(())) => return,
                Ok(Err(error)) => error.to_string(),
                Err(_) => "reading found a bug".to_owned(),
            };
            // Nobody listens where nobody asks for more.
            let _ = batches
                .0
                .send(Err(ArrowError::ExternalError(failure.into())));
        });
        let batches =
            PyRecordBatchReader::new(Box::new(RecordBatchIterator::new(batches_out, self.schema)));
        let batches = batches.into_pyarrow(py)?;
        match self.progress {
            Some(progress) => progress::watched(&batches, self.opened, progress),
            None => Ok(batches),
        }
    }
}

/// Where batches go.
pub struct Batches(Sender<Answered>);

impl Batches {
    pub fn send(&self, batch: Answered) -> heedful::Result<()> {
        self.0
            .send(Ok(batch.map_err(internal)?))
            .map_err(|_| internal("nobody asks for more"))
    }
}

/// An index that a reading goes into.
struct Indexing {
    writer: WriterState,
    /// The index before the first page.
    before: Search,
}

impl Indexing {
    fn of(writer: &PyWriter, filter: &PyFilter) -> PyResult<Self> {
        Ok(Self {
            writer: writer.shared(filter)?,
            before: writer.search().map_err(|error| raised(&error))?,
        })
    }
}

struct InputReader {
    bots: Vec<String>,
    now: SystemTime,
    indexing: Option<Indexing>,
    rows: usize,
}

impl InputReader {
    fn run(
        self,
        whole: &InputRun,
        opened: &OpenedInputs,
        batches: &Batches,
    ) -> heedful::Result<()> {
        let Self {
            bots,
            now,
            indexing,
            rows,
        } = self;
        let (mut waiting, mut bytes) = (Vec::new(), 0);
        whole
            .run(opened)
            .now(now)
            .filter(&opened.filter, |outcome, _| {
                if let Some(Indexing { writer, .. }) = &indexing {
                    writer.settle(&outcome)?;
                }
                if let Outcome::Pages(filtered) = &outcome {
                    bytes += filtered.bytes;
                }
                waiting.extend(outcome.answer());
                if waiting.len() >= rows || bytes >= BATCH_BYTES {
                    batches.send(columns::batch(&std::mem::take(&mut waiting), &bots))?;
                    bytes = 0;
                }
                Ok(())
            })?;
        if let Some(Indexing { writer, before }) = &indexing {
            writer.withdraw(&opened.gate, &opened.filter, before, whole.jobs())?;
        }
        if waiting.is_empty() {
            Ok(())
        } else {
            batches.send(columns::batch(&waiting, &bots))
        }
    }
}

fn internal(message: impl std::fmt::Display) -> heedful::Error {
    ErrorKind::Internal(message.to_string()).into()
}

/// The maximum number of names in a Names page. A page with more counts as unreadable.
const MOST_NAMES: usize = 1000;

/// The contents of archives that pages in others need. A row for a site has `site`, `robots` (a
/// WARC record; null for a site that has pages) and `leads_to`. A row for a Names page has `page`
/// and `names` (METAs; null if the page cannot be read).
#[pyfunction]
pub fn survey<'py>(
    py: Python<'py>,
    inputs: &Bound<'py, PyAny>,
    filter: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (inputs, filter): (Paths, _) = (
        argument("inputs", inputs)?,
        object::<PyFilter>("filter", filter)?.get(),
    );
    let found = py.detach(|| -> heedful::Result<Vec<_>> {
        let inputs = Inputs::default()
            .limits(filter.filter().limits_set().clone())
            .open(&inputs.0)?;
        inputs
            .iter()
            .map(|input| run::survey_archive(input, &filter.filter()))
            .collect()
    });
    let mut columns: [StringBuilder; 4] = Default::default();
    let [site, leads_to, page, metas] = &mut columns;
    let mut robots = BinaryBuilder::new();
    for (sites, names) in found.map_err(|error| raised(&error))? {
        for found in sites {
            site.append_value(found.authority);
            robots.append_option(found.robots);
            leads_to.append_option(found.leads_to);
            page.append_null();
            metas.append_null();
        }
        for (url, names) in names {
            site.append_null();
            robots.append_null();
            leads_to.append_null();
            page.append_value(url);
            metas.append_option(names.and_then(written));
        }
    }
    let [site, leads_to, page, metas] =
        columns.map(|mut column| Arc::new(column.finish()) as ArrayRef);
    let robots: ArrayRef = Arc::new(robots.finish());
    let columns = [
        ("site", site),
        ("robots", robots),
        ("leads_to", leads_to),
        ("page", page),
        ("names", metas),
    ];
    let columns = columns.map(|(name, column)| (name, column, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).map_err(setting)?;
    PyRecordBatch::new(batch).into_pyarrow(py)
}

/// The contents of rows that pages in other batches need: their robots.txt files, as rows again
/// (`url` `html` `status` `headers` `date`), with `site` and `leads_to`.
#[pyfunction]
pub fn survey_batch<'py>(
    py: Python<'py>,
    batch: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let rows = RowBatch::of(&argument("batch", batch)?).map_err(of_batch)?;
    let mut columns: [StringBuilder; 5] = Default::default();
    let [site, leads_to, url, headers, date] = &mut columns;
    let (mut html, mut status) = (BinaryBuilder::new(), Int32Builder::new());
    for (row, robots) in rows.robots() {
        site.append_value(robots.authority());
        leads_to.append_option(leads(robots));
        headers.append_value(serde_json::to_string(&row.headers).map_err(setting)?);
        html.append_option(row.html.map(String::into_bytes).or(row.bytes));
        status.append_option(row.status.map(i32::from));
        url.append_option(row.url);
        date.append_option(row.date);
    }
    let [site, leads_to, url, headers, date] =
        columns.map(|mut column| Arc::new(column.finish()) as ArrayRef);
    let (html, status) = (
        Arc::new(html.finish()) as ArrayRef,
        Arc::new(status.finish()) as ArrayRef,
    );
    let columns = [
        ("site", site),
        ("leads_to", leads_to),
        ("url", url),
        ("html", html),
        ("status", status),
        ("headers", headers),
        ("date", date),
    ];
    let columns = columns.map(|(name, column)| (name, column, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).map_err(setting)?;
    PyRecordBatch::new(batch).into_pyarrow(py)
}

/// The site whose robots.txt this one redirects to.
fn leads(robots: heedful_input::Robots) -> Option<String> {
    match robots.into_answer() {
        heedful_input::RobotsAnswer::Redirect(target) => {
            target.parse().ok().map(|url| authority(&url))
        }
        _ => None,
    }
}

/// The site of a URL, to which robots.txt files apply.
#[pyfunction]
#[pyo3(name = "_site")]
pub fn site(url: Option<&str>) -> Option<String> {
    url?.parse().ok().map(|url| authority(&url))
}

/// The sites that a batch has pages of, each once.
#[pyfunction]
#[pyo3(name = "_sites")]
pub fn sites(batch: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let rows = RowBatch::of(&argument("batch", batch)?).map_err(of_batch)?;
    let mut met = HashSet::new();
    let found = rows
        .urls()
        .filter_map(|url| url.parse().ok().map(|url| authority(&url)));
    Ok(found.filter(|site| met.insert(site.clone())).collect())
}

/// A phrase as the words that our index has of it.
#[pyfunction]
pub fn words(text: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let text: String = argument("text", text)?;
    Ok(heedful::words(&text)
        .filter_map(|word| word.folded())
        .map(std::borrow::Cow::into_owned)
        .collect())
}

/// Names as METAs that say the same.
fn written(names: ProfileNames) -> Option<String> {
    let names: Vec<(u32, String)> = names.into_iter().collect();
    let meta = |(number, name): &(u32, String)| {
        let name = name
            .replace('&', "&amp;")
            .replace('"', "&quot;")
            .replace('\r', "&#13;");
        format!("<meta name=RobotExclusion.RobotName{number} content=\"{name}\">\n")
    };
    (names.len() <= MOST_NAMES).then(|| names.iter().map(meta).collect())
}
