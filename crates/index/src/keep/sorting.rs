//! External sorting of records. Sorted runs go to temporary files and are merged while they are
//! read.
//!
//! Each run keeps a file open. When there are [`MOST_RUNS`], the shortest ones are merged into one
//! longer run. So the number of open files does not grow with the number of records. Only the
//! records of one run are in memory. An error leaves no file behind.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use heedful_base::memory::Memory;
use heedful_base::scratch;

/// A record to sort, as bytes. Records are ordered by these bytes.
pub(super) type SortRecord = Vec<u8>;

/// Size in bytes at which the records in memory are written to a temporary file. This file is a
/// sorted run.
const RUN_BYTES: usize = 64 << 20;
/// Maximum number of runs in temporary files, and so of files that are open.
const MOST_RUNS: usize = 32;
/// Number of runs (sorted temporary files) that are merged into one. This happens when there are
/// [`MOST_RUNS`] runs.
const MERGED_RUNS: usize = MOST_RUNS / 2;
/// Bytes of a run that are read or written at once.
const BUFFER_BYTES: usize = 64 << 10;
/// Estimated bytes of memory that a record needs in addition to its own bytes.
const RECORD_BYTES: usize = 48;

/// An external sorter. It collects records in any order, and returns them sorted.
#[derive(Debug)]
pub(super) struct Sorting {
    most: usize,
    records: Vec<SortRecord>,
    bytes: usize,
    runs: Vec<Run>,
    /// Greatest total size of all runs so far, in bytes.
    most_written: u64,
}

impl Sorting {
    /// Creates a sorter of records. Its records in memory take at most [`RUN_BYTES`], or half of
    /// the index's share of `memory` if that is less. If `memory` is None, only [`RUN_BYTES`]
    /// applies.
    pub(super) fn new(memory: Option<Memory>) -> Self {
        let share = memory.map_or(usize::MAX, |memory| {
            usize::try_from(memory.of_index() / 2).unwrap_or(usize::MAX)
        });
        Self {
            most: share.min(RUN_BYTES),
            records: Vec::new(),
            bytes: 0,
            runs: Vec::new(),
            most_written: 0,
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
        let mut run = RunWriter::new(self.written())?;
        for record in self.records.drain(..) {
            run.write(&record)?;
        }
        self.bytes = 0;
        self.add_run(run)?;
        if self.runs.len() >= MOST_RUNS {
            self.merge_shortest()?;
        }
        Ok(())
    }

    /// Merges the shortest runs into one. Longer runs are not copied again, so each record is
    /// copied seldom.
    fn merge_shortest(&mut self) -> io::Result<()> {
        self.runs.sort_unstable_by_key(|run| Reverse(run.bytes));
        let mut run = RunWriter::new(self.written())?;
        let shortest = self.runs.split_off(self.runs.len() - MERGED_RUNS);
        let merged = shortest.iter().map(|run| run.bytes).sum::<u64>();
        let mut records = SortedRuns::new(Vec::new(), shortest)?;
        while let Some(record) = records.next()? {
            run.write(&record)?;
        }
        self.most_written = self.most_written.max(self.written() + 2 * merged);
        self.add_run(run)
    }

    fn add_run(&mut self, run: RunWriter) -> io::Result<()> {
        self.runs.push(run.end()?);
        self.most_written = self.most_written.max(self.written());
        Ok(())
    }

    /// Returns the bytes of all runs in temporary files now.
    fn written(&self) -> u64 {
        self.runs.iter().map(|run| run.bytes).sum()
    }

    /// Estimates the greatest total size of the temporary files for sorting `records` records,
    /// which have `bytes` bytes together. Returns 0 if memory suffices.
    pub(super) fn room(&self, records: u64, bytes: u64) -> u64 {
        let in_memory = bytes.saturating_add(records.saturating_mul(RECORD_BYTES as u64));
        let runs = in_memory / self.most as u64;
        if runs == 0 {
            0
        } else if runs < MOST_RUNS as u64 {
            bytes
        } else {
            // Runs that are merged are there until the run of them is whole.
            bytes.saturating_add(bytes / 2)
        }
    }

    /// Returns the greatest total size that the temporary files had so far, in bytes.
    pub(super) fn most_written(&self) -> u64 {
        self.most_written
    }

    /// Ends the collection of records. Returns an iterator over all of them in order.
    pub(super) fn sorted(mut self) -> io::Result<SortedRuns> {
        self.records.sort_unstable();
        SortedRuns::new(self.records, self.runs)
    }
}

/// A sorted run in a temporary file.
#[derive(Debug)]
struct Run {
    file: File,
    bytes: u64,
}

/// Writes a sorted run to a temporary file.
struct RunWriter {
    out: BufWriter<File>,
    bytes: u64,
    /// Bytes of all other runs. An error message about a full disk gives the total bytes of all
    /// runs.
    others: u64,
}

impl RunWriter {
    fn new(others: u64) -> io::Result<Self> {
        Ok(Self {
            out: BufWriter::with_capacity(BUFFER_BYTES, scratch::file()?),
            bytes: 0,
            others,
        })
    }

