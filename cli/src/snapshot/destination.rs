//! The destination of snapshots: one file or standard output, a folder of files, or a WARC.
//!
//! A folder of snapshots has a file for each copy. The file's path consists of the host and path of
//! the copy's URL, in characters that every file system allows. A folder and a single file have at
//! most one copy of a URL: the copy of its latest capture. A WARC has a copy of each capture. If
//! several URLs would get the same path, a number is added to all but the first. A URL has the same
//! path for the whole run.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use heedful::{Result, Url};
use heedful_export::warc::WarcWriter;
use heedful_index::Index;

use crate::ending::{io_error, setting, written};
use crate::output;

/// The destination of snapshots: a file, a folder or a WARC.
pub(super) enum Destination {
    /// The destination is a single file, or standard output if `path` is None. It may get only one
    /// copy, so that copy is buffered until the run ends.
    One {
        path: Option<PathBuf>,
        /// The buffered copy: the URL of its page, then its text. None if there is no copy yet.
        only: Option<(String, String)>,
    },
    Folder {
        folder: PathBuf,
        names: FileNames,
    },
    Warc {
        path: PathBuf,
        writer: Box<WarcWriter<BufWriter<File>>>,
    },
}

/// The names of the files in a folder of copies, by the URLs of the copied pages.
#[derive(Default)]
pub(super) struct FileNames {
    taken: HashSet<PathBuf>,
    /// The last number that was added to each path that several URLs share. Without this map, the
    /// search for a free number would try all earlier numbers.
    last: HashMap<PathBuf, u64>,
    files: HashMap<String, FileName>,
}

/// The file with the copy of one URL in a folder of copies.
struct FileName {
    path: PathBuf,
    /// False if the copy was removed from the folder.
    is_there: bool,
}

impl FileNames {
    /// Returns the path for the copy of a URL in the folder: the path that the URL already has, or
    /// else a free one.
    fn assign(&mut self, url: &str) -> PathBuf {
        if let Some(named) = self.files.get_mut(url) {
            named.is_there = true;
            return named.path.clone();
        }
        let path = self.reserve(&url_path(url));
        self.files.insert(
            url.to_owned(),
            FileName {
                path: path.clone(),
                is_there: true,
            },
        );
        path
    }

    /// Marks the file with the copy of a URL as removed, and returns its path. Returns None if the
    /// URL has no copy.
    fn release(&mut self, url: &str) -> Option<PathBuf> {
        let file = self.files.get_mut(url)?;
        if !file.is_there {
            return None;
        }
        file.is_there = false;
        Some(file.path.clone())
    }

    /// Reserves `path` for the copy of a URL, and returns it. Adds a number to the path if another
    /// URL has reserved it.
    fn reserve(&mut self, path: &Path) -> PathBuf {
        let mut free = path.to_owned();
        while !self.taken.insert(free.clone()) {
            let number = self.last.entry(path.to_owned()).or_insert(1);
            *number += 1;
            free = numbered(path, *number);
        }
        free
    }
}

impl Destination {
    /// Opens the destination of snapshots at `path`. The ending of `path` decides if the
    /// destination is a file, a folder or a WARC. Without a path, the destination is standard
    /// output.
    ///
    /// # Errors
    /// Fails if `path` is an index, or a file that is no destination of snapshots. Also fails if
    /// the destination cannot be created.
    pub(super) fn open(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else {
            return Ok(Self::One {
                path: None,
                only: None,
            });
        };
        let name = path.to_string_lossy();
        if (name.ends_with(".html") || name.ends_with(".htm")) && !path.is_dir() {
            return Ok(Self::One {
                path: Some(path.to_owned()),
                only: None,
            });
        }
        if name.ends_with(".warc") || name.ends_with(".warc.gz") {
            let writer =
                WarcWriter::new(create_file(path)?, name.ends_with(".gz"), SystemTime::now())?;
            return Ok(Self::Warc {
                path: path.to_owned(),
                writer: Box::new(writer),
            });
        }
        if Index::is_in(path) {
            return Err(setting(format!(
                "{name} is an index: write the copies to another folder"
            )));
        }
        if path.is_file() {
            return Err(setting(format!(
                "{name} is a file: -o takes a folder, or a name that ends in .html, .warc or .warc.gz"
            )));
        }
        std::fs::create_dir_all(path).map_err(io_error(path.display()))?;
        Ok(Self::Folder {
            folder: path.to_owned(),
            names: FileNames::default(),
        })
    }

