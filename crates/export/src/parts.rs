//! Stores the entries of an export in temporary part files, until the export is complete. No entry
//! is split between two files, and each entry is read by its offset.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use heedful_base::error::{Error, ErrorKind, Result};

/// Location of an entry: the number of its part file, and the entry's offset and length in this
/// file in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PartOffset {
    pub(super) file: u32,
    pub(super) start: u64,
    pub(super) length: u64,
}

/// Temporary part files with the entries of an export. A part file has at most `most` bytes, unless
/// a single entry is longer. If the next entry does not fit, a new part file is begun.
#[derive(Debug)]
pub(crate) struct PartFiles {
    folder: PathBuf,
    opening: Vec<u8>,
    most: u64,
    /// Number of the part file that is being written, from 1. It is 0 before the first entry.
    number: u32,
    file: Option<(BufWriter<File>, u64)>,
    /// Part file that was read last, and its number. Only one part file stays open for reading,
    /// because there may be many.
    read: Option<(u32, File)>,
}

impl PartFiles {
    /// Creates an empty set of part files in `folder`. Each file will begin with the bytes
    /// `opening`, and have at most `most` bytes unless a single entry is longer.
    pub(super) fn new(folder: &Path, opening: Vec<u8>, most: u64) -> Self {
        Self {
            folder: folder.to_owned(),
            opening,
            most,
            number: 0,
            file: None,
            read: None,
        }
    }

    pub(super) fn opening(&self) -> &[u8] {
        &self.opening
    }

    pub(super) fn path(&self, number: u32) -> PathBuf {
        self.folder.join(format!("part-{number}"))
    }

    pub(super) fn write(&mut self, body: &[u8]) -> Result<PartOffset> {
        let length = body.len() as u64;
        let opening = self.opening.len() as u64;
        if let Some((_, at)) = &self.file
            && *at > opening
            && at + length > self.most
        {
            self.close()?;
        }
        if self.file.is_none() {
            self.number += 1;
            let path = self.path(self.number);
            let mut out = BufWriter::new(File::create_new(&path).map_err(io_error(&path))?);
            out.write_all(&self.opening).map_err(io_error(&path))?;
            self.file = Some((out, self.opening.len() as u64));
        }
        let number = self.number;
        let Some((out, at_byte)) = &mut self.file else {
            return Err(ErrorKind::Internal("no file".to_owned()).into());
        };
        out.write_all(body).map_err(io_error(&self.folder))?;
        let start = *at_byte;
        *at_byte += length;
        Ok(PartOffset {
            file: number,
            start,
            length,
        })
    }

    pub(super) fn close(&mut self) -> Result<()> {
        let Some((out, _)) = self.file.take() else {
            return Ok(());
        };
        let file = out
            .into_inner()
            .map_err(|error| io_error(&self.folder)(error.into_error()))?;
        file.sync_all().map_err(io_error(&self.folder))
    }

    /// Returns the bytes of the entry at the location `spot`. The part file with this entry must be
    /// closed for writing.
    pub(super) fn read(&mut self, spot: PartOffset) -> Result<Vec<u8>> {
        let path = self.path(spot.file);
        let open = match self.read.take() {
            Some(open) if open.0 == spot.file => open,
            _ => (spot.file, File::open(&path).map_err(io_error(&path))?),
        };
        let (_, file) = self.read.insert(open);
        let mut body = Vec::new();
        file.seek(SeekFrom::Start(spot.start))
            .map_err(io_error(&path))?;
        file.take(spot.length)
            .read_to_end(&mut body)
            .map_err(io_error(&path))?;
        Ok(body)
    }
}

/// Returns a function that converts an I/O error to an [`ErrorKind::Io`] about the file or folder
/// `path`.
pub(super) fn io_error(path: &Path) -> impl Fn(io::Error) -> Error {
    let subject = path.display().to_string();
    move |source| {
        ErrorKind::Io {
            subject: subject.clone(),
            source,
        }
        .into()
    }
}
