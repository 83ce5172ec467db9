//! A pass over one page whose bytes arrive in pieces.
//!
//! A pass stays on the thread that opened it. The Python object has only the number of the pass, by
//! which that thread finds the pass. A use of the object on another thread raises a `RuntimeError`,
//! which callers can catch. If the object is released on another thread, the number is added to a
//! list that the first thread reads later. This list is dropped with its last owner, so nothing
//! remains after the thread has ended.

use std::cell::RefCell;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::error::{py_error, setting_error};
use crate::given::{FileContents, argument, object};
use crate::page::PyPage;
use crate::robots::PyRobotsTxt;

thread_local! {
    static PASSES: RefCell<ThreadPasses> = RefCell::default();
}

/// The passes over pages that the current thread has opened.
#[derive(Default)]
struct ThreadPasses {
    /// Open passes of the thread. A key is the number of a pass.
    open: HashMap<u64, heedful::Pass>,
    /// Numbers of the passes whose Python objects were released on other threads. The passes are
    /// dropped when this thread opens its next pass.
    released: Released,
}

type Released = Arc<Mutex<Vec<u64>>>;

/// Pass over one page. First the pass gets the site's robots.txt and the page's headers, then the
/// page's bytes in pieces of any size. Then it is ended. A pass is also a context manager.
#[pyclass(frozen, name = "Pass", module = "heedful")]
pub struct PyPass {
    number: u64,
    thread: ThreadId,
    /// List of the pass numbers that were released on other threads. The thread of this pass drops
    /// them.
    released: Released,
    /// True if the JSON of the resulting pages contains their blocks.
    has_blocks: bool,
}

impl PyPass {
    /// Adds `pass` to the open passes of the current thread, and returns its Python object.
    pub fn new(pass: heedful::Pass, has_blocks: bool) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let released = PASSES.with_borrow_mut(|passes| {
            let mut released = locked(&passes.released);
            for number in released.drain(..) {
                passes.open.remove(&number);
            }
            drop(released);
            passes.open.insert(number, pass);
            Arc::clone(&passes.released)
        });
        Self {
            number,
            thread: thread::current().id(),
            released,
            has_blocks,
        }
    }

    /// Removes the pass from the open passes of its thread, and returns it. Fails on any other
    /// thread.
    fn take(&self) -> PyResult<heedful::Pass> {
        if thread::current().id() != self.thread {
            return Err(PyRuntimeError::new_err(
                "a pass belongs to the thread that opened it",
            ));
        }
        PASSES
            .with_borrow_mut(|passes| passes.open.remove(&self.number))
            .ok_or_else(no_pass_error)
    }

    /// Calls `work` with this object's pass over a page. A panic in `work` drops the pass.
    fn update<T>(
        &self,
        work: impl FnOnce(&mut heedful::Pass) -> heedful::Result<T>,
    ) -> PyResult<T> {
        let mut pass = self.take()?;
        let result = catch_panic(|| work(&mut pass))?;
        PASSES.with_borrow_mut(|passes| passes.open.insert(self.number, pass));
        result.map_err(py_error)
    }
}

impl Drop for PyPass {
    fn drop(&mut self) {
        if thread::current().id() == self.thread {
            // A thread that ends has already dropped its passes.
            let _ = PASSES.try_with(|passes| passes.borrow_mut().open.remove(&self.number));
        } else {
            locked(&self.released).push(self.number);
        }
    }
}

fn locked(released: &Released) -> MutexGuard<'_, Vec<u64>> {
    released.lock().unwrap_or_else(PoisonError::into_inner)
}

#[pymethods]
impl PyPass {
    fn robots_txt(&self, robots: &Bound<'_, PyAny>) -> PyResult<()> {
        let robots = object::<PyRobotsTxt>("robots", robots)?.get();
        self.update(|pass| {
            pass.robots_txt(&robots.0);
            Ok(())
        })
    }

    fn header(&self, name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let name: String = argument("name", name)?;
        let value: String = argument("value", value)?;
        self.update(|pass| {
            pass.header(&name, &value);
            Ok(())
        })
    }

    /// Records that the end of the page is missing.
    fn cut_short(&self) -> PyResult<()> {
        self.update(|pass| {
            pass.cut_short();
            Ok(())
        })
    }

    /// Writes the next piece of the page to the pass. A piece is text or bytes, and text counts as
    /// decoded. So either all pieces must be text, or all must be bytes.
    fn write(&self, piece: &Bound<'_, PyAny>) -> PyResult<()> {
        let piece: FileContents = argument("piece", piece)?;
        self.update(|pass| {
            if matches!(piece, FileContents::Text(_)) {
                pass.assume_utf8();
            }
            pass.write(piece.bytes())
        })
    }

    /// Ends the pass. Returns one page for each bot of the filter, with the parts that the bot may
    /// use.
    fn end_each(&self) -> PyResult<Vec<PyPage>> {
        let pass = self.take()?;
        let pages = catch_panic(|| pass.end_each())?.map_err(py_error)?;
        let pages = pages.into_iter();
        Ok(pages
            .map(|page| PyPage::new(page, self.has_blocks))
            .collect())
    }

    /// Ends the pass. Returns the page with the parts that the filter's first bot may use.
    fn end(&self) -> PyResult<PyPage> {
        let pages = self.end_each()?;
        pages.into_iter().next().ok_or_else(no_pass_error)
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// Drops the pass if it was not ended.
    fn __exit__(&self, _kind: Py<PyAny>, _value: Py<PyAny>, _traceback: Py<PyAny>) {
        let _ = self.take();
    }
}

/// Creates the error for a use of a pass that was ended or dropped.
fn no_pass_error() -> PyErr {
    setting_error("this pass is over")
}

/// Runs `work`. If it panics, converts the panic to a Python exception.
fn catch_panic<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    if let Ok(result) = catch_unwind(AssertUnwindSafe(work)) {
        Ok(result)
    } else {
        let bug = heedful::ErrorKind::Internal("the page found a bug".to_owned());
        Err(py_error(bug.into()))
    }
}
