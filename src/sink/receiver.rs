//! The trait of sinks, which receive judged tokens.

use crate::ledger::PageEnd;
use crate::walk::Judged;
use heedful_base::error::Result;

/// Receiver of the tokens of one page, in source order. Each token comes with its verdict: the
/// decision on all uses of the token, by the directives read so far.
///
/// The pass pushes tokens to a sink, so one pass can serve many sinks. A tuple of sinks is a sink.
/// After an error no method of the sink is called again.
///
/// **A sink gets every token, also the withheld ones.** Even the code of a script is a text token.
/// [`Judged::text`] returns a text only if it may be used.
/// [`LinkTarget::from_token`](crate::LinkTarget::from_token) returns links. For everything else,
/// ask [`Judged::allows`].
///
/// **Nothing that a sink gets is final before [`Sink::finish`].** The last statement of a page may
/// be about the whole page, or about a part that the sink has already received. So a
/// [`HeldText`](crate::HeldText) can be read only at the end. If a sink stores other data of a
/// token, it must also store the token's [`Judged::id`]. At the end, [`PageEnd::allows_at`] tells
/// whether the data may be used.
///
/// ```
/// use heedful::{Bot, BotId, Use, Filter, HeldText, Judged, PageEnd, Result, Sink};
///
/// /// The text that may be indexed.
/// #[derive(Default)]
/// struct Words {
///     held: Vec<HeldText<'static>>,
///     text: String,
/// }
///
/// impl Sink for Words {
///     fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
///         let text = judged.text(Use::Index, BotId::FIRST);
///         self.held.extend(text.map(HeldText::into_owned));
///         Ok(())
///     }
///
///     fn finish(&mut self, end: &PageEnd) -> Result<()> {
///         self.text = self.held.iter().filter_map(|text| text.read(end)).collect();
///         Ok(())
///     }
/// }
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let text_of = |html: &[u8]| {
///     let mut pass = filter.open_with("https://example.com/", Words::default())?;
///     pass.write(html)?;
///     Ok::<_, heedful::Error>(pass.into_sink()?.text)
/// };
/// assert_eq!(text_of(b"<script>code</script><p>four<!-- robots content=noindex --> and more")?, "four");
/// assert_eq!(text_of(b"<p>four<meta name=robots content=noindex>")?, ""); // the last tag denies it all
/// # Ok::<(), heedful::Error>(())
/// ```
pub trait Sink {
    /// Receives the next token of the page.
    ///
    /// # Errors
    /// An implementation returns an error if it cannot continue, for example because writing
    /// failed. The pass then returns this error. The sink receives no further token, and
    /// [`Sink::finish`] is not called.
    fn token(&mut self, judged: &Judged<'_>) -> Result<()>;

    /// Receives the finished record of the page, after the last token. The record may deny a token
    /// that was allowed when it arrived. To check this, call
    /// [`HeldText::read`](crate::HeldText::read) or [`PageEnd::allows_at`].
    ///
    /// # Errors
    /// An implementation returns an error if it cannot finish, for example because writing failed.
    /// The pass then returns this error instead of a result.
    fn finish(&mut self, end: &PageEnd) -> Result<()>;
}

/// Passes each token to both sinks in order. If the first sink returns an error, the second sink
/// does not receive the token.
impl<A: Sink, B: Sink> Sink for (A, B) {
    fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
        self.0.token(judged)?;
        self.1.token(judged)
    }

    fn finish(&mut self, end: &PageEnd) -> Result<()> {
        self.0.finish(end)?;
        self.1.finish(end)
    }
}

/// Passes each token to the three sinks in order. If one sink returns an error, the sinks after it
/// do not receive the token.
impl<A: Sink, B: Sink, C: Sink> Sink for (A, B, C) {
    fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
        self.0.token(judged)?;
        self.1.token(judged)?;
        self.2.token(judged)
    }

    fn finish(&mut self, end: &PageEnd) -> Result<()> {
        self.0.finish(end)?;
        self.1.finish(end)?;
        self.2.finish(end)
    }
}
