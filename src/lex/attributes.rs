//! The attributes of a start tag, by the standard's attribute states: where names and values stand in it.
//!
//! The tokenizer knows them too, but hands each out with its bytes copied and decoded.

use crate::html;

use super::tile::Attribute;

/// Adds the attributes of a whole start tag, `<` and `>` included.
pub(super) fn split(tag: &str, attributes: &mut Vec<Attribute>) {
    let bytes = &tag.as_bytes()[..tag.len() - 1];
    let is_space = |byte: u8| html::is_white_space(byte);
    let mut at = 1 + until(&bytes[1..], |byte| is_space(byte) || byte == b'/');
    loop {
        at += until(&bytes[at..], |byte| !is_space(byte) && byte != b'/');
        if at == bytes.len() {
            return;
        }
        // A name may begin with `=`.
        let name = at;
        at += 1;
        at += until(&bytes[at..], |byte| is_space(byte) || matches!(byte, b'/' | b'='));
        let name = (name as u32, at as u32);
        let value = value(bytes, at);
        if let Some((_, end, next)) = value {
            at = next.max(end);
        }
        attributes
            .push(Attribute { name, value: value.map_or((name.1, name.1), |(from, to, _)| (from as u32, to as u32)) });
    }
}

/// The value behind a name that ends at `at`, and where the next attribute may begin.
fn value(bytes: &[u8], at: usize) -> Option<(usize, usize, usize)> {
    let at = at + until(&bytes[at..], |byte| !html::is_white_space(byte));
    if bytes.get(at) != Some(&b'=') {
        return None;
    }
    let at = at + 1;
    let at = at + until(&bytes[at..], |byte| !html::is_white_space(byte));
    Some(match bytes.get(at) {
        Some(quote @ (b'"' | b'\'')) => {
            let end = at + 1 + memchr::memchr(*quote, &bytes[at + 1..]).unwrap_or(bytes.len() - at - 1);
            (at + 1, end, (end + 1).min(bytes.len()))
        }
        _ => {
            let end = at + until(&bytes[at..], html::is_white_space);
            (at, end, end)
        }
    })
}

/// How many bytes come before the first such one.
fn until(bytes: &[u8], is_such: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| is_such(*byte)).unwrap_or(bytes.len())
}
