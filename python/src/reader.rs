//! Filters whole inputs, and returns a stream of Arrow batches. The rows of the batches are the
//! lines of `heedful filter`, in the same order.
//!
//! A separate thread reads the inputs. It is at most a few batches ahead of the requested batches,
//! so memory does not grow with the number of batches. If this thread ends early, the stream ends
//! with an error, never silently.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::SystemTime;

use arrow_array::builder::{BinaryBuilder, Int32Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator};
use arrow_schema::{ArrowError, SchemaRef};
use crossbeam_channel::{Receiver, Sender, bounded};
use heedful::{ErrorKind, ProfileNames};
use heedful_index::Search;
use heedful_input::{Inputs, authority};
use heedful_run as run;
use heedful_run::Outcome;
use pyo3::prelude::*;
use pyo3_arrow::{PyRecordBatch, PyRecordBatchReader};

use crate::columns::{self, Columns};
use crate::error::{batch_error, py_error, setting_error};
use crate::filter::PyFilter;
use crate::given::{Paths, argument, object, optional};
use crate::process::OfProcess;
use crate::progress;
use crate::rows::RowBatch;
use crate::whole::{Argument, InputArguments, InputRun, OpenedInputs};
use crate::writer::{PyWriter, WriterState};

/// Number of bytes of HTML in a full batch. A batch with so much HTML is full even if it has few
/// rows.
const BATCH_BYTES: usize = 32 << 20;

/// Default of the argument `rows`: the number of rows in a full batch.
const ROWS: usize = 256;

/// Filters the pages of whole inputs. Returns a stream of batches, with a row for each page and
/// bot.
#[pyfunction]
#[pyo3(signature = (inputs, filter, *, url = None, headers = None, robots = None, robots_from = None, require_robots = None,
    writer = None, jobs = None, rows = None, progress = None, text = None), text_signature = "(inputs, filter, *, url=None, headers=None, \
robots=None, robots_from=None, require_robots=False, writer=None, jobs=1, rows=256, progress=False, text=False)")]
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
    text: Option<&Bound<'py, PyAny>>,
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
    let writer = match writer {
        Some(writer) => Some(object::<PyWriter>("writer", writer)?.get()),
        None => None,
    };
    let rows = row_count(rows)?;
    let progress = progress::callback(progress)?;
    let columns = Columns {
        text: optional("text", text)?.unwrap_or_default(),
        ..filter.columns()
    };
    let mut indexing = None;
    let mut known = None;
    if let Some(writer) = writer {
        indexing = Some(Indexing::new(writer, filter)?);
        known = Some(writer.search().map_err(py_error)?);
    }
    let open = || {
        let opened = whole.open(Inputs::default(), &filter.filter())?;
        let gate = match known {
            Some(known) => opened.gate.with_earlier_responses(known),
            None => opened.gate,
        };
        Ok(OpenedInputs { gate, ..opened })
    };
    let opened = py.detach(open).map_err(py_error)?;
    let reading = InputReader {
        bots: filter.bots().to_vec(),
        now: filter.now(),
        indexing,
        rows,
        columns,
    };
    let stream = RowStream {
        schema: columns.schema(),
        opened: Arc::new(opened),
        progress,
    };
    stream.start(py, move |opened, batches| {
        reading.run(&whole, opened, batches)
    })
}

/// Parses the argument `rows`: the number of rows in a full batch.
pub fn row_count(rows: Argument<'_, '_>) -> PyResult<usize> {
    Ok(optional("rows", rows)?.unwrap_or(ROWS).max(1))
}

type BatchResult = Result<RecordBatch, ArrowError>;

/// Settings of a stream of batches for Python, whose thread is not started yet.
pub struct RowStream<'py> {
    pub schema: SchemaRef,
    pub opened: Arc<OpenedInputs>,
    pub progress: Option<Bound<'py, PyAny>>,
}

impl<'py> RowStream<'py> {
    /// Starts `work` on a new thread, and returns a reader of the batches that `work` sends.
    pub fn start(
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
            // Sending fails only if the reader was dropped.
            let _ = batches
                .0
                .send(Err(ArrowError::ExternalError(failure.into())));
        });
        let received = ReceivedBatches(OfProcess::new("a stream of batches", batches_out));
        let batches =
            PyRecordBatchReader::new(Box::new(RecordBatchIterator::new(received, self.schema)));
        let batches = batches.into_pyarrow(py)?;
        match self.progress {
            Some(callback) => progress::report_progress(&batches, self.opened, callback),
            None => Ok(batches),
        }
    }
}

