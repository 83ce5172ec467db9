//! Decides which part of the page a token belongs to: body text, title, heading, anchor text, or
//! content that no person sees.
//!
//! The rules for the parts of a page work in source order (docs/semantics.md, section 3). Only one
//! of them needs the tree: the rule whether a `template` makes a shadow root.
//! * A `template` is inert from its start tag to its end tag, unless it makes a shadow root. Nested
//!   templates are counted. The elements `script`, `style`, `iframe`, `noembed`, `noframes` and
//!   `noscript` are inert up to their end tag. In svg and `MathML`, `script` and `style` also end
//!   with the first tag that is not foreign, or with `</svg>` or `</math>`.
//! * The content of a shadow root belongs to its host. It is inert instead if it begins with a
//!   `col`.
//! * The title is the first `title` outside svg and shadow roots; later ones are not read. The
//!   `title` and `desc` of an svg are alternative text.
//! * A heading (`h1` to `h6`) runs from its start tag to the next start or end tag of any heading.
//! * In a page with frames there is neither text nor links, except the links of the frames
//!   (`frames`).
//! * A link's text runs from `<a href>` to the next tag of an `a`, or the end of a table cell or
//!   caption.

use crate::html::{self, Facts, Tag};
use crate::lex::{Token, TokenKind};

use super::block_kind::BlockContext;
use super::frames::Frames;
use super::gap::Gap;

/// Part of a page to which a text belongs.
///
/// ```
/// use heedful::{Bot, BotId, Field, Filter, Judged, PageEnd, Result, Sink, Use};
///
/// #[derive(Default)]
/// struct Title(String);
/// impl Sink for Title {
///     fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
///         if judged.field() == Field::Title && judged.allows(Use::Index, BotId::FIRST) {
///             self.0 += &judged.token().text();
///         }
///         Ok(())
///     }
///     fn finish(&mut self, _: &PageEnd) -> Result<()> { Ok(()) }
/// }
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let mut pass = filter.open_with("https://example.com/", Title::default())?;
/// pass.write(b"<title>Rye</title><p>Dark bread")?;
/// assert_eq!(pass.into_sink()?.0, "Rye");
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Field {
    /// Body text that a person sees.
    #[default]
    Body,
    /// The page's title: the first `title` outside of svg and shadow roots.
    Title,
    /// Text in the `title` or `desc` of an svg, which replaces the drawing. For the `alt` of an
    /// image, see [`Judged::alternative`](crate::Judged::alternative).
    Alternative,
    /// Text that no person sees: scripts, styles, templates, fallback content.
    Nowhere,
}

heedful_base::display!(Field);

impl Field {
    /// Returns the name of this part of a page: `body`, `title`, `alternative` or `nowhere`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Title => "title",
            Self::Alternative => "alternative",
            Self::Nowhere => "nowhere",
        }
    }
}

/// Part of the page, heading and link to which a token belongs. Headings and links are counted from
/// 1; 0 means none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[doc(hidden)]
pub struct TextRole {
    pub field: Field,
    /// True if the token is inside a `template` that makes no shadow root. Links and META tags
    /// inside such a `template` do not count as links and META tags of the page.
    pub(crate) in_template: bool,
    /// True if the page has frames in place of a body.
    pub(crate) has_frames: bool,
    /// True if HTML ignores the token. In a page with frames, HTML ignores tags and text that are
    /// not for frames. In a template with table columns, HTML ignores tags and text that are not
    /// for columns.
    pub(crate) is_dropped: bool,
    pub heading: u32,
    pub link: u32,
    pub(crate) block: BlockContext,
    pub(crate) gap: Gap,
}

/// Kind of an open template, by its effect on the content of the template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TemplateState {
    /// The template makes a shadow root: the content of the template belongs to the element around
    /// the template.
    Shadow,
    Inert,
    /// An element of svg or `MathML` with the name `template`.
    Foreign,
}

/// Content that HTML expects in a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TemplateContent {
    /// Not yet known: no start tag in the template has decided what HTML expects.
    Any,
    /// Columns: HTML ignores all text, and all other tags.
    Columns,
    Other,
}

/// Open templates, innermost last.
#[derive(Debug, Default)]
struct Templates {
    open: Vec<(TemplateState, TemplateContent)>,
    inert: u32,
}

impl Templates {
    fn start(&mut self, token: &Token<'_>, makes_root: bool) {
        if token.is_foreign() && token.is_self_closing() {
            return;
        }
        let template = if token.is_foreign() {
            TemplateState::Foreign
        } else if makes_root {
            TemplateState::Shadow
        } else {
            TemplateState::Inert
        };
        self.inert += u32::from(template == TemplateState::Inert);
        self.open.push((template, TemplateContent::Any));
    }

