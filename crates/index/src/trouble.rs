//! What may be wrong with an index, in words.

use std::panic::{AssertUnwindSafe, catch_unwind};

use heedful_base::error::{Error, IndexTrouble, Result};

pub(super) fn other_version(folder: &str) -> Error {
    let message =
        format!("{folder} was made by another version of heedful: index again into a new folder");
    Error::index(IndexTrouble::OtherVersion, message)
}

/// Does work on files that may be damaged: tantivy may panic when it reads one.
pub(super) fn catch_panics<T>(folder: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let message = format!(
            "the index in {folder} is damaged: `heedful stats --check {folder}` says where"
        );
        Err(Error::index(IndexTrouble::Damaged, message))
    })
}

pub(super) fn trouble(folder: &str, error: &dyn std::fmt::Display) -> Error {
    Error::index(
        IndexTrouble::Damaged,
        format!("the index in {folder}: {error}"),
    )
}
