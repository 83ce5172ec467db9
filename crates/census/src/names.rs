//! The words of a census: the carrier of a statement, its subject and kind, and its audience. Their
//! names are stable.

use heedful::Use;

/// The thing that a statement is in: a file of the site, the response, or a part of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Carrier {
    /// A robots.txt.
    RobotsTxt,
    /// A tdmrep.json.
    Tdmrep,
    /// A header of the response.
    Header,
    /// The page, about itself: META, a link, a script of data.
    Page,
    /// Marks in the page, about the content between them.
    Region,
    /// An element, about its content.
    Element,
    /// A link or an image, about itself.
    Node,
}

impl Carrier {
    pub(super) const ALL: &[Self] = &[
        Self::RobotsTxt,
        Self::Tdmrep,
        Self::Header,
        Self::Page,
        Self::Region,
        Self::Element,
        Self::Node,
    ];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::RobotsTxt => "robots.txt",
            Self::Tdmrep => "tdmrep.json",
            Self::Header => "header",
            Self::Page => "page",
            Self::Region => "region",
            Self::Element => "element",
            Self::Node => "node",
        }
    }
}

/// The effect of a statement on its subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum StatementKind {
    /// It denies it.
    Deny,
    /// It allows it.
    Allow,
    /// It bounds it.
    Limit,
}

impl StatementKind {
    pub(super) const ALL: &[Self] = &[Self::Deny, Self::Allow, Self::Limit];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Allow => "allow",
            Self::Limit => "limit",
        }
    }
}

/// The bots that a statement is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Audience {
    /// Everybody, or everybody whom no other statement names.
    Everyone,
    /// Bots that it names, at least one of those that the census reads as among them.
    Named,
}

impl Audience {
    pub(super) const ALL: &[Self] = &[Self::Everyone, Self::Named];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Everyone => "everyone",
            Self::Named => "named",
        }
    }
}

/// The conventions that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum StatementSide {
    /// Only the statements that the settings obey.
    Obeyed,
    /// All that are known, as if each were obeyed.
    All,
}

impl StatementSide {
    pub(super) const ALL: &[Self] = &[Self::Obeyed, Self::All];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Obeyed => "obeyed",
            Self::All => "all",
        }
    }
}

/// How much of a page is denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PagePlace {
    /// The page as a whole.
    Page,
    /// Some of its text, while the page as a whole is allowed.
    Text,
}

impl PagePlace {
    pub(super) const ALL: &[Self] = &[Self::Page, Self::Text];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Text => "text",
        }
    }
}

/// The subject of a statement: a use, or a value that has no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum StatementSubject {
    /// Entering the page at all.
    Enter,
    /// A use.
    Use(Use),
    /// The length of a snippet.
    MaxSnippet,
    /// The size of an image preview.
    MaxImagePreview,
    /// The length of a video preview.
    MaxVideoPreview,
    /// The day on which the page expires.
    UnavailableAfter,
}

impl StatementSubject {
    /// The subjects that are no use.
    const OTHERS: [Self; 5] = [
        Self::Enter,
        Self::MaxSnippet,
        Self::MaxImagePreview,
        Self::MaxVideoPreview,
        Self::UnavailableAfter,
    ];

    /// The value of this name.
    pub(super) fn find(name: &str) -> Option<Self> {
        let mut subjects = Use::ALL.into_iter().map(Self::Use).chain(Self::OTHERS);
        subjects.find(|subject| subject.name() == name)
    }

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Enter => "enter",
            Self::Use(usage) => usage.name(),
            Self::MaxSnippet => "max-snippet",
            Self::MaxImagePreview => "max-image-preview",
            Self::MaxVideoPreview => "max-video-preview",
            Self::UnavailableAfter => "unavailable-after",
        }
    }
}

heedful_base::display!(
    Carrier,
    StatementKind,
    Audience,
    StatementSide,
    PagePlace,
    StatementSubject
);

/// Finds the value of a name.
macro_rules! find {
    ($($type:ident),+) => {$(
        impl $type {
            /// The value of this name.
            pub(super) fn find(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.name() == name)
            }
        }
    )+};
}

find!(Carrier, StatementKind, Audience, StatementSide, PagePlace);
