//! Reads the lines of masks, feeds and lists. The length of a line and the size of decompressed
//! gzip are bounded.
//!
//! A file may be written by a stranger, so both bounds apply to every file. A file that heedful
//! wrote is far below the bounds: its texts of directives are shortened, and its URLs have at most
//! 8 KiB.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use heedful_base::error::{Error, ErrorKind, Result};
use heedful_base::limits::Limits;

/// Maximum length of a line of a mask, a feed of changes or a list of URLs, in bytes.
pub(super) const LINE: u64 = 8 << 20;
/// Fixed part of the limit on the decompressed size of a file, in bytes. The limit is the sum of
/// this number and a variable part. The variable part is `list_ratio` times the compressed size.
const FREE: u64 = 64 << 20;

/// Opens a mask in JSON Lines, a feed of changes or a list of URLs. The file may be compressed with
/// gzip. A compressed file may decompress to 64 MiB plus `list_ratio` times its length. Reading
/// beyond that fails.
///
/// # Errors
/// Fails with [`ErrorKind::Io`] if the file cannot be opened or read.
///
/// ```
/// use std::io::Read;
///
/// use heedful::Limits;
///
/// let folder = tempfile::tempdir()?;
/// let list = folder.path().join("urls.txt");
/// std::fs::write(&list, "https://site.example/rye\n")?;
/// let mut text = String::new();
/// heedful_run::mask::open(&list, &Limits::default())?.read_to_string(&mut text)?;
/// assert_eq!(text, "https://site.example/rye\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn open(path: &Path, limits: &Limits) -> Result<Box<dyn BufRead>> {
    let failed = |source| {
        Error::from(ErrorKind::Io {
            subject: path.display().to_string(),
            source,
        })
    };
    let file = File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    let mut file = BufReader::new(file);
    if !file.fill_buf().map_err(failed)?.starts_with(&[0x1F, 0x8B]) {
        return Ok(Box::new(file));
    }
    let left = FREE.saturating_add(length.saturating_mul(limits.list_ratio));
    Ok(Box::new(BufReader::new(BoundedGzip {
        from: MultiGzDecoder::new(file),
        left,
        ratio: limits.list_ratio,
    })))
}

/// Decompressor of gzip that fails if a file decompresses to too many bytes.
struct BoundedGzip<R> {
    from: R,
    left: u64,
    /// The limit `list_ratio`: maximum ratio of decompressed to compressed bytes. It is for the
    /// error message.
    ratio: u64,
}

impl<R: Read> Read for BoundedGzip<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(into)?;
        let Some(left) = self.left.checked_sub(read as u64) else {
            return Err(io::Error::other(format!(
                "it unpacks to more than {} times its bytes (the limit `list_ratio`): if that is right, unpack it first",
                self.ratio
            )));
        };
        self.left = left;
        Ok(read)
    }
}

/// Iterates over the lines of a text, each with its number, counted from 1. Line ends are removed.
/// A line of more than 8 MiB or of invalid UTF-8 yields an error and ends the iteration.
///
/// ```
/// let lines = heedful_run::mask::lines(&b"one\r\ntwo\n"[..]).collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(lines, [(1, "one".to_owned()), (2, "two".to_owned())]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn lines<R: BufRead>(mut from: R) -> impl Iterator<Item = io::Result<(u64, String)>> {
    let mut number = 0;
    let mut is_over = false;
    std::iter::from_fn(move || {
        let mut line = String::new();
        let read = if is_over {
            Ok(0)
        } else {
            (&mut from).take(LINE + 1).read_line(&mut line)
        };
        number += 1;
        let read = read.and_then(|read| {
            if read as u64 > LINE {
                Err(too_long(number, LINE))
            } else {
                Ok(read)
            }
        });
        is_over = read.is_err();
        match read {
            Ok(0) => None,
            read => Some(read.map(|_| (number, line.trim_end_matches(['\n', '\r']).to_owned()))),
        }
    })
}

pub(super) fn too_long(number: u64, most: u64) -> io::Error {
    io::Error::other(format!("line {number} has more than {most} bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_bound() {
        let most = usize::try_from(LINE).unwrap();
        let text = format!("one\r\n\n{}\nlast", "x".repeat(most - 1));
        let found: Vec<_> = lines(text.as_bytes())
            .map(|line| line.unwrap())
            .map(|(n, line)| (n, line.len()))
            .collect();
        assert_eq!(found, [(1, 3), (2, 0), (3, most - 1), (4, 4)]);
        let found: Vec<_> = lines(BufReader::new(b"one\n".chain(io::repeat(0)))).collect();
        assert_eq!(found.len(), 2);
        assert_eq!(
            found[1].as_ref().unwrap_err().to_string(),
            "line 2 has more than 8388608 bytes"
        );
        assert!(lines(&b"\xFF\n"[..]).next().unwrap().is_err());
    }

    #[test]
    fn what_unpacks_without_end_is_refused() {
        let mut from = BoundedGzip {
            from: io::repeat(0),
            left: 1 << 20,
            ratio: 50,
        };
        let mut bytes = Vec::new();
        let error = from.read_to_end(&mut bytes).unwrap_err();
        assert!(
            error.to_string().contains("unpack it first") && bytes.len() <= 1 << 20,
            "{error}"
        );
    }
}
