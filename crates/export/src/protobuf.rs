//! Writes protocol buffer messages, as far as CIFF needs them: a varint and three types of fields.
//! This is less code than the setup of a crate would be. This module cannot parse messages.

use std::io::{self, Write};

/// Appends `number` to `to` as a varint of protocol buffers: groups of seven bits, the lowest group
/// first.
pub(super) fn varint(to: &mut Vec<u8>, mut number: u64) {
    while number > 0x7F {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

pub(super) fn integer(to: &mut Vec<u8>, field: u8, value: u64) {
    to.push(field << 3);
    varint(to, value);
}

pub(super) fn double(to: &mut Vec<u8>, field: u8, value: f64) {
    to.push(field << 3 | 1);
    to.extend(value.to_le_bytes());
}

pub(super) fn text(to: &mut Vec<u8>, field: u8, value: &str) {
    to.push(field << 3 | 2);
    varint(to, value.len() as u64);
    to.extend_from_slice(value.as_bytes());
}

/// Writes the bytes of the protocol buffer message `message` to `out`, preceded by its length as a
/// varint.
pub(super) fn delimited(out: &mut impl Write, message: &[u8]) -> io::Result<()> {
    let mut length = Vec::new();
    varint(&mut length, message.len() as u64);
    out.write_all(&length)?;
    out.write_all(message)
}
