//! The Python class of a robots.txt, which is parsed once for all bots. Also the class of its
//! rulings.

use std::time::SystemTime;

use heedful::Bot;
use heedful_json as json;
use heedful_json::RulingJson;
use pyo3::prelude::*;

use crate::error::py_error;
use crate::given::{FileContents, argument, optional};

/// Parsed robots.txt of a site.
#[pyclass(frozen, name = "RobotsTxt", module = "heedful")]
pub struct PyRobotsTxt(pub heedful::RobotsTxt);

#[pymethods]
impl PyRobotsTxt {
    /// Parses `body`, the bytes of a robots.txt. If `status` is given, `body` is the body of an
    /// HTTP response with this status.
    #[new]
    #[pyo3(signature = (body, status = None))]
    fn new(body: &Bound<'_, PyAny>, status: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let body: FileContents = argument("body", body)?;
        Ok(Self(match optional("status", status)? {
            Some(status) => heedful::RobotsTxt::from_response(status, body.bytes()),
            None => heedful::RobotsTxt::parse(body.bytes()),
        }))
    }

    /// Parses a tdmrep.json. Pass the result to the method `Pass.robots_txt`. A tdmrep.json denies
    /// uses of the pages that it reserves, but never denies fetching them.
    #[staticmethod]
    fn tdmrep(body: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(heedful::RobotsTxt::tdmrep(
            argument::<FileContents>("body", body)?.bytes(),
        )))
    }

    fn allowed(&self, bot: &Bound<'_, PyAny>, url: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(self
            .0
            .ruling(&bot_argument(bot)?, &argument::<String>("url", url)?)
            .allowed())
    }

    /// Returns the robots.txt's ruling on a URL for a bot. `last` is the time of the bot's last
    /// fetch. If the URL is allowed and `at` or `last` is given, the ruling has the earliest time
    /// of the next fetch. This time is not before `at`. If `at` is not given, it is not before the
    /// current time.
    #[pyo3(signature = (bot, url, *, at = None, last = None))]
    fn ruling(
        &self,
        bot: &Bound<'_, PyAny>,
        url: &Bound<'_, PyAny>,
        at: Option<&Bound<'_, PyAny>>,
        last: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyRuling> {
        let bot = bot_argument(bot)?;
        let url: String = argument("url", url)?;
        let at: Option<SystemTime> = optional("at", at)?;
        let last: Option<SystemTime> = optional("last", last)?;
        let ruling = self.0.ruling(&bot, &url);
        let now = at.or(last.map(|_| SystemTime::now()));
        let now = now.filter(|_| ruling.allowed());
        Ok(PyRuling::new(&self.0, &ruling, &bot, &url, now, last))
    }

    /// Returns the earliest time, not before `at`, at which the robots.txt allows a bot to fetch.
    /// `last` is the time of the bot's last fetch.
    #[pyo3(signature = (bot, *, at = None, last = None))]
    fn next_fetch(
        &self,
        bot: &Bound<'_, PyAny>,
        at: Option<&Bound<'_, PyAny>>,
        last: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<SystemTime> {
        let bot = bot_argument(bot)?;
        let at = optional("at", at)?;
        let last = optional("last", last)?;
        Ok(self
            .0
            .next_fetch(&bot, at.unwrap_or_else(SystemTime::now), last))
    }

    /// Returns the minimum number of seconds that the robots.txt sets between two fetches of a bot.
    /// The number may depend on the time `at`.
    #[pyo3(signature = (bot, *, at = None))]
    fn pause(&self, bot: &Bound<'_, PyAny>, at: Option<&Bound<'_, PyAny>>) -> PyResult<f64> {
        let bot = bot_argument(bot)?;
        let at = optional("at", at)?;
        Ok(self
            .0
            .pause(&bot, at.unwrap_or_else(SystemTime::now))
            .as_secs_f64())
    }

    #[getter]
    fn sitemaps(&self) -> Vec<String> {
        self.0.sitemaps().map(str::to_owned).collect()
    }
}

/// Ruling of a robots.txt on one URL for one bot.
#[pyclass(frozen, name = "Ruling", module = "heedful")]
pub struct PyRuling {
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
    #[pyo3(get)]
    next_fetch: Option<SystemTime>,
    #[pyo3(get)]
    pause: Option<f64>,
    json: String,
}

impl PyRuling {
    /// Converts a ruling of the library to a Python object. If `now` is given, the object also has
    /// the earliest time, not before `now`, at which the bot may fetch. `last` is the time of the
    /// bot's last fetch.
    pub fn new(
        robots: &heedful::RobotsTxt,
        ruling: &heedful::Ruling<'_>,
        bot: &Bot,
        url: &str,
        now: Option<SystemTime>,
        last: Option<SystemTime>,
    ) -> Self {
        let mut json = RulingJson::new(robots, ruling, bot, url);
        let mut next = None;
        if let Some(now) = now {
            next = Some(robots.next_fetch(bot, now, last));
            json = json.next_fetch(robots, bot, now, last);
        }
        Self {
            allowed: ruling.allowed(),
            line: ruling.line(),
            rule: ruling.rule().map(std::borrow::Cow::into_owned),
            group: ruling.group(),
            reason: ruling.reason().name(),
            crawl_delay: robots.crawl_delay(bot).map(|delay| delay.as_secs_f64()),
            next_fetch: next,
            pause: next.map(|next| robots.pause(bot, next).as_secs_f64()),
            json: json::line(&json),
        }
    }
}

#[pymethods]
impl PyRuling {
    fn to_json(&self) -> &str {
        &self.json
    }

    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (&self.json,))
    }
}

/// Parses the names of a bot: `NAME`, or `NAME=ALIAS,...`.
pub fn parse_bot(text: &str) -> PyResult<Bot> {
    Bot::parse(text).map_err(py_error)
}

/// Parses the argument `bot` of a Python function.
fn bot_argument(bot: &Bound<'_, PyAny>) -> PyResult<Bot> {
    parse_bot(&argument::<String>("bot", bot)?)
}
