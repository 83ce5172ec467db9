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
    input: usize,
    /// The input's name and size; none when the run came to its end.
    at: Option<(String, u64)>,
    /// A hash of the inputs before it.
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

    /// As a text to be kept. None where something comes from a pipe: it cannot be asked for the same again, and what it says
    /// of sites is for all inputs.
    pub fn keep(&self, inputs: &[Input]) -> Option<String> {
        if inputs.iter().any(Input::is_stream) {
            return None;
        }
        let at = inputs.get(self.input).map(|input| (input.name().to_owned(), input.size()));
        let before = hash(&inputs[..self.input.min(inputs.len())]);
        serde_json::to_string(&Kept { input: self.input, at, before, position: self.position.clone() }).ok()
    }

    /// From what was kept. Where a run over other inputs came to its end, this one begins.
    ///
    /// # Errors
    /// When these are not the inputs of the run that was broken off.
    pub fn resume(text: &str, inputs: &[Input]) -> Result<Self> {
        let kept: Kept = serde_json::from_str(text)
            .map_err(|_| Error::setting("how far the last run came cannot be read: leave out --resume"))?;
        let Some((name, size)) = kept.at else {
            return Ok(if kept.before == hash(inputs) { Self::end(inputs) } else { Self::default() });
        };
        // What has grown since is read on.
        let is_there = |input: &&Input| input.name() == name && input.size() >= size;
        let is_same = inputs.get(kept.input).filter(is_there).is_some() && hash(&inputs[..kept.input]) == kept.before;
        if is_same {
            return Ok(Self { input: kept.input, position: kept.position });
        }
        let message = format!(
            "the run to be resumed was broken off in {name}: give the same inputs, unchanged and in the same order, or \
             leave out --resume to index all anew"
        );
        Err(ErrorKind::Input(message).into())
    }

    /// Where it is, for people.
    pub fn place(&self, inputs: &[Input]) -> String {
        let name = inputs.get(self.input).map_or("the end", Input::name);
        if self.is_end(inputs) { name.to_owned() } else { format!("{name} {}", self.position) }
    }
}

/// Of names, sizes and times: what was replaced is another input.
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
