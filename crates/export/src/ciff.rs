//! The Common Index File Format (CIFF): an inverted index without positions, which PISA, JASS,
//! Terrier and other engines import.
//!
//! The CIFF file follows the definition in github.com/osirrc/ciff, version 1. It has a header, a
//! postings list for each word, and a record for each document. Each is a protocol buffer message
//! preceded by its length. Lists are sorted by the bytes of the word. The first posting of a list
//! contains the number of its document. Each later posting contains the difference between the
//! number of its document and that of the previous posting. All programs that read CIFF expect
//! this.
//!
//! The words in a CIFF file are those of titles and body texts, split and folded as in our tantivy
//! index. Documents are numbered in the order of their URLs. CIFF has no deletions, so a file
//! covers a whole run. It has no positions, so no engine can run a phrase query on it.
//!
//! The module `protobuf` writes the messages.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use heedful::{Page, words_of};
use heedful_base::error::{Error, Result};

use super::parts::{PartFiles, PartOffset, io_error};
use super::postings::Postings;
use super::protobuf::{delimited, double, integer, text};

/// Maximum size of the postings that are sorted in memory, in bytes.
const MEMORY: usize = 256 << 20;

/// Returns the export entry of a page as text. [`write()`] later makes the CIFF index from the
/// entries. The first line is `key`, the normal form of the page's URL. Each further line has the
/// number of occurrences of one word, and then the word.
pub(super) fn document(key: &str, page: &Page) -> Vec<u8> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for word in words_of(page.title().iter().chain(page.phrases())) {
        *counts.entry(word.into_folded().into_owned()).or_default() += 1;
    }
    let lines = counts
        .iter()
        .map(|(word, count)| format!("{count} {word}\n"));
    std::iter::once(format!("{key}\n"))
        .chain(lines)
        .collect::<String>()
        .into_bytes()
}

/// Reads the entries at the locations `spots` from the part files, and writes them to the file `to`
/// as one CIFF index.
pub(super) fn write(parts: &mut PartFiles, spots: &[PartOffset], to: &Path) -> Result<()> {
    write_within(MEMORY, parts, spots, to)
}

fn write_within(
    memory: usize,
    parts: &mut PartFiles,
    spots: &[PartOffset],
    to: &Path,
) -> Result<()> {
    let mut pages = Vec::with_capacity(spots.len());
    for spot in spots {
        let body = parts.read(*spot)?;
        let end = memchr::memchr(b'\n', &body).unwrap_or(body.len());
        pages.push((String::from_utf8_lossy(&body[..end]).into_owned(), *spot));
    }
    pages.sort_unstable();
    if i32::try_from(pages.len()).is_err() {
        return Err(Error::setting(
            "an index of this format has at most 2,147,483,647 documents".to_owned(),
        ));
    }
    let mut postings = Postings::new(memory);
    let mut lengths = Vec::with_capacity(pages.len());
    for (number, (_, spot)) in (0..).zip(&pages) {
        let body = String::from_utf8_lossy(&parts.read(*spot)?).into_owned();
        let counts = body.lines().skip(1).filter_map(|line| line.split_once(' '));
        let mut length = 0;
        for (count, word) in counts {
            let count = count.parse().unwrap_or(0);
            length += count;
            postings.add(word, number, count).map_err(io_error(to))?;
        }
        lengths.push(length);
    }
    put(to, postings, &pages, &lengths).map_err(io_error(to))
}

fn put(
    to: &Path,
    postings: Postings,
    pages: &[(String, PartOffset)],
    lengths: &[u64],
) -> io::Result<()> {
    let (mut lists, count) = postings.merged()?;
    let mut out = BufWriter::new(File::create_new(to)?);
    delimited(&mut out, &header(count, lengths))?;
    io::copy(&mut lists, &mut out)?;
    for (number, ((url, _), length)) in (0..).zip(pages.iter().zip(lengths)) {
        let mut record = Vec::new();
        integer(&mut record, 1, number);
        text(&mut record, 2, url);
        integer(&mut record, 3, *length);
        delimited(&mut out, &record)?;
    }
    out.into_inner()
        .map_err(io::IntoInnerError::into_error)?
        .sync_all()
}

fn header(lists: u64, lengths: &[u64]) -> Vec<u8> {
    let documents = lengths.len() as u64;
    let total = lengths.iter().sum::<u64>();
    let average = if documents == 0 {
        0.0
    } else {
        total as f64 / documents as f64
    };
    let mut header = Vec::new();
    for (field, value) in (1..).zip([1, lists, documents, lists, documents, total]) {
        integer(&mut header, field, value);
    }
    double(&mut header, 7, average);
    text(&mut header, 8, ABOUT);
    header
}

const ABOUT: &str = concat!(
    "heedful ",
    env!("CARGO_PKG_VERSION"),
    ": titles and body texts; words by UAX #29, NFKC, lower case; no stemming, no stop words"
);

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests that sorting the postings on disk or in memory gives the same CIFF file.
    #[test]
    fn memory_does_not_show() {
        let folder = tempfile::tempdir().unwrap();
        let mut parts = PartFiles::new(folder.path(), Vec::new(), 100);
        let bodies = (0..50).map(|page| {
            let words = (0..30)
                .filter(|word| page % (word + 1) == 0)
                .map(|word| format!("{} w{word}\n", page + 1));
            format!(
                "https://site.example/{}\n{}",
                page * 7 % 50,
                words.collect::<String>()
            )
        });
        let spots: Vec<_> = bodies
            .map(|body| parts.write(body.as_bytes()).unwrap())
            .collect();
        parts.close().unwrap();
        let mut made = |memory: usize| {
            let to = folder.path().join(format!("{memory}.ciff"));
            write_within(memory, &mut parts, &spots, &to).unwrap();
            std::fs::read(to).unwrap()
        };
        let whole = made(MEMORY);
        assert!(whole.len() > 1000);
        assert_eq!(
            [made(0), made(500), made(5000)],
            [whole.clone(), whole.clone(), whole]
        );
    }
}
