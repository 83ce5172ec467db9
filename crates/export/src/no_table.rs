//! Replaces the module `table` in a build without the feature `parquet`.
//! [`Engine::check_built`](super::engine::Engine) refuses an export of Parquet tables before its
//! first entry.

use std::path::Path;
use std::time::SystemTime;

use heedful::Page;
use heedful_base::built;
use heedful_base::error::{Error, Result};

use super::capture::Capture;
use super::id::DocumentId;
use super::parts::{PartFiles, PartOffset};
use super::table_kind::TableKind;

/// True in a build that can write Parquet, so false in this one.
pub(super) const IS_BUILT: bool = false;

pub(super) fn document(_: DocumentId, _: &str, _: &Page, _: &Capture<'_>, _: bool) -> Vec<u8> {
    Vec::new()
}

pub(super) fn deletion(_: DocumentId, _: Option<SystemTime>) -> Vec<u8> {
    Vec::new()
}

pub(super) fn write(_: TableKind, _: &mut PartFiles, _: &[PartOffset], to: &Path) -> Result<()> {
    Err(Error::setting(format!(
        "{}: {}",
        to.display(),
        built::without_parquet()
    )))
}
