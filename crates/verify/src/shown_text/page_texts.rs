//! Compares heedful's text with the text nodes of a page in a browser, and with the lines that the
//! browser shows.

use std::collections::HashMap;
use std::ops::Range;

use crate::browser::{ShownPage, ShownText};
use crate::shown_places::PLACES;

use super::agreement::{Agreement, Subject, TextDifference};
use super::alignment::align;
use super::letters::{Gap, Letter, letters};
use super::reasons::{SILENT, gap_reason};

/// Character that `judge.html` inserts before the number of a text node. [`END`] follows the
/// number.
pub(super) const BEGIN: char = '\u{E000}';
/// Character that `judge.html` inserts after the number of a text node.
pub(super) const END: char = '\u{E001}';

/// Inline elements, whose tags rarely affect line breaks. [`summary`] leaves these tags out of the
/// name of a difference.
const INLINE: &[&str] = &[
    "a", "abbr", "b", "big", "cite", "code", "em", "font", "i", "small", "span", "strong", "sub",
    "sup", "tt", "u",
];
/// Maximum number of tags that [`summary`] lists in the name of a difference, as in `/p div`.
const TAGS: usize = 8;
/// Number of letters of the text before a difference that an example shows. An example shows the
/// same number of letters after the difference.
const NEAR: usize = 24;

/// The text nodes of a page in a browser, split into letters.
pub(super) struct PageTexts<'p> {
    texts: &'p [ShownText],
    /// Letters of all text nodes, including text nodes that the browser does not show.
    letters: Vec<Letter>,
    /// For each letter in `letters`, the number of its text node and the letter's index in `shown`.
    /// The index is `None` for a letter that is not shown.
    nodes: Vec<(usize, Option<usize>)>,
    /// Letters that the browser shows after a number was inserted into each text node. By these
    /// numbers, letters are assigned to text nodes. The numbers themselves are left out.
    shown: Vec<Letter>,
    /// A bool for each text node. True if the browser shows other letters than the node contains.
    changed: Vec<bool>,
    /// Letters that the browser shows for the unchanged page, before numbers are inserted into its
    /// text nodes.
    pub(super) plain: Vec<Letter>,
    pub(super) has_roles: bool,
}

/// Result of comparing heedful's text of a page with the browser's text.
pub(super) struct ComparedText {
    /// For each of heedful's letters, the index of the equal letter in the browser's text nodes.
    /// `None` if there is none.
    pub(super) places: Vec<Option<usize>>,
    /// Letters of heedful's text. Differences from the browser's text are removed if the
    /// specification (docs/semantics.md) demands them. For this, a letter that the browser hides is
    /// left out, or the gap (white space) before a letter becomes the browser's gap. All other
    /// differences stay.
    pub(super) by_law: Vec<Letter>,
    pub(super) differences: Vec<TextDifference>,
}

impl<'p> PageTexts<'p> {
    pub(super) fn new(page: &'p ShownPage) -> Self {
        let (shown, owners) = split_stamped(&page.stamped);
        let mut ranges: HashMap<usize, Range<usize>> = HashMap::new();
        for (index, owner) in owners.iter().enumerate() {
            let range = ranges.entry(*owner).or_insert(index..index);
            range.end = index + 1;
        }
        let mut texts = Self {
            texts: &page.texts,
            letters: Vec::new(),
            nodes: Vec::new(),
            shown,
            changed: Vec::new(),
            plain: letters(&page.plain),
            has_roles: page.has_roles,
        };
        for (number, text) in page.texts.iter().enumerate() {
            texts.add(number, text, ranges.get(&number));
        }
        texts
    }

    /// Adds a text node. `range` has the indices in `shown` of the letters that the browser shows
    /// for it.
    fn add(&mut self, number: usize, text: &ShownText, range: Option<&Range<usize>>) {
        let mut own = letters(&text.text);
        let before = number.checked_sub(1).map(|before| &self.texts[before].text);
        let is_apart = before.is_some_and(|before| before.ends_with(char::is_whitespace))
            || text.tags.iter().any(|tag| !is_inline(tag));
        if let Some(first) = own.first_mut()
            && is_apart
        {
            first.gap = first.gap.max(Gap::Blank);
        }
        let range = range.cloned().unwrap_or_default();
        let same = |(a, b): (&Letter, &Letter)| a.c == b.c;
        let is_same =
            own.len() == range.len() && own.iter().zip(&self.shown[range.clone()]).all(same);
        self.changed.push(!range.is_empty() && !is_same);
        let places = (0..own.len()).map(|index| is_same.then_some(range.start + index));
        self.nodes.extend(places.map(|place| (number, place)));
        self.letters.extend(own);
    }

