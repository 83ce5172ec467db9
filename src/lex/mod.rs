//! Text becomes tokens: **every byte belongs to exactly one token, in order, however the input was
//! cut.**
//!
//! Only this folder names `lol_html`. Its tokenizer follows the HTML standard, but its output is
//! not a stream that we can use as it is. So this folder repairs five things:
//! * The tokenizer reports end tags only as gaps between tokens. A scanner over each gap finds
//!   them, including stray ones.
//! * The tokenizer reports start tags with a stack of all open elements, which grows with every
//!   `<p>` that is never closed, and costs 40 % of its time. So no handler for start tags is set:
//!   the scanner finds them too. `confirmation` shows that both find the same.
//! * The tokenizer reports text decoded, which costs much, and cuts it anywhere. So no handler for
//!   text is set: the rest of each gap is text. Text is cut only where no character reference is
//!   open.
//! * The tokenizer reads `<svg/>` as an svg that is still open. So it is restarted after this tag.
//!   After the restart, only the drawings (svg) around the tag are open.
//! * The tokenizer reads markup where raw text follows a tag like `<script src=>`. So it is
//!   restarted after this tag.
//!
//! Reading stops with [`ErrorKind::Ambiguous`] where a browser may read markup as text or text as
//! markup (see `context` and `namespaces`): a region marker might hide there. This folder never
//! decides what an element contains.

mod bracket;
mod confirmation;
mod context;
mod intake;
mod kept;
mod last;
mod namespaces;
mod raw_text;
mod scan;
mod start_tag;
mod token;

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lol_html::errors::RewritingError;
use lol_html::send::{HtmlRewriter, Settings};
use lol_html::{MemorySettings, OutputSink};

use crate::html;
use crate::place::{Place, Ruler};
use heedful_base::error::{Error, ErrorKind, Result};
use heedful_base::limits::{Limits, size};

use token::RawToken;
pub use token::{Token, TokenKind};

use confirmation::Confirmation;
use intake::{Intake, Renewal, Stop, tag_name_text};
pub(crate) use kept::Keep;
pub(crate) use scan::{ScanResult, TokenSelector, scan};
pub use token::Attributes;
pub(crate) use token::{Attribute, tag_name};

/// Maximum number of bytes that are fed to `lol_html` in one call.
const PIECE: usize = 64 << 10;

/// Cuts the decoded text of one page into tokens.
pub(crate) struct Lexer {
    /// The tokenizer, which is that of `lol_html`. `None` after the end of the page.
    rewriter: Option<HtmlRewriter<'static, Flushed>>,
    flushed: Arc<AtomicUsize>,
    intake: SharedIntake,
    place: Place,
    tokens: u64,
    limits: Limits,
}

impl Lexer {
    pub(crate) fn new(limits: &Limits) -> Self {
        let flushed = Arc::default();
        let intake = SharedIntake::default();
        Self {
            rewriter: Some(rewriter(&intake, &flushed, limits)),
            flushed,
            intake,
            place: Place::default(),
            tokens: 0,
            limits: limits.clone(),
        }
    }

    /// Turns on a comparison of start tags. The lexer then compares its start tags with those that
    /// the tokenizer `lol_html` reports. If the two differ, the page is refused as ambiguous. Must
    /// be called before the first [`write`](Self::write).
    pub(crate) fn confirming(mut self) -> Self {
        self.intake.lock().confirmation = Some(Confirmation::default());
        self.rewriter = Some(rewriter(&self.intake, &self.flushed, &self.limits));
        self
    }

    /// Returns a lexer for text that begins inside a page, at `place`.
    pub(crate) fn from_place(limits: &Limits, place: Place) -> Self {
        Self {
            place,
            ..Self::new(limits)
        }
    }