    /// Updates the innermost open template with a start tag. The tag may decide which content HTML
    /// expects in the template. In a template of table columns, HTML ignores all other content.
    fn decide(&mut self, name: &str) {
        let last = self.open.last_mut();
        let Some((
            template @ (TemplateState::Shadow | TemplateState::Inert),
            expected @ TemplateContent::Any,
        )) = last
        else {
            return;
        };
        if name == "col" {
            *expected = TemplateContent::Columns;
            self.inert += u32::from(
                std::mem::replace(template, TemplateState::Inert) != TemplateState::Inert,
            );
        } else if html::decides_template(name) {
            *expected = TemplateContent::Other;
        }
    }

    /// True if HTML ignores the token, since the innermost template has columns and the token is no
    /// column.
    fn ignores(&self, token: &Token<'_>) -> bool {
        matches!(self.open.last(), Some((_, TemplateContent::Columns)))
            && match token.kind() {
                TokenKind::Start | TokenKind::End => !matches!(token.name(), "col" | "template"),
                TokenKind::Text => !token.is_blank(),
                _ => false,
            }
    }

    fn end(&mut self) {
        if let Some((TemplateState::Inert, _)) = self.open.pop() {
            self.inert -= 1;
        }
    }

    /// Removes the templates of svg and `MathML` from the open templates, since svg and `MathML`
    /// have ended.
    #[inline]
    fn leave_foreign(&mut self) {
        if self.open.is_empty() {
            return;
        }
        self.open
            .retain(|(template, _)| *template != TemplateState::Foreign);
    }

    fn any(&self) -> bool {
        self.open
            .iter()
            .any(|(template, _)| *template != TemplateState::Foreign)
    }
}

#[derive(Debug, Default)]
pub(super) struct PartTracker {
    frames: Frames,
    /// True if the end tag of the head was seen.
    has_head_end: bool,
    templates: Templates,
    /// The open element whose content is not body text.
    inside: Option<OpenElement>,
    /// True in an HTML element whose text no person sees, such as a `script`, inside an svg `title`
    /// or `desc`. The field `inside` then has the `title` or `desc`. False in a `script` elsewhere.
    in_raw_text: bool,
    titles: u32,
    headings: u32,
    heading: u32,
    links: u32,
    link: u32,
}

#[derive(Debug)]
struct OpenElement {
    tag: Tag,
    foreign: bool,
    field: Field,
}

impl OpenElement {
    /// True if the start tag `token` ends this element. This happens only if the element is a
    /// `script` or `style` of svg or `MathML`, and the token is an HTML tag.
    fn is_left_by(&self, token: &Token<'_>) -> bool {
        self.foreign && self.field == Field::Nowhere && !token.is_foreign()
    }
}

impl PartTracker {
    /// True if a template is open whose content a browser does not show.
    pub(super) fn in_template(&self) -> bool {
        self.templates.inert > 0
    }

    /// True once the head is closed: by its end tag, by a token that begins the body, or by frames.
    pub(super) fn is_head_closed(&self) -> bool {
        self.has_head_end || !self.frames.awaits_body()
    }

    /// True if an HTML `template` is open, even one that makes a shadow root. META tags in a
    /// `template` do not count as META tags of the page.
    pub(super) fn in_any_template(&self) -> bool {
        self.templates.any()
    }

    /// True if the token is the start tag of a `template` that asks for a shadow root. The template
    /// makes the shadow root only if the element around the template may have one.
    #[inline]
    pub(super) fn asks_for_root(&self, token: &Token<'_>) -> bool {
        token.tag() == Tag::TEMPLATE
            && token.kind() == TokenKind::Start
            && !token.is_foreign()
            && !self.in_template()
            && !self.frames.is_inside()
            && html::asks_for_root(token.attribute("shadowrootmode").as_deref())
    }

    /// Updates the state with a token. Returns the part of the page to which the token belongs. A
    /// start tag belongs to the part that the tag begins. An end tag belongs to the part that the
    /// tag ends. `makes_root` is true if the token is the start tag of a `template` that makes a
    /// shadow root.
    #[inline]
    pub(super) fn update(&mut self, token: &Token<'_>, makes_root: bool) -> TextRole {
        if !self.frames.is_never() {
            self.update_frames(token);
        }
        match token.kind() {
            _ if self.is_plain_here() && !token.tag().has(Facts::CHANGES_TEXT) => {
                return TextRole {
                    heading: self.heading,
                    link: self.link,
                    ..TextRole::default()
                };
            }
            _ if self.frames.is_inside() => {}
            TokenKind::Start => self.start(token, makes_root),
            TokenKind::End => {
                let before = self.role(token);
                self.end(token.tag());
                return before;
            }
            _ => {}
        }
        self.role(token)
    }

