//! A folder as a site: its files are pages under a URL prefix, its robots.txt stands at its root.
//!
//! An `index.html`, or else an `index.htm`, is at the URL of its folder, as servers publish it. The
//! rules of robots.txt are also checked for the file's own URL. Files that no server publishes are
//! passed over unless they are asked for. Their names begin with a dot (except `.well-known`), or
//! are `node_modules`.

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
use super::robots::{Robots, RobotsAnswer};
use super::terms::InputTerms;
use super::{http, magic};

/// The maximum bytes that are read of a robots.txt.
const OF_ROBOTS: u64 = 1 << 20;

/// True if no server publishes the entry.
fn is_hidden(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    let has_dot = name.starts_with('.') && name != ".well-known";
    entry.depth() > 0 && (has_dot || name == "node_modules")
}

/// The bytes of the files, if the folder can be a site.
pub(super) fn check(folder: &Path, hidden: bool) -> Result<u64> {
    let name = folder.display();
    let (mut size, mut pages) = (0, 0);
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
    let (Some(folder), Some(url)) = (folder, url) else {
        return Ok(Vec::new());
    };
    let found = |file: SiteFile| {
        rules(folder, url, file)
            .transpose()
            .map(|rules| (file, rules))
    };
    let found = SiteFile::ALL.into_iter().filter_map(found);
    let is_of_part = url.path() != "/";
    found
        .map(|(file, rules)| {
            Ok(Robots::of(url, file, RobotsAnswer::Rules(rules?)).of_part(is_of_part))
        })
        .collect()
}

/// A site's file in its folder, as a run reads it: None if it is not there. One that is no file,
/// such as a pipe, or a link that leads out of the folder, counts as a file that cannot be read.
///
/// # Errors
/// Fails if it cannot be opened.
pub fn file_of_site(folder: &Path, file: SiteFile) -> Result<Option<RobotsTxt>> {
    let path = in_folder(folder, file);
    match std::fs::symlink_metadata(&path).and_then(|data| contents(folder, &path, &data)) {
        Ok(Some(bytes)) => Ok(Some(file.read(&bytes).with_response(None, &bytes))),
        // The file is there, and its content cannot be had.
        Ok(None) => Ok(Some(file.unreadable(http::UNREAD))),
        Err(error) if is_absent(&error) => Ok(None),
        Err(source) => Err(ErrorKind::Io {
            what: path.display().to_string(),
            source,
        }
        .into()),
    }
}

/// The place of a site's file in its folder.
fn in_folder(folder: &Path, file: SiteFile) -> PathBuf {
    folder.join(file.path().trim_start_matches('/'))
}

