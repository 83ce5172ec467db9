//! Notes on what looks wrong in a robots.txt. A note is never an error.

/// The kinds of things that look wrong. Their names are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RobotsNoteKind {
    /// A record that is no rule, between two agent lines. By RFC 9309 they are still one group.
    BetweenAgents,
    /// A denial that an allowance with the same pattern overrules.
    ShadowedRule,
    /// A group that can be for no bot.
    UnreachableGroup,
    /// A rule before any agent line. It is for no bot.
    NoGroup,
    /// A pattern that does not begin with a slash.
    NoSlash,
    /// A pattern with blanks in it. A part that begins with a slash after a blank is a path of its
    /// own.
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

/// The most lines that are reported for each kind. A file with more odd lines is no robots.txt, or
/// is malicious.
pub(super) const MOST_NOTES: u32 = 100;

macro_rules! kinds {
    ($($kind:ident $name:literal $message:literal;)+) => {
        /// All kinds in order, each with its name and its message.
        pub(super) const KINDS: &[(RobotsNoteKind, &str, &str)] = &[$((RobotsNoteKind::$kind, $name, $message)),+];
    };
}

kinds! {
    BetweenAgents "not-a-rule-between-agents"
        "this line ends no group: the agents before and after it share their rules";
    ShadowedRule "shadowed-rule"
        "an Allow with the same pattern overrules this";
    UnreachableGroup "unreachable-group"
        "this group names nobody";
    NoGroup "no-group"
        "this rule stands before any User-agent: it is for nobody";
    NoSlash "no-slash"
        "a pattern begins with a slash: as a denial it is read with one, as an allowance not at all";
    SeveralPaths "several-paths"
        "one line holds one path: most read the blanks as part of it; each path that begins with a slash is denied here";
    UrlAsPath "url-as-path"
        "a path is wanted, not a URL: as a denial its path counts for pages of that host, as an allowance nothing";
    MisspeltKey "misspelt-key"
        "this key is not spelt so: it is read as the one it means, where that one denies";
    NoColon "no-colon"
        "there is no colon: the line counts where it denies";
    SeveralKeys "several-keys"
        "one line holds one key: here each counts where it denies, to others the rest is part of the first";
    OddAgent "odd-agent"
        "an agent line holds one plain name: here it is for all that it means, where the rules deny";
    UnknownLine "unknown-line"
        "nobody knows this line: it says nothing";
    StarFirst "star-first"
        "a pattern that begins with a star is read as it stands";
    DigitInToken "digit-in-token"
        "a product token has no digits by RFC 9309: it is read all the same";
    Html "html"
        "this looks like HTML, not like a robots.txt";
    Utf16 "utf-16"
        "this is UTF-16: most readers see nothing in it";
    ByteOrderMark "byte-order-mark"
        "a byte order mark stands in front: some readers lose the first line";
    TooLong "too-long"
        "the file is longer than what is read: the lines after this one are not";
    PurposeGroup "purpose-group"
        "a group for a purpose, which drafts know and RFC 9309 does not: here its rules deny as others read them, and allow nothing";
    UnreadableValue "unreadable-value"
        "this value cannot be read: Crawl-delay takes seconds, Request-rate `1/10s`, Visit-time `0600-0845`, Sitemap a whole URL";
}

heedful_base::display!(RobotsNoteKind);

impl RobotsNoteKind {
    /// The stable name of the rule.
    pub fn name(self) -> &'static str {
        KINDS[self as usize].1
    }

    /// The message, for people.
    pub fn message(self) -> &'static str {
        KINDS[self as usize].2
    }

    /// True if some reader may understand something else than was meant. All readers agree on a
    /// line that only goes beyond the RFC.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_numbered_in_their_order() {
        assert!(
            KINDS
                .iter()
                .enumerate()
                .all(|(at, (kind, ..))| *kind as usize == at)
        );
        assert_eq!(RobotsNoteKind::UnreadableValue as usize, KINDS.len() - 1);
    }
}
