//! Groups the words of a packed text, so that all occurrences of a word come one after another.
//!
//! tantivy looks up each word in a table of all words of a segment, and appends a position to the
//! word's list. Table and lists do not fit into a processor's caches, so these lookups are the main
//! cost of adding a page. About three of four words on a page are repetitions. In a group, only the
//! first occurrence of a word has to be fetched from memory. The order does not change the index:
//! tantivy sorts the words, and the positions of each word stay ascending.
//!
//! Words are grouped in windows, so a text of any length needs the same memory. The table of a
//! window has at most [`PROBES`] slots for a word. If other words occupy them, each occurrence of
//! the word is a group of its own. So no choice of words makes the table slow.

/// Maximum number of words in a window. Most pages have fewer words.
const WINDOW: usize = 4096;
/// Number of bits of a slot's index.
const SLOT_BITS: u32 = 13;
const SLOTS: usize = 1 << SLOT_BITS;
const _: () = assert!(SLOTS >= 2 * WINDOW);
/// Maximum number of slots that are searched for a word.
const PROBES: usize = 8;
/// An odd number whose bits have no pattern, for hashes of words.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
const EACH: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x80 * EACH;

/// A word of a packed text, found by [`next_word`].
#[derive(Clone, Copy, Debug)]
pub(super) struct FoundWord {
    /// Byte offset of the word in the packed text.
    pub(super) start: usize,
    pub(super) end: usize,
    hash: u64,
}

/// An occurrence of a word in the window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Occurrence {
    /// Byte offset of the word in the packed text.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Token position of the word in its field.
    pub(super) position: u32,
    /// True if the preceding occurrence is of the same group, so that the word is the same.
    pub(super) is_repeated: bool,
    /// Index of the following occurrence in the window. The last occurrence has an index that is
    /// not in the window.
    next: u32,
}

/// Window over the words of a packed text, in which equal words are grouped. It is reused for the
/// texts of many pages.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    window: Vec<Occurrence>,
    /// Index of the last occurrence, in the order of the groups.
    last: usize,
    /// Hash table of the window's words. A slot has the number of the last occurrence of a word,
    /// counted from 1 over all windows. A lower number than `base` is of an earlier window, so the
    /// slot is empty.
    slots: Vec<u64>,
    /// Number of the window's first occurrence.
    base: u64,
}

/// Result of the search for a word in the hash table.
enum Place {
    /// The word is in the window. Its last occurrence has the number in this slot.
    Group(usize),
    /// The word is new, and belongs in this slot.
    Empty(usize),
    /// Other words occupy all slots of the word.
    Full,
}

impl Groups {
    /// Begins a new window, without words.
    pub(super) fn clear(&mut self) {
        self.slots.resize(SLOTS, 0);
        self.base += self.window.len().max(1) as u64;
        self.window.clear();
        self.last = 0;
    }

    pub(super) fn is_full(&self) -> bool {
        self.window.len() == WINDOW
    }

    /// Returns the occurrence at an index of the window. Index 0 begins the order of the groups.
    pub(super) fn get(&self, index: usize) -> Option<Occurrence> {
        self.window.get(index).copied()
    }

    /// Adds a word of `text` after the last occurrence of the same word. A word that is new to the
    /// window is added at the end.
    pub(super) fn add(&mut self, text: &[u8], word: FoundWord, position: u32) {
        let index = self.window.len();
        let number = self.base + index as u64;
        let mut before = self.last;
        let mut is_repeated = false;
        match self.place(text, word) {
            Place::Group(slot) => {
                before = self.index(self.slots[slot]);
                is_repeated = true;
                self.slots[slot] = number;
            }
            Place::Empty(slot) => self.slots[slot] = number,
            Place::Full => {}
        }
        let mut next = u32::MAX;
        if let Some(before) = self.window.get_mut(before) {
            next = std::mem::replace(&mut before.next, index as u32);
        }
        if before == self.last {
            self.last = index;
        }
        self.window.push(Occurrence {
            start: word.start,
            end: word.end,
            position,
            is_repeated,
            next,
        });
    }

