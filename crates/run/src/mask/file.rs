//! Writes a mask to disk in groups of answers. If the run is killed, the mask can be resumed after
//! the last group.
//!
//! A mask is written to the file `OUT.part`, which is renamed to `OUT` at the end. So `OUT` is
//! complete or absent. After a group is written and synced, `OUT.state` is replaced. It has the
//! length of the valid part of `OUT.part` and the cursor after this part. The next run truncates
//! `OUT.part` to that length. A mask in Parquet is a folder with one file per group. Each of these
//! files is complete or absent.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use heedful::{Filter, LAW};
use heedful_base::error::{Error, ErrorKind, Result};
use heedful_base::new_file::{self, NewFile};
use heedful_evidence::Evidence;
use heedful_index::Terms;

use super::answer::MaskAnswer;
use super::form::MaskFormat;
use super::judging::MaskQuestions;
use super::{compact, table, tsv};

/// Version of the format in which [`FileState`] is stored.
const VERSION: u32 = 1;

/// State of an unfinished mask. The file `OUT.state` stores it, where `OUT` is the path of the
/// mask.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct FileState {
    version: u32,
    /// Settings of the run that decide the answers of the mask. A run with other settings cannot
    /// resume the mask.
    terms: String,
    /// Position in the inputs of the run after the last group that was written. `None` if the
    /// inputs cannot be resumed.
    cursor: Option<String>,
    answers: u64,
    /// Length of the valid part of the file `OUT.part`, in bytes. This file contains the unfinished
    /// mask. The length is 0 if the mask is a folder.
    bytes: u64,
    /// Number of complete files in the mask's folder. It is 0 if the mask is not a folder.
    files: u64,
}

/// A mask that is being written to disk, group by group.
///
/// ```
/// use heedful_input::Inputs;
/// use heedful_run::mask::{MaskQuestions, MaskFormat, MaskFile};
/// use heedful_run::{Run, survey};
/// use heedful::{Bot, Uses, Filter};
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("crawl.jsonl"), r#"{"url":"https://example.com/a","html":"<p>one"}"#)?;
/// let inputs = Inputs::default().each_record().open(&[folder.path().join("crawl.jsonl")])?;
/// let (gate, filter) = survey(&inputs, Filter::new(Bot::new("FooBot")?))?;
/// let asking = MaskQuestions::new(Uses::parse_names("train")?, &filter);
/// let out = folder.path().join("out.jsonl");
/// let (mut mask, _) = MaskFile::begin(&out, MaskFormat::from_path(&out), &asking, "FooBot", false)?;
/// Run::new(&inputs, &gate, 1).each(
///     |document, gate_rules| asking.page(document, &gate_rules, &filter),
///     |outcome, cursor| mask.add(asking.answer(outcome), || cursor.keep(&inputs)),
/// )?;
/// mask.finish()?;
/// assert!(std::fs::read_to_string(out)?.contains(r#""allow":{"train":true}"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct MaskFile {
    form: MaskFormat,
    is_packed: bool,
    to: PathBuf,
    asking: MaskQuestions,
    /// The open file `OUT.part`, which contains the unfinished mask. Groups are appended to it.
    /// `None` if the mask is a folder.
    part: Option<File>,
    waiting: Vec<MaskAnswer>,
    most: usize,
    state: FileState,
    evidence: Option<Evidence>,
}

impl MaskFile {
    /// Begins a mask at the path `to`. If `resume` is true, resumes the unfinished mask at this
    /// path, if there is one. `terms` must contain all settings that decide the answers.
    ///
    /// Returns the mask, and the cursor at which the last run over the same inputs stopped. The
    /// cursor is `None` if the mask is new.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Io`] if the file or folder cannot be read or written. Fails with
    /// [`ErrorKind::Setting`] in these cases:
    ///
    /// - The folder of a new mask is not empty.
    /// - Another run writes the mask.
    /// - The last run had other `terms`.
    pub fn begin(
        to: &Path,
        form: MaskFormat,
        asking: &MaskQuestions,
        terms: &str,
        resume: bool,
    ) -> Result<(Self, Option<String>)> {
        let is_packed =
            to.extension().is_some_and(|ending| ending == "gz") && form != MaskFormat::Compact;
        let mut mask = Self {
            form,
            is_packed,
            to: to.to_owned(),
            asking: asking.clone(),
            part: None,
            waiting: Vec::new(),
            most: if matches!(form, MaskFormat::Lines | MaskFormat::Tsv) {
                10_000
            } else {
                50_000
            },
            state: FileState {
                version: VERSION,
                terms: format!("{LAW} {form} {terms}"),
                ..FileState::default()
            },
            evidence: None,
        };
        let kept = if resume { mask.kept()? } else { None };
        let is_new = kept.is_none();
        mask.state = kept.unwrap_or(mask.state);
        mask.open(is_new)?;
        let cursor = mask.state.cursor.clone();
        Ok((mask, cursor))
    }

