//! The position of a run in its inputs, in a form that an index or a mask can store.
//!
//! A stored cursor has the name of the input, the position in that input, and a hash of the inputs
//! before it. So a run can only be resumed over the inputs with which it began. A run over a pipe
//! cannot be resumed.

use std::hash::Hasher;

use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher13;

use heedful_base::error::{Error, ErrorKind, Result};
use heedful_input::{Input, Position};

/// A position between two records of the inputs of a run. Another run can start there.
///
/// ```
/// use heedful_input::Inputs;
/// use heedful_run::Cursor;
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("crawl.jsonl");
/// std::fs::write(&file, r#"{"url":"https://site.example/rye","html":"<p>Rye"}"#)?;
/// let inputs = Inputs::default().open(&[&file])?;
///
/// let stored = Cursor::default().keep(&inputs).unwrap();
/// assert_eq!(Cursor::resume(&stored, &inputs)?, Cursor::default());
/// assert!(!Cursor::default().is_end(&inputs) && Cursor::end(&inputs).is_end(&inputs));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Index of the current input in the list of inputs, from 0. After the last record it is the
    /// number of inputs.
    pub(super) input: usize,
    pub(super) position: Position,
}

/// Stored form of a [`Cursor`]. It also describes the inputs of the run. A resumed run checks that
/// its own inputs are the same.
#[derive(Serialize, Deserialize)]
struct SavedCursor {
    input: usize,
    /// Name of the input in which the run stopped, and its size in bytes. `None` if the run had
    /// read all inputs.
    at: Option<(String, u64)>,
    /// Modification time of the input in which the run stopped, in seconds since 1970. When the run
    /// is resumed, the input must have grown, or still have this time. `None` if no time was
    /// stored.
    #[serde(default)]
    modified: Option<u64>,
    /// Hash of the inputs before the input in which the run stopped. It covers the names, sizes and
    /// modification times of these inputs.
    before: u64,
    position: Position,
}

impl SavedCursor {
    /// True if the stored modification time is that of `input`. Also true if no time was stored.
    fn has_time_of(&self, input: &Input) -> bool {
        self.modified
            .is_none_or(|modified| modified == input.modified())
    }
}

impl Cursor {
    /// Returns the cursor after the last record of the last of these inputs.
    pub fn end(inputs: &[Input]) -> Self {
        Self {
            input: inputs.len(),
            position: Position::default(),
        }
    }

    /// Returns the index of the current input in the list of inputs, from 0. After the last record
    /// it is the number of inputs.
    pub fn input(&self) -> usize {
        self.input
    }

    /// True if `inputs` have no record after the cursor.
    pub fn is_end(&self, inputs: &[Input]) -> bool {
        self.input >= inputs.len()
    }

    /// Formats the cursor as a text that [`Cursor::resume`] can parse. Returns `None` if any input
    /// is a pipe. A resumed run could not read the pipe again. It would lack the pipe's robots.txt
    /// files, which also apply to other inputs.
    pub fn keep(&self, inputs: &[Input]) -> Option<String> {
        if inputs.iter().any(Input::is_stream) {
            return None;
        }
        let at = inputs
            .get(self.input)
            .map(|input| (input.name().to_owned(), input.size()));
        let modified = inputs.get(self.input).map(Input::modified);
        let before = hash(&inputs[..self.input.min(inputs.len())]);
        let kept = SavedCursor {
            input: self.input,
            at,
            modified,
            before,
            position: self.position.clone(),
        };
        serde_json::to_string(&kept).ok()
    }

    /// Parses a stored cursor, and checks that `inputs` are the inputs of the stored run.
    ///
    /// If the stored run had read all of its inputs, other inputs are accepted too. If `inputs` are
    /// the same, the result is their end. If `inputs` differ, the result is their beginning.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Setting`] if the text is not a stored cursor. Fails with
    /// [`ErrorKind::Input`] if the stored run stopped within an input that is now missing,
    /// replaced, or at another position in the list. This error also occurs if an input before it
    /// has changed.
    pub fn resume(text: &str, inputs: &[Input]) -> Result<Self> {
        let kept: SavedCursor = serde_json::from_str(text).map_err(|_| {
            Error::setting(
                "the stored position of the last run cannot be read: run without --resume",
            )
        })?;
        let Some((name, size)) = &kept.at else {
            return Ok(if kept.before == hash(inputs) {
                Self::end(inputs)
            } else {
                Self::default()
            });
        };
        // A file that has grown since is continued. A changed file of the same size is another
        // input.
        if let Some(input) = inputs.get(kept.input)
            && input.name() == *name
            && (input.size() > *size || input.size() == *size && kept.has_time_of(input))
            && hash(&inputs[..kept.input]) == kept.before
        {
            return Ok(Self {
                input: kept.input,
                position: kept.position,
            });
        }
        let message = format!(
            "the run to resume was interrupted in {name}: give the same inputs, unchanged and in the same order, or run \
             without --resume to index everything again"
        );
        Err(ErrorKind::Input(message).into())
    }

    /// Formats the cursor for messages: the name of the input, and the position in it.
    pub fn place(&self, inputs: &[Input]) -> String {
        let name = inputs.get(self.input).map_or("the end", Input::name);
        if self.is_end(inputs) {
            name.to_owned()
        } else {
            format!("{name} {}", self.position)
        }
    }
}

/// Returns a hash of the names, sizes and modification times of inputs. It changes if one of the
/// files is replaced.
fn hash(inputs: &[Input]) -> u64 {
    let mut hasher = SipHasher13::new();
    for input in inputs {
        hasher.write(input.name().as_bytes());
        hasher.write_u8(0xFF);
        hasher.write_u64(input.size());
        hasher.write_u64(input.modified());
    }
    hasher.finish()
}
