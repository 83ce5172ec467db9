//! The names of the files in a folder of copies.
//!
//! A path consists of the host and path of the copy's URL, in characters that every file system
//! allows. If several URLs would get the same path, a number is added to all but the first. Two
//! paths count as the same if any operating system treats them as the same: case does not count,
//! and no part ends in a dot. Names of devices on Windows get a `_` before them. A URL has the same
//! path for the whole run.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use heedful::Url;

/// The names of the files in a folder of copies, by the URLs of the copied pages.
#[derive(Default)]
pub(super) struct FileNames {
    /// Paths that are reserved, in the form that [`folded`] returns.
    taken: HashSet<String>,
    /// The last number that was added to each path that several URLs share. The search for a free
    /// number starts there, so it does not try all earlier numbers.
    last: HashMap<String, u64>,
    files: HashMap<String, FileName>,
}

/// The file with the copy of one URL in a folder of copies.
struct FileName {
    path: PathBuf,
    /// False if the copy was removed from the folder.
    is_there: bool,
}

impl FileNames {
    /// Returns the path for the copy of a URL in the folder. If the URL has no path yet, reserves a
    /// free one.
    pub(super) fn assign(&mut self, url: &str) -> PathBuf {
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
    pub(super) fn release(&mut self, url: &str) -> Option<PathBuf> {
        let file = self.files.get_mut(url)?;
        if !file.is_there {
            return None;
        }
        file.is_there = false;
        Some(file.path.clone())
    }

    /// Returns the path that an earlier run probably gave to the copy of a URL. Returns `None` if
    /// this run has reserved the path.
    pub(super) fn of_earlier_runs(&self, url: &str) -> Option<PathBuf> {
        let path = url_path(url);
        (!self.taken.contains(&folded(&path))).then_some(path)
    }

    /// Reserves a path for the copy of a URL, and returns it. The path is `path`, with a number
    /// added if another URL has reserved `path`.
    fn reserve(&mut self, path: &Path) -> PathBuf {
        let mut free = path.to_owned();
        while !self.taken.insert(folded(&free)) {
            let number = self.last.entry(folded(path)).or_insert(1);
            *number += 1;
            free = numbered(path, *number);
        }
        free
    }
}

/// Returns the path for the copy of a URL. It consists of the URL's host and path, in characters
/// that every file system allows. It ends in `.html` or `.htm`.
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
    if is_reserved(&name) || name.chars().all(|c| c == '.') {
        name.insert(0, '_');
    }
    name
}

/// True if Windows reserves the file name for a device. Examples are `con` and `aux.html`.
fn is_reserved(name: &str) -> bool {
    let stem = name
        .split('.')
        .next()
        .unwrap_or_default()
        .to_ascii_uppercase();
    let is_port = || {
        let number = stem.strip_prefix("COM").or(stem.strip_prefix("LPT"));
        number.is_some_and(|number| number.len() == 1 && number.as_bytes()[0].is_ascii_digit())
    };
    matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL") || is_port()
}

/// Returns `path` in lower case, for the comparison of paths. Two paths with the same result would
/// be the same file on some operating systems. `path` has only ASCII characters, and no part that
/// ends in a dot.
fn folded(path: &Path) -> String {
    path.to_string_lossy().to_ascii_lowercase()
}

fn html_name(name: String) -> String {
    let is_html = name.ends_with(".html") || name.ends_with(".htm");
    if is_html { name } else { name + ".html" }
}

/// Returns a folder name in characters that every file system allows. It never ends in `.html` or
/// `.htm`, which files of copies have. It never ends in a dot either, which Windows would drop.
fn folder_name(text: &str) -> String {
    let name = plain(text);
    let lower = name.to_ascii_lowercase();
    if [".html", ".htm", "."]
        .iter()
        .any(|end| lower.ends_with(end))
    {
        name + "_"
    } else {
        name
    }
}

/// Inserts `number` before the ending of a path. For `a.b.html` and 2, returns `a.b.2.html`.
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
            ("A.B", "A.B.4.html"),
            ("con", "_con.html"),
            ("_CON", "_CON.2.html"),
            ("NUL.tar.html", "_NUL.tar.html"),
            ("com1/lpt9.x/com10/aux", "_com1/_lpt9.x/com10/_aux.html"),
            ("a./b ./c", "a._/b_20._/c.html"),
            ("A._/b_20._/C", "A._/b_20._/C.2.html"),
            ("x.HTML/a", "x.HTML_/a.html"),
            ("%C3%84/%E2%84%AA", "_C3_84/_E2_84_AA.html"),
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
