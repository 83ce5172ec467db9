//! Files that name other inputs, one a line: a path or a pattern, and behind a tab, as may be, the URL of a page or of the
//! folder that is a site. Lines that begin with `#` are comments. Paths are relative to the working directory, or else to the
//! manifest.
//!
//! What kind an input is, its content says, and a content may come from anywhere, a page that names files of this machine
//! too: so a manifest alone must be called one, and a page in it must be given its URL.

use std::path::{Path, PathBuf};

use url::Url;

use crate::error::{Error, ErrorKind, Result};

/// What a manifest names.
pub(super) struct Entry {
    pub(super) path: PathBuf,
    pub(super) url: Option<Url>,
}

/// All that a manifest names.
pub(super) fn read(name: &str, text: &str, folder: &Path) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_end();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let path = path_of(line);
        let url = line.split_once('\t').map(|(_, url)| url.trim()).filter(|url| !url.is_empty());
        let url = url.map(Url::parse).transpose().map_err(|error| trouble(name, number, &error.to_string()))?;
        if path.contains("://") {
            return Err(trouble(name, number, &format!("{path} is not on this machine: only files are read")));
        }
        entries.push(Entry { path: find(path, folder).unwrap_or_else(|| pattern(path, folder)), url });
    }
    Ok(entries)
}

fn trouble(name: &str, number: usize, what: &str) -> Error {
    ErrorKind::Input(format!("{name} line {}: {what}", number + 1)).into()
}

fn path_of(line: &str) -> &str {
    let path = line.split('\t').next().unwrap_or_default().trim();
    path.strip_prefix("file://").unwrap_or(path)
}

/// What names no file may be a pattern; one that stands for nothing here is taken from the manifest's folder.
fn pattern(path: &str, folder: &Path) -> PathBuf {
    let is_here = glob::glob(path).is_ok_and(|mut found| found.next().is_some());
    if is_here { PathBuf::from(path) } else { folder.join(path) }
}

fn find(path: &str, folder: &Path) -> Option<PathBuf> {
    if path.is_empty() {
        return None;
    }
    [PathBuf::from(path), folder.join(path)].into_iter().find(|path| path.exists())
}
