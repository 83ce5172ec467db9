//! Text of a page that is accessible only at the page's end.

use std::borrow::Cow;

use crate::ledger::{PageEnd, VerdictId};
use crate::policy::Use;
use heedful_base::bot::BotId;

/// Text that a bot may use according to the directives read so far. A later tag of the page may
/// still deny the text. So the text can be read only at the page's end, with [`HeldText::read`].
///
/// [`Judged::text`](crate::Judged::text) returns a `HeldText`. See [`Sink`](crate::Sink) for
/// another example.
///
/// ```
/// use heedful::{Bot, BotId, Filter, HeldText, Judged, PageEnd, Result, Sink, Use};
///
/// #[derive(Default)]
/// struct Snippet(Option<HeldText<'static>>, Option<String>);
/// impl Sink for Snippet {
///     fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
///         let text = judged.text(Use::Snippet, BotId::FIRST);
///         self.0 = self.0.take().or(text.map(HeldText::into_owned));
///         Ok(())
///     }
///     fn finish(&mut self, end: &PageEnd) -> Result<()> {
///         self.1 = self.0.as_ref().and_then(|text| text.read(end)).map(String::from);
///         Ok(())
///     }
/// }
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let mut pass = filter.open_with("https://example.com/", Snippet::default())?;
/// pass.write(b"<p>Dark bread<meta name=robots content=nosnippet>")?;
/// assert_eq!(pass.into_sink()?.1, None); // denied after the text was read
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldText<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) id: VerdictId,
    pub(super) usage: Use,
    pub(super) bot: BotId,
}

impl HeldText<'_> {
    /// Returns the text with its character references decoded. `None` if a later directive denied
    /// the use of this text or of the whole page. `end` must be the end of the same page.
    pub fn read(&self, end: &PageEnd) -> Option<&str> {
        end.allows_at(self.id, self.usage, self.bot)
            .then_some(&*self.text)
    }

    /// Returns the bot for which the text was requested.
    pub fn bot(&self) -> BotId {
        self.bot
    }

    /// Returns an owned copy of the text, which borrows nothing from the token.
    pub fn into_owned(self) -> HeldText<'static> {
        HeldText {
            text: Cow::Owned(self.text.into_owned()),
            ..self
        }
    }
}
