//! A tantivy directory that opens without write access, and whose commits are durable.
//!
//! This directory differs from tantivy's own in five ways:
//! * Opening an index takes a lock, so that no writer deletes files meanwhile. In a read-only
//!   folder the lock file cannot be created. No writer can exist there, so opening continues
//!   without a lock.
//! * A commit replaces `meta.json` and then deletes files that `meta.json` does not list. Between
//!   these two steps the folder is synced. Otherwise a crash could lose the commit although the
//!   files were already deleted.
//! * A crash may leave a list of deleted documents that no commit names. The next commit overwrites
//!   that list without an error.
//! * A wrong length in a document store is an error, and does not abort the process (`lengths`).
//! * If the system refuses to map or to open a file, the error names the bound (`bounds`).

use std::ffi::OsStr;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, META_LOCK, MmapDirectory,
    TerminatingWrite, WatchCallback, WatchHandle, WritePtr,
};

use tantivy::index::SegmentComponent;

use super::bounds::{explain, note_open_files};
use super::lengths::check_store;
use super::trouble::ErrorContext;

/// Name of tantivy's file that lists all other files of a commit.
pub(super) const META: &str = "meta.json";

/// Kinds of files that tantivy writes for each segment of an index.
pub(super) const SEGMENT_FILES: [SegmentComponent; 6] = [
    SegmentComponent::Postings,
    SegmentComponent::Positions,
    SegmentComponent::Terms,
    SegmentComponent::Store,
    SegmentComponent::FastFields,
    SegmentComponent::FieldNorms,
];

#[derive(Clone, Debug)]
pub(super) struct Folder {
    directory: Box<dyn Directory>,
    /// Path of this folder. None for a simulated folder of a test.
    path: Option<PathBuf>,
    fault: Fault,
}

/// Text of the last write error in an index's folder. An error from one of tantivy's threads does
/// not name its cause. A message about such an error quotes this text.
#[derive(Clone, Debug, Default)]
pub(super) struct Fault(Arc<Mutex<Option<String>>>);

impl Fault {
    pub(super) fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn record<T, E: std::fmt::Display>(&self, done: Result<T, E>) -> Result<T, E> {
        if let Err(error) = &done {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string());
        }
        done
    }
}

/// An open file of an index that records its write errors in a [`Fault`].
struct WatchedFile {
    file: WritePtr,
    fault: Fault,
}

impl Write for WatchedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.fault.record(self.file.get_mut().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.fault.record(self.file.flush())
    }
}

impl TerminatingWrite for WatchedFile {
    fn terminate_ref(&mut self, token: AntiCallToken) -> io::Result<()> {
        self.fault.record(self.file.terminate_ref(token))
    }
}

impl Folder {
    /// Returns a handle to this folder's last write error.
    pub(super) fn fault(&self) -> Fault {
        self.fault.clone()
    }

    pub(super) fn new(directory: impl Into<Box<dyn Directory>>) -> Self {
        Self {
            directory: directory.into(),
            path: None,
            fault: Fault::default(),
        }
    }

    /// Opens a folder on disk as a tantivy directory. `name` is the name of the index in error
    /// messages.
    pub(super) fn open(path: &Path, name: &str) -> heedful::Result<Self> {
        note_open_files();
        let directory = MmapDirectory::open(path).in_folder(name)?;
        Ok(Self {
            directory: directory.into(),
            path: Some(path.to_owned()),
            fault: Fault::default(),
        })
    }
}

