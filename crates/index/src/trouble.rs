//! Converts errors and panics of tantivy into heedful's errors, which name the folder of the index.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use heedful_base::error::{Error, IndexTrouble, Result};

use super::bounds;

pub(super) fn other_version(folder: &str) -> Error {
    let message =
        format!("{folder} was made by another version of heedful: index again into a new folder");
    Error::index(IndexTrouble::OtherVersion, message)
}

/// Calls `work` and converts a panic in it into an error that names `folder`. tantivy may panic on
/// a damaged file.
pub(super) fn catch_panics<T>(folder: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        Err(_) => {
            let message = format!(
                "the index in {folder} is damaged: `heedful stats --check {folder}` says where"
            );
            Err(Error::index(IndexTrouble::Damaged, message))
        }
    }
}

/// Converts an error of tantivy or of the operating system into an error that names the folder of
/// an index.
pub(super) trait ErrorContext<T> {
    /// Returns this result. If it is an error, the error names the index's folder.
    fn in_folder(self, folder: &str) -> Result<T>;
}

impl<T, E: Display> ErrorContext<T> for std::result::Result<T, E> {
    fn in_folder(self, folder: &str) -> Result<T> {
        match self {
            Ok(value) => Ok(value),
            Err(error) => Err(trouble(folder, &error)),
        }
    }
}

pub(super) fn trouble(folder: &str, error: &dyn Display) -> Error {
    let error = error.to_string();
    let cause = bounds::explanation(&error).unwrap_or(&error);
    Error::index(
        IndexTrouble::Damaged,
        format!("the index in {folder}: {cause}"),
    )
}
