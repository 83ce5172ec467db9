//! Unpacks a broken gzip member a second time, to recover the bytes just before the damage.

use std::io::Read;

use flate2::bufread::GzDecoder;

use super::raw::RawInput;

/// Recovers the unpacked bytes of a broken gzip member just before the damage, and writes them to
/// `target`. `given` is the number of bytes that the first attempt to unpack the member has
/// yielded, and `member` is the offset of the member in the file. Returns the raw input, and the
/// number of recovered bytes. The first attempt does not yield the recovered bytes, because a
/// decoder discards the bytes that it unpacks in a failing call.
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