    /// Sets the number of answers in a group. The mask is written in groups, and the answers of a
    /// group stay in memory until the group is written. The default is 10,000 answers for JSON
    /// Lines and tab-separated values, and 50,000 for the other formats.
    pub fn grouped(mut self, answers: usize) -> Self {
        self.most = answers.max(1);
        self
    }

    /// Makes the mask also append evidence of each answer to a log in `folder`. This folder may
    /// contain evidence of earlier masks. `filter` is the filter that judges the pages.
    ///
    /// A run may be killed while it writes a group. The next run then adds the answers of this
    /// group to the log a second time.
    ///
    /// # Errors
    /// Fails if the folder cannot be written, or if it contains anything other than an evidence
    /// log.
    pub fn evidence(mut self, folder: &Path, filter: &Filter) -> Result<Self> {
        self.evidence = Some(Evidence::open_for_masks(folder, &Terms::each(filter)?)?);
        Ok(self)
    }

    /// Returns the number of answers in the mask. Answers that earlier runs added are included.
    pub fn answers(&self) -> u64 {
        self.state.answers + self.waiting.len() as u64
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.to.clone().into_os_string();
        name.push(ending);
        name.into()
    }

    fn kept(&self) -> Result<Option<FileState>> {
        let path = self.beside(".state");
        // A complete mask without a part was finished, so there is nothing to resume.
        if self.form != MaskFormat::Parquet && self.to.exists() && !self.beside(".part").exists() {
            return Ok(None);
        }
        new_file::check(&path).map_err(failed(&path))?;
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(&path)(error)),
        };
        let again = "run without --resume to begin anew";
        let Ok(kept) = serde_json::from_str::<FileState>(&text) else {
            let message = format!("{} cannot be read: {again}", path.display());
            return Err(Error::setting(message));
        };
        if (kept.version, &kept.terms) != (VERSION, &self.state.terms) {
            let message = format!(
                "{}: the last run asked for something else: {again}",
                path.display()
            );
            return Err(Error::setting(message));
        }
        Ok(Some(kept))
    }

    fn open(&mut self, is_new: bool) -> Result<()> {
        if self.form == MaskFormat::Parquet {
            fs::create_dir_all(&self.to).map_err(failed(&self.to))?;
            // A folder that is refused keeps its state, so it can still be resumed.
            self.sweep(is_new)?;
            // A folder has no `.part` file, so only its state shows that it is incomplete.
            return if is_new { self.keep() } else { Ok(()) };
        }
        let found = new_file::check(&self.to);
        if !found.is_ok_and(|found| found.is_none_or(|found| found.is_file())) {
            return Err(Error::setting(format!(
                "{} is no file, so a mask cannot take its place",
                self.to.display()
            )));
        }
        let path = self.beside(".part");
        let mut part = new_file::open_own(&path).map_err(failed(&path))?;
        if let Err(fs::TryLockError::WouldBlock) = part.try_lock() {
            return Err(Error::setting(format!(
                "{}: another run is writing it",
                path.display()
            )));
        }
        if is_new {
            remove(&self.beside(".state"))?;
        }
        let length = part.metadata().map_err(failed(&path))?.len();
        if length < self.state.bytes {
            let message = format!(
                "{} is shorter than it was: run without --resume to begin anew",
                path.display()
            );
            return Err(Error::setting(message));
        }
        part.set_len(self.state.bytes).map_err(failed(&path))?;
        part.seek(SeekFrom::End(0)).map_err(failed(&path))?;
        self.part = Some(part);
        if is_new && self.form == MaskFormat::Tsv {
            let head = tsv::head(self.asking.uses, &self.asking.bots, self.asking.parts);
            self.append(head.as_bytes())?;
        }
        Ok(())
    }

    /// Removes the files of unrecorded groups from the folder of the mask. A group is unrecorded if
    /// the stored state of the mask ([`FileState::files`]) does not count it. Fails if the folder
    /// contains other files. Also fails if the mask is new and the folder is not empty.
    fn sweep(&self, is_new: bool) -> Result<()> {
        for entry in fs::read_dir(&self.to).map_err(failed(&self.to))? {
            let path = entry.map_err(failed(&self.to))?.path();
            match group_number(&path) {
                Some(number) if !is_new && number <= self.state.files => {}
                Some(_) if !is_new => remove(&path)?,
                _ => {
                    return Err(Error::setting(format!(
                        "{} is not empty",
                        self.to.display()
                    )));
                }
            }
        }
        Ok(())
    }

    /// Adds the answer for the next record to the mask. If this answer completes a group, the group
    /// is written. Only then `cursor` is called, which returns the stored form of the cursor after
    /// this record.
    ///
    /// # Errors
    /// Fails if a group of answers or its evidence cannot be written.
    pub fn add(
        &mut self,
        answer: MaskAnswer,
        cursor: impl FnOnce() -> Option<String>,
    ) -> Result<()> {
        self.waiting.push(answer);
        if self.waiting.len() >= self.most {
            self.group(cursor())
        } else {
            Ok(())
        }
    }

    /// Writes the buffered answers as a group of the mask. `cursor` is the position in the inputs
    /// after the group.
    fn group(&mut self, cursor: Option<String>) -> Result<()> {
        let answers = std::mem::take(&mut self.waiting);
        // Evidence is written first, so that no answer of the mask lacks it.
        if let Some(evidence) = &mut self.evidence {
            evidence.record(
                answers.iter().filter_map(MaskAnswer::decided),
                SystemTime::now(),
            )?;
        }
        let uses = self.asking.uses;
        match self.form {
            MaskFormat::Lines => {
                let mut lines = String::new();
                for answer in &answers {
                    lines += &answer.line();
                    lines.push('\n');
                }
                self.append(lines.as_bytes())?;
            }
            MaskFormat::Tsv => {
                let mut lines = String::new();
                for answer in &answers {
                    lines += &tsv::line(answer, uses, self.asking.parts);
                }
                self.append(lines.as_bytes())?;
            }
            MaskFormat::Compact => {
                let group = compact::group(&answers, self.state.answers, uses);
                self.append(&group.map_err(failed(&self.to))?)?;
            }
            MaskFormat::Parquet => self.table(&answers)?,
        }
        self.state.answers += answers.len() as u64;
        self.state.cursor = cursor;
        // A state without a cursor would make the next run repeat all answers.
        if self.state.cursor.is_some() {
            self.keep()
        } else {
            Ok(())
        }
    }

    fn table(&mut self, answers: &[MaskAnswer]) -> Result<()> {
        let path = self
            .to
            .join(format!("mask-{:06}.parquet", self.state.files + 1));
        let part = path.with_extension("part");
        remove(&part)?;
        table::write(answers, self.asking.uses, &part)?;
        fs::rename(&part, &path).map_err(failed(&path))?;
        self.state.files += 1;
        Ok(())
    }

    /// Appends bytes to the file `OUT.part` and syncs this file.
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        let path = self.beside(".part");
        let Some(part) = &mut self.part else {
            return Ok(());
        };
        let length = write_synced(part, bytes, self.is_packed).map_err(failed(&path))?;
        self.state.bytes += length;
        Ok(())
    }

    fn keep(&self) -> Result<()> {
        let path = self.beside(".state");
        let text = serde_json::to_vec(&self.state).unwrap_or_default();
        let mut file = NewFile::create(&path).map_err(failed(&path))?;
        let written = file.write_all(&text).and_then(|()| file.finish_synced());
        written.map_err(failed(&path))
    }

    /// Ends writing, but leaves the mask unfinished, so that another run can resume it.
    ///
    /// If the format is uncompressed JSON Lines or tab-separated values, the buffered answers are
    /// written. The next run then begins at `cursor`. In all other formats, the buffered answers
    /// are dropped, since they do not fill a group. The next run computes these answers again. So
    /// the mask has the same groups as without an interruption.
    ///
    /// # Errors
    /// Fails if the buffered answers or their evidence cannot be written.
    ///
    /// ```
    /// use heedful::{Bot, Filter, Uses};
    /// use heedful_run::mask::{MaskFile, MaskFormat, MaskQuestions};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let out = folder.path().join("out.jsonl");
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let asking = MaskQuestions::new(Uses::parse_names("train")?, &filter);
    /// let begin = || MaskFile::begin(&out, MaskFormat::Lines, &asking, "FooBot", true);
    ///
    /// let (mut mask, _) = begin()?;
    /// mask.add(asking.unknown("a torn line"), || None)?;
    /// mask.leave(Some("after line 1".to_owned()))?;
    /// let (mask, cursor) = begin()?;
    /// assert_eq!(cursor.as_deref(), Some("after line 1"));
    /// assert_eq!(mask.finish()?, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn leave(mut self, cursor: Option<String>) -> Result<()> {
        let is_plain = matches!(self.form, MaskFormat::Lines | MaskFormat::Tsv) && !self.is_packed;
        if is_plain { self.group(cursor) } else { Ok(()) }
    }

    /// Writes the buffered answers, and moves the mask to its final path. Returns the number of all
    /// answers in the mask.
    ///
    /// # Errors
    /// Fails if the last group, its evidence or the final file cannot be written.
    pub fn finish(mut self) -> Result<u64> {
        if !self.waiting.is_empty() || self.state.answers == 0 {
            self.group(None)?;
        }
        // A state without its part could not be resumed, so the state is removed first.
        remove(&self.beside(".state"))?;
        if self.form != MaskFormat::Parquet {
            fs::rename(self.beside(".part"), &self.to).map_err(failed(&self.to))?;
        }
        let folder = match self.to.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let opened = File::open(folder).map_err(failed(folder))?;
        opened.sync_all().map_err(failed(folder))?;
        Ok(self.state.answers)
    }
}

