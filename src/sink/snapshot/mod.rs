//! Writes snapshots: a page's own bytes without content that may not be archived, with a mark at
//! each cut.
//!
//! A snapshot has the content that may be archived, byte for byte. Withheld content is reduced to
//! bare tags without attributes: the tags that other content needs to keep its place in the tree.
//! Marks are text where HTML allows text, else comments (section 5 of docs/semantics.md). A
//! snapshot is either made from the source at the page's end, or streamed while the page is read. A
//! stream is not final before the page's end.

mod dressing;
mod elide;
mod image;

use std::collections::BTreeSet;
use std::io::Write;

use url::Url;

use crate::ledger::{PageEnd, VerdictId};
use crate::lex::{Token, TokenKind};
use crate::policy::Use;
use crate::walk::Judged;
use heedful_base::bot::{BotId, BotSet};
use heedful_base::error::{ErrorKind, Result};

use super::receiver::Sink;
pub use dressing::{CutMark, Dressing};
use elide::{Elider, OpenLinks, TagShape};
use image::{ImageAttributes, image_attributes, image_tag};

/// Records the source of a page, and the parts of it that some bots may not archive.
#[derive(Debug, Default)]
pub(crate) struct SourceRecorder {
    text: String,
    /// Tokens whose verdict is not the default verdict. Tokens without a directive around them have
    /// the default verdict.
    parts: Vec<CutPart>,
    /// Byte offset in `text` at which additions are inserted. This is the end of the page's first
    /// doctype, or 0 if other content comes first. Additions must precede all scripts, since a
    /// Content-Security-Policy in a META tag has no effect on scripts before it.
    beginning: usize,
    /// True after the first token that is neither a comment nor white space. A doctype after this
    /// token has no effect.
    is_begun: bool,
    is_transcoded: bool,
    /// True if the page has frames. Text before the frames would make a browser ignore them.
    has_frames: bool,
    links: OpenLinks,
}

#[derive(Debug)]
struct CutPart {
    start: usize,
    end: usize,
    verdict: VerdictId,
    shape: TagShape,
    /// Data of an image whose own tag denies archiving to some bots, while no region or element
    /// around the image does. The set has these bots. Their snapshots keep the tag with some
    /// attributes, so that browsers load the image from the publisher's site. `None` for any other
    /// token.
    image: Option<(BotSet, ImageAttributes)>,
}

impl Sink for SourceRecorder {
    fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
        let token = judged.token();
        if judged.is_dropped() {
            return Ok(());
        }
        let start = self.text.len();
        self.text.push_str(token.raw());
        let end = self.text.len();
        self.watch_beginning(token, end);
        self.has_frames |= judged.role().has_frames;
        let shape = TagShape::new(judged, &mut self.links);
        if judged.id() != VerdictId::default() {
            let alone = judged.denied_by_tag_alone();
            let image = (!alone.is_empty()).then(|| (alone, image_attributes(token)));
            self.parts.push(CutPart {
                start,
                end,
                verdict: judged.id(),
                shape,
                image,
            });
        }
        Ok(())
    }

    fn finish(&mut self, _: &PageEnd) -> Result<()> {
        Ok(())
    }
}

impl SourceRecorder {
    pub(crate) fn set_transcoded(&mut self) {
        self.is_transcoded = true;
    }

    fn watch_beginning(&mut self, token: &Token<'_>, end: usize) {
        if self.is_begun {
            return;
        }
        match token.kind() {
            TokenKind::Comment | TokenKind::Bogus => {}
            TokenKind::Text if token.raw().bytes().all(|byte| byte.is_ascii_whitespace()) => {}
            TokenKind::Doctype => {
                self.beginning = end;
                self.is_begun = true;
            }
            _ => self.is_begun = true,
        }
    }

