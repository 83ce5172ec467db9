//! The objects of a JSON array, one at a time, whatever blanks stand in and between them: `[{...}, {...}]`.
//!
//! What is no object is given as it stands, to its line's end, so that it is told as damage. No text of JSON holds a line's end: an
//! object that has one there ends with it, and costs no other line. So does each line of JSON Lines that stands in an array.

use std::io;

use super::magic;
use super::raw::keep;
use super::source::Source;

/// Whether the source stands before an array, or in one that something was cut off from. Bytes that are at hand decide; one of blanks alone is none.
pub(super) fn is_array(source: &mut Source) -> io::Result<bool> {
    Ok(matches!(magic::trimmed(source.fill()?).first(), Some(b'[' | b',' | b']')))
}

/// The next object, or more than `most` bytes of its beginning; none at the end of the file. It is passed in any case.
pub(super) fn next(source: &mut Source, most: usize) -> io::Result<Option<Vec<u8>>> {
    if !pass_between(source)? {
        return Ok(None);
    }
    let (mut scan, mut object) = (Scan::default(), Vec::new());
    loop {
        let bytes = source.fill()?;
        if bytes.is_empty() {
            return Ok(Some(object));
        }
        let (taken, is_over) = scan.pass(bytes);
        keep(&mut object, &bytes[..taken], most);
        source.consume(taken);
        if is_over {
            return Ok(Some(object));
        }
    }
}

/// Passes what stands between two objects; false at the end of the file.
fn pass_between(source: &mut Source) -> io::Result<bool> {
    loop {
        let bytes = source.fill()?;
        if bytes.is_empty() {
            return Ok(false);
        }
        // A byte order mark stands before the first one.
        let is_between = |b: &u8| b.is_ascii_whitespace() || matches!(b, b',' | b'[' | b']' | 0xEF | 0xBB | 0xBF);
        let passed = bytes.iter().position(|b| !is_between(b));
        let count = passed.unwrap_or(bytes.len());
        source.consume(count);
        if passed.is_some() {
            return Ok(true);
        }
    }
}

/// How deep in an object it is, and whether in a text.
#[derive(Default)]
struct Scan {
    depth: u32,
    is_text: bool,
    is_escaped: bool,
}

impl Scan {
    /// How many of the bytes belong to the object, and whether it ends with them.
    fn pass(&mut self, bytes: &[u8]) -> (usize, bool) {
        let mut at = 0;
        while at < bytes.len() {
            if self.is_text && !self.is_escaped {
                at += memchr::memchr3(b'"', b'\\', b'\n', &bytes[at..]).unwrap_or(bytes.len() - at);
            }
            let Some(byte) = bytes.get(at) else { break };
            at += 1;
            if self.is_end(*byte) {
                return (at, true);
            }
        }
        (bytes.len(), false)
    }

    fn is_end(&mut self, byte: u8) -> bool {
        let is_escaped = std::mem::take(&mut self.is_escaped);
        match byte {
            b'\n' => return self.is_text || self.depth == 0,
            _ if is_escaped => {}
            b'\\' => self.is_escaped = self.is_text,
            b'"' => self.is_text = !self.is_text,
            _ if self.is_text => {}
            b'{' => self.depth += 1,
            b'}' => {
                self.depth = self.depth.saturating_sub(1);
                return self.depth == 0;
            }
            _ => {}
        }
        false
    }
}
