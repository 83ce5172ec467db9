//! Whole inputs as a stream of Arrow batches: the rows of `heedful filter`, in its order.
//!
//! A thread of its own reads, as in the program. Batches wait until they are asked for, so memory does not grow. If the
//! thread ends early, the stream ends with an error, never silently.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::SystemTime;

use arrow_array::builder::{BinaryBuilder, Int32Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator};
use arrow_schema::ArrowError;
use crossbeam_channel::{Sender, bounded};
use heedful::input::{Input, Inputs, authority};
use heedful::run::{self, Gate, Outcome, Run};
use heedful::{ErrorKind, Names, RobotsTxt};
use pyo3::prelude::*;
use pyo3_arrow::{PyRecordBatch, PyRecordBatchReader};

use crate::columns::{self, Answer};
use crate::error::{of_batch, raised, setting};
use crate::filter::Filter;
use crate::given::{Contents, Headers, Paths, argument, object, optional};
use crate::progress;
use crate::rows::Rows;
use crate::writer::{Shared, Writer};

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
    let inputs: Paths = argument("inputs", inputs)?;
    let filter = object::<Filter>("filter", filter)?.get();
    let url: Option<String> = optional("url", url)?;
    let headers: Headers = optional("headers", headers)?.unwrap_or_default();
    let robots: Option<Contents> = optional("robots", robots)?;
    let robots_from: Option<Paths> = optional("robots_from", robots_from)?;
    let require_robots = optional("require_robots", require_robots)?.unwrap_or_default();
    let writer = writer.map(|writer| object::<Writer>("writer", writer)).transpose()?;
    let jobs: usize = optional("jobs", jobs)?.unwrap_or(1);
    let rows: usize = optional("rows", rows)?.unwrap_or(ROWS);
    let progress = progress.map(progress::told).transpose()?.flatten();
    let url = url.map(|url| url.parse().map_err(|error| setting(format!("url: {url}: {error}")))).transpose()?;
    let writer = writer.map(|writer| writer.get().shared(filter)).transpose()?;
    let read = || -> heedful::Result<Reading> {
        let opener = Inputs::default().limits(filter.filter().limits_set().clone());
        let inputs = Arc::new(opener.clone().url(url).open(&inputs.0)?);
        let (gate, known) = match robots_from {
            Some(paths) => run::survey(&opener.open(&paths.0)?, filter.filter())?,
            None => run::survey(&inputs, filter.filter())?,
        };
        let gate = shut(gate, robots.as_ref(), require_robots);
        let (bots, now) = (filter.bots().to_vec(), filter.now());
        let (jobs, rows, headers) = (jobs.max(1), rows.max(1), headers.0);
        Ok(Reading { inputs, filter: known, gate, headers, bots, now, writer, jobs, rows })
    };
    let reading = py.detach(read).map_err(|error| raised(&error))?;
    let inputs = reading.inputs.clone();
    let batches = reading.begun().into_pyarrow(py)?;
    progress.map_or(Ok(batches.clone()), |progress| progress::watched(&batches, inputs, progress))
}

/// A gate with what is given for every site.
pub fn shut(gate: Gate, robots: Option<&Contents>, require_robots: bool) -> Gate {
    let gate = if require_robots { gate.required() } else { gate };
    match robots {
        Some(robots) => gate.everywhere(RobotsTxt::parse(robots.bytes())),
        None => gate,
    }
}

struct Reading {
    inputs: Arc<Vec<Input>>,
    filter: heedful::Filter,
    gate: Gate,
    headers: Vec<(String, String)>,
    bots: Vec<String>,
    now: SystemTime,
    writer: Option<Shared>,
    jobs: usize,
    rows: usize,
}

type Answered = Result<RecordBatch, ArrowError>;

impl Reading {
    /// On a thread of its own.
    fn begun(self) -> PyRecordBatchReader {
        let (batches_in, batches_out) = bounded(1);
        thread::spawn(move || {
            let ended = catch_unwind(AssertUnwindSafe(|| self.run(&batches_in)));
            let failure = match ended {
                Ok(Ok(())) => return,
                Ok(Err(error)) => error.to_string(),
                Err(_) => "reading found a bug".to_owned(),
            };
            // Nobody listens where nobody asks for more.
            let _ = batches_in.send(Err(ArrowError::ExternalError(failure.into())));
        });
        PyRecordBatchReader::new(Box::new(RecordBatchIterator::new(batches_out, columns::SCHEMA.clone())))
    }

