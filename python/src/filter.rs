//! Settings that are used again and again, and pages read with them: one at a time, or in batches
//! of rows.

use std::collections::HashMap;
use std::time::SystemTime;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use heedful::{Bot, Conventions, Licence, Limits, Mode, ProfileNames, Uses};
use heedful_input::{Item, JsonRow, Skip};
use heedful_run::{Gate, Outcome, one};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use pyo3_arrow::PyRecordBatch;

use crate::columns::{self, PagesOfUrl};
use crate::error::{of_batch, plainly, raised, setting};
use crate::given::{
    FileContents, FromGiven, HeaderPairs, OneOrMore, TextList, Tuples, argument, list, optional,
};
use crate::page::PyPage;
use crate::pass::PyPass;
use crate::robots::named;
use crate::rows::RowBatch;

/// The rules to obey, the bots, and the limits. A filter may be shared between threads, and
/// pickled.
#[pyclass(frozen, name = "Filter", module = "heedful")]
pub struct PyFilter {
    filter: heedful::Filter,
    /// The clock, unless it is the machine's.
    at: Option<SystemTime>,
    bots: Vec<String>,
    /// The arguments it was made of, to make another one.
    made_of: (Py<PyTuple>, Py<PyDict>),
}

impl PyFilter {
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
impl PyFilter {
    #[new]
    #[pyo3(signature = (bot, *, conventions = None, deny = None, deny_elements = None, deny_regions = None, convention_files = None,
        names = None, licences = None, profile = None, at = None, snapshots = None, limits = None, robots_mode = None),
        text_signature = "(bot, *, conventions='web', deny=None, deny_elements=None, deny_regions=None, convention_files=None, \
names=None, licences=None, profile=None, at=None, snapshots=False, limits=None, robots_mode=None)")]
    fn new(
        py: Python<'_>,
        bot: &Bound<'_, PyAny>,
        conventions: Option<&Bound<'_, PyAny>>,
        deny: Option<&Bound<'_, PyAny>>,
        deny_elements: Option<&Bound<'_, PyAny>>,
        deny_regions: Option<&Bound<'_, PyAny>>,
        convention_files: Option<&Bound<'_, PyAny>>,
        names: Option<&Bound<'_, PyAny>>,
        licences: Option<&Bound<'_, PyAny>>,
        profile: Option<&Bound<'_, PyAny>>,
        at: Option<&Bound<'_, PyAny>>,
        snapshots: Option<&Bound<'_, PyAny>>,
        limits: Option<&Bound<'_, PyAny>>,
        robots_mode: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let bots = argument::<OneOrMore>("bot", bot)?.0;
        let settings = FilterSettings {
            conventions: optional("conventions", conventions)?.unwrap_or_else(|| "web".to_owned()),
            deny: optional::<Tuples<2>>("deny", deny)?.map(|tuples| tuples.0),
            elements: optional::<Tuples<2>>("deny_elements", deny_elements)?.map(|tuples| tuples.0),
            regions: optional::<Tuples<3>>("deny_regions", deny_regions)?.map(|tuples| tuples.0),
            files: optional::<TextList>("convention_files", convention_files)?.map(|texts| texts.0),
            names: optional("names", names)?,
            licences: optional("licences", licences)?,
            profile: optional("profile", profile)?,
            at: optional("at", at)?,
            snapshots: optional("snapshots", snapshots)?.unwrap_or_default(),
            limits: optional("limits", limits)?,
            mode: optional("robots_mode", robots_mode)?,
        };
        let parsed = bots
            .iter()
            .map(|bot| named(bot))
            .collect::<PyResult<Vec<_>>>()?;
        Ok(Self {
            bots: parsed.iter().map(|bot| bot.name().to_owned()).collect(),
            made_of: (
                PyTuple::new(py, [bots])?.unbind(),
                settings.given(py)?.unbind(),
            ),
            at: settings.at,
            filter: settings.filter(parsed).map_err(|error| raised(&error))?,
        })
    }

    /// For pickles: the arguments from which the filter is made again.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyTuple>, Bound<'py, PyDict>) {
        (
            self.made_of.0.bind(py).clone(),
            self.made_of.1.bind(py).clone(),
        )
    }

    fn __repr__(&self) -> String {
        format!("<heedful.Filter for {}>", self.bots.join(", "))
    }

    /// Returns the page for the first bot.
    #[pyo3(signature = (html, *, url, headers = None, status = None, robots = None, date = None))]
    fn page(
        &self,
        py: Python<'_>,
        html: &Bound<'_, PyAny>,
        url: &Bound<'_, PyAny>,
        headers: Option<&Bound<'_, PyAny>>,
        status: Option<&Bound<'_, PyAny>>,
        robots: Option<&Bound<'_, PyAny>>,
        date: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyPage> {
        let pages = self.pages(py, html, url, headers, status, robots, date)?;
        pages
            .into_iter()
            .next()
            .ok_or_else(|| setting("a filter has a bot"))
    }

    /// Returns the page for each bot, read once.
    #[pyo3(signature = (html, *, url, headers = None, status = None, robots = None, date = None))]
    fn pages(
        &self,
        py: Python<'_>,
        html: &Bound<'_, PyAny>,
        url: &Bound<'_, PyAny>,
        headers: Option<&Bound<'_, PyAny>>,
        status: Option<&Bound<'_, PyAny>>,
        robots: Option<&Bound<'_, PyAny>>,
        date: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<PyPage>> {
        let mut row = JsonRow::default();
        match argument("html", html)? {
            FileContents::Text(text) => row.html = Some(text),
            FileContents::Bytes(bytes) => row.bytes = Some(bytes.to_vec()),
        }
        row.url = Some(argument("url", url)?);
        row.headers = optional::<HeaderPairs>("headers", headers)?
            .unwrap_or_default()
            .0;
        row.status = optional("status", status)?;
        let robots: Option<FileContents> = optional("robots", robots)?;
        row.robots = robots.map(|robots| String::from_utf8_lossy(robots.bytes()).into_owned());
        row.date = optional("date", date)?;
        let pages = py
            .detach(|| {
                answer(
                    Ok(row.into_items("page", 1)),
                    &self.filter(),
                    &Gate::default(),
                )
            })
            .map_err(|error| raised(&error))?;
        Ok(pages.into_iter().map(PyPage).collect())
    }

    /// Begins a page that comes in pieces.
    fn open(&self, url: &Bound<'_, PyAny>) -> PyResult<PyPass> {
        self.filter()
            .open(&argument::<String>("url", url)?)
            .map(PyPass::new)
            .map_err(|error| raised(&error))
    }

    /// A row for each row and bot, in their order.
    #[pyo3(signature = (batch, *, robots = None, keep = None), text_signature = "(batch, *, robots=None, keep=())")]
    fn filter_batch<'py>(
        &self,
        py: Python<'py>,
        batch: &Bound<'py, PyAny>,
        robots: Option<&Bound<'py, PyAny>>,
        keep: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (batch, robots): (RecordBatch, Option<RecordBatch>) =
            (argument("batch", batch)?, optional("robots", robots)?);
        let keep = optional::<TextList>("keep", keep)?
            .map(|names| names.0)
            .unwrap_or_default();
        let (filter, bots) = (self.filter(), self.bots.len());
        let answered = py.detach(|| {
            let rows = columns::batch(&answers(&batch, robots.as_ref(), &filter)?, &self.bots)?;
            columns::kept(rows, &batch, &keep, bots)
        });
        PyRecordBatch::new(answered.map_err(of_batch)?).into_pyarrow(py)
    }
}