/// The receiving end of a stream of batches. Only the process with the sending thread can use it.
struct ReceivedBatches(OfProcess<Receiver<BatchResult>>);

impl Iterator for ReceivedBatches {
    type Item = BatchResult;

    fn next(&mut self) -> Option<Self::Item> {
        match self.0.get() {
            Ok(batches) => batches.recv().ok(),
            Err(error) => Some(Err(ArrowError::ExternalError(error.into()))),
        }
    }
}

/// The sending end of a stream of batches. A thread sends the batches to the reader through it.
pub struct Batches(Sender<BatchResult>);

impl Batches {
    /// Sends a batch to the stream's reader. Waits until the stream has room for the batch. Fails
    /// if the reader was dropped.
    pub fn send(&self, batch: BatchResult) -> heedful::Result<()> {
        let batch = batch.map_err(internal_error)?;
        match self.0.send(Ok(batch)) {
            Ok(()) => Ok(()),
            Err(_) => Err(internal_error("nobody asks for more")),
        }
    }
}

/// The index to which the filtering thread of a stream adds pages.
struct Indexing {
    writer: WriterState,
    /// View of the index before the run added its first page.
    before: Search,
}

impl Indexing {
    fn new(writer: &PyWriter, filter: &PyFilter) -> PyResult<Self> {
        Ok(Self {
            writer: writer.handle(filter)?,
            before: writer.search().map_err(py_error)?,
        })
    }
}

/// Settings of the thread that filters whole inputs for a stream.
struct InputReader {
    bots: Vec<String>,
    now: SystemTime,
    indexing: Option<Indexing>,
    rows: usize,
    columns: Columns,
}

impl InputReader {
    /// Filters the inputs, and sends the resulting pages in batches. If there is an index, also
    /// adds the pages to the index.
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
            columns,
        } = self;
        let mut waiting = Vec::new();
        let mut bytes = 0;
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
                    let answers = std::mem::take(&mut waiting);
                    batches.send(columns::batch(&answers, &bots, columns))?;
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
            batches.send(columns::batch(&waiting, &bots, columns))
        }
    }
}

fn internal_error(message: impl std::fmt::Display) -> heedful::Error {
    ErrorKind::Internal(message.to_string()).into()
}

/// Maximum number of names that [`survey`] returns for one Names page, a page that maps names of
/// bots to numbers. A page with more names is treated like a page that cannot be parsed.
const MOST_NAMES: usize = 1000;

/// Returns the robots.txt files and the Names pages in archives. A Names page maps the names of
/// bots to numbers. These files and pages also affect pages in other archives. A row is about a
/// site or about a Names page.
///
/// A row about a site has values in these columns:
///
/// - `site`: the site.
/// - `robots`: a WARC record with a robots.txt. It is null if the row only states that the site has
///   pages.
/// - `leads_to`: the site to which the robots.txt redirects. It is null if there is no redirect.
///
/// A row about a Names page has values in these columns:
///
/// - `page`: the URL of the page.
/// - `names`: the names as META elements. It is null if the page cannot be parsed, or has too many
///   names.
#[pyfunction]
pub fn survey<'py>(
    py: Python<'py>,
    inputs: &Bound<'py, PyAny>,
    filter: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let inputs: Paths = argument("inputs", inputs)?;
    let filter = object::<PyFilter>("filter", filter)?.get();
    let found = py.detach(|| -> heedful::Result<Vec<_>> {
        let inputs = Inputs::default()
            .limits(filter.filter().get_limits().clone())
            .open(&inputs.0)?;
        let mut found = Vec::new();
        for input in &inputs {
            found.push(run::survey_archive(input, &filter.filter())?);
        }
        Ok(found)
    });
    let mut columns: [StringBuilder; 4] = Default::default();
    let [site, leads_to, page, metas] = &mut columns;
    let mut robots = BinaryBuilder::new();
    for (sites, names) in found.map_err(py_error)? {
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
            metas.append_option(names.and_then(names_as_metas));
        }
    }
    let [site, leads_to, page, metas] = columns.map(finish_texts);
    let robots: ArrayRef = Arc::new(robots.finish());
    let columns = [
        ("site", site),
        ("robots", robots),
        ("leads_to", leads_to),
        ("page", page),
        ("names", metas),
    ];
    nullable_batch(py, columns)
}

