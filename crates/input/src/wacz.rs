//! Finds the web archives in a WACZ file: a zip file with WARC files under `archive/`
//! (specs.webrecorder.net/wacz).
//!
//! Stored (uncompressed) entries of the zip file are read in place. A compressed entry is unpacked
//! while it is read, each time anew, and never written to disk. Two entries that claim the same
//! bytes are a decompression bomb, so only the first of them is read. Reading of a compressed entry
//! stops if it unpacks to more than any real archive does.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;

use flate2::Crc;
use flate2::read::DeflateDecoder;
use zip::{CompressionMethod, ZipArchive};

use heedful_base::limits::exceeded;

use super::raw::Pipe;
use super::terms::InputTerms;
use super::zstd;

/// Upper bound for the unpacked size of a zip entry whose content is itself compressed. The bound
/// is the packed size times the first number, plus the second number, in bytes. Content that is
/// already compressed hardly shrinks a second time.
const PACKED_TWICE: (u64, u64) = (4, 1 << 20);

/// A web archive that is an entry of a WACZ file.
pub(super) struct WaczEntry {
    pub(super) name: String,
    /// Location of the archive's bytes in the zip file, or the reason why they cannot be read.
    pub(super) bytes: Result<Stored, String>,
}

/// Location of the bytes of an entry in the zip file.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub(super) part: Range<u64>,
    /// CRC-32 of the unpacked bytes, if the entry is compressed. `None` for an uncompressed entry.
    pub(super) packed: Option<u32>,
}

/// Returns the web archives in a WACZ file, sorted by name.
pub(super) fn entries(file: File) -> io::Result<Vec<WaczEntry>> {
    let size = file.metadata()?.len();
    let mut zip = ZipArchive::new(file)?;
    // Entries are opened by number: by a name that is not UTF-8, the library may find another
    // entry.
    let mut names = Vec::new();
    for number in 0..zip.len() {
        if let Some(Ok(name)) = zip.name_for_index(number)
            && is_archive(&name)
        {
            names.push((name.into_owned(), number));
        }
    }
    names.sort();
    let mut entries = Vec::new();
    for (name, number) in names {
        let bytes = match stored(&mut zip, number, size) {
            Ok(bytes) => bytes,
            Err(error) => Err(error.to_string()),
        };
        entries.push(WaczEntry { name, bytes });
    }
    part(&mut entries);
    Ok(entries)
}

fn is_archive(name: &str) -> bool {
    name.starts_with("archive/") && !name.ends_with('/')
}

fn stored(
    zip: &mut ZipArchive<File>,
    number: usize,
    size: u64,
) -> io::Result<Result<Stored, String>> {
    let entry = zip.by_index(number)?;
    let Some(start) = entry.data_start() else {
        return Ok(Err("it has no place in the file".to_owned()));
    };
    let length = entry.compressed_size();
    let Some(end) = start.checked_add(length).filter(|end| *end <= size) else {
        return Ok(Err("it claims more bytes than the file has".to_owned()));
    };
    let packed = match entry.compression() {
        CompressionMethod::Stored => None,
        CompressionMethod::Deflated => Some(entry.crc32()),
        method => {
            return Ok(Err(format!(
                "it is packed with {method}, which is not undone here"
            )));
        }
    };
    Ok(Ok(Stored {
        part: start..end,
        packed,
    }))
}

/// If two archives claim the same bytes of the zip file, replaces the location of the later one by
/// an error.
fn part(entries: &mut [WaczEntry]) {
    let mut in_order: Vec<_> = entries.iter_mut().collect();
    in_order.sort_by_key(|entry| match &entry.bytes {
        Ok(stored) => stored.part.start,
        Err(_) => 0,
    });
    let mut end = 0;
    for entry in in_order {
        let Ok(stored) = &entry.bytes else { continue };
        if stored.part.start < end {
            entry.bytes = Err("it shares its bytes with another entry".to_owned());
        } else {
            end = stored.part.end;
        }
    }
}

/// Returns an `io::Read` of the unpacked bytes of a compressed zip entry. `part` is the byte range
/// of the entry in the zip file, and `crc` is the CRC-32 of the unpacked bytes.
pub(super) fn unpacked(
    mut file: File,
    part: &Range<u64>,
    crc: u32,
    terms: &Arc<InputTerms>,
) -> io::Result<Pipe> {
    file.seek(SeekFrom::Start(part.start))?;
    let decoder = DeflateDecoder::new(file.take(part.end - part.start));
    let most = (terms.limits.unpacked_ratio, terms.free_bytes());
    Ok(Box::new(UnpackedEntry {
        decoder,
        sum: Crc::new(),
        crc,
        terms: Arc::clone(terms),
        most,
    }))
}

struct UnpackedEntry {
    decoder: DeflateDecoder<io::Take<File>>,
    sum: Crc,
    crc: u32,
    terms: Arc<InputTerms>,
    /// Upper bound for the unpacked size of the entry, as a factor and a number of bytes. The bound
    /// is the packed size times the factor, plus this number of bytes.
    most: (u64, u64),
}

impl Read for UnpackedEntry {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        let is_first = self.decoder.total_out() == 0;
        let count = self.decoder.read(target)?;
        self.sum.update(&target[..count]);
        if is_first
            && (target[..count].starts_with(&[0x1F, 0x8B]) || zstd::is_frame(&target[..count]))
        {
            self.most = PACKED_TWICE;
        }
        let (ratio, free) = self.most;
        if self.decoder.total_out()
            > self
                .decoder
                .total_in()
                .saturating_mul(ratio)
                .saturating_add(free)
        {
            return Err(io::Error::other(exceeded(
                "unpacked_ratio",
                &self.terms.limits,
            )));
        }
        if count == 0 && !target.is_empty() && self.sum.sum() != self.crc {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the checksum of the entry is wrong",
            ));
        }
        Ok(count)
    }
}