/// Returns the number of the group that a file in a mask's folder contains. Returns `None` if the
/// file's name is not that of a group.
fn group_number(path: &Path) -> Option<u64> {
    let name = path.file_name()?.to_string_lossy();
    name.strip_prefix("mask-")?.get(..6)?.parse().ok()
}

/// Writes bytes to a file and syncs it to disk. The bytes are compressed with gzip if `is_packed`
/// is true. Returns by how many bytes the file grew.
fn write_synced(file: &mut File, bytes: &[u8], is_packed: bool) -> io::Result<u64> {
    let length = if is_packed {
        let mut packer = GzEncoder::new(Vec::new(), Compression::default());
        packer.write_all(bytes)?;
        let packed = packer.finish()?;
        file.write_all(&packed)?;
        packed.len()
    } else {
        file.write_all(bytes)?;
        bytes.len()
    };
    file.sync_data()?;
    Ok(length as u64)
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(path)(error)),
        _ => Ok(()),
    }
}

fn failed(path: &Path) -> impl Fn(io::Error) -> Error + '_ {
    move |source| {
        ErrorKind::Io {
            subject: path.display().to_string(),
            source,
        }
        .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heedful::{Bot, Filter, Uses};

    #[test]
    fn a_folder_without_a_whole_group_is_resumed() {
        let home = tempfile::tempdir().unwrap();
        let to = home.path().join("out.parquet");
        let asking = MaskQuestions::new(
            Uses::parse_names("train").unwrap(),
            &Filter::new(Bot::new("FooBot").unwrap()),
        );
        let begin = |resume| MaskFile::begin(&to, MaskFormat::Parquet, &asking, "", resume);
        drop(begin(false).unwrap());
        new_file::write(&to.join("mask-000001.part"), "torn").unwrap();
        assert!(
            begin(false)
                .unwrap_err()
                .to_string()
                .contains("is not empty")
        );
        let (mut mask, cursor) = begin(true).unwrap();
        assert_eq!(cursor, None);
        mask.add(asking.unknown("why"), || None).unwrap();
        assert_eq!(mask.finish().unwrap(), 1);
        let names: Vec<_> = fs::read_dir(&to)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, ["mask-000001.parquet"]);
        assert!(!home.path().join("out.parquet.state").exists());
    }
}
