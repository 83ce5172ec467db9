//! The classes of differences.

/// The kinds of differences. The last four are faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    MoreDenied,
    NoteAdded,
    NoteGone,
    NoteChanged,
    /// An equal answer, by another line or directive.
    ReasonChanged,
    Other,
    /// One of the libraries panicked.
    Panic,
    LessDenied,
}

impl Class {
    pub(crate) const ALL: [Self; 8] = [
        Self::MoreDenied,
        Self::NoteAdded,
        Self::NoteGone,
        Self::NoteChanged,
        Self::ReasonChanged,
        Self::Other,
        Self::Panic,
        Self::LessDenied,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::MoreDenied => "more denied",
            Self::NoteAdded => "note added",
            Self::NoteGone => "note gone",
            Self::NoteChanged => "note changed",
            Self::ReasonChanged => "reason changed",
            Self::Other => "other",
            Self::Panic => "panic",
            Self::LessDenied => "less denied",
        }
    }

    pub(crate) fn is_fault(self) -> bool {
        self >= Self::ReasonChanged
    }

    /// Nothing in the list of differences excuses it.
    pub(crate) fn is_never_excused(self) -> bool {
        self >= Self::Panic
    }
}

/// The answer of both libraries to a question.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer {
    Same,
    /// An error of both, by its name.
    Refused(String),
    Differs(Vec<Difference>),
}

impl Answer {
    pub(crate) fn of(differences: Vec<Difference>) -> Self {
        if differences.is_empty() { Self::Same } else { Self::Differs(differences) }
    }
}

/// One difference. Differences with one class and one key are counted together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Difference {
    pub(crate) class: Class,
    pub(crate) key: String,
    pub(crate) was: String,
    pub(crate) is: String,
}

impl Difference {
    pub(crate) fn new(class: Class, key: impl Into<String>, was: impl Into<String>, is: impl Into<String>) -> Self {
        Self { class, key: key.into(), was: was.into(), is: is.into() }
    }
}

/// A line without what varies: its key in small letters, its signs, and `x` for each word. Signs beyond ASCII are
/// written as escapes.
pub(crate) fn shape(line: &str) -> String {
    let end = line.find(|sign: char| !sign.is_ascii_alphabetic() && sign != '-').unwrap_or(line.len());
    let mut shape = line[..end].to_ascii_lowercase();
    let mut is_word = false;
    for sign in line[end..].chars() {
        let is_part = sign.is_ascii_alphanumeric() || matches!(sign, '.' | '_' | '-' | '/' | '%');
        if is_part && !is_word {
            shape.push(if sign == '/' { '/' } else { 'x' });
        } else if !is_part && sign.is_ascii() && !sign.is_ascii_control() {
            shape.push(sign);
        } else if !is_part {
            shape.extend(sign.escape_default());
        }
        is_word = is_part;
        if shape.len() > 48 {
            shape.push_str("...");
            break;
        }
    }
    shape
}