    /// Compares heedful's letters with the letters of the browser's text nodes.
    pub(super) fn compare(&self, ours: &[Letter]) -> ComparedText {
        let mut places = vec![None; ours.len()];
        let mut is_found = vec![false; self.letters.len()];
        for (our_index, index) in align(ours, &self.letters) {
            places[our_index] = Some(index);
            is_found[index] = true;
        }
        let mut comparison = Comparison::new(self, ours);
        comparison.steadiness();
        for (index, place) in places.iter().enumerate() {
            comparison.letter(index, *place);
        }
        comparison.missing(&is_found);
        ComparedText {
            places,
            by_law: comparison.by_law,
            differences: comparison.differences,
        }
    }

    /// Compares the landmark of each text node in the browser with the landmark of the text's block
    /// in heedful. Text nodes are left out if heedful does not read them or the browser does not
    /// show them. Returns `None` if heedful's blocks and heedful's text have different letters.
    pub(super) fn compare_landmarks(
        &self,
        places: &[Option<usize>],
        ours: &[Letter],
        blocks: &[(char, Option<&'static str>)],
        differences: &mut Vec<TextDifference>,
    ) -> Option<Agreement> {
        let same = |(letter, block): (&Letter, &(char, _))| letter.c == block.0;
        if ours.len() != blocks.len() || !ours.iter().zip(blocks).all(same) {
            return None;
        }
        let mut agreement = Agreement::default();
        let mut last = None;
        for (index, place) in places.iter().enumerate() {
            let Some((number, Some(_))) = place.map(|place| self.nodes[place]) else {
                continue;
            };
            if last.replace(number) == Some(number) {
                continue;
            }
            let text = &self.texts[number];
            let landmark = blocks[index].1.unwrap_or_default();
            agreement.ours += 1;
            agreement.browser += 1;
            if landmark == text.landmark {
                agreement.common += 1;
                continue;
            }
            differences.push(TextDifference {
                subject: Subject::Landmark,
                kind: landmark_kind(landmark, text),
                reason: text.is_silent.then_some(SILENT),
                example: format!("{} {}", text.tag, near(ours, index)),
            });
        }
        Some(agreement)
    }

    /// Returns the tags between two text nodes. `before` and `after` are the numbers of these
    /// nodes.
    fn tags_between(&self, before: usize, after: usize) -> Vec<String> {
        let texts = self.texts.get(before + 1..=after).unwrap_or_default();
        texts.iter().flat_map(|text| text.tags.clone()).collect()
    }
}

fn landmark_kind(ours: &str, text: &ShownText) -> String {
    let silent = if text.is_silent {
        ", in aria-hidden"
    } else {
        ""
    };
    format!("{} for {}{silent}", or_none(ours), or_none(&text.landmark))
}

fn or_none(landmark: &str) -> &str {
    if landmark.is_empty() {
        "none"
    } else {
        landmark
    }
}

/// State of a comparison between heedful's letters and the browser's letters. The letters are
/// compared one after the other.
struct Comparison<'c> {
    texts: &'c PageTexts<'c>,
    ours: &'c [Letter],
    /// Letters of heedful's text so far, as in [`ComparedText::by_law`].
    by_law: Vec<Letter>,
    differences: Vec<TextDifference>,
    /// The last letter that both heedful and the browser show. The first value is the number of its
    /// text node. The second is its index among the letters that the browser shows.
    last: Option<(usize, usize)>,
    /// Gap (white space) in heedful's text between the letter in the field `last` and the current
    /// letter. If the browser hides letters in between, the field has the strongest of the gaps
    /// between all these letters. A line break is stronger than a blank.
    gap: Gap,
    /// Gap in heedful's text between the last letter in the field `by_law` and the current letter.
    /// If letters in between were left out, the field has the strongest of the gaps between all
    /// these letters.
    kept_gap: Gap,
    /// `None` if the browser shows the previous letter. Otherwise, the inner value is the number of
    /// the letter's text node. The inner value is `None` if the browser's tree does not contain the
    /// letter.
    hidden: Option<Option<usize>>,
    /// True if the browser hides letters after the letter in the field `last`, and heedful must
    /// read them. The specification (docs/semantics.md) states which hidden letters heedful must
    /// read.
    is_hidden_by_law: bool,
}

impl<'c> Comparison<'c> {
    fn new(texts: &'c PageTexts<'c>, ours: &'c [Letter]) -> Self {
        Self {
            texts,
            ours,
            by_law: Vec::new(),
            differences: Vec::new(),
            last: None,
            gap: Gap::Joined,
            kept_gap: Gap::Joined,
            hidden: None,
            is_hidden_by_law: false,
        }
    }

