//! The Python class `Filter`. It parses its settings once, and filters single pages or batches of
//! rows.

use std::collections::HashMap;
use std::time::SystemTime;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use heedful::{Bot, Conventions, Licence, Limits, Mode, ProfileNames, Uses};
use heedful_input::{Item, JsonRow, Skip};
use heedful_run::{Gate, Outcome, filter_item};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use pyo3_arrow::PyRecordBatch;

use crate::columns::{self, Columns, PagesOfUrl};
use crate::error::{arrow_message, batch_error, py_error, setting_error};
use crate::given::{
    FileContents, FromGiven, HeaderPairs, OneOrMore, TextList, Tuples, argument, list, optional,
};
use crate::page::PyPage;
use crate::pass::PyPass;
use crate::robots::parse_bot;
use crate::rows::RowBatch;

/// Filter of pages, with the rules to obey, the bots, and the limits. A filter may be shared
/// between threads, and can be pickled.
#[pyclass(frozen, name = "Filter", module = "heedful")]
pub struct PyFilter {
    filter: heedful::Filter,
    /// Time for which pages are judged. It decides whether a page has expired. `None` means the
    /// current time.
    at: Option<SystemTime>,
    bots: Vec<String>,
    /// True if rows and the JSON of pages contain the pages' blocks.
    has_blocks: bool,
    /// The Python arguments with which the filter was created. The first value has the positional
    /// arguments. The second has the keyword arguments. Pickling stores these arguments.
    made_of: (Py<PyTuple>, Py<PyDict>),
}

impl PyFilter {
    /// Returns the library's filter. It judges pages as if [`now`](Self::now) were the current
    /// time.
    pub fn filter(&self) -> heedful::Filter {
        self.filter.clone().now(self.now())
    }

    /// Returns the time for which pages are judged. It is the argument `at` of the filter. If `at`
    /// was not given, it is the current time.
    pub fn now(&self) -> SystemTime {
        self.at.unwrap_or_else(SystemTime::now)
    }

    /// Returns the names of the filter's bots, in the order of the argument `bot`.
    pub fn bots(&self) -> &[String] {
        &self.bots
    }

    /// Returns the optional columns that the rows of this filter's pages have.
    pub fn columns(&self) -> Columns {
        Columns {
            blocks: self.has_blocks,
            text: false,
        }
    }
}

