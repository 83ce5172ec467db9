//! Temporary files, for data that does not fit in memory or must be read twice.
//!
//! The operating system deletes each temporary file when the file is closed, and so when the
//! program ends or crashes. The files are in the system's folder for temporary files, or in
//! `TMPDIR` if that is set.

use std::fs::File;
use std::io;
use std::io::{Read, Seek, SeekFrom, Write};

/// Creates a temporary file. The file is deleted when it is closed.
///
/// # Errors
/// The operating system's error if no temporary file can be created. The message names the folder.
///
/// # Examples
///
/// ```
/// use std::io::{Read, Seek, Write};
///
/// let mut file = heedful_base::scratch::file()?;
/// file.write_all(b"read twice")?;
/// for _ in 0..2 {
///     let mut text = String::new();
///     file.rewind()?;
///     file.read_to_string(&mut text)?;
///     assert_eq!(text, "read twice");
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn file() -> io::Result<File> {
    tempfile::tempfile().map_err(|error| name_folder(&error))
}

/// Returns `error` with the folder of temporary files added to its message.
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

/// Explains `error`, an error in writing a temporary file. If the disk is full or a quota is
/// exceeded, the message names the folder and the size of the temporary files. Any other error is
/// returned unchanged. `written` is the number of bytes that were written to temporary files before
/// the error.
///
/// # Examples
///
/// ```
/// use std::io;
///
/// let full = heedful_base::scratch::write_error(io::ErrorKind::StorageFull.into(), 300 << 20);
/// assert!(full.to_string().contains("(TMPDIR) has no room for more than 300 MiB"));
/// ```
pub fn write_error(error: io::Error, written: u64) -> io::Error {
    let kind = error.kind();
    if !matches!(
        kind,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    ) {
        return error;
    }
    let folder = std::env::temp_dir();
    io::Error::new(
        kind,
        format!(
            "{} (TMPDIR) has no room for more than {} MiB of temporary files: {error}",
            folder.display(),
            written >> 20
        ),
    )
}

/// Storage of byte strings in one temporary file, which is created at the first write. A byte
/// string is read by its offsets.
///
/// # Examples
///
/// ```
/// use heedful_base::scratch::Pieces;
///
/// let mut pieces = Pieces::default();
/// let first = pieces.write(b"rye", 100)?;
/// let second = pieces.write(b"wheat", 100)?;
///
/// assert_eq!(pieces.read(second)?, b"wheat");
/// assert_eq!(pieces.read(first)?, b"rye");
/// assert!(pieces.write(&[0; 100], 100).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Pieces {
    /// The temporary file. `None` before the first call of [`Pieces::write`].
    file: Option<File>,
    /// Length of the temporary file in bytes, which is the offset of the next byte string.
    end: u64,
}

impl Pieces {
    /// Appends `bytes` to the temporary file, and returns the offsets of their start and end. The
    /// file may grow to `most` bytes.
    ///
    /// # Errors
    /// `StorageFull` if the temporary file would have more than `most` bytes. Otherwise the
    /// operating system's error if the file cannot be created or written.
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

    /// Reads a byte string from the temporary file. The string begins at the offset `start` and
    /// ends before the offset `end`. Both offsets must come from [`Pieces::write`].
    ///
    /// # Errors
    /// `InvalidData` if [`Pieces::write`] was never called. The operating system's error if the
    /// file cannot be read.
    pub fn read(&mut self, (start, end): (u64, u64)) -> io::Result<Vec<u8>> {
        let file = self.file.as_mut().ok_or(io::ErrorKind::InvalidData)?;
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take(end - start).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}
