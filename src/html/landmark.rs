//! Landmarks: the parts of a page by their purpose, such as its main content or its navigation.
//!
//! An element is a landmark by its `role`, or else by its name. Sources: WAI-ARIA 1.2, and the HTML
//! Accessibility API Mappings (HTML-AAM). Of the words in a `role`, the first that is a role
//! counts. Classes and styles are not read. A `region` is a landmark of ARIA too, but not listed
//! here, since it tells nothing about its content.
//!
//! This file departs from HTML-AAM in one point. An element with the attribute `aria-labelledby`
//! counts as named, without a look at the element to which this attribute refers.

use std::borrow::Cow;

use heedful_base::error::{Error, Result};

use super::elements::Tag;

/// A part of a page by its purpose, as ARIA and HTML name it.
///
/// ```
/// use heedful::{Bot, Filter, Landmark};
///
/// let html = b"<nav><p>Home</nav><main><p>Dark bread</main><p role=contentinfo>2026";
/// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
/// let landmarks: Vec<_> = page.blocks().iter().map(|block| block.landmark()).collect();
/// let expected = [Landmark::Navigation, Landmark::Main, Landmark::ContentInfo].map(Some);
/// assert_eq!(landmarks, expected);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Landmark {
    /// The main content: a `main`.
    Main,
    /// Links for navigation: a `nav`.
    Navigation,
    /// A `header` of the page as a whole.
    Banner,
    /// A `footer` of the page as a whole.
    ContentInfo,
    /// Content beside the main content: an `aside`. If the `aside` is inside an article, a section
    /// or a navigation, it also needs an accessible name, such as an `aria-label`.
    Complementary,
    /// Controls for a search: a `search`.
    Search,
    /// A `form` that has an accessible name, such as an `aria-label`.
    Form,
}

heedful_base::display!(Landmark);

impl Landmark {
    /// All landmarks.
    pub const ALL: [Self; 7] = [
        Self::Main,
        Self::Navigation,
        Self::Banner,
        Self::ContentInfo,
        Self::Complementary,
        Self::Search,
        Self::Form,
    ];

    /// Returns the name of the landmark, which is its role in ARIA.
    pub fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Navigation => "navigation",
            Self::Banner => "banner",
            Self::ContentInfo => "contentinfo",
            Self::Complementary => "complementary",
            Self::Search => "search",
            Self::Form => "form",
        }
    }

    /// Returns the landmark with this name: a role of ARIA, or `nav`. `None` for any other name.
    fn from_name(name: &str) -> Option<Self> {
        let name = if name == "nav" { "navigation" } else { name };
        Self::ALL.into_iter().find(|known| known.name() == name)
    }
}

/// A set of landmarks. The set may also contain the text that is in no landmark, under the name
/// `none`.
///
/// ```
/// use heedful::{Landmark, Landmarks};
///
/// let kept: Landmarks = "main,none".parse()?;
/// assert!(kept.contains(None) && kept.contains(Some(Landmark::Main)));
/// assert!(!kept.contains(Some(Landmark::Navigation)));
/// assert_eq!("all,-nav".parse::<Landmarks>()?.to_string(), "main,banner,contentinfo,complementary,search,form,none");
/// assert!("sidebar".parse::<Landmarks>().is_err());
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Landmarks(u8);

heedful_base::from_str!(Landmarks);

impl Landmarks {
    /// The set of all text, in landmarks and outside of them.
    pub const ALL: Self = Self(u8::MAX);

    /// Returns the set that contains only this landmark. `None` means the text that is in no
    /// landmark.
    pub const fn one(landmark: Option<Landmark>) -> Self {
        Self(match landmark {
            Some(landmark) => 1 << landmark as u8,
            None => 1 << 7,
        })
    }

    /// True if text in this landmark is in the set. `None` means the text that is in no landmark.
    pub const fn contains(self, landmark: Option<Landmark>) -> bool {
        self.0 & Self::one(landmark).0 != 0
    }

    /// Returns this set without the landmarks that are in `others`.
    #[must_use]
    pub const fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// Parses names of landmarks, separated by commas. A name is `nav` or a role of ARIA, such as
    /// `main`. The name `none` means text in no landmark, and `all` means all text. A name with a
    /// leading minus removes its landmark from the set of the names to its left.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Setting`](crate::ErrorKind::Setting) if a name is unknown, or if the
    /// set is empty.
    fn parse(text: &str) -> Result<Self> {
        let mut all = Self(0);
        for word in text.split(',').map(str::trim) {
            let (name, is_taken) = match word.strip_prefix('-') {
                Some(name) => (name, true),
                None => (word, false),
            };
            let set = match name {
                "all" => Self::ALL,
                "none" => Self::one(None),
                _ => match Landmark::from_name(name) {
                    Some(landmark) => Self::one(Some(landmark)),
                    None => return Err(unknown(word)),
                },
            };
            all = if is_taken {
                all.without(set)
            } else {
                Self(all.0 | set.0)
            };
        }
        if all.0 == 0 {
            return Err(Error::setting("no landmark is left to read"));
        }
        Ok(all)
    }
}

impl std::fmt::Display for Landmarks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let landmarks = Landmark::ALL.into_iter().map(Some).chain([None]);
        let names: Vec<_> = landmarks
            .filter(|landmark| self.contains(*landmark))
            .map(|landmark| landmark.map_or("none", Landmark::name))
            .collect();
        f.pad(&names.join(","))
    }
}

