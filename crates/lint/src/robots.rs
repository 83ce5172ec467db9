//! Converts notes on a robots.txt into findings.

use heedful::Place;
use heedful_robots::{RobotsNoteKind, RobotsTxt};

use super::finding::Finding;

/// Returns the findings about a robots.txt, in the order of its lines.
///
/// # Examples
///
/// ```
/// use heedful_lint as lint;
/// use heedful::RobotsTxt;
///
/// let found = lint::robots_txt(&RobotsTxt::parse(b"User-agent: *\nDisalow: /private/"));
/// assert_eq!(found[0].rule().id(), "robots-misspelt-line");
/// assert_eq!(found[0].place().map(|place| place.line()), Some(2));
/// ```
pub fn robots_txt(robots: &RobotsTxt) -> Vec<Finding> {
    let mut findings = Vec::new();
    for note in robots.notes() {
        findings.push(Finding::new(
            rule(note.kind()),
            Some(Place::from_line(note.line())),
            note.kind().message().to_owned(),
        ));
    }
    findings
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
        RobotsNoteKind::BetweenAgents
        | RobotsNoteKind::SeveralPaths
        | RobotsNoteKind::PurposeGroup
        | RobotsNoteKind::Utf16
        | RobotsNoteKind::ByteOrderMark => "robots-read-otherwise",
        RobotsNoteKind::StarFirst | RobotsNoteKind::DigitInToken => "robots-beyond-rfc",
    }
}
