//! Notes on what looked wrong in a page. A note is never an error: broken input is reported, and
//! reading goes on.

use crate::place::Place;
use heedful_base::bot::BotSet;

/// The kinds of things that looked wrong. Their names are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoteKind {
    /// A region that is never closed: it runs to the end of the page.
    UnclosedRegion,
    /// A closing mark with nothing open. It has no effect.
    StrayClose,
    /// A marker that is no comment to HTML. It has no effect.
    BogusMarker,
    /// A word that no convention knows. It has no effect.
    UnknownToken,
    /// A value that cannot be read. It has no effect.
    UnreadableValue,
    /// A date that cannot be read. No expiry is set.
    UnreadableDate,
    /// A statement that keeps images out of training. There is no use for that.
    ImageTraining,
    /// Terms of use that are in another document, which was not read.
    Terms,
    /// Bytes that are no text in the page's encoding. They appear as U+FFFD.
    MalformedText,
    /// A `noscript` too long to be searched for META robots.
    LongNoscript,
    /// Classes of the profile in a page that does not declare it.
    UndeclaredProfile,
    /// A number of the profile without the name of a bot.
    UnknownRobot,
    /// An element that HTML ignores at its place. Its directives have no effect.
    IgnoredElement,
    /// A late tag with attributes for the page's root. Its directives count for the whole page.
    LateAttributes,
    /// Content that HTML moved after it was read. Less of it is used.
    MovedContent,
    /// Content that a browser puts elsewhere than where it is written. It is not read, and no
    /// allowance rests on it.
    OutOfOrder,
    /// A region that is opened while one of its kind is open. Each needs its own close.
    OpenedTwice,
    /// Something that looks like a statement and is none. It has no effect, unless the message says
    /// that its denial counts.
    Lookalike,
    /// One tag or line that denies and allows the same thing. The denial counts.
    Contradiction,
    /// A page whose last bytes are known to be missing. A denial could be in them.
    CutShort,
}

heedful_base::display!(NoteKind);

impl NoteKind {
    /// All kinds.
    #[doc(hidden)]
    pub const ALL: [Self; 20] = [
        Self::UnclosedRegion,
        Self::StrayClose,
        Self::BogusMarker,
        Self::UnknownToken,
        Self::UnreadableValue,
        Self::UnreadableDate,
        Self::ImageTraining,
        Self::Terms,
        Self::MalformedText,
        Self::LongNoscript,
        Self::UndeclaredProfile,
        Self::UnknownRobot,
        Self::IgnoredElement,
        Self::LateAttributes,
        Self::MovedContent,
        Self::OutOfOrder,
        Self::OpenedTwice,
        Self::Lookalike,
        Self::Contradiction,
        Self::CutShort,
    ];

    /// The stable name of the rule.
    pub fn name(self) -> &'static str {
        match self {
            Self::UnclosedRegion => "unclosed-region",
            Self::StrayClose => "stray-close",
            Self::BogusMarker => "bogus-marker",
            Self::UnknownToken => "unknown-token",
            Self::UnreadableValue => "unreadable-value",
            Self::UnreadableDate => "unreadable-date",
            Self::ImageTraining => "image-training",
            Self::Terms => "terms",
            Self::MalformedText => "malformed-text",
            Self::LongNoscript => "long-noscript",
            Self::UndeclaredProfile => "undeclared-profile",
            Self::UnknownRobot => "unknown-robot",
            Self::IgnoredElement => "ignored-element",
            Self::LateAttributes => "late-attributes",
            Self::MovedContent => "moved-content",
            Self::OutOfOrder => "out-of-order",
            Self::OpenedTwice => "opened-twice",
            Self::Lookalike => "lookalike",
            Self::Contradiction => "contradiction",
            Self::CutShort => "cut-short",
        }
    }
}

/// One thing that looked wrong in a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub(crate) kind: NoteKind,
    pub(crate) bots: BotSet,
    pub(crate) convention: Option<&'static str>,
    pub(crate) place: Option<Place>,
    pub(crate) message: String,
    /// The number of things of the kind that have no note of their own; 0 for a note about one
    /// thing.
    #[doc(hidden)]
    pub left_out: usize,
}

impl Note {
    /// The kind of the note.
    pub fn kind(&self) -> NoteKind {
        self.kind
    }

    /// For which bots of the pass.
    pub fn bots(&self) -> BotSet {
        self.bots
    }

    /// The convention that the note is about, or `None` if it is about no single one.
    pub fn convention(&self) -> Option<&'static str> {
        self.convention
    }

    /// The place in the page, or `None` for a header or the page as a whole.
    pub fn place(&self) -> Option<Place> {
        self.place
    }

    /// The message, for people.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The number of things that it is about. It is one, except where a page has more of a kind
    /// than are noted ([`Limits::notes`](heedful_base::limits::Limits::notes)): then its last note
    /// of that kind stands for the others.
    pub fn count(&self) -> usize {
        self.left_out.max(1)
    }
}

/// The most bytes of a message that are kept.
const KEPT_MESSAGE: usize = 400;

fn cut(mut message: String) -> String {
    if message.len() > KEPT_MESSAGE {
        message.truncate(message.floor_char_boundary(KEPT_MESSAGE));
        message.push_str("...");
    }
    message
}

/// The notes of one page. A number of them is kept for each kind and set of bots; the rest are
/// counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    kept: Vec<Note>,
    counts: Vec<(NoteKind, BotSet, usize)>,
    most: usize,
}

impl Notes {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            ..Self::default()
        }
    }

    pub(crate) fn add(&mut self, note: Note) {
        if self.count(note.kind, note.bots) <= self.most {
            self.kept.push(Note {
                message: cut(note.message),
                ..note
            });
        }
    }

    /// Counts one more note of a kind for some bots. Returns the count.
    fn count(&mut self, kind: NoteKind, bots: BotSet) -> usize {
        let known = self
            .counts
            .iter()
            .position(|(k, b, _)| (*k, *b) == (kind, bots));
        let at = known.unwrap_or_else(|| {
            self.counts.push((kind, bots, 0));
            self.counts.len() - 1
        });
        self.counts[at].2 += 1;
        self.counts[at].2
    }

    /// The kept notes, then one note for each kind that had more.
    pub(crate) fn finish(mut self) -> Vec<Note> {
        for (kind, bots, count) in self.counts {
            if count <= self.most {
                continue;
            }
            let left_out = count - self.most;
            let message = format!("{left_out} more of the kind {}", kind.name());
            self.kept.push(Note {
                kind,
                bots,
                convention: None,
                place: None,
                message,
                left_out,
            });
        }
        self.kept
    }
}
