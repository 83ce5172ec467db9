//! Reads a folder as a mirrored site: files are pages under a URL prefix, and the robots.txt is at
//! the folder's root.
//!
//! An `index.html`, or else an `index.htm`, is the page at the URL of its folder, as servers
//! publish it. The rules of the robots.txt are also checked for the file's own URL, and the
//! stricter result applies. Files that no server publishes are skipped, unless the caller includes
//! them: names that begin with a dot (except `.well-known`), and `node_modules`. A robots.txt that
//! is not a regular file in the folder forbids all pages. Symbolic links are skipped. The only
//! exception is a link in place of a robots.txt that leads to a file in the folder.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use url::Url;
use walkdir::{DirEntry, WalkDir};

use heedful_base::error::{Error, ErrorKind, Result};
use heedful_base::limits;
use heedful_robots::{RobotsTxt, SiteFile};

use super::item::{Body, Damage, FetchedPage, InFolder, InputPlace, Item, Position, Skip, Skipped};
use super::robots::{Robots, SiteFileResponse};
use super::terms::InputTerms;
use super::{http, magic};

/// Number of bytes at the beginning of a robots.txt that are read; the rest is ignored.
const ROBOTS_BYTES: u64 = 1 << 20;

/// Reads a site file (robots.txt or tdmrep.json) from a folder that mirrors a site. The rules are
/// the same as if the folder were opened as an input. Returns `None` if the file does not exist. A
/// pipe, a device, or a link out of the folder counts as a file that cannot be read. If the
/// robots.txt is one of these, all pages are disallowed.
///
/// # Errors
/// An I/O error if the site file exists but cannot be opened or read.
///
/// ```
/// use heedful_input::file_of_site;
/// use heedful_robots::SiteFile;
///
/// let folder = tempfile::tempdir()?;
/// assert!(file_of_site(folder.path(), SiteFile::Robots)?.is_none());
///
/// std::fs::write(folder.path().join("robots.txt"), "User-agent: *\nDisallow: /drafts/")?;
/// let robots = file_of_site(folder.path(), SiteFile::Robots)?.unwrap();
/// let ruling = robots.ruling(&"FooBot".parse()?, "https://example.com/drafts/rye");
/// assert!(!ruling.allowed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn file_of_site(folder: &Path, file: SiteFile) -> Result<Option<RobotsTxt>> {
    let path = in_folder(folder, file);
    match contents(folder, &path) {
        Ok(Some(bytes)) => Ok(Some(file.read(&bytes).with_response(None, &bytes))),
        // The file exists, but its content cannot be trusted: the strict answer.
        Ok(None) => Ok(Some(file.unreadable(http::UNREAD))),
        Err(error) if is_absent(&error) => Ok(None),
        Err(source) => Err(ErrorKind::Io {
            subject: path.display().to_string(),
            source,
        }
        .into()),
    }
}

/// Returns the total size in bytes of a folder's files. Returns an error if none of the files can
/// be a page. Hidden files count only if `hidden` is true.
pub(super) fn check(folder: &Path, hidden: bool) -> Result<u64> {
    let name = folder.display();
    let mut size = 0;
    let mut pages = 0;
    let files = WalkDir::new(folder)
        .into_iter()
        .filter_entry(|entry| hidden || !is_hidden(entry));
    for entry in files.filter_map(std::result::Result::ok) {
        if entry.file_type().is_file() {
            size += entry.metadata().map_or(0, |data| data.len());
            pages += usize::from(may_be_page(entry.path()));
        }
    }
    if pages == 0 {
        let message = format!(
            "{name} is no site: it holds no HTML files. A folder of archives is named without --url"
        );
        return Err(ErrorKind::Input(message).into());
    }
    Ok(size)
}

pub(super) fn robots(folder: Option<&Path>, url: Option<&Url>) -> Result<Vec<Robots>> {
    let Some((folder, url)) = folder.zip(url) else {
        return Ok(Vec::new());
    };
    let is_of_part = url.path() != "/";
    let mut found = Vec::new();
    for file in SiteFile::ALL {
        if let Some(rules) = rules(folder, url, file)? {
            let answer = SiteFileResponse::Rules(rules);
            found.push(Robots::new(url, file, answer).of_part(is_of_part));
        }
    }
    Ok(found)
}

pub(super) fn items(
    folder: Option<&Path>,
    url: Option<&Url>,
    hidden: bool,
    read: Arc<AtomicU64>,
    position: &Position,
    terms: &Arc<InputTerms>,
) -> Result<impl Iterator<Item = (Item, Position)> + Send + use<>> {
    let Some((folder, url)) = folder.zip(url) else {
        return Err(Error::setting("a folder needs a URL"));
    };
    Ok(FolderItems {
        files: WalkDir::new(folder).sort_by_file_name().into_iter(),
        root: folder.to_owned(),
        prefix: with_slash(url),
        hidden,
        terms: Arc::clone(terms),
        read,
        last: position.path.as_ref().map(|path| folder.join(path)),
        after: position.clone(),
    })
}

