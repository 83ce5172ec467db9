//! Reads test cases from a Markdown page of the corpus. corpus/README.md describes their format.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One case of the corpus: what heedful is expected to answer for one page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Case {
    heading: String,
    /// Settings that follow `expect` in the first line of the fence, as in
    /// `bot=FooBot conventions=seed`.
    pub(crate) settings: BTreeMap<String, String>,
    inputs: BTreeMap<String, Vec<u8>>,
    pub(crate) expect: Vec<(String, String)>,
    /// Line number of each expectation in the file, from 0.
    pub(crate) expect_lines: Vec<usize>,
}

impl Case {
    pub(crate) fn title(&self) -> String {
        let settings: Vec<_> = self
            .settings
            .iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        if settings.is_empty() {
            self.heading.clone()
        } else {
            format!("{} [{}]", self.heading, settings.join(" "))
        }
    }

    pub(crate) fn html(&self) -> String {
        String::from_utf8_lossy(self.bytes("html")).into_owned()
    }

    pub(crate) fn bytes(&self, fence: &str) -> &[u8] {
        self.inputs.get(fence).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn has(&self, fence: &str) -> bool {
        self.inputs.contains_key(fence)
    }

    pub(crate) fn remove(&mut self, fence: &str) {
        self.inputs.remove(fence);
    }

    pub(crate) fn text(&self, fence: &str) -> String {
        String::from_utf8_lossy(self.bytes(fence)).into_owned()
    }

    pub(crate) fn setting(&self, key: &str) -> Option<&str> {
        self.settings.get(key).map(String::as_str)
    }
}

/// Names of the Markdown fences that contain input of a case.
const FENCES: [&str; 8] = [
    "html", "headers", "robots", "tdmrep", "rsl", "url", "names", "toml",
];
/// Names of the settings that may follow `expect` in the first line of a fence.
const SETTINGS: [&str; 9] = [
    "mode",
    "bot",
    "conventions",
    "now",
    "profile",
    "regions",
    "depth",
    "deny",
    "cut",
];

/// Returns the paths of all pages of cases below a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_case_file =
                path.extension().is_some_and(|e| e == "md") && !path.ends_with("README.md");
            if path.is_dir() {
                folders.push(path);
            } else if is_case_file {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Returns all cases of a Markdown page. The input of a case begins anew at each heading. Each
/// `expect` fence is a case for the input above it. A page that departs from the format in
/// corpus/README.md ends the run, so that no case is lost.
pub(crate) fn read(name: &str, markdown: &str) -> Vec<Case> {
    let mut reader = Reader {
        name,
        cases: Vec::new(),
        current: None,
    };
    let mut lines = markdown.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if let Some(heading) = line.strip_prefix("## ") {
            reader.heading(number, heading.trim());
        } else if line.starts_with("###") {
            reader.refuse(number, "a case begins with `## `");
        } else if let Some(info) = line.strip_prefix("```") {
            let mut body: Vec<(usize, &str)> = Vec::new();
            loop {
                match lines.next() {
                    Some((_, line)) if line.starts_with("```") => break,
                    Some(line) => body.push(line),
                    None => reader.refuse(number, "this fence is never closed"),
                }
            }
            reader.fence(number, info, &body);
        }
    }
    reader.heading(markdown.lines().count(), "");
    reader.cases
}

/// Turns the examples of tests/corpus/publishers.md into a page of cases, line for line. There,
/// comments contain what a publisher does not write: `<!-- expect` and `<!-- url`. Headers are in a
/// fence `http`. Each example is a case, named by the heading above it.
pub(crate) fn of_guide(markdown: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let (mut heading, mut count, mut is_answered) = ("", 0, true);
    let mut source = markdown.lines();
    while let Some(line) = source.next() {
        let hidden = line
            .strip_prefix("<!-- ")
            .filter(|line| !line.contains("-->"));
        let kind = hidden
            .or(line.strip_prefix("```"))
            .map(|info| if info == "http" { "headers" } else { info });
        let word = kind
            .unwrap_or_default()
            .split(' ')
            .next()
            .unwrap_or_default();
        let is_expectation = word == "expect";
        let is_case = is_expectation || FENCES.contains(&word);
        if is_case && !is_expectation && is_answered {
            count += 1;
            assert!(
                lines.last().is_some_and(String::is_empty),
                "a blank line is wanted above `{line}`: {heading}"
            );
            lines.pop();
            lines.push(format!("## {heading}, {count}"));
        }
        is_answered = if is_case { is_expectation } else { is_answered };
        if let Some(title) = line.strip_prefix("##") {
            (heading, count) = (title.trim_start_matches('#').trim(), 0);
        }
        lines.push(
            kind.filter(|_| is_case)
                .map(|kind| format!("```{kind}"))
                .unwrap_or_default(),
        );
        if kind.is_some() {
            let end = if hidden.is_some() { "-->" } else { "```" };
            for line in source.by_ref() {
                let shown = if line == end { "```" } else { line };
                lines.push(if is_case {
                    shown.to_owned()
                } else {
                    String::new()
                });
                if line == end {
                    break;
                }
            }
        }
    }
    lines.join("\n")
}

struct Reader<'a> {
    name: &'a str,
    cases: Vec<Case>,
    current: Option<(Case, bool)>,
}

