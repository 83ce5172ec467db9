//! Splits a JSON array into its objects, one at a time: `[{...}, {...}]`. White space may be
//! anywhere.
//!
//! Text in the array that is not an object is returned unchanged up to the end of its line, and the
//! caller reports it as damage. A JSON string never contains a raw line ending. So an object with
//! an unclosed string ends at the next line ending, and does not affect other lines. JSON Lines
//! inside an array are read in the same way.

use std::io;

use super::magic;
use super::raw::keep;
use super::source::ByteSource;

/// True if the input looks like a JSON array: its first byte other than white space is `[`, `,` or
/// `]`. The bytes `,` and `]` count because the beginning of an array may have been cut off. Only
/// the bytes in the buffer are checked. If they are all white space, the result is false.
pub(super) fn is_array(source: &mut ByteSource) -> io::Result<bool> {
    Ok(matches!(
        magic::trimmed(source.fill()?).first(),
        Some(b'[' | b',' | b']')
    ))
}

/// Consumes the next object of the array and returns it. An object longer than `most` bytes is
/// shortened to a little more than `most` bytes (see [`keep`]). `None` at the end of the file.
pub(super) fn next(source: &mut ByteSource, most: usize) -> io::Result<Option<Vec<u8>>> {
    if !pass_between(source)? {
        return Ok(None);
    }
    let mut scan = Scan::default();
    let mut object = Vec::new();
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

/// Consumes the text between two objects of the array. Returns false at the end of the file.
fn pass_between(source: &mut ByteSource) -> io::Result<bool> {
    loop {
        let bytes = source.fill()?;
        if bytes.is_empty() {
            return Ok(false);
        }
        // Some writers put a byte order mark before the first object.
        let is_between = |b: &u8| {
            b.is_ascii_whitespace() || matches!(b, b',' | b'[' | b']' | 0xEF | 0xBB | 0xBF)
        };
        let passed = bytes.iter().position(|b| !is_between(b));
        let count = passed.unwrap_or(bytes.len());
        source.consume(count);
        if passed.is_some() {
            return Ok(true);
        }
    }
}

/// State of the scan for the end of a JSON object. The fields describe the next byte: its nesting
/// depth, whether it is in a string, and whether it is escaped.
#[derive(Default)]
struct Scan {
    depth: u32,
    is_text: bool,
    is_escaped: bool,
}

impl Scan {
    /// Scans `bytes`, the next bytes of the input. Returns how many of them belong to the object,
    /// and whether the object ends with these.
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
