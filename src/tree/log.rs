//! Log of the steps from which a page's tree is built, until the tree is needed.
//!
//! The log stores steps instead of the page, since they are shorter and need no second tokenizing.

use crate::html::Tag;
use crate::lex::{Attribute, Attributes, Token};
use heedful_base::error::Result;

use super::step::{Step, StepKind, Steps};

#[derive(Debug, Default)]
pub(crate) struct TagLog {
    steps: Steps,
    entries: Vec<LogEntry>,
    /// Texts of all log entries, concatenated without separators.
    text: String,
    attributes: Vec<Attribute>,
}

/// Entry of the log: a step, or the attributes of the start tag in the next entry. The buffers of
/// [`TagLog`] have the data of all entries, and an entry has only the lengths of its own data. A
/// length fits into 32 bits, since the length of tags is limited. The name of a known tag is not
/// stored as text.
#[derive(Clone, Copy, Debug)]
enum LogEntry {
    Step(StepKind, Tag, u32),
    Attributes(u32, u32),
}

fn short(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

impl TagLog {
    /// Returns the approximate memory in bytes that the log takes.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len() + size_of_val(&self.entries[..]) + size_of_val(&self.attributes[..])
    }

    #[inline]
    pub(crate) fn token(&mut self, token: &Token<'_>) {
        let Step {
            kind,
            text,
            tag,
            attributes,
        } = self.steps.step(token, false);
        if !attributes.places.is_empty() {
            self.entries.push(LogEntry::Attributes(
                short(attributes.places.len()),
                short(attributes.tag.len()),
            ));
            self.text.push_str(attributes.tag);
            self.attributes.extend_from_slice(attributes.places);
        }
        let text = if tag == Tag::UNKNOWN { text } else { "" };
        self.entries
            .push(LogEntry::Step(kind, tag, short(text.len())));
        if !text.is_empty() {
            self.text.push_str(text);
        }
    }

    /// Calls `take` with all steps of the log, in order. Returns the converter that makes steps
    /// from the tokens after the log.
    pub(super) fn replay(self, mut take: impl FnMut(&Step<'_>) -> Result<()>) -> Result<Steps> {
        let mut text = &self.text[..];
        let mut places = &self.attributes[..];
        let mut next = |length: u32| {
            let (next, rest) = text.split_at(length as usize);
            text = rest;
            next
        };
        let mut attributes = Attributes::NONE;
        for entry in &self.entries {
            match *entry {
                LogEntry::Attributes(count, length) => {
                    let (of_tag, rest) = places.split_at(count as usize);
                    places = rest;
                    attributes = Attributes {
                        tag: next(length),
                        places: of_tag,
                    };
                }
                LogEntry::Step(kind, tag, length) => {
                    let text = if tag == Tag::UNKNOWN {
                        next(length)
                    } else {
                        tag.name()
                    };
                    take(&Step {
                        kind,
                        text,
                        tag,
                        attributes,
                    })?;
                    attributes = Attributes::NONE;
                }
            }
        }
        Ok(self.steps)
    }
}
