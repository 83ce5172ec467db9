//! A token with its verdict, as the walk passes it to sinks.

use std::borrow::Cow;

use url::Url;

use crate::html::{self, Tag};
use crate::ledger::{Ledger, VerdictId};
use crate::lex::{Token, TokenKind};
use crate::locate::{Field, TextRole};
use crate::policy::{Use, Verdict};
use heedful_base::bot::{BotId, BotSet};

use super::held::HeldText;

/// A token with its verdict by the directives read so far. The denials for the page as a whole may
/// still increase before the page ends.
///
/// ```
/// use heedful::{Bot, BotId, Filter, Judged, PageEnd, Result, Sink, Use};
///
/// #[derive(Default)]
/// struct Withheld(Vec<String>);
/// impl Sink for Withheld {
///     fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
///         if judged.is_visible_text() && !judged.allows(Use::Index, BotId::FIRST) {
///             self.0.push(judged.token().raw().to_owned());
///         }
///         Ok(())
///     }
///     fn finish(&mut self, _: &PageEnd) -> Result<()> { Ok(()) }
/// }
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let mut pass = filter.open_with("https://example.com/", Withheld::default())?;
/// pass.write(b"<p>Dark <!--googleoff: index-->bread<!--googleon: index-->")?;
/// assert_eq!(pass.into_sink()?.0, ["bread"]);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug)]
pub struct Judged<'a> {
    pub(super) token: &'a Token<'a>,
    pub(super) verdict: &'a Verdict,
    pub(super) id: VerdictId,
    pub(super) role: TextRole,
    pub(super) breaks: BotSet,
    /// Denials for the page as a whole, by the directives so far.
    pub(super) page_verdict: &'a Verdict,
    pub(super) denied_by_tag_alone: BotSet,
    /// All bots of the pass.
    pub(super) all: BotSet,
    pub(super) is_mark: bool,
    pub(super) ledger: &'a Ledger,
}

impl<'a> Judged<'a> {
    /// Returns the token itself, which may be withheld.
    pub fn token(&self) -> &'a Token<'a> {
        self.token
    }

    /// Returns the bots to which `usage` of this token is denied by the directives read so far.
    pub fn denied(&self, usage: Use) -> BotSet {
        self.verdict
            .denied(usage)
            .or(self.page_verdict.denied(usage))
    }

    /// True if the directives read so far allow `bot` to use this token for `usage`. False for a
    /// bot that the pass does not have.
    pub fn allows(&self, usage: Use, bot: BotId) -> bool {
        self.is_for(bot) && !self.denied(usage).contains(bot)
    }

