//! The keywords that META robots and X-Robots-Tag have in common (docs/semantics.md, section 4.1).
//!
//! Only whole words are keywords: `max-image-preview:none` denies no index. If a word ends in a
//! colon, the next word is its value. A date contains blanks and commas, so the longest run of
//! words that parses as a date is the date.

use crate::note::NoteKind;
use crate::policy::{Extent, ImagePreview, StatementContent, Use, Uses};
use heedful_base::bot::BotSet;
use heedful_base::lenient::shape::is_between_or_joint;

use super::collector::{Recipients, StatementCollector};
use super::dates;
use super::shown::markup_start;
use super::words::{Grammar, denied_by, statement};

/// Properties that all statements in one text share. The extent is how much of a page the
/// statements are about. The bots are those that the statements address.
#[derive(Clone, Copy, Debug)]
pub(super) struct StatementContext {
    pub(super) convention: &'static str,
    pub(super) extent: Extent,
    pub(super) bots: BotSet,
    /// True if only denials have an effect. Words that allow something, such as `index`, then have
    /// none.
    pub(super) only_denies: bool,
}

impl StatementContext {
    fn report(self, says: StatementContent, collector: &mut StatementCollector<'_>) {
        let counts = !self.only_denies || !matches!(says, StatementContent::Allow(_));
        if counts && !self.bots.is_empty() {
            collector.add(
                says,
                Recipients::Bots(self.bots),
                self.extent,
                self.convention,
            );
        }
    }

    /// Records the statement of `word` if the word is a keyword of META robots, such as `noindex`.
    /// Returns true if `word` is such a keyword, even if the keyword has no effect.
    fn report_keyword(self, word: &str, collector: &mut StatementCollector<'_>) -> bool {
        let says = statement(word, Grammar::Meta);
        if let Some(says) = says.flatten() {
            self.report(says, collector);
        }
        if matches!(word, "noarchive" | "nocache") && collector.conventions.has(NO_TRAINING) {
            let context = Self {
                convention: NO_TRAINING,
                ..self
            };
            context.report(
                StatementContent::Deny(Uses::new(&[Use::Train, Use::Input])),
                collector,
            );
        }
        says.is_some()
    }

    fn complain(self, kind: NoteKind, message: String, collector: &mut StatementCollector<'_>) {
        if !self.bots.is_empty() {
            collector.complain(kind, self.bots, self.convention, message);
        }
    }
}

/// Name of the convention by which the words `noarchive` and `nocache` deny two more uses of a
/// page. These uses are `train` (to train models) and `input` (to give a model material for an
/// answer).
pub(super) const NO_TRAINING: &str = "noarchive-train";

/// The words of a list of directives, and the index of the next word to read.
#[derive(Debug)]
pub(super) struct TermWords<'a> {
    words: Vec<TermWord<'a>>,
    at: usize,
}

#[derive(Clone, Copy, Debug)]
struct TermWord<'a> {
    text: &'a str,
    /// True if a comma, a semicolon or the end of the list follows the word.
    last: bool,
    /// True if a note may quote the word. False if a `<` or `>` is in the word, or before the word
    /// in the list. If an attribute lacks its closing quote, text of the page follows there, which
    /// may be withheld.
    is_shown: bool,
}

/// Maximum number of words in a date: weekday, day, month, year, time, zone, and one more word.
const DATE_WORDS: usize = 7;

impl<'a> TermWords<'a> {
    /// Splits a list of directives into words.
    pub(super) fn parse(text: &'a str) -> Self {
        let mut words: Vec<TermWord<'a>> = Vec::new();
        let shown = markup_start(text);
        for mut piece in text.split([',', ';']) {
            while let Some((word, rest)) = first_word(piece) {
                let end = rest.as_ptr().addr() - text.as_ptr().addr();
                words.push(TermWord {
                    text: word,
                    last: false,
                    is_shown: end <= shown,
                });
                piece = rest;
            }
            if let Some(word) = words.last_mut() {
                word.last = true;
            }
        }
        Self { words, at: 0 }
    }

    pub(super) fn is_over(&self) -> bool {
        self.at >= self.words.len()
    }

    pub(super) fn read_all(
        mut self,
        context: StatementContext,
        collector: &mut StatementCollector<'_>,
    ) {
        while !self.is_over() {
            self.read_term(context, collector);
        }
    }