    /// Returns the snapshot for `bot`, with the marks and additions of `dressing`. `None` if `bot`
    /// may not archive the page as a whole.
    pub(crate) fn snapshot(
        &self,
        outcome: &PageEnd,
        bot: BotId,
        base: &Url,
        dressing: &Dressing,
    ) -> Option<String> {
        let denied = |verdict: VerdictId| outcome.verdict(verdict).denied(Use::Archive);
        if denied(VerdictId::default()).contains(bot) {
            return None;
        }
        let mark = if self.has_frames {
            dressing.mark.comments_only()
        } else {
            dressing.mark.clone()
        };
        let mut elider = Elider::new(mark);
        let mut cut = SnapshotBuilder {
            text: &self.text,
            out: String::with_capacity(self.text.len()),
            done: 0,
        };
        let withheld = || {
            self.parts
                .iter()
                .filter(|part| denied(part.verdict).contains(bot))
        };
        let additions = dressing.additions(base, self.has_frames);
        // The mark of a cut is text, so nothing may be cut before the additions.
        let is_kept = withheld()
            .next()
            .is_none_or(|first| first.start >= self.beginning);
        if !additions.is_empty() && is_kept {
            cut.keep(self.beginning, &mut elider);
        }
        cut.out.push_str(&additions);
        for part in withheld() {
            if part.start > cut.done {
                cut.keep(part.start, &mut elider);
            }
            let image = match &part.image {
                Some((bots, attributes)) if bots.contains(bot) => Some(image_tag(attributes, base)),
                _ => None,
            };
            elider.withhold(part.shape, &self.text[part.start..part.end], image);
            cut.done = part.end;
        }
        cut.keep(self.text.len(), &mut elider);
        if self.is_transcoded && !cut.out.is_ascii() {
            // The byte order mark outranks the character set that the page declares. Only kept
            // content decides on it, so that withheld content leaves no trace.
            cut.out.insert(0, '\u{FEFF}');
        }
        Some(cut.out)
    }
}

/// A snapshot that is being built from the page's source.
struct SnapshotBuilder<'a> {
    text: &'a str,
    out: String,
    /// Number of bytes of `text` that were copied or left out so far.
    done: usize,
}

impl SnapshotBuilder<'_> {
    fn keep(&mut self, to: usize, elider: &mut Elider) {
        self.out.push_str(&elider.end_run());
        self.out.push_str(&self.text[self.done..to]);
        self.done = to;
    }
}

/// Sink that writes a snapshot while the page is read. A snapshot is a copy of the page without
/// content that may not be archived. The sink needs only limited memory.
///
/// **The output of this sink is not final**: a late directive may forbid all of it. The caller must
/// discard the output if [`Snapshot::is_void`] is true at the end, or if the pass fails.
/// [`Page::snapshot`](crate::Page::snapshot) makes a final snapshot at the page's end instead.
///
/// ```
/// use heedful::{Bot, CutMark, Conventions, Filter, Snapshot};
///
/// let filter = Filter::new(Bot::new("FooBot")?).conventions(Conventions::parse("web,+profile-undeclared")?);
/// let url = "https://example.com/";
/// let mut pass = filter.open_with(url, Snapshot::new(Vec::new(), CutMark::default()))?;
/// pass.write(b"<p>kept <b class=robots-noarchive>withheld</b>")?;
/// let snapshot = pass.into_sink()?;
/// assert!(!snapshot.is_void());
/// assert_eq!(snapshot.into_inner().as_deref(), Some(&b"<p>kept <b>[...]</b>"[..]));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug)]
pub struct Snapshot<W> {
    out: W,
    bot: BotId,
    elider: Elider,
    links: OpenLinks,
    /// Verdicts of all text tokens that have words.
    worded: BTreeSet<VerdictId>,
    is_void: bool,
}

impl<W: Write> Snapshot<W> {
    /// Creates a sink that writes the snapshot to `out`. The snapshot is the page as the first bot
    /// of the pass may archive it. `mark` replaces content that is left out.
    pub fn new(out: W, mark: CutMark) -> Self {
        Self {
            out,
            bot: BotId::FIRST,
            elider: Elider::new(mark),
            links: OpenLinks::default(),
            worded: BTreeSet::new(),
            is_void: false,
        }
    }

