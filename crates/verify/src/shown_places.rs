//! Kinds of elements whose text heedful reads although a browser does not show it. Each row has one
//! kind and the reason.

/// A kind of element whose text heedful reads although a browser does not show it.
pub(crate) struct Place {
    pub(crate) name: &'static str,
    /// CSS selector of an element that contains the text. `:host` stands for a shadow root.
    pub(crate) selector: &'static str,
    pub(crate) reason: &'static str,
}

/// All kinds of elements whose text heedful reads although a browser does not show it. If several
/// rows match a text, the first of them applies.
#[rustfmt::skip]
pub(crate) const PLACES: &[Place] = &[
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

/// Returns the selectors of [`PLACES`] as a JSON array, which is inserted into `judge.html`.
pub(crate) fn selectors() -> String {
    let selectors: Vec<_> = PLACES.iter().map(|place| place.selector).collect();
    serde_json::to_string(&selectors).unwrap_or_else(|_| "[]".to_owned())
}