    /// Returns the words before the next colon, joined by blanks, if they may be a bot's name.
    /// Returns `None` in these cases:
    /// - The next word is not at the start of the list, and not after a comma, semicolon or colon.
    /// - No colon comes before the next comma or semicolon.
    /// - The colon belongs to a directive (`max-snippet:`) or to a time (`15:00`).
    pub(super) fn bot_ahead(&self) -> Option<String> {
        if self.at > 0 && !self.words[self.at - 1].last && !self.words[self.at - 1].text.is_empty()
        {
            return None;
        }
        let colon = self.colon()?;
        let (last, after) = self.words[colon].text.split_once(':')?;
        let is_time = last.ends_with(|c: char| c.is_ascii_digit())
            && after.starts_with(|c: char| c.is_ascii_digit());
        let last = last.trim_end();
        if takes_value(last) || is_time {
            return None;
        }
        let mut name: Vec<_> = self.words[self.at..colon]
            .iter()
            .map(|word| word.text)
            .collect();
        if !last.is_empty() {
            name.push(last);
        }
        Some(name.join(" "))
    }

    /// Returns the index of the next word with a colon. Returns `None` if no word has a colon
    /// before the next comma or semicolon.
    fn colon(&self) -> Option<usize> {
        for (at, word) in self.words.iter().enumerate().skip(self.at) {
            if word.text.contains(':') {
                return Some(at);
            }
            if word.last {
                return None;
            }
        }
        None
    }

    /// Records the statements of all keywords before the next colon, for the bots of `context`. The
    /// word directly before the colon is included. Records nothing if no colon comes before the
    /// next comma or semicolon.
    ///
    /// The words before the colon may also be the name of a bot. The caller leaves the bots with
    /// this name out of `context`.
    pub(super) fn read_terms_before_colon(
        &self,
        context: StatementContext,
        collector: &mut StatementCollector<'_>,
    ) {
        let Some(colon) = self.colon() else { return };
        for word in &self.words[self.at..=colon] {
            let name = word.text.split(':').next().unwrap_or_default().trim_end();
            context.report_keyword(&name.to_ascii_lowercase(), collector);
        }
    }

    pub(super) fn skip_past_colon(&mut self) {
        if let Some(colon) = self.colon() {
            let word = &mut self.words[colon];
            (_, word.text) = word.text.split_once(':').unwrap_or_default();
            self.at = colon + usize::from(word.text.is_empty());
        }
    }

    /// Reads the next keyword of the list, or the next directive with its value. Complains about an
    /// unknown word.
    pub(super) fn read_term(
        &mut self,
        context: StatementContext,
        collector: &mut StatementCollector<'_>,
    ) {
        let word = self.words[self.at];
        self.at += 1;
        let lower = word.text.to_ascii_lowercase();
        match lower
            .split_once(':')
            .map(|(name, value)| (name.trim_end(), value.trim_start()))
        {
            Some(("unavailable_after", _)) => self.read_date(word, context, collector),
            Some((name, value)) if takes_value(name) => {
                let (value, is_shown) = if value.is_empty() && !word.last {
                    self.next_value()
                } else {
                    (value.to_owned(), word.is_shown)
                };
                read_value(name, &value, is_shown, context, collector);
            }
            _ if lower == "noimageai" => context.complain(
                NoteKind::ImageTraining,
                "`noimageai` asks that images be kept out of training; the verdict has no such use"
                    .to_owned(),
                collector,
            ),
            _ if context.report_keyword(&lower, collector) || !word.is_shown => {}
            _ => context.complain(
                NoteKind::UnknownToken,
                format!("`{}` is no known directive", word.text),
                collector,
            ),
        }
    }

    fn next_value(&mut self) -> (String, bool) {
        let word = self.words.get(self.at).copied();
        self.at += 1;
        word.map_or((String::new(), true), |word| {
            (word.text.to_ascii_lowercase(), word.is_shown)
        })
    }

