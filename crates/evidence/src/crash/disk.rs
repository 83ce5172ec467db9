//! A simulated disk that loses power or runs out of space at a chosen file operation. It also
//! computes the states in which a real disk may be found afterwards.
//!
//! The simulated disk follows POSIX. The content of a file is durable once the file was synced. The
//! creation, renaming or deletion of a file is durable once its folder was synced. Before the sync,
//! a power failure may leave the old state or the new one.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, META_LOCK, OwnedBytes,
    TerminatingWrite, WatchCallback, WatchHandle, WritePtr,
};

use crate::files::LogFiles;

/// Failure of the simulated disk. The number says how many operations succeed before the failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Never,
    /// Power is lost: this number of operations succeeds, and every later one fails.
    Power(u64),
    /// The disk is full: this number of operations succeeds, and every later write fails.
    Room(u64),
}

/// Part of the written data that is still on a simulated disk after a loss of power.
#[derive(Clone, Copy, Debug)]
pub(super) enum Left {
    /// All data: the disk has the results of all operations.
    All,
    /// All files exist, but a file that was not synced has only its first half.
    Torn,
    /// Only synced data exists.
    Synced,
    /// Synced data exists, and a random part of the unsynced data. The number is the random seed.
    Some(u64),
}

#[derive(Clone, Debug, Default)]
struct File {
    data: Vec<u8>,
    /// Length in bytes of the part of the file that was synced.
    synced: usize,
}

type Shared<T> = Arc<Mutex<T>>;
type Names = HashMap<PathBuf, Shared<File>>;

/// State that all folders of a simulated disk share: its fault, and the number of operations so
/// far.
#[derive(Debug)]
struct Power {
    fault: Mutex<Fault>,
    operations: Mutex<u64>,
}

#[derive(Debug, Default)]
struct Contents {
    now: Names,
    synced: Names,
}

/// Four folders of one simulated disk. They are for the index, snapshots, evidence, and anchor
/// texts that a compaction collected by link target.
pub(super) type Folders = [Disk; 4];

/// A folder of a simulated disk.
#[derive(Clone, Debug)]
pub(super) struct Disk {
    power: Arc<Power>,
    contents: Shared<Contents>,
    is_locked: Arc<AtomicBool>,
}

impl Disk {
    /// Creates the four empty folders of one simulated disk.
    pub(super) fn folders() -> Folders {
        let power = Arc::new(Power {
            fault: Mutex::new(Fault::Never),
            operations: Mutex::new(0),
        });
        [(); 4].map(|()| Self {
            power: power.clone(),
            contents: Arc::default(),
            is_locked: Arc::default(),
        })
    }

    pub(super) fn fail(&self, fault: Fault) {
        *self.power.operations.lock().unwrap() = 0;
        *self.power.fault.lock().unwrap() = fault;
    }

    /// True if the disk's fault has occurred.
    pub(super) fn failed(&self) -> bool {
        let operations = *self.power.operations.lock().unwrap();
        match *self.power.fault.lock().unwrap() {
            Fault::Never => false,
            Fault::Power(at) | Fault::Room(at) => operations > at,
        }
    }

    /// Returns the state of the folders after a loss of power. `left` says which data survived.
    pub(super) fn after(folders: &Folders, left: Left) -> Folders {
        let after = Self::folders();
        for (before, after) in folders.iter().zip(&after) {
            let before = before.contents.lock().unwrap();
            let names = before.names(left);
            let mut contents = after.contents.lock().unwrap();
            for (path, file) in names {
                let data = file.lock().unwrap().left(left);
                let file = Arc::new(Mutex::new(File {
                    synced: data.len(),
                    data,
                }));
                contents.now.insert(path.clone(), file.clone());
                contents.synced.insert(path, file);
            }
        }
        after
    }

    /// Returns the path and content of each file in this folder.
    pub(super) fn image(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let contents = self.contents.lock().unwrap();
        contents
            .now
            .iter()
            .map(|(path, file)| (path.clone(), file.lock().unwrap().data.clone()))
            .collect()
    }

    /// Counts an operation that changes the disk, and returns an error if the disk's fault has
    /// occurred.
    fn change(&self) -> io::Result<()> {
        let mut operations = self.power.operations.lock().unwrap();
        *operations += 1;
        match *self.power.fault.lock().unwrap() {
            Fault::Power(at) if *operations > at => Err(io::Error::other("the power is gone")),
            Fault::Room(at) if *operations > at => Err(io::Error::from(io::ErrorKind::StorageFull)),
            _ => Ok(()),
        }
    }

    fn check_power(&self) -> io::Result<()> {
        let operations = *self.power.operations.lock().unwrap();
        match *self.power.fault.lock().unwrap() {
            Fault::Power(at) if operations > at => Err(io::Error::other("the power is gone")),
            _ => Ok(()),
        }
    }

    fn file(&self, path: &Path) -> Result<Shared<File>, OpenReadError> {
        self.check_power()
            .map_err(|error| OpenReadError::wrap_io_error(error, path.to_owned()))?;
        let found = self.contents.lock().unwrap().now.get(path).cloned();
        found.ok_or_else(|| OpenReadError::FileDoesNotExist(path.to_owned()))
    }
}

