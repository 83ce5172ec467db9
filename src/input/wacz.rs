//! The archives in a WACZ: a zip with WARC files under archive/ (specs.webrecorder.net/wacz). They are stored there, and then
//! read in place; one that is packed once more is unpacked to a temporary file, if it does not become too large.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::ops::Range;

use zip::{CompressionMethod, ZipArchive};

/// The most bytes that a packed archive may become.
const LARGEST_ENTRY: u64 = 8 << 30;

/// An archive in one.
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) bytes: Bytes,
}

pub(super) enum Bytes {
    Part(Range<u64>),
    Unpacked(File),
    /// Why it cannot be read.
    Broken(String),
}

/// The archives in a zip file, in order of their names.
pub(super) fn entries(file: File) -> io::Result<Vec<Entry>> {
    let mut zip = ZipArchive::new(file)?;
    let names = zip.file_names().filter_map(|name| Some(name.ok()?.into_owned()));
    let mut names: Vec<String> = names.filter(|name| is_archive(name)).collect();
    names.sort();
    Ok(names
        .into_iter()
        .map(|name| {
            let bytes = bytes(&mut zip, &name).unwrap_or_else(|error| Bytes::Broken(error.to_string()));
            Entry { name, bytes }
        })
        .collect())
}

fn is_archive(name: &str) -> bool {
    name.starts_with("archive/") && !name.ends_with('/')
}

fn bytes(zip: &mut ZipArchive<File>, name: &str) -> io::Result<Bytes> {
    let mut entry = zip.by_name(name)?;
    if entry.compression() == CompressionMethod::Stored
        && let Some(start) = entry.data_start()
    {
        return Ok(Bytes::Part(start..start + entry.compressed_size()));
    }
    unpack(&mut entry, LARGEST_ENTRY)
}

fn unpack(entry: &mut impl Read, most: u64) -> io::Result<Bytes> {
    let mut file = crate::scratch::file()?;
    if io::copy(&mut entry.take(most + 1), &mut file)? > most {
        return Ok(Bytes::Broken(format!("more than {most} bytes when unpacked")));
    }
    file.rewind()?;
    Ok(Bytes::Unpacked(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_becomes_too_large_is_broken() {
        let unpacked = |most| unpack(&mut &b"12345"[..], most).unwrap();
        assert!(matches!(unpacked(5), Bytes::Unpacked(_)));
        assert!(matches!(unpacked(4), Bytes::Broken(why) if why.contains("more than 4 bytes")));
    }
}
