//! Writes output files. Each file appears under its final name only when it is complete.
//!
//! A new file is written under a temporary name in the same folder, and renamed when it is
//! complete. So readers find either the complete new file or the old file, unchanged. Anyone who
//! can write to the folder may have put a link, a FIFO or a socket at the path of an output file.
//! This module never writes through these, but returns an error. It also returns an error if one of
//! the folders that it is to create is a link. Only a regular file is replaced.
//!
//! A device such as `/dev/null` is opened and written directly, because it must not be replaced.
//! The folder that the user names may be a link. If somebody creates a link at the path between the
//! check and the renaming, the link is replaced and not followed.

use std::fs::{self, File, Metadata, TryLockError};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

/// Prefix and suffix of a temporary file name. An output file has such a name until it is complete.
/// A run that was killed may leave a temporary file. The next run that writes the same output file
/// removes the temporary file.
const UNFINISHED: (&str, &str) = (".heedful-", ".part");
/// Maximum length in bytes of an output file's name from which a temporary name is made. A file
/// with a longer name gets a random temporary name, because some systems allow only 255 bytes for a
/// name.
const MOST_NAME: usize = 200;

/// Output file that is being written under a temporary name. [`NewFile::finish`] gives the file its
/// final name. If a `NewFile` is dropped before it is finished, its temporary file is deleted.
///
/// # Examples
///
/// ```
/// use std::io::Write;
///
/// use heedful_base::new_file::NewFile;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("pages.jsonl");
/// let mut file = NewFile::create(&path)?;
/// file.write_all(b"{}\n")?;
/// assert!(!path.exists());
/// file.finish()?;
/// assert_eq!(std::fs::read(&path)?, b"{}\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    to: Target,
}

#[derive(Debug)]
enum Target {
    Beside(NamedTempFile),
    Device(File),
}

impl NewFile {
    /// Creates a temporary file that [`NewFile::finish`] will rename to `path`. If a regular file
    /// exists at `path`, that file stays unchanged until then. The new file gets the permissions of
    /// that file. If a device is at `path`, the device is opened for writing instead.
    ///
    /// # Errors
    /// Fails if something other than a regular file or a device is at `path`, for example a link.
    /// Also fails if no file can be created in the folder of `path`.
    pub fn create(path: &Path) -> io::Result<Self> {
        let found = check(path)?;
        let to = match &found {
            Some(found) if is_device(found) => {
                Target::Device(File::options().write(true).open(path)?)
            }
            _ => {
                let file = match create_unfinished(path) {
                    Some(file) => file,
                    None => builder().tempfile_in(folder_of(path))?,
                };
                if let Some(found) = found {
                    file.as_file().set_permissions(found.permissions())?;
                }
                Target::Beside(file)
            }
        };
        Ok(Self {
            path: path.to_owned(),
            to,
        })
    }

    /// Returns the final path of the file, as it was passed to [`NewFile::create`].
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Renames the temporary file to its final path. An existing regular file at this path is
    /// replaced.
    ///
    /// # Errors
    /// Fails if the temporary file cannot be renamed. Also fails if the final path now has
    /// something that may not be replaced, such as a link. In both cases the temporary file is
    /// deleted.
    pub fn finish(self) -> io::Result<()> {
        match self.to {
            Target::Device(mut device) => device.flush(),
            Target::Beside(file) => {
                check(&self.path)?;
                file.persist(&self.path)?;
                Ok(())
            }
        }
    }

    /// Syncs the bytes of the file to the disk. Then gives the file its final name, like
    /// [`NewFile::finish`].
    ///
    /// # Errors
    /// Fails if the bytes cannot be synced to the disk, or if [`NewFile::finish`] fails.
    pub fn finish_synced(self) -> io::Result<()> {
        if let Target::Beside(file) = &self.to {
            file.as_file().sync_all()?;
        }
        self.finish()
    }

