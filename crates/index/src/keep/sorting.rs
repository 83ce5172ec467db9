//! External sorting of records. Sorted runs go to temporary files and are merged while they are
//! read.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use heedful_base::memory::Memory;

/// A record to sort, as bytes. Records are ordered by these bytes.
pub(super) type SortRecord = Vec<u8>;

/// Maximum bytes of records in memory before they are written to a temporary file as a sorted run.
const RUN_BYTES: usize = 64 << 20;
/// Estimated bytes of memory that a record needs in addition to its own bytes.
const RECORD_BYTES: usize = 48;

/// An external sorter. It collects records in any order, and returns them sorted.
#[derive(Debug)]
pub(super) struct Sorting {
    most: usize,
    records: Vec<SortRecord>,
    bytes: usize,
    runs: Vec<File>,
}

impl Sorting {
    /// Creates a sorter of records that uses half of the index's share of `memory`, at most
    /// [`RUN_BYTES`].
    pub(super) fn new(memory: Option<Memory>) -> Self {
        let share = memory.map_or(usize::MAX, |memory| {
            usize::try_from(memory.of_index() / 2).unwrap_or(usize::MAX)
        });
        Self {
            most: share.min(RUN_BYTES),
            records: Vec::new(),
            bytes: 0,
            runs: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, record: SortRecord) -> io::Result<()> {
        self.bytes += record.len() + RECORD_BYTES;
        self.records.push(record);
        if self.bytes >= self.most {
            self.write_run()
        } else {
            Ok(())
        }
    }

    fn write_run(&mut self) -> io::Result<()> {
        self.records.sort_unstable();
        let mut out = BufWriter::new(heedful_base::scratch::file()?);
        for record in self.records.drain(..) {
            out.write_all(&(record.len() as u64).to_le_bytes())?;
            out.write_all(&record)?;
        }
        self.runs
            .push(out.into_inner().map_err(io::IntoInnerError::into_error)?);
        self.bytes = 0;
        Ok(())
    }

    /// Ends the collection of records. Returns an iterator over all of them in order.
    pub(super) fn sorted(mut self) -> io::Result<SortedRuns> {
        self.records.sort_unstable();
        let mut runs = vec![SortedRun::Held(self.records.into_iter())];
        for mut file in self.runs {
            file.rewind()?;
            runs.push(SortedRun::Written(BufReader::new(file)));
        }
        let mut next = BinaryHeap::new();
        for (number, run) in runs.iter_mut().enumerate() {
            next.extend(run.next()?.map(|record| Reverse((record, number))));
        }
        Ok(SortedRuns { runs, next })
    }
}

/// Iterator over all records in order. It merges the sorted runs while it reads them.
pub(super) struct SortedRuns {
    runs: Vec<SortedRun>,
    /// The first unread record of each run, with the position of the run in the list.
    next: BinaryHeap<Reverse<(SortRecord, usize)>>,
}

enum SortedRun {
    Held(std::vec::IntoIter<SortRecord>),
    Written(BufReader<File>),
}

impl SortedRun {
    fn next(&mut self) -> io::Result<Option<SortRecord>> {
        let file = match self {
            Self::Held(records) => return Ok(records.next()),
            Self::Written(file) => file,
        };
        let mut length = [0; 8];
        match file.read_exact(&mut length) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            other => other?,
        }
        let mut record = vec![0; usize::try_from(u64::from_le_bytes(length)).unwrap_or(0)];
        file.read_exact(&mut record)?;
        Ok(Some(record))
    }
}

impl SortedRuns {
    /// Returns the next record of the sorted runs without consuming it.
    pub(super) fn peek(&self) -> Option<&SortRecord> {
        self.next.peek().map(|Reverse((record, _))| record)
    }

    pub(super) fn next(&mut self) -> io::Result<Option<SortRecord>> {
        let Some(mut top) = self.next.peek_mut() else {
            return Ok(None);
        };
        let Reverse((record, run)) = &mut *top;
        match self.runs[*run].next()? {
            Some(following) => Ok(Some(std::mem::replace(record, following))),
            None => {
                let Reverse((record, _)) = PeekMut::pop(top);
                Ok(Some(record))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_merged() {
        let mut random = fastrand_like(7);
        let records: Vec<SortRecord> = (0..3000)
            .map(|_| random().to_be_bytes()[..5].to_vec())
            .collect();
        let mut sorting = Sorting::new(None);
        for (number, record) in records.iter().enumerate() {
            sorting.add(record.clone()).unwrap();
            if number % 700 == 0 {
                sorting.write_run().unwrap();
            }
        }
        let mut sorted = sorting.sorted().unwrap();
        let mut found = Vec::new();
        while let Some(record) = sorted.next().unwrap() {
            found.push(record);
        }
        let mut expected = records;
        expected.sort();
        assert_eq!(found, expected);
    }

    fn fastrand_like(seed: u64) -> impl FnMut() -> u64 {
        let mut state = seed;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state ^ (state >> 29)
        }
    }
}