impl Contents {
    fn names(&self, left: Left) -> Names {
        match left {
            Left::All | Left::Torn => self.now.clone(),
            Left::Synced => self.synced.clone(),
            Left::Some(seed) => {
                let mut names = Names::new();
                for path in self.now.keys().chain(self.synced.keys()) {
                    let file = if chance(seed, path) {
                        self.now.get(path)
                    } else {
                        self.synced.get(path)
                    };
                    names.extend(file.map(|file| (path.clone(), file.clone())));
                }
                names
            }
        }
    }
}

/// A reproducible random choice: true for about half of all paths, depending only on `path` and
/// `seed`.
fn chance(seed: u64, path: &Path) -> bool {
    use std::hash::{Hash, Hasher};
    let mut hasher = siphasher::sip::SipHasher13::new_with_keys(seed, 0);
    path.hash(&mut hasher);
    hasher.finish().is_multiple_of(2)
}

impl File {
    fn left(&self, left: Left) -> Vec<u8> {
        let length = match left {
            Left::All => self.data.len(),
            Left::Torn | Left::Some(_) => self.synced + (self.data.len() - self.synced) / 2,
            Left::Synced => self.synced,
        };
        self.data[..length].to_vec()
    }
}

struct Writing {
    disk: Disk,
    file: Shared<File>,
}

impl Write for Writing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.disk.change()?;
        self.file.lock().unwrap().data.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl TerminatingWrite for Writing {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.disk.change()?;
        let mut file = self.file.lock().unwrap();
        file.synced = file.data.len();
        Ok(())
    }
}

impl Directory for Disk {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        let data = self.file(path)?.lock().unwrap().data.clone();
        Ok(Arc::new(OwnedBytes::new(data)))
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        let wrap = |error| DeleteError::IoError {
            io_error: Arc::new(error),
            filepath: path.to_owned(),
        };
        let is_full = matches!(*self.power.fault.lock().unwrap(), Fault::Room(_));
        if is_full {
            self.check_power()
        } else {
            self.change()
        }
        .map_err(wrap)?;
        let gone = self.contents.lock().unwrap().now.remove(path);
        gone.map(|_| ())
            .ok_or_else(|| DeleteError::FileDoesNotExist(path.to_owned()))
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        Ok(self.file(path).is_ok())
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.change()
            .map_err(|error| OpenWriteError::wrap_io_error(error, path.to_owned()))?;
        let file = Shared::<File>::default();
        let mut contents = self.contents.lock().unwrap();
        if contents.now.contains_key(path) {
            return Err(OpenWriteError::FileAlreadyExists(path.to_owned()));
        }
        contents.now.insert(path.to_owned(), file.clone());
        Ok(BufWriter::new(Box::new(Writing {
            disk: self.clone(),
            file,
        })))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        Ok(self.file(path)?.lock().unwrap().data.clone())
    }

    /// Writes and syncs a temporary file, then renames it to `path`.
    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.change()?;
        self.change()?;
        let file = Arc::new(Mutex::new(File {
            data: data.to_vec(),
            synced: data.len(),
        }));
        self.contents
            .lock()
            .unwrap()
            .now
            .insert(path.to_owned(), file);
        Ok(())
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.change()?;
        let mut contents = self.contents.lock().unwrap();
        contents.synced = contents.now.clone();
        Ok(())
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.check_power().map_err(LockError::wrap_io_error)?;
        if lock.filepath == META_LOCK.filepath {
            return Ok(DirectoryLock::from(Box::new(())));
        }
        if self.is_locked.swap(true, Ordering::SeqCst) {
            return Err(LockError::LockBusy);
        }
        Ok(DirectoryLock::from(Box::new(Held(self.is_locked.clone()))))
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

impl LogFiles for Disk {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let file = self.file(Path::new(name)).map_err(|error| match error {
            OpenReadError::FileDoesNotExist(_) => io::Error::from(io::ErrorKind::NotFound),
            error => io::Error::other(error),
        })?;
        let data = file.lock().unwrap().data.clone();
        Ok(data)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.change()?;
        let file = Shared::<File>::default();
        self.contents
            .lock()
            .unwrap()
            .now
            .insert(name.into(), file.clone());
        // Half of the data is written before the disk may fail.
        self.change()?;
        file.lock().unwrap().data = bytes[..bytes.len() / 2].to_vec();
        self.change()?;
        file.lock().unwrap().data = bytes.to_vec();
        self.change()?;
        file.lock().unwrap().synced = bytes.len();
        Ok(())
    }

    fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let next = format!("{name}.next");
        self.write(&next, bytes)?;
        self.change()?;
        let mut contents = self.contents.lock().unwrap();
        let file = contents.now.remove(Path::new(&next)).unwrap();
        contents.now.insert(name.into(), file);
        drop(contents);
        self.sync()
    }

    fn delete(&self, name: &str) -> io::Result<()> {
        Directory::delete(self, Path::new(name)).map_err(io::Error::other)
    }

    fn names(&self) -> io::Result<Vec<String>> {
        self.check_power()?;
        Ok(self
            .contents
            .lock()
            .unwrap()
            .now
            .keys()
            .map(|path| path.display().to_string())
            .collect())
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_directory()
    }

    fn place(&self) -> String {
        "simulated evidence".to_owned()
    }
}

struct Held(Arc<AtomicBool>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}
