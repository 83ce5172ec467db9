//! The one table of characters that people type in place of plain ones, grouped by the plain
//! character that is meant.
//!
//! Three properties of Unicode are covered completely: `White_Space`, `Quotation_Mark` and
//! `Default_Ignorable_Code_Point`. The last property has the invisible characters, all of
//! `Bidi_Control` among them. The forms of comma, semicolon, bar, colon and equals sign in other
//! scripts and widths are listed by hand. A test compares the table with Unicode's data. A
//! character that the table lacks is read as a letter.

use std::ops::RangeInclusive;

/// Class of characters that stand for the same plain character. For example, the class of commas
/// has all characters that authors type in place of `,`. Invisible characters are a class of their
/// own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignClass {
    /// Blanks of any width, and line ends.
    Blank,
    /// Invisible characters. Examples are the soft hyphen and control characters for the direction
    /// of text.
    Unseen,
    Comma,
    Semicolon,
    Bar,
    Colon,
    Equals,
    Quote,
}

impl SignClass {
    /// Returns the plain character of this class, for example `,` for the class of commas. Returns
    /// `None` for the class of invisible characters.
    pub(crate) fn plain(self) -> Option<char> {
        Some(match self {
            Self::Blank => ' ',
            Self::Unseen => return None,
            Self::Comma => ',',
            Self::Semicolon => ';',
            Self::Bar => '|',
            Self::Colon => ':',
            Self::Equals => '=',
            Self::Quote => '"',
        })
    }
}

/// Returns the class of the character `sign`. A class includes its plain character, so `,` belongs
/// to the class of commas. Returns `None` for letters and all other characters.
pub(crate) fn class_of(sign: char) -> Option<SignClass> {
    // Most texts consist of letters, digits and the punctuation of paths.
    if sign.is_ascii_alphanumeric() || matches!(sign, '-' | '.' | '/' | '_') {
        return None;
    }
    let at = SIGNS.partition_point(|(signs, _)| *signs.end() < sign);
    let (signs, class) = SIGNS.get(at)?;
    signs.contains(&sign).then_some(*class)
}

/// True if `byte` may begin the UTF-8 form of a non-ASCII character in the table `SIGNS`. Letters
/// of most scripts begin with other bytes.
pub(crate) fn may_begin(byte: u8) -> bool {
    matches!(
        byte,
        0xC2 | 0xCD | 0xD8 | 0xE1..=0xE3 | 0xEA | 0xEF | 0xF0 | 0xF3
    )
}

use SignClass::{Bar, Blank, Colon, Comma, Equals, Quote, Semicolon, Unseen};

