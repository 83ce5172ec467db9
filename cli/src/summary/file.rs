//! The file of `--summary FILE`: the outcome of a run as one JSON object. docs/json.md describes
//! its keys.
//!
//! The summary file is begun before the first page is read, and gets its final name at the end. So
//! if its path cannot be written, the verb ends before it changes anything.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use heedful::{Error, Result};
use heedful_base::new_file::NewFile;
use heedful_json as json;
use heedful_json::ErrorJson;
use serde::Serialize;

use crate::ending::io_error;

/// Maximum number of losses (failed pages and damaged records) that the summary file lists. Further
/// losses are only counted.
const MOST: usize = 1000;

/// The summary file of a run. The file was created, but nothing is written to it yet.
pub(crate) struct SummaryFile(NewFile);

/// The outcome of a run as the JSON object of the summary file.
#[derive(Serialize)]
pub(crate) struct SummaryJson<'a> {
    pub(crate) pages: u64,
    pub(crate) bytes: u64,
    pub(crate) indexed: Option<u64>,
    pub(crate) outcomes: OutcomesJson,
    pub(crate) passed_over: PassedOverJson,
    pub(crate) notes: &'a BTreeMap<&'static str, u64>,
    pub(crate) without_robots: &'a BTreeMap<String, u64>,
    #[serde(flatten)]
    pub(crate) lost: &'a Losses,
    pub(crate) gave_up: bool,
    pub(crate) seconds: f64,
    pub(crate) earlier_robots: u64,
}

/// Numbers of pages in a run, by outcome. Examples of outcomes are disallowed by robots.txt, denied
/// to an index, failed, ignored and removed.
#[derive(Serialize)]
pub(crate) struct OutcomesJson {
    pub(crate) robots: u64,
    pub(crate) noindex: u64,
    pub(crate) failed: u64,
    pub(crate) cut: u64,
    pub(crate) older: u64,
    pub(crate) late: u64,
    pub(crate) absent: u64,
    pub(crate) withdrawn: u64,
}

/// Numbers of records in the input that are not pages, by the reason.
#[derive(Serialize)]
pub(crate) struct PassedOverJson {
    pub(crate) not_html: u64,
    pub(crate) hidden: u64,
    pub(crate) status: u64,
    pub(crate) unchanged: u64,
    pub(crate) damaged: u64,
}

/// The failed pages and damaged records of a run. `lost` has the first [`MOST`] of them.
/// `lost_left_out` is the number of all further ones.
#[derive(Default, Serialize)]
pub(crate) struct Losses {
    lost: Vec<LossJson>,
    lost_left_out: u64,
}

#[derive(Serialize)]
struct LossJson {
    place: String,
    url: Option<String>,
    error: ErrorJson,
}

impl Losses {
    pub(crate) fn add(&mut self, place: &str, url: Option<&str>, error: &Error) {
        if self.lost.len() == MOST {
            self.lost_left_out += 1;
            return;
        }
        self.lost.push(LossJson {
            place: place.to_owned(),
            url: url.map(str::to_owned),
            error: ErrorJson::new(error),
        });
    }
}

impl SummaryFile {
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let file = NewFile::create(path).map_err(io_error(path.display()))?;
        Ok(Self(file))
    }

    pub(crate) fn write(self, summary: &SummaryJson<'_>) -> Result<()> {
        let Self(mut file) = self;
        let path = file.path().to_owned();
        let done = writeln!(file, "{}", json::line(summary)).and_then(|()| file.finish());
        done.map_err(io_error(path.display()))
    }
}
