//! Arguments that all functions over whole inputs share, and the inputs opened by them.

use heedful::RobotsTxt;
use heedful::{Filter, Url};
use heedful_input::{Input, Inputs};
use heedful_run as run;
use heedful_run::{Gate, Run};
use pyo3::prelude::*;

use crate::error::setting;
use crate::given::{FileContents, HeaderPairs, Paths, argument, optional};

/// An argument as Python gives it, or none.
pub type Permissions<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// Inputs, and what holds for all of their pages.
pub struct InputRun {
    inputs: Paths,
    url: Option<Url>,
    headers: HeaderPairs,
    robots: Option<FileContents>,
    robots_from: Option<Paths>,
    require_robots: bool,
    jobs: usize,
}

/// What a run needs.
pub struct OpenedInputs {
    pub inputs: Vec<Input>,
    pub gate: Gate,
    /// The filter, which also knows what the inputs say to it.
    pub filter: Filter,
}

impl InputRun {
    pub fn of(
        inputs: &Bound<'_, PyAny>,
        (url, headers): (Permissions<'_, '_>, Permissions<'_, '_>),
        (robots, robots_from, require_robots): (
            Permissions<'_, '_>,
            Permissions<'_, '_>,
            Permissions<'_, '_>,
        ),
        jobs: Permissions<'_, '_>,
    ) -> PyResult<Self> {
        let inputs = argument("inputs", inputs)?;
        let url: Option<String> = optional("url", url)?;
        Ok(Self {
            inputs,
            headers: optional("headers", headers)?.unwrap_or_default(),
            robots: optional("robots", robots)?,
            robots_from: optional("robots_from", robots_from)?,
            require_robots: optional("require_robots", require_robots)?.unwrap_or_default(),
            jobs: optional("jobs", jobs)?.unwrap_or(1).max(1),
            url: url
                .map(|url| {
                    url.parse()
                        .map_err(|error| setting(format!("url: {url}: {error}")))
                })
                .transpose()?,
        })
    }

    /// Opens the inputs, and looks them through for what other pages need.
    pub fn open(&self, how: Inputs, filter: &Filter) -> heedful::Result<OpenedInputs> {
        let limits = filter.limits_set();
        let inputs = how
            .limits(limits.clone())
            .url(self.url.clone())
            .open(&self.inputs.0)?;
        let (gate, filter) = match &self.robots_from {
            Some(paths) => run::survey(
                &Inputs::default().limits(limits.clone()).open(&paths.0)?,
                filter.clone(),
            )?,
            None => run::survey(&inputs, filter.clone())?,
        };
        let gate = if self.require_robots {
            gate.required()
        } else {
            gate
        };
        let gate = match &self.robots {
            Some(robots) => gate.everywhere(RobotsTxt::parse(robots.bytes())),
            None => gate,
        };
        Ok(OpenedInputs {
            inputs,
            gate,
            filter,
        })
    }

    /// The number of pages that are judged at the same time.
    pub fn jobs(&self) -> usize {
        self.jobs
    }

    /// A run over what was opened.
    pub fn run<'a>(&'a self, opened: &'a OpenedInputs) -> Run<'a> {
        Run::new(&opened.inputs, &opened.gate, self.jobs).headers(&self.headers.0)
    }
}
