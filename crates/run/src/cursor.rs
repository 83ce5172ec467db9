//! How far a run has come, in a form that an index can store. It has the input, the place in it,
//! and the inputs before it.

use std::hash::Hasher;

use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher13;

use heedful_base::error::{Error, ErrorKind, Result};
use heedful_input::{Input, Position};

/// A place between two records of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// The number of the input; at the end, the number of inputs.
    pub(super) input: usize,
    pub(super) position: Position,
}

/// A cursor as it is stored, so that the place can be found again.
#[derive(Serialize, Deserialize)]
struct SavedCursor {
    input: usize,
    /// The name and size of the input; None if the run reached its end.
    at: Option<(String, u64)>,
    /// When the input was last changed.
    #[serde(default)]
    modified: Option<u64>,
    /// A hash of the inputs before it.
    before: u64,
    position: Position,
}

impl SavedCursor {
    /// True unless the input was changed since.
    fn has_time_of(&self, input: &Input) -> bool {
        self.modified
            .is_none_or(|modified| modified == input.modified())
    }
}

impl Cursor {
    /// The end of a run over these inputs.
    pub fn end(inputs: &[Input]) -> Self {
        Self {
            input: inputs.len(),
            position: Position::default(),
        }
    }

    /// The number of the input, from 0; at the end, the number of inputs.
    pub fn input(&self) -> usize {
        self.input
    }

    /// Returns true if nothing is left of these inputs.
    pub fn is_end(&self, inputs: &[Input]) -> bool {
        self.input >= inputs.len()
    }

    /// The cursor as text, to be stored. Returns None if any input is a pipe. A pipe cannot be read
    /// again, and its robots.txt files apply to all inputs.
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

    /// Reads a stored cursor. If a run over other inputs reached its end, this one starts at the
    /// beginning.
    ///
    /// # Errors
    /// When these are not the inputs of the interrupted run.
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
        // An input that has grown since is read on. Another one of the same size is not.
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

    /// The place, for people.
    pub fn place(&self, inputs: &[Input]) -> String {
        let name = inputs.get(self.input).map_or("the end", Input::name);
        if self.is_end(inputs) {
            name.to_owned()
        } else {
            format!("{name} {}", self.position)
        }
    }
}

/// A hash of names, sizes and times: a file that was replaced is another input.
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
