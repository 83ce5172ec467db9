//! Writes the input of a row into a folder, and lists the arguments with which the program reads
//! it.

use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::made::{self, line};

pub(crate) const SITE: &str = "https://site.example";
/// A page with a title, a text and a link.
pub(crate) const PAGE: &str = "<title>A page</title><p>Dark rye bread <a href=/b>more</a>";

/// A folder for the files of one input.
pub(crate) struct Files(TempDir);

impl Files {
    /// Creates an empty folder, in memory if possible.
    pub(crate) fn new() -> Self {
        Self(made::folder())
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    /// Writes a file, and returns its path.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> String {
        made::write(self.0.path(), name, bytes)
            .display()
            .to_string()
    }

    /// Writes a file with `n` members one after the other, and returns its path.
    pub(crate) fn members(
        &self,
        name: &str,
        n: usize,
        member: impl Fn(usize) -> Vec<u8>,
    ) -> String {
        self.write(name, &each(n, member).concat())
    }

    /// Writes a text file with `n` lines, and returns its path.
    pub(crate) fn lines(&self, name: &str, n: usize, line: impl Fn(usize) -> String) -> String {
        self.members(name, n, |i| format!("{}\n", line(i)).into_bytes())
    }

    /// Writes JSON Lines with `n` equal pages of one site, and returns the path.
    pub(crate) fn pages(&self, n: usize) -> String {
        self.members("pages.jsonl", n, |i| line(&url(i), PAGE))
    }

    /// Writes JSON Lines with a page of each of `n` sites, and returns the path.
    pub(crate) fn sites(&self, n: usize) -> String {
        self.members("sites.jsonl", n, |i| line(&format!("{}/", site(i)), PAGE))
    }

    /// Writes a list of the URLs of the first `n` pages, and returns the path.
    pub(crate) fn urls(&self, n: usize) -> String {
        self.lines("urls.txt", n, url)
    }

    /// Writes a folder with `n` files of HTML, and returns its path. `name` is the end of their
    /// names, before `.html`.
    pub(crate) fn html_files(&self, n: usize, name: &str) -> String {
        for i in 0..n {
            self.write(&format!("site/{i}{name}.html"), PAGE.as_bytes());
        }
        self.path("site")
    }

    /// Creates an index of `n` pages with the program, and returns its path.
    pub(crate) fn index<const N: usize>(&self, n: usize, options: [&str; N]) -> String {
        let input = self.pages(n);
        self.index_of(&input, "index", options)
    }

    /// Creates an index of an input with the program, and returns its path.
    pub(crate) fn index_of<const N: usize>(
        &self,
        input: &str,
        name: &str,
        options: [&str; N],
    ) -> String {
        let index = self.path(name);
        let mut arguments = read("index", input, options);
        arguments.extend(words(["-o", &index]));
        run(&arguments);
        index
    }
}

/// The program to measure.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_heedful");

/// Runs the program to prepare an input. This run is not counted.
pub(crate) fn run(arguments: &[String]) {
    let status = Command::new(PROGRAM)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "{arguments:?}: {status}");
}

/// Returns the arguments of a verb that reads pages, in one job.
pub(crate) fn read<const N: usize>(verb: &str, input: &str, options: [&str; N]) -> Vec<String> {
    let mut arguments = words([verb, input, "-q", "-j1"]);
    arguments.extend(words(options));
    arguments
}

/// Returns the same arguments with `n` more of them.
pub(crate) fn with(
    mut arguments: Vec<String>,
    n: usize,
    option: impl Fn(usize) -> String,
) -> Vec<String> {
    arguments.extend((0..n).map(option));
    arguments
}

pub(crate) fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

pub(crate) fn each(n: usize, member: impl Fn(usize) -> Vec<u8>) -> Vec<Vec<u8>> {
    (0..n).map(member).collect()
}

/// Returns the URL of a page of the one site.
pub(crate) fn url(number: usize) -> String {
    format!("{SITE}/{number}")
}

/// Returns the root of one of many sites.
pub(crate) fn site(number: usize) -> String {
    format!("https://s{number}.example")
}

/// Returns the time of a capture, a second later for each number.
pub(crate) fn date(number: usize) -> String {
    let (hour, minute, second) = (number / 3600, number / 60 % 60, number % 60);
    format!("2026-01-01T{hour:02}:{minute:02}:{second:02}Z")
}