    /// Reads the next piece of the page's text, and calls `out` with each token that is complete.
    pub(crate) fn write(
        &mut self,
        text: &str,
        out: &mut impl FnMut(&Token<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut rest = text;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE));
            self.intake.lock().append(piece);
            let outcome = self.tokenize(piece);
            // Tokens before an error come first: a limit that they pass is the page's error,
            // however the page is cut.
            self.emit(false, out)?;
            outcome?;
            if self.is_window_too_long() {
                self.intake.lock().raw_text_ahead();
                self.emit(false, out)?;
            }
            if self.is_window_too_long() {
                return Err(Error::limit("tag_bytes", self.limits.tag_bytes));
            }
            rest = after;
        }
        Ok(())
    }

    fn is_window_too_long(&self) -> bool {
        self.intake.lock().window.len() as u64 > self.limits.tag_bytes
    }

    /// Skips a piece of the page's text without making tokens of it: only line, column and offset
    /// advance. The piece must begin and end between two tokens, and `lol_html` must be in its
    /// initial state at both places. If an earlier token is still incomplete, the piece is not
    /// skipped but read.
    pub(crate) fn skip(
        &mut self,
        text: &str,
        out: &mut impl FnMut(&Token<'_>) -> Result<()>,
    ) -> Result<()> {
        if !self.intake.lock().window.is_empty() {
            return self.write(text, out);
        }
        self.place = self.place.after(text);
        Ok(())
    }

    /// Ends the page, and calls `out` with the last tokens.
    pub(crate) fn end(mut self, out: &mut impl FnMut(&Token<'_>) -> Result<()>) -> Result<()> {
        let outcome = self.tokenize_end();
        self.emit(true, out)?;
        outcome
    }

    /// Ends `lol_html`'s input, and adds the last tokens of the page to the intake.
    fn tokenize_end(&mut self) -> Result<()> {
        if let Some(Err(error)) = self.rewriter.take().map(HtmlRewriter::end) {
            return Err(match stop(error) {
                Ok(_) => self.ambiguous(),
                Err(error) => self.failure(&error),
            });
        }
        let end = self.intake.lock().window.len();
        let outcome = self.intake.lock().gap(end, true);
        outcome.map_err(|_| self.ambiguous())?;
        if !self.intake.lock().is_confirmed() {
            return Err(self.ambiguous());
        }
        Ok(())
    }

    /// Feeds `piece` to the tokenizer `lol_html`, and finds the tokens in the text that `lol_html`
    /// consumes. Restarts `lol_html` after a tag that it would misread, such as `<svg/>`. `piece`
    /// must be the last part of the window, which is the text not yet emitted.
    fn tokenize(&mut self, piece: &str) -> Result<()> {
        let mut rest = piece;
        while !rest.is_empty() {
            let length = self.intake.lock().next_part(rest.len());
            let (part, after) = rest.split_at(length);
            rest = match self.feed(part)? {
                Ok(()) => after,
                Err(Stop::Anew(renewal)) => self.restart(&renewal, piece)?,
                Err(Stop::Ambiguous(_)) => return Err(self.ambiguous()),
            };
        }
        Ok(())
    }

    /// Starts a new tokenizer of `lol_html`, and feeds it the start tags of `renewal`. Returns the
    /// last part of `piece`, which the new tokenizer must read next.
    fn restart<'p>(&mut self, renewal: &Renewal, piece: &'p str) -> Result<&'p str> {
        self.rewriter = Some(rewriter(&self.intake, &self.flushed, &self.limits));
        self.flushed.store(0, Ordering::Relaxed);
        let unread = self.intake.lock().renew(renewal);
        let outcome = self.feed(&renewal.start_tags)?;
        outcome.map_err(|_| self.ambiguous())?;
        let from = piece.len().checked_sub(unread);
        from.and_then(|from| piece.get(from..))
            .ok_or_else(|| self.ambiguous())
    }

    /// Feeds `text` to the tokenizer `lol_html`, and finds the tokens in the text that `lol_html`
    /// consumes.
    ///
    /// # Errors
    /// The outer result is an error if `lol_html` itself fails. The inner result is an error if
    /// `lol_html` must stop. This error has the reason for the stop.
    fn feed(&mut self, text: &str) -> Result<std::result::Result<(), Stop>> {
        let Some(rewriter) = &mut self.rewriter else {
            return Ok(Ok(()));
        };
        if let Err(error) = rewriter.write(text.as_bytes()) {
            return match stop(error) {
                Ok(stop) => Ok(Err(stop)),
                Err(error) => Err(self.failure(&error)),
            };
        }
        let consumed = self
            .intake
            .lock()
            .local(self.flushed.load(Ordering::Relaxed));
        Ok(self.intake.lock().gap(consumed, false))
    }

    /// Returns the error for markup that browsers may read in two ways. The error names the line at
    /// which the last token ends.
    fn ambiguous(&self) -> Error {
        let intake = self.intake.lock();
        let place = self.place.after(&intake.window[..intake.tokens_end]);
        ErrorKind::Ambiguous { line: place.line() }.into()
    }

    /// Converts an error of `lol_html` itself. If `lol_html` needs too much memory, the limit
    /// `tag_bytes` is exceeded. After any other error, the page is ambiguous.
    fn failure(&self, error: &RewritingError) -> Error {
        match error {
            RewritingError::MemoryLimitExceeded(_) => {
                Error::limit("tag_bytes", self.limits.tag_bytes)
            }
            _ => {
                self.intake.lock().find_ambiguity();
                self.ambiguous()
            }
        }
    }

    fn emit(&mut self, last: bool, out: &mut impl FnMut(&Token<'_>) -> Result<()>) -> Result<()> {
        let mut intake = self.intake.lock();
        let held = if last {
            0
        } else {
            intake.open_reference_length()
        };
        let end = intake.tokens_end - held;
        let ruler = Ruler::new(&intake.window[..end], self.place);
        for raw in &intake.tokens {
            let range = raw.range.start..raw.range.end.min(end);
            if !range.is_empty() {
                let token = borrow_token(&intake, raw, range, &ruler);
                self.tokens += 1;
                check(&token, self.tokens, &self.limits)?;
                out(&token)?;
            }
        }
        self.place = ruler.place(end);
        intake.drop_emitted(held);
        Ok(())
    }
}

