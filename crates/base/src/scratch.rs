//! Temporary files, for data that does not fit in memory or must be read twice.

use std::fs::File;
use std::io;
use std::io::{Read, Seek, SeekFrom, Write};

/// A temporary file that disappears with the program. If none can be made, the error names the
/// folder.
pub fn file() -> io::Result<File> {
    tempfile::tempfile().map_err(|error| name_folder(&error))
}

/// Adds the folder to an error.
fn name_folder(error: &io::Error) -> io::Error {
    let folder = std::env::temp_dir();
    io::Error::new(
        error.kind(),
        format!(
            "no temporary file can be made in {} (TMPDIR): {error}",
            folder.display()
        ),
    )
}

/// Pieces of bytes in a temporary file, which is made for the first of them.
#[derive(Debug, Default)]
pub struct Pieces {
    file: Option<File>,
    end: u64,
}

impl Pieces {
    /// Writes a piece at the end, and returns its start and end. Fails if the file would have more
    /// than `most` bytes.
    pub fn write(&mut self, bytes: &[u8], most: u64) -> io::Result<(u64, u64)> {
        let end = self.end.saturating_add(bytes.len() as u64);
        if end > most {
            return Err(io::ErrorKind::StorageFull.into());
        }
        if self.file.is_none() {
            self.file = Some(file()?);
        }
        let Some(file) = &mut self.file else {
            return Err(io::ErrorKind::NotFound.into());
        };
        file.seek(SeekFrom::Start(self.end))?;
        file.write_all(bytes)?;
        Ok((std::mem::replace(&mut self.end, end), end))
    }

    /// Reads the piece between a start and an end.
    pub fn read(&mut self, (start, end): (u64, u64)) -> io::Result<Vec<u8>> {
        let file = self.file.as_mut().ok_or(io::ErrorKind::InvalidData)?;
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take(end - start).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}
