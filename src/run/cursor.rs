//! How far a run has come, and how an index keeps that: which input, where in it, and which inputs came before.

use std::hash::Hasher;

use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher13;

use crate::error::{Error, ErrorKind, Result};
use crate::input::{Input, Position};

/// A place between two records of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// The number of the input; how many there are at the end.
    pub(super) input: usize,
    pub(super) position: Position,
}

/// The same, so that it can be found again.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// The input's name; none when the run came to its end.
    name: Option<String>,
    /// A hash of the names before it.
    before: u64,
    position: Position,
}

impl Cursor {
    /// The end of a run over these inputs.
    pub fn end(inputs: &[Input]) -> Self {
        Self { input: inputs.len(), position: Position::default() }
    }

    /// Whether nothing is left of these inputs.
    pub fn is_end(&self, inputs: &[Input]) -> bool {
        self.input >= inputs.len()
    }

    /// As a text to be kept.
    pub fn keep(&self, inputs: &[Input]) -> String {
        let name = inputs.get(self.input).map(|input| input.name().to_owned());
        let before = hash(&inputs[..self.input.min(inputs.len())]);
        serde_json::to_string(&Kept { name, before, position: self.position.clone() }).unwrap_or_default()
    }

    /// From what was kept. Where a run over other inputs came to its end, this one begins.
    ///
    /// # Errors
    /// When these are not the inputs of the run that was broken off.
    pub fn resume(text: &str, inputs: &[Input]) -> Result<Self> {
        let kept: Kept = serde_json::from_str(text)
            .map_err(|_| Error::setting("how far the last run came cannot be read: leave out --resume"))?;
        let Some(name) = kept.name else {
            return Ok(if kept.before == hash(inputs) { Self::end(inputs) } else { Self::default() });
        };
        let found = inputs.iter().position(|input| input.name() == name);
        match found.filter(|input| hash(&inputs[..*input]) == kept.before) {
            // A pipe comes from its beginning, and may hold robots.txt files for what is behind.
            Some(input) if inputs[input].is_stream() => Ok(Self { input, position: Position::default() }),
            Some(input) => Ok(Self { input, position: kept.position }),
            None => {
                let message = format!(
                    "the run to be resumed was broken off in {name}: give the same inputs in the same order, or leave \
                     out --resume to index all anew"
                );
                Err(ErrorKind::Input(message).into())
            }
        }
    }

    /// Where it is, for people.
    pub fn place(&self, inputs: &[Input]) -> String {
        let name = inputs.get(self.input).map_or("the end", Input::name);
        if self.is_end(inputs) { name.to_owned() } else { format!("{name} {}", self.position) }
    }
}

fn hash(inputs: &[Input]) -> u64 {
    let mut hasher = SipHasher13::new();
    for input in inputs {
        hasher.write(input.name().as_bytes());
        hasher.write_u8(0xFF);
    }
    hasher.finish()
}