impl Directory for Folder {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        let file = self
            .directory
            .get_file_handle(path)
            .map_err(explain_reading)?;
        if has_extension(path, "store")
            && let Err(error) = check_store(file.as_ref())
        {
            return Err(OpenReadError::wrap_io_error(error, path.to_owned()));
        }
        Ok(file)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.directory.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.directory.exists(path).map_err(explain_reading)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let opened = match self.directory.open_write(path) {
            Err(OpenWriteError::FileAlreadyExists(_)) if self.is_left_over(path) => {
                let _ = self.directory.delete(path);
                self.directory.open_write(path)
            }
            other => other,
        };
        let file = match opened {
            Err(OpenWriteError::IoError { io_error, filepath }) => {
                let io_error = explain_shared(io_error);
                let _ = self.fault.record(Err::<(), _>(&io_error));
                return Err(OpenWriteError::IoError { io_error, filepath });
            }
            other => other?,
        };
        Ok(BufWriter::new(Box::new(WatchedFile {
            file,
            fault: self.fault.clone(),
        })))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.directory.atomic_read(path).map_err(explain_reading)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        let written = self.directory.atomic_write(path, data).map_err(explain);
        self.fault.record(written)?;
        self.let_others_read(path);
        if path == Path::new(META) {
            self.sync_directory()
        } else {
            Ok(())
        }
    }

    fn sync_directory(&self) -> io::Result<()> {
        let synced = self.directory.sync_directory().map_err(explain);
        self.fault.record(synced)
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        match self.directory.acquire_lock(lock) {
            Err(LockError::IoError(error))
                if lock.filepath == META_LOCK.filepath && is_read_only(&error) =>
            {
                Ok(DirectoryLock::from(Box::new(())))
            }
            Err(LockError::IoError(error)) => Err(LockError::IoError(explain_shared(error))),
            other => other,
        }
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.directory.watch(callback)
    }
}

impl Folder {
    /// Gives the file at `path` the permissions of the index's lock file. tantivy has created the
    /// file with permissions that allow only its owner to read it.
    #[cfg(unix)]
    fn let_others_read(&self, path: &Path) {
        let Some(folder) = &self.path else { return };
        if let Ok(lock) = std::fs::metadata(folder.join(&META_LOCK.filepath)) {
            let _ = std::fs::set_permissions(folder.join(path), lock.permissions());
        }
    }

    #[cfg(not(unix))]
    fn let_others_read(&self, _: &Path) {}

    /// True if `path` is a list of deleted documents that the last commit does not name. A failed
    /// commit may leave such a file. The next commit may write a file of the same name over the
    /// left-over file. The name contains an opstamp (tantivy's number of an operation). After a
    /// failed commit, opstamps continue from the last successful commit, so a name can occur again.
    fn is_left_over(&self, path: &Path) -> bool {
        let Ok(meta) = self.directory.atomic_read(Path::new(META)) else {
            return false;
        };
        let Ok(meta) = serde_json::from_slice::<serde_json::Value>(&meta) else {
            return false;
        };
        let Some(segments) = meta["segments"].as_array() else {
            return false;
        };
        has_extension(path, "del")
            && !segments
                .iter()
                .any(|segment| path == Path::new(&deletion_list(segment)))
    }
}

/// Returns the file name of a segment's list of deleted documents. `segment` is the entry of the
/// segment in `meta.json`.
fn deletion_list(segment: &serde_json::Value) -> String {
    let id = segment["segment_id"]
        .as_str()
        .unwrap_or_default()
        .replace('-', "");
    format!("{id}.{}.del", segment["deletes"]["opstamp"])
}

fn explain_reading(error: OpenReadError) -> OpenReadError {
    match error {
        OpenReadError::IoError { io_error, filepath } => OpenReadError::IoError {
            io_error: explain_shared(io_error),
            filepath,
        },
        other => other,
    }
}

fn explain_shared(error: Arc<io::Error>) -> Arc<io::Error> {
    match Arc::try_unwrap(error) {
        Ok(error) => Arc::new(explain(error)),
        Err(shared) => shared,
    }
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension() == Some(OsStr::new(wanted))
}

fn is_read_only(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied
    )
}

/// True if a folder can be listed, and `is_name` returns true for the name of each file in it.
pub(super) fn has_only(folder: &Path, is_name: impl Fn(&Path) -> bool) -> bool {
    let Ok(mut entries) = std::fs::read_dir(folder) else {
        return false;
    };
    entries.all(|entry| entry.is_ok_and(|entry| is_name(Path::new(&entry.file_name()))))
}
