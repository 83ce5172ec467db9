//! Files that name other inputs, one a line. A line is a path or a pattern. Behind a tab it may
//! have the URL of a page, or of the folder that is a site. Lines that begin with `#` are comments.
//! Paths are relative to the working directory, or else to the manifest.
//!
//! The content of an input decides its kind, and may come from anywhere. So a page could pass for a
//! manifest and name files of this machine. For this reason only the user can declare a manifest,
//! and a page in it must be given its URL.

use std::path::{Path, PathBuf};

use url::Url;

use heedful_base::error::{Error, ErrorKind, Result};

/// An entry of a manifest.
pub(super) struct ManifestEntry {
    pub(super) path: PathBuf,
    pub(super) url: Option<Url>,
}

/// All entries of a manifest.
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

/// A path without a file may be a pattern. If it matches nothing here, it is read relative to the
/// manifest's folder.
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
