//! The state that all requests to the service share: the operator's rules, the limits, the metrics,
//! and the index if there is one.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use heedful::{Bot, Conventions, Filter, Limits, Result};

use crate::args::ServeArgs;
use crate::ending::setting;
use crate::run_args::{jobs, limits};
use crate::terms_args::TermsArgs;

use super::asked::FilterParams;
use super::bounds::Bounds;
use super::budget::Budget;
use super::cores::Cores;
use super::counts::Metrics;
use super::log::ServiceLog;
use super::opened::ServedIndex;

pub(super) type ServerState = Arc<Service>;

/// The state that all requests to the service share.
#[derive(Debug)]
pub(super) struct Service {
    pub(super) limits: Limits,
    pub(super) bounds: Bounds,
    pub(super) cores: Cores,
    pub(super) bodies: Budget,
    pub(super) metrics: Metrics,
    /// The index of `heedful serve INDEX`. `None` if the service has no index.
    pub(super) index: Option<ServedIndex>,
    /// Host names that the option `--host` sets. Clients may call the service by these names, and
    /// by the names of the loopback address.
    pub(super) hosts: Vec<String>,
    pub(super) log: Arc<ServiceLog>,
    terms: TermsArgs,
    /// The operator's convention files, which are read once at the start: the path and the text of
    /// each file.
    own: Vec<(PathBuf, String)>,
}

impl Service {
    pub(super) fn new(args: &ServeArgs) -> Result<Self> {
        if !args.listen.is_loopback() && args.host.is_empty() {
            return Err(setting(format!(
                "other machines reach the service at {}: say by which name they call it, as in `--host \
                 heedful.internal` (may be repeated; an address is a name too). Without, any web page could make a \
                 visitor's browser ask it, by a name of its own",
                args.listen
            )));
        }
        let limits = limits(None, &args.limit)?;
        let bounds = Bounds::new(&limits);
        let metrics = Metrics::new();
        let service = Self {
            bounds,
            cores: Cores::new(jobs(args.jobs), bounds.requests, metrics.answering()),
            bodies: Budget::new(bounds.bodies_bytes),
            log: Arc::new(ServiceLog::start(
                args.log.is_some(),
                metrics.log_lines_lost(),
            )),
            metrics,
            index: ServedIndex::open(args)?,
            hosts: args.host.clone(),
            own: args.terms.own_files()?,
            terms: args.terms.clone(),
            limits,
        };
        // An error in the operator's rules must stop the start, and not fail the first request.
        drop(service.filter(&FilterParams::default())?);
        Ok(service)
    }

    /// Returns the bots for which a request wants pages judged. If it names none, returns the bots
    /// of the operator's options.
    pub(super) fn bots(&self, asked: &FilterParams) -> Result<Vec<Bot>> {
        if asked.bots.is_empty() {
            self.terms.bots()
        } else {
            Ok(asked.bots.clone())
        }
    }

    /// Returns the conventions that a request names. If it names none, returns the conventions of
    /// the operator's options. Conventions that the operator defined are always added.
    pub(super) fn conventions(&self, asked: &FilterParams) -> Result<Conventions> {
        let named = asked
            .conventions
            .clone()
            .or_else(|| self.terms.conventions.clone());
        self.terms.with_own(named.unwrap_or_default(), &self.own)
    }

    /// Returns the time as of which the pages of a request are judged. This is the time that the
    /// request states. If the request states none, it is the time of the operator's options, or
    /// else the current time.
    pub(super) fn now(&self, asked: &FilterParams) -> SystemTime {
        asked.at.unwrap_or_else(|| self.terms.now())
    }

    /// Creates the filter for the pages of a request, with all rules of the operator.
    pub(super) fn filter(&self, asked: &FilterParams) -> Result<Filter> {
        let terms = TermsArgs {
            bot: self.bots(asked)?,
            ..self.terms.clone()
        };
        let filter = terms.filter(self.conventions(asked)?, self.limits.clone())?;
        let filter = filter.now(self.now(asked));
        Ok(if let Some(mode) = asked.mode {
            filter.robots_mode(mode)
        } else {
            filter
        })
    }
}
