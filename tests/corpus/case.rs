//! Reads the cases of a Markdown page. corpus/README.md says how they are written.

use std::collections::BTreeMap;

/// One expectation about one page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Case {
    heading: String,
    /// What stands behind `expect` in the fence: `bot=FooBot dialects=seed`.
    pub(crate) settings: BTreeMap<String, String>,
    inputs: BTreeMap<String, Vec<u8>>,
    pub(crate) expect: Vec<(String, String)>,
    /// The line of the file, from 0, that each expectation stands on.
    pub(crate) expect_lines: Vec<usize>,
}

impl Case {
    pub(crate) fn title(&self) -> String {
        let settings: Vec<_> = self.settings.iter().map(|(key, value)| format!("{key}={value}")).collect();
        if settings.is_empty() { self.heading.clone() } else { format!("{} [{}]", self.heading, settings.join(" ")) }
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

    pub(crate) fn text(&self, fence: &str) -> String {
        String::from_utf8_lossy(self.bytes(fence)).into_owned()
    }

    pub(crate) fn setting(&self, key: &str) -> Option<&str> {
        self.settings.get(key).map(String::as_str)
    }
}

/// All cases of a page. A heading starts anew; each `expect` fence is a case on what stands above it.
pub(crate) fn read(markdown: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut current = Case::default();
    let mut lines = markdown.lines().enumerate();
    while let Some((_, line)) = lines.next() {
        if let Some(heading) = line.strip_prefix("## ") {
            current = Case { heading: heading.trim().to_owned(), ..Case::default() };
        } else if let Some(info) = line.strip_prefix("```") {
            let body: Vec<(usize, &str)> = lines.by_ref().take_while(|(_, line)| !line.starts_with("```")).collect();
            fence(info, &body, &mut current, &mut cases);
        }
    }
    cases
}

fn fence(info: &str, body: &[(usize, &str)], current: &mut Case, cases: &mut Vec<Case>) {
    let mut words = info.split_whitespace();
    let kind = words.next().unwrap_or("").to_owned();
    if kind == "expect" {
        let mut case = current.clone();
        case.settings = words.filter_map(|word| word.split_once('=')).map(|(k, v)| (k.into(), v.into())).collect();
        for (number, line) in body {
            let (key, value) = line.split_once(':').unwrap_or_else(|| panic!("line {}: no colon", number + 1));
            case.expect.push((key.trim().to_owned(), value.trim().to_owned()));
            case.expect_lines.push(*number);
        }
        cases.push(case);
        return;
    }
    let text = body.iter().map(|(_, line)| *line).collect::<Vec<_>>().join("\n");
    let bytes = if words.any(|word| word == "escapes") { unescape(&text) } else { text.into_bytes() };
    current.inputs.insert(kind, bytes);
}

/// `\xNN` is a byte, `\n` and `\r` are what they are in Rust, a backslash at a line's end joins lines.
fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match (first, after) {
            (b'\\', [b'x', high, low, ..]) => {
                let digits = [*high, *low];
                let digits = std::str::from_utf8(&digits).unwrap();
                bytes.push(u8::from_str_radix(digits, 16).unwrap_or_else(|_| panic!("\\x{digits} is no byte")));
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