/// Iterator over the items of a folder that mirrors a site. Each item comes with the position at
/// which reading can resume after the item.
struct FolderItems {
    files: walkdir::IntoIter,
    root: PathBuf,
    /// URL prefix of the folder's files.
    prefix: Url,
    /// True if hidden files are read, too.
    hidden: bool,
    terms: Arc<InputTerms>,
    /// Counter of the bytes of all files that were read so far, shared with the caller.
    read: Arc<AtomicU64>,
    /// Path of the file after which an earlier run stopped. The iterator begins after this file.
    /// `None` once it has passed the file, and if it begins at the start of the folder.
    last: Option<PathBuf>,
    /// Position after the item that was yielded last.
    after: Position,
}

impl FolderItems {
    /// Returns the item for an entry of the folder. `None` for folders, links, site files, and
    /// files before the start position.
    fn item(&mut self, entry: &DirEntry) -> Option<Item> {
        let is_passed = !self.hidden && is_hidden(entry);
        if is_passed && entry.file_type().is_dir() {
            self.files.skip_current_dir();
        }
        if !is_passed && !entry.file_type().is_file() && !is_odd_robots(entry, &self.root) {
            return None;
        }
        let path = entry.path();
        if !is_passed {
            let length = entry.metadata().map_or(0, |data| data.len());
            self.read.fetch_add(length, Ordering::Relaxed);
        }
        // The comparison of paths part by part gives the same order as the walk.
        if self.last.as_ref().is_some_and(|last| path <= last) {
            return None;
        }
        self.last = None;
        // A position is stored as text, so a name that is not UTF-8 leaves the older position.
        if let Some(path) = path.strip_prefix(&self.root).ok().and_then(Path::to_str) {
            self.after.path = Some(path.to_owned());
        }
        if is_passed {
            Some(passed(Skip::Hidden, path))
        } else {
            item(path, &self.root, &self.prefix, &self.terms)
        }
    }
}

impl Iterator for FolderItems {
    type Item = (Item, Position);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let item = match self.files.next()? {
                Ok(entry) => self.item(&entry),
                Err(error) => {
                    let file = error.path().unwrap_or(&self.root).display().to_string();
                    Some(damage(file, error.to_string()))
                }
            };
            if let Some(item) = item {
                return Some((item, self.after.clone()));
            }
        }
    }
}

/// Returns the item for the file `path` in the folder `root`. Returns `None` for a valid site file,
/// such as robots.txt, because the function `robots` returns this file. With the setting
/// `each_record`, returns a skipped item for a valid site file.
fn item(path: &Path, root: &Path, prefix: &Url, terms: &InputTerms) -> Option<Item> {
    if let Some(file) = site_file(path, root) {
        return site_file_item(path, root, file, terms);
    }
    if !may_be_page(path) {
        return Some(passed(Skip::Type, path));
    }
    let own = file_url(path, root, prefix)?;
    let folder = if is_index(path) {
        own.join(".").ok()
    } else {
        None
    };
    let (url, file_url) = match folder {
        Some(folder) => (folder, Some(own)),
        None => (own, None),
    };
    let origin = in_file(path);
    let most = terms.limits.page_bytes;
    let bytes = match read_start(path, most.saturating_add(1)) {
        Ok(bytes) if bytes.len() as u64 > most => {
            let damage = Damage::from_error(origin, limits::exceeded("page_bytes", &terms.limits));
            return Some(Item::Damage(damage.for_page(Some(url.into()), None)));
        }
        Ok(bytes) => bytes,
        Err(error) => {
            let damage = Damage::new(origin, format!("cannot be read ({error})"));
            return Some(Item::Damage(damage.for_page(Some(url.into()), None)));
        }
    };
    // An index must learn the URL of a page whose file has lost its content, to remove the page.
    if bytes.is_empty() || magic::is_no_page(&bytes) {
        return Some(Item::Skipped(Skipped::new(
            Skip::Type,
            Some(url.into()),
            None,
            Some(in_file(path)),
        )));
    }
    if path.extension().is_none() && !magic::looks_like_html(&bytes) {
        return Some(passed(Skip::Type, path));
    }
    let document = FetchedPage::new(url.into(), Vec::new(), Body::Bytes(bytes), origin);
    let folder = Some(InFolder {
        site: prefix.clone(),
        file: file_url,
    });
    Some(Item::Document(FetchedPage { folder, ..document }))
}

/// Returns a damage item if a site file (robots.txt or tdmrep.json) of the folder is not valid.
/// Returns `None` if the site file is valid. A valid site file is a regular file, or a link to a
/// regular file in the folder. With the setting `each_record`, returns a skipped item in place of
/// `None`.
fn site_file_item(path: &Path, root: &Path, file: SiteFile, terms: &InputTerms) -> Option<Item> {
    let is_read = path.symlink_metadata().is_ok_and(|data| data.is_file()) || is_inside(root, path);
    if !is_read {
        let means = if file == SiteFile::Robots {
            "lets nobody in"
        } else {
            "reserves all pages"
        };
        let message = format!("no file in this folder: as a {} it {means}", file.name());
        return Some(damage(path.display().to_string(), message));
    }
    terms.each_record.then(|| passed(Skip::Other, path))
}

