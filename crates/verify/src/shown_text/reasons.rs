//! Where heedful's lines and a browser's differ because the law says so: one row a kind, with the
//! reason. All other differences are faults, or open questions.

use super::letters::Gap;

/// A place whose text the law reads although a browser does not show it.
pub(super) struct Place {
    pub(super) name: &'static str,
    /// CSS selector of an element round the text. `:host` stands for a shadow root.
    pub(super) selector: &'static str,
    pub(super) reason: &'static str,
}

/// The first row counts whose selector matches.
#[rustfmt::skip]
pub(super) const PLACES: &[Place] = &[
    Place { name: "shadow root", selector: ":host", reason: "content of a shadow root belongs to its host (law, 3); innerText leaves it out" },
    Place { name: "fallback", selector: "object,audio,video,canvas,meter,progress,embed", reason: "shown where the element cannot be; only what the law calls inert is no text" },
    Place { name: "choice", selector: "datalist,option,optgroup,select", reason: "options are text (law, 5)" },
    Place { name: "textarea", selector: "textarea", reason: "a person sees it; innerText leaves out what may be edited" },
    Place { name: "drawing", selector: "svg", reason: "text of a drawing is text wherever it stands in the drawing" },
    Place { name: "formula", selector: "math", reason: "text of a formula is text, annotations too" },
    Place { name: "ruby parenthesis", selector: "rp", reason: "text for whoever does not set ruby" },
    Place { name: "closed details", selector: "details:not([open])", reason: "a person can open it" },
    Place { name: "closed dialog", selector: "dialog:not([open])", reason: "hidden by the browser's style sheet alone, which nobody asked heedful to obey" },
    Place { name: "popover", selector: "[popover]", reason: "hidden by the browser's style sheet alone, which nobody asked heedful to obey" },
    Place { name: "hidden", selector: "[hidden]", reason: "hidden by the browser's style sheet alone, which nobody asked heedful to obey" },
];

/// Where a gap between two letters is in the browser's tree.
pub(super) enum GapPlace {
    /// Between two text nodes. At least one of these elements has a tag there.
    Tags(&'static [&'static str]),
    /// Inside a text node, at white space.
    Space,
    /// At a tag that no element of the tree shows.
    IgnoredTag,
}

/// A gap between two letters that the law reads otherwise than a browser shows it.
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

/// Returns the reason of the law for a gap, if there is one. `tags` are the tags between the two
/// letters. `inside` says of letters of one text node whether it has white space between them.
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

/// Why the landmark of a text may differ that accessibility tools do not read.
pub(super) const SILENT: &str =
    "the browser gives no roles of elements in `aria-hidden`, or other ones";

/// Returns the selectors of [`PLACES`] as a JSON array, for `judge.html`.
pub(crate) fn selectors() -> String {
    let selectors: Vec<_> = PLACES.iter().map(|place| place.selector).collect();
    serde_json::to_string(&selectors).unwrap_or_else(|_| "[]".to_owned())
}