impl std::fmt::Debug for Lexer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lexer")
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}

fn check(token: &Token<'_>, count: u64, limits: &Limits) -> Result<()> {
    if token.kind() != TokenKind::Text && token.raw.len() as u64 > limits.tag_bytes {
        return Err(Error::limit("tag_bytes", limits.tag_bytes));
    }
    if token.attributes.len() as u64 > limits.attributes {
        return Err(Error::limit("attributes", limits.attributes));
    }
    if count > limits.tokens {
        return Err(Error::limit("tokens", limits.tokens));
    }
    Ok(())
}

#[inline(always)]
fn borrow_token<'a>(
    intake: &'a Intake,
    token: &'a RawToken,
    range: Range<usize>,
    ruler: &'a Ruler<'a>,
) -> Token<'a> {
    let raw = &intake.window[range.start..range.end];
    Token {
        token,
        raw,
        name: tag_name_text(token.tag, &token.name, &intake.names),
        attributes: &intake.attributes[token.attributes.clone()],
        blank: token.kind == TokenKind::Text && raw.bytes().all(html::is_white_space),
        at: range.start,
        ruler,
    }
}

/// Sink for `lol_html`'s output. It drops the output, and counts the bytes that `lol_html` has
/// consumed.
struct Flushed(Arc<AtomicUsize>);

impl OutputSink for Flushed {
    fn handle_chunk(&mut self, chunk: &[u8]) {
        self.0.fetch_add(chunk.len(), Ordering::Relaxed);
    }
}