    /// Makes the sink write the page as `bot` may archive it. If the pass does not have this bot,
    /// nothing is written, and [`Snapshot::is_void`] is true at the end.
    ///
    /// ```
    /// use heedful::{Bot, BotSet, CutMark, Filter, Snapshot};
    ///
    /// let filter = Filter::for_bots(vec![Bot::new("FooBot")?, Bot::new("BarBot")?])?;
    /// let second = BotSet::all(2).iter().nth(1).unwrap();
    /// let snapshot = Snapshot::new(Vec::new(), CutMark::default()).for_bot(second);
    /// let mut pass = filter.open_with("https://example.com/", snapshot)?;
    /// pass.write(b"<meta name=foobot content=noarchive><p>Dark bread")?;
    /// assert!(!pass.into_sink()?.is_void()); // only FooBot may not keep a copy
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn for_bot(mut self, bot: BotId) -> Self {
        self.bot = bot;
        self
    }

    /// True if the bot may not archive the page, so that the output must be discarded. This value
    /// is final only after the page's end.
    ///
    /// ```
    /// use heedful::{Bot, CutMark, Filter, Snapshot};
    ///
    /// let snapshot = Snapshot::new(Vec::new(), CutMark::default());
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let mut pass = filter.open_with("https://example.com/", snapshot)?;
    /// pass.write(b"<p>Dark bread<meta name=robots content=noarchive>")?;
    /// let snapshot = pass.into_sink()?;
    /// assert!(snapshot.is_void()); // the last tag forbids the copy
    /// assert!(snapshot.into_inner().is_none());
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn is_void(&self) -> bool {
        self.is_void
    }

    /// Returns the writer with the snapshot, or `None` if the bot may not archive the page.
    pub fn into_inner(self) -> Option<W> {
        (!self.is_void).then_some(self.out)
    }

    fn write(&mut self, text: &str) -> Result<()> {
        if let Err(source) = self.out.write_all(text.as_bytes()) {
            let subject = "the snapshot".to_owned();
            return Err(ErrorKind::Io { subject, source }.into());
        }
        Ok(())
    }
}

impl<W: Write> Sink for Snapshot<W> {
    fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
        if !judged.is_for(self.bot) {
            return Ok(());
        }
        let token = judged.token();
        if judged.is_dropped() {
            return Ok(());
        }
        let is_new = judged.is_visible_text() && !self.worded.contains(&judged.id());
        if is_new && !token.text().trim().is_empty() {
            self.worded.insert(judged.id());
        }
        let shape = TagShape::new(judged, &mut self.links);
        if !judged.denied(Use::Archive).contains(self.bot) {
            let run = self.elider.end_run();
            self.write(&run)?;
            return self.write(token.raw());
        }
        let image = if judged.denied_by_tag_alone().contains(self.bot) {
            Some(image_tag(&image_attributes(token), judged.base()))
        } else {
            None
        };
        self.elider.withhold(shape, token.raw(), image);
        if self.elider.is_held_too_long() {
            let run = self.elider.end_run();
            self.write(&run)?;
        }
        Ok(())
    }

    fn finish(&mut self, outcome: &PageEnd) -> Result<()> {
        let run = self.elider.end_run();
        self.write(&run)?;
        let silenced =
            outcome.bots_without_words(self.worded.iter().copied(), BotSet::single(self.bot));
        let is_stranger = outcome.policy(self.bot).is_none();
        let everywhere = outcome.verdict(VerdictId::default());
        let denied = |usage| outcome.denied(usage).or(everywhere.denied(usage));
        self.is_void = is_stranger
            || denied(Use::Archive).contains(self.bot)
            || denied(Use::Index).contains(self.bot)
            || silenced.contains(self.bot);
        Ok(())
    }
}
