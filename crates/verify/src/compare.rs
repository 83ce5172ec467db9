//! Compares the verdicts of the streaming filter with those of the finished tree, for each
//! character and link of a page.

use crate::oracle::{ItemKind, OracleField, OracleTree};
use heedful::{Use, Verdict};
use heedful_base::bot::BotSet;

use super::difference::{Comparison, Mismatch, counted_characters};
use super::recording::{RecordedItem, VerdictRecording};

/// For each use, the bots to which the use is denied. The position in the array is the index of the
/// use.
type DeniedBots = [BotSet; Use::COUNT];

/// The characters and link targets of one reading of a page, for a comparison with another reading.
/// Each character or target is paired with an index into `parts`. The entry there is the text or
/// link that contains the character or target.
struct ReadingSide {
    characters: Vec<(char, usize)>,
    links: Vec<(String, usize)>,
    parts: Vec<ReadItem>,
}

/// Verdict of one reading on a text or a link, and the field of the page that contains the text or
/// link.
#[derive(Clone, Copy)]
struct ReadItem {
    denied: DeniedBots,
    field: OracleField,
    inside: [bool; 2],
    /// True if the finished tree contains the text, or the element of the link.
    is_placed: bool,
}

impl ReadItem {
    /// True if a person who views the page sees the text or link. False for the content of a
    /// template or a script, for example.
    fn is_visible(&self) -> bool {
        self.field != OracleField::Nowhere
    }
}

/// Uses whose denials are compared for a text. [`OF_LINK`] has the uses for a link.
const OF_TEXT: [Use; 7] = [
    Use::Index,
    Use::Anchor,
    Use::Snippet,
    Use::Archive,
    Use::Translate,
    Use::Train,
    Use::Input,
];
const OF_LINK: [Use; 2] = [Use::Follow, Use::Anchor];

pub(super) fn compare(stream: &VerdictRecording, tree: &OracleTree) -> Comparison {
    let ours = ReadingSide::new(stream.items.iter().map(|recorded| {
        let part = ReadItem {
            denied: recorded.denied,
            field: recorded.field,
            inside: recorded.inside,
            is_placed: true,
        };
        (recorded.text.as_str(), recorded.is_link, part)
    }));
    let page = Verdict::from_directives(tree.numbered());
    let theirs = ReadingSide::new(tree.items.iter().map(|item| {
        let denied = Use::ALL.map(|usage| item.verdict.denied(usage).or(page.denied(usage)));
        let part = ReadItem {
            denied,
            field: item.field(),
            inside: [false; 2],
            is_placed: item.is_placed,
        };
        match &item.kind {
            ItemKind::Text {
                text,
                is_heading,
                link,
                ..
            } => (
                text.as_str(),
                false,
                ReadItem {
                    inside: [*is_heading, *link > 0],
                    ..part
                },
            ),
            ItemKind::Link { target, .. } => (target.as_str(), true, part),
        }
    }));
    let mut comparison = Comparison {
        same_characters: true,
        ..Comparison::default()
    };
    for (_, part) in &theirs.characters {
        let part = &theirs.parts[*part];
        if part.is_visible() {
            comparison.characters += 1;
            let is_denied = part.denied[Use::Index as usize] != BotSet::NONE;
            comparison.withheld += usize::from(is_denied);
        }
    }
    if let Some((at, message)) = ours.first_difference(&theirs) {
        comparison.same_characters = false;
        let unlike = match stream.items.get(at) {
            Some(recorded) => difference(recorded, Use::Index, message),
            None => Mismatch::of_reading(message),
        };
        comparison.leaks.push(unlike);
        return comparison;
    }
    let mut differences = Differences {
        stream,
        last: None,
        found: &mut comparison,
    };
    for ((character, mine), (_, other)) in ours.characters.iter().zip(&theirs.characters) {
        differences.note(
            (*mine, &ours.parts[*mine]),
            &theirs.parts[*other],
            Some(*character),
            &OF_TEXT,
        );
    }
    for ((_, mine), (_, other)) in ours.links.iter().zip(&theirs.links) {
        differences.note(
            (*mine, &ours.parts[*mine]),
            &theirs.parts[*other],
            None,
            &OF_LINK,
        );
    }
    comparison
}

