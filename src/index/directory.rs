//! An index's folder, which can also be read where nobody may write, and whose commits are on disk when they are said to be.
//!
//! Opening an index takes a lock, so that no writer deletes files at that moment. Where the lock's file cannot be made
//! because the folder is read-only, there is nothing to be locked out. A commit replaces `meta.json` and deletes files it does
//! not name; the folder is synced in between, so that no crash can keep the deletions and lose the commit. A list of deleted
//! documents that a crash left over gives way to one of its name.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, Lock, META_LOCK, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
};

use crate::error::Result;

use super::{META, trouble};

#[derive(Clone, Debug)]
pub(super) struct Folder(Box<dyn Directory>);

impl Folder {
    pub(super) fn new(directory: impl Into<Box<dyn Directory>>) -> Self {
        Self(directory.into())
    }

    /// A folder on disk, of the index of this name.
    pub(super) fn open(path: &Path, name: &str) -> Result<Self> {
        MmapDirectory::open(path).map(Self::new).map_err(|error| trouble(name, &error))
    }
}

impl Directory for Folder {
    fn get_file_handle(&self, path: &Path) -> std::result::Result<Arc<dyn FileHandle>, OpenReadError> {
        self.0.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> std::result::Result<(), DeleteError> {
        self.0.delete(path)
    }

    fn exists(&self, path: &Path) -> std::result::Result<bool, OpenReadError> {
        self.0.exists(path)
    }

    fn open_write(&self, path: &Path) -> std::result::Result<WritePtr, OpenWriteError> {
        match self.0.open_write(path) {
            Err(OpenWriteError::FileAlreadyExists(_)) if self.is_left_over(path) => {
                let _ = self.0.delete(path);
                self.0.open_write(path)
            }
            other => other,
        }
    }

    fn atomic_read(&self, path: &Path) -> std::result::Result<Vec<u8>, OpenReadError> {
        self.0.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> std::io::Result<()> {
        self.0.atomic_write(path, data)?;
        if path == Path::new(META) { self.0.sync_directory() } else { Ok(()) }
    }

    fn sync_directory(&self) -> std::io::Result<()> {
        self.0.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> std::result::Result<DirectoryLock, LockError> {
        match self.0.acquire_lock(lock) {
            Err(LockError::IoError(error)) if lock.filepath == META_LOCK.filepath && is_read_only(&error) => {
                Ok(DirectoryLock::from(Box::new(())))
            }
            other => other,
        }
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.0.watch(callback)
    }
}

impl Folder {
    /// Whether a list of deleted documents is of a commit that never came. Its name is made of what went before it, so the
    /// next commit may want the same.
    fn is_left_over(&self, path: &Path) -> bool {
        let read = self.0.atomic_read(Path::new(META)).ok();
        let meta: Option<serde_json::Value> = read.and_then(|meta| serde_json::from_slice(&meta).ok());
        let Some(segments) = meta.as_ref().and_then(|meta| meta["segments"].as_array()) else { return false };
        let list = |segment: &serde_json::Value| {
            let id = segment["segment_id"].as_str().unwrap_or_default().replace('-', "");
            format!("{id}.{}.del", segment["deletes"]["opstamp"])
        };
        path.extension().is_some_and(|ending| ending == "del")
            && segments.iter().all(|segment| path != Path::new(&list(segment)))
    }
}

fn is_read_only(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied)
}
