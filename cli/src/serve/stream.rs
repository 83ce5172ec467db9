//! The pages of a stream. A line whose URL is that of a robots.txt is one, for the pages behind it.

use std::sync::{Arc, Mutex, PoisonError};

use heedful::run::Gate;
use heedful::{Bot, Error, Filter};

use super::answer::joined;
use super::asked::Asked;
use super::lines::Answers;
use super::page::{Found, failed, filtered, row};
use super::state::Service;

/// How the pages of a stream are read.
#[derive(Clone)]
pub(super) struct Pages {
    bots: Arc<[Bot]>,
    filter: Filter,
    asked: Arc<Asked>,
    gate: Arc<Mutex<Gate>>,
    number: u64,
}

impl Pages {
    pub(super) fn new(bots: Vec<Bot>, filter: Filter, asked: Asked) -> Self {
        Self { bots: bots.into(), filter, asked: Arc::new(asked), gate: Arc::default(), number: 0 }
    }

    fn found(&mut self, line: Result<&[u8], Error>) -> Result<Found, Error> {
        self.number += 1;
        Found::of(row(line?, &self.asked)?, self.number)
    }
}

impl Answers for Pages {
    fn answer(&mut self, service: &Service, line: Result<&[u8], Error>) -> String {
        let made = match self.found(line) {
            Ok(mut found) => {
                let mut gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(robots) = found.robots.take() {
                    gate.know(robots);
                }
                filtered(found, &self.filter, &gate, &self.bots)
            }
            Err(error) => failed("", &error, &self.bots),
        };
        service.metrics.page(made.error);
        joined(&made.lines)
    }

    fn failed(&self, error: &Error) -> String {
        joined(&failed("", error, &self.bots).lines)
    }
}
