//! Censuses as `heedful census` makes them, for whole inputs and for batches of rows. A census
//! counts the statements of publishers.
//!
//! The library merges censuses exactly. If each machine of a cluster counts a part of the input,
//! the merged census has the same bits as the census of a single program over the whole input.

use arrow_array::RecordBatch;
use heedful_census::{CensusRow, Counter};
use heedful_input::{Inputs, Item};
use heedful_report::CensusReport;
use heedful_run as run;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::error::{batch_error, py_error};
use crate::filter::{PyFilter, rows_and_gate};
use crate::given::{FileContents, argument, object, optional};
use crate::whole::{InputArguments, InputRun};

/// A census: counts of publishers' statements, over pages and sites.
#[pyclass(frozen, eq, name = "Census", module = "heedful")]
#[derive(Clone, PartialEq)]
pub struct PyCensus(heedful_census::Census);

#[pymethods]
impl PyCensus {
    /// Parses a census from its JSON, the result of the method `json`.
    #[staticmethod]
    fn parse(py: Python<'_>, json: &Bound<'_, PyAny>) -> PyResult<Self> {
        let json: FileContents = argument("json", json)?;
        let text = String::from_utf8_lossy(json.bytes());
        py.detach(|| heedful_census::Census::parse(&text))
            .map(Self)
            .map_err(py_error)
    }

    /// Returns the sum of this census and the censuses `others`, as a new census.
    #[pyo3(signature = (*others))]
    fn merge(&self, others: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let mut whole = self.0.clone();
        for other in others {
            whole
                .merge(&object::<Self>("others", &other)?.get().0)
                .map_err(py_error)?;
        }
        Ok(Self(whole))
    }

    fn __add__(&self, other: PyRef<'_, Self>) -> PyResult<Self> {
        let mut whole = self.0.clone();
        whole.merge(&other.0).map_err(py_error)?;
        Ok(Self(whole))
    }

    fn json(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.json())
    }

    fn html(&self, py: Python<'_>) -> String {
        py.detach(|| CensusReport::new(&self.0).html())
    }

    /// Number of pages in the census.
    #[getter]
    fn pages(&self) -> u64 {
        self.0.count(CensusRow::Pages).pages
    }

    /// Number of sites in the census. If there are more sites than the census stores, the number is
    /// an estimate.
    #[getter]
    fn sites(&self) -> u64 {
        self.0.sites()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Self>().getattr("parse")?, (self.json(py),)))
    }

    fn __repr__(&self) -> String {
        format!("<heedful.Census of {} pages>", self.pages())
    }
}

/// Counts the pages of whole inputs, and returns their census.
#[pyfunction]
#[pyo3(signature = (inputs, filter, *, url = None, headers = None, robots = None, robots_from = None, require_robots = None,
    jobs = None), text_signature = "(inputs, filter, *, url=None, headers=None, robots=None, robots_from=None, \
require_robots=False, jobs=1)")]
pub fn census(
    py: Python<'_>,
    inputs: &Bound<'_, PyAny>,
    filter: &Bound<'_, PyAny>,
    url: Option<&Bound<'_, PyAny>>,
    headers: Option<&Bound<'_, PyAny>>,
    robots: Option<&Bound<'_, PyAny>>,
    robots_from: Option<&Bound<'_, PyAny>>,
    require_robots: Option<&Bound<'_, PyAny>>,
    jobs: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyCensus> {
    let filter = object::<PyFilter>("filter", filter)?.get();
    let whole = InputRun::new(
        inputs,
        InputArguments {
            url,
            headers,
            robots,
            robots_from,
            require_robots,
            jobs,
        },
    )?;
    let count = || -> heedful::Result<_> {
        let opened = whole.open(Inputs::default(), &filter.filter())?;
        let counter = Counter::new(&opened.filter)?;
        let mut census = counter.census();
        let run = whole
            .run(&opened)
            .limits(opened.filter.get_limits())
            .now(filter.now());
        run.count(&counter, &mut census, |_, _| Ok(()))?;
        Ok(PyCensus(census))
    };
    py.detach(count).map_err(py_error)
}

/// Counts the pages in the rows of a batch, and returns their census.
#[pyfunction]
#[pyo3(signature = (batch, filter, *, robots = None))]
pub fn census_batch(
    py: Python<'_>,
    batch: &Bound<'_, PyAny>,
    filter: &Bound<'_, PyAny>,
    robots: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyCensus> {
    let batch: RecordBatch = argument("batch", batch)?;
    let filter = object::<PyFilter>("filter", filter)?.get().filter();
    let robots: Option<RecordBatch> = optional("robots", robots)?;
    let counter = Counter::new(&filter).map_err(py_error)?;
    let count = || {
        let (rows, gate) = rows_and_gate(&batch, robots.as_ref())?;
        let mut census = counter.census();
        for (_, items) in rows {
            let Ok(items) = items else {
                census.add_outcome("damaged");
                continue;
            };
            for item in items {
                if !matches!(item, Item::Robots(_)) {
                    run::record(&mut census, &run::count_one(item, &counter, &gate));
                }
            }
        }
        Ok(PyCensus(census))
    };
    py.detach(count).map_err(batch_error)
}

/// Returns a census of one record that is not a page. `what` names the record's outcome. If `what`
/// is `None`, the census is empty.
#[pyfunction]
#[pyo3(name = "_passed_over")]
pub fn passed_over(filter: &Bound<'_, PyAny>, what: Option<&str>) -> PyResult<PyCensus> {
    let filter = object::<PyFilter>("filter", filter)?.get().filter();
    let mut census = Counter::new(&filter).map_err(py_error)?.census();
    if let Some(what) = what {
        census.add_outcome(what);
    }
    Ok(PyCensus(census))
}