#[pymethods]
impl PyFilter {
    #[new]
    #[pyo3(signature = (bot, *, conventions = None, deny = None, deny_elements = None, deny_regions = None, convention_files = None,
        names = None, licences = None, profile = None, at = None, snapshots = None, limits = None, robots_mode = None,
        landmarks = None, blocks = None),
        text_signature = "(bot, *, conventions='web', deny=None, deny_elements=None, deny_regions=None, convention_files=None, \
names=None, licences=None, profile=None, at=None, snapshots=False, limits=None, robots_mode=None, landmarks='all', blocks=False)")]
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
        landmarks: Option<&Bound<'_, PyAny>>,
        blocks: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let bots = argument::<OneOrMore>("bot", bot)?.0;
        let settings = FilterSettings {
            conventions: optional("conventions", conventions)?.unwrap_or_else(|| "web".to_owned()),
            deny: tuples("deny", deny)?,
            elements: tuples("deny_elements", deny_elements)?,
            regions: tuples("deny_regions", deny_regions)?,
            files: optional("convention_files", convention_files)?.map(|TextList(texts)| texts),
            names: optional("names", names)?,
            licences: optional("licences", licences)?,
            profile: optional("profile", profile)?,
            at: optional("at", at)?,
            snapshots: optional("snapshots", snapshots)?.unwrap_or_default(),
            limits: optional("limits", limits)?,
            mode: optional("robots_mode", robots_mode)?,
            landmarks: optional("landmarks", landmarks)?.unwrap_or_else(|| "all".to_owned()),
            blocks: optional("blocks", blocks)?.unwrap_or_default(),
        };
        let mut parsed = Vec::new();
        for bot in &bots {
            parsed.push(parse_bot(bot)?);
        }
        Ok(Self {
            bots: parsed.iter().map(|bot| bot.name().to_owned()).collect(),
            made_of: (
                PyTuple::new(py, [bots])?.unbind(),
                settings.pickled(py)?.unbind(),
            ),
            at: settings.at,
            has_blocks: settings.blocks,
            filter: settings.filter(parsed).map_err(py_error)?,
        })
    }

    /// Returns the arguments with which unpickling creates the filter again. Positional arguments
    /// come first, then arguments by keyword.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyTuple>, Bound<'py, PyDict>) {
        (
            self.made_of.0.bind(py).clone(),
            self.made_of.1.bind(py).clone(),
        )
    }

    fn __repr__(&self) -> String {
        format!("<heedful.Filter for {}>", self.bots.join(", "))
    }

    /// Filters a page for the filter's first bot. Returns the parts of the page that this bot may
    /// use.
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
        let first = pages.into_iter().next();
        first.ok_or_else(|| setting_error("a filter has a bot"))
    }

    /// Filters a page for all bots of the filter, and parses it only once. Returns one page for
    /// each bot, with the parts that the bot may use.
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
        if let Some(robots) = optional::<FileContents>("robots", robots)? {
            row.robots = Some(String::from_utf8_lossy(robots.bytes()).into_owned());
        }
        row.date = optional("date", date)?;
        let pages = py
            .detach(|| {
                answer(
                    Ok(row.into_items("page", 1)),
                    &self.filter(),
                    &Gate::default(),
                )
            })
            .map_err(py_error)?;
        let pages = pages.into_iter();
        Ok(pages
            .map(|page| PyPage::new(page, self.has_blocks))
            .collect())
    }

    /// Opens a pass over a page whose bytes arrive in pieces.
    fn open(&self, url: &Bound<'_, PyAny>) -> PyResult<PyPass> {
        self.filter()
            .open(&argument::<String>("url", url)?)
            .map(|pass| PyPass::new(pass, self.has_blocks))
            .map_err(py_error)
    }

    /// Filters the rows of a batch. The result has one row per bot for each row of the batch, in
    /// the order of the batch.
    #[pyo3(signature = (batch, *, robots = None, keep = None), text_signature = "(batch, *, robots=None, keep=())")]
    fn filter_batch<'py>(
        &self,
        py: Python<'py>,
        batch: &Bound<'py, PyAny>,
        robots: Option<&Bound<'py, PyAny>>,
        keep: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let batch: RecordBatch = argument("batch", batch)?;
        let robots: Option<RecordBatch> = optional("robots", robots)?;
        let keep = match optional("keep", keep)? {
            Some(TextList(names)) => names,
            None => Vec::new(),
        };
        let filter = self.filter();
        let result = py.detach(|| {
            let answers = answers(&batch, robots.as_ref(), &filter)?;
            let rows = columns::batch(&answers, &self.bots, self.columns())?;
            columns::add_columns(rows, &batch, &keep, self.bots.len())
        });
        PyRecordBatch::new(result.map_err(batch_error)?).into_pyarrow(py)
    }
}