/// Ranges of characters with their classes, in ascending order of the characters.
#[rustfmt::skip]
const SIGNS: [(RangeInclusive<char>, SignClass); 70] = [
    // HTML replaces NUL by U+FFFD, and decoding leaves U+FFFD for a quote in another encoding.
    ('\0'..='\0', Quote),
    ('\t'..='\r', Blank),
    (' '..=' ', Blank),
    ('"'..='"', Quote),
    ('\''..='\'', Quote),
    (','..=',', Comma),
    (':'..=':', Colon),
    (';'..=';', Semicolon),
    ('='..='=', Equals),
    // A backslash that was to escape a quote.
    ('\\'..='\\', Quote),
    ('`'..='`', Quote),
    ('|'..='|', Bar),
    ('\u{85}'..='\u{85}', Blank),
    ('\u{A0}'..='\u{A0}', Blank),
    ('«'..='«', Quote),
    ('\u{AD}'..='\u{AD}', Unseen),
    ('´'..='´', Quote),
    ('»'..='»', Quote),
    ('\u{34F}'..='\u{34F}', Unseen),
    ('،'..='،', Comma),
    ('؛'..='؛', Semicolon),
    ('\u{61C}'..='\u{61C}', Unseen),
    ('\u{115F}'..='\u{1160}', Unseen),
    ('\u{1680}'..='\u{1680}', Blank),
    ('\u{17B4}'..='\u{17B5}', Unseen),
    ('\u{180B}'..='\u{180F}', Unseen),
    ('\u{2000}'..='\u{200A}', Blank),
    ('\u{200B}'..='\u{200F}', Unseen),
    ('‘'..='‟', Quote),
    ('\u{2028}'..='\u{2029}', Blank),
    ('\u{202A}'..='\u{202E}', Unseen),
    ('\u{202F}'..='\u{202F}', Blank),
    ('′'..='‷', Quote),
    ('‹'..='›', Quote),
    ('\u{205F}'..='\u{205F}', Blank),
    ('\u{2060}'..='\u{206F}', Unseen),
    ('❛'..='❞', Quote),
    ('\u{2E42}'..='\u{2E42}', Quote),
    ('\u{3000}'..='\u{3000}', Blank),
    ('、'..='、', Comma),
    ('「'..='』', Quote),
    ('〝'..='〟', Quote),
    ('\u{3164}'..='\u{3164}', Unseen),
    ('꞉'..='꞉', Colon),
    ('\u{FE00}'..='\u{FE0F}', Unseen),
    ('︐'..='︑', Comma),
    ('︓'..='︓', Colon),
    ('︔'..='︔', Semicolon),
    ('﹁'..='﹄', Quote),
    ('﹐'..='﹑', Comma),
    ('﹔'..='﹔', Semicolon),
    ('﹕'..='﹕', Colon),
    ('﹦'..='﹦', Equals),
    ('\u{FEFF}'..='\u{FEFF}', Unseen),
    ('＂'..='＂', Quote),
    ('＇'..='＇', Quote),
    ('，'..='，', Comma),
    ('：'..='：', Colon),
    ('；'..='；', Semicolon),
    ('＝'..='＝', Equals),
    ('｜'..='｜', Bar),
    ('｢'..='｣', Quote),
    ('､'..='､', Comma),
    ('\u{FFA0}'..='\u{FFA0}', Unseen),
    ('\u{FFE8}'..='\u{FFE8}', Bar),
    ('\u{FFF0}'..='\u{FFF8}', Unseen),
    ('\u{FFFD}'..='\u{FFFD}', Quote),
    ('\u{1BCA0}'..='\u{1BCA3}', Unseen),
    ('\u{1D173}'..='\u{1D17A}', Unseen),
    ('\u{E0000}'..='\u{E0FFF}', Unseen),
];

#[cfg(test)]
mod tests {
    use regex_syntax::hir::{Class, HirKind};

    use super::*;

    /// Returns the ranges of characters that have the Unicode property `name`.
    fn ranges(name: &str) -> Vec<RangeInclusive<char>> {
        let pattern = regex_syntax::parse(&format!(r"\p{{{name}}}")).unwrap();
        let HirKind::Class(Class::Unicode(class)) = pattern.kind() else {
            panic!("{name} is no class of characters");
        };
        class
            .iter()
            .map(|range| range.start()..=range.end())
            .collect()
    }

    #[test]
    fn the_table_is_sorted() {
        assert!(SIGNS.iter().all(|(signs, _)| signs.start() <= signs.end()));
        assert!(
            SIGNS
                .windows(2)
                .all(|two| two[0].0.end() < two[1].0.start())
        );
    }

    #[test]
    fn signs_begin_with_few_bytes() {
        let signs = SIGNS
            .iter()
            .flat_map(|(signs, _)| signs.clone())
            .filter(|sign| !sign.is_ascii());
        for sign in signs {
            assert!(
                may_begin(sign.to_string().as_bytes()[0]),
                "{:X}",
                u32::from(sign)
            );
        }
    }

    /// Tests that the table is complete. It must have each character that Unicode calls white
    /// space, ignorable, a quotation mark or a mark of direction.
    #[test]
    fn each_sign_of_unicode_has_its_class() {
        let [blanks, unseen, quotes, directions] = [
            "White_Space",
            "Default_Ignorable_Code_Point",
            "Quotation_Mark",
            "Bidi_Control",
        ]
        .map(ranges);
        let has = |ranges: &[RangeInclusive<char>], sign| {
            ranges.iter().any(|range| range.contains(&sign))
        };
        for sign in '\0'..=char::MAX {
            let class = class_of(sign);
            let shown = u32::from(sign);
            assert_eq!(
                class == Some(Blank),
                has(&blanks, sign),
                "{shown:X}: {class:?}"
            );
            assert_eq!(
                class == Some(Unseen),
                has(&unseen, sign),
                "{shown:X}: {class:?}"
            );
            assert!(
                !has(&quotes, sign) || class == Some(Quote),
                "{shown:X}: {class:?}"
            );
            assert!(
                !has(&directions, sign) || class == Some(Unseen),
                "{shown:X}: {class:?}"
            );
        }
    }
}
