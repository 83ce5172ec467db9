//! Finds a false length in a stored file before tantivy allocates memory for it.
//!
//! tantivy reads the number of layers of a document store's skip index from the file, and reserves
//! room for them. A flipped bit there would end the process. Each layer has at least a byte, so a
//! number beyond the bytes that follow is damage. The layout is that of tantivy 0.27. A file that
//! does not look like it is left to tantivy.

use std::io;

use tantivy::directory::FileHandle;

/// The bytes that end every file: a text's length, and a number for the format.
const FOOTER: usize = 8;
/// The bytes before them in a document store: a version, where the skip index begins, and how
/// documents are packed.
const STORE_FOOTER: usize = 28;

/// Fails if the skip index of a document store does not have as many layers as it claims.
pub(super) fn check_store(file: &dyn FileHandle) -> io::Result<()> {
    match layers(file)? {
        Some((layers, bytes)) if layers > bytes => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "a length in the stored documents is wrong",
        )),
        _ => Ok(()),
    }
}

/// The number of layers, and the number of bytes for them.
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

/// Reads a number of seven bits a byte, the lowest first. The highest bit ends it.
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