    fn place(&self, text: &[u8], word: FoundWord) -> Place {
        let first = (word.hash >> (u64::BITS - SLOT_BITS)) as usize;
        for probe in 0..PROBES {
            let slot = (first + probe) % SLOTS;
            let number = self.slots[slot];
            if number < self.base {
                return Place::Empty(slot);
            }
            let other = self.window[self.index(number)];
            if text[other.start..other.end] == text[word.start..word.end] {
                return Place::Group(slot);
            }
        }
        Place::Full
    }

    /// Returns the index in the window of an occurrence with this number.
    fn index(&self, number: u64) -> usize {
        (number - self.base) as usize
    }
}

impl Occurrence {
    /// Returns the index of the following occurrence, in the order of the groups.
    pub(super) fn next(&self) -> usize {
        self.next as usize
    }
}

/// Reads the word that begins at `start`. It ends before the next blank or control character.
pub(super) fn next_word(text: &[u8], start: usize) -> FoundWord {
    let mut end = start;
    let mut hash = 0;
    loop {
        let eight = eight_bytes(text, end);
        // The lowest bit of the mask is exact: a borrow only changes bytes above it.
        let ends = eight.wrapping_sub(EACH * u64::from(b' ' + 1)) & !eight & HIGH;
        let length = (ends.trailing_zeros() / 8) as usize;
        let letters = if length == 8 {
            eight
        } else {
            eight & ((1 << (8 * length)) - 1)
        };
        hash = (u64::rotate_left(hash, 5) ^ letters).wrapping_mul(FACTOR);
        end += length;
        if length < 8 {
            return FoundWord { start, end, hash };
        }
    }
}

/// Reads eight bytes of a text as one number. Positions after the end of the text count as 0.
fn eight_bytes(text: &[u8], at: usize) -> u64 {
    match text.get(at..).and_then(<[u8]>::first_chunk) {
        Some(eight) => u64::from_le_bytes(*eight),
        None => {
            let rest = text.get(at..).unwrap_or_default().iter().rev();
            rest.fold(0, |eight, byte| eight << 8 | u64::from(*byte))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the words of a window in the order of the groups, each with its position.
    fn grouped(words: &[String]) -> Vec<(String, u32)> {
        let text = words.join(" ");
        let text = text.as_bytes();
        let mut groups = Groups::default();
        groups.clear();
        let mut at = 0;
        for position in 0..words.len() as u32 {
            let word = next_word(text, at);
            at = word.end + 1;
            groups.add(text, word, position);
        }
        let mut found = Vec::new();
        let mut index = 0;
        while let Some(one) = groups.get(index) {
            let word = String::from_utf8_lossy(&text[one.start..one.end]);
            found.push((word.into_owned(), one.position));
            index = one.next();
        }
        found
    }

    /// Returns as many words as asked for, all of which have the same slot.
    fn crowd(number: usize) -> Vec<String> {
        let words = (0..).map(|number| format!("w{number}"));
        let crowded = words.filter(|word| {
            let found = next_word(word.as_bytes(), 0);
            found.hash >> (u64::BITS - SLOT_BITS) == 0
        });
        crowded.take(number).collect()
    }

    proptest! {
        #[test]
        fn equal_words_are_together_in_their_order(
            words in proptest::collection::vec("[ab]{1,2}|[a-zé]{1,40}", 0..300)
        ) {
            let mut expected: Vec<(String, u32)> = words.iter().cloned().zip(0..).collect();
            let first = |word: &String| words.iter().position(|other| other == word);
            expected.sort_by_key(|(word, position)| (first(word), *position));
            prop_assert_eq!(grouped(&words), expected);
        }
    }

    #[test]
    fn a_word_without_a_slot_keeps_its_order() {
        let one = crowd(PROBES + 2);
        let words = [one.clone(), one.clone(), one].concat();
        let found = grouped(&words);
        for word in &words {
            let positions: Vec<_> = found.iter().filter(|(other, _)| other == word).collect();
            assert_eq!(positions.len(), 3);
            assert!(positions.is_sorted());
        }
    }

    #[test]
    fn a_word_ends_before_a_blank_or_a_control_character() {
        for (text, word) in [
            ("rye", "rye"),
            ("rye bread", "rye"),
            ("sourdough\u{2}x", "sourdough"),
            ("sourdoug h", "sourdoug"),
            ("Ärgernis!\u{1}x", "Ärgernis!"),
            (" x", ""),
        ] {
            assert_eq!(&text[..next_word(text.as_bytes(), 0).end], word);
        }
    }
}