/// Returns the kind of site file at `path`, if `path` is the robots.txt or the tdmrep.json of the
/// folder `root`. `None` for all other files.
fn site_file(path: &Path, root: &Path) -> Option<SiteFile> {
    SiteFile::ALL
        .into_iter()
        .find(|file| path == in_folder(root, *file))
}

/// True if an entry of the folder has the path of a site file, such as robots.txt, but cannot be
/// read. The entry is then neither a regular file nor a link to a regular file in the folder.
fn is_odd_robots(entry: &DirEntry, root: &Path) -> bool {
    site_file(entry.path(), root).is_some()
        && !entry.file_type().is_file()
        && !is_inside(root, entry.path())
}

/// Returns the path of a site file, such as robots.txt, in a folder that mirrors a site.
fn in_folder(folder: &Path, file: SiteFile) -> PathBuf {
    folder.join(file.path().trim_start_matches('/'))
}

/// Returns the rules of the site file `file` in `folder`. `url` is the URL of the folder on the
/// web. If the file is missing in the root folder of a site, returns the rules of a missing file
/// (404). `None` if the file is missing in a folder that is only part of a site.
fn rules(folder: &Path, url: &Url, file: SiteFile) -> Result<Option<RobotsTxt>> {
    if let Some(rules) = file_of_site(folder, file)? {
        return Ok(Some(rules));
    }
    // A whole site without this file has no rules. The root of a partial site may have one
    // elsewhere.
    if url.path() != "/" {
        return Ok(None);
    }
    let absent = file.read_response(404, b"").with_response(Some(404), b"");
    Ok(Some(absent.with_reason("no robots.txt in the folder")))
}

/// Reads a site file in a folder, up to its first `ROBOTS_BYTES` bytes. `None` if `path` is neither
/// a regular file nor a link to a regular file in the folder. Returns an error if `path` does not
/// exist.
fn contents(folder: &Path, path: &Path) -> io::Result<Option<Vec<u8>>> {
    let data = std::fs::symlink_metadata(path)?;
    let is_read = data.is_file() || data.is_symlink() && is_inside(folder, path);
    if !is_read {
        return Ok(None);
    }
    Ok(Some(read_start(path, ROBOTS_BYTES)?))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// True if the target of `link` is a regular file in the folder.
fn is_inside(folder: &Path, link: &Path) -> bool {
    match (folder.canonicalize(), link.canonicalize()) {
        (Ok(folder), Ok(target)) => target.starts_with(&folder) && target.is_file(),
        _ => false,
    }
}

/// True if an entry of a folder has a name that servers do not publish: `node_modules`, or a name
/// that begins with a dot, except `.well-known`.
fn is_hidden(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    let has_dot = name.starts_with('.') && name != ".well-known";
    entry.depth() > 0 && (has_dot || name == "node_modules")
}

/// True if a server returns this file for the URL of the file's folder. Such a file is an
/// `index.html`. An `index.htm` without an `index.html` beside it counts too.
fn is_index(path: &Path) -> bool {
    let Some(name) = path.file_name() else {
        return false;
    };
    name == "index.html" || name == "index.htm" && !path.with_file_name("index.html").is_file()
}

/// True if the file's name has an HTML extension such as `.html`, or no extension.
fn may_be_page(path: &Path) -> bool {
    path.extension().is_none() || is_named_as_page(path)
}

/// True if the file's name has an HTML extension such as `.html`.
pub(super) fn is_named_as_page(path: &Path) -> bool {
    let Some(ending) = path.extension() else {
        return false;
    };
    let ending = ending.to_string_lossy().to_ascii_lowercase();
    matches!(ending.as_str(), "html" | "htm" | "xhtml" | "xht" | "shtml")
}

fn file_url(path: &Path, root: &Path, prefix: &Url) -> Option<Url> {
    let mut url = prefix.clone();
    let relative = path.strip_prefix(root).ok()?;
    let mut segments = url.path_segments_mut().ok()?;
    segments.pop_if_empty();
    for part in relative.components() {
        segments.push(&part.as_os_str().to_string_lossy());
    }
    drop(segments);
    Some(url)
}

fn with_slash(url: &Url) -> Url {
    let mut url = url.clone();
    if !url.path().ends_with('/') {
        url.set_path(&format!("{}/", url.path()));
    }
    url
}

/// Reads the first `most` bytes of a file.
fn read_start(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let length = file.metadata()?.len().min(most);
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn damage(file: String, message: String) -> Item {
    Item::Damage(Damage::new(
        InputPlace {
            file: file.into(),
            at: None,
        },
        message,
    ))
}

fn passed(why: Skip, path: &Path) -> Item {
    Item::Skipped(Skipped::new(why, None, None, Some(in_file(path))))
}

fn in_file(path: &Path) -> InputPlace {
    InputPlace {
        file: path.display().to_string().into(),
        at: None,
    }
}