/// Parses an optional argument that is a list of tuples of `N` texts. `name` is the argument's
/// name, for errors.
fn tuples<const N: usize>(
    name: &str,
    given: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<Vec<[String; N]>>> {
    Ok(optional(name, given)?.map(|Tuples(tuples)| tuples))
}

/// Returns the rows of `batch`. Also returns a gate with the robots.txt files in `batch` and in the
/// batch `more`.
pub fn rows_and_gate(
    batch: &RecordBatch,
    more: Option<&RecordBatch>,
) -> Result<(RowBatch, Gate), ArrowError> {
    let rows = RowBatch::new(batch)?;
    let mut files = Vec::new();
    for (_, robots) in rows.robots() {
        files.push(robots);
    }
    if let Some(more) = more {
        let more = RowBatch::new(more).map_err(|error| {
            ArrowError::SchemaError(format!("robots: {}", arrow_message(error)))
        })?;
        for (_, robots) in more.robots() {
            files.push(robots);
        }
    }
    Ok((rows, Gate::from_robots(files)))
}

/// Filters the pages of a batch in a Rust loop, `rows` rows at a time. benches/boundary.py compares
/// the time of this loop with that of the same loop in Python. If `has_columns` is true, each
/// result is converted to columns, and the number of their rows is returned. Otherwise the number
/// of filtered rows is returned.
#[pyfunction]
#[pyo3(name = "_loop")]
pub fn rust_loop(
    py: Python<'_>,
    filter: &PyFilter,
    batch: PyRecordBatch,
    rows: usize,
    has_columns: bool,
) -> PyResult<usize> {
    let settings = filter.filter();
    let whole: RecordBatch = batch.into_inner();
    let read = || -> Result<usize, ArrowError> {
        let mut count = 0;
        for start in (0..whole.num_rows()).step_by(rows.max(1)) {
            let part = whole.slice(start, rows.min(whole.num_rows() - start));
            let answers = answers(&part, None, &settings)?;
            count += if has_columns {
                columns::batch(&answers, &filter.bots, filter.columns())?.num_rows()
            } else {
                answers.len()
            };
        }
        Ok(count)
    };
    py.detach(read).map_err(batch_error)
}

/// Filters the rows of `batch`. The robots.txt files in `batch` and in the batch `more` apply to
/// all rows, whatever their order.
fn answers(
    batch: &RecordBatch,
    more: Option<&RecordBatch>,
    filter: &heedful::Filter,
) -> Result<Vec<PagesOfUrl>, ArrowError> {
    let (rows, gate) = rows_and_gate(batch, more)?;
    Ok(rows
        .map(|(url, items)| (url, answer(items, filter, &gate)))
        .collect())
}

/// Filters the items of one row. Returns the pages, one for each bot. If `heedful filter` would
/// skip the row silently, returns an error instead, so that each row has a result.
fn answer(
    items: heedful::Result<Vec<Item>>,
    filter: &heedful::Filter,
    gate: &Gate,
) -> heedful::Result<Vec<heedful::Page>> {
    let outcome = match items?.pop() {
        Some(Item::Robots(_)) | None => return Err(passed_over("a robots.txt")),
        Some(item) => filter_item(item, filter, gate),
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
        outcome => match outcome.answer() {
            Some((_, pages)) => pages,
            None => Err(passed_over("no page")),
        },
    }
}

/// Creates the error for a row that `heedful filter` would skip silently. `what` is the reason.
fn passed_over(what: &str) -> heedful::Error {
    heedful::ErrorKind::Input(format!("passed over: {what}")).into()
}

/// The settings of a filter other than its bots.
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
    landmarks: String,
    blocks: bool,
}

impl FilterSettings {
    /// Returns the filter's settings as keyword arguments, converted to types that can be pickled.
    fn pickled<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let given = PyDict::new(py);
        given.set_item("conventions", &self.conventions)?;
        given.set_item("deny", &self.deny)?;
        given.set_item("deny_elements", &self.elements)?;
        given.set_item("deny_regions", &self.regions)?;
        given.set_item("convention_files", &self.files)?;
        given.set_item("names", self.pickled_names(py)?)?;
        given.set_item("licences", self.pickled_licences())?;
        given.set_item("profile", &self.profile)?;
        given.set_item("at", self.at)?;
        given.set_item("snapshots", self.snapshots)?;
        given.set_item("limits", &self.limits)?;
        given.set_item("robots_mode", &self.mode)?;
        given.set_item("landmarks", &self.landmarks)?;
        given.set_item("blocks", self.blocks)?;
        Ok(given)
    }

    fn pickled_names<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(names) = &self.names else {
            return Ok(None);
        };
        let pickled = PyDict::new(py);
        for (url, captures) in names {
            pickled.set_item(url, captures.pickled(py)?)?;
        }
        Ok(Some(pickled))
    }

    fn pickled_licences(&self) -> Option<HashMap<&String, Vec<u8>>> {
        let mut pickled = HashMap::new();
        for (url, xml) in self.licences.as_ref()? {
            pickled.insert(url, xml.bytes().to_vec());
        }
        Some(pickled)
    }

    /// Creates the library's filter with these settings for the bots `bots`.
    fn filter(self, bots: Vec<Bot>) -> heedful::Result<heedful::Filter> {
        let conventions = self.conventions()?;
        let limits = parse_limits(&self.limits.unwrap_or_default())?;
        let mut filter = heedful::Filter::for_bots(bots)?
            .conventions(conventions)
            .landmarks(self.landmarks.parse()?)
            .limits(limits);
        for [words, pattern] in self.deny.iter().flatten() {
            filter = filter.deny(Uses::parse(words)?, pattern)?;
        }
        if let Some(uri) = &self.profile {
            filter = filter.profile(uri);
        }
        filter = add_names(filter, self.names.unwrap_or_default())?;
        filter = set_mode(filter, self.mode.as_deref())?;
        filter = add_licences(filter, &self.licences.unwrap_or_default());
        Ok(if self.snapshots {
            filter.snapshots()
        } else {
            filter
        })
    }

    /// Parses the names of the filter's conventions. Adds the conventions that the user defined.
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