impl ReadingSide {
    fn new<'a>(items: impl Iterator<Item = (&'a str, bool, ReadItem)>) -> Self {
        let mut side = Self {
            characters: Vec::new(),
            links: Vec::new(),
            parts: Vec::new(),
        };
        for (number, (text, is_link, part)) in items.enumerate() {
            side.parts.push(part);
            if is_link {
                side.links
                    .push((text.replace(['\u{FFFD}', '\r', '\n'], ""), number));
            } else {
                side.characters
                    .extend(counted_characters(text).map(|c| (c, number)));
            }
        }
        side
    }

    /// Returns the first difference in characters or links between the reading `self` and the
    /// finished tree. The result is the index of the text or link in `self.parts`, and a message.
    fn first_difference(&self, tree: &Self) -> Option<(usize, String)> {
        let last = self.parts.len().saturating_sub(1);
        for at in 0..self.characters.len().max(tree.characters.len()) {
            if self.character(at) != tree.character(at) {
                let message = format!(
                    "read as {:?}, by the tree as {:?}",
                    self.text(at),
                    tree.text(at)
                );
                let part = self.characters.get(at).map_or(last, |(_, part)| *part);
                return Some((part, message));
            }
        }
        for at in 0..self.links.len().max(tree.links.len()) {
            if self.link(at) != tree.link(at) {
                let message = format!(
                    "a link to {:?}, by the tree to {:?}",
                    self.link(at),
                    tree.link(at)
                );
                let part = self.links.get(at).map_or(last, |(_, part)| *part);
                return Some((part, message));
            }
        }
        None
    }

    fn character(&self, at: usize) -> Option<char> {
        let (character, _) = self.characters.get(at)?;
        Some(*character)
    }

    fn link(&self, at: usize) -> Option<&str> {
        let (target, _) = self.links.get(at)?;
        Some(target)
    }

    /// Returns up to forty characters of the reading, for a message. The text begins at the
    /// character with the index `at`.
    fn text(&self, at: usize) -> String {
        let characters = self.characters.iter().skip(at).take(40);
        characters.map(|(character, _)| *character).collect()
    }
}

/// Collects the differences between two readings. Adjacent characters with the same difference
/// become one difference.
struct Differences<'a> {
    stream: &'a VerdictRecording,
    /// The last collected difference. The values are the index of the text or link in `stream`, the
    /// use, and true for a leak.
    last: Option<(usize, Use, bool)>,
    found: &'a mut Comparison,
}

impl Differences<'_> {
    fn note(
        &mut self,
        (number, ours): (usize, &ReadItem),
        theirs: &ReadItem,
        character: Option<char>,
        uses: &[Use],
    ) {
        if theirs.is_placed {
            for usage in uses {
                let mine = ours.denied[*usage as usize];
                let other = theirs.denied[*usage as usize];
                let leaks = ours.is_visible() && !other.without(mine).is_empty();
                let is_over =
                    ours.is_visible() && theirs.is_visible() && !mine.without(other).is_empty();
                if leaks || is_over {
                    return self.add(number, *usage, leaks, character);
                }
            }
            let is_text = character.is_some() && theirs.field == OracleField::Body;
            self.found.same_characters &=
                ours.field == theirs.field && (!is_text || ours.inside == theirs.inside);
        }
        self.last = None;
    }

    fn add(&mut self, number: usize, usage: Use, leaks: bool, character: Option<char>) {
        let recorded = &self.stream.items[number];
        let list = if leaks {
            &mut self.found.leaks
        } else {
            &mut self.found.over
        };
        match list.last_mut() {
            Some(last) if self.last == Some((number, usage, leaks)) && character.is_some() => {
                last.text.extend(character);
            }
            _ => {
                let text = match character {
                    Some(character) => character.into(),
                    None => recorded.text.clone(),
                };
                list.push(difference(recorded, usage, text));
            }
        }
        self.last = Some((number, usage, leaks));
    }
}

fn difference(recorded: &RecordedItem, usage: Use, text: String) -> Mismatch {
    Mismatch {
        usage,
        text,
        line: recorded.place.line(),
        column: recorded.place.column(),
        source: recorded.before.clone(),
    }
}
