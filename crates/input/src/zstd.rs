//! Unpacks zstd frame by frame (RFC 8878). All frames of a web archive use the dictionary in the
//! archive's first frame.
//!
//! The crate ruzstd unpacks the frames without C code. A frame whose window exceeds the limit
//! `window_bytes` is refused, so it cannot make the decoder allocate more memory.

use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

use ruzstd::decoding::{BlockDecodingStrategy, Dictionary, FrameDecoder};

use super::raw::RawInput;

/// First four bytes of a zstd frame with data.
pub(super) const MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
/// Second to fourth byte of a skippable zstd frame. The first byte of such a frame is 0x50 to 0x5F.
const SKIPPED: [u8; 3] = [0x2A, 0x4D, 0x18];
/// First byte of the skippable zstd frame that contains a dictionary.
const DICTIONARY: u8 = 0x5D;
/// Upper bound for the size of a zstd dictionary, in bytes.
const LARGEST_DICTIONARY: u32 = 16 << 20;

/// An empty last block of a zstd frame, with a dummy checksum. The library ruzstd gets this block
/// as the end of a broken frame. Then ruzstd releases the bytes that it has already unpacked.
const LAST_BLOCK: &[u8] = &[1, 0, 0, 0, 0, 0, 0];

/// True if `bytes` begin with a zstd frame: either a frame with data, or a skippable frame.
pub(super) fn is_frame(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC) || is_skipped(bytes)
}

fn is_skipped(bytes: &[u8]) -> bool {
    bytes.len() >= 4 && bytes[0] & 0xF0 == 0x50 && bytes[1..4] == SKIPPED
}

/// Moves past all skippable zstd frames at the current position, because they contain no data of
/// pages.
pub(super) fn skip(raw: &mut RawInput) -> io::Result<()> {
    while is_skipped(raw.peek(4)?) {
        let length = length(raw)?;
        raw.seek(raw.position() + 8 + u64::from(length))?;
    }
    Ok(())
}

/// Returns the length in bytes of the skippable zstd frame at the current position, without its
/// header.
fn length(raw: &mut RawInput) -> io::Result<u32> {
    let head = raw.peek(8)?;
    let length = head
        .get(4..8)
        .and_then(|bytes| bytes.try_into().ok())
        .map(u32::from_le_bytes);
    length.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

/// A zstd decoder that unpacks one zstd frame after another.
pub(super) struct Decoder {
    frames: FrameDecoder,
    dictionary: Option<(u32, Vec<u8>)>,
    /// Upper bound for the window of a zstd frame, in bytes. The window is the distance over which
    /// a frame may refer back.
    window: u64,
}

impl Decoder {
    /// Creates a decoder. If the first frame of `raw` contains a dictionary, the decoder uses this
    /// dictionary for all frames. `window` is the upper bound for the window of a frame, in bytes.
    /// Consumes no bytes of `raw`.
    pub(super) fn with_dictionary_of(raw: &mut RawInput, window: u64) -> io::Result<Self> {
        let start = raw.peek(4)?;
        let has_dictionary = is_skipped(start) && start[0] == DICTIONARY;
        Self::new(
            if has_dictionary {
                Some(dictionary(raw)?)
            } else {
                None
            },
            window,
        )
    }

    fn new(dictionary: Option<Vec<u8>>, window: u64) -> io::Result<Self> {
        let mut frames = FrameDecoder::new();
        frames.set_max_window_size(window);
        let Some(bytes) = dictionary else {
            return Ok(Self {
                frames,
                dictionary: None,
                window,
            });
        };
        let dictionary = Dictionary::decode_dict(&bytes).map_err(unreadable)?;
        let id = dictionary.id;
        frames.add_dict(dictionary).map_err(unreadable)?;
        Ok(Self {
            frames,
            dictionary: Some((id, bytes)),
            window,
        })
    }
}

fn dictionary(raw: &mut RawInput) -> io::Result<Vec<u8>> {
    let length = length(raw)?.min(LARGEST_DICTIONARY) as usize;
    let bytes = raw.peek(8 + length)?;
    let bytes = bytes.get(8..).unwrap_or_default();
    if !bytes.starts_with(&MAGIC) {
        return Ok(bytes.to_vec());
    }
    let mut unpacked = Vec::new();
    let decoder = ruzstd::decoding::StreamingDecoder::new(bytes).map_err(unreadable)?;
    decoder
        .take(u64::from(LARGEST_DICTIONARY))
        .read_to_end(&mut unpacked)?;
    Ok(unpacked)
}

fn unreadable(error: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
}

/// An `io::Read` of the unpacked bytes of one zstd frame.
pub(super) struct Zstd {
    raw: RawInput,
    decoder: Decoder,
    is_begun: bool,
    /// Error of the first block that could not be unpacked. The error is returned after the bytes
    /// of the earlier blocks. `None` if no block was broken.
    broken: Option<io::Error>,
}

impl Zstd {
    pub(super) fn new(raw: RawInput, decoder: Decoder) -> Self {
        Self {
            raw,
            decoder,
            is_begun: false,
            broken: None,
        }
    }

    pub(super) fn into_parts(self) -> (RawInput, Decoder) {
        (self.raw, self.decoder)
    }

    /// Returns the reading position in the stored file, in packed bytes.
    pub(super) fn position(&self) -> u64 {
        self.raw.position()
    }

    fn unpack(&mut self, target: &mut [u8]) -> io::Result<usize> {
        let frames = &mut self.decoder.frames;
        if !self.is_begun {
            frames.reset(&mut self.raw).map_err(unreadable)?;
            if let Some((id, _)) = &self.decoder.dictionary {
                frames.force_dict(*id).map_err(unreadable)?;
            }
            self.is_begun = true;
        }
        while frames.can_collect() == 0 && !frames.is_finished() {
            if let Err(error) =
                frames.decode_blocks(&mut self.raw, BlockDecodingStrategy::UptoBlocks(1))
            {
                self.broken = Some(unreadable(error));
                // ruzstd keeps unpacked bytes that a later block may refer to, until the last
                // block.
                frames
                    .decode_blocks(LAST_BLOCK, BlockDecodingStrategy::UptoBlocks(1))
                    .map_err(unreadable)?;
            }
        }
        let read = frames.read(target)?;
        if read == 0
            && let Some(error) = self.broken.take()
        {
            return Err(error);
        }
        let sums = (
            frames.get_checksum_from_data(),
            frames.get_calculated_checksum(),
        );
        if read == 0 && matches!(sums, (Some(said), Some(is)) if said != is) {
            return Err(unreadable("its checksum is wrong"));
        }
        Ok(read)
    }
}

impl Read for Zstd {
    /// Reads unpacked bytes of the frame. A panic of the decoder on damaged data is caught and
    /// becomes an error.
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        catch_unwind(AssertUnwindSafe(|| self.unpack(target))).unwrap_or_else(|_| {
            let dictionary = self.decoder.dictionary.take().map(|(_, bytes)| bytes);
            self.decoder = Decoder::new(dictionary, self.decoder.window)?;
            self.broken = None;
            Err(unreadable("the decoder gave up"))
        })
    }
}
