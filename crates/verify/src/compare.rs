//! Compares the two readings of a page.

use crate::oracle::{ItemKind, OracleField, OracleTree};
use heedful::{Use, Verdict};
use heedful_base::bot::BotSet;

use super::difference::{Comparison, Mismatch, counted};
use super::recording::{HeardItem, VerdictRecording};

/// The bots from which each use is withheld.
type Denied = [BotSet; Use::COUNT];

/// One reading of a page: its characters and its links, each with the number of its part.
struct Side {
    characters: Vec<(char, usize)>,
    links: Vec<(String, usize)>,
    parts: Vec<ReadItem>,
}

/// A text or a link.
#[derive(Clone, Copy)]
struct ReadItem {
    denied: Denied,
    field: OracleField,
    inside: [bool; 2],
    /// True if the tree has it.
    is_placed: bool,
}

impl ReadItem {
    /// Returns true if a reader of the page sees it, because it is not in a template or a script.
    fn is_visible(&self) -> bool {
        self.field != OracleField::Nowhere
    }
}

/// The uses that matter for a text, and for a link.
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
    let ours = Side::of(stream.heard.iter().map(|heard| {
        let part = ReadItem {
            denied: heard.denied,
            field: heard.field,
            inside: heard.inside,
            is_placed: true,
        };
        (heard.text.as_str(), heard.is_link, part)
    }));
    let page = Verdict::from_directives(tree.numbered());
    let theirs = Side::of(tree.items.iter().map(|item| {
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
    let visible = |side: &Side| {
        side.characters
            .iter()
            .filter(|(_, of)| side.parts[*of].is_visible())
            .count()
    };
    let is_withheld =
        |part: &ReadItem| part.is_visible() && part.denied[Use::Index as usize] != BotSet::NONE;
    let mut comparison = Comparison {
        characters: visible(&theirs),
        withheld: theirs
            .characters
            .iter()
            .filter(|(_, of)| is_withheld(&theirs.parts[*of]))
            .count(),
        same_characters: true,
        ..Comparison::default()
    };
    if let Some((at, said)) = ours.unlike(&theirs) {
        comparison.same_characters = false;
        let unlike = match stream.heard.get(at) {
            Some(heard) => difference(heard, Use::Index, said),
            None => Mismatch::of_reading(said),
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

impl Side {
    fn of<'a>(items: impl Iterator<Item = (&'a str, bool, ReadItem)>) -> Self {
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
                side.characters.extend(counted(text).map(|c| (c, number)));
            }
        }
        side
    }

    /// The first place where the readings do not have the same characters or links: the number of
    /// our part, and a message.
    fn unlike(&self, tree: &Self) -> Option<(usize, String)> {
        let text = |side: &Self, at: usize| {
            side.characters
                .iter()
                .skip(at)
                .take(40)
                .map(|(c, _)| *c)
                .collect::<String>()
        };
        let length = self.characters.len().max(tree.characters.len());
        let at = (0..length).find(|at| {
            self.characters.get(*at).map(|c| c.0) != tree.characters.get(*at).map(|c| c.0)
        });
        let link = |side: &Self, at: usize| side.links.get(at).map(|(target, _)| target.clone());
        let links = self.links.len().max(tree.links.len());
        let last = self.parts.len().saturating_sub(1);
        Some(
            match (at, (0..links).find(|at| link(self, *at) != link(tree, *at))) {
                (Some(at), _) => {
                    let said = format!(
                        "read as {:?}, by the tree as {:?}",
                        text(self, at),
                        text(tree, at)
                    );
                    (
                        self.characters.get(at).map_or(last, |(_, part)| *part),
                        said,
                    )
                }
                (None, Some(at)) => {
                    let said = format!(
                        "a link to {:?}, by the tree to {:?}",
                        link(self, at),
                        link(tree, at)
                    );
                    (self.links.get(at).map_or(last, |(_, part)| *part), said)
                }
                (None, None) => return None,
            },
        )
    }
}

/// Collects differences; adjacent characters make one.
struct Differences<'a> {
    stream: &'a VerdictRecording,
    /// The last difference: our part, the use, and whether it was a leak.
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
                let (mine, other) = (ours.denied[*usage as usize], theirs.denied[*usage as usize]);
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
        let heard = &self.stream.heard[number];
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
                let text = character.map_or_else(|| heard.text.clone(), String::from);
                list.push(difference(heard, usage, text));
            }
        }
        self.last = Some((number, usage, leaks));
    }
}

fn difference(heard: &HeardItem, usage: Use, text: String) -> Mismatch {
    let (line, column) = (heard.place.line(), heard.place.column());
    Mismatch {
        usage,
        text,
        line,
        column,
        source: heard.before.clone(),
    }
}
