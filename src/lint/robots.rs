//! Turns odd lines of a site's robots.txt into findings.

use crate::place::Place;
use crate::robots_txt::{RobotsNoteKind, RobotsTxt};

use super::finding::Finding;

/// The findings about a robots.txt, in the order of its lines.
///
/// ```
/// use heedful::{RobotsTxt, lint};
///
/// let found = lint::robots_txt(&RobotsTxt::parse(b"User-agent: *\nDisalow: /private/"));
/// assert_eq!(found[0].rule().id(), "robots-misspelt-line");
/// assert_eq!(found[0].place().map(|place| place.line()), Some(2));
/// ```
pub fn robots_txt(robots: &RobotsTxt) -> Vec<Finding> {
    let finding = |note: crate::robots_txt::RobotsNote| {
        Finding::new(rule(note.kind()), Some(Place::of_line(note.line())), note.kind().message().to_owned())
    };
    robots.notes().into_iter().map(finding).collect()
}

fn rule(kind: RobotsNoteKind) -> &'static str {
    match kind {
        RobotsNoteKind::UnknownLine | RobotsNoteKind::Html => "robots-unknown-line",
        RobotsNoteKind::MisspeltKey
        | RobotsNoteKind::NoColon
        | RobotsNoteKind::SeveralKeys
        | RobotsNoteKind::OddAgent
        | RobotsNoteKind::NoSlash
        | RobotsNoteKind::UrlAsPath => "robots-misspelt-line",
        RobotsNoteKind::ShadowedRule
        | RobotsNoteKind::UnreachableGroup
        | RobotsNoteKind::NoGroup
        | RobotsNoteKind::UnreadableValue
        | RobotsNoteKind::TooLong => "robots-lost-rule",
        RobotsNoteKind::StarFirst | RobotsNoteKind::DigitInToken => "robots-beyond-rfc",
        // Between agents, several paths, a group of a purpose, UTF-16, a byte order mark; and kinds to come.
        _ => "robots-read-otherwise",
    }
}
