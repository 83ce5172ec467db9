//! Splits texts into letters. A letter is a character that is not white space, with the gap before
//! it.

/// White space before a letter: none, a blank, or a line break. The order is from weak to strong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    Joined,
    Blank,
    Break,
}

impl Gap {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Joined => "nothing",
            Self::Blank => "a blank",
            Self::Break => "a line break",
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Letter {
    pub(super) c: char,
    pub(super) gap: Gap,
}

/// Splits a text into letters. A line feed becomes a line break, and all other white space becomes
/// a blank. U+FFFD is left out, since HTML parsers insert and drop it.
pub(super) fn letters(text: &str) -> Vec<Letter> {
    let mut found = Vec::new();
    let mut gap = Gap::Joined;
    for c in text.chars() {
        if c == '\n' {
            gap = Gap::Break;
        } else if c.is_whitespace() {
            gap = gap.max(Gap::Blank);
        } else if c != char::REPLACEMENT_CHARACTER {
            found.push(Letter { c, gap });
            gap = Gap::Joined;
        }
    }
    found
}

/// Joins letters to lines of text. The words of a line are separated by one blank.
pub(super) fn lines<'l>(letters: impl IntoIterator<Item = &'l Letter>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for letter in letters {
        match letter.gap {
            Gap::Break if !line.is_empty() => lines.push(std::mem::take(&mut line)),
            Gap::Blank if !line.is_empty() => line.push(' '),
            _ => {}
        }
        line.push(letter.c);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{letters, lines};

    #[test]
    fn white_space_is_one_gap() {
        let text = "\n one\u{a0} \ttwo \n \n\nthree ";
        assert_eq!(lines(&letters(text)), ["one two", "three"]);
        assert_eq!(lines(&letters(" \n ")), [""; 0]);
    }
}
