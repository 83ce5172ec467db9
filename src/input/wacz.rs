//! The archives in a WACZ: a zip with WARC files under archive/ (specs.webrecorder.net/wacz). They are stored there, and then
//! read in place; one that is packed once more is unpacked to a temporary file.

use std::fs::File;
use std::io::{self, Seek};
use std::ops::Range;

use zip::{CompressionMethod, ZipArchive};

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
    let mut file = tempfile::tempfile()?;
    io::copy(&mut entry, &mut file)?;
    file.rewind()?;
    Ok(Bytes::Unpacked(file))
}
