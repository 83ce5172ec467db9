//! The text of a page as a browser shows it: lines, and the nodes of the tree that they come from.
//!
//! The lines are those of `innerText`, by the browser's own style sheet alone. `judge.html` reads
//! them twice. The second time each text node begins with its number, so that each line leads back
//! to its nodes.

use serde::Deserialize;

/// The text that a browser shows for a page.
#[derive(Debug, Deserialize)]
pub(crate) struct ShownPage {
    /// The page's `innerText`.
    pub(crate) plain: String,
    /// The same, with a number at the beginning of each text node.
    pub(crate) stamped: String,
    /// All text nodes that are not inert, also those that the browser does not show.
    pub(crate) texts: Vec<ShownText>,
    /// True if the browser tells the roles of elements.
    #[serde(default, rename = "hasRoles")]
    pub(crate) has_roles: bool,
}

/// A text node of a browser's tree.
#[derive(Debug, Deserialize)]
pub(crate) struct ShownText {
    pub(crate) text: String,
    /// Name of the element that holds the text.
    pub(crate) within: String,
    /// Index of the place that explains why the text is not shown, or -1.
    pub(crate) place: i64,
    /// Tags between the text node before this one and this one. End tags begin with a slash.
    pub(crate) tags: Vec<String>,
    /// Role of the nearest landmark round the text. Empty if there is none.
    pub(crate) landmark: String,
    /// Start tag of that landmark.
    pub(crate) tag: String,
    /// True if the text is in an element with `aria-hidden`.
    #[serde(rename = "isSilent")]
    pub(crate) is_silent: bool,
}
