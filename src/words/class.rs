//! Classes of characters by the rules of UAX #29 for word boundaries. Only few rules apply to a
//! character of these classes. All other characters are *hard*: they are left to the crate
//! unicode-segmentation.

/// Maximum length in bytes of a folded word. Longer words are left out.
pub const LONGEST: usize = 255;

/// Effect of a character on word boundaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Letter,
    Digit,
    /// Belongs to a word like a letter, but is no word alone. No character of the classes
    /// `MidLetter`, `MidDigit` and `Mid` joins it to a letter.
    Underscore,
    /// Joins two letters to one word.
    MidLetter,
    /// Joins two digits to one word.
    MidDigit,
    /// Joins a letter with a letter, and a digit with a digit.
    Mid,
    /// Ends a word.
    Other,
    /// Left to the crate unicode-segmentation, since other rules apply to the character.
    Hard,
}

/// Class of each ASCII character.
pub(super) const CLASSES: [Class; 128] = {
    let mut classes = [Class::Other; 128];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => Class::Letter,
            b'0'..=b'9' => Class::Digit,
            b'_' => Class::Underscore,
            b':' => Class::MidLetter,
            b',' | b';' => Class::MidDigit,
            b'.' | b'\'' => Class::Mid,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

/// Flag of a byte that is an ASCII letter or digit. One look-up in `KINDS` tests a byte for several
/// flags.
pub(super) const WORD: u8 = 1;
pub(super) const UNDERSCORE: u8 = 2;
/// Flag of a byte that may join letters or digits to one word.
pub(super) const MID: u8 = 4;
/// Flag of a byte that belongs to a character outside of ASCII.
pub(super) const BEYOND: u8 = 8;

const KINDS: [u8; 256] = {
    let mut kinds = [BEYOND; 256];
    let mut byte = 0;
    while byte < 128 {
        kinds[byte] = match CLASSES[byte] {
            Class::Letter | Class::Digit => WORD,
            Class::Underscore => UNDERSCORE,
            Class::MidLetter | Class::MidDigit | Class::Mid => MID,
            Class::Other | Class::Hard => 0,
        };
        byte += 1;
    }
    kinds
};

pub(super) fn has_kind(byte: u8, kinds: u8) -> bool {
    KINDS[byte as usize] & kinds > 0
}

impl Class {
    /// Returns the class of a character. A text without characters of the class [`Class::Hard`]
    /// equals its NFKC form.
    pub(super) fn from_char(character: char) -> Self {
        match character {
            '\0'..='\x7F' => CLASSES[character as usize],
            '\u{132}'
            | '\u{133}'
            | '\u{13F}'
            | '\u{140}'
            | '\u{149}'
            | '\u{17F}'
            | '\u{1C4}'..='\u{1CC}'
            | '\u{1F1}'..='\u{1F3}' => Self::Hard,
            'À'..='Ö'
            | 'Ø'..='ö'
            | 'ø'..='\u{24F}'
            | '\u{400}'..='\u{481}'
            | '\u{48A}'..='\u{52F}' => Self::Letter,
            '·' => Self::MidLetter,
            '‘' | '’' => Self::Mid,
            '\u{A0}'..='©'
            | '«'
            | '¬'
            | '®'..='±'
            | '´'
            | '¶'
            | '»'
            | '¿'
            | '×'
            | '÷'
            | '‐'..='―'
            | '“'..='„'
            | '†'..='•'
            | '…'
            | '‹'
            | '›'
            | '€' => Self::Other,
            _ => Self::Hard,
        }
    }

    /// True if characters of this class belong to words: letters, digits and underscores.
    pub(super) fn is_in_words(self) -> bool {
        matches!(self, Self::Letter | Self::Digit | Self::Underscore)
    }

    pub(super) fn is_mid(self) -> bool {
        matches!(self, Self::MidLetter | Self::MidDigit | Self::Mid)
    }

    /// True if a character of this class joins its neighbours to one word. `before` is the class of
    /// the character before it, and `after` is the class of the character after it.
    pub(super) fn joins(self, before: Self, after: Self) -> bool {
        match self {
            Self::MidLetter => before == Self::Letter && after == Self::Letter,
            Self::MidDigit => before == Self::Digit && after == Self::Digit,
            Self::Mid => before == after && matches!(before, Self::Letter | Self::Digit),
            _ => false,
        }
    }
}