    fn write(&mut self, record: &[u8]) -> io::Result<()> {
        let length = record.len() as u64;
        let written = self.out.write_all(&length.to_le_bytes());
        let written = written.and_then(|()| self.out.write_all(record));
        self.bytes += length + size_of::<u64>() as u64;
        written.map_err(|error| self.failed(error))
    }

    fn end(mut self) -> io::Result<Run> {
        let flushed = self.out.flush();
        flushed.map_err(|error| self.failed(error))?;
        Ok(Run {
            file: self
                .out
                .into_inner()
                .map_err(io::IntoInnerError::into_error)?,
            bytes: self.bytes,
        })
    }

    fn failed(&self, error: io::Error) -> io::Error {
        scratch::write_error(error, self.others + self.bytes)
    }
}

/// Iterator over the records of several sorted runs, in order. It merges the runs while it reads
/// them.
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
    /// Merges the sorted records `held` and the runs `written`.
    fn new(held: Vec<SortRecord>, written: Vec<Run>) -> io::Result<Self> {
        let mut runs = vec![SortedRun::Held(held.into_iter())];
        for mut run in written {
            run.file.rewind()?;
            let file = BufReader::with_capacity(BUFFER_BYTES, run.file);
            runs.push(SortedRun::Written(file));
        }
        let mut next = BinaryHeap::new();
        for (number, run) in runs.iter_mut().enumerate() {
            next.extend(run.next()?.map(|record| Reverse((record, number))));
        }
        Ok(Self { runs, next })
    }

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

    /// Environment variable that is set in the child process of a test. The child process may open
    /// only few files.
    #[cfg(unix)]
    const CHILD: &str = "HEEDFUL_SORTING_CHILD";
    /// Maximum number of open files of the child process. Sorting needs one file for each run, and
    /// one for the run that is being written. The rest is for the process itself.
    #[cfg(unix)]
    const FILES: usize = MOST_RUNS + 12;

    /// Sorts `count` random records in runs of about `of_run` bytes, and checks the order. Returns
    /// the greatest total size of the temporary files, and the bytes of all records.
    fn check(count: usize, of_run: usize) -> (u64, u64) {
        let mut random = fastrand_like(7);
        let records: Vec<SortRecord> = (0..count)
            .map(|number| random().to_be_bytes()[..number % 8].to_vec())
            .collect();
        let mut sorting = Sorting {
            most: of_run,
            ..Sorting::new(None)
        };
        for record in &records {
            sorting.add(record.clone()).unwrap();
            assert!(sorting.runs.len() < MOST_RUNS);
        }
        let most_written = sorting.most_written();
        let bytes: u64 = records.iter().map(|record| record.len() as u64 + 8).sum();
        let room = sorting.room(count as u64, bytes);
        assert!(
            most_written <= room && room / 2 <= most_written,
            "{room} for {most_written}"
        );
        let mut sorted = sorting.sorted().unwrap();
        let mut found = Vec::new();
        while let Some(record) = sorted.next().unwrap() {
            found.push(record);
        }
        let mut expected = records;
        expected.sort();
        assert_eq!(found, expected);
        (most_written, bytes)
    }

    #[test]
    fn runs_are_merged() {
        assert_eq!(check(3000, usize::MAX).0, 0);
        let (written, bytes) = check(3000, 40_000);
        assert!(written > 0 && written <= bytes);
    }

    #[test]
    fn hundreds_of_runs_are_merged_in_passes() {
        let (written, bytes) = check(40_000, 4000);
        assert!(written > bytes && written <= 2 * bytes);
    }

    /// Checks that hundreds of runs need few open files.
    #[cfg(unix)]
    #[test]
    fn few_files_are_open() {
        if std::env::var_os(CHILD).is_some() {
            check(40_000, 4000);
            let mut held = Vec::new();
            // The limit holds in this process.
            assert!((0..FILES).any(|_| scratch::file().map(|file| held.push(file)).is_err()));
            return;
        }
        let script = format!(
            "ulimit -n {FILES} && exec \"$0\" few_files_are_open --test-threads 1 --nocapture"
        );
        let mut child = std::process::Command::new("sh");
        child.arg("-c").arg(script);
        child.arg(std::env::current_exe().unwrap()).env(CHILD, "1");
        let output = child.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let failed = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}{failed}");
        assert!(said.contains("1 passed"), "{said}");
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
