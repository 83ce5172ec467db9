//! Detects a wrong length in a tantivy document store before tantivy allocates memory for it.
//!
//! tantivy reads the number of layers of a store's skip index from the file, and reserves memory
//! for them. A flipped bit in that number would abort the process. Each layer has at least one
//! byte. So the file is damaged if the number is greater than the count of remaining bytes. The
//! layout is that of tantivy 0.27. A file of another layout is not checked.

use std::io;

use tantivy::directory::FileHandle;

/// Number of bytes at the end of every tantivy file, after its footer text. They contain the length
/// of the footer text, and a format number.
const FOOTER: usize = 8;
/// Number of bytes directly before the footer text in a tantivy document store. They contain a
/// version, the offset of the skip index, and the compressor.
const STORE_FOOTER: usize = 28;

/// Checks the length of the skip index in a tantivy document store. Returns an error if the skip
/// index claims more layers than it has bytes.
pub(super) fn check_store(file: &dyn FileHandle) -> io::Result<()> {
    match layers(file)? {
        Some((layers, bytes)) if layers > bytes => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "a length in the stored documents is wrong",
        )),
        _ => Ok(()),
    }
}

/// Reads a document store's skip index. Returns the claimed number of layers, and the number of
/// bytes that contain the layers. Returns None if the file has an unknown layout.
fn layers(file: &dyn FileHandle) -> io::Result<Option<(u64, u64)>> {
    let Some(before_footer) = file.len().checked_sub(FOOTER) else {
        return Ok(None);
    };
    let text = file.read_bytes(before_footer..before_footer + 4)?;
    let text = u32::from_le_bytes(text.as_slice().try_into().unwrap_or_default()) as usize;
    let Some(begins) = before_footer.checked_sub(text.saturating_add(STORE_FOOTER)) else {
        return Ok(None);
    };
    let offset = file.read_bytes(begins + 4..begins + 12)?;
    let offset = u64::from_le_bytes(offset.as_slice().try_into().unwrap_or_default());
    let index = match usize::try_from(offset) {
        Ok(index) if index <= begins => index,
        _ => return Ok(None),
    };
    let number = file.read_bytes(index..begins.min(index + 10))?;
    Ok(Some((variable(number.as_slice()), (begins - index) as u64)))
}

/// Decodes a variable-length number. Each byte contains seven bits of the number, the lowest bits
/// in the first byte. The last byte has its highest bit set.
pub(super) fn variable(bytes: &[u8]) -> u64 {
    let last = bytes.iter().position(|byte| byte & 0x80 != 0);
    let end = last.map_or(bytes.len(), |last| last + 1);
    let mut number = 0;
    for byte in bytes[..end].iter().rev() {
        number = number << 7 | u64::from(byte & 0x7F);
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_seven_bits_a_byte() {
        assert_eq!(variable(&[0x83]), 3);
        assert_eq!(variable(&[0x01, 0x82, 0xFF]), 257);
        assert_eq!(variable(&[]), 0);
    }
}