/// The intake, which the lexer shares with the handlers of its tokenizer. Nobody waits for the
/// lock: handlers run only while the lexer feeds `lol_html`, and the lexer holds no guard then.
#[derive(Clone, Default)]
struct SharedIntake(Arc<Mutex<Intake>>);

impl SharedIntake {
    fn lock(&self) -> MutexGuard<'_, Intake> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the reason for which a handler stopped `lol_html`. If no handler stopped it, fails with
/// `error` itself.
fn stop(error: RewritingError) -> std::result::Result<Stop, RewritingError> {
    match error {
        RewritingError::ContentHandlerError(error) => match error.downcast() {
            Ok(stop) => Ok(*stop),
            Err(error) => Err(RewritingError::ContentHandlerError(error)),
        },
        error => Err(error),
    }
}

/// Returns a new tokenizer of `lol_html`, which reports comments and doctypes to `intake`. If
/// `intake` has a `confirmation`, it also reports start tags.
fn rewriter(
    intake: &SharedIntake,
    flushed: &Arc<AtomicUsize>,
    limits: &Limits,
) -> HtmlRewriter<'static, Flushed> {
    let comments = intake.clone();
    let doctypes = intake.clone();
    // Memory for a tag that is not complete with its attributes, for a piece of input, and for the
    // text of a script (see `Intake::raw_text_ahead`).
    let memory = size(limits.tag_bytes)
        .saturating_mul(2)
        .saturating_add(2 * PIECE)
        .saturating_add(size(limits.page_bytes));
    let mut settings = Settings::new_send()
        .with_strict(true)
        .with_memory_settings(MemorySettings::new().with_max_allowed_memory_usage(memory))
        .append_document_content_handler(lol_html::doc_comments!(move |comment| {
            Ok(comments.lock().comment(comment.source_location().bytes())?)
        }))
        .append_document_content_handler(lol_html::doctype!(move |doctype| {
            Ok(doctypes.lock().doctype(doctype.source_location().bytes())?)
        }));
    if intake.lock().confirmation.is_some() {
        // The tokenizer keeps a stack of all open elements for this handler.
        let memory = MemorySettings::new().with_max_allowed_memory_usage(usize::MAX);
        let elements = intake.clone();
        settings = settings
            .with_memory_settings(memory)
            .append_element_content_handler(lol_html::element!("*", move |element| {
                Ok(elements.lock().confirm(element)?)
            }));
    }
    HtmlRewriter::new(settings, Flushed(flushed.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the kinds and the bytes of all tokens, with adjacent texts joined. For the test,
    /// `text` is fed in pieces of `cuts` bytes.
    fn tokens(text: &str, cuts: usize) -> Vec<(TokenKind, String)> {
        let mut found: Vec<(TokenKind, String)> = Vec::new();
        let mut out = |token: &Token<'_>| {
            match found.last_mut() {
                Some((TokenKind::Text, before)) if token.kind() == TokenKind::Text => {
                    before.push_str(token.raw);
                }
                _ => found.push((token.kind(), token.raw.to_owned())),
            }
            Ok(())
        };
        let mut lexer = Lexer::new(&Limits::default());
        let mut rest = text;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.ceil_char_boundary(cuts.min(rest.len())));
            lexer.write(piece, &mut out).unwrap();
            rest = after;
        }
        lexer.end(&mut out).unwrap();
        found
    }

    #[test]
    fn end_tags_come_out_of_the_gaps() {
        use TokenKind::{End, Other, Start, Text};
        let html = "<p>a</b></i x='>' y=\">\">b</p></p><svg><![CDATA[c]]></svg></a x=y=\"z>d</e";
        let expected = [
            (Start, "<p>"),
            (Text, "a"),
            (End, "</b>"),
            (End, "</i x='>' y=\">\">"),
            (Text, "b"),
            (End, "</p>"),
            (End, "</p>"),
            (Start, "<svg>"),
            (Other, "<![CDATA["),
            (Text, "c"),
            (Other, "]]>"),
            (End, "</svg>"),
            (End, "</a x=y=\"z>"),
            (Text, "d"),
            (Other, "</e"),
        ]
        .map(|(kind, raw)| (kind, raw.to_owned()));
        for cuts in 1..html.len() {
            assert_eq!(tokens(html, cuts), expected, "cuts of {cuts}");
        }
    }

    #[test]
    fn the_tokenizer_begins_anew_without_a_trace() {
        let html =
            "<p>a<b>".repeat(40_000) + "<script><!-- </p> --></script><svg/><style><p></style>x";
        for cuts in [7, 100_000, html.len()] {
            let found = tokens(&html, cuts);
            assert_eq!(
                found
                    .iter()
                    .map(|(_, raw)| raw.as_str())
                    .collect::<String>(),
                html
            );
            assert_eq!(found.len(), 120_000 + 8);
            assert_eq!(found[found.len() - 3], (TokenKind::Text, "<p>".to_owned()));
        }
    }

    #[test]
    fn raw_text_behind_an_attribute_without_its_value() {
        use TokenKind::{Comment, End, Start, Text};
        let html = "<script a b = ><!-- <b> --></script><title c=\n><p></title><!--d--><style e==><i></style>";
        let expected = [
            (Start, "<script a b = >"),
            (Text, "<!-- <b> -->"),
            (End, "</script>"),
            (Start, "<title c=\n>"),
            (Text, "<p>"),
            (End, "</title>"),
            (Comment, "<!--d-->"),
            (Start, "<style e==>"),
            (Text, "<i>"),
            (End, "</style>"),
        ]
        .map(|(kind, raw)| (kind, raw.to_owned()));
        for cuts in 1..html.len() {
            assert_eq!(tokens(html, cuts), expected, "cuts of {cuts}");
        }
    }

    #[test]
    fn a_drawing_that_closes_itself_inside_drawings() {
        use TokenKind::{Comment, End, Start, Text};
        let html = "<svg><g><svg/></g><style><!--a--></style><desc><svg/><style b=><i></style></desc></svg><style><p></style>";
        let expected = [
            (Start, "<svg>"),
            (Start, "<g>"),
            (Start, "<svg/>"),
            (End, "</g>"),
            (Start, "<style>"),
            (Comment, "<!--a-->"),
            (End, "</style>"),
            (Start, "<desc>"),
            (Start, "<svg/>"),
            (Start, "<style b=>"),
            (Text, "<i>"),
            (End, "</style>"),
            (End, "</desc>"),
            (End, "</svg>"),
            (Start, "<style>"),
            (Text, "<p>"),
            (End, "</style>"),
        ]
        .map(|(kind, raw)| (kind, raw.to_owned()));
        for cuts in 1..html.len() {
            assert_eq!(tokens(html, cuts), expected, "cuts of {cuts}");
        }
    }

    /// Returns the ranges of a page's texts, as the tokenizer itself reports them. The `bool` of a
    /// text is true if character references are decoded in it. Returns `None` if the tokenizer
    /// refuses the page.
    fn texts_of_the_tokenizer(html: &str) -> Option<Vec<(Range<usize>, bool)>> {
        let mut texts: Vec<(Range<usize>, bool)> = Vec::new();
        let handler = lol_html::doc_text!(|text| {
            let (range, references) = (
                text.source_location().bytes(),
                text.text_type().allows_html_entities(),
            );
            match texts.last_mut() {
                _ if range.is_empty() => {}
                Some((before, same)) if before.end == range.start && *same == references => {
                    before.end = range.end;
                }
                _ => texts.push((range, references)),
            }
            Ok(())
        });
        let settings = Settings::new_send()
            .with_strict(true)
            .append_element_content_handler(lol_html::element!("*", |_| Ok(())))
            .append_document_content_handler(handler);
        let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| ());
        rewriter.write(html.as_bytes()).ok()?;
        rewriter.end().ok()?;
        Some(texts)
    }

    /// The lexer finds text without the tokenizer. This test compares the lexer's texts with those
    /// that the tokenizer reports. Pages that the tokenizer refuses are not compared.
    #[test]
    fn text_is_what_the_tokenizer_takes_for_it() {
        const PIECES: &str = "<script>|</script>|<SCRIPT>|</scripty>|<script|</scr|<script >|<!--|-->|--|-|>|<|</|<style>|</style >|<title>|\
             </title/|>|<textarea>|</textarea>|<plaintext>|<xmp>|</xmp\n>|<svg>|</svg>|<math>|</math>|<![CDATA[|]]>|]|]]|x|&amp;|<p>|\
             </p a='>'>|<noscript>|</noscript>|<iframe>|</iframe>|<!|<?x>|</ y>|</>|<select>|</select>|<template>|\u{0}| |ü|<a b='|'>|\
             <![CDAT|<desc>|</desc>|<noframes>|</noframes>|<b/>|<title a=>";
        let pieces: Vec<&str> = PIECES.split('|').collect();
        let mut state = 7_u64;
        let mut next = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap_or(0) % below
        };
        let (mut compared, mut refused) = (0, 0);
        for _ in 0..20_000 {
            let length = 1 + next(14);
            let html: String = (0..length).map(|_| pieces[next(pieces.len())]).collect();
            let Some(expected) = texts_of_the_tokenizer(&html) else {
                continue;
            };
            let cuts = 1 + next(html.len());
            let mut found: Vec<(Range<usize>, bool)> = Vec::new();
            let mut out = |token: &Token<'_>| {
                let range =
                    usize::try_from(token.start()).unwrap()..usize::try_from(token.end()).unwrap();
                match found.last_mut() {
                    _ if token.kind() != TokenKind::Text => {}
                    Some((before, same))
                        if before.end == range.start && *same == token.has_references() =>
                    {
                        before.end = range.end;
                    }
                    _ => found.push((range, token.has_references())),
                }
                Ok(())
            };
            let mut lexer = Lexer::new(&Limits::default());
            let mut rest = html.as_str();
            let mut outcome = Ok(());
            while !rest.is_empty() && outcome.is_ok() {
                let (piece, after) = rest.split_at(rest.ceil_char_boundary(cuts.min(rest.len())));
                outcome = lexer.write(piece, &mut out);
                rest = after;
            }
            match outcome.and_then(|()| lexer.end(&mut out)) {
                Ok(()) if html.contains("=>") => {}
                Ok(()) => {
                    compared += 1;
                    assert_eq!(found, expected, "{html:?}");
                }
                Err(_) => refused += 1,
            }
        }
        assert!(compared > 10_000 && refused < 5_000, "{compared} {refused}");
    }

    #[test]
    fn markup_with_two_readings_is_refused() {
        for html in [
            "<select><xmp>",
            "<frameset><style>",
            "<math><svg/>",
            "<div><svg></div><svg/>",
        ] {
            let mut lexer = Lexer::new(&Limits::default());
            let error = lexer.write(html, &mut |_| Ok(())).unwrap_err();
            assert_eq!(error.name(), "ambiguous", "{html}");
        }
    }

    #[test]
    fn lines_and_columns() {
        let mut places = Vec::new();
        let mut out = |token: &Token<'_>| {
            places.push((token.place().line(), token.place().column(), token.start()));
            Ok(())
        };
        let mut lexer = Lexer::new(&Limits::default());
        for piece in ["é<a>\r", "\n<b>\n\r<i>x"] {
            lexer.write(piece, &mut out).unwrap();
        }
        lexer.end(&mut out).unwrap();
        assert_eq!(
            places,
            [
                (1, 1, 0),
                (1, 2, 2),
                (1, 5, 5),
                (2, 1, 6),
                (2, 1, 7),
                (2, 4, 10),
                (4, 1, 12),
                (4, 4, 15)
            ]
        );
    }
}