    /// Returns the text of this token if it is body text that `bot` may have for `usage`. A search
    /// index passes [`Use::Index`]. Body text is text that a person who reads the page sees. White
    /// space alone is text too.
    ///
    /// Returns `None` if the text is denied by the directives so far. Also returns `None` for
    /// tokens other than text, for the title, and for text in scripts, styles and templates.
    ///
    /// A later tag may still deny the text. So the text can be read only at the end of the page:
    /// see [`HeldText::read`].
    pub fn text(&self, usage: Use, bot: BotId) -> Option<HeldText<'a>> {
        self.text_of(Field::Body, usage, bot)
    }

    /// Returns the text of this token like [`Judged::text`], but for any part of the page, such as
    /// the title. Returns `None` if the text does not belong to the part `field`. Always returns
    /// `None` for [`Field::Nowhere`].
    ///
    /// ```
    /// use heedful::{Bot, BotId, Field, Filter, HeldText, Judged, PageEnd, Result, Sink, Use};
    ///
    /// #[derive(Default)]
    /// struct Title(Vec<HeldText<'static>>, String);
    /// impl Sink for Title {
    ///     fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
    ///         let text = judged.text_of(Field::Title, Use::Index, BotId::FIRST);
    ///         self.0.extend(text.map(HeldText::into_owned));
    ///         Ok(())
    ///     }
    ///     fn finish(&mut self, end: &PageEnd) -> Result<()> {
    ///         self.1 = self.0.iter().filter_map(|text| text.read(end)).collect();
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let mut pass = filter.open_with("https://example.com/", Title::default())?;
    /// pass.write(b"<title>Rye &amp; wheat</title><p>Dark bread")?;
    /// assert_eq!(pass.into_sink()?.1, "Rye & wheat");
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn text_of(&self, field: Field, usage: Use, bot: BotId) -> Option<HeldText<'a>> {
        let is_text = self.token.kind() == TokenKind::Text
            && self.role.field == field
            && field != Field::Nowhere;
        let is_given = is_text && self.allows(usage, bot);
        is_given.then(|| HeldText {
            text: self.token.text(),
            id: self.id,
            usage,
            bot,
        })
    }

    /// Returns the bots for which a phrase ends at this token. For these bots, a part that may not
    /// be indexed begins or ends at the token.
    pub fn breaks(&self) -> BotSet {
        self.breaks
    }

    /// True if the token is text that a person who reads the page may see. [`Judged::text`] returns
    /// the text if a bot may have it.
    pub fn is_visible_text(&self) -> bool {
        self.token.kind() == TokenKind::Text && self.role.field == Field::Body
    }

    /// Returns the part of the page that the token's text belongs to.
    pub fn field(&self) -> Field {
        self.role.field
    }

    /// Returns the number of the heading (`h1` to `h6`) around the token, counted from 1 in the
    /// order of the page. `None` outside of headings.
    ///
    /// ```
    /// use heedful::{Bot, Filter, Judged, PageEnd, Result, Sink};
    ///
    /// #[derive(Default)]
    /// struct Headings(Vec<(u32, String)>);
    /// impl Sink for Headings {
    ///     fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
    ///         if let (Some(number), true) = (judged.heading(), judged.is_visible_text()) {
    ///             self.0.push((number, judged.token().text().into_owned()));
    ///         }
    ///         Ok(())
    ///     }
    ///     fn finish(&mut self, _: &PageEnd) -> Result<()> { Ok(()) }
    /// }
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let mut pass = filter.open_with("https://example.com/", Headings::default())?;
    /// pass.write(b"<h1>Rye</h1><p>Dark bread<h2>Wheat</h2>")?;
    /// assert_eq!(pass.into_sink()?.0, [(1, "Rye".to_owned()), (2, "Wheat".to_owned())]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn heading(&self) -> Option<u32> {
        let number = self.role.heading;
        (number > 0).then_some(number)
    }

    /// Returns the number of the link (`a` with `href`) around the token, counted from 1 in the
    /// order of the page. The link's start tag has the number too. `None` outside of links.
    pub fn link(&self) -> Option<u32> {
        let number = self.role.link;
        (number > 0).then_some(number)
    }

    /// Returns the alternative text in the attribute `alt` of an `img`, `area` or image button.
    /// `None` for other tokens, and in a template.
    ///
    /// ```
    /// use heedful::{Bot, BotId, Filter, Judged, PageEnd, Result, Sink, Use};
    ///
    /// #[derive(Default)]
    /// struct Alternatives(Vec<String>);
    /// impl Sink for Alternatives {
    ///     fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
    ///         if judged.allows(Use::Index, BotId::FIRST) {
    ///             self.0.extend(judged.alternative().map(String::from));
    ///         }
    ///         Ok(())
    ///     }
    ///     fn finish(&mut self, _: &PageEnd) -> Result<()> { Ok(()) }
    /// }
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let mut pass = filter.open_with("https://example.com/", Alternatives::default())?;
    /// pass.write(b"<img src=loaf.jpg alt='A loaf'><p title=no>")?;
    /// assert_eq!(pass.into_sink()?.0, ["A loaf"]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    #[inline]
    pub fn alternative(&self) -> Option<Cow<'a, str>> {
        let token = self.token;
        let has_text = match token.tag() {
            Tag::IMG | Tag::AREA => true,
            Tag::INPUT => token
                .attribute("type")
                .is_some_and(|kind| kind.eq_ignore_ascii_case("image")),
            _ => false,
        };
        if has_text && self.is_page_element() {
            token.attribute("alt")
        } else {
            None
        }
    }

    /// Returns the text of a META description. `None` for other tokens. If a page has several
    /// descriptions, use the first that is not empty.
    #[inline]
    pub fn description(&self) -> Option<Cow<'a, str>> {
        let token = self.token;
        let is_one = token.tag() == Tag::META && self.is_page_element();
        let is_one = is_one && html::is_description(token.name(), |name| token.attribute(name));
        is_one.then(|| token.attribute("content").unwrap_or_default())
    }

    /// True if the token is a start tag that makes an element of the page. False if HTML ignores
    /// the tag. Also false if the tag is in a template that makes no shadow root. Links and META
    /// tags there do not count as links and META tags of the page.
    #[doc(hidden)]
    pub fn is_page_element(&self) -> bool {
        self.token.kind() == TokenKind::Start && !self.role.in_template && !self.role.is_dropped
    }

    /// True if HTML ignores the token. Browsers do not show such a token, and snapshots leave it
    /// out.
    ///
    /// In a page with frames, HTML ignores tags and text that are not for frames. In a `template`
    /// with table columns, HTML ignores tags and text that are not for columns.
    pub fn is_dropped(&self) -> bool {
        self.role.is_dropped
    }

    pub(crate) fn verdict(&self) -> &'a Verdict {
        self.verdict
    }

    /// Returns the ID of the token's verdict. Pass the ID to
    /// [`PageEnd::allows_at`](crate::PageEnd::allows_at) at the end of the page.
    pub fn id(&self) -> VerdictId {
        self.id
    }

    /// True if a region begins or ends with this token.
    pub fn is_region_mark(&self) -> bool {
        self.is_mark
    }

    /// Returns the bots that may not archive an image, because of directives in the image's own tag
    /// alone. For these bots, nothing around the image denies archiving, and neither does the page
    /// as a whole. Empty if the token is not the tag of an image.
    pub(crate) fn denied_by_tag_alone(&self) -> BotSet {
        self.denied_by_tag_alone
    }

    /// True if `bot` is a bot of the pass.
    pub(crate) fn is_for(&self, bot: BotId) -> bool {
        self.all.contains(bot)
    }

    /// Returns the base URL of the page at this token. This is the URL in the page's first `base`
    /// with an `href`, if that tag was read already. Otherwise, it is the page's own URL.
    #[doc(hidden)]
    pub fn base(&self) -> &'a Url {
        self.ledger.base()
    }

    #[doc(hidden)]
    pub fn role(&self) -> TextRole {
        self.role
    }
}