    fn file(&mut self) -> &mut File {
        match &mut self.to {
            Target::Beside(file) => file.as_file_mut(),
            Target::Device(device) => device,
        }
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

/// Writes `bytes` to a file at `path`. The file is written as a [`NewFile`], so it appears at
/// `path` only when it is complete.
///
/// # Errors
/// Fails if [`NewFile::create`] or [`NewFile::finish`] fails, or if the bytes cannot be written.
///
/// # Examples
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("page.html");
/// heedful_base::new_file::write(&path, "<p>rye")?;
/// assert_eq!(std::fs::read_to_string(&path)?, "<p>rye");
///
/// // A link is refused, and what it leads to stays as it is.
/// # #[cfg(unix)] {
/// std::os::unix::fs::symlink(&path, folder.path().join("link"))?;
/// assert!(heedful_base::new_file::write(&folder.path().join("link"), "<p>oats").is_err());
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let mut file = NewFile::create(path)?;
    file.write_all(bytes.as_ref())?;
    file.finish()
}

/// Opens the file at `path` for writing. If there is no file, creates an empty one. The content of
/// an existing file is kept. This function is for files of heedful that a later run continues.
///
/// # Errors
/// Fails if something other than a regular file is at `path`, or if the file cannot be opened.
pub fn open_own(path: &Path) -> io::Result<File> {
    match check(path)? {
        None => match File::create_new(path) {
            // Another process created it a moment ago.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => open_own(path),
            created => created,
        },
        Some(found) if is_device(&found) => Err(refused("a device")),
        Some(found) => {
            let file = File::options().write(true).open(path)?;
            if is_same(&found, &file.metadata()?) {
                Ok(file)
            } else {
                Err(refused("another file than a moment ago"))
            }
        }
    }
}

/// Creates the folders of the relative path `below` inside the folder `root`. Returns the path of
/// the innermost folder. If `root` is missing, it is created too. `root` may be a link, but no
/// folder of `below` may be a link.
///
/// # Errors
/// Fails if `below` has a component that is no plain name, such as `..`. Also fails if something
/// other than a folder is at one of the paths, or if a folder cannot be created.
///
/// # Examples
///
/// ```
/// use std::path::Path;
///
/// use heedful_base::new_file::create_folders;
///
/// let root = tempfile::tempdir()?;
/// let made = create_folders(root.path(), Path::new("site.example/bread"))?;
/// assert!(made.is_dir());
/// assert!(create_folders(root.path(), Path::new("../elsewhere")).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn create_folders(root: &Path, below: &Path) -> io::Result<PathBuf> {
    fs::create_dir_all(root)?;
    let mut path = root.to_owned();
    for part in below.components() {
        let Component::Normal(name) = part else {
            return Err(refused("outside of its folder"));
        };
        path.push(name);
        match fs::create_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let found = fs::symlink_metadata(&path)?;
                if !found.is_dir() {
                    let message = format!("{} is {}", path.display(), kind(&found));
                    return Err(io::Error::other(message));
                }
            }
            created => created?,
        }
    }
    Ok(path)
}

/// Returns the metadata of the regular file or device at `path`. Returns `None` if nothing is at
/// `path`.
///
/// # Errors
/// Fails if anything else is at `path`, such as a link, a FIFO or a folder. A new file may not
/// replace these. The message says what was found.
pub fn check(path: &Path) -> io::Result<Option<Metadata>> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() || is_device(&found) => Ok(Some(found)),
        Ok(found) => Err(refused(kind(&found))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn refused(what: &str) -> io::Error {
    io::Error::other(format!("it is {what}, and only a file is replaced"))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Creates and locks the temporary file for the output file `path`. The temporary name is made from
/// the name of `path`. If a killed run left a file with this temporary name, that file is removed
/// first.
///
/// Returns `None` if another run is writing an output file of this name. Also returns `None` if the
/// name cannot be used, or if the file cannot be locked. The caller then takes a random name.
fn create_unfinished(path: &Path) -> Option<NamedTempFile> {
    let name = path
        .file_name()?
        .to_str()
        .filter(|name| name.len() <= MOST_NAME)?;
    let name = format!("{}{name}{}", UNFINISHED.0, UNFINISHED.1);
    let unfinished = folder_of(path).join(name);
    remove_dead(&unfinished);
    let file = File::create_new(&unfinished).ok()?;
    match file.try_lock() {
        Ok(()) if is_at(&file, &unfinished) => {
            let at = TempPath::try_from_path(unfinished).ok()?;
            Some(NamedTempFile::from_parts(file, at))
        }
        // Between creation and lock, another run took this file for one that a killed run had left,
        // and removes it.
        Ok(()) | Err(TryLockError::WouldBlock) => None,
        Err(TryLockError::Error(_)) => {
            // This file system has no locks.
            let _ = fs::remove_file(&unfinished);
            None
        }
    }
}

/// Removes the temporary file `unfinished`, unless a run is still writing it. A run keeps its
/// temporary file locked while it writes.
fn remove_dead(unfinished: &Path) {
    let is_file = fs::symlink_metadata(unfinished).is_ok_and(|found| found.is_file());
    if is_file
        && let Ok(file) = File::options().write(true).open(unfinished)
        && file.try_lock().is_ok()
        && is_at(&file, unfinished)
    {
        let _ = fs::remove_file(unfinished);
    }
}

/// True if the open file `file` is the file that is now at `path`.
fn is_at(file: &File, path: &Path) -> bool {
    match (fs::symlink_metadata(path), file.metadata()) {
        (Ok(found), Ok(own)) => is_same(&found, &own),
        _ => false,
    }
}

fn builder<'a>() -> tempfile::Builder<'a, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED.0).suffix(UNFINISHED.1);
    // By default, a temporary file is readable by its owner alone. An output file gets the
    // permissions that the umask allows.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}

/// Returns a phrase for messages, such as `a link`, that names the kind of a file. `found` is the
/// file's metadata. The file is neither a regular file nor a device.
fn kind(found: &Metadata) -> &'static str {
    if found.is_symlink() {
        return "a link";
    }
    if found.is_dir() {
        return "a folder";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if found.file_type().is_fifo() {
            return "a FIFO";
        }
    }
    "no file"
}

