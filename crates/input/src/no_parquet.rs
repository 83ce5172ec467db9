//! Replaces the Parquet reader in a build without the feature `parquet`. In such a build, `open`
//! refuses Parquet inputs before any function of this module is called.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use heedful_base::built;

use super::item::Items;
use super::terms::InputTerms;

/// True in a build that can read Parquet, so false in this one.
pub(super) const IS_BUILT: bool = false;

pub(super) fn items(
    _: File,
    name: &Arc<str>,
    _: String,
    _: u64,
    _: Arc<AtomicU64>,
    _: &Arc<InputTerms>,
) -> Result<Items, String> {
    Err(format!("{name}: {}", built::without_parquet()))
}
