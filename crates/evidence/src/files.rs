//! The files of a log: whole files by name, in one folder.
//!
//! A file is written once and synced, or replaced in one step. So a crash leaves each one whole, or
//! not there. On Unix, files that lead from URLs to entries can be read by their owner alone.

use std::fmt::Debug;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use heedful_base::error::{Error, ErrorKind, Result};

use super::head::is_secret;

/// A folder of files.
pub(crate) trait LogFiles: Debug + Send + Sync {
    /// The bytes of a file; of this range only, if one is given. A file that ends before the range
    /// is an error.
    fn read(&self, name: &str, range: Option<Range<u64>>) -> io::Result<Vec<u8>>;
    /// Writes a new file, synced. One that is there was left by a run that broke off.
    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()>;
    /// Replaces a file in one step.
    fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()>;
    fn delete(&self, name: &str) -> io::Result<()>;
    /// The names of all files.
    fn names(&self) -> io::Result<Vec<String>>;
    /// Makes the names of new files last.
    fn sync(&self) -> io::Result<()>;
    /// The folder, for messages.
    fn place(&self) -> String;
}

impl dyn LogFiles + '_ {
    /// Names a file of the folder in an error of the system.
    pub(super) fn file_error(&self, name: &str, source: io::Error) -> Error {
        let what = format!("{}/{name}", self.place());
        ErrorKind::Io { what, source }.into()
    }

    /// Names the folder in an error of the system.
    pub(super) fn in_folder<T>(&self, result: io::Result<T>) -> Result<T> {
        match result {
            Ok(value) => Ok(value),
            Err(source) => {
                let what = self.place();
                Err(ErrorKind::Io { what, source }.into())
            }
        }
    }

    /// Reads a whole file.
    pub(super) fn read_file(&self, name: &str) -> Result<Vec<u8>> {
        match self.read(name, None) {
            Ok(bytes) => Ok(bytes),
            Err(source) => Err(self.file_error(name, source)),
        }
    }
}

/// A folder on disk.
#[derive(Debug)]
pub(crate) struct LogFolder {
    path: PathBuf,
    /// Held by the only writer.
    _lock: Option<File>,
}

const LOCK: &str = "lock";
/// The mode of a file that only its owner reads and writes.
#[cfg(unix)]
const OWNERS: u32 = 0o600;

impl LogFolder {
    /// Opens a folder for reading.
    pub(crate) fn open(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            _lock: None,
        }
    }

    /// Opens a folder for the only writer, and makes it if it is not there.
    pub(crate) fn lock(path: &Path) -> Result<Self> {
        let lock = match create_lock(path) {
            Ok(lock) => lock,
            Err(source) => {
                let what = path.display().to_string();
                return Err(ErrorKind::Io { what, source }.into());
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

/// Creates the folder of a log if it is missing, and opens its lock.
fn create_lock(folder: &Path) -> io::Result<File> {
    if !folder.exists() {
        fs::create_dir_all(folder)?;
        let parent = match folder.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        // Not every system lets a folder be synced.
        if let Ok(parent) = File::open(parent) {
            let _ = parent.sync_all();
        }
    }
    File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(folder.join(LOCK))
}

/// Creates a file, or empties the one that is there. A secret is its owner's alone before it has a
/// byte.
fn create_file(path: &Path, is_secret: bool) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    if is_secret {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        let file = options.mode(OWNERS).open(path)?;
        // A file that a run left behind keeps its mode.
        file.set_permissions(fs::Permissions::from_mode(OWNERS))?;
        return Ok(file);
    }
    #[cfg(not(unix))]
    let _ = is_secret;
    options.open(path)
}

impl LogFiles for LogFolder {
    fn read(&self, name: &str, range: Option<Range<u64>>) -> io::Result<Vec<u8>> {
        let mut file = File::open(self.path.join(name))?;
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
