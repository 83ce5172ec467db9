//! Settings that are used again and again, and pages read with them: one at a time, or in batches of rows.

use std::collections::HashMap;
use std::time::SystemTime;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use heedful::input::{Item, Row, Skip};
use heedful::run::{Gate, Outcome, one};
use heedful::{Bot, Dialects, Facets, Licence, Limits, Mode, Names};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use pyo3_arrow::PyRecordBatch;

use crate::columns::{self, Answer};
use crate::error::{raised, setting};
use crate::given::{Batch, Contents, Headers, OneOrMore};
use crate::page::Page;
use crate::pass::Pass;
use crate::robots::named;
use crate::rows::Rows;

/// The rules to obey, the bots, and the limits. A filter may be shared between threads, and pickled.
#[pyclass(frozen, module = "heedful")]
pub struct Filter {
    filter: heedful::Filter,
    /// The clock, unless it is the machine's.
    at: Option<SystemTime>,
    bots: Vec<String>,
    /// The arguments it was made of, to make another one.
    made_of: (Py<PyTuple>, Py<PyDict>),
}

impl Filter {
    /// The filter, with the clock as it is now.
    pub fn filter(&self) -> heedful::Filter {
        self.filter.clone().now(self.now())
    }

    pub fn now(&self) -> SystemTime {
        self.at.unwrap_or_else(SystemTime::now)
    }

    pub fn bots(&self) -> &[String] {
        &self.bots
    }
}

#[pymethods]
impl Filter {
    #[new]
    #[pyo3(signature = (bot, *, dialects = "web", deny = None, deny_elements = None, deny_regions = None, dialect_files = None,
        names = None, licences = None, profile = None, at = None, snapshots = false, limits = None, robots_mode = None))]
    fn new(
        py: Python<'_>,
        bot: OneOrMore,
        dialects: &str,
        deny: Option<Vec<(String, String)>>,
        deny_elements: Option<Vec<(String, String)>>,
        deny_regions: Option<Vec<(String, String, String)>>,
        dialect_files: Option<Vec<String>>,
        names: Option<HashMap<String, Captures>>,
        licences: Option<HashMap<String, Contents>>,
        profile: Option<String>,
        at: Option<SystemTime>,
        snapshots: bool,
        limits: Option<HashMap<String, u64>>,
        robots_mode: Option<String>,
    ) -> PyResult<Self> {
        let bots = bot.list();
        let parsed = bots.iter().map(|bot| named(bot)).collect::<PyResult<Vec<_>>>()?;
        let made_of = PyDict::new(py);
        made_of.set_item("dialects", dialects)?;
        made_of.set_item("deny", deny.clone())?;
        made_of.set_item("deny_elements", deny_elements.clone())?;
        made_of.set_item("deny_regions", deny_regions.clone())?;
        made_of.set_item("dialect_files", dialect_files.clone())?;
        let pages: Option<HashMap<&String, Vec<Bound<'_, PyAny>>>> = names
            .as_ref()
            .map(|names| names.iter().map(|(url, pages)| Ok((url, pages.given(py)?))).collect::<PyResult<_>>())
            .transpose()?;
        made_of.set_item("names", pages)?;
        let documents = licences.as_ref().map(|all| all.iter().map(|(url, xml)| (url, xml.bytes().to_vec())));
        made_of.set_item("licences", documents.map(Iterator::collect::<HashMap<_, _>>))?;
        made_of.set_item("profile", &profile)?;
        made_of.set_item("at", at)?;
        made_of.set_item("snapshots", snapshots)?;
        made_of.set_item("limits", limits.clone())?;
        made_of.set_item("robots_mode", &robots_mode)?;
        let own = Own {
            elements: deny_elements.unwrap_or_default(),
            regions: deny_regions.unwrap_or_default(),
            files: dialect_files.unwrap_or_default(),
        };
        let dialects = own.with(dialects).map_err(|error| raised(&error))?;
        let deny = deny.unwrap_or_default();
        let filter = settled(
            parsed.clone(),
            dialects,
            &deny,
            names.unwrap_or_default(),
            profile.as_deref(),
            &limits.unwrap_or_default(),
        );
        let filter = filter.and_then(|filter| by_mode(filter, robots_mode.as_deref()));
        let filter = filter.map(|filter| with_licences(filter, &licences.unwrap_or_default()));
        let filter = filter.map_err(|error| raised(&error))?;
        Ok(Self {
            filter: if snapshots { filter.snapshots() } else { filter },
            at,
            bots: parsed.iter().map(|bot| bot.name().to_owned()).collect(),
            made_of: (PyTuple::new(py, [bots])?.unbind(), made_of.unbind()),
        })
    }

    /// For pickles: the arguments from which the filter is made again.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyTuple>, Bound<'py, PyDict>) {
        (self.made_of.0.bind(py).clone(), self.made_of.1.bind(py).clone())
    }

    fn __repr__(&self) -> String {
        format!("<heedful.Filter for {}>", self.bots.join(", "))
    }

    /// Returns the page for the first bot.
    #[pyo3(signature = (html, *, url, headers = None, status = None, robots = None, date = None))]
    fn page(
        &self,
        py: Python<'_>,
        html: Contents,
        url: &str,
        headers: Option<Headers>,
        status: Option<u16>,
        robots: Option<Contents>,
        date: Option<String>,
    ) -> PyResult<Page> {
        let pages = self.pages(py, html, url, headers, status, robots, date)?;
        pages.into_iter().next().ok_or_else(|| setting("a filter has a bot"))
    }

    /// Returns the page for each bot, read once.
    #[pyo3(signature = (html, *, url, headers = None, status = None, robots = None, date = None))]
    fn pages(
        &self,
        py: Python<'_>,
        html: Contents,
        url: &str,
        headers: Option<Headers>,
        status: Option<u16>,
        robots: Option<Contents>,
        date: Option<String>,
    ) -> PyResult<Vec<Page>> {
        let mut row = Row::default();
        row.url = Some(url.to_owned());
        match html {
            Contents::Text(text) => row.html = Some(text),
            Contents::Bytes(bytes) => row.bytes = Some(bytes.to_vec()),
        }
        row.headers = headers.map(|headers| headers.0).unwrap_or_default();
        row.status = status;
        row.robots = robots.map(|robots| String::from_utf8_lossy(robots.bytes()).into_owned());
        row.date = date;
        let pages = py
            .detach(|| answer(Ok(row.into_items("page", 1)), &self.filter(), &Gate::default()))
            .map_err(|error| raised(&error))?;
        Ok(pages.into_iter().map(Page).collect())
    }

    /// Begins a page that comes in pieces.
    fn open(&self, url: &str) -> PyResult<Pass> {
        self.filter().open(url).map(Pass::new).map_err(|error| raised(&error))
    }

    /// Returns a row for each row and bot, in their order.
    #[pyo3(signature = (batch, *, robots = None))]
    fn filter_batch<'py>(&self, py: Python<'py>, batch: Batch, robots: Option<Batch>) -> PyResult<Bound<'py, PyAny>> {
        let filter = self.filter();
        let robots = robots.as_ref().map(|robots| robots.0.as_ref());
        let answered = py.detach(|| columns::batch(&answers(batch.0.as_ref(), robots, &filter)?, &self.bots));
        PyRecordBatch::new(answered.map_err(setting)?).into_pyarrow(py)
    }
}

