//! The text of a page as a browser shows it: its lines, and the nodes of the tree that contain the
//! lines.
//!
//! The lines are those of `innerText`. Only the browser's own style sheet applies. `judge.html`
//! reads them twice. The second time each text node begins with its number, so that the nodes of
//! each line are known.

use serde::Deserialize;

/// The text that a browser shows for a page.
#[derive(Debug, Deserialize)]
pub(crate) struct ShownPage {
    /// The `innerText` of the page.
    pub(crate) plain: String,
    /// The `innerText` of the page after a number was inserted at the beginning of each text node.
    pub(crate) stamped: String,
    /// The text nodes of the page that are not in an inert element, such as a script. Text nodes
    /// that the browser does not show are included.
    pub(crate) texts: Vec<ShownText>,
    /// True if the browser reports the accessibility roles of elements.
    #[serde(default, rename = "hasRoles")]
    pub(crate) has_roles: bool,
}

/// A text node of a browser's tree.
#[derive(Debug, Deserialize)]
pub(crate) struct ShownText {
    pub(crate) text: String,
    /// Name of the element that contains the text node.
    pub(crate) within: String,
    /// Index in [`PLACES`](crate::shown_places::PLACES) of the row that explains why the text is
    /// not shown. It is -1 if no row explains it.
    pub(crate) place: i64,
    /// Names of the tags between the previous text node and this one. End tags begin with a slash.
    pub(crate) tags: Vec<String>,
    /// Role of the nearest landmark that contains the text. Empty if no landmark contains it.
    pub(crate) landmark: String,
    /// Start tag of the nearest landmark that contains the text.
    pub(crate) tag: String,
    /// True if the text is in an element with `aria-hidden`.
    #[serde(rename = "isSilent")]
    pub(crate) is_silent: bool,
}
