//! Files that a user asked for: where results are written, and how.
//!
//! A file is written beside its place, under a name of its own, and renamed when it is whole. So it
//! is whole, or as it was before. Whoever can write to the same folder may have put something else
//! at the place: a link, a FIFO, a socket. Nothing is ever written through these. They are refused,
//! and so is a link among the folders that are created. Only a regular file is replaced.
//!
//! A device, as `/dev/null`, is written as it is: it holds nothing, and must not be replaced. A
//! folder that the user names may be a link. What is put there between the check and the renaming
//! is replaced, and not followed.

use std::fs::{self, File, Metadata, TryLockError};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

/// Beginning and ending of the names of files that are not whole yet. A run that was killed may
/// leave such a file. Nobody reads it, and the next run that writes the same file removes it.
const UNFINISHED: (&str, &str) = (".heedful-", ".part");
/// Maximum length of a name of which the name of an unfinished file is made: some systems allow 255
/// bytes for both.
const MOST_NAME: usize = 200;

/// A file that is being written, and that gets its name when it is whole. If it is dropped before,
/// nothing is left of it.
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
    /// Begins a file that will stand at `path`. A regular file that is there stays until
    /// [`NewFile::finish`], and gives the new one its permissions.
    ///
    /// # Errors
    /// Fails if there is something else than a regular file or a device at `path`, or if no file
    /// can be created in its folder.
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

    /// Returns the path where the file will stand.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the file its name. It replaces a regular file of that name.
    ///
    /// # Errors
    /// Fails if the file cannot be renamed. Then nothing is left of it.
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

    /// As [`NewFile::finish`], and the file's bytes are on the disk before it has its name.
    ///
    /// # Errors
    /// Fails if the bytes cannot be written to the disk, or the file cannot be renamed.
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

/// Writes a whole file to `path`, by the rules of [`NewFile`].
///
/// # Errors
/// Those of [`NewFile::create`] and [`NewFile::finish`], and those of writing.
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

/// Opens a file of our own at `path` to write on, or creates it. It is for files that a later run
/// goes on with. Nothing is truncated.
///
/// # Errors
/// Fails if there is something else than a regular file at `path`, or if it cannot be opened.
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

/// Creates the folders `below` in the folder `root`, and returns the path of the last one. `root`
/// may be a link, as the user named it. Those below it may be none.
///
/// # Errors
/// Fails if a part of `below` is no plain name, if there is something else than a folder at one of
/// the paths, or if a folder cannot be created.
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

/// Fails if there is something at `path` that a new file may not replace: a link, a FIFO, a folder.
/// Returns what is there, a regular file or a device.
///
/// # Errors
/// The error says what is there.
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

/// Creates the unfinished file of `path` under the name that belongs to `path`, in place of one that
/// a killed run left. It is locked while it is written. Returns `None` if another run writes it now,
/// or if this name or a lock cannot be had; then the file gets a name by chance.
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
        // Before it was locked, another run took it for one that was left, and removes it.
        Ok(()) | Err(TryLockError::WouldBlock) => None,
        Err(TryLockError::Error(_)) => {
            // This file system has no locks.
            let _ = fs::remove_file(&unfinished);
            None
        }
    }
}

/// Removes an unfinished file that nobody writes any more. Who writes one has locked it.
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

/// True if an open file is the one that stands at a path.
fn is_at(file: &File, path: &Path) -> bool {
    match (fs::symlink_metadata(path), file.metadata()) {
        (Ok(found), Ok(own)) => is_same(&found, &own),
        _ => false,
    }
}

fn builder<'a>() -> tempfile::Builder<'a, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED.0).suffix(UNFINISHED.1);
    // A temporary file is for its owner alone. This one gets what the umask leaves to others.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}

/// Says what stands at a path that is neither a file nor a device.
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

    /// What a killed run left is removed by the next one. What is being written, or is no file, stays.
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
