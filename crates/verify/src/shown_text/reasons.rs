//! Differences between heedful's lines and a browser's lines that the specification
//! (docs/semantics.md) demands, one row for each kind, with the reason. All other differences are
//! faults, or open questions.

use super::letters::Gap;

/// Position in the browser's tree of a gap between two letters.
pub(super) enum GapPlace {
    /// Between two text nodes that are separated by a tag of certain elements. The value lists the
    /// names of these elements.
    Tags(&'static [&'static str]),
    /// At white space inside a text node.
    Space,
    /// At a tag in the page's source that made no element of the tree.
    IgnoredTag,
}

/// A kind of difference between a gap in heedful's text and the same gap in the browser's text. A
/// gap is the white space between two letters. `reason` states why the specification
/// (docs/semantics.md) demands this difference.
pub(super) struct GapReason {
    pub(super) name: &'static str,
    pub(super) ours: &'static [Gap],
    pub(super) theirs: Gap,
    pub(super) place: GapPlace,
    pub(super) reason: &'static str,
}

#[rustfmt::skip]
pub(super) const GAPS: &[GapReason] = &[
    GapReason {
        name: "parted words",
        ours: &[Gap::Blank],
        theirs: Gap::Joined,
        place: GapPlace::Tags(&[
            "applet", "area", "audio", "base", "basefont", "bgsound", "button", "canvas", "embed", "frame", "iframe", "img", "input",
            "isindex", "keygen", "link", "map", "marquee", "math", "meta", "meter", "noembed", "noframes", "noscript", "object", "param",
            "picture", "progress", "rp", "rt", "script", "select", "source", "style", "svg", "template", "textarea", "track", "video",
        ]),
        reason: "replaced and form elements separate words, and so do those that are never rendered (law, 5)",
    },
    GapReason {
        name: "a tag that HTML ignores",
        ours: &[Gap::Blank],
        theirs: Gap::Joined,
        place: GapPlace::IgnoredTag,
        reason: "tags separate words in source order (law, 5), whatever the tree makes of them",
    },
    GapReason {
        name: "a line feed between wide characters",
        ours: &[Gap::Blank],
        theirs: Gap::Joined,
        place: GapPlace::Space,
        reason: "white space is a blank (law, 5); a browser drops some line feeds",
    },
    GapReason {
        name: "lines of a drawing",
        ours: &[Gap::Joined, Gap::Blank],
        theirs: Gap::Break,
        place: GapPlace::Tags(&["svg", "text", "foreignObject"]),
        reason: "the standard's algorithm knows no drawings; a browser breaks lines at each text",
    },
    GapReason {
        name: "lines of a formula",
        ours: &[Gap::Joined, Gap::Blank],
        theirs: Gap::Break,
        place: GapPlace::Tags(&["math", "mi", "mo", "mn", "ms", "mtext", "mrow", "semantics"]),
        reason: "the standard's algorithm knows no formulas; a browser breaks lines at each part",
    },
];

/// Finds the row of [`GAPS`] for a gap between two letters. The gap is `ours` in heedful's text and
/// `theirs` in the browser's text. Returns `None` if the specification does not demand this
/// difference.
///
/// `tags` are the tags between the two letters. If the letters are in different text nodes,
/// `inside` is `None`. Otherwise `inside` is true if there is white space between the letters.
pub(super) fn gap_reason(
    ours: Gap,
    theirs: Gap,
    inside: Option<bool>,
    tags: &[String],
) -> Option<&'static GapReason> {
    let stands = |name: &&'static str| tags.iter().any(|tag| tag.trim_start_matches('/') == *name);
    let is_there = |row: &GapReason| match row.place {
        GapPlace::Tags(elements) => inside.is_none() && elements.iter().any(&stands),
        GapPlace::Space => inside == Some(true),
        GapPlace::IgnoredTag => inside != Some(true),
    };
    GAPS.iter()
        .filter(|row| row.ours.contains(&ours) && row.theirs == theirs)
        .find(|row| is_there(row))
}

/// Reason why the landmark of a text in an element with `aria-hidden` may differ.
pub(super) const SILENT: &str =
    "the browser gives no roles of elements in `aria-hidden`, or other ones";
