//! Notes on lines of a robots.txt that look wrong. A note is never an error, and changes no
//! decision.

/// Kind of a [`RobotsNote`]: what the note reports. The names of kinds are stable.
///
/// # Examples
///
/// ```
/// use heedful_robots::{RobotsNoteKind, RobotsTxt};
///
/// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: *.pdf\nDisalow: /a");
/// let kinds = robots.notes().into_iter().map(|note| note.kind());
/// let doubts: Vec<_> = kinds.filter(|kind| kind.is_doubt()).collect();
/// assert_eq!(doubts, [RobotsNoteKind::MisspeltKey]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RobotsNoteKind {
    /// Note on a record or unknown line between two agent lines. By RFC 9309 the two agents still
    /// share one group.
    BetweenAgents,
    /// Note on a denial without effect, because an allowance with the same pattern overrules it.
    ShadowedRule,
    /// Note on a group for an agent whose name no bot can have.
    UnreachableGroup,
    /// Note on a rule that comes before every agent line. Such a rule applies to no bot.
    NoGroup,
    /// Note on a pattern without a slash at its start, in a rule or a record.
    NoSlash,
    /// Note on a pattern with blanks, in a rule or a record. After a blank, a part that begins with
    /// a slash is a path of its own.
    SeveralPaths,
    /// Note on a rule or record with a whole URL in place of a path.
    UrlAsPath,
    /// Note on a line with a misspelt key, such as `Disalow: /a`.
    MisspeltKey,
    /// Note on a line with a known key but without a colon.
    NoColon,
    /// Note on a line with several keys, as if line ends were lost.
    SeveralKeys,
    /// Note on several agents in one line, or on an agent whose name is in quotes or has stars.
    OddAgent,
    /// Note on a line of an unknown kind, which has no effect. The line is no agent line, rule,
    /// record or comment.
    UnknownLine,
    /// Note on a rule or record whose pattern begins with a star. RFC 9309 does not define such a
    /// pattern.
    StarFirst,
    /// Note on a digit in an agent's product token, which RFC 9309 does not allow.
    DigitInToken,
    /// Note on a file that looks like HTML and not like a robots.txt.
    Html,
    /// Note on a file that is encoded in UTF-16.
    Utf16,
    /// Note on a file that begins with a byte order mark.
    ByteOrderMark,
    /// Note on a file that is longer than the limit for a robots.txt. The note's line number is
    /// that of the last line that is parsed.
    TooLong,
    /// Note on a group that is not for a bot but for a purpose, such as training. The group begins
    /// with a `User-Agent-Purpose` line, or its agent line names a purpose.
    PurposeGroup,
    /// Note on a record whose value does not parse. The value should be a delay, a rate, a time of
    /// visit or the URL of a sitemap.
    UnreadableValue,
}

/// Maximum number of notes of each kind for one file. A file with more lines that look wrong is no
/// robots.txt, or is malicious.
pub(super) const MOST_NOTES: u32 = 100;

macro_rules! kinds {
    ($($kind:ident $name:literal $message:literal;)+) => {
        /// All kinds of notes, each with its name and its message. They are in the order of the
        /// enum's variants.
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
        "unknown line: it has no effect";
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
    /// Stable name of the kind, as in the JSON output.
    pub fn name(self) -> &'static str {
        KINDS[self as usize].1
    }

    /// Message for people about a line with a note of this kind, in one sentence.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::RobotsTxt;
    ///
    /// let robots = RobotsTxt::parse(b"Disallow: /a");
    /// assert!(robots.notes()[0].kind().message().contains("before any User-agent"));
    /// ```
    pub fn message(self) -> &'static str {
        KINDS[self as usize].2
    }

    /// True if some robots may misinterpret a line with such a note, so that its effect is not what
    /// the publisher meant. False if all robots interpret the line in the same way, although RFC
    /// 9309 does not define it.
    ///
    /// ```
    /// use heedful_robots::RobotsNoteKind;
    ///
    /// assert!(RobotsNoteKind::MisspeltKey.is_doubt());
    /// // RFC 9309 knows no digits in names, but all robots read them.
    /// assert!(!RobotsNoteKind::DigitInToken.is_doubt());
    /// ```
    pub fn is_doubt(self) -> bool {
        !matches!(self, Self::StarFirst | Self::DigitInToken)
    }
}

/// Note on something that looks wrong in one line of a robots.txt.
///
/// # Examples
///
/// ```
/// use heedful_robots::RobotsTxt;
///
/// let robots = RobotsTxt::parse(b"Disallow: /a\nUser-agent: *\nDisallow: /b");
/// let note = robots.notes()[0];
/// assert_eq!((note.line(), note.kind().name()), (1, "no-group"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RobotsNote {
    pub(super) kind: RobotsNoteKind,
    pub(super) line: u32,
}

impl RobotsNote {
    /// Kind of the note: what looks wrong.
    pub fn kind(self) -> RobotsNoteKind {
        self.kind
    }

    /// Number of the line that the note is about, from 1.
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
