//! Answers that stand beside the records of another file: texts of pages (WET), or lines of which only the URL is known.
//!
//! A text names the record that it was made from (`WARC-Refers-To`). A line names its URL; if that has several captures,
//! all of them must allow a use, unless the line's date tells which one is meant. A record whose page is not among those
//! that were judged is `unknown`. The answers are held in memory.

use std::collections::HashMap;

use crate::address::Key;
use crate::error::Result;
use crate::evidence::BotAnswer;
use crate::input::{Input, Item};
use crate::json::rfc3339;
use crate::policy::Facets;

use super::answer::{Answer, AnswerKind};
use super::asking::Asking;

/// Answers, to be found again by record or by URL.
#[derive(Debug, Default)]
pub struct Beside {
    answers: Vec<Answer>,
    by_record: HashMap<String, Vec<usize>>,
    by_url: HashMap<String, Vec<usize>>,
}

impl Beside {
    /// Adds the answer for a page. Answers for records that are no page are left out.
    pub fn add(&mut self, answer: Answer) {
        let Some(url) = answer.url.as_deref().filter(|_| answer.kind != AnswerKind::None) else { return };
        let number = self.answers.len();
        self.by_url.entry(String::from(Key::of(url))).or_default().push(number);
        if let Some(record) = &answer.record {
            self.by_record.entry(record.clone()).or_default().push(number);
        }
        self.answers.push(answer);
    }

    /// Hands the answer for each record of another input to `take`, in order. The input must be opened with
    /// [`each_record`](crate::input::Inputs::each_record).
    ///
    /// # Errors
    /// Fails if the input cannot be read, or `take` fails.
    pub fn each(&self, input: &Input, asking: &Asking, mut take: impl FnMut(Answer) -> Result<()>) -> Result<()> {
        for (item, _) in input.items()? {
            let (origin, url, captured, record, refers_to) = match &item {
                Item::Robots(_) => continue,
                Item::Document(document) | Item::Unchanged(document) => {
                    (Some(document.origin()), Some(document.url()), document.captured(), document.record(), None)
                }
                Item::Skipped(skipped) => {
                    (skipped.origin(), skipped.url(), skipped.captured(), skipped.record(), skipped.refers_to())
                }
                Item::Damage(damage) => (Some(damage.origin()), damage.url(), damage.captured(), None, None),
            };
            let url = url.filter(|url| !url.is_empty());
            let date = captured.and_then(rfc3339);
            let mut answer = match (refers_to, url) {
                _ if is_lost(&item) => asking.denied(AnswerKind::Unknown, "the record cannot be read"),
                (None, None) => asking.denied(AnswerKind::None, "another record"),
                (refers_to, url) => self.found(refers_to, url, date.as_deref(), asking),
            };
            let (file, at) = origin.map_or(("", None), |origin| origin.place());
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

    fn found(&self, refers_to: Option<&str>, url: Option<&str>, date: Option<&str>, asking: &Asking) -> Answer {
        let missing = || asking.denied(AnswerKind::Unknown, "its page is not among those that were judged");
        let strictest = |numbers: &mut dyn Iterator<Item = &usize>| {
            numbers.map(|number| self.answers[*number].clone()).reduce(|one, other| both(one, &other))
        };
        // Records that share an identifier cannot be told apart.
        if let Some(numbers) = refers_to.and_then(|record| self.by_record.get(record)) {
            return strictest(&mut numbers.iter()).unwrap_or_else(missing);
        }
        let captures = url.and_then(|url| self.by_url.get(Key::of(url).as_str()));
        let Some(captures) = captures.filter(|_| refers_to.is_none()) else { return missing() };
        let of_date = |number: &&usize| date.is_some() && self.answers[**number].date.as_deref() == date;
        let mut meant: Vec<_> = captures.iter().filter(of_date).collect();
        if meant.is_empty() {
            meant = captures.iter().collect();
        }
        strictest(&mut meant.into_iter()).unwrap_or_else(missing)
    }
}

fn is_lost(item: &Item) -> bool {
    matches!(item, Item::Damage(damage) if !damage.is_without_page())
}

/// What two captures allow, each to each bot. The directives are those of the stricter one.
fn both(one: Answer, other: &Answer) -> Answer {
    let joined = |facets: Facets, others: Facets| facets.without(facets.without(others));
    let bots = one.bots.iter().zip(&other.bots).map(|(bot, other)| {
        let mut joint = BotAnswer::clone(bot);
        joint.allow.allowed = joined(bot.allow.allowed, other.allow.allowed);
        for part in other.parts.iter().flatten() {
            let parts = joint.parts.get_or_insert_default();
            if !parts.contains(part) {
                parts.push(part.clone());
            }
        }
        for (facet, why) in &other.why.0 {
            if bot.allow.allows(*facet) && !other.allow.allows(*facet) {
                joint.why.0.retain(|(own, _)| own != facet);
                joint.why.0.push((*facet, why.clone()));
            }
        }
        joint
    });
    let mut both = Answer { bots: bots.collect(), digest: None, basis: None, ..one };
    both.allow.allowed = joined(both.allow.allowed, other.allow.allowed);
    if other.kind == AnswerKind::Unknown {
        (both.kind, both.reason) = (AnswerKind::Unknown, other.reason.clone());
    }
    both
}
