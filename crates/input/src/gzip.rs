//! Unpacks a broken gzip member a second time, to recover the bytes just before the damage.

use std::io::Read;

use flate2::bufread::GzDecoder;

use super::raw::RawInput;

/// Unpacks a broken gzip member again, to recover the unpacked bytes just before the damage. The
/// first attempt to unpack the member did not yield these bytes, because a failing decoder discards
/// its last bytes. The recovered bytes are written to `target`. `member` is the offset of the
/// member in the file. `given` is the number of bytes that the first attempt has yielded. Returns
/// the raw input, and the number of recovered bytes.
pub(super) fn before_damage(
    mut raw: RawInput,
    member: u64,
    given: u64,
    target: &mut [u8],
) -> (RawInput, usize) {
    if !raw.seek(member).is_ok_and(|reached| reached == member) {
        return (raw, 0);
    }
    let mut decoder = GzDecoder::new(raw);
    let mut passed = 0;
    let mut read = 0;
    while passed < given {
        let most = target
            .len()
            .min(usize::try_from(given - passed).unwrap_or(usize::MAX));
        match decoder.read(&mut target[..most]) {
            Ok(count @ 1..) => passed += count as u64,
            _ => return (decoder.into_inner(), 0),
        }
    }
    while read < target.len() && matches!(decoder.read(&mut target[read..=read]), Ok(1)) {
        read += 1;
    }
    (decoder.into_inner(), read)
}
