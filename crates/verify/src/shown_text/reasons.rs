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

/// A gap between two letters that the law reads otherwise than a browser shows it.
pub(super) struct GapReason {
    pub(super) name: &'static str,
    pub(super) ours: Gap,
    pub(super) theirs: Gap,
    /// Elements of which at least one has a tag between the letters.
    pub(super) elements: &'static [&'static str],
    pub(super) reason: &'static str,
}

#[rustfmt::skip]
pub(super) const GAPS: &[GapReason] = &[
    GapReason {
        name: "parted words",
        ours: Gap::Blank,
        theirs: Gap::Joined,
        elements: &[
            "applet", "area", "audio", "base", "basefont", "bgsound", "button", "canvas", "embed", "frame", "iframe", "img", "input",
            "isindex", "keygen", "link", "map", "math", "meta", "meter", "noembed", "noframes", "noscript", "object", "param",
            "picture", "progress", "rp", "rt", "script", "select", "source", "style", "svg", "template", "textarea", "track", "video",
        ],
        reason: "replaced and form elements separate words, and so do those that are never rendered (law, 5)",
    },
];

/// Returns the reason of the law for a gap, if there is one. `tags` are the tags between the two
/// letters.
pub(super) fn gap_reason(ours: Gap, theirs: Gap, tags: &[String]) -> Option<&'static GapReason> {
    let stands = |name: &&str| tags.iter().any(|tag| tag.trim_start_matches('/') == *name);
    GAPS.iter()
        .filter(|row| row.ours == ours && row.theirs == theirs)
        .find(|row| row.elements.iter().any(|name| stands(&name)))
}

/// Returns the selectors of [`PLACES`] as a JSON array, for `judge.html`.
pub(crate) fn selectors() -> String {
    let selectors: Vec<_> = PLACES.iter().map(|place| place.selector).collect();
    serde_json::to_string(&selectors).unwrap_or_else(|_| "[]".to_owned())
}