    fn run(self, batches: &Sender<Answered>) -> heedful::Result<()> {
        let Self { inputs, filter, gate, headers, bots, now, writer, jobs, rows } = self;
        let (mut waiting, mut bytes) = (Vec::new(), 0);
        let send = |answers: &[Answer]| {
            let batch = columns::batch(answers, &bots).map_err(internal)?;
            batches.send(Ok(batch)).map_err(|_| internal("nobody asks for more"))
        };
        Run::new(&inputs, &gate, jobs).headers(&headers).now(now).filter(&filter, |outcome, _| {
            if let Some(writer) = &writer {
                writer.settle(&outcome)?;
            }
            if let Outcome::Pages(filtered) = &outcome {
                bytes += filtered.bytes;
            }
            waiting.extend(outcome.answer());
            if waiting.len() >= rows || bytes >= BATCH_BYTES {
                send(&std::mem::take(&mut waiting))?;
                bytes = 0;
            }
            Ok(())
        })?;
        if waiting.is_empty() { Ok(()) } else { send(&waiting) }
    }
}

fn internal(message: impl std::fmt::Display) -> heedful::Error {
    ErrorKind::Internal(message.to_string()).into()
}

/// The maximum number of names in a Names page. A page with more counts as unreadable.
const MOST_NAMES: usize = 1000;

/// The contents of archives that pages in others need. A row for a site has `site`, `robots` (a WARC record; null for a
/// site that has pages) and `leads_to`. A row for a Names page has `page` and `names` (METAs; null if the page cannot
/// be read).
#[pyfunction]
pub fn survey<'py>(
    py: Python<'py>,
    inputs: &Bound<'py, PyAny>,
    filter: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (inputs, filter): (Paths, _) = (argument("inputs", inputs)?, object::<Filter>("filter", filter)?.get());
    let found = py.detach(|| -> heedful::Result<Vec<_>> {
        let inputs = Inputs::default().limits(filter.filter().limits_set().clone()).open(&inputs.0)?;
        inputs.iter().map(|input| run::survey_archive(input, &filter.filter())).collect()
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
    let [site, leads_to, page, metas] = columns.map(|mut column| Arc::new(column.finish()) as ArrayRef);
    let robots: ArrayRef = Arc::new(robots.finish());
    let columns = [("site", site), ("robots", robots), ("leads_to", leads_to), ("page", page), ("names", metas)];
    let columns = columns.map(|(name, column)| (name, column, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).map_err(setting)?;
    PyRecordBatch::new(batch).into_pyarrow(py)
}

/// The contents of rows that pages in other batches need: their robots.txt files, as rows again (`url` `html` `status`
/// `headers`), with `site` and `leads_to`.
#[pyfunction]
pub fn survey_batch<'py>(py: Python<'py>, batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let rows = Rows::of(&argument("batch", batch)?).map_err(of_batch)?;
    let mut columns: [StringBuilder; 4] = Default::default();
    let [site, leads_to, url, headers] = &mut columns;
    let (mut html, mut status) = (BinaryBuilder::new(), Int32Builder::new());
    for (row, robots) in rows.robots() {
        site.append_value(robots.authority());
        leads_to.append_option(leads(robots));
        headers.append_value(serde_json::to_string(&row.headers).map_err(setting)?);
        html.append_option(row.html.map(String::into_bytes).or(row.bytes));
        status.append_option(row.status.map(i32::from));
        url.append_option(row.url);
    }
    let [site, leads_to, url, headers] = columns.map(|mut column| Arc::new(column.finish()) as ArrayRef);
    let (html, status) = (Arc::new(html.finish()) as ArrayRef, Arc::new(status.finish()) as ArrayRef);
    let columns = [
        ("site", site),
        ("leads_to", leads_to),
        ("url", url),
        ("html", html),
        ("status", status),
        ("headers", headers),
    ];
    let columns = columns.map(|(name, column)| (name, column, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).map_err(setting)?;
    PyRecordBatch::new(batch).into_pyarrow(py)
}

/// The site whose robots.txt this one redirects to.
fn leads(robots: heedful::input::Robots) -> Option<String> {
    match robots.into_answer() {
        heedful::input::Answer::Redirect(target) => target.parse().ok().map(|url| authority(&url)),
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
    let rows = Rows::of(&argument("batch", batch)?).map_err(of_batch)?;
    let mut met = HashSet::new();
    let found = rows.urls().filter_map(|url| url.parse().ok().map(|url| authority(&url)));
    Ok(found.filter(|site| met.insert(site.clone())).collect())
}

/// A phrase as the words that our index has of it.
#[pyfunction]
pub fn words(text: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let text: String = argument("text", text)?;
    Ok(heedful::words(&text).filter_map(|word| word.folded()).map(std::borrow::Cow::into_owned).collect())
}

/// Names as METAs that say the same.
fn written(names: Names) -> Option<String> {
    let names: Vec<(u32, String)> = names.into_iter().collect();
    let meta = |(number, name): &(u32, String)| {
        let name = name.replace('&', "&amp;").replace('"', "&quot;").replace('\r', "&#13;");
        format!("<meta name=RobotExclusion.RobotName{number} content=\"{name}\">\n")
    };
    (names.len() <= MOST_NAMES).then(|| names.iter().map(meta).collect())
}
