//! Reads test pages from corpus/ and from html5lib's tests.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Returns the pages in the cases of corpus/, each with its name and HTML. Pages that test a single
/// convention are many and similar, so they are optional.
pub(crate) fn corpus(with_conventions: bool) -> Vec<(String, String)> {
    let mut pages = Vec::new();
    let mut folders = vec![super::root().join("corpus")];
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        entries.sort();
        for path in entries {
            if path.is_dir() && (with_conventions || !path.ends_with("convention")) {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                let text = std::fs::read_to_string(path).unwrap();
                let fences = text.split("```html\n").skip(1);
                let found = fences.filter_map(|rest| rest.split("\n```").next());
                pages.extend(found.map(|page| (format!("{page:?}"), page.to_owned())));
            }
        }
    }
    pages
}

/// Returns the documents of html5lib's tests, each with its name (file and number) and HTML.
/// Fragments are left out, because they are no pages.
pub(crate) fn html5lib() -> Vec<(String, String)> {
    let Some(folder) = super::data().map(|data| data.join("html5lib-tests/tree-construction"))
    else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let mut pages = Vec::new();
    for file in files
        .iter()
        .filter(|file| file.extension().is_some_and(|extension| extension == "dat"))
    {
        let text = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let tests = text.split("#data\n").enumerate().skip(1);
        for (number, test) in tests.filter(|(_, test)| !test.contains("\n#document-fragment")) {
            pages.extend(
                test.split("\n#errors")
                    .next()
                    .map(|page| (format!("{name} {number}"), page.to_owned())),
            );
        }
    }
    pages
}

/// A list of pages that are known to differ in a test. Its file has one page per line, with name,
/// tab and reason.
pub(crate) struct Listed(BTreeMap<&'static str, &'static str>);

impl Listed {
    pub(crate) fn of(lines: &'static str) -> Self {
        let lines = lines
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        Self(lines.map(|line| line.split_once('\t').unwrap()).collect())
    }

    /// Removes a page from the list. Returns true if it was listed.
    pub(crate) fn take(&mut self, page: &str) -> bool {
        self.0.remove(page).is_some()
    }

    /// Returns a message for each page that remains in the list. Such a page did not differ in the
    /// test, so it was listed by mistake.
    pub(crate) fn left(self) -> impl Iterator<Item = String> {
        self.0
            .into_keys()
            .map(|page| format!("{page}\tlisted, but there is no such page"))
    }
}