/// The content of a site's file. Returns None if the folder does not tell.
fn rules(folder: &Path, url: &Url, file: SiteFile) -> Result<Option<RobotsTxt>> {
    // A site without this file lets everybody in; a part of a site does not tell.
    let absent =
        (url.path() == "/").then(|| file.read_response(404, b"").with_response(Some(404), b""));
    let absent = absent.map(|absent| absent.with_reason("no robots.txt in the folder"));
    Ok(file_of_site(folder, file)?.or(absent))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// The content of a folder's robots.txt, up to the maximum; None if it is no file. A link is
/// followed to a file in the folder.
fn contents(folder: &Path, path: &Path, data: &std::fs::Metadata) -> io::Result<Option<Vec<u8>>> {
    let is_read = data.is_file() || data.is_symlink() && is_inside(folder, path);
    if !is_read {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(OF_ROBOTS).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// True if a link leads to a file in the folder.
fn is_inside(folder: &Path, link: &Path) -> bool {
    let (folder, target) = (folder.canonicalize(), link.canonicalize());
    matches!((folder, target), (Ok(folder), Ok(target)) if target.starts_with(&folder) && target.is_file())
}

pub(super) fn items(
    folder: Option<&Path>,
    url: Option<&Url>,
    hidden: bool,
    read: Arc<AtomicU64>,
    position: &Position,
    terms: &Arc<InputTerms>,
) -> Result<impl Iterator<Item = (Item, Position)> + Send + use<>> {
    let (Some(folder), Some(url)) = (folder, url) else {
        return Err(Error::setting("a folder needs a URL"));
    };
    let (root, prefix, terms) = (folder.to_owned(), with_slash(url), Arc::clone(terms));
    let mut last = position.path.as_ref().map(|path| root.join(path));
    let mut behind = position.clone();
    let mut files = WalkDir::new(folder).sort_by_file_name().into_iter();
    let next = move || {
        let entry = files.next()?;
        let is_passed = entry
            .as_ref()
            .is_ok_and(|entry| !hidden && is_hidden(entry));
        if is_passed && entry.as_ref().is_ok_and(|entry| entry.file_type().is_dir()) {
            files.skip_current_dir();
        }
        Some((entry, is_passed))
    };
    Ok(
        std::iter::from_fn(next).filter_map(move |(entry, is_passed)| match entry {
            Ok(entry)
                if entry.file_type().is_file() || is_passed || is_odd_robots(&entry, &root) =>
            {
                let path = entry.path();
                let length = entry.metadata().map_or(0, |data| data.len());
                read.fetch_add(if is_passed { 0 } else { length }, Ordering::Relaxed);
                // Paths compare part by part, in the order of the walk.
                if last.as_ref().is_some_and(|last| path <= last) {
                    return None;
                }
                last = None;
                // A name that is no text cannot be a place to continue from.
                if let Some(path) = path.strip_prefix(&root).ok().and_then(Path::to_str) {
                    behind.path = Some(path.to_owned());
                }
                let item = if is_passed {
                    Some(passed(Skip::Hidden, path))
                } else {
                    item(path, &root, &prefix, &terms)
                };
                item.map(|item| (item, behind.clone()))
            }
            Ok(_) => None,
            Err(error) => {
                let file = error.path().unwrap_or(&root).display().to_string();
                Some((damage(file, error.to_string()), behind.clone()))
            }
        }),
    )
}

fn with_slash(url: &Url) -> Url {
    let mut url = url.clone();
    if !url.path().ends_with('/') {
        url.set_path(&format!("{}/", url.path()));
    }
    url
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

/// True if the entry has the name of the site's robots.txt, and is no file.
fn is_odd_robots(entry: &DirEntry, root: &Path) -> bool {
    let is_one = SiteFile::ALL
        .into_iter()
        .any(|file| entry.path() == in_folder(root, file));
    is_one && !entry.file_type().is_file() && !is_inside(root, entry.path())
}

fn item(path: &Path, root: &Path, prefix: &Url, terms: &InputTerms) -> Option<Item> {
    if let Some(file) = SiteFile::ALL
        .into_iter()
        .find(|file| path == in_folder(root, *file))
    {
        let is_read =
            path.symlink_metadata().is_ok_and(|data| data.is_file()) || is_inside(root, path);
        let means = if file == SiteFile::Robots {
            "lets nobody in"
        } else {
            "reserves all pages"
        };
        let message = format!("no file in this folder: as a {} it {means}", file.name());
        if !is_read {
            return Some(damage(path.display().to_string(), message));
        }
        return terms.each_record.then(|| passed(Skip::Other, path));
    }
    if !may_be_page(path) {
        return Some(passed(Skip::Type, path));
    }
    let file = path.display().to_string();
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
    let damaged = |damage: Damage| Some(Item::Damage(damage.of(Some(url.to_string()), None)));
    let mut bytes = Vec::new();
    let most = terms.limits.page_bytes;
    match File::open(path)
        .and_then(|file| file.take(most.saturating_add(1)).read_to_end(&mut bytes))
    {
        Ok(_) if bytes.len() as u64 > most => {
            let damage = Damage::with(
                InputPlace {
                    file: file.into(),
                    at: None,
                },
                limits::exceeded("page_bytes", &terms.limits),
            );
            return damaged(damage);
        }
        Ok(_) => {}
        Err(error) => {
            return damaged(Damage::new(
                InputPlace {
                    file: file.into(),
                    at: None,
                },
                format!("cannot be read ({error})"),
            ));
        }
    }
    // A page that has become none is still reported with its URL.
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
    let origin = InputPlace {
        file: file.into(),
        at: None,
    };
    let document = FetchedPage::new(url.into(), Vec::new(), Body::Bytes(bytes), origin);
    let folder = Some(InFolder {
        site: prefix.clone(),
        file: file_url,
    });
    Some(Item::Document(FetchedPage { folder, ..document }))
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

/// True if a server gives this file for its folder.
fn is_index(path: &Path) -> bool {
    let is = |name: &str| path.file_name().is_some_and(|own| own == name);
    is("index.html") || is("index.htm") && !path.with_file_name("index.html").is_file()
}

/// True if the file's name has the ending of a page, or no ending.
fn may_be_page(path: &Path) -> bool {
    path.extension().is_none() || is_named_as_page(path)
}

/// True if the file's name has the ending of a page.
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