/// The rows of a batch, and the robots.txt files among them and among `more`.
pub fn gated(
    batch: &RecordBatch,
    more: Option<&RecordBatch>,
) -> Result<(RowBatch, Gate), ArrowError> {
    let rows = RowBatch::of(batch)?;
    let mut found: Vec<_> = rows.robots().map(|(_, robots)| robots).collect();
    if let Some(more) = more {
        let more = RowBatch::of(more)
            .map_err(|error| ArrowError::SchemaError(format!("robots: {}", plainly(error))))?;
        found.extend(more.robots().map(|(_, robots)| robots));
    }
    Ok((rows, Gate::from_robots(found)))
}

/// Reads the same pages in a loop of Rust, in batches of this many rows, with or without the
/// columns. benches/boundary.py compares with it. Returns the number of rows.
#[pyfunction]
#[pyo3(name = "_loop")]
pub fn rust_loop(
    py: Python<'_>,
    filter: &PyFilter,
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
            count += if has_columns {
                columns::batch(&answers, &filter.bots)?.num_rows()
            } else {
                answers.len()
            };
        }
        Ok(count)
    };
    py.detach(read).map_err(of_batch)
}

/// The answers to the rows. The robots.txt files among them, and among `more`, apply wherever they
/// stand.
fn answers(
    batch: &RecordBatch,
    more: Option<&RecordBatch>,
    filter: &heedful::Filter,
) -> Result<Vec<PagesOfUrl>, ArrowError> {
    let (rows, gate) = gated(batch, more)?;
    Ok(rows
        .map(|(url, items)| (url, answer(items, filter, &gate)))
        .collect())
}

/// The answer to a row. A row that the program would silently pass over is reported here, so that
/// no row is lost.
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
        outcome => outcome
            .answer()
            .map_or_else(|| Err(passed_over("no page")), |(_, pages)| pages),
    }
}

fn passed_over(what: &str) -> heedful::Error {
    heedful::ErrorKind::Input(format!("passed over: {what}")).into()
}

