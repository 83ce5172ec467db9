//! The files of an evidence log in one folder, accessed by their names.
//!
//! A file of a log is written once and synced, or replaced atomically. So a crash leaves each file
//! complete or absent. On Unix, the files that link URLs to entries can be read only by their
//! owner.

use std::fmt::Debug;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use heedful_base::error::{Error, ErrorKind, Result};
use heedful_base::new_file;

use super::head::is_secret;

/// A folder with the files of an evidence log.
pub(crate) trait LogFiles: Debug + Send + Sync {
    /// Reads a file, or only the bytes of `range`. Returns an error if the file ends before the end
    /// of the range.
    fn read(&self, name: &str, range: Option<Range<u64>>) -> io::Result<Vec<u8>>;
    /// Writes and syncs a new file. An existing file with this name is a remnant of an interrupted
    /// run, and is overwritten.
    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()>;
    /// Replaces the content of a file atomically: a crash leaves either the old or the new content.
    fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()>;
    fn delete(&self, name: &str) -> io::Result<()>;
    /// Returns the names of all files in the folder.
    fn names(&self) -> io::Result<Vec<String>>;
    /// Syncs the folder, so that new file names survive a crash.
    fn sync(&self) -> io::Result<()>;
    /// Returns the path of the folder, for error messages.
    fn place(&self) -> String;
}

impl dyn LogFiles + '_ {
    /// Converts an I/O error on the file `name` into an error with the file's path.
    pub(super) fn file_error(&self, name: &str, source: io::Error) -> Error {
        let subject = format!("{}/{name}", self.place());
        ErrorKind::Io { subject, source }.into()
    }

    /// Converts an I/O error on the folder into an error that names the folder's path.
    pub(super) fn in_folder<T>(&self, result: io::Result<T>) -> Result<T> {
        match result {
            Ok(value) => Ok(value),
            Err(source) => {
                let subject = self.place();
                Err(ErrorKind::Io { subject, source }.into())
            }
        }
    }

    /// Reads a whole file of the folder.
    pub(super) fn read_file(&self, name: &str) -> Result<Vec<u8>> {
        match self.read(name, None) {
            Ok(bytes) => Ok(bytes),
            Err(source) => Err(self.file_error(name, source)),
        }
    }
}

/// The folder of an evidence log in the file system.
#[derive(Debug)]
pub(crate) struct LogFolder {
    path: PathBuf,
    /// Lock file that this writer has locked. `None` if the folder was opened for reading.
    _lock: Option<File>,
}

const LOCK: &str = "lock";
/// Unix mode of a file that only its owner can read and write.
#[cfg(unix)]
const OWNERS: u32 = 0o600;

impl LogFolder {
    /// Opens the folder of a log for reading, without a lock.
    pub(crate) fn open(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            _lock: None,
        }
    }

    /// Locks the folder of a log for writing, and creates the folder if it is missing.
    pub(crate) fn lock(path: &Path) -> Result<Self> {
        let lock = match create_lock(path) {
            Ok(lock) => lock,
            Err(source) => {
                let subject = path.join(LOCK).display().to_string();
                return Err(ErrorKind::Io { subject, source }.into());
            }
        };
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => Err(Error::evidence(format!(
                "another program is writing to {}",
                path.display()
            ))),
            _ => Ok(Self {
                path: path.to_owned(),
                _lock: Some(lock),
            }),
        }
    }
}

/// Creates the folder of a log if it is missing, and opens its lock file.
fn create_lock(folder: &Path) -> io::Result<File> {
    if !folder.exists() {
        fs::create_dir_all(folder)?;
        let parent = match folder.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        // Some systems cannot sync a folder.
        if let Ok(parent) = File::open(parent) {
            let _ = parent.sync_all();
        }
    }
    new_file::open_own(&folder.join(LOCK))
}

/// Creates an empty file in place of an existing one. Whatever is there is removed and never opened,
/// so nothing is written through a link. A secret file has its restricted Unix mode from the start.
fn create_file(path: &Path, is_secret: bool) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if is_secret {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, OWNERS);
    }
    #[cfg(not(unix))]
    let _ = is_secret;
    options.open(path)
}

/// Opens a file for reading. Fails if it is no regular file: a FIFO or a device may never end.
fn open_file(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    File::open(path)
}

impl LogFiles for LogFolder {
    fn read(&self, name: &str, range: Option<Range<u64>>) -> io::Result<Vec<u8>> {
        let mut file = open_file(&self.path.join(name))?;
        let mut bytes = Vec::new();
        let Some(range) = range else {
            file.read_to_end(&mut bytes)?;
            return Ok(bytes);
        };
        file.seek(SeekFrom::Start(range.start))?;
        let length = range.end.saturating_sub(range.start);
        file.take(length).read_to_end(&mut bytes)?;
        if (bytes.len() as u64) < length {
            Err(io::ErrorKind::UnexpectedEof.into())
        } else {
            Ok(bytes)
        }
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut file = create_file(&self.path.join(name), is_secret(name))?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let next = format!("{name}.next");
        self.write(&next, bytes)?;
        fs::rename(self.path.join(next), self.path.join(name))?;
        self.sync()
    }

    fn delete(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name != LOCK {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn sync(&self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()
    }

    fn place(&self) -> String {
        self.path.display().to_string()
    }
}
