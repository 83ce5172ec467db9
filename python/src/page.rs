//! Pages as Python objects. A `Page` has the parts of a page that one bot may use. Its attributes
//! have the names of the keys in the program's JSON.

use std::time::SystemTime;

use heedful::{Policy, Use};
use heedful_json as json;
use heedful_json::PageJson;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::robots::PyRuling;

/// A page with the parts that one bot may use.
#[pyclass(frozen, name = "Page", module = "heedful")]
pub struct PyPage {
    pub page: heedful::Page,
    /// True if the JSON of the page contains its blocks.
    has_blocks: bool,
}

impl PyPage {
    pub fn new(page: heedful::Page, has_blocks: bool) -> Self {
        Self { page, has_blocks }
    }
}

#[pymethods]
impl PyPage {
    #[getter]
    fn url(&self) -> &str {
        self.page.url()
    }

    #[getter]
    fn bot(&self) -> &str {
        self.page.bot().name()
    }

    #[getter]
    fn verdict(&self) -> PyVerdict {
        PyVerdict::new(self.page.policy())
    }

    #[getter]
    fn title(&self) -> Vec<String> {
        self.page.title().to_vec()
    }

    #[getter]
    fn description(&self) -> Vec<String> {
        self.page.description().to_vec()
    }

    #[getter]
    fn headings(&self) -> Vec<String> {
        self.page.headings().to_vec()
    }

    #[getter]
    fn phrases(&self) -> Vec<String> {
        self.page.phrases().to_vec()
    }

    #[getter]
    fn alt(&self) -> Vec<String> {
        self.page.alternative().to_vec()
    }

    #[getter]
    fn text(&self) -> String {
        self.page.text()
    }

    #[getter]
    fn blocks(&self) -> Vec<PyBlock> {
        self.page.blocks().iter().map(PyBlock::new).collect()
    }

    #[getter]
    fn links(&self) -> Vec<PyLink> {
        self.page.links().iter().map(PyLink::new).collect()
    }

    #[getter]
    fn exclusions(&self) -> Vec<PyExclusion> {
        self.page
            .exclusions()
            .map(|exclusion| PyExclusion::new(&exclusion))
            .collect()
    }

    #[getter]
    fn notes(&self) -> Vec<PyNote> {
        self.page.notes().map(PyNote::new).collect()
    }

    #[getter]
    fn snapshot(&self) -> Option<String> {
        self.page.snapshot(&heedful::Dressing::default())
    }

    #[getter]
    fn excerpt(&self) -> String {
        self.page.excerpt()
    }

    #[getter]
    fn shown_title(&self) -> String {
        self.page.shown_title()
    }

    #[getter]
    fn input(&self) -> String {
        self.page.input()
    }

    #[getter]
    fn lang(&self) -> Option<&str> {
        self.page.language()
    }

    #[getter]
    fn canonical(&self) -> Option<&str> {
        self.page.canonical_url()
    }

    #[getter]
    fn content_type(&self) -> Option<&str> {
        self.page.content_type()
    }

    #[getter]
    fn status(&self) -> Option<u16> {
        self.page.status()
    }

    #[getter]
    fn fetched(&self) -> Option<SystemTime> {
        self.page.fetched()
    }

    #[getter]
    fn kept_out(&self) -> Option<PyRuling> {
        let (robots, ruling) = self.page.robots_denial()?;
        Some(PyRuling::new(
            robots,
            &ruling,
            self.page.bot(),
            self.page.url(),
            None,
            None,
        ))
    }

    fn to_json(&self) -> String {
        json::line(&PageJson::asked(&self.page, self.has_blocks))
    }

    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (self.to_json(),))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let url = PyString::new(py, self.url()).repr()?;
        let bot = PyString::new(py, self.bot()).repr()?;
        let phrases = count(self.page.phrases().len(), "phrase");
        let links = count(self.page.links().len(), "link");
        Ok(format!(
            "<heedful.Page {url} for {bot}: {phrases}, {links}>"
        ))
    }
}

