//! robots.txt, parsed once for all bots.

use heedful::Bot;
use heedful::json::RulingJson;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::error::{raised, setting};

/// A site's robots.txt.
#[pyclass(frozen, module = "heedful")]
pub struct RobotsTxt(pub heedful::RobotsTxt);

#[pymethods]
impl RobotsTxt {
    /// The file's bytes; with `status`, what a response of that status and body means.
    #[new]
    #[pyo3(signature = (body, status = None))]
    fn new(body: Contents, status: Option<u16>) -> Self {
        Self(match status {
            Some(status) => heedful::RobotsTxt::from_response(status, body.bytes()),
            None => heedful::RobotsTxt::parse(body.bytes()),
        })
    }

    fn allowed(&self, bot: &str, url: &str) -> PyResult<bool> {
        Ok(self.0.ruling(&named(bot)?, url).allowed())
    }

    fn ruling(&self, bot: &str, url: &str) -> PyResult<Ruling> {
        let bot = named(bot)?;
        let ruling = self.0.ruling(&bot, url);
        Ok(Ruling {
            allowed: ruling.allowed(),
            line: ruling.line(),
            rule: ruling.rule().map(std::borrow::Cow::into_owned),
            group: ruling.group(),
            reason: ruling.reason().name(),
            crawl_delay: self.0.crawl_delay(&bot).map(|delay| delay.as_secs_f64()),
            json: serde_json::to_string(&RulingJson::of(&self.0, &ruling, &bot, url)).map_err(setting)?,
        })
    }

    #[getter]
    fn sitemaps(&self) -> Vec<String> {
        self.0.sitemaps().map(str::to_owned).collect()
    }
}

/// What it says to one bot of one URL.
#[pyclass(frozen, module = "heedful")]
pub struct Ruling {
    #[pyo3(get)]
    allowed: bool,
    #[pyo3(get)]
    line: Option<u32>,
    #[pyo3(get)]
    rule: Option<String>,
    #[pyo3(get)]
    group: Option<String>,
    #[pyo3(get)]
    reason: &'static str,
    #[pyo3(get)]
    crawl_delay: Option<f64>,
    json: String,
}

#[pymethods]
impl Ruling {
    fn to_json(&self) -> &str {
        &self.json
    }

    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (&self.json,))
    }
}

/// A bot: NAME, or NAME=ALIAS,...
pub fn named(text: &str) -> PyResult<Bot> {
    Bot::parse(text).map_err(|error| raised(&error))
}

/// Text that was decoded before, or bytes.
#[derive(FromPyObject)]
pub enum Contents {
    Text(String),
    Bytes(PyBackedBytes),
}

impl Contents {
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}
