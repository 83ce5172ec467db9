//! Finds the answers of a mask for a second file whose records derive from judged pages: extracted
//! texts (WET), or lines with URLs.
//!
//! A text of a WET file refers to the record of its page (`WARC-Refers-To`), and a line has the URL
//! of its page. If the URL has several captures, a use is allowed only if all of them allow it. If
//! the line has the date of one capture, only that capture decides. The answer is `unknown` if the
//! page is not among the judged ones. All answers are in memory at the same time.

use std::collections::HashMap;

use heedful_base::address::Key;
use heedful_base::error::Result;
use heedful_input::{Input, Item};
use heedful_json::rfc3339;

use super::answer::{AnswerKind, MaskAnswer, common_uses, deny_also};
use super::judging::MaskQuestions;

/// Answers of a mask for captures of pages. They can be looked up by record or by URL.
///
/// Answers for several captures of a URL are merged when they are added, not at each lookup. So a
/// lookup is fast even if the URL has a million captures.
///
/// ```
/// use heedful::{Bot, Filter, Use, Uses};
/// use heedful_input::{Inputs, JsonRow};
/// use heedful_run::{Gate, mask::{CaptureAnswers, MaskQuestions}};
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let asking = MaskQuestions::new(Uses::parse_names("train")?, &filter);
/// let mut row = JsonRow::default();
/// row.url = Some("https://site.example/rye".to_owned());
/// row.html = Some("<meta name=robots content=noai><p>Rye".to_owned());
/// let mut captures = CaptureAnswers::default();
/// for item in row.into_record("table", 1) {
///     captures.add(asking.answer_item(item, &filter, &Gate::default()));
/// }
///
/// // The second file has only the URL of the page.
/// let folder = tempfile::tempdir()?;
/// let texts = folder.path().join("texts.jsonl");
/// std::fs::write(&texts, r#"{"url":"https://site.example/rye","text":"Rye"}"#)?;
/// let inputs = Inputs::default().each_record().open(&[texts])?;
/// let mut allowed = Vec::new();
/// captures.each(&inputs[0], &asking, |answer| Ok(allowed.push(answer.allow.allows(Use::Train))))?;
/// assert_eq!(allowed, [false]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct CaptureAnswers {
    answers: MaskAnswers,
    by_record: HashMap<String, Strictest>,
    by_url: HashMap<String, UrlCaptures>,
    /// For each URL and date, a reference to the answer that is merged from all captures of the URL
    /// with this date. A key is a pair: the number of the URL ([`UrlCaptures::number`]), and the
    /// date.
    by_date: HashMap<(usize, String), Strictest>,
}

/// Answers of a mask for single captures, and answers that were merged from several captures.
#[derive(Debug, Default)]
struct MaskAnswers {
    single: Vec<MaskAnswer>,
    joined: Vec<MaskAnswer>,
}

/// Reference to the answer for a key. A key is a record, a URL, or a URL with a date. Several
/// captures may have the same key. Their answers are merged to one answer, which denies each use
/// that any of the merged answers denies. The reference is an index into a list of [`MaskAnswers`].
#[derive(Clone, Copy, Debug)]
enum Strictest {
    /// Only one capture has the key. The value is an index into [`MaskAnswers::single`].
    Single(usize),
    /// Several captures have the key. The value is an index into [`MaskAnswers::joined`].
    Joined(usize),
}

/// Captures of one URL. `number` stands for the URL in the keys of [`CaptureAnswers::by_date`].
/// `all` refers to the answer that is merged from all captures of the URL.
#[derive(Clone, Copy, Debug)]
struct UrlCaptures {
    number: usize,
    all: Strictest,
}

impl MaskAnswers {
    fn get(&self, strictest: Strictest) -> &MaskAnswer {
        match strictest {
            Strictest::Single(number) => &self.single[number],
            Strictest::Joined(number) => &self.joined[number],
        }
    }

    /// Merges `answer` with the earlier answers for the same key, and returns a reference to the
    /// result. `before` refers to the merged earlier answers, and is `None` for the first answer.
    /// Afterwards the caller must push `answer` to the field `single`.
    fn join(&mut self, before: Option<Strictest>, answer: &MaskAnswer) -> Strictest {
        match before {
            None => Strictest::Single(self.single.len()),
            Some(Strictest::Single(number)) => {
                let mut joined = self.single[number].clone();
                tighten(&mut joined, answer);
                self.joined.push(joined);
                Strictest::Joined(self.joined.len() - 1)
            }
            Some(Strictest::Joined(number)) => {
                tighten(&mut self.joined[number], answer);
                Strictest::Joined(number)
            }
        }
    }
}