/// Formats a number with its noun, such as `1 link` or `2 links`.
fn count(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// Permitted uses of the page as a whole. If the denial of one use implies the denial of another
/// use, both are denied here.
#[pyclass(frozen, get_all, name = "Verdict", module = "heedful")]
pub struct PyVerdict {
    enter: bool,
    index: bool,
    follow: bool,
    anchor: bool,
    archive: bool,
    snippet: bool,
    image: bool,
    translate: bool,
    train: bool,
    input: bool,
    max_snippet: Option<u32>,
    max_image_preview: Option<&'static str>,
    max_video_preview: Option<u32>,
    unavailable_after: Option<SystemTime>,
}

impl PyVerdict {
    fn new(policy: &Policy) -> Self {
        Self {
            enter: policy.may_fetch(),
            index: policy.allows(Use::Index),
            follow: policy.allows(Use::Follow),
            anchor: policy.allows(Use::Anchor),
            archive: policy.allows(Use::Archive),
            snippet: policy.allows(Use::Snippet),
            image: policy.allows(Use::Image),
            translate: policy.allows(Use::Translate),
            train: policy.allows(Use::Train),
            input: policy.allows(Use::Input),
            max_snippet: policy.max_snippet(),
            max_image_preview: policy.max_image_preview().map(heedful::ImagePreview::name),
            max_video_preview: policy.max_video_preview(),
            unavailable_after: policy.unavailable_after(),
        }
    }
}

/// Directive of a publisher, with its source and its position in the page.
#[pyclass(frozen, get_all, name = "Directive", module = "heedful")]
#[derive(Clone)]
pub struct PyDirective {
    line: Option<u32>,
    column: Option<u32>,
    convention: &'static str,
    directive: String,
    origin: &'static str,
}

impl PyDirective {
    fn new(directive: &heedful::Directive) -> Self {
        Self {
            line: directive.place().map(heedful::Place::line),
            column: directive.place().map(heedful::Place::column),
            convention: directive.convention(),
            directive: directive.text().to_owned(),
            origin: directive.origin().name(),
        }
    }
}

/// A block of a page's text, such as a paragraph. It has its position in the page.
#[pyclass(frozen, get_all, name = "Block", module = "heedful")]
pub struct PyBlock {
    kind: &'static str,
    level: Option<u8>,
    row: Option<u32>,
    landmark: Option<&'static str>,
    line: u32,
    column: u32,
    phrases: Vec<String>,
}

impl PyBlock {
    fn new(block: &heedful::Block<'_>) -> Self {
        Self {
            kind: block.kind().name(),
            level: block.level(),
            row: block.row(),
            landmark: block.landmark().map(heedful::Landmark::name),
            line: block.place().line(),
            column: block.place().column(),
            phrases: block.phrases().map(str::to_owned).collect(),
        }
    }
}

/// Link of a page, with the uses that are allowed for the link.
#[pyclass(frozen, get_all, name = "Link", module = "heedful")]
pub struct PyLink {
    url: String,
    kind: &'static str,
    rel: Vec<String>,
    text: String,
    phrases: Vec<String>,
    show: bool,
    input: bool,
    follow: bool,
    anchor: bool,
    why_not_follow: Option<PyDirective>,
    why_not_anchor: Option<PyDirective>,
}

impl PyLink {
    fn new(link: &heedful::Link) -> Self {
        Self {
            url: link.url().to_owned(),
            kind: link.kind().name(),
            rel: link.rel().to_vec(),
            text: link.text().to_owned(),
            phrases: link.phrases().map(str::to_owned).collect(),
            show: link.may_show(),
            input: link.may_be_input(),
            follow: link.may_follow(),
            anchor: link.may_credit(),
            why_not_follow: link.why_not_follow().map(PyDirective::new),
            why_not_anchor: link.why_not_credit().map(PyDirective::new),
        }
    }
}

/// A withheld part of a page, and the directive that denies it. `start` and `end` are byte offsets
/// in the decoded page.
#[pyclass(frozen, get_all, name = "Exclusion", module = "heedful")]
pub struct PyExclusion {
    #[pyo3(name = "use")]
    usage: &'static str,
    start: u64,
    end: u64,
    directive: PyDirective,
}

impl PyExclusion {
    fn new(exclusion: &heedful::Exclusion<'_>) -> Self {
        let range = exclusion.range();
        let directive = PyDirective::new(exclusion.directive());
        Self {
            usage: exclusion.usage().name(),
            start: range.start,
            end: range.end,
            directive,
        }
    }
}

/// Note on markup of a page that looks wrong.
#[pyclass(frozen, get_all, name = "Note", module = "heedful")]
pub struct PyNote {
    kind: &'static str,
    line: Option<u32>,
    column: Option<u32>,
    message: String,
    convention: Option<&'static str>,
}

impl PyNote {
    fn new(note: &heedful::Note) -> Self {
        Self {
            kind: note.kind().name(),
            line: note.place().map(heedful::Place::line),
            column: note.place().map(heedful::Place::column),
            message: note.message().to_owned(),
            convention: note.convention(),
        }
    }
}
