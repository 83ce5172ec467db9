//! Detects the format of a file by its first bytes. The file's name decides only if damage has left
//! no recognizable bytes.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use super::kind::InputFormat;
use super::raw::RawInput;
use super::ready::EMPTY;
use super::source::ByteSource;
use super::{arc, magic, warc};

/// Number of bytes at the beginning of a file that are read to detect its format. They must include
/// a whole zstd block, which has at most 128 KiB.
pub(super) const LOOK: usize = 160 << 10;
/// Maximum number of broken packed members (gzip or zstd) that are skipped to find a readable one.
const BROKEN: u32 = 16;

/// First bytes of a file, both as they are stored and unpacked.
pub(super) struct FileStart {
    stored: Vec<u8>,
    unpacked: Vec<u8>,
}

impl FileStart {
    pub(super) fn read(file: &File) -> io::Result<Self> {
        let mut start = Vec::new();
        file.take(LOOK as u64).read_to_end(&mut start)?;
        Ok(Self::new(start))
    }

    pub(super) fn new(stored: Vec<u8>) -> Self {
        let unpacked = unpacked(stored.clone());
        Self { stored, unpacked }
    }

    /// True if the file was read to its end and contains only white space, or an empty JSON array.
    pub(super) fn is_blank(&self) -> bool {
        let text = magic::trimmed(&self.unpacked);
        let is_whole = self.stored.len() < LOOK && self.unpacked.len() < LOOK;
        is_whole
            && text
                .iter()
                .all(|byte| byte.is_ascii_whitespace() || matches!(byte, b'[' | b']'))
    }

    pub(super) fn is_zip(&self) -> bool {
        self.stored.starts_with(b"PK\x03\x04")
    }

    /// Returns the format of the file, or the reason why the file cannot be read. The name in
    /// `path` decides only if damage has left no recognizable bytes.
    pub(super) fn kind(&self, path: Option<&Path>) -> Result<InputFormat, &'static str> {
        if self.stored.starts_with(b"PAR1") {
            return Ok(InputFormat::Parquet);
        }
        let text = magic::trimmed(&self.unpacked);
        if warc::is_start(text) {
            return Ok(InputFormat::Warc);
        }
        if arc::is_start(text) {
            return Ok(InputFormat::Arc);
        }
        for bytes in [&self.stored, &self.unpacked] {
            if let Some(kind) = magic::other_kind(bytes) {
                return Err(kind);
            }
        }
        if text.starts_with(b"{") || magic::is_array(text) {
            return Ok(InputFormat::Jsonl);
        }
        match self.damaged(text, path) {
            Some(kind) => Ok(kind),
            None => self.page(),
        }
    }

    /// Returns [`InputFormat::Html`], if the first bytes may begin a page. Otherwise the error is a
    /// message for the user with the reason.
    fn page(&self) -> Result<InputFormat, &'static str> {
        if self.stored.is_empty() {
            Err(EMPTY)
        } else if self.unpacked.is_empty() || self.is_binary() {
            Err("it is no HTML, WARC or JSON Lines that can be recognised: say which with --input")
        } else if magic::is_other_xml(&self.unpacked) {
            Err("it is XML, and no XHTML: if it is a page, say so with --input html")
        } else if !magic::has_tag(&self.unpacked) && has_agent(&self.unpacked) {
            Err("it has the rules of a robots.txt, and is no page: give it as such (--robots)")
        } else if !magic::has_tag(&self.unpacked) {
            Err("it is text without a single tag: if it is a page, say so with --input html")
        } else {
            Ok(InputFormat::Html)
        }
    }

    /// Returns the format of an archive, a table or JSON Lines whose beginning is damaged. `None`
    /// if no format is recognized.
    fn damaged(&self, text: &[u8], path: Option<&Path>) -> Option<InputFormat> {
        if text.starts_with(b"<") {
            return None;
        }
        if holds(text, b"\nWARC/1.") {
            return Some(InputFormat::Warc);
        }
        if text.split(|b| *b == b'\n').skip(1).any(arc::begins) {
            return Some(InputFormat::Arc);
        }
        if holds(text, b"\n{\"") && self.has_html() {
            return Some(InputFormat::Jsonl);
        }
        path.and_then(by_name)
    }

    /// True if the beginning of the file contains a key for a page's body (`html` or `html_b64`). A
    /// JSON Lines file with such a key may contain pages.
    pub(super) fn has_html(&self) -> bool {
        holds(&self.unpacked, b"\"html\"") || holds(&self.unpacked, b"\"html_b64\"")
    }

    fn is_binary(&self) -> bool {
        let start = &self.unpacked[..self.unpacked.len().min(1024)];
        let utf16 = start.starts_with(&[0xFF, 0xFE]) || start.starts_with(&[0xFE, 0xFF]);
        memchr::memchr(0, start).is_some() && !utf16
    }
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(bytes, part).is_some()
}

/// Unpacks the beginning of a file. Broken packed members (gzip or zstd) at its start are skipped.
fn unpacked(stored: Vec<u8>) -> Vec<u8> {
    let raw = RawInput::pipe(Box::new(Cursor::new(stored)), Arc::default());
    let mut source = ByteSource::new(raw, &Arc::default());
    let mut bytes = Vec::new();
    for _ in 0..BROKEN {
        let read = source.take((LOOK - bytes.len()) as u64, Some(&mut bytes));
        if read.is_ok() || bytes.len() >= LOOK || !source.next_member().unwrap_or(false) {
            break;
        }
        // A separator, so that the bytes of a broken member do not join a line of the next member.
        bytes.extend((!bytes.is_empty()).then_some(b'\n'));
    }
    bytes
}

/// True if the file's name ends in `.warc` or `.arc`, optionally with `.gz` or `.zst`.
pub(super) fn is_named_archive(path: &Path) -> bool {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_ascii_lowercase();
    let name = name
        .strip_suffix(".gz")
        .or_else(|| name.strip_suffix(".zst"))
        .unwrap_or(&name);
    name.ends_with(".warc") || name.ends_with(".arc")
}

/// Returns the format that the extensions of the file's name indicate. `None` if they indicate
/// none.
fn by_name(path: &Path) -> Option<InputFormat> {
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let parts: Vec<_> = name.split('.').rev().take(2).collect();
    let kinds = [
        ("warc", InputFormat::Warc),
        ("arc", InputFormat::Arc),
        ("jsonl", InputFormat::Jsonl),
        ("ndjson", InputFormat::Jsonl),
    ];
    let (_, kind) = kinds
        .into_iter()
        .find(|(ending, _)| parts.contains(ending))?;
    Some(kind)
}

/// True if a line of the text begins like a `User-agent` line, so that the text may be a
/// robots.txt.
fn has_agent(text: &[u8]) -> bool {
    const KEY: &[u8] = b"user-agent:";
    let mut lines = text.split(|byte| matches!(byte, b'\n' | b'\r'));
    lines.any(|line| {
        let start = line.trim_ascii_start().get(..KEY.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(KEY))
    })
}