/// What a filter is made of, besides its bots.
struct FilterSettings {
    conventions: String,
    deny: Option<Vec<[String; 2]>>,
    elements: Option<Vec<[String; 2]>>,
    regions: Option<Vec<[String; 3]>>,
    files: Option<Vec<String>>,
    names: Option<HashMap<String, Captures>>,
    licences: Option<HashMap<String, FileContents>>,
    profile: Option<String>,
    at: Option<SystemTime>,
    snapshots: bool,
    limits: Option<HashMap<String, u64>>,
    mode: Option<String>,
}

impl FilterSettings {
    /// As arguments once more, of types that can be pickled.
    fn given<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let given = PyDict::new(py);
        given.set_item("conventions", &self.conventions)?;
        given.set_item("deny", &self.deny)?;
        given.set_item("deny_elements", &self.elements)?;
        given.set_item("deny_regions", &self.regions)?;
        given.set_item("convention_files", &self.files)?;
        let pages = |(url, pages): (_, &Captures)| Ok((url, pages.given(py)?));
        let pages: Option<HashMap<&String, Vec<Bound<'_, PyAny>>>> = self
            .names
            .as_ref()
            .map(|names| names.iter().map(pages).collect::<PyResult<_>>())
            .transpose()?;
        given.set_item("names", pages)?;
        let documents = self
            .licences
            .as_ref()
            .map(|all| all.iter().map(|(url, xml)| (url, xml.bytes().to_vec())));
        given.set_item(
            "licences",
            documents.map(Iterator::collect::<HashMap<_, _>>),
        )?;
        given.set_item("profile", &self.profile)?;
        given.set_item("at", self.at)?;
        given.set_item("snapshots", self.snapshots)?;
        given.set_item("limits", &self.limits)?;
        given.set_item("robots_mode", &self.mode)?;
        Ok(given)
    }

    fn filter(self, bots: Vec<Bot>) -> heedful::Result<heedful::Filter> {
        let conventions = self.conventions()?;
        let limits = limited(&self.limits.unwrap_or_default())?;
        let mut filter = heedful::Filter::for_bots(bots)?
            .conventions(conventions)
            .limits(limits);
        for [words, pattern] in self.deny.iter().flatten() {
            filter = filter.deny(Uses::parse(words)?, pattern)?;
        }
        if let Some(uri) = &self.profile {
            filter = filter.profile(uri);
        }
        filter = with_names(filter, self.names.unwrap_or_default())?;
        filter = by_mode(filter, self.mode.as_deref())?;
        filter = with_licences(filter, &self.licences.unwrap_or_default());
        Ok(if self.snapshots {
            filter.snapshots()
        } else {
            filter
        })
    }

    /// The conventions, with those of the user's own.
    fn conventions(&self) -> heedful::Result<Conventions> {
        let mut conventions = Conventions::parse(&self.conventions)?;
        for file in self.files.iter().flatten() {
            conventions = conventions.toml(file)?;
        }
        for [words, open, close] in self.regions.iter().flatten() {
            conventions = conventions.region(open, close, Uses::parse(words)?)?;
        }
        for [words, selector] in self.elements.iter().flatten() {
            conventions = conventions.element(selector, Uses::parse(words)?)?;
        }
        Ok(conventions)
    }
}

/// With what Names pages say.
fn with_names(
    filter: heedful::Filter,
    names: HashMap<String, Captures>,
) -> heedful::Result<heedful::Filter> {
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
fn with_licences(
    filter: heedful::Filter,
    licences: &HashMap<String, FileContents>,
) -> heedful::Filter {
    if licences.is_empty() {
        return filter;
    }
    let read = licences
        .iter()
        .map(|(url, xml)| (url.clone(), Licence::read(xml.bytes())));
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
    limits
        .iter()
        .try_fold(Limits::default(), |limits, (name, &value)| {
            limits.set(name, value)
        })
}

/// A Names page, or what it said at several times.
struct Captures(Vec<FileContents>);

impl<'py> FromGiven<'py> for Captures {
    fn of(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(page) = FileContents::of(given) {
            return Ok(Self(vec![page]));
        }
        list("text, bytes or a list of these", given).map(Self)
    }
}

impl Captures {
    fn names(&self) -> heedful::Result<Option<ProfileNames>> {
        let read = |page: &FileContents| match page {
            // The text is already decoded, whatever character set it declares.
            FileContents::Text(text) => ProfileNames::read(format!("\u{feff}{text}").as_bytes()),
            FileContents::Bytes(bytes) => ProfileNames::read(bytes),
        };
        let all = self
            .0
            .iter()
            .map(read)
            .collect::<heedful::Result<Vec<_>>>()?;
        Ok(all.into_iter().reduce(|all, names| all.and(&names)))
    }

    /// The pattern as it was given.
    fn given<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let given = |page: &FileContents| match page {
            FileContents::Text(text) => text.into_bound_py_any(py),
            FileContents::Bytes(bytes) => Ok(PyBytes::new(py, bytes).into_any()),
        };
        self.0.iter().map(given).collect()
    }
}