fn unknown(word: &str) -> Error {
    let names: Vec<_> = Landmark::ALL.into_iter().map(Landmark::name).collect();
    Error::setting(format!(
        "`{word}` is no landmark; the landmarks are {}, and `none` for text in none of them",
        names.join(", ")
    ))
}

/// Role of an element. The role tells which landmark the element is, and whether elements inside it
/// can be landmarks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ElementRole {
    /// The landmark that the element is, if any.
    pub(crate) landmark: Option<Landmark>,
    /// True if the element is an article, an aside, a navigation or a section. A `header` or
    /// `footer` in it is not a landmark of the page.
    pub(crate) is_section: bool,
    /// True if the element is the main content. A `header` or `footer` in it is not a landmark of
    /// the page.
    pub(crate) is_main: bool,
}

/// Returns the role of an element with the name `tag`. `attribute` takes the name of an attribute,
/// and returns its value. `in_section` is true if an element around this element has
/// [`ElementRole::is_section`]. `in_main` is true if an element around this element has
/// [`ElementRole::is_main`].
pub(crate) fn element_role<'a>(
    tag: Tag,
    attribute: &impl Fn(&str) -> Option<Cow<'a, str>>,
    in_section: bool,
    in_main: bool,
) -> ElementRole {
    let is_section = matches!(tag, Tag::ARTICLE | Tag::ASIDE | Tag::NAV | Tag::SECTION);
    let is_main = tag == Tag::MAIN;
    if let Some(role) = written_role(attribute) {
        return ElementRole {
            landmark: match Landmark::from_name(role) {
                Some(Landmark::Form) if !has_name(attribute) => None,
                landmark => landmark,
            },
            is_section: is_section
                || matches!(role, "article" | "complementary" | "navigation" | "region"),
            is_main: is_main || role == "main",
        };
    }
    let landmark = match tag {
        Tag::MAIN => Some(Landmark::Main),
        Tag::NAV => Some(Landmark::Navigation),
        Tag::SEARCH => Some(Landmark::Search),
        Tag::HEADER if !in_section && !in_main => Some(Landmark::Banner),
        Tag::FOOTER if !in_section && !in_main => Some(Landmark::ContentInfo),
        Tag::ASIDE if !in_section || has_name(attribute) => Some(Landmark::Complementary),
        Tag::FORM if has_name(attribute) => Some(Landmark::Form),
        _ => None,
    };
    ElementRole {
        landmark,
        is_section,
        is_main,
    }
}

/// Returns the first known role of ARIA in an element's attribute `role`. Returns `None` if there
/// is no such role. `attribute` takes the name of an attribute, and returns its value.
fn written_role<'a>(attribute: &impl Fn(&str) -> Option<Cow<'a, str>>) -> Option<&'static str> {
    let value = attribute("role")?;
    value
        .split_ascii_whitespace()
        .find_map(|word| ROLES.iter().find(|role| word.eq_ignore_ascii_case(role)))
        .copied()
}

/// True if the attributes of an element give it an accessible name.
fn has_name<'a>(attribute: &impl Fn(&str) -> Option<Cow<'a, str>>) -> bool {
    ["aria-label", "aria-labelledby", "title"]
        .iter()
        .any(|name| attribute(name).is_some_and(|value| !value.trim().is_empty()))
}

/// All known roles of ARIA. The list has the roles of WAI-ARIA 1.2, without abstract roles. It also
/// has the roles of the drafts for WAI-ARIA 1.3, and of ARIA's modules for publishing and graphics.
#[rustfmt::skip]
const ROLES: &[&str] = &[
    "alert", "alertdialog", "application", "article", "associationlist", "associationlistitemkey",
    "associationlistitemvalue", "banner", "blockquote", "button", "caption", "cell", "checkbox", "code", "columnheader",
    "combobox", "comment", "complementary", "contentinfo", "definition", "deletion", "dialog", "directory", "document",
    "doc-abstract", "doc-acknowledgments", "doc-afterword", "doc-appendix", "doc-backlink", "doc-biblioentry",
    "doc-bibliography", "doc-biblioref", "doc-chapter", "doc-colophon", "doc-conclusion", "doc-cover", "doc-credit",
    "doc-credits", "doc-dedication", "doc-endnote", "doc-endnotes", "doc-epigraph", "doc-epilogue", "doc-errata",
    "doc-example", "doc-footnote", "doc-foreword", "doc-glossary", "doc-glossref", "doc-index", "doc-introduction",
    "doc-noteref", "doc-notice", "doc-pagebreak", "doc-pagefooter", "doc-pageheader", "doc-pagelist", "doc-part",
    "doc-preface", "doc-prologue", "doc-pullquote", "doc-qna", "doc-subtitle", "doc-tip", "doc-toc", "emphasis", "feed",
    "figure", "form", "generic", "graphics-document", "graphics-object", "graphics-symbol", "grid", "gridcell", "group",
    "heading", "image", "img", "insertion", "link", "list", "listbox", "listitem", "log", "main", "mark", "marquee",
    "math", "menu", "menubar", "menuitem", "menuitemcheckbox", "menuitemradio", "meter", "navigation", "none", "note",
    "option", "paragraph", "presentation", "progressbar", "radio", "radiogroup", "region", "row", "rowgroup",
    "rowheader", "scrollbar", "search", "searchbox", "separator", "slider", "spinbutton", "status", "strong",
    "subscript", "suggestion", "superscript", "switch", "tab", "table", "tablist", "tabpanel", "term", "textbox",
    "time", "timer", "toolbar", "tooltip", "tree", "treegrid", "treeitem",
];
