//! Finds each letter of heedful's text in the browser's text nodes.
//!
//! Both sides have the page's letters in source order. The browser's tree may move or lack some of
//! them. Words are aligned first. Then the letters between the aligned words are aligned.

use std::ops::Range;

use super::common::common;
use super::letters::{Gap, Letter};

/// Maximum number of letters between two aligned words. If one of the two lists has more letters
/// between these words, the letters are not aligned.
const STRETCH: usize = 30_000;

/// Aligns two lists of letters. Returns pairs of indices of equal letters, in ascending order.
pub(super) fn align(ours: &[Letter], theirs: &[Letter]) -> Vec<(usize, usize)> {
    let (our_words, their_words) = (words(ours), words(theirs));
    let mut numbers = std::collections::HashMap::new();
    let mut numbered = |letters: &[Letter], words: &[Range<usize>]| -> Vec<usize> {
        let texts = words.iter().map(|word| text(&letters[word.clone()]));
        texts
            .map(|text| {
                let next = numbers.len();
                *numbers.entry(text).or_insert(next)
            })
            .collect()
    };
    let (left, right) = (numbered(ours, &our_words), numbered(theirs, &their_words));
    let mut pairs = Vec::new();
    let (mut our_end, mut their_end) = (0, 0);
    for (our_word, their_word) in common(&left, &right) {
        let (our_word, their_word) = (our_words[our_word].clone(), their_words[their_word].clone());
        let stretch = (our_end..our_word.start, their_end..their_word.start);
        align_stretch(ours, theirs, stretch, &mut pairs);
        pairs.extend(our_word.clone().zip(their_word.clone()));
        (our_end, their_end) = (our_word.end, their_word.end);
    }
    let stretch = (our_end..ours.len(), their_end..theirs.len());
    align_stretch(ours, theirs, stretch, &mut pairs);
    pairs
}

fn align_stretch(
    ours: &[Letter],
    theirs: &[Letter],
    (our_part, their_part): (Range<usize>, Range<usize>),
    pairs: &mut Vec<(usize, usize)>,
) {
    if our_part.len().max(their_part.len()) > STRETCH {
        return;
    }
    let characters = |letters: &[Letter]| -> Vec<char> { letters.iter().map(|l| l.c).collect() };
    let left = characters(&ours[our_part.clone()]);
    let right = characters(&theirs[their_part.clone()]);
    for (our_index, their_index) in common(&left, &right) {
        pairs.push((our_part.start + our_index, their_part.start + their_index));
    }
}

fn text(letters: &[Letter]) -> String {
    letters.iter().map(|letter| letter.c).collect()
}

/// Returns the ranges of the words in a list of letters, as indices of letters.
fn words(letters: &[Letter]) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    for (index, letter) in letters.iter().enumerate() {
        match words.last_mut() {
            Some(word) if letter.gap == Gap::Joined => word.end = index + 1,
            _ => words.push(index..index + 1),
        }
    }
    words
}
