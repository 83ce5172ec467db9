//! Finds the archives in a WACZ: a zip with WARC files under archive/ (specs.webrecorder.net/wacz).
//! Stored files are read in place. A packed one is unpacked as it is read, again for each reading,
//! and nothing of it is kept.
//!
//! Two entries never share bytes: shared bytes are read once. A packed entry that unpacks to more
//! than any archive would is given up.

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

/// A limit for data that was packed before: it hardly grows to this many times its bytes, and this
/// many more.
const PACKED_TWICE: (u64, u64) = (4, 1 << 20);

/// An archive in a WACZ.
pub(super) struct WaczEntry {
    pub(super) name: String,
    /// The place of the archive, or why it cannot be read.
    pub(super) bytes: Result<Stored, String>,
}

/// The bytes of an entry.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub(super) part: Range<u64>,
    /// The checksum of its unpacked bytes, if it is packed.
    pub(super) packed: Option<u32>,
}

/// The archives in a zip file, in order of their names.
pub(super) fn entries(file: File) -> io::Result<Vec<WaczEntry>> {
    let size = file.metadata()?.len();
    let mut zip = ZipArchive::new(file)?;
    // A name that is not UTF-8 is searched for among all entries, and may be found in another one.
    // So numbers are used.
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

/// Keeps the first entry in the file of those that share bytes.
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

/// Unpacks a packed entry.
pub(super) fn unpacked(
    mut file: File,
    part: &Range<u64>,
    crc: u32,
    terms: &Arc<InputTerms>,
) -> io::Result<Pipe> {
    file.seek(SeekFrom::Start(part.start))?;
    let decoder = DeflateDecoder::new(file.take(part.end - part.start));
    let most = (terms.limits.unpacked_ratio, terms.free());
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
    /// The bytes that it may give for each stored byte, and in addition.
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
