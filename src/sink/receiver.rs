//! Who receives judged tiles.

use crate::error::Result;
use crate::ledger::PageEnd;
use crate::walk::Judged;

/// Receives the tiles of one page in order, each with its verdict by then.
///
/// Tiles are pushed rather than pulled, so that one pass serves many sinks and none of them can hold up the others.
/// After an error nothing more is called. **Nothing is final before [`Sink::finish`]**: the last statement of a page
/// may be about all of it. A tuple of sinks is a sink.
///
/// ```
/// use heedful::{Bot, Facet, Filter, Judged, PageEnd, Result, Sink};
///
/// /// Counts the bytes of text that may be indexed.
/// #[derive(Default)]
/// struct Count(usize);
///
/// impl Sink for Count {
///     fn tile(&mut self, judged: &Judged<'_>) -> Result<()> {
///         if judged.is_visible_text() && judged.denied(Facet::Index).is_empty() {
///             self.0 += judged.tile().raw().len();
///         }
///         Ok(())
///     }
///
///     fn finish(&mut self, end: &PageEnd) -> Result<()> {
///         if !end.denied(Facet::Index).is_empty() {
///             self.0 = 0;
///         }
///         Ok(())
///     }
/// }
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let mut pass = filter.open_with("https://example.com/", Count::default())?;
/// pass.write(b"<p>four<!-- robots content=noindex --> and more")?;
/// assert_eq!(pass.into_sink()?.0, 4);
/// # Ok::<(), heedful::Error>(())
/// ```
pub trait Sink {
    /// Takes one tile.
    ///
    /// # Errors
    /// Any error after which the sink cannot go on. It ends the pass.
    fn tile(&mut self, judged: &Judged<'_>) -> Result<()>;

    /// Ends the page. Only the `outcome` shows whether the tiles so far may be used.
    ///
    /// # Errors
    /// As for [`Sink::tile`].
    fn finish(&mut self, end: &PageEnd) -> Result<()>;
}

impl<A: Sink, B: Sink> Sink for (A, B) {
    fn tile(&mut self, judged: &Judged<'_>) -> Result<()> {
        self.0.tile(judged)?;
        self.1.tile(judged)
    }

    fn finish(&mut self, end: &PageEnd) -> Result<()> {
        self.0.finish(end)?;
        self.1.finish(end)
    }
}

impl<A: Sink, B: Sink, C: Sink> Sink for (A, B, C) {
    fn tile(&mut self, judged: &Judged<'_>) -> Result<()> {
        self.0.tile(judged)?;
        self.1.tile(judged)?;
        self.2.tile(judged)
    }

    fn finish(&mut self, end: &PageEnd) -> Result<()> {
        self.0.finish(end)?;
        self.1.finish(end)?;
        self.2.finish(end)
    }
}
