//! Properties of the statements that a census counts: the carrier, what the statement is about (its
//! subject), the effect and the audience. The names of their values are stable, because censuses
//! are stored as JSON.

use heedful::Use;

/// The place where a publisher made a statement: a site file, a header, or a part of the page.
///
/// # Examples
/// ```
/// use heedful_census::Carrier;
///
/// let is_site_file = |carrier| matches!(carrier, Carrier::RobotsTxt | Carrier::Tdmrep);
/// assert!(is_site_file(Carrier::RobotsTxt) && !is_site_file(Carrier::Header));
/// assert_eq!(Carrier::RobotsTxt.to_string(), "robots.txt");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Carrier {
    /// The statement is in a robots.txt file.
    RobotsTxt,
    /// The statement is in a tdmrep.json file.
    Tdmrep,
    /// The statement is in a header of the HTTP response.
    Header,
    /// The statement is made by an element and is about the whole page. The element is META,
    /// `link`, or a script with data.
    Page,
    /// The statement is made by comments in the page that open and close a region. It is about the
    /// content between them.
    Region,
    /// The statement is made by an element or its attribute, as in `<p data-nosnippet>`. It is
    /// about the element's content.
    Element,
    /// The statement is made by an attribute of a link or image, and is about this link or image.
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

    /// Returns the stable name of the carrier.
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

/// The effect of a publisher's statement on its subject.
///
/// # Examples
/// ```
/// use heedful_census::StatementKind;
///
/// assert_eq!(StatementKind::Deny.name(), "deny");
/// assert_eq!(StatementKind::Limit.to_string(), "limit");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum StatementKind {
    /// The statement denies its subject.
    Deny,
    /// The statement allows its subject.
    Allow,
    /// The statement limits its subject, for example the length of a snippet.
    Limit,
}

impl StatementKind {
    pub(super) const ALL: &[Self] = &[Self::Deny, Self::Allow, Self::Limit];

    /// Returns the stable name of the effect.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Allow => "allow",
            Self::Limit => "limit",
        }
    }
}

/// The bots that a publisher's statement addresses.
///
/// # Examples
/// ```
/// use heedful_census::Audience;
///
/// assert_eq!(Audience::Everyone.name(), "everyone");
/// assert!(Audience::Everyone < Audience::Named); // the order of rows
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Audience {
    /// The statement addresses all bots, or all bots except those that other statements name.
    Everyone,
    /// The statement names bots, and at least one of them is a bot of the census.
    Named,
}

impl Audience {
    pub(super) const ALL: &[Self] = &[Self::Everyone, Self::Named];

    /// Returns the stable name of the audience.
    pub fn name(self) -> &'static str {
        match self {
            Self::Everyone => "everyone",
            Self::Named => "named",
        }
    }
}

/// The set of conventions whose effect a census counts.
///
/// # Examples
/// The share of denied text, by the obeyed conventions and as if every known one were obeyed:
/// ```
/// use heedful::{Bot, Conventions, Filter, Use};
/// use heedful_census::{Counter, StatementSide};
///
/// let filter = Filter::new(Bot::new("FooBot")?).conventions(Conventions::parse("none")?);
/// let counter = Counter::new(&filter)?;
/// let mut census = counter.census();
/// census.add(&counter.page("https://example.com/", |mut pass| {
///     pass.write(b"<meta name=robots content=noindex><p>Rye")?;
///     Ok(pass)
/// })?);
/// let denied = |side| census.share_of_denied_text(side, 0, Use::Index).share();
/// assert_eq!(denied(StatementSide::Obeyed), Some(0.0));
/// assert_eq!(denied(StatementSide::All), Some(1.0));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum StatementSide {
    /// Only the effect of conventions that the filter of the census obeys is counted.
    Obeyed,
    /// The effect of all known conventions is counted, as if each were obeyed.
    All,
}

impl StatementSide {
    pub(super) const ALL: &[Self] = &[Self::Obeyed, Self::All];

    /// Returns the stable name of this set of conventions.
    pub fn name(self) -> &'static str {
        match self {
            Self::Obeyed => "obeyed",
            Self::All => "all",
        }
    }
}

/// The part of a page whose use is denied.
///
/// # Examples
/// ```
/// use heedful::{Bot, Filter, Use};
/// use heedful_census::{CensusRow, Counter, PagePlace, StatementSide};
///
/// let counter = Counter::new(&Filter::new(Bot::new("FooBot")?))?;
/// let page = counter.page("https://example.com/", |mut pass| {
///     pass.write(b"<p>Rye <!--noindex-->and rue<!--/noindex-->")?;
///     Ok(pass)
/// })?;
/// let by = StatementSide::Obeyed;
/// let denied = |part| CensusRow::Denied { by, bot: 0, usage: Use::Index, part };
/// assert!(page.has(denied(PagePlace::Text)) && !page.has(denied(PagePlace::Page)));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PagePlace {
    /// The use is denied for the page as a whole.
    Page,
    /// The use is denied for some of the page's text, while it is allowed for the page as a whole.
    Text,
}

impl PagePlace {
    pub(super) const ALL: &[Self] = &[Self::Page, Self::Text];

    /// Returns the stable name of this part of a page.
    pub fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Text => "text",
        }
    }
}

/// What a publisher's statement is about: a use of the page, or a limited value.
///
/// # Examples
/// ```
/// use heedful::Use;
/// use heedful_census::StatementSubject;
///
/// assert_eq!(StatementSubject::Use(Use::Train).name(), "train");
/// assert_eq!(StatementSubject::MaxSnippet.to_string(), "max-snippet");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum StatementSubject {
    /// The statement is about whether the page may be fetched at all, by robots.txt.
    Enter,
    /// The statement is about a use of the page.
    Use(Use),
    /// The statement is about the maximum length of a snippet.
    MaxSnippet,
    /// The statement is about the maximum size of an image preview.
    MaxImagePreview,
    /// The statement is about the maximum length of a video preview.
    MaxVideoPreview,
    /// The statement is about the date on which the page expires.
    UnavailableAfter,
}

impl StatementSubject {
    /// What a statement can be about other than a [`Use`], for example the length of a snippet.
    const OTHERS: [Self; 5] = [
        Self::Enter,
        Self::MaxSnippet,
        Self::MaxImagePreview,
        Self::MaxVideoPreview,
        Self::UnavailableAfter,
    ];

    /// Finds what a statement can be about by its stable name.
    pub(super) fn find(name: &str) -> Option<Self> {
        let mut subjects = Use::ALL.into_iter().map(Self::Use).chain(Self::OTHERS);
        subjects.find(|subject| subject.name() == name)
    }

    /// Returns the stable name of what the statement is about.
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

/// Implements the function `find`, which looks up a variant of an enum by its stable name.
macro_rules! find {
    ($($type:ident),+) => {$(
        impl $type {
            /// Finds a variant by its stable name. Returns None for an unknown name.
            pub(super) fn find(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.name() == name)
            }
        }
    )+};
}

find!(Carrier, StatementKind, Audience, StatementSide, PagePlace);
