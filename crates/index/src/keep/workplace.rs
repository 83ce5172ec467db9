//! The folder of a merge's intermediate results. It is next to the new index, on the same disk, so
//! that the last result can be renamed.
//!
//! Its name follows from that of the new index, and it has a lock file. So a second merge into the
//! same folder is refused while the first one runs. If a merge was killed, the system has released
//! its lock, and the next merge into the same folder deletes what it left. A folder of that name
//! with files but without a lock file was not made here, and is never touched.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use heedful_base::error::{Error, ErrorKind, IndexTrouble, Result};

/// Beginning of the name of the folder with a merge's intermediate results. The name of the new
/// index's folder follows.
const PREFIX: &str = ".heedful-merge-";
const LOCK: &str = "lock";

/// A locked folder for the intermediate results of a merge. The folder is deleted when this value
/// is dropped.
#[derive(Debug)]
pub(super) struct Workplace {
    path: PathBuf,
    _lock: File,
}

impl Workplace {
    /// Creates or takes over the folder for a merge into the folder `target`, and empties it.
    pub(super) fn create(target: &Path) -> Result<Self> {
        let io = |source| ErrorKind::Io {
            subject: target.display().to_string(),
            source,
        };
        let absolute = std::path::absolute(target).map_err(io)?;
        let mut name = OsString::from(PREFIX);
        name.push(absolute.file_name().unwrap_or_default());
        let beside = absolute.parent().unwrap_or(&absolute);
        fs::create_dir_all(beside).map_err(io)?;
        let path = beside.join(name);
        match fs::create_dir(&path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(io(error).into());
            }
            _ => {}
        }
        if is_foreign(&path).map_err(io)? {
            let message = format!(
                "{} is no folder of a merge: move it away, or merge into another folder",
                path.display()
            );
            return Err(Error::index(IndexTrouble::Occupied, message));
        }
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path.join(LOCK))
            .map_err(io)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let message = format!("another program is merging into {}", target.display());
                return Err(Error::index(IndexTrouble::InUse, message));
            }
            Err(TryLockError::Error(error)) => return Err(io(error).into()),
        }
        let place = Self { path, _lock: lock };
        place.empty().map_err(io)?;
        Ok(place)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Deletes an intermediate result that is no longer needed.
    pub(super) fn clear(&self, result: &Path) -> Result<()> {
        fs::remove_dir_all(result).map_err(|source| {
            let subject = result.display().to_string();
            ErrorKind::Io { subject, source }.into()
        })
    }

    /// Deletes everything in the folder, except its lock file.
    fn empty(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            if entry.file_name() == LOCK {
                continue;
            }
            if entry.file_type()?.is_dir() {
                fs::remove_dir_all(entry.path())?;
            } else {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

/// Deletes the content of the folder, then its lock file, and at last the folder itself. The file
/// stays locked meanwhile, so another merge into the same target cannot use a folder that is being
/// emptied. If something cannot be deleted, the lock file stays, and the next merge takes over the
/// folder.
impl Drop for Workplace {
    fn drop(&mut self) {
        if self.empty().is_ok() {
            let _ = fs::remove_file(self.path.join(LOCK));
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// True if a merge must not use and empty the path `folder`, because no merge created it. The path
/// is then no folder, or a folder that has files but no lock file. A symbolic link counts as no
/// folder, because the merge would otherwise delete files in the folder to which it points.
fn is_foreign(folder: &Path) -> io::Result<bool> {
    if !fs::symlink_metadata(folder)?.is_dir() {
        return Ok(true);
    }
    let is_empty = fs::read_dir(folder)?.next().is_none();
    Ok(!is_empty && !folder.join(LOCK).is_file())
}
