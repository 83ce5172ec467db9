//! What looked wrong in a page. Never an error: broken input is told, and reading goes on.

use crate::bot::BotSet;
use crate::place::Place;

/// What looked wrong. The names are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum NoteKind {
    /// A region that is never closed: it runs to the end of the page.
    UnclosedRegion,
    /// A closing mark with nothing open: without effect.
    StrayClose,
    /// A marker that HTML does not take for a comment: without effect.
    BogusMarker,
    /// A word that no convention knows: without effect.
    UnknownToken,
    /// A value that cannot be read: without effect.
    UnreadableValue,
    /// A date that cannot be read: no expiry.
    UnreadableDate,
    /// Images are to be kept out of training, for which there is no facet.
    ImageTraining,
    /// Terms for a use stand elsewhere, and were not read.
    Terms,
    /// Bytes that are no text in the page's encoding: shown as U+FFFD.
    MalformedText,
    /// A `noscript` too long to be searched for META robots.
    LongNoscript,
    /// Classes of the profile in a page that does not declare it.
    UndeclaredProfile,
    /// A number of the profile without the name of a bot.
    UnknownRobot,
    /// An element that HTML ignores where it stands: what it says is without effect.
    IgnoredElement,
    /// What a late tag says of the page's root: taken as said of the whole page.
    LateAttributes,
    /// Content that HTML has moved after it was read: less of it is used.
    MovedContent,
    /// Content that a browser puts elsewhere than where it is written: it is not read, and no allowance rests on it.
    OutOfOrder,
    /// A region that is opened where one of its kind is open: each needs its own close.
    OpenedTwice,
    /// What looks like a statement and is none: without effect, unless the message says that it is heard where it denies.
    Lookalike,
    /// One tag or line that denies and allows the same thing: it is denied.
    Contradiction,
    /// A page whose last bytes are known to be missing: a denial could stand there.
    CutShort,
}

crate::named::display!(NoteKind);

impl NoteKind {
    /// Its stable name.
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

/// Something worth telling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub(crate) kind: NoteKind,
    pub(crate) bots: BotSet,
    pub(crate) dialect: Option<&'static str>,
    pub(crate) place: Option<Place>,
    pub(crate) message: String,
}

impl Note {
    /// What looked wrong.
    pub fn kind(&self) -> NoteKind {
        self.kind
    }

    /// For which bots of the pass.
    pub fn bots(&self) -> BotSet {
        self.bots
    }

    /// The convention that it is about; none where it is about no single one.
    pub fn dialect(&self) -> Option<&'static str> {
        self.dialect
    }

    /// Where; none for a header or for the page as a whole.
    pub fn place(&self) -> Option<Place> {
        self.place
    }

    /// For people.
    pub fn message(&self) -> &str {
        &self.message
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

/// The notes of one page: so many of each kind and for the same bots, the rest counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    kept: Vec<Note>,
    counts: Vec<(NoteKind, BotSet, usize)>,
    most: usize,
}

impl Notes {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    pub(crate) fn add(&mut self, note: Note) {
        let (kind, bots) = (note.kind, note.bots);
        let at = self.counts.iter().position(|(k, b, _)| (*k, *b) == (kind, bots)).unwrap_or_else(|| {
            self.counts.push((kind, bots, 0));
            self.counts.len() - 1
        });
        self.counts[at].2 += 1;
        if self.counts[at].2 <= self.most {
            self.kept.push(Note { message: cut(note.message), ..note });
        }
    }

    /// All that were kept, then one for each kind that had more.
    pub(crate) fn finish(mut self) -> Vec<Note> {
        for (kind, bots, count) in self.counts.into_iter().filter(|(_, _, count)| *count > self.most) {
            let message = format!("{} more of the kind {}", count - self.most, kind.name());
            self.kept.push(Note { kind, bots, dialect: None, place: None, message });
        }
        self.kept
    }
}
