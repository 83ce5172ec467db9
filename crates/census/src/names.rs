//! Properties of the statements that a census counts: the carrier, what the statement is about (its
//! subject), the effect and the audience. The names of their values are stable, because censuses
//! are stored as JSON.

use heedful::Use;

/// Place where a publisher made a statement: a site file, an HTTP header, or a part of the page.
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
    /// The statement is in an element such as META or `link`, or in a script with data. The
    /// statement is about the whole page.
    Page,
    /// The statement is made by two comments in the page, which open and close a region. It is
    /// about the content between the comments.
    Region,
    /// The statement is made by an element or its attribute, as in `<p data-nosnippet>`. It is
    /// about the content of the element.
    Element,
    /// The statement is made by an attribute of a link or an image. It is about this link or image
    /// only.
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

    /// Returns the stable name of this carrier in the JSON of a census.
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

/// Effect of a publisher's statement on its subject (see [`StatementSubject`]).
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
    /// The statement denies its subject: a use of the page, or fetching it.
    Deny,
    /// The statement allows its subject, which is a use of the page.
    Allow,
    /// The statement limits its subject, for example the length of a snippet.
    Limit,
}

impl StatementKind {
    pub(super) const ALL: &[Self] = &[Self::Deny, Self::Allow, Self::Limit];

    /// Returns the stable name of this kind of statement in the JSON of a census.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Allow => "allow",
            Self::Limit => "limit",
        }
    }
}

/// Group of bots that a publisher's statement addresses.
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
    /// The statement addresses all bots. Bots that other statements name may be excepted.
    Everyone,
    /// The statement names bots, and at least one of them is a bot of the census.
    Named,
}

impl Audience {
    pub(super) const ALL: &[Self] = &[Self::Everyone, Self::Named];

    /// Returns the stable name of this audience in the JSON of a census.
    pub fn name(self) -> &'static str {
        match self {
            Self::Everyone => "everyone",
            Self::Named => "named",
        }
    }
}

/// Set of conventions whose effect a census counts. The effect is counted twice: for the
/// conventions that the filter obeys, and for all conventions.
///
/// # Examples
/// The filter obeys no convention, so no text is denied. With all conventions, the META element
/// would deny the whole text.
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
    /// The conventions that the filter of the census obeys.
    Obeyed,
    /// All known conventions. Their effect is counted as if the filter obeyed all of them.
    All,
}

impl StatementSide {
    pub(super) const ALL: &[Self] = &[Self::Obeyed, Self::All];

    /// Returns the stable name of this set of conventions in the JSON of a census.
    pub fn name(self) -> &'static str {
        match self {
            Self::Obeyed => "obeyed",
            Self::All => "all",
        }
    }
}

/// Part of a page for which a use is denied.
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
    /// The use is denied for the whole page.
    Page,
    /// The use is denied for some text of the page. It is allowed for the page as a whole.
    Text,
}

impl PagePlace {
    pub(super) const ALL: &[Self] = &[Self::Page, Self::Text];

    /// Returns the stable name of this part of a page in the JSON of a census.
    pub fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Text => "text",
        }
    }
}

/// Subject of a publisher's statement: fetching the page, a use of the page, or a limit such as the
/// maximum length of a snippet.
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
    /// The statement is about fetching the page, as in a rule of robots.txt.
    Enter,
    /// The statement is about a use of the page.
    Use(Use),
    /// The statement is about the maximum length of a snippet.
    MaxSnippet,
    /// The statement is about the maximum size of an image preview.
    MaxImagePreview,
    /// The statement is about the maximum length of a video preview.
    MaxVideoPreview,
    /// The statement is about the date on which the page expires (`unavailable_after`).
    UnavailableAfter,
}

impl StatementSubject {
    /// All subjects except the uses.
    const OTHERS: [Self; 5] = [
        Self::Enter,
        Self::MaxSnippet,
        Self::MaxImagePreview,
        Self::MaxVideoPreview,
        Self::UnavailableAfter,
    ];

    /// Finds a subject by its stable name. Returns `None` for an unknown name.
    pub(super) fn find(name: &str) -> Option<Self> {
        let mut subjects = Use::ALL.into_iter().map(Self::Use).chain(Self::OTHERS);
        subjects.find(|subject| subject.name() == name)
    }

    /// Returns the stable name of this subject in the JSON of a census.
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

/// Implements `find` for enums with `ALL` and `name`. This function finds a variant by its stable
/// name.
macro_rules! find {
    ($($type:ident),+) => {$(
        impl $type {
            /// Finds a variant by its stable name. Returns `None` for an unknown name.
            pub(super) fn find(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.name() == name)
            }
        }
    )+};
}

find!(Carrier, StatementKind, Audience, StatementSide, PagePlace);
