//! robots.txt, parsed once for all bots.

use std::time::SystemTime;

use heedful::Bot;
use heedful_json as json;
use heedful_json::RulingJson;
use pyo3::prelude::*;

use crate::error::raised;
use crate::given::{FileContents, argument, optional};

/// A site's robots.txt.
#[pyclass(frozen, name = "RobotsTxt", module = "heedful")]
pub struct PyRobotsTxt(pub heedful::RobotsTxt);

#[pymethods]
impl PyRobotsTxt {
    /// `body` is the file's bytes. With `status`, it is read as the body of a response with that
    /// status.
    #[new]
    #[pyo3(signature = (body, status = None))]
    fn new(body: &Bound<'_, PyAny>, status: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let (body, status): (FileContents, _) =
            (argument("body", body)?, optional("status", status)?);
        Ok(Self(match status {
            Some(status) => heedful::RobotsTxt::from_response(status, body.bytes()),
            None => heedful::RobotsTxt::parse(body.bytes()),
        }))
    }

    /// A tdmrep.json, for `Pass.robots_txt`. Reserved uses are denied, and it keeps nobody out.
    #[staticmethod]
    fn tdmrep(body: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(heedful::RobotsTxt::tdmrep(
            argument::<FileContents>("body", body)?.bytes(),
        )))
    }

    fn allowed(&self, bot: &Bound<'_, PyAny>, url: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(self
            .0
            .ruling(&asked(bot)?, &argument::<String>("url", url)?)
            .allowed())
    }

    /// Answers for a URL. With a clock `at`, it also tells when the bot may fetch next, if it
    /// fetched at `last`.
    #[pyo3(signature = (bot, url, *, at = None, last = None))]
    fn ruling(
        &self,
        bot: &Bound<'_, PyAny>,
        url: &Bound<'_, PyAny>,
        at: Option<&Bound<'_, PyAny>>,
        last: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyRuling> {
        let (bot, url): (_, String) = (asked(bot)?, argument("url", url)?);
        let (at, last): (Option<SystemTime>, Option<SystemTime>) =
            (optional("at", at)?, optional("last", last)?);
        let ruling = self.0.ruling(&bot, &url);
        let asked = at
            .or(last.map(|_| SystemTime::now()))
            .filter(|_| ruling.allowed());
        Ok(PyRuling::of(
            &self.0,
            &ruling,
            (&bot, &url),
            asked.map(|now| (now, last)),
        ))
    }

    /// The first moment, `at` or later, at which a bot may fetch, if it fetched at `last`.
    #[pyo3(signature = (bot, *, at = None, last = None))]
    fn next_fetch(
        &self,
        bot: &Bound<'_, PyAny>,
        at: Option<&Bound<'_, PyAny>>,
        last: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<SystemTime> {
        let (bot, at, last) = (asked(bot)?, optional("at", at)?, optional("last", last)?);
        Ok(self
            .0
            .next_fetch(&bot, at.unwrap_or_else(SystemTime::now), last))
    }

    /// The seconds that a bot is asked to wait between two fetches at that moment.
    #[pyo3(signature = (bot, *, at = None))]
    fn pause(&self, bot: &Bound<'_, PyAny>, at: Option<&Bound<'_, PyAny>>) -> PyResult<f64> {
        let (bot, at) = (asked(bot)?, optional("at", at)?);
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

/// The answer to one bot for one URL.
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
    /// The answer as an object. With a clock, and when the bot fetched last, it also tells when the
    /// bot may fetch next.
    pub fn of(
        robots: &heedful::RobotsTxt,
        ruling: &heedful::Ruling<'_>,
        (bot, url): (&Bot, &str),
        clock: Option<(SystemTime, Option<SystemTime>)>,
    ) -> Self {
        let next = clock.map(|(now, last)| robots.next_fetch(bot, now, last));
        let json = RulingJson::new(robots, ruling, bot, url);
        let json = if let Some((now, last)) = clock {
            json.next_fetch(robots, bot, now, last)
        } else {
            json
        };
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

/// A bot: NAME, or NAME=ALIAS,...
pub fn named(text: &str) -> PyResult<Bot> {
    Bot::parse(text).map_err(|error| raised(&error))
}

/// The bot that an argument names.
fn asked(bot: &Bound<'_, PyAny>) -> PyResult<Bot> {
    named(&argument::<String>("bot", bot)?)
}
