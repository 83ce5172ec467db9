//! One pass over one page, in pieces. It stays on the thread that opened it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;

use crate::error::{raised, setting};
use crate::given::Contents;
use crate::page::Page;
use crate::robots::RobotsTxt;

/// robots.txt and headers first, then the bytes in pieces of any size, then the end. A context manager too.
#[pyclass(unsendable, module = "heedful")]
pub struct Pass(Option<heedful::Pass>);

impl Pass {
    pub fn new(pass: heedful::Pass) -> Self {
        Self(Some(pass))
    }

    /// A pass in which a bug was found is over, as one that is at its end.
    fn with<T>(&mut self, work: impl FnOnce(&mut heedful::Pass) -> heedful::Result<T>) -> PyResult<T> {
        let mut pass = self.0.take().ok_or_else(over)?;
        let done = guarded(|| work(&mut pass))?;
        self.0 = Some(pass);
        done.map_err(|error| raised(&error))
    }
}

#[pymethods]
impl Pass {
    fn robots_txt(&mut self, robots: &RobotsTxt) -> PyResult<()> {
        self.with(|pass| {
            pass.robots_txt(&robots.0);
            Ok(())
        })
    }

    fn header(&mut self, name: &str, value: &str) -> PyResult<()> {
        self.with(|pass| {
            pass.header(name, value);
            Ok(())
        })
    }

    /// The last bytes of the page are known to be missing.
    fn cut_short(&mut self) -> PyResult<()> {
        self.with(|pass| {
            pass.cut_short();
            Ok(())
        })
    }

    /// Text counts as decoded before: give it from the first piece to the last.
    fn write(&mut self, piece: Contents) -> PyResult<()> {
        self.with(|pass| {
            if matches!(piece, Contents::Text(_)) {
                pass.is_utf8();
            }
            pass.write(piece.bytes())
        })
    }

    /// One page for each bot of the filter.
    fn end_each(&mut self) -> PyResult<Vec<Page>> {
        let pass = self.0.take().ok_or_else(over)?;
        let pages = guarded(|| pass.end_each())?.map_err(|error| raised(&error))?;
        Ok(pages.into_iter().map(Page).collect())
    }

    /// The page for the first bot.
    fn end(&mut self) -> PyResult<Page> {
        let pages = self.end_each()?;
        pages.into_iter().next().ok_or_else(over)
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// Nothing of a page is left that was not ended.
    fn __exit__(&mut self, _kind: Py<PyAny>, _value: Py<PyAny>, _traceback: Py<PyAny>) {
        self.0 = None;
    }
}

fn over() -> PyErr {
    setting("this pass is over")
}

fn guarded<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work))
        .map_err(|_| raised(&heedful::ErrorKind::Internal("the page found a bug".to_owned()).into()))
}
