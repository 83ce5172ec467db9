//! Parses a manifest: a file that lists other inputs, one on each line.
//!
//! A line of a manifest is a path or a glob pattern, optionally with a tab and a URL: that of a
//! page, or the prefix of a folder that mirrors a site. Lines that begin with `#` are comments.
//! Paths are relative to the working directory, or else to the manifest's folder.
//!
//! A manifest names files of this machine, so a page from the web must never be taken for a
//! manifest. Therefore a manifest is never detected by its content: only the user declares one. A
//! line that names a page must also have the page's URL.

use std::path::{Path, PathBuf};

use url::Url;

use heedful_base::error::{Error, ErrorKind, Result};

/// Entry of a manifest: a path or pattern, and the URL if the line has one.
pub(super) struct ManifestEntry {
    pub(super) path: PathBuf,
    pub(super) url: Option<Url>,
}

/// Parses all entries of a manifest named `name` with the content `text`.
pub(super) fn read(name: &str, text: &str, folder: &Path) -> Result<Vec<ManifestEntry>> {
    let mut entries = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_end();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let path = path_of(line);
        let url = match line.split_once('\t').map(|(_, url)| url.trim()) {
            None | Some("") => None,
            Some(url) => {
                let url = Url::parse(url);
                Some(url.map_err(|error| trouble(name, number, &error.to_string()))?)
            }
        };
        if path.contains("://") {
            return Err(trouble(
                name,
                number,
                &format!("{path} is not on this machine: only files are read"),
            ));
        }
        let path = find(path, folder).unwrap_or_else(|| pattern(path, folder));
        entries.push(ManifestEntry { path, url });
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

/// Returns the glob pattern of a manifest entry whose `path` is not a file. If the pattern has no
/// match in the working directory, it is relative to `folder`, the manifest's folder.
fn pattern(path: &str, folder: &Path) -> PathBuf {
    let is_here = glob::glob(path).is_ok_and(|mut found| found.next().is_some());
    if is_here {
        PathBuf::from(path)
    } else {
        folder.join(path)
    }
}

fn find(path: &str, folder: &Path) -> Option<PathBuf> {
    if path.is_empty() {
        return None;
    }
    [PathBuf::from(path), folder.join(path)]
        .into_iter()
        .find(|path| path.exists())
}
