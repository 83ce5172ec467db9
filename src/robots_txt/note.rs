//! Notes on what looks wrong in a robots.txt. A note is never an error.

/// The kinds of things that look wrong. Their names are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RobotsNoteKind {
    /// A record that is no rule, between two agent lines. By RFC 9309 they are still one group.
    BetweenAgents,
    /// A denial that an allowance with the same pattern overrules.
    ShadowedRule,
    /// A group that can be for no bot.
    UnreachableGroup,
    /// A rule before any agent line. It is for nobody.
    NoGroup,
    /// A pattern that does not begin with a slash.
    NoSlash,
    /// A pattern with blanks in it. A part that begins with a slash behind a blank is a path of its own.
    SeveralPaths,
    /// A whole URL in place of a path.
    UrlAsPath,
    /// A key that is misspelt.
    MisspeltKey,
    /// A line without a colon.
    NoColon,
    /// Several keys in one line.
    SeveralKeys,
    /// Several agents in one line, or one between quotes or with stars.
    OddAgent,
    /// A line that is neither rule nor record nor comment.
    UnknownLine,
    /// A pattern that begins with a star, which the RFC does not know.
    StarFirst,
    /// A digit in a product token, which the RFC does not know.
    DigitInToken,
    /// A file that looks like HTML.
    Html,
    /// A file in UTF-16.
    Utf16,
    /// A file that begins with a byte order mark.
    ByteOrderMark,
    /// A file that is longer than the limit. The line is the last one that is read.
    TooLong,
    /// A group for a purpose, or one whose agent is the name of a purpose.
    PurposeGroup,
    /// A delay, rate, time of visit or sitemap whose value cannot be read.
    UnreadableValue,
}

/// The most lines that are reported for each kind. A file with more odd lines is no robots.txt, or is malicious.
pub(super) const MOST_NOTES: u32 = 100;

/// All kinds, in order.
pub(super) const KINDS: [RobotsNoteKind; 20] = [
    RobotsNoteKind::BetweenAgents,
    RobotsNoteKind::ShadowedRule,
    RobotsNoteKind::UnreachableGroup,
    RobotsNoteKind::NoGroup,
    RobotsNoteKind::NoSlash,
    RobotsNoteKind::SeveralPaths,
    RobotsNoteKind::UrlAsPath,
    RobotsNoteKind::MisspeltKey,
    RobotsNoteKind::NoColon,
    RobotsNoteKind::SeveralKeys,
    RobotsNoteKind::OddAgent,
    RobotsNoteKind::UnknownLine,
    RobotsNoteKind::StarFirst,
    RobotsNoteKind::DigitInToken,
    RobotsNoteKind::Html,
    RobotsNoteKind::Utf16,
    RobotsNoteKind::ByteOrderMark,
    RobotsNoteKind::TooLong,
    RobotsNoteKind::PurposeGroup,
    RobotsNoteKind::UnreadableValue,
];

crate::named::display!(RobotsNoteKind);

impl RobotsNoteKind {
    /// The stable name of the rule.
    pub fn name(self) -> &'static str {
        match self {
            Self::BetweenAgents => "not-a-rule-between-agents",
            Self::ShadowedRule => "shadowed-rule",
            Self::UnreachableGroup => "unreachable-group",
            Self::NoGroup => "no-group",
            Self::NoSlash => "no-slash",
            Self::SeveralPaths => "several-paths",
            Self::UrlAsPath => "url-as-path",
            Self::MisspeltKey => "misspelt-key",
            Self::NoColon => "no-colon",
            Self::SeveralKeys => "several-keys",
            Self::OddAgent => "odd-agent",
            Self::UnknownLine => "unknown-line",
            Self::StarFirst => "star-first",
            Self::DigitInToken => "digit-in-token",
            Self::Html => "html",
            Self::Utf16 => "utf-16",
            Self::ByteOrderMark => "byte-order-mark",
            Self::TooLong => "too-long",
            Self::PurposeGroup => "purpose-group",
            Self::UnreadableValue => "unreadable-value",
        }
    }

    /// True if some reader may understand something else than was meant. All readers agree on a line that only goes
    /// beyond the RFC.
    pub fn is_doubt(self) -> bool {
        !matches!(self, Self::StarFirst | Self::DigitInToken)
    }

    /// The message, for people.
    pub fn message(self) -> &'static str {
        match self {
            Self::BetweenAgents => "this line ends no group: the agents before and after it share their rules",
            Self::ShadowedRule => "an Allow with the same pattern overrules this",
            Self::UnreachableGroup => "this group names nobody",
            Self::NoGroup => "this rule stands before any User-agent: it is for nobody",
            Self::NoSlash => {
                "a pattern begins with a slash: as a denial it is read with one, as an allowance not at all"
            }
            Self::SeveralPaths => {
                "one line holds one path: most read the blanks as part of it; each path that begins with a slash is denied here"
            }
            Self::UrlAsPath => {
                "a path is wanted, not a URL: as a denial its path counts for pages of that host, as an allowance nothing"
            }
            Self::MisspeltKey => "this key is not spelt so: it is read as the one it means, where that one denies",
            Self::NoColon => "there is no colon: the line counts where it denies",
            Self::SeveralKeys => {
                "one line holds one key: here each counts where it denies, to others the rest is part of the first"
            }
            Self::OddAgent => {
                "an agent line holds one plain name: here it is for all that it means, where the rules deny"
            }
            Self::UnknownLine => "nobody knows this line: it says nothing",
            Self::StarFirst => "a pattern that begins with a star is read as it stands",
            Self::DigitInToken => "a product token has no digits by RFC 9309: it is read all the same",
            Self::Html => "this looks like HTML, not like a robots.txt",
            Self::Utf16 => "this is UTF-16: most readers see nothing in it",
            Self::ByteOrderMark => "a byte order mark stands in front: some readers lose the first line",
            Self::TooLong => "the file is longer than what is read: the lines after this one are not",
            Self::PurposeGroup => {
                "a group for a purpose, which drafts know and RFC 9309 does not: here its rules deny as others read them, and allow nothing"
            }
            Self::UnreadableValue => {
                "this value cannot be read: Crawl-delay takes seconds, Request-rate `1/10s`, Visit-time `0600-0845`, Sitemap a whole URL"
            }
        }
    }
}

/// One thing that looks wrong in a robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RobotsNote {
    pub(super) kind: RobotsNoteKind,
    pub(super) line: u32,
}

impl RobotsNote {
    /// The kind of the note.
    pub fn kind(self) -> RobotsNoteKind {
        self.kind
    }

    /// The line, from 1.
    pub fn line(self) -> u32 {
        self.line
    }
}
