//! Writes the input of a measured row of the table into a folder. Also creates the arguments with
//! which the program reads the input.

use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::made::{self, line};

pub(crate) const SITE: &str = "https://site.example";
/// HTML of a page with a title, a text and a link.
pub(crate) const PAGE: &str = "<title>A page</title><p>Dark rye bread <a href=/b>more</a>";

/// A temporary folder for the files of one input.
pub(crate) struct Files(TempDir);

impl Files {
    /// Creates an empty folder, in memory if possible.
    pub(crate) fn new() -> Self {
        Self(made::folder())
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    /// Writes the file `name` with these bytes into the folder, and returns the file's path.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> String {
        made::write(self.0.path(), name, bytes)
            .display()
            .to_string()
    }

    /// Writes a file that consists of `n` members, such as records or lines. `member` returns the
    /// bytes of a member by its number. Returns the path of the file.
    pub(crate) fn members(
        &self,
        name: &str,
        n: usize,
        member: impl Fn(usize) -> Vec<u8>,
    ) -> String {
        self.write(name, &each(n, member).concat())
    }

    /// Writes a text file with `n` lines, and returns its path. `line` returns a line by its
    /// number.
    pub(crate) fn lines(&self, name: &str, n: usize, line: impl Fn(usize) -> String) -> String {
        self.members(name, n, |i| format!("{}\n", line(i)).into_bytes())
    }

    /// Writes JSON Lines with `n` pages of one site that differ only in their URLs. Returns the
    /// path of the file.
    pub(crate) fn pages(&self, n: usize) -> String {
        self.members("pages.jsonl", n, |i| line(&url(i), PAGE))
    }

    /// Writes JSON Lines with one page of each of `n` sites, and returns the path of the file.
    pub(crate) fn sites(&self, n: usize) -> String {
        self.members("sites.jsonl", n, |i| line(&format!("{}/", site(i)), PAGE))
    }

    /// Writes a list of the URLs of the first `n` pages, and returns the path of the list.
    pub(crate) fn urls(&self, n: usize) -> String {
        self.lines("urls.txt", n, url)
    }

    /// Writes a folder with `n` HTML files, and returns the path of the folder. The names of the
    /// files end in `name` and `.html`.
    pub(crate) fn html_files(&self, n: usize, name: &str) -> String {
        for i in 0..n {
            self.write(&format!("site/{i}{name}.html"), PAGE.as_bytes());
        }
        self.path("site")
    }

    /// Creates an index of `n` pages with the program, and returns the path of the index.
    pub(crate) fn index<const N: usize>(&self, n: usize, options: [&str; N]) -> String {
        let input = self.pages(n);
        self.index_of(&input, "index", options)
    }

    /// Creates an index of `input` with the program, and returns the path of the index.
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

/// Path of the program that the benchmark measures.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_heedful");

/// Runs the program to prepare an input. The instructions of this run are not counted.
pub(crate) fn run(arguments: &[String]) {
    let status = Command::new(PROGRAM)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "{arguments:?}: {status}");
}

/// Returns the arguments with which a verb reads the pages of `input` with one job.
pub(crate) fn read<const N: usize>(verb: &str, input: &str, options: [&str; N]) -> Vec<String> {
    let mut arguments = words([verb, input, "-q", "-j1"]);
    arguments.extend(words(options));
    arguments
}

/// Returns `arguments` with `n` further arguments. `option` returns a further argument by its
/// number.
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

/// Returns the URL of the page with this number. All of these pages are on one site.
pub(crate) fn url(number: usize) -> String {
    format!("{SITE}/{number}")
}

/// Returns the URL of the root of the site with this number.
pub(crate) fn site(number: usize) -> String {
    format!("https://s{number}.example")
}

/// Returns the time of the capture with this number. Each capture is one second later than the
/// previous.
pub(crate) fn date(number: usize) -> String {
    let (hour, minute, second) = (number / 3600, number / 60 % 60, number % 60);
    format!("2026-01-01T{hour:02}:{minute:02}:{second:02}Z")
}
