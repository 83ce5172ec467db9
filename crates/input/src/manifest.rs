//! Parses a manifest: a file that lists other inputs, one on each line.
//!
//! A line of a manifest is a path or a glob pattern, optionally with a tab and a URL: that of a
//! page, or the prefix of a folder that mirrors a site. Lines that begin with `#` are comments.
//! Paths are relative to the base that the caller gives. Without a base they are relative to the
//! working directory, or else to the manifest's folder. A base may be a URL, and a line may be one:
//! such a line is an error, because nothing is fetched.
//!
//! A manifest names files of this machine, so a page from the web must never be taken for a
//! manifest. Therefore a manifest is never detected by its content: only the user declares one. A
//! line that names a page must also have the page's URL.

use std::path::{Path, PathBuf};

use url::Url;

use heedful_base::error::{Error, ErrorKind, Result};

use super::remote::address_message;

/// Entry of a manifest: a path or pattern, and the URL if the line has one.
pub(super) struct ManifestEntry {
    pub(super) path: PathBuf,
    pub(super) url: Option<Url>,
}

/// Parses all entries of a manifest named `name` with the content `text`. Relative paths are joined
/// to `base` if it is given. Otherwise they are looked up in the working directory, and then in
/// `folder`, the manifest's folder.
pub(super) fn read(
    name: &str,
    text: &str,
    folder: &Path,
    base: Option<&str>,
) -> Result<Vec<ManifestEntry>> {
    let mut entries = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_end();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let path = based(path_of(line), base);
        let url = match line.split_once('\t').map(|(_, url)| url.trim()) {
            None | Some("") => None,
            Some(url) => {
                let url = Url::parse(url);
                Some(url.map_err(|error| trouble(name, number, &error.to_string()))?)
            }
        };
        if path.contains("://") {
            let message = address_message(Path::new(&path))
                .unwrap_or("is not on this machine: only files are read");
            return Err(trouble(name, number, &format!("{path} {message}")));
        }
        let path = if base.is_some() {
            PathBuf::from(path)
        } else {
            find(&path, folder).unwrap_or_else(|| pattern(&path, folder))
        };
        entries.push(ManifestEntry { path, url });
    }
    Ok(entries)
}

/// Joins a relative `path` to `base`, which is a folder or a URL. Returns an absolute path or a URL
/// unchanged.
fn based(path: &str, base: Option<&str>) -> String {
    let Some(base) = base else {
        return path.to_owned();
    };
    if path.contains("://") || Path::new(path).is_absolute() {
        path.to_owned()
    } else if base.contains("://") {
        format!("{}/{path}", base.trim_end_matches('/'))
    } else {
        Path::new(base).join(path).display().to_string()
    }
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