    /// Returns the path of the list of copies. The list is beside the folder of the copies, not in
    /// it: the folder may be served to the public, but the list should not be.
    pub(super) fn list(&self) -> Option<PathBuf> {
        let path = match self {
            Self::One { .. } => return None,
            Self::Folder { folder, .. } => folder,
            Self::Warc { path, .. } => path,
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Some(path.with_file_name(format!("{name}.copies.jsonl")))
    }

    /// Writes the copy `snapshot` of a URL to the destination. Returns the name of its file in a
    /// folder, or None for a single file.
    pub(super) fn write(&mut self, url: &str, snapshot: &str) -> Result<Option<String>> {
        match self {
            Self::One { only: Some(_), .. } => Err(setting(
                "there are several pages: name a folder or a .warc.gz for them with -o",
            )),
            Self::One { only, .. } => {
                *only = Some((url.to_owned(), snapshot.to_owned()));
                Ok(None)
            }
            Self::Folder { folder, names } => {
                let name = names.assign(url);
                let path = folder.join(&name);
                std::fs::create_dir_all(path.parent().unwrap_or(folder))
                    .map_err(io_error(path.display()))?;
                std::fs::write(&path, snapshot).map_err(io_error(path.display()))?;
                let mut parts = Vec::new();
                for part in &name {
                    parts.push(part.to_string_lossy());
                }
                Ok(Some(parts.join("/")))
            }
            Self::Warc { path, writer } => {
                writer.snapshot(url, snapshot)?;
                let name = path.file_name();
                Ok(name.map(|name| name.to_string_lossy().into_owned()))
            }
        }
    }

    /// Removes the copy of an earlier capture of a URL from the folder or file of the copies.
    /// Returns true if there was a copy.
    pub(super) fn remove(&mut self, url: &str) -> Result<bool> {
        match self {
            Self::One { only, .. } => Ok(only.take_if(|(own, _)| own == url).is_some()),
            Self::Folder { folder, names } => {
                let Some(name) = names.release(url) else {
                    return Ok(false);
                };
                let path = folder.join(name);
                std::fs::remove_file(&path).map_err(io_error(path.display()))?;
                Ok(true)
            }
            Self::Warc { .. } => Ok(false),
        }
    }

    /// True if the destination has only the copy of the latest capture of each URL, as a folder or
    /// file has. False for a WARC.
    pub(super) fn is_of_latest(&self) -> bool {
        !matches!(self, Self::Warc { .. })
    }

    /// Returns the path of the copy that an earlier run wrote for a URL. Returns None if there is
    /// no such file, or if this run has written it.
    pub(super) fn older(&self, url: &str) -> Option<PathBuf> {
        let path = match self {
            Self::One { path, .. } => path.clone()?,
            Self::Folder { folder, names } => {
                let name = url_path(url);
                if names.taken.contains(&name) {
                    return None;
                }
                folder.join(name)
            }
            Self::Warc { .. } => return None,
        };
        path.is_file().then_some(path)
    }

    pub(super) fn finish(self) -> Result<()> {
        match self {
            Self::Warc { writer, .. } => writer.finish().map(drop),
            Self::One {
                only: Some((_, copy)),
                path: Some(path),
            } => std::fs::write(&path, copy).map_err(io_error(path.display())),
            Self::One {
                only: Some((_, copy)),
                path: None,
            } => {
                let mut out = output::data();
                written(out.write_all(copy.as_bytes()).and_then(|()| out.flush()))
            }
            Self::One { only: None, .. } | Self::Folder { .. } => Ok(()),
        }
    }
}

pub(super) fn create_file(path: &Path) -> Result<BufWriter<File>> {
    let file = File::create(path).map_err(io_error(path.display()))?;
    Ok(BufWriter::new(file))
}

/// Returns the path for the copy of a URL: the URL's host and path, in characters that every file
/// system allows. It ends in `.html` or `.htm`.
fn url_path(url: &str) -> PathBuf {
    let Ok(url) = Url::parse(url) else {
        return html_name(plain(url)).into();
    };
    let mut path = PathBuf::from(folder_name(url.host_str().unwrap_or("pages")));
    let mut parts: Vec<_> = url.path_segments().into_iter().flatten().collect();
    let mut last = match parts.pop() {
        Some(last) if !last.is_empty() => last.to_owned(),
        _ => "index.html".to_owned(),
    };
    parts.retain(|part| !part.is_empty());
    for part in parts.iter().take(20) {
        path.push(folder_name(part));
    }
    if let Some(query) = url.query() {
        last = format!("{last}_{query}");
    }
    path.join(html_name(plain(&last)))
}

/// Returns the first 100 characters of a text, for a file name. Characters that some file system
/// refuses are replaced by `_`.
fn plain(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars().take(100) {
        let is_plain = c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        name.push(if is_plain { c } else { '_' });
    }
    if name.chars().all(|c| c == '.') {
        format!("_{name}")
    } else {
        name
    }
}

fn html_name(name: String) -> String {
    let is_html = name.ends_with(".html") || name.ends_with(".htm");
    if is_html { name } else { name + ".html" }
}

/// Returns a folder name in characters that every file system allows. It never has an ending that
/// the file of a copy has.
fn folder_name(text: &str) -> String {
    let name = plain(text);
    let lower = name.to_ascii_lowercase();
    let is_html = lower.ends_with(".html") || lower.ends_with(".htm");
    if is_html { name + "_" } else { name }
}

/// Inserts a number before the ending of a path: `a.b.2.html`.
fn numbered(path: &Path, number: u64) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, "html"));
    path.with_file_name(format!("{stem}.{number}.{ending}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If many URLs would get the same path, numbers are added to it. The time must not grow with
    /// the square of the number of URLs, or this test would take most of an hour.
    #[test]
    fn many_urls_have_one_path() {
        const URLS: usize = 50_000;
        let mut names = FileNames::default();
        let path = "a".repeat(120);
        let given: HashSet<_> = (0..URLS)
            .map(|n| names.assign(&format!("https://s.example/{path}{n}")))
            .collect();
        assert_eq!(given.len(), URLS);
        assert!(
            given
                .contains(&Path::new("s.example").join(format!("{}.{URLS}.html", "a".repeat(100))))
        );
    }

    #[test]
    fn a_number_stands_before_the_ending_and_stays() {
        let mut names = FileNames::default();
        let mut give = |path: &str| {
            names
                .assign(&format!("https://s.example/{path}"))
                .to_string_lossy()
                .into_owned()
        };
        for (path, expected) in [
            ("a.b", "a.b.html"),
            ("a.b.html", "a.b.2.html"),
            ("a.b.2", "a.b.2.2.html"),
            ("//a.b", "a.b.3.html"),
            ("a.htm", "a.htm"),
            ("//a.htm", "a.2.htm"),
            (".html", ".html"),
            ("//.html", ".2.html"),
            // A URL that comes again keeps its file.
            ("a.b.html", "a.b.2.html"),
        ] {
            assert_eq!(give(path), format!("s.example/{expected}"), "{path}");
        }
        assert_eq!(
            names.release("https://s.example/a.b"),
            Some("s.example/a.b.html".into())
        );
        assert_eq!(names.release("https://s.example/a.b"), None);
        assert_eq!(
            names.assign("https://s.example/a.b"),
            Path::new("s.example/a.b.html")
        );
    }
}