    fn letter(&mut self, index: usize, place: Option<usize>) {
        let letter = self.ours[index];
        self.gap = self.gap.max(letter.gap);
        self.kept_gap = self.kept_gap.max(letter.gap);
        match place.map(|place| (self.texts.nodes[place], self.texts.letters[place].gap)) {
            Some(((number, Some(shown)), own_gap)) => {
                self.shown_letter(letter, number, (shown, own_gap));
            }
            Some(((number, None), _)) => {
                if self.hidden_letter(index, Some(number)) {
                    self.is_hidden_by_law = true;
                } else {
                    self.keep(letter, self.kept_gap);
                }
            }
            None => {
                self.hidden_letter(index, None);
                self.keep(letter, self.kept_gap);
            }
        }
    }

    fn keep(&mut self, letter: Letter, gap: Gap) {
        self.by_law.push(Letter { gap, ..letter });
        self.kept_gap = Gap::Joined;
    }

    /// Processes a letter that both heedful and the browser show. `number` is the number of the
    /// letter's text node. `shown` is the index of the letter in [`PageTexts::shown`]. `own_gap` is
    /// the gap before the letter in its text node.
    fn shown_letter(&mut self, letter: Letter, number: usize, (shown, own_gap): (usize, Gap)) {
        let mut gap = self.kept_gap;
        if let Some((last_number, last)) = self.last
            && shown == last + 1
        {
            let theirs = self.texts.shown[shown].gap;
            let inside = (last_number == number).then_some(own_gap != Gap::Joined);
            let between = (last_number, number);
            if theirs != self.gap && self.explains_gap(between, theirs, (shown, inside)) {
                gap = theirs;
            }
        }
        self.keep(letter, gap);
        self.last = Some((number, shown));
        self.gap = Gap::Joined;
        self.hidden = None;
        self.is_hidden_by_law = false;
    }

    /// Records a difference in the gap (white space) between two letters. heedful's gap is in the
    /// field `gap`, and the browser's gap is `theirs`. Returns true if the specification
    /// (docs/semantics.md) demands the difference.
    ///
    /// `before` and `after` are the numbers of the text nodes of the two letters. `shown` is the
    /// index of the second letter in [`PageTexts::shown`]. If the letters are in different text
    /// nodes, `inside` is `None`. Otherwise `inside` is true if the text node has white space
    /// between the letters.
    fn explains_gap(
        &mut self,
        (before, after): (usize, usize),
        theirs: Gap,
        (shown, inside): (usize, Option<bool>),
    ) -> bool {
        let tags = self.texts.tags_between(before, after);
        let row = gap_reason(self.gap, theirs, inside, &tags);
        let (kind, reason) = match row {
            _ if self.is_hidden_by_law => {
                let reason = "follows from the text that is not shown";
                (
                    "gap: beside text that is not shown".to_owned(),
                    Some(reason),
                )
            }
            Some(row) => (format!("gap: {}", row.name), Some(row.reason)),
            None if before == after => {
                let within = &self.texts.texts[after].within;
                let at = format!("inside a text of <{within}>");
                (gap_kind(self.gap, theirs, &at), None)
            }
            None => (gap_kind(self.gap, theirs, &summary(&tags)), None),
        };
        self.differences.push(TextDifference {
            subject: Subject::Line,
            kind,
            reason,
            example: near(&self.texts.shown, shown),
        });
        reason.is_some()
    }

    /// Records a letter that heedful reads and the browser does not show. Returns true if the
    /// specification (docs/semantics.md) demands this difference. `number` is the number of the
    /// letter's text node, or `None` if the browser's tree does not contain the letter.
    fn hidden_letter(&mut self, index: usize, number: Option<usize>) -> bool {
        let is_new = self.hidden != Some(number);
        self.hidden = Some(number);
        let (kind, reason) = match number.map(|number| (number, &self.texts.texts[number])) {
            None => (
                "text: not in the browser's tree, or elsewhere".to_owned(),
                None,
            ),
            Some((number, text)) if self.texts.changed[number] => {
                (format!("text: shown otherwise, <{}>", text.within), None)
            }
            Some((_, text)) => match usize::try_from(text.place)
                .ok()
                .and_then(|at| PLACES.get(at))
            {
                Some(place) => (format!("text: {}", place.name), Some(place.reason)),
                None => (format!("text: not shown, <{}>", text.within), None),
            },
        };
        let is_lawful = reason.is_some();
        if is_new {
            self.differences.push(TextDifference {
                subject: Subject::Line,
                kind,
                reason,
                example: near(self.ours, index),
            });
        }
        is_lawful
    }

