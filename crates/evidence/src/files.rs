//! The files of a log in one folder and its subfolders, accessed by their names.
//!
//! A file of a log is written once and synced, or replaced atomically. So a crash leaves each file
//! complete or absent. On Unix, the files in `private` can be read only by their owner, from their
//! creation.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use heedful_base::error::{Error, ErrorKind, Result};
use heedful_base::new_file;

/// Name of the folder with the records and hashed URLs of the entries, and with the private key of
/// the log. The files in it must not be published.
pub(super) const PRIVATE: &str = "private";
/// Suffix of the name of a file that is not complete yet.
pub(super) const UNFINISHED: &str = ".next";
const LOCK: &str = "lock";

/// Access to the files of a log by their names. The name of a file in a subfolder has slashes.
pub(crate) trait LogFiles: Debug + Send + Sync {
    fn read(&self, name: &str) -> io::Result<Vec<u8>>;
    /// Writes a new file and syncs its content. An existing file with this name was left by an
    /// interrupted run, and is overwritten.
    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()>;
    /// Replaces the content of the file `name` atomically: after a crash, the file has either the
    /// old or the new content.
    fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()>;
    fn delete(&self, name: &str) -> io::Result<()>;
    /// Returns the names of all files of the log.
    fn names(&self) -> io::Result<Vec<String>>;
    /// Syncs the log's folders, so that new file names survive a crash.
    fn sync(&self) -> io::Result<()>;
    /// Returns the path of the log's folder. Error messages name this folder. Each commit of an
    /// index stores the path, so that the index can find its log again.
    fn place(&self) -> String;
}

impl dyn LogFiles + '_ {
    /// Converts an I/O error about the file `name` to an [`ErrorKind::Io`] that has the path of the
    /// file.
    pub(super) fn file_error(&self, name: &str, source: io::Error) -> Error {
        let subject = format!("{}/{name}", self.place());
        ErrorKind::Io { subject, source }.into()
    }

    /// Converts an I/O error about the log's folder to an [`ErrorKind::Io`] that has the path of
    /// the folder.
    pub(super) fn in_folder<T>(&self, result: io::Result<T>) -> Result<T> {
        result.map_err(|source| {
            let subject = self.place();
            ErrorKind::Io { subject, source }.into()
        })
    }

    /// Reads the file `name`. Returns `None` if there is no file of this name.
    pub(super) fn read_if_any(&self, name: &str) -> Result<Option<Vec<u8>>> {
        match self.read(name) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.file_error(name, error)),
        }
    }

    pub(super) fn write_file(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let written = self.write(name, bytes);
        written.map_err(|error| self.file_error(name, error))
    }

    pub(super) fn replace_file(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let replaced = self.replace(name, bytes);
        replaced.map_err(|error| self.file_error(name, error))
    }
}

/// Folder of a log in the file system.
#[derive(Debug)]
pub(crate) struct LogFolder {
    path: PathBuf,
    /// Paths of folders that have new files and are not synced yet.
    unsynced: Mutex<BTreeSet<PathBuf>>,
    /// Lock file that a writer keeps locked. `None` if the folder was opened for reading.
    _lock: Option<File>,
}

impl LogFolder {
    /// Opens the folder of a log for reading. No lock is taken.
    pub(crate) fn open(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            unsynced: Mutex::default(),
            _lock: None,
        }
    }

    /// Opens the folder of a log for writing, and locks it against other writers. Creates the
    /// folder if it is missing.
    pub(crate) fn lock(path: &Path) -> Result<Self> {
        let folder = Self::open(path);
        let lock = folder.create_lock();
        let lock = lock.map_err(|error| (&folder as &dyn LogFiles).file_error(LOCK, error))?;
        if matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) {
            let place = path.display();
            return Err(Error::evidence(format!(
                "another program is writing to {place}"
            )));
        }
        Ok(Self {
            _lock: Some(lock),
            ..folder
        })
    }

    fn create_lock(&self) -> io::Result<File> {
        self.create_folder(&self.path)?;
        new_file::open_own(&self.path.join(LOCK))
    }

    fn unsynced(&self) -> std::sync::MutexGuard<'_, BTreeSet<PathBuf>> {
        self.unsynced.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates `folder` and its missing parent folders.
    fn create_folder(&self, folder: &Path) -> io::Result<()> {
        if folder.exists() {
            return Ok(());
        }
        let parent = match folder.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        self.create_folder(parent)?;
        self.unsynced().insert(parent.to_owned());
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        if folder.ends_with(PRIVATE) {
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        }
        builder.create(folder)
    }
}

/// Creates an empty file at `path`. Anything that is there is removed first and never opened, so
/// nothing is written through a link. On Unix, a private file can be read only by its owner from
/// the start.
fn create_file(path: &Path, is_private: bool) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if is_private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = is_private;
    options.open(path)
}

/// Adds the names of all files in `folder` and its subfolders to `names`. Each name has `prefix`
/// before it. The lock file is left out.
fn list(folder: &Path, prefix: &str, names: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            list(&entry.path(), &format!("{name}/"), names)?;
        } else if name != LOCK {
            names.push(name);
        }
    }
    Ok(())
}

impl LogFiles for LogFolder {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let path = self.path.join(name);
        // A FIFO or a device may never end.
        if !fs::metadata(&path)?.is_file() {
            return Err(io::Error::other("it is no file"));
        }
        fs::read(path)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.path.join(name);
        if let Some(folder) = path.parent() {
            self.create_folder(folder)?;
            self.unsynced().insert(folder.to_owned());
        }
        let mut file = create_file(&path, name.starts_with(PRIVATE))?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let next = format!("{name}{UNFINISHED}");
        self.write(&next, bytes)?;
        fs::rename(self.path.join(next), self.path.join(name))?;
        self.sync()
    }

    fn delete(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        list(&self.path, "", &mut names)?;
        Ok(names)
    }

    fn sync(&self) -> io::Result<()> {
        let folders = std::mem::take(&mut *self.unsynced());
        for folder in folders.iter().chain([&self.path]) {
            File::open(folder)?.sync_all()?;
        }
        Ok(())
    }

    fn place(&self) -> String {
        self.path.display().to_string()
    }
}
