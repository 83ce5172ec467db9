//! The files of folded anchor texts, in the folder `anchors` of the index.
//!
//! The files are those of two tantivy indexes without their `meta.json`, whose content is in the
//! payload of the commit. So the payload alone decides which files belong to the index. A
//! compaction writes new files, commits, and deletes the old ones. Files that no commit lists are
//! left over from a crash, and the next writer deletes them.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tantivy::directory::Directory;

use heedful_base::error::{Error, IndexTrouble, Result};
use heedful_base::memory::Memory;

use crate::analysis::Analysis;
use crate::directory::{Folder, has_only};

use super::directory::{ANCHORS, MetaInMemory};
use super::reader::{Folded, FoldedIndex};
use super::writer::FoldedWriter;

/// The part of a commit's payload that lists the files of the folded anchor texts. A compaction has
/// collected these texts by link target, in two tantivy indexes. For each index, the struct has the
/// content of a file `meta.json`, which lists the index's files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FoldedCommit {
    /// Content of `meta.json` for the anchor texts of links to pages in the index. None if there
    /// are no such texts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    of_pages: Option<String>,
    /// Content of `meta.json` for the anchor texts of links to URLs that are not in the index. None
    /// if there are no such texts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    of_others: Option<String>,
}

impl FoldedCommit {
    /// Returns the number of segments of both indexes together.
    pub(crate) fn segments(&self) -> usize {
        self.segment_numbers().len()
    }

    /// True if a file in the folder of folded anchor texts belongs to this commit. The name of a
    /// file begins with the id of its segment.
    fn has(&self, file: &Path) -> bool {
        let file = file.to_string_lossy();
        let mut numbers = self.segment_numbers().into_iter();
        numbers.any(|number| file.starts_with(&number))
    }

    fn segment_numbers(&self) -> Vec<String> {
        let mut numbers = Vec::new();
        for list in self.of_pages.iter().chain(&self.of_others) {
            let list: serde_json::Value = serde_json::from_str(list).unwrap_or_default();
            let segments = list["segments"].as_array().map_or(&[][..], Vec::as_slice);
            for segment in segments {
                let number = segment["segment_id"].as_str();
                numbers.extend(number.map(|number| number.replace('-', "")));
            }
        }
        numbers
    }
}

/// The folder with the files of folded anchor texts. These are anchor texts that a compaction
/// collected by link target.
#[derive(Clone, Debug)]
pub(crate) struct FoldedFiles {
    directory: Folder,
    /// Path of the folder. None for a simulated folder of a test.
    folder: Option<PathBuf>,
}

impl FoldedFiles {
    pub(crate) fn new(directory: Folder, folder: Option<PathBuf>) -> Self {
        Self { directory, folder }
    }

    /// Opens the folded anchor texts of `commit` for reading. These are anchor texts that a
    /// compaction collected by link target.
    pub(crate) fn open(&self, commit: &FoldedCommit) -> Result<Folded> {
        let open = |list: &Option<String>| {
            let Some(list) = list else {
                return Ok(None);
            };
            let directory = MetaInMemory::new(self.directory.clone(), list);
            let opened = FoldedIndex::open(directory);
            opened.map(Some).map_err(|error| damaged(&error))
        };
        Ok(Folded {
            of_pages: open(&commit.of_pages)?,
            of_others: open(&commit.of_others)?,
        })
    }

    /// Creates a writer of folded anchor texts, which a compaction collects by link target.
    /// `memory` bounds the writer's buffers. If `memory` is None, a default bound applies.
    pub(crate) fn begin(&self, analysis: Analysis, memory: Option<Memory>) -> FoldedWriter {
        let directory = MetaInMemory::new(self.directory.clone(), "");
        FoldedWriter::new(&directory, analysis, memory)
    }

    /// Completes the files of a writer, and syncs them. They belong to the index when a commit
    /// stores the returned entry in its payload.
    pub(crate) fn finish(&self, writer: FoldedWriter) -> Result<FoldedCommit> {
        let [of_pages, of_others] = writer.finish().map_err(unwritten)?;
        self.directory.sync_directory().map_err(unwritten)?;
        Ok(FoldedCommit {
            of_pages,
            of_others,
        })
    }

    /// Deletes the files of `commit`, an earlier commit. The last commit must no longer name them.
    pub(crate) fn delete(&self, commit: &FoldedCommit) {
        let Ok(folded) = self.open(commit) else {
            return;
        };
        for file in folded.files() {
            // If a reader holds the file open and the system refuses, the next writer deletes it.
            let _ = self.directory.delete(&file);
        }
    }

    /// Deletes all files of folded anchor texts that do not belong to `commit`.
    pub(crate) fn sweep(&self, commit: &FoldedCommit) {
        let Some(folder) = &self.folder else {
            return;
        };
        let Ok(entries) = std::fs::read_dir(folder) else {
            return;
        };
        for entry in entries.flatten() {
            let name = PathBuf::from(entry.file_name());
            if is_name(&name) && !commit.has(&name) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }

    /// Checks the files of a commit by their checksums. Returns one message for each damaged file.
    /// The list is empty if no file is damaged. If the files cannot be opened, the error is the
    /// only message.
    pub(crate) fn damaged(&self, commit: &FoldedCommit) -> Vec<String> {
        match self.open(commit) {
            Ok(folded) => folded.damaged(),
            Err(error) => vec![error.to_string()],
        }
    }
}

/// True if a folder contains only files that are named like files of folded anchor texts.
pub(crate) fn is_ours(folder: &Path) -> bool {
    has_only(folder, is_name)
}

/// True if a file name has the form of tantivy's segment files. The form is the segment's id (32
/// hexadecimal digits), and an extension for the kind of file.
fn is_name(file: &Path) -> bool {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let number = stem.split('.').next().unwrap_or_default();
    file.extension().is_some()
        && number.len() == 32
        && number.bytes().all(|b| b.is_ascii_hexdigit())
}

fn damaged(error: &dyn std::fmt::Display) -> Error {
    Error::index(
        IndexTrouble::Damaged,
        format!("the folded anchor texts in {ANCHORS}: {error}"),
    )
}

fn unwritten(error: impl std::fmt::Display) -> Error {
    let message = format!(
        "the folded anchor texts cannot be written ({error}); what was committed before still stands"
    );
    Error::index(IndexTrouble::Damaged, message)
}