/// Reads the same pages in a loop of Rust, in batches of this many rows, with or without the columns.
/// benches/boundary.py compares with it. Returns the number of rows.
#[pyfunction]
#[pyo3(name = "_loop")]
pub fn rust_loop(
    py: Python<'_>,
    filter: &Filter,
    batch: PyRecordBatch,
    rows: usize,
    has_columns: bool,
) -> PyResult<usize> {
    let (settings, whole): (_, RecordBatch) = (filter.filter(), batch.into_inner());
    let read = || -> Result<usize, ArrowError> {
        let mut count = 0;
        for start in (0..whole.num_rows()).step_by(rows.max(1)) {
            let part = whole.slice(start, rows.min(whole.num_rows() - start));
            let answers = answers(&part, None, &settings)?;
            count += if has_columns { columns::batch(&answers, &filter.bots)?.num_rows() } else { answers.len() };
        }
        Ok(count)
    };
    py.detach(read).map_err(setting)
}

/// The answers to the rows. The robots.txt files among them, and among `more`, apply wherever they stand.
fn answers(
    batch: &RecordBatch,
    more: Option<&RecordBatch>,
    filter: &heedful::Filter,
) -> Result<Vec<Answer>, ArrowError> {
    let rows = Rows::of(batch)?;
    let mut found: Vec<_> = rows.robots().map(|(_, robots)| robots).collect();
    if let Some(more) = more {
        found.extend(Rows::of(more)?.robots().map(|(_, robots)| robots));
    }
    let gate = Gate::with(found);
    Ok(rows.map(|(url, items)| (url, answer(items, filter, &gate))).collect())
}