    #[cold]
    fn update_frames(&mut self, token: &Token<'_>) {
        match self.inside.as_ref().filter(|inside| !inside.foreign) {
            _ if token.tag() == Tag::TEMPLATE && !token.is_foreign() => self.frames.forbid(),
            _ if self.in_any_template() => {}
            inside => {
                self.has_head_end |= token.kind() == TokenKind::End && token.name() == "head";
                self.frames
                    .update(token, self.in_raw_text || inside.is_some());
            }
        }
    }

    /// True if HTML ignores the token: see [`TextRole::is_dropped`].
    pub(super) fn ignores(&self, token: &Token<'_>) -> bool {
        self.frames.ignores(token) || self.templates.ignores(token)
    }

    /// True if text at this point of the page is body text. Only a tag with [`Facts::CHANGES_TEXT`]
    /// can then change the part of the page to which further text belongs.
    #[inline]
    fn is_plain_here(&self) -> bool {
        self.inside.is_none()
            && !self.in_raw_text
            && self.templates.open.is_empty()
            && !self.frames.is_inside()
    }

    #[inline]
    fn role(&self, token: &Token<'_>) -> TextRole {
        let field = match &self.inside {
            _ if self.in_template() || self.in_raw_text || self.frames.is_inside() => {
                Field::Nowhere
            }
            Some(inside) => inside.field,
            None => Field::Body,
        };
        TextRole {
            field,
            in_template: self.in_template(),
            has_frames: self.frames.is_inside(),
            is_dropped: self.ignores(token),
            heading: self.heading,
            link: self.link,
            ..TextRole::default()
        }
    }

    fn start(&mut self, token: &Token<'_>, makes_root: bool) {
        let tag = token.tag();
        // In svg an element like `style` may hold tags. A tag that is not foreign has ended it.
        if self
            .inside
            .as_ref()
            .is_some_and(|inside| inside.is_left_by(token))
        {
            self.inside = None;
        }
        if !token.is_foreign() && self.inside.is_none() {
            self.templates.leave_foreign();
        }
        self.templates.decide(token.name());
        if tag == Tag::TEMPLATE {
            self.templates.start(token, makes_root);
        }
        if self.in_template() {
            return;
        }
        match &self.inside {
            Some(inside) if inside.field == Field::Alternative => {
                self.in_raw_text = !token.is_foreign()
                    && (tag.has(Facts::INERT) || matches!(tag, Tag::SCRIPT | Tag::STYLE));
            }
            Some(_) => {}
            None => self.begin(token, tag),
        }
    }

    fn begin(&mut self, token: &Token<'_>, tag: Tag) {
        match tag {
            Tag::A if !token.is_foreign() => self.begin_link(token.attribute("href").is_some()),
            Tag::TITLE | Tag::DESC if token.is_foreign() => self.enter(token, Field::Alternative),
            Tag::TITLE if self.in_any_template() => self.enter(token, Field::Nowhere),
            Tag::TITLE => {
                self.titles += 1;
                let first = self.titles == 1;
                self.enter(token, if first { Field::Title } else { Field::Nowhere });
            }
            Tag::SCRIPT | Tag::STYLE => self.enter(token, Field::Nowhere),
            _ if tag.has(Facts::INERT) && !token.is_foreign() => self.enter(token, Field::Nowhere),
            _ if tag.has(Facts::HEADING) => {
                self.headings += 1;
                self.heading = self.headings;
            }
            _ => {}
        }
    }

    fn enter(&mut self, token: &Token<'_>, field: Field) {
        if !token.is_self_closing() {
            self.inside = Some(OpenElement {
                tag: token.tag(),
                foreign: token.is_foreign(),
                field,
            });
        }
    }

    fn begin_link(&mut self, is_link: bool) {
        if is_link {
            self.links += 1;
        }
        self.link = if is_link { self.links } else { 0 };
    }

    fn end(&mut self, tag: Tag) {
        if std::mem::take(&mut self.in_raw_text) {
            return;
        }
        match tag {
            Tag::TEMPLATE => return self.templates.end(),
            Tag::SVG | Tag::MATH => self.templates.leave_foreign(),
            _ => {}
        }
        if self.in_template() {
            return;
        }
        if let Some(inside) = &self.inside {
            if inside.tag == tag || inside.foreign && matches!(tag, Tag::SVG | Tag::MATH) {
                self.inside = None;
            }
            return;
        }
        match tag {
            Tag::A | Tag::TD | Tag::TH | Tag::CAPTION => self.link = 0,
            _ if tag.has(Facts::HEADING) => self.heading = 0,
            _ => {}
        }
    }
}
