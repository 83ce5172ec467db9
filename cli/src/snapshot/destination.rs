//! The files that copies go to: one file or standard output, a folder of them, or a WARC.
//!
//! In a folder, the path of a copy is made of its host and path, in characters that are harmless in any file system. A
//! folder and a single file have at most one copy of a URL, that of its latest capture. A WARC has one of each capture.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use heedful::export::warc::WarcWriter;
use heedful::index::Index;
use heedful::{ErrorKind, Result, Url};

use crate::ending::{setting, written};
use crate::output;

/// The destination of snapshots.
pub(super) enum Destination {
    /// The copy waits until it is known to be the only one. Without a path it goes to standard output.
    One {
        path: Option<PathBuf>,
        /// The URL and its copy.
        only: Option<(String, String)>,
    },
    Folder {
        folder: PathBuf,
        taken: HashSet<PathBuf>,
        /// The file of each URL.
        files: HashMap<String, PathBuf>,
    },
    Warc {
        path: PathBuf,
        writer: Box<WarcWriter<BufWriter<File>>>,
    },
}

impl Destination {
    /// The destination with this path; standard output without one.
    pub(super) fn of(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else { return Ok(Self::One { path: None, only: None }) };
        let name = path.to_string_lossy();
        if [".html", ".htm"].iter().any(|ending| name.ends_with(ending)) && !path.is_dir() {
            return Ok(Self::One { path: Some(path.to_owned()), only: None });
        }
        if name.ends_with(".warc") || name.ends_with(".warc.gz") {
            let writer = WarcWriter::new(created(path)?, name.ends_with(".gz"), SystemTime::now())?;
            return Ok(Self::Warc { path: path.to_owned(), writer: Box::new(writer) });
        }
        if Index::is_in(path) {
            return Err(setting(format!("{name} is an index: write the copies to another folder")));
        }
        if path.is_file() {
            return Err(setting(format!(
                "{name} is a file: -o takes a folder, or a name that ends in .html, .warc or .warc.gz"
            )));
        }
        std::fs::create_dir_all(path).map_err(|source| ErrorKind::Io { what: path.display().to_string(), source })?;
        Ok(Self::Folder { folder: path.to_owned(), taken: HashSet::new(), files: HashMap::new() })
    }

    /// The path of the list of copies, beside them: who serves a folder of copies does not want to serve its list.
    pub(super) fn list(&self) -> Option<PathBuf> {
        let path = match self {
            Self::One { .. } => return None,
            Self::Folder { folder, .. } => folder,
            Self::Warc { path, .. } => path,
        };
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Some(path.with_file_name(format!("{name}.copies.jsonl")))
    }

    /// Writes a copy; returns the name of its file.
    pub(super) fn put(&mut self, url: &str, snapshot: &str) -> Result<Option<String>> {
        match self {
            Self::One { only: Some(_), .. } => {
                Err(setting("there are several pages: name a folder or a .warc.gz for them with -o"))
            }
            Self::One { only, .. } => {
                *only = Some((url.to_owned(), snapshot.to_owned()));
                Ok(None)
            }
            Self::Folder { folder, taken, files } => {
                let path = free(&folder.join(file_of(url)), taken);
                let io = |source| ErrorKind::Io { what: path.display().to_string(), source };
                std::fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(io)?;
                std::fs::write(&path, snapshot).map_err(io)?;
                files.insert(url.to_owned(), path.clone());
                let name = path.strip_prefix(&*folder).unwrap_or(&path).iter();
                Ok(Some(name.map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")))
            }
            Self::Warc { path, writer } => {
                writer.snapshot(url, snapshot)?;
                Ok(path.file_name().map(|name| name.to_string_lossy().into_owned()))
            }
        }
    }

    /// Removes the copy that an earlier capture of a URL has in a folder or a single file. Returns true if it had one.
    pub(super) fn remove(&mut self, url: &str) -> Result<bool> {
        match self {
            Self::One { only, .. } => Ok(only.take_if(|(own, _)| own == url).is_some()),
            Self::Folder { taken, files, .. } => {
                let Some(path) = files.remove(url) else { return Ok(false) };
                let io = |source| ErrorKind::Io { what: path.display().to_string(), source };
                std::fs::remove_file(&path).map_err(io)?;
                Ok(taken.remove(&path))
            }
            Self::Warc { .. } => Ok(false),
        }
    }

    /// True if only the latest capture of a URL has a copy here.
    pub(super) fn is_of_latest(&self) -> bool {
        !matches!(self, Self::Warc { .. })
    }

    /// The file of an earlier copy of a page that has none now.
    pub(super) fn older(&self, url: &str) -> Option<PathBuf> {
        let path = match self {
            Self::One { path, .. } => path.clone()?,
            Self::Folder { folder, taken, .. } => {
                Some(folder.join(file_of(url))).filter(|path| !taken.contains(path))?
            }
            Self::Warc { .. } => return None,
        };
        path.is_file().then_some(path)
    }

    pub(super) fn finish(self) -> Result<()> {
        match self {
            Self::Warc { writer, .. } => writer.finish().map(|_| ()),
            Self::One { only: Some((_, copy)), path: Some(path) } => std::fs::write(&path, copy)
                .map_err(|source| ErrorKind::Io { what: path.display().to_string(), source }.into()),
            Self::One { only: Some((_, copy)), path: None } => {
                let mut out = output::data();
                written(out.write_all(copy.as_bytes()).and_then(|()| out.flush()))
            }
            Self::One { only: None, .. } | Self::Folder { .. } => Ok(()),
        }
    }
}

pub(super) fn created(path: &Path) -> Result<BufWriter<File>> {
    let file = File::create(path).map_err(|source| ErrorKind::Io { what: path.display().to_string(), source })?;
    Ok(BufWriter::new(file))
}

/// The file for a URL: its host and its path, in harmless characters, ending in `.html`.
fn file_of(url: &str) -> PathBuf {
    let plain = |text: &str| -> String {
        let harmless = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
        let text: String = text.chars().take(100).map(harmless).collect();
        if text.chars().all(|c| c == '.') { format!("_{text}") } else { text }
    };
    let Ok(url) = Url::parse(url) else { return plain(url).into() };
    // No folder may have the name of a file.
    let folder = |text: &str| {
        let folder = plain(text);
        let is_file = [".html", ".htm"].iter().any(|ending| folder.to_ascii_lowercase().ends_with(ending));
        if is_file { folder + "_" } else { folder }
    };
    let mut file = PathBuf::from(folder(url.host_str().unwrap_or("pages")));
    let mut parts: Vec<_> = url.path_segments().into_iter().flatten().map(str::to_owned).collect();
    let last = parts.pop().filter(|last| !last.is_empty()).unwrap_or_else(|| "index.html".to_owned());
    file.extend(parts.iter().filter(|part| !part.is_empty()).take(20).map(|part| folder(part)));
    let query = url.query().map(|query| format!("_{query}")).unwrap_or_default();
    let name = plain(&format!("{last}{query}"));
    let is_html = name.ends_with(".html") || name.ends_with(".htm");
    file.join(if is_html { name } else { name + ".html" })
}

/// The path, or with a number if it is taken.
fn free(path: &Path, taken: &mut HashSet<PathBuf>) -> PathBuf {
    let mut free = path.to_owned();
    let mut number = 1;
    while !taken.insert(free.clone()) {
        number += 1;
        free = path.with_extension(format!("{number}.html"));
    }
    free
}
