//! Puts the two readings side by side.

use std::collections::HashMap;

use crate::bot::BotSet;
use crate::oracle::{Kind, Tree};
use crate::policy::{Facet, Verdict};

use super::recording::{Heard, Recording};
use super::{Comparison, Difference};

/// What is withheld of something, by facet.
type Denied = [BotSet; 8];

/// One side's reading: the characters and the links, each with what is withheld of it.
struct Side {
    characters: Vec<(char, usize)>,
    links: Vec<(String, usize)>,
    denied: Vec<Denied>,
}

/// Facets that matter for a text, and for a link.
const OF_TEXT: [Facet; 5] = [Facet::Index, Facet::Snippet, Facet::Archive, Facet::Translate, Facet::Train];
const OF_LINK: [Facet; 2] = [Facet::Follow, Facet::Anchor];

pub(super) fn compare(stream: &Recording, tree: &Tree, bots: usize) -> Comparison {
    let page = page_denies(tree);
    let ours = Side::of(stream.heard.iter().map(|heard| (heard.text.as_str(), heard.is_link, heard.denied)));
    let placed: Vec<bool> = tree.items.iter().map(|item| item.is_placed).collect();
    let theirs = Side::of(tree.items.iter().map(|item| match &item.kind {
        Kind::Text { text, .. } => (text.as_str(), false, denied(&item.verdict, &page)),
        Kind::Link { target, .. } => (target.as_str(), true, denied(&item.verdict, &page)),
    }));
    let mut comparison = Comparison {
        same_characters: ours.reads_as(&theirs),
        characters: ours.characters.len(),
        withheld: theirs.characters.iter().filter(|(_, of)| theirs.denied[*of][0] != BotSet::NONE).count(),
        ..Comparison::default()
    };
    if comparison.same_characters {
        let mut differences =
            Differences { stream, ours: &ours, theirs: &theirs, placed: &placed, last: None, found: &mut comparison };
        for (mine, other) in ours.characters.iter().zip(&theirs.characters) {
            differences.note(mine.1, other.1, mine.0, &OF_TEXT);
        }
        for (mine, other) in ours.links.iter().zip(&theirs.links) {
            differences.note(mine.1, other.1, '\0', &OF_LINK);
        }
    } else {
        by_words(stream, &ours, &theirs, &placed, bots, &mut comparison);
    }
    comparison
}

fn page_denies(tree: &Tree) -> Denied {
    let mut whole = Verdict::default();
    for directive in &tree.ceiling {
        whole.add(0, directive);
    }
    Facet::ALL.map(|facet| whole.denied(facet))
}

fn denied(verdict: &Verdict, page: &Denied) -> Denied {
    Facet::ALL.map(|facet| verdict.denied(facet).or(page[facet as usize]))
}

impl Side {
    fn of<'a>(items: impl Iterator<Item = (&'a str, bool, Denied)>) -> Self {
        let mut side = Self { characters: Vec::new(), links: Vec::new(), denied: Vec::new() };
        for (number, (text, is_link, denied)) in items.enumerate() {
            side.denied.push(denied);
            if is_link {
                side.links.push((text.to_owned(), number));
            } else {
                let counts = |c: &char| !c.is_whitespace() && *c != '\u{FFFD}';
                side.characters.extend(text.chars().filter(counts).map(|c| (c, number)));
            }
        }
        side
    }

    fn reads_as(&self, other: &Self) -> bool {
        let same_text = self.characters.iter().map(|(c, _)| c).eq(other.characters.iter().map(|(c, _)| c));
        let plain = |target: &str| target.replace(['\u{FFFD}', '\r'], "");
        same_text && self.links.iter().map(|(t, _)| plain(t)).eq(other.links.iter().map(|(t, _)| plain(t)))
    }
}

/// Collects differences; characters next to each other make one.
struct Differences<'a> {
    stream: &'a Recording,
    ours: &'a Side,
    theirs: &'a Side,
    placed: &'a [bool],
    /// The last one: our item, the facet, whether it was a leak.
    last: Option<(usize, Facet, bool)>,
    found: &'a mut Comparison,
}

impl Differences<'_> {
    fn note(&mut self, mine: usize, other: usize, character: char, facets: &[Facet]) {
        if !self.placed[other] {
            return;
        }
        for facet in facets {
            let (ours, theirs) = (self.ours.denied[mine][*facet as usize], self.theirs.denied[other][*facet as usize]);
            let leaks = !theirs.without(ours).is_empty();
            if leaks || !ours.without(theirs).is_empty() {
                self.add(mine, *facet, leaks, character);
                return;
            }
        }
        self.last = None;
    }

    fn add(&mut self, mine: usize, facet: Facet, leaks: bool, character: char) {
        let heard = &self.stream.heard[mine];
        let list = if leaks { &mut self.found.leaks } else { &mut self.found.over };
        match list.last_mut() {
            Some(last) if self.last == Some((mine, facet, leaks)) && !heard.is_link => last.text.push(character),
            _ => {
                let text = if heard.is_link { heard.text.clone() } else { character.to_string() };
                list.push(difference(heard, facet, text));
            }
        }
        self.last = Some((mine, facet, leaks));
    }
}

fn difference(heard: &Heard, facet: Facet, text: String) -> Difference {
    let (line, column) = (heard.place.line(), heard.place.column());
    Difference { facet, text, line, column, source: heard.before.clone() }
}

/// The two do not read the same: what the stream gives and the tree has not, word by word.
fn by_words(stream: &Recording, ours: &Side, theirs: &Side, placed: &[bool], bots: usize, found: &mut Comparison) {
    for bot in 0..bots {
        for facet in [Facet::Index, Facet::Snippet] {
            let mut allowed: HashMap<String, isize> = HashMap::new();
            for (word, item) in words(theirs) {
                let is_free = !placed[item] || !theirs.denied[item][facet as usize].contains(bot);
                *allowed.entry(word).or_default() += isize::from(is_free);
            }
            for (word, item) in words(ours).filter(|(_, item)| !ours.denied[*item][facet as usize].contains(bot)) {
                let left = allowed.entry(word.clone()).or_default();
                *left -= 1;
                if *left < 0 {
                    found.leaks.push(difference(&stream.heard[item], facet, word));
                }
            }
        }
        for facet in OF_LINK {
            let mut allowed: HashMap<&str, isize> = HashMap::new();
            for (target, item) in &theirs.links {
                let is_free = !placed[*item] || !theirs.denied[*item][facet as usize].contains(bot);
                *allowed.entry(target).or_default() += isize::from(is_free);
            }
            for (target, item) in &ours.links {
                let left = allowed.entry(target).or_default();
                let is_free = !ours.denied[*item][facet as usize].contains(bot);
                *left -= isize::from(is_free);
                if is_free && *left < 0 {
                    found.leaks.push(difference(&stream.heard[*item], facet, target.clone()));
                }
            }
        }
    }
}

/// Runs of characters of one item.
fn words(side: &Side) -> impl Iterator<Item = (String, usize)> {
    side.characters.chunk_by(|one, next| one.1 == next.1).map(|run| (run.iter().map(|(c, _)| c).collect(), run[0].1))
}
