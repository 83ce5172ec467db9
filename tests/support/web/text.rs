//! Words of a made web, as frequent as in real text, and the random numbers that choose them.
//!
//! Words have ranks. The number of words doubles from octave to octave, and all octaves are equally
//! frequent. So a word's frequency is about the inverse of its rank (Zipf's law). Four ranks in a
//! row are forms of one word, as a stemmer knows them. No word of the ranks is one of
//! [`LINK_WORDS`], [`WITHHELD`] or [`only_word`].

/// A word that stands in withheld parts of pages alone.
pub(crate) const WITHHELD: &str = "hushhush";

/// Number of octaves of ranks: there are half a million words.
const OCTAVES: usize = 19;

/// Words that end the texts of links, each with its share in ten thousand of all links beside
/// menus. From 18 % down to 0.1 %, as *more*, *home* and *read* are on the web.
pub(super) const LINK_WORDS: [(&str, usize); 30] = [
    ("read", 1800),
    ("back", 636),
    ("next", 346),
    ("click", 225),
    ("contact", 161),
    ("search", 122),
    ("archive", 97),
    ("comments", 80),
    ("print", 67),
    ("about", 57),
    ("download", 49),
    ("previous", 43),
    ("login", 38),
    ("reply", 34),
    ("share", 31),
    ("help", 28),
    ("details", 26),
    ("shop", 24),
    ("press", 22),
    ("gallery", 20),
    ("english", 19),
    ("privacy", 17),
    ("account", 16),
    ("events", 15),
    ("imprint", 14),
    ("index", 14),
    ("blog", 13),
    ("jobs", 12),
    ("feed", 12),
    ("photos", 11),
];

/// Generator of random numbers (splitmix64). The same seed gives the same numbers.
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seeds: &[u64]) -> Self {
        let mut chance = Self(0);
        for seed in seeds {
            chance.0 ^= *seed;
            chance.0 = chance.next();
        }
        chance
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() >> 1).unwrap() % end
    }

    /// True in so many of a thousand cases.
    pub(super) fn is_one(&mut self, in_thousand: usize) -> bool {
        self.below(1000) < in_thousand
    }

    /// Returns the rank of a word, from 1 on.
    pub(super) fn rank(&mut self) -> usize {
        let octave = self.below(OCTAVES);
        (1 << octave) + self.below(1 << octave)
    }

    /// Returns a length from `fewest` to 32 times as many, on average nine times. Short ones are more
    /// frequent.
    pub(super) fn length(&mut self, fewest: usize) -> usize {
        let least = fewest << self.below(5);
        least + self.below(least)
    }
}

/// Returns the word of a rank.
pub(super) fn word(rank: usize) -> String {
    let mut word = syllables(rank / 4);
    word.push_str(["", "s", "ing", "ed"][rank % 4]);
    word
}

/// Returns a word that the page of this number has alone.
pub(super) fn only_word(number: usize) -> String {
    format!("q{}", syllables(number))
}

fn syllables(number: usize) -> String {
    let mut number = number + 1;
    let mut word = String::new();
    while number > 0 {
        word.push(char::from(b"bdfghklmnprstvwz"[number % 16]));
        word.push(char::from(b"aeiou"[number / 16 % 5]));
        number /= 80;
    }
    word
}

/// Returns the last word of a link's text, if it is one of [`LINK_WORDS`]. Two in five are.
pub(super) fn end_link(chance: &mut Chance) -> Option<&'static str> {
    let mut at = chance.below(10_000);
    for (word, share) in LINK_WORDS {
        if at < share {
            return Some(word);
        }
        at -= share;
    }
    None
}