#[cfg(unix)]
fn is_device(found: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    found.file_type().is_char_device()
}

#[cfg(not(unix))]
fn is_device(_: &Metadata) -> bool {
    false
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    one.is_file() == other.is_file()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn nothing_is_written_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("kept"), "kept").unwrap();
        fs::create_dir(at("elsewhere")).unwrap();
        symlink(at("kept"), at("link")).unwrap();
        symlink(at("missing"), at("broken")).unwrap();
        symlink(at("elsewhere"), at("folder")).unwrap();
        for name in ["link", "broken", "folder", "elsewhere"] {
            let error = NewFile::create(&at(name)).unwrap_err().to_string();
            assert!(error.contains("only a file is replaced"), "{name}: {error}");
            assert!(open_own(&at(name)).is_err());
        }
        assert!(create_folders(folder.path(), Path::new("folder")).is_err());
        assert!(create_folders(folder.path(), Path::new("folder/below")).is_err());
        assert!(create_folders(&at("folder"), Path::new("below")).is_ok());
        // A link that is put there later is not followed either.
        let mut file = NewFile::create(&at("late")).unwrap();
        file.write_all(b"new").unwrap();
        symlink(at("kept"), at("late")).unwrap();
        assert!(file.finish().is_err());
        assert_eq!(fs::read_to_string(at("kept")).unwrap(), "kept");
        assert!(!at("missing").exists());
    }

    /// Tests that a run removes the temporary file that a killed run left for the same output file.
    /// A file that another run is still writing stays. A link stays too.
    #[test]
    fn a_file_of_a_killed_run_is_removed_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let names = || {
            let mut names: Vec<_> = fs::read_dir(folder.path())
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        };
        fs::write(at(".heedful-file.part"), "half").unwrap();
        fs::write(at(".heedful-other.part"), "half").unwrap();
        write(&at("file"), "one").unwrap();
        assert_eq!(names(), [".heedful-other.part", "file"]);
        // Two runs write the same file.
        let mut first = NewFile::create(&at("file")).unwrap();
        let mut second = NewFile::create(&at("file")).unwrap();
        first.write_all(b"first").unwrap();
        second.write_all(b"second").unwrap();
        assert_eq!(names().len(), 4);
        first.finish().unwrap();
        assert_eq!(fs::read_to_string(at("file")).unwrap(), "first");
        second.finish().unwrap();
        assert_eq!(fs::read_to_string(at("file")).unwrap(), "second");
        assert_eq!(names(), [".heedful-other.part", "file"]);
        // Something else of that name is neither followed nor removed.
        symlink(at("file"), at(".heedful-file.part")).unwrap();
        write(&at("file"), "third").unwrap();
        assert_eq!(names().len(), 3);
        assert_eq!(fs::read_to_string(at("file")).unwrap(), "third");
        let long = at(&"n".repeat(255));
        write(&long, "long").unwrap();
        assert_eq!(fs::read_to_string(long).unwrap(), "long");
    }

    #[test]
    fn many_may_write_one_file_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::thread::scope(|scope| {
            for number in 0..8 {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..200 {
                        write(path, [number; 100]).unwrap();
                    }
                });
            }
        });
        let last = fs::read(&path).unwrap();
        assert!(last.len() == 100 && last.iter().all(|byte| *byte == last[0]));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_is_whole_or_as_it_was_and_keeps_its_mode() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(folder.path().join("plain"), "").unwrap();
        write(&path, "one").unwrap();
        assert_eq!(mode(&path), mode(&folder.path().join("plain")));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let mut file = NewFile::create(&path).unwrap();
        file.write_all(b"two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        drop(file);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        write(&path, "two").unwrap();
        assert_eq!(
            (fs::read_to_string(&path).unwrap().as_str(), mode(&path)),
            ("two", 0o600)
        );
        write(Path::new("/dev/null"), "gone").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