    /// Records a difference if the browser shows another text once a number is inserted into each
    /// text node. The numbers tell to which text node each letter belongs.
    ///
    /// heedful's lines are compared with [`PageTexts::plain`], the browser's text without numbers.
    /// All other differences are found in [`PageTexts::shown`], the browser's text after the
    /// insertion. If these two texts are unequal, the differences may not explain why heedful's
    /// lines differ from the browser's lines.
    fn steadiness(&mut self) {
        let (plain, shown) = (&self.texts.plain, &self.texts.shown);
        let same = |(a, b): (&Letter, &Letter)| a.c == b.c && a.gap == b.gap;
        let agreeing = plain.iter().zip(shown).take_while(|pair| same(*pair));
        let agreeing = agreeing.count();
        if agreeing < plain.len().max(shown.len()) {
            self.differences.push(TextDifference {
                subject: Subject::Line,
                kind: "the browser shows another text when it is asked again".to_owned(),
                reason: None,
                example: near(shown, agreeing),
            });
        }
    }

    /// Records the text nodes with letters that the browser shows and heedful's text lacks.
    fn missing(&mut self, is_found: &[bool]) {
        let mut last = None;
        for (index, (number, shown)) in self.texts.nodes.iter().enumerate() {
            let Some(shown) = *shown else { continue };
            if is_found[index] || last.replace(*number) == Some(*number) {
                continue;
            }
            let within = &self.texts.texts[*number].within;
            self.differences.push(TextDifference {
                subject: Subject::Line,
                kind: format!("text: only the browser's, <{within}>"),
                reason: None,
                example: near(&self.texts.shown, shown),
            });
        }
    }
}

fn gap_kind(ours: Gap, theirs: Gap, at: &str) -> String {
    format!("gap: {} for {}, {at}", ours.name(), theirs.name())
}

fn is_inline(tag: &str) -> bool {
    INLINE.contains(&tag.trim_start_matches('/'))
}

/// Lists the tags between two text nodes for the name of a difference, as in `/p div`. Repeated
/// tags and tags of inline elements are left out. At most [`TAGS`] tags are listed.
fn summary(tags: &[String]) -> String {
    let mut telling: Vec<&str> = Vec::new();
    for tag in tags.iter().filter(|tag| !is_inline(tag)) {
        if !telling.contains(&tag.as_str()) {
            telling.push(tag);
        }
    }
    if telling.is_empty() {
        return "inline tags".to_owned();
    }
    let more = if telling.len() > TAGS { " ..." } else { "" };
    telling.truncate(TAGS);
    format!("{}{more}", telling.join(" "))
}

/// Returns the text around the letter at `index`, with a vertical bar before this letter.
fn near(letters: &[Letter], index: usize) -> String {
    let mut text = String::new();
    let first = index.saturating_sub(NEAR);
    let last = letters.len().min(index + NEAR);
    for (offset, letter) in letters[first.min(last)..last].iter().enumerate() {
        text.push_str(match letter.gap {
            Gap::Joined => "",
            Gap::Blank => " ",
            Gap::Break => "\u{23CE}",
        });
        if first + offset == index {
            text.push('|');
        }
        text.push(letter.c);
    }
    text
}

/// Splits the text that the browser shows into letters. The numbers that were inserted into the
/// text nodes are removed. The second list has, for each letter, the number of its text node.
fn split_stamped(stamped: &str) -> (Vec<Letter>, Vec<usize>) {
    let mut owners = Vec::new();
    let mut plain = String::with_capacity(stamped.len());
    let mut owner = usize::MAX;
    let mut rest = stamped;
    while let Some((number, before, behind)) = next_stamp(rest) {
        plain.push_str(before);
        owners.extend(solid(before).map(|_| owner));
        (owner, rest) = (number, behind);
    }
    plain.push_str(rest);
    owners.extend(solid(rest).map(|_| owner));
    (letters(&plain), owners)
}

fn solid(text: &str) -> impl Iterator<Item = char> {
    text.chars()
        .filter(|c| !c.is_whitespace() && *c != char::REPLACEMENT_CHARACTER)
}

/// Returns the first number in `text` that was inserted into a text node of the page. Also returns
/// the text before and after this number. Returns `None` if there is no such number.
fn next_stamp(text: &str) -> Option<(usize, &str, &str)> {
    for (at, _) in text.match_indices(BEGIN) {
        let behind = &text[at + BEGIN.len_utf8()..];
        let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
        if let Some(rest) = behind[digits..].strip_prefix(END)
            && let Ok(number) = behind[..digits].parse()
        {
            return Some((number, &text[..at], rest));
        }
    }
    None
}
