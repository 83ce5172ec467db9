//! The Python arguments that all functions over whole inputs have in common. Also opens these
//! inputs.

use heedful::RobotsTxt;
use heedful::{Filter, Url};
use heedful_input::{Input, Inputs};
use heedful_run as run;
use heedful_run::{Gate, Run};
use pyo3::prelude::*;

use crate::error::setting_error;
use crate::given::{FileContents, HeaderPairs, Paths, argument, optional};

/// Optional argument of a Python function, before its conversion.
pub type Argument<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// The Python arguments that all functions over whole inputs have in common, except the inputs
/// themselves.
pub struct InputArguments<'a, 'py> {
    pub url: Argument<'a, 'py>,
    pub headers: Argument<'a, 'py>,
    pub robots: Argument<'a, 'py>,
    pub robots_from: Argument<'a, 'py>,
    pub require_robots: Argument<'a, 'py>,
    pub jobs: Argument<'a, 'py>,
}

/// The parsed arguments of a function that reads whole inputs. They are the paths of the inputs,
/// and settings that apply to all pages of the inputs.
pub struct InputRun {
    inputs: Paths,
    url: Option<Url>,
    headers: HeaderPairs,
    robots: Option<FileContents>,
    robots_from: Option<Paths>,
    require_robots: bool,
    jobs: usize,
}

/// Opened inputs, with the gate and the filter for their pages. The gate is the set of robots.txt
/// files that decide which pages are filtered.
pub struct OpenedInputs {
    pub inputs: Vec<Input>,
    pub gate: Gate,
    /// The caller's filter, extended with the names of bots and the licences in the inputs.
    pub filter: Filter,
}

impl InputRun {
    /// Parses the arguments of a function over whole inputs.
    pub fn new(inputs: &Bound<'_, PyAny>, arguments: InputArguments<'_, '_>) -> PyResult<Self> {
        let inputs = argument("inputs", inputs)?;
        let url: Option<String> = optional("url", arguments.url)?;
        Ok(Self {
            inputs,
            headers: optional("headers", arguments.headers)?.unwrap_or_default(),
            robots: optional("robots", arguments.robots)?,
            robots_from: optional("robots_from", arguments.robots_from)?,
            require_robots: optional("require_robots", arguments.require_robots)?
                .unwrap_or_default(),
            jobs: optional("jobs", arguments.jobs)?.unwrap_or(1).max(1),
            url: url.map(|url| parse_url(&url)).transpose()?,
        })
    }

    /// Opens the inputs. Searches them for robots.txt files, names of bots and licences, which
    /// apply to all pages. If `robots_from` is given, searches the inputs that it names instead.
    pub fn open(&self, options: Inputs, filter: &Filter) -> heedful::Result<OpenedInputs> {
        let limits = filter.get_limits();
        let inputs = options
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
            Some(robots) => gate.with_robots_for_all_sites(RobotsTxt::parse(robots.bytes())),
            None => gate,
        };
        Ok(OpenedInputs {
            inputs,
            gate,
            filter,
        })
    }

    /// Returns the number of pages that are filtered at the same time.
    pub fn jobs(&self) -> usize {
        self.jobs
    }

    /// Creates a [`Run`] of the library over the opened inputs.
    pub fn run<'a>(&'a self, opened: &'a OpenedInputs) -> Run<'a> {
        Run::new(&opened.inputs, &opened.gate, self.jobs).headers(&self.headers.0)
    }
}

/// Parses the argument `url` of a function over whole inputs.
fn parse_url(url: &str) -> PyResult<Url> {
    url.parse()
        .map_err(|error| setting_error(format!("url: {url}: {error}")))
}
