//! Notes on what looked wrong in a page. A note is never an error: broken input is reported, and
//! parsing continues. A note denies nothing by itself. If a badly written denial is obeyed, it has
//! a directive of its own beside the note.

use crate::place::Place;
use heedful_base::bot::BotSet;

/// Kinds of things that looked wrong in a page. The names of the kinds ([`NoteKind::name`]) are
/// stable.
///
/// ```
/// use heedful::{Bot, Filter, NoteKind};
///
/// let html = b"<p>Dark bread <!--noindex-->2 EUR";
/// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
/// for note in page.notes() {
///     let advice = match note.kind() {
///         NoteKind::UnclosedRegion => "close the region",
///         _ => "see the message",
///     };
///     assert_eq!((note.kind().name(), advice), ("unclosed-region", "close the region"));
/// }
/// assert_eq!(page.notes().count(), 1);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoteKind {
    /// A region whose closing comment is missing. The region extends to the end of the page.
    UnclosedRegion,
    /// A comment or tag that closes a region, although no region of this kind is open. The comment
    /// or tag has no effect.
    StrayClose,
    /// Markup that would open or close a region if it were a comment, such as `<!noindex>`. The
    /// markup has no effect.
    BogusMarker,
    /// An unknown word in the place of a directive. The word has no effect.
    UnknownToken,
    /// A value of a directive that cannot be parsed. The directive has no effect, unless the note's
    /// message says which denial is obeyed.
    UnreadableValue,
    /// A date that cannot be parsed. It is the date of an `unavailable_after`, or the date at which
    /// the page was fetched. The date is ignored.
    UnreadableDate,
    /// A statement that excludes only images from training. The statement has no effect, since no
    /// [`Use`](crate::Use) means training on images alone.
    ImageTraining,
    /// A reference to terms of use in another document, which the filter did not read.
    Terms,
    /// Bytes that are invalid in the page's encoding. They are decoded to U+FFFD.
    MalformedText,
    /// A `noscript` element that is too long to be searched for META robots.
    LongNoscript,
    /// Class names of the Robot Exclusion Profile in a page that does not declare the profile.
    /// Allowances in these class names have no effect.
    UndeclaredProfile,
    /// A class name of the Robot Exclusion Profile with a robot number, such as `robot3-noindex`.
    /// No bot name is known for this number.
    UnknownRobot,
    /// An element that HTML ignores at its position in the page. Its directives have no effect.
    IgnoredElement,
    /// An `html` or `body` tag after the element of that name was opened. HTML adds the tag's
    /// attributes to that element, so directives in these attributes have an effect on the whole
    /// page.
    LateAttributes,
    /// Content that a browser moves out of its element, or drops. Directives by which an affected
    /// element allows a use of its content are ignored, so more content is withheld.
    MovedContent,
    /// A `template` whose content a browser may put elsewhere. The text of such a `template` is not
    /// read. This kind also reports a placeholder, such as `<?marker?>`, into which a browser may
    /// put content. Directives by which an element around a placeholder allows a use of its content
    /// are then ignored.
    OutOfOrder,
    /// A region that is opened inside another open region of the same kind. Each of the two regions
    /// needs its own closing comment.
    OpenedTwice,
    /// Text that resembles a statement of a convention, but is none. Usually the text has no
    /// effect. If heedful obeys a denial in it, the note's message says so.
    Lookalike,
    /// A denial and an allowance of the same use in one tag or line. The denial wins.
    Contradiction,
    /// A page whose last bytes are known to be missing. The missing bytes could contain a denial.
    CutShort,
}

heedful_base::display!(NoteKind);

impl NoteKind {
    /// All kinds, in the order of their declaration.
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

    /// Returns the name of the kind, such as `unclosed-region`. The name is stable.
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

/// Report of one thing that looked wrong in a page.
///
/// ```
/// use heedful::{Bot, Filter};
///
/// let html = b"<p>\n<meta name=robots content=noidex>";
/// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
/// let note = page.notes().next().expect("a misspelt word");
/// assert_eq!(note.kind().name(), "unknown-token");
/// assert_eq!((note.convention(), note.place().map(|place| place.line())), (Some("meta"), Some(2)));
/// assert!(note.message().contains("noidex"));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub(crate) kind: NoteKind,
    pub(crate) bots: BotSet,
    pub(crate) convention: Option<&'static str>,
    pub(crate) place: Option<Place>,
    pub(crate) message: String,
    /// Number of problems that this note reports together. It is 0 for a note about a single
    /// problem. Problems are reported together if there are more of their kind than the limit
    /// `notes` allows.
    #[doc(hidden)]
    pub left_out: usize,
}

impl Note {
    /// Returns the kind of the note.
    pub fn kind(&self) -> NoteKind {
        self.kind
    }

    /// Returns the bots that the note concerns. All of them are bots of the pass.
    pub fn bots(&self) -> BotSet {
        self.bots
    }

    /// Returns the name of the convention that the note is about, or `None` if the note is not
    /// about a convention.
    pub fn convention(&self) -> Option<&'static str> {
        self.convention
    }

    /// Returns the place in the page that the note is about. Returns `None` if the note is about a
    /// header or about the page as a whole.
    pub fn place(&self) -> Option<Place> {
        self.place
    }

    /// Returns the note's message, a text for people to read. Its wording is not stable.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the number of problems that the note reports, usually 1.
    /// [`Limits::notes`](heedful_base::limits::Limits::notes) limits the number of notes of one
    /// kind. If a page has more problems of that kind, one last note reports the number of all
    /// further problems.
    ///
    /// ```
    /// use heedful::{Bot, Filter, Limits};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?).limits(Limits::default().notes(1));
    /// let html = b"<!--/noindex--><!--/noindex--><!--/noindex-->";
    /// let page = filter.page("https://example.com/", &[], html)?;
    /// let counts: Vec<_> = page.notes().map(|note| note.count()).collect();
    /// assert_eq!(counts, [1, 2]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn count(&self) -> usize {
        self.left_out.max(1)
    }
}

/// Maximum length of a note's message in bytes. A longer message is truncated.
const KEPT_MESSAGE: usize = 400;

fn cut(mut message: String) -> String {
    if message.len() > KEPT_MESSAGE {
        message.truncate(message.floor_char_boundary(KEPT_MESSAGE));
        message.push_str("...");
    }
    message
}

/// The notes of one page. At most `most` notes of each kind are stored for each set of bots.
/// Further notes are only counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    notes: Vec<Note>,
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
            self.notes.push(Note {
                message: cut(note.message),
                ..note
            });
        }
    }

    /// Counts one more note of `kind` for `bots`. Returns the new count.
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

    /// Returns the stored notes. If notes of one kind for the same set of bots were not stored, one
    /// further note reports their number.
    pub(crate) fn finish(mut self) -> Vec<Note> {
        for (kind, bots, count) in self.counts {
            if count <= self.most {
                continue;
            }
            let left_out = count - self.most;
            let message = format!("{left_out} more of the kind {}", kind.name());
            self.notes.push(Note {
                kind,
                bots,
                convention: None,
                place: None,
                message,
                left_out,
            });
        }
        self.notes
    }
}