/// The answer to a row. A row that the program would silently pass over is reported here, so that no row is lost.
fn answer(
    items: heedful::Result<Vec<Item>>,
    filter: &heedful::Filter,
    gate: &Gate,
) -> heedful::Result<Vec<heedful::Page>> {
    let outcome = match items?.pop() {
        Some(Item::Robots(_)) | None => return Err(passed_over("a robots.txt")),
        Some(item) => one(item, filter, gate),
    };
    match outcome {
        Outcome::Unchanged(_) => Err(passed_over("status 304")),
        Outcome::Skipped(skipped) => Err(passed_over(&match skipped.why() {
            Skip::Status(status) => format!("status {status}"),
            Skip::Type => "no HTML".to_owned(),
            Skip::Hidden => "hidden".to_owned(),
            Skip::Unchanged => "unchanged".to_owned(),
            _ => "no page".to_owned(),
        })),
        outcome => outcome.answer().map_or_else(|| Err(passed_over("no page")), |(_, pages)| pages),
    }
}

fn passed_over(what: &str) -> heedful::Error {
    heedful::ErrorKind::Input(format!("passed over: {what}")).into()
}

/// The user's own conventions.
struct Own {
    elements: Vec<(String, String)>,
    regions: Vec<(String, String, String)>,
    files: Vec<String>,
}

impl Own {
    fn with(self, list: &str) -> heedful::Result<Dialects> {
        let mut dialects = Dialects::parse(list)?;
        for file in &self.files {
            dialects = dialects.file(file)?;
        }
        for (words, open, close) in &self.regions {
            dialects = dialects.region(open, close, Facets::parse(words)?)?;
        }
        for (words, selector) in &self.elements {
            dialects = dialects.element(selector, Facets::parse(words)?)?;
        }
        Ok(dialects)
    }
}

fn settled(
    bots: Vec<Bot>,
    dialects: Dialects,
    deny: &[(String, String)],
    names: HashMap<String, Captures>,
    profile: Option<&str>,
    limits: &HashMap<String, u64>,
) -> heedful::Result<heedful::Filter> {
    let mut filter = heedful::Filter::for_bots(bots)?.dialects(dialects).limits(limited(limits)?);
    for (words, pattern) in deny {
        filter = filter.deny(Facets::parse(words)?, pattern)?;
    }
    if let Some(uri) = profile {
        filter = filter.profile(uri);
    }
    if names.is_empty() {
        return Ok(filter);
    }
    let mut read = HashMap::new();
    for (url, captures) in names {
        read.extend(captures.names()?.map(|names| (url, names)));
    }
    Ok(filter.names(move |url| read.get(url).cloned()))
}

/// Adds the RSL documents at these addresses.
fn with_licences(filter: heedful::Filter, licences: &HashMap<String, Contents>) -> heedful::Filter {
    if licences.is_empty() {
        return filter;
    }
    let read = licences.iter().map(|(url, xml)| (url.clone(), Licence::read(xml.bytes())));
    let read: HashMap<_, _> = read.collect();
    filter.licences(move |url| read.get(url).cloned())
}

/// Sets how each robots.txt is read, if that is given.
fn by_mode(filter: heedful::Filter, mode: Option<&str>) -> heedful::Result<heedful::Filter> {
    Ok(match mode {
        Some(mode) => filter.robots_mode(Mode::parse(mode)?),
        None => filter,
    })
}

fn limited(limits: &HashMap<String, u64>) -> heedful::Result<Limits> {
    limits.iter().try_fold(Limits::default(), |limits, (name, &value)| limits.set(name, value))
}

/// A Names page, or its versions at several times.
#[derive(FromPyObject)]
enum Captures {
    One(Contents),
    More(Vec<Contents>),
}

impl Captures {
    fn all(&self) -> &[Contents] {
        match self {
            Self::One(page) => std::slice::from_ref(page),
            Self::More(pages) => pages,
        }
    }

    fn names(&self) -> heedful::Result<Option<Names>> {
        let read = |page: &Contents| match page {
            // The text is already decoded, whatever character set it declares.
            Contents::Text(text) => Names::read(format!("\u{feff}{text}").as_bytes()),
            Contents::Bytes(bytes) => Names::read(bytes),
        };
        let all = self.all().iter().map(read).collect::<heedful::Result<Vec<_>>>()?;
        Ok(all.into_iter().reduce(|all, names| all.and(&names)))
    }

    /// The pattern as it was given.
    fn given<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let given = |page: &Contents| match page {
            Contents::Text(text) => text.into_bound_py_any(py),
            Contents::Bytes(bytes) => Ok(PyBytes::new(py, bytes).into_any()),
        };
        self.all().iter().map(given).collect()
    }
}