/// Adds Names pages to the filter. A Names page maps the names of bots to numbers. A key of `names`
/// is the URL of a Names page. The value has the captures of that page.
fn add_names(
    filter: heedful::Filter,
    names: HashMap<String, Captures>,
) -> heedful::Result<heedful::Filter> {
    if names.is_empty() {
        return Ok(filter);
    }
    let mut read = HashMap::new();
    for (url, captures) in names {
        if let Some(names) = captures.names()? {
            read.insert(url, names);
        }
    }
    Ok(filter.names(move |url| read.get(url).cloned()))
}

/// Adds RSL licences to the filter. A key of `licences` is the URL of a licence.
fn add_licences(
    filter: heedful::Filter,
    licences: &HashMap<String, FileContents>,
) -> heedful::Filter {
    if licences.is_empty() {
        return filter;
    }
    let mut read = HashMap::new();
    for (url, xml) in licences {
        read.insert(url.clone(), Licence::read(xml.bytes()));
    }
    filter.licences(move |url| read.get(url).cloned())
}

/// Sets the mode in which the filter parses robots.txt files. Changes nothing if `mode` is `None`.
fn set_mode(filter: heedful::Filter, mode: Option<&str>) -> heedful::Result<heedful::Filter> {
    Ok(match mode {
        Some(mode) => filter.robots_mode(Mode::parse(mode)?),
        None => filter,
    })
}

/// Parses limits. A key of `values` is the name of a limit, and the value is its number.
fn parse_limits(values: &HashMap<String, u64>) -> heedful::Result<Limits> {
    let mut limits = Limits::default();
    for (name, value) in values {
        limits = limits.set(name, *value)?;
    }
    Ok(limits)
}

/// Contents of all captures of one Names page (a page that lists names of bots).
struct Captures(Vec<FileContents>);

impl<'py> FromGiven<'py> for Captures {
    fn from_python(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(page) = FileContents::from_python(given) {
            return Ok(Self(vec![page]));
        }
        list("text, bytes or a list of these", given).map(Self)
    }
}

impl Captures {
    /// Returns the names of bots that at least one capture of the Names page lists. Returns `None`
    /// if there is no capture.
    fn names(&self) -> heedful::Result<Option<ProfileNames>> {
        let mut all: Option<ProfileNames> = None;
        for page in &self.0 {
            let names = match page {
                // The text is decoded already, whatever character set it declares. The byte order
                // mark marks it as UTF-8.
                FileContents::Text(text) => {
                    ProfileNames::read(format!("\u{feff}{text}").as_bytes())?
                }
                FileContents::Bytes(bytes) => ProfileNames::read(bytes)?,
            };
            all = Some(match all {
                Some(all) => all.and(&names),
                None => names,
            });
        }
        Ok(all)
    }

    /// Returns the contents of the captures as Python values that can be pickled.
    fn pickled<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let mut pages = Vec::new();
        for page in &self.0 {
            pages.push(match page {
                FileContents::Text(text) => text.into_bound_py_any(py)?,
                FileContents::Bytes(bytes) => PyBytes::new(py, bytes).into_any(),
            });
        }
        Ok(pages)
    }
}
