//! Notes on what looks wrong in a robots.txt. A note is never an error.

/// The most lines that are reported for each kind. A file with more odd lines is no robots.txt, or is malicious.
pub(super) const MOST_NOTES: u32 = 100;

/// Declares the kinds, each with its name and its message.
macro_rules! kinds {
    ($($(#[$meaning:meta])* $kind:ident, $name:literal, $message:literal;)+) => {
        /// The kinds of things that look wrong. Their names are stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum RobotsNoteKind {
            $($(#[$meaning])* $kind,)+
        }

        /// All kinds, in order.
        pub(super) const KINDS: &[RobotsNoteKind] = &[$(RobotsNoteKind::$kind),+];

        impl RobotsNoteKind {
            /// The stable name of the rule.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)+
                }
            }

            /// The message, for people.
            pub fn message(self) -> &'static str {
                match self {
                    $(Self::$kind => $message,)+
                }
            }
        }
    };
}

kinds! {
    /// A record that is no rule, between two agent lines. By RFC 9309 they are still one group.
    BetweenAgents, "not-a-rule-between-agents",
        "this line ends no group: the agents before and after it share their rules";
    /// A denial that an allowance with the same pattern overrules.
    ShadowedRule, "shadowed-rule",
        "an Allow with the same pattern overrules this";
    /// A group that can be for no bot.
    UnreachableGroup, "unreachable-group",
        "this group names nobody";
    /// A rule before any agent line. It is for nobody.
    NoGroup, "no-group",
        "this rule stands before any User-agent: it is for nobody";
    /// A pattern that does not begin with a slash.
    NoSlash, "no-slash",
        "a pattern begins with a slash: as a denial it is read with one, as an allowance not at all";
    /// A pattern with blanks in it. A part that begins with a slash behind a blank is a path of its own.
    SeveralPaths, "several-paths",
        "one line holds one path: most read the blanks as part of it; each path that begins with a slash is denied here";
    /// A whole URL in place of a path.
    UrlAsPath, "url-as-path",
        "a path is wanted, not a URL: as a denial its path counts for pages of that host, as an allowance nothing";
    /// A key that is misspelt.
    MisspeltKey, "misspelt-key",
        "this key is not spelt so: it is read as the one it means, where that one denies";
    /// A line without a colon.
    NoColon, "no-colon",
        "there is no colon: the line counts where it denies";
    /// Several keys in one line.
    SeveralKeys, "several-keys",
        "one line holds one key: here each counts where it denies, to others the rest is part of the first";
    /// Several agents in one line, or one between quotes or with stars.
    OddAgent, "odd-agent",
        "an agent line holds one plain name: here it is for all that it means, where the rules deny";
    /// A line that is neither rule nor record nor comment.
    UnknownLine, "unknown-line",
        "nobody knows this line: it says nothing";
    /// A pattern that begins with a star, which the RFC does not know.
    StarFirst, "star-first",
        "a pattern that begins with a star is read as it stands";
    /// A digit in a product token, which the RFC does not know.
    DigitInToken, "digit-in-token",
        "a product token has no digits by RFC 9309: it is read all the same";
    /// A file that looks like HTML.
    Html, "html",
        "this looks like HTML, not like a robots.txt";
    /// A file in UTF-16.
    Utf16, "utf-16",
        "this is UTF-16: most readers see nothing in it";
    /// A file that begins with a byte order mark.
    ByteOrderMark, "byte-order-mark",
        "a byte order mark stands in front: some readers lose the first line";
    /// A file that is longer than the limit. The line is the last one that is read.
    TooLong, "too-long",
        "the file is longer than what is read: the lines after this one are not";
    /// A group for a purpose, or one whose agent is the name of a purpose.
    PurposeGroup, "purpose-group",
        "a group for a purpose, which drafts know and RFC 9309 does not: here its rules deny as others read them, and allow nothing";
    /// A delay, rate, time of visit or sitemap whose value cannot be read.
    UnreadableValue, "unreadable-value",
        "this value cannot be read: Crawl-delay takes seconds, Request-rate `1/10s`, Visit-time `0600-0845`, Sitemap a whole URL";
}

crate::named::display!(RobotsNoteKind);

impl RobotsNoteKind {
    /// True if some reader may understand something else than was meant. All readers agree on a line that only goes
    /// beyond the RFC.
    pub fn is_doubt(self) -> bool {
        !matches!(self, Self::StarFirst | Self::DigitInToken)
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