/// Returns the robots.txt files in a batch, one per row. These files also affect pages in other
/// batches. The columns are `url`, `html`, `status`, `headers`, `date`, `site` and `leads_to`. If a
/// robots.txt redirects to another site, `leads_to` has that site. Otherwise it is null.
#[pyfunction]
pub fn survey_batch<'py>(
    py: Python<'py>,
    batch: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let rows = RowBatch::new(&argument("batch", batch)?).map_err(batch_error)?;
    let mut columns: [StringBuilder; 5] = Default::default();
    let [site, leads_to, url, headers, date] = &mut columns;
    let mut html = BinaryBuilder::new();
    let mut status = Int32Builder::new();
    for (row, robots) in rows.robots() {
        site.append_value(robots.authority());
        leads_to.append_option(redirect_site(robots));
        headers.append_value(serde_json::to_string(&row.headers).map_err(setting_error)?);
        html.append_option(row.html.map(String::into_bytes).or(row.bytes));
        status.append_option(row.status.map(i32::from));
        url.append_option(row.url);
        date.append_option(row.date);
    }
    let [site, leads_to, url, headers, date] = columns.map(finish_texts);
    let html: ArrayRef = Arc::new(html.finish());
    let status: ArrayRef = Arc::new(status.finish());
    let columns = [
        ("site", site),
        ("leads_to", leads_to),
        ("url", url),
        ("html", html),
        ("status", status),
        ("headers", headers),
        ("date", date),
    ];
    nullable_batch(py, columns)
}

/// Returns the site to which a robots.txt redirects. Returns `None` if the robots.txt is not a
/// redirect.
fn redirect_site(robots: heedful_input::Robots) -> Option<String> {
    match robots.into_response() {
        heedful_input::SiteFileResponse::Redirect(target) => site(Some(&target)),
        _ => None,
    }
}

fn finish_texts(mut column: StringBuilder) -> ArrayRef {
    Arc::new(column.finish())
}

/// Creates a batch of these columns, in which any value may be null.
fn nullable_batch<'py, const N: usize>(
    py: Python<'py>,
    columns: [(&str, ArrayRef); N],
) -> PyResult<Bound<'py, PyAny>> {
    let columns = columns.map(|(name, column)| (name, column, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).map_err(setting_error)?;
    PyRecordBatch::new(batch).into_pyarrow(py)
}

/// Returns the site of a URL: the origin whose pages share one robots.txt.
#[pyfunction]
#[pyo3(name = "_site")]
pub fn site(url: Option<&str>) -> Option<String> {
    let url = url?.parse().ok()?;
    Some(authority(&url))
}

/// Returns the sites of all URLs in a batch. Each site is returned once.
#[pyfunction]
#[pyo3(name = "_sites")]
pub fn sites(batch: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let rows = RowBatch::new(&argument("batch", batch)?).map_err(batch_error)?;
    let mut known = HashSet::new();
    let mut sites = Vec::new();
    for url in rows.urls() {
        if let Some(site) = site(Some(&url))
            && known.insert(site.clone())
        {
            sites.push(site);
        }
    }
    Ok(sites)
}

/// Splits a phrase into words, as heedful's index does.
#[pyfunction]
pub fn words(text: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let text: String = argument("text", text)?;
    Ok(heedful::words(&text)
        .filter_map(|word| word.folded())
        .map(std::borrow::Cow::into_owned)
        .collect())
}

/// Formats the names of bots in a Names page as META elements. A Names page maps the names of bots
/// to numbers. The same names can be read from the META elements. Returns `None` if there are more
/// than [`MOST_NAMES`] names.
fn names_as_metas(names: ProfileNames) -> Option<String> {
    let names: Vec<(u32, String)> = names.into_iter().collect();
    if names.len() > MOST_NAMES {
        return None;
    }
    let mut metas = String::new();
    for (number, name) in names {
        let name = name
            .replace('&', "&amp;")
            .replace('"', "&quot;")
            .replace('\r', "&#13;");
        let meta = format!("<meta name=RobotExclusion.RobotName{number} content=\"{name}\">\n");
        metas.push_str(&meta);
    }
    Some(metas)
}
