//! Replacement for `table.rs` in a build without the feature `parquet`. Writing a mask in Parquet
//! then fails before the first answer.

use std::path::Path;

use heedful::Uses;
use heedful_base::built;
use heedful_base::error::{Error, Result};

use super::answer::MaskAnswer;

/// True if this build can write Parquet tables.
pub(super) const IS_BUILT: bool = false;

pub(super) fn write(_: &[MaskAnswer], _: Uses, to: &Path) -> Result<()> {
    Err(Error::setting(format!(
        "{}: {}",
        to.display(),
        built::without_parquet()
    )))
}
