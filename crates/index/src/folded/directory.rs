//! A tantivy directory that keeps the list of its files in memory.
//!
//! tantivy writes the list into `meta.json`, and reads it there. Folded anchor texts have it in the
//! payload of a commit instead, so that one file decides what belongs to the index.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, Lock, WatchCallback, WatchHandle, WritePtr,
};

use crate::directory::{Folder, META};

/// Name of the subfolder of an index that contains folded anchor texts. A compaction has collected
/// these anchor texts by link target.
pub(crate) const ANCHORS: &str = "anchors";

/// A tantivy directory that keeps `meta.json` and the list of managed files in memory. All other
/// files are in a folder. The directory's locks have no effect: the writer of the index locks the
/// whole index instead.
#[derive(Clone, Debug)]
pub(super) struct MetaInMemory {
    files: Folder,
    held: Arc<Mutex<HashMap<PathBuf, Vec<u8>>>>,
}

impl MetaInMemory {
    /// Creates a directory over the files of a folder. `meta` is the content of its `meta.json`, or
    /// empty if no index is there yet.
    pub(super) fn new(files: Folder, meta: &str) -> Self {
        let mut held = HashMap::new();
        if !meta.is_empty() {
            held.insert(PathBuf::from(META), meta.as_bytes().to_vec());
        }
        Self {
            files,
            held: Arc::new(Mutex::new(held)),
        }
    }

    /// Creates a directory over the same folder, without a `meta.json`.
    pub(super) fn emptied(&self) -> Self {
        Self::new(self.files.clone(), "")
    }
}

impl Directory for MetaInMemory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.files.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.files.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(held.contains_key(path) || self.files.exists(path)?)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.files.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let read = held.get(path).cloned();
        read.ok_or_else(|| OpenReadError::FileDoesNotExist(path.to_owned()))
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.insert(path.to_owned(), data.to_vec());
        Ok(())
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.files.sync_directory()
    }

    fn acquire_lock(&self, _: &Lock) -> Result<DirectoryLock, LockError> {
        Ok(DirectoryLock::from(Box::new(())))
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.files.watch(callback)
    }
}