impl CaptureAnswers {
    /// Adds the answer for a capture of a page. An answer for a record that is not a page is
    /// ignored.
    pub fn add(&mut self, answer: MaskAnswer) {
        let Some(url) = answer.url.as_deref() else {
            return;
        };
        if answer.kind == AnswerKind::None {
            return;
        }
        let key = String::from(Key::parse(url));
        let (number, before) = match self.by_url.get(&key) {
            Some(url) => (url.number, Some(url.all)),
            None => (self.by_url.len(), None),
        };
        let all = self.answers.join(before, &answer);
        self.by_url.insert(key, UrlCaptures { number, all });
        if let Some(date) = &answer.date {
            let key = (number, date.clone());
            let of_date = self.answers.join(self.by_date.get(&key).copied(), &answer);
            self.by_date.insert(key, of_date);
        }
        if let Some(record) = &answer.record {
            let of_record = self
                .answers
                .join(self.by_record.get(record).copied(), &answer);
            self.by_record.insert(record.clone(), of_record);
        }
        self.answers.single.push(answer);
    }

    /// Calls `take` with the answer for each record of `input`, in the order of the input. The
    /// records are derived from pages, for example as extracted texts. The answer for a record is
    /// the answer that was added for its page. If none was added, the kind of the answer is
    /// `unknown`. The input must be opened with
    /// [`each_record`](heedful_input::Inputs::each_record).
    ///
    /// # Errors
    /// Fails if `input` cannot be read, or with the error that `take` returns.
    pub fn each(
        &self,
        input: &Input,
        asking: &MaskQuestions,
        mut take: impl FnMut(MaskAnswer) -> Result<()>,
    ) -> Result<()> {
        for (item, _) in input.items()? {
            let (origin, url, captured, record, refers_to) = match &item {
                Item::Robots(_) => continue,
                Item::Document(document) | Item::Unchanged(document) => (
                    Some(document.origin()),
                    Some(document.url()),
                    document.captured(),
                    document.record(),
                    None,
                ),
                Item::Skipped(skipped) => (
                    skipped.origin(),
                    skipped.url(),
                    skipped.captured(),
                    skipped.record(),
                    skipped.refers_to(),
                ),
                Item::Damage(damage) => (
                    Some(damage.origin()),
                    damage.url(),
                    damage.captured(),
                    None,
                    None,
                ),
            };
            let url = url.filter(|url| !url.is_empty());
            let date = captured.and_then(rfc3339);
            let mut answer = match (refers_to, url) {
                _ if is_lost(&item) => {
                    asking.denied(AnswerKind::Unknown, "the record cannot be read")
                }
                (None, None) => asking.denied(AnswerKind::None, "another record"),
                (refers_to, url) => self.find(refers_to, url, date.as_deref(), asking),
            };
            let (file, at) = match origin {
                Some(origin) => origin.place(),
                None => ("", None),
            };
            file.clone_into(&mut answer.file);
            answer.unit = at.map(|(unit, _)| unit.to_owned());
            answer.at = at.map(|(_, number)| number);
            answer.record = record.map(str::to_owned);
            answer.url = url.map(str::to_owned).or(answer.url);
            answer.date = date.or(answer.date);
            take(answer)?;
        }
        Ok(())
    }

    fn find_url(&self, url: &str, date: Option<&str>) -> Option<Strictest> {
        let UrlCaptures { number, all } = *self.by_url.get(Key::parse(url).as_str())?;
        if let Some(date) = date
            && let Some(of_date) = self.by_date.get(&(number, date.to_owned()))
        {
            return Some(*of_date);
        }
        Some(all)
    }

    fn find(
        &self,
        refers_to: Option<&str>,
        url: Option<&str>,
        date: Option<&str>,
        asking: &MaskQuestions,
    ) -> MaskAnswer {
        let strictest = match (refers_to, url) {
            // Several records may share an identifier, so their joined answer is the strictest one.
            (Some(record), _) => self.by_record.get(record).copied(),
            (None, Some(url)) => self.find_url(url, date),
            (None, None) => None,
        };
        match strictest {
            Some(strictest) => self.answers.get(strictest).clone(),
            None => asking.denied(
                AnswerKind::Unknown,
                "its page is not among those that were judged",
            ),
        }
    }
}

fn is_lost(item: &Item) -> bool {
    matches!(item, Item::Damage(damage) if !damage.is_without_page())
}

/// Restricts the answer `one` to the uses that `other` allows as well, for each bot. If only
/// `other` denies a use, copies the directive that denies the use.
fn tighten(one: &mut MaskAnswer, other: &MaskAnswer) {
    for (bot, other) in one.bots.iter_mut().zip(&other.bots) {
        deny_also(bot, other);
        for part in other.parts.iter().flatten() {
            let parts = bot.parts.get_or_insert_default();
            if !parts.contains(part) {
                parts.push(part.clone());
            }
        }
    }
    one.bots.truncate(other.bots.len());
    one.digest = None;
    one.basis = None;
    one.allow.allowed = common_uses(one.allow, other.allow);
    if other.is_without_robots() {
        one.robots.clone_from(&other.robots);
        one.robots_status = other.robots_status;
    }
    if other.kind == AnswerKind::Unknown {
        one.kind = AnswerKind::Unknown;
        one.reason.clone_from(&other.reason);
    }
}
