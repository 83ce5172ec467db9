//! Sorts postings by word within a bound of memory: whenever the table in memory is full, it is
//! written to disk, and all tables are merged at the end.
//!
//! Documents must be added in the order of their numbers. So the postings of a word in an earlier
//! table precede those in a later one, and two lists are merged by appending the later one. The
//! first posting of each list is stored separately, because the previous posting may be in an
//! earlier table, and then the distance to it is not known until the merge.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use heedful_base::scratch;

use super::protobuf::{delimited, integer, text, varint};

/// Approximate number of bytes that a word takes in the in-memory table of a [`Postings`]. The
/// bytes of the word itself and of its postings are not included.
const OF_WORD: usize = 150;

/// Postings of one word in one of the tables of a [`Postings`]. A posting says that the word occurs
/// in a document.
#[derive(Debug, Default)]
struct PostingsList {
    documents: u64,
    occurrences: u64,
    /// First posting: the number of the document, and the number of the word's occurrences in it.
    first: (u64, u64),
    last: u64,
    /// All postings after the first one, encoded as fields of a protocol buffer message.
    later_postings: Vec<u8>,
}

/// Collection of postings that are sorted by word. It consists of a table in memory and of tables
/// in temporary files.
pub(super) struct Postings {
    lists: BTreeMap<String, PostingsList>,
    size: usize,
    most: usize,
    runs: Vec<File>,
}

impl Postings {
    /// Creates an empty collection. The table in memory is written to a temporary file when it
    /// takes about `most` bytes.
    pub(super) fn new(most: usize) -> Self {
        Self {
            lists: BTreeMap::new(),
            size: 0,
            most,
            runs: Vec::new(),
        }
    }

    /// Adds a posting: `word` occurs `count` times in the document with the number `document`. This
    /// number must not be lower than in the previous call.
    pub(super) fn add(&mut self, word: &str, document: u64, count: u64) -> io::Result<()> {
        if let Some(list) = self.lists.get_mut(word) {
            let before = list.later_postings.len();
            posting(&mut list.later_postings, document - list.last, count);
            list.documents += 1;
            list.occurrences += count;
            list.last = document;
            self.size += list.later_postings.len() - before;
        } else {
            let first = (document, count);
            let list = PostingsList {
                documents: 1,
                occurrences: count,
                first,
                last: document,
                later_postings: Vec::new(),
            };
            self.lists.insert(word.to_owned(), list);
            self.size += word.len() + OF_WORD;
        }
        if self.size > self.most {
            self.spill()
        } else {
            Ok(())
        }
    }

    fn spill(&mut self) -> io::Result<()> {
        let mut out = BufWriter::new(scratch::file()?);
        let mut head = Vec::new();
        for (word, list) in std::mem::take(&mut self.lists) {
            head.clear();
            varint(&mut head, word.len() as u64);
            head.extend_from_slice(word.as_bytes());
            let numbers = [
                list.documents,
                list.occurrences,
                list.first.0,
                list.first.1,
                list.last,
            ];
            for number in numbers
                .into_iter()
                .chain([list.later_postings.len() as u64])
            {
                varint(&mut head, number);
            }
            out.write_all(&head)?;
            out.write_all(&list.later_postings)?;
        }
        self.size = 0;
        let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        self.runs.push(file);
        Ok(())
    }

    /// Merges all tables into one temporary file. The file has one postings list for each word,
    /// sorted by word. Each list is a protocol buffer message, preceded by its length. Returns the
    /// file and the number of lists.
    pub(super) fn merged(mut self) -> io::Result<(File, u64)> {
        self.spill()?;
        let mut runs: Vec<_> = self.runs.into_iter().map(BufReader::new).collect();
        let mut heap = BinaryHeap::new();
        let mut lists = Vec::new();
        for (number, run) in runs.iter_mut().enumerate() {
            let (word, list) = read(run)?.unzip();
            heap.extend(word.map(|word| Reverse((word, number))));
            lists.push(list.unwrap_or_default());
        }
        let mut out = BufWriter::new(scratch::file()?);
        let mut count = 0;
        while let Some(Reverse((word, number))) = heap.pop() {
            let mut of_word = vec![number];
            while heap
                .peek()
                .is_some_and(|Reverse((other, _))| *other == word)
            {
                of_word.extend(heap.pop().map(|Reverse((_, number))| number));
            }
            let joined: Vec<PostingsList> = of_word
                .iter()
                .map(|number| std::mem::take(&mut lists[*number]))
                .collect();
            put(&mut out, &word, &joined)?;
            count += 1;
            for number in of_word {
                if let Some((word, list)) = read(&mut runs[number])? {
                    lists[number] = list;
                    heap.push(Reverse((word, number)));
                }
            }
        }
        let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok((file, count))
    }
}

/// Writes all postings of a word to `out` as one protocol buffer message. `lists` are the postings
/// of this word in several tables, in the order of the tables.
fn put(out: &mut impl Write, word: &str, lists: &[PostingsList]) -> io::Result<()> {
    let mut message = Vec::new();
    text(&mut message, 1, word);
    integer(
        &mut message,
        2,
        lists.iter().map(|list| list.documents).sum(),
    );
    integer(
        &mut message,
        3,
        lists.iter().map(|list| list.occurrences).sum(),
    );
    let mut last = 0;
    for list in lists {
        posting(&mut message, list.first.0 - last, list.first.1);
        message.extend_from_slice(&list.later_postings);
        last = list.last;
    }
    delimited(out, &message)
}

/// Appends a posting to the message of a postings list, as its field 4. `distance` is the
/// difference between the numbers of this document and of the previous one. `count` is the number
/// of the word's occurrences in this document.
fn posting(to: &mut Vec<u8>, distance: u64, count: u64) {
    let start = to.len();
    to.extend([4 << 3 | 2, 0]);
    integer(to, 1, distance);
    integer(to, 2, count);
    // The two numbers never fill more than 127 bytes, so the length is one byte.
    to[start + 1] = (to.len() - start - 2) as u8;
}

fn read(run: &mut impl Read) -> io::Result<Option<(String, PostingsList)>> {
    let Some(length) = number(run)? else {
        return Ok(None);
    };
    let take = |length: u64, run: &mut dyn Read| {
        let mut bytes = Vec::new();
        run.take(length).read_to_end(&mut bytes).map(|_| bytes)
    };
    let word = String::from_utf8_lossy(&take(length, run)?).into_owned();
    let mut numbers = [0; 6];
    for value in &mut numbers {
        *value = number(run)?.ok_or(io::ErrorKind::UnexpectedEof)?;
    }
    let [documents, occurrences, first, count, last, length] = numbers;
    let later_postings = take(length, run)?;
    Ok(Some((
        word,
        PostingsList {
            documents,
            occurrences,
            first: (first, count),
            last,
            later_postings,
        },
    )))
}

/// Reads a varint, as the function `varint` writes it. Returns `None` at the end of the file.
fn number(from: &mut impl Read) -> io::Result<Option<u64>> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let mut byte = [0];
        if from.read(&mut byte)? == 0 {
            return if shift == 0 {
                Ok(None)
            } else {
                Err(io::ErrorKind::UnexpectedEof.into())
            };
        }
        number |= u64::from(byte[0] & 0x7F) << shift;
        if byte[0] < 0x80 {
            break;
        }
    }
    Ok(Some(number))
}
