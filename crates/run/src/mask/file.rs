//! A mask on disk, while it is written: in groups, so that a run that was killed can go on.
//!
//! The file `OUT.part` becomes `OUT` at the end, so `OUT` is whole or not there. A group is written
//! and synced, then `OUT.state` is renamed into place: it states how much of the part is whole, and
//! from where to read on. The rest of the part is cut off by the next run. A mask in
//! Parquet is a folder, with a file for each group that is there whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use heedful::{Filter, LAW};
use heedful_base::built;
use heedful_base::error::{Error, ErrorKind, Result};
use heedful_evidence::Evidence;
use heedful_index::Terms;

use super::answer::MaskAnswer;
use super::asking::MaskQuestions;
use super::form::MaskFormat;
use super::{compact, table, tsv};

/// The version of the state's form.
const VERSION: u32 = 1;

/// What is known of a mask that is not finished.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct FileState {
    version: u32,
    /// The terms of the run: another run is no continuation.
    terms: String,
    /// Where to read on.
    cursor: Option<String>,
    answers: u64,
    /// The bytes of the part that are whole.
    bytes: u64,
    /// The files of a folder that are whole.
    files: u64,
}

/// A mask that is being written.
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
    /// The part, unless the mask is a folder.
    part: Option<File>,
    waiting: Vec<MaskAnswer>,
    most: usize,
    state: FileState,
    evidence: Option<Evidence>,
}

impl MaskFile {
    /// Begins a mask, or goes on with one. `terms` has all that decides the answers. Returns the
    /// cursor at which the last run over the same inputs stopped; None if nothing of it is there.
    ///
    /// # Errors
    /// Fails if the file or folder cannot be written; if a folder holds something already; and if
    /// the last run had other terms.
    pub fn begin(
        to: &Path,
        form: MaskFormat,
        asking: &MaskQuestions,
        terms: &str,
        resume: bool,
    ) -> Result<(Self, Option<String>)> {
        if form == MaskFormat::Parquet && !table::IS_BUILT {
            return Err(Error::setting(built::without_parquet()));
        }
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

    /// Sets the answers of a group. They are held in memory until the group is written. The default
    /// is 10,000 for lines, and 50,000 for the other forms.
    pub fn grouped(mut self, answers: usize) -> Self {
        self.most = answers.max(1);
        self
    }

    /// Keeps evidence of each answer in this folder, after that of earlier masks. `filter` is the
    /// one that judges. The answers of a group that a killed run did not finish are in the evidence
    /// once more.
    ///
    /// # Errors
    /// Fails if the folder cannot be written, or holds something else.
    pub fn evidence(mut self, folder: &Path, filter: &Filter) -> Result<Self> {
        self.evidence = Some(Evidence::open_for_masks(folder, &Terms::each(filter)?)?);
        Ok(self)
    }

    /// The answers that were written, by this run and those before it.
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
        // A run that was killed at its very end left a whole mask.
        if self.form != MaskFormat::Parquet && self.to.exists() && !self.beside(".part").exists() {
            return Ok(None);
        }
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
            // A folder that is refused may still be resumed.
            self.sweep(is_new)?;
            // A folder is no part: only its state tells that what is in it is not whole.
            return if is_new { self.keep() } else { Ok(()) };
        }
        if fs::metadata(&self.to).is_ok_and(|there| !there.is_file()) {
            return Err(Error::setting(format!(
                "{} is no file, so a mask cannot take its place",
                self.to.display()
            )));
        }
        let path = self.beside(".part");
        let mut part = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(failed(&path))?;
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

    /// Removes the files of a folder that the state does not name. A folder with anything else is
    /// refused.
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

    /// Adds an answer. `cursor` returns the place after it; it is called at the end of a
    /// group.
    ///
    /// # Errors
    /// Fails if a group cannot be written.
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

    /// Writes the waiting answers as a group, from which `cursor` reads on.
    fn group(&mut self, cursor: Option<String>) -> Result<()> {
        let answers = std::mem::take(&mut self.waiting);
        // The evidence comes first: an answer without it is never there.
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
        // Without a place to read on from, a run that goes on would answer everything once more.
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
        table::write(answers, self.asking.uses, &part)?;
        fs::rename(&part, &path).map_err(failed(&path))?;
        self.state.files += 1;
        Ok(())
    }

    /// Appends bytes to the part, synced.
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
        replace(&path, &self.beside(".state.next"), &text).map_err(failed(&path))
    }

    /// Leaves the mask unfinished, to be resumed at this cursor. Where the bytes depend on how
    /// answers are grouped, a group that is not full is not written: it is answered again.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn leave(mut self, cursor: Option<String>) -> Result<()> {
        let is_plain = matches!(self.form, MaskFormat::Lines | MaskFormat::Tsv) && !self.is_packed;
        if is_plain { self.group(cursor) } else { Ok(()) }
    }

    /// Writes the waiting answers, and puts the mask into its place. Returns the number of answers.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn finish(mut self) -> Result<u64> {
        if !self.waiting.is_empty() || self.state.answers == 0 {
            self.group(None)?;
        }
        // A state without its part could not be resumed, so it goes first.
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

/// The number of the group that a file of a folder has, by its name.
fn group_number(path: &Path) -> Option<u64> {
    let name = path.file_name()?.to_string_lossy();
    name.strip_prefix("mask-")?.get(..6)?.parse().ok()
}

/// Writes bytes, packed if that is wanted, and waits until the disk has them. Returns their number.
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

/// Writes a file at another path first, and moves it to its own.
fn replace(path: &Path, next: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = File::create(next)?;
    file.write_all(text)?;
    file.sync_data()?;
    fs::rename(next, path)
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
            what: path.display().to_string(),
            source,
        }
        .into()
    }
}

#[cfg(all(test, feature = "parquet"))]
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
        fs::write(to.join("mask-000001.part"), "torn").unwrap();
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
