//! Temporary files, for data that does not fit in memory or must be read twice.

use std::fs::File;
use std::io;

/// A temporary file that disappears with the program. If none can be made, the error names the folder.
pub(crate) fn file() -> io::Result<File> {
    let named = |error: io::Error| {
        let folder = std::env::temp_dir();
        io::Error::new(error.kind(), format!("no temporary file can be made in {} (TMPDIR): {error}", folder.display()))
    };
    tempfile::tempfile().map_err(named)
}