impl Reader<'_> {
    fn refuse(&self, number: usize, what: &str) -> ! {
        panic!("{}:{}: {what}", self.name, number + 1)
    }

    fn heading(&mut self, number: usize, heading: &str) {
        if let Some((case, false)) = &self.current {
            self.refuse(
                number,
                &format!("the case `{}` above expects nothing", case.heading),
            );
        }
        self.current = Some((
            Case {
                heading: heading.to_owned(),
                ..Case::default()
            },
            heading.is_empty(),
        ));
    }

    fn fence(&mut self, number: usize, info: &str, body: &[(usize, &str)]) {
        let mut words = info.split_whitespace();
        let kind = words.next().unwrap_or_default();
        let Some((mut case, _)) = self.current.clone() else {
            self.refuse(number, "a fence before the first case")
        };
        if kind != "expect" {
            if !FENCES.contains(&kind) {
                self.refuse(number, &format!("corpus/README.md knows no fence `{kind}`"));
            }
            let text = body
                .iter()
                .map(|(_, line)| *line)
                .collect::<Vec<_>>()
                .join("\n");
            let bytes = if words.any(|word| word == "escapes") {
                unescape(&text)
            } else {
                text.into_bytes()
            };
            if let Some((current, _)) = &mut self.current {
                current.inputs.insert(kind.to_owned(), bytes);
            }
            return;
        }
        for word in words {
            match word.split_once('=') {
                Some((key, value)) if SETTINGS.contains(&key) => {
                    case.settings.insert(key.into(), value.into());
                }
                _ => self.refuse(
                    number,
                    &format!("corpus/README.md knows no setting `{word}`"),
                ),
            }
        }
        for (number, line) in body {
            let Some((key, value)) = line.split_once(':') else {
                self.refuse(*number, "no colon")
            };
            case.expect
                .push((key.trim().to_owned(), value.trim().to_owned()));
            case.expect_lines.push(*number);
        }
        self.cases.push(case);
        if let Some((_, has_expectation)) = &mut self.current {
            *has_expectation = true;
        }
    }
}

/// Decodes the escapes in the input of a case. `\xNN` is a byte, and `\n` and `\r` are as in Rust.
/// A backslash at the end of a line joins lines.
fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match (first, after) {
            (b'\\', [b'x', high, low, ..]) => {
                let digits = [*high, *low];
                let digits = std::str::from_utf8(&digits).unwrap();
                bytes.push(
                    u8::from_str_radix(digits, 16)
                        .unwrap_or_else(|_| panic!("\\x{digits} is no byte")),
                );
                rest = &after[3..];
            }
            (b'\\', [b'n', ..]) => {
                bytes.push(b'\n');
                rest = &after[1..];
            }
            (b'\\', [b'r', ..]) => {
                bytes.push(b'\r');
                rest = &after[1..];
            }
            (b'\\', [b'\n', ..]) => rest = &after[1..],
            _ => bytes.push(*first),
        }
    }
    bytes
}