    /// Reads the date that follows `unavailable_after:` in the list. `word` is the word with this
    /// colon.
    fn read_date(
        &mut self,
        word: TermWord<'_>,
        context: StatementContext,
        collector: &mut StatementCollector<'_>,
    ) {
        let (_, first) = word.text.split_once(':').unwrap_or_default();
        let first = TermWord {
            text: first,
            ..word
        };
        let glued = !first.text.trim().is_empty();
        let mut words = vec![TermWord {
            text: first.text.trim(),
            ..first
        }];
        // A directive is never part of a date, even if it looks like a time zone.
        let is_directive = |word: &&TermWord<'_>| statement(word.text, Grammar::Meta).is_none();
        words.extend(
            self.words[self.at..]
                .iter()
                .take_while(is_directive)
                .take(DATE_WORDS),
        );
        words.retain(|word| !word.text.is_empty());
        for length in (1..=words.len()).rev() {
            let text: Vec<_> = words[..length].iter().map(|word| word.text).collect();
            if let Some(time) = dates::parse(&text.join(" ")) {
                self.at += length - usize::from(glued);
                return context.report(StatementContent::UnavailableAfter(time), collector);
            }
        }
        // A date that does not parse ends at the first comma, so that the words after the comma
        // count.
        let end = words
            .iter()
            .position(|word| word.last)
            .map_or(words.len(), |n| n + 1);
        let text: Vec<_> = words[..end].iter().map(|word| word.text).collect();
        if !word.last || glued {
            self.at += end - usize::from(glued);
        }
        if words[..end].iter().all(|word| word.is_shown) {
            context.complain(
                NoteKind::UnreadableDate,
                format!("`{}` is no date that can be read", text.join(" ")),
                collector,
            );
        }
    }
}

fn read_value(
    name: &str,
    value: &str,
    is_shown: bool,
    context: StatementContext,
    collector: &mut StatementCollector<'_>,
) {
    if let Some(says) = parse_value(name, value) {
        for says in says {
            context.report(says, collector);
        }
        return;
    }
    if is_shown {
        let message = format!("`{name}` has no value that can be read: `{value}`");
        context.complain(NoteKind::UnreadableValue, message, collector);
    }
    // A directive in the place of a value counts.
    context.report_keyword(value, collector);
}

/// Returns the first word of a text, and the text after the word. A colon belongs to the word
/// before it, even with blanks between the two. Returns `None` if the text has no word.
fn first_word(piece: &str) -> Option<(&str, &str)> {
    let piece = piece.trim_start();
    if piece.is_empty() {
        return None;
    }
    let mut end = word_end(piece, 0);
    while piece[end..].trim_start().starts_with(':') {
        end = word_end(piece, piece.len() - piece[end..].trim_start().len());
    }
    Some(piece.split_at(end))
}

/// Returns the byte offset of the first white space in `piece` at or after `from`. If there is
/// none, returns the length of `piece`.
fn word_end(piece: &str, from: usize) -> usize {
    piece[from..]
        .find(char::is_whitespace)
        .map_or(piece.len(), |length| from + length)
}

/// True if some word of the text is a directive of META robots.
pub(super) fn has_keyword(content: &str) -> bool {
    possible_words(content).any(is_directive)
}

/// True if some word of the text is a directive of META robots that denies.
pub(super) fn has_denial(content: &str) -> bool {
    possible_words(content)
        .any(|word| !denied_by(word).is_empty() || word.eq_ignore_ascii_case("unavailable_after"))
}

fn possible_words(content: &str) -> impl Iterator<Item = &str> {
    content.split(|sign| is_between_or_joint(sign) || sign == ':')
}

/// True if the word is a directive of META robots.
pub(super) fn is_directive(word: &str) -> bool {
    statement(word, Grammar::Meta).is_some() || takes_value(word)
}

fn takes_value(name: &str) -> bool {
    [
        "max-snippet",
        "max-image-preview",
        "max-video-preview",
        "unavailable_after",
    ]
    .iter()
    .any(|valued| valued.eq_ignore_ascii_case(name))
}

/// Parses the value of the directive `name`, such as `20` for `max-snippet`. Returns the statements
/// that the directive makes. For the value `-1`, which means no limit, returns an empty list.
/// Returns `None` if the value does not parse.
fn parse_value(name: &str, value: &str) -> Option<Vec<StatementContent>> {
    if name == "max-image-preview" {
        let size = match value {
            "none" => ImagePreview::None,
            "standard" => ImagePreview::Standard,
            "large" => ImagePreview::Large,
            _ => return None,
        };
        return Some(vec![StatementContent::MaxImagePreview(size)]);
    }
    let number: i64 = value.parse().ok()?;
    if number == -1 {
        return Some(Vec::new());
    }
    let limit = u32::try_from(number).ok()?;
    Some(match name {
        "max-snippet" if limit == 0 => {
            vec![
                StatementContent::MaxSnippet(0),
                StatementContent::Deny(Uses::new(&[Use::Snippet])),
            ]
        }
        "max-snippet" => vec![StatementContent::MaxSnippet(limit)],
        _ => vec![StatementContent::MaxVideoPreview(limit)],
    })
}
