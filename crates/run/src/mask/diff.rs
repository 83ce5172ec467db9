//! Compares two masks: which uses of pages became denied, and which became allowed.
//!
//! Masks of the same records are compared line by line, in constant memory. All other masks are
//! compared by URL. If a URL has several captures, the latest one is compared. Among captures of
//! the same date the strictest one is compared. A URL that only the older mask has is counted, but
//! it is not a change, since its present policy is unknown. A comparison by URL keeps one answer
//! per URL of each mask in memory. The answers of the older mask are kept without directives.

use std::cmp::Ordering;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::io::BufRead;

use jiff::Timestamp;

use crate::change::Change;
use heedful::Use;
use heedful_base::address::Key;
use heedful_base::bot::BotSet;
use heedful_base::error::{Error, ErrorKind, Result};
use heedful_index::decision::{AllowedUses, BotAnswer};

use super::answer::{AnswerKind, MaskAnswer, common_uses, deny_also};
use super::lines::lines;

/// Counts from a comparison of an older and a newer mask. Both masks must be JSON Lines with the
/// same bots and uses.
///
/// ```
/// use heedful::{Bot, Filter, Uses};
/// use heedful_run::mask::{MaskDifference, MaskQuestions};
/// use heedful_run::{Gate, UrlPolicies};
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let stricter = filter.clone().deny(Uses::parse_names("train")?, "/")?;
/// let asking = MaskQuestions::new(Uses::parse_names("index,train")?, &filter);
/// let url = "https://site.example/rye";
/// let mut masks = Vec::new();
/// for filter in [filter, stricter] {
///     let gate = Gate::default();
///     let mut answer = asking.policies(&UrlPolicies::new(&gate, &filter).policies(url)?);
///     answer.url = Some(url.to_owned());
///     masks.push(answer.line());
/// }
///
/// let (old, new) = (masks[0].as_bytes(), masks[1].as_bytes());
/// assert!(MaskDifference::has_same_records(old, new)?);
/// let mut forbidden = Vec::new();
/// let difference = MaskDifference::of_lines(old, new, |change| {
///     forbidden.extend(change.forbidden);
///     Ok(())
/// })?;
/// assert_eq!((difference.compared, difference.changes), (1, 1));
/// assert_eq!(forbidden, ["train"]);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MaskDifference {
    /// Number of changes that the comparison found.
    pub changes: u64,
    /// Number of lines that were compared. In a comparison by URL, the number of compared pairs of
    /// a URL and a bot.
    pub compared: u64,
    /// Number of pairs of a URL and a bot that only the older mask has. Their present policy is
    /// unknown.
    pub gone: u64,
    /// Number of pairs of a URL and a bot that only the newer mask has. They are not changes.
    pub new: u64,
}

/// Answer of the older mask for a page and one bot, without directives.
#[derive(Clone, Debug)]
struct AnswerState {
    date: Option<Timestamp>,
    allow: AllowedUses,
    is_compared: bool,
}

impl MaskDifference {
    /// True if two masks in JSON Lines have the same records in the same order.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Io`] if a mask cannot be read. Fails with [`ErrorKind::Setting`] if
    /// a line of a mask cannot be parsed.
    pub fn has_same_records<R: BufRead>(old: R, new: R) -> Result<bool> {
        let mut old = answers(old, "the older mask");
        let mut new = answers(new, "the newer mask");
        loop {
            match (old.next().transpose()?, new.next().transpose()?) {
                (None, None) => return Ok(true),
                (Some(old), Some(new)) if place(&old) == place(&new) => {}
                _ => return Ok(false),
            }
        }
    }

    /// Compares two masks line by line, and calls `take` with each change. Both masks must have the
    /// same records in the same order ([`MaskDifference::has_same_records`]).
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Io`] if a mask cannot be read. Fails with [`ErrorKind::Setting`] if
    /// a line of a mask cannot be parsed, or if the masks have different bots or uses. Fails with
    /// the error that `take` returns.
    pub fn of_lines<R: BufRead>(
        old: R,
        new: R,
        mut take: impl FnMut(Change) -> Result<()>,
    ) -> Result<MaskDifference> {
        let old = answers(old, "the older mask");
        let new = answers(new, "the newer mask");
        let mut difference = MaskDifference::default();
        for (old, new) in old.zip(new) {
            let old = old?;
            let new = new?;
            difference.compared += 1;
            if old.bots.len() != new.bots.len() {
                return Err(other("bots"));
            }
            let Some(url) = new.url.clone() else { continue };
            for bot in &new.bots {
                let Some(before) = old.bots.iter().find(|old| old.bot == bot.bot) else {
                    return Err(other("bots"));
                };
                if let Some(change) = change(&url, before.allow, &new, bot)? {
                    difference.changes += 1;
                    take(change)?;
                }
            }
        }
        Ok(difference)
    }

    /// Compares two masks by URL, and calls `take` with each change. The masks may have different
    /// records. The changes are sorted by URL and bot.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Io`] if a mask cannot be read. Fails with [`ErrorKind::Setting`] if
    /// a line of a mask cannot be parsed, or if the masks have different bots or uses. Fails with
    /// the error that `take` returns.
    pub fn of_urls<R: BufRead>(
        old: R,
        new: R,
        mut take: impl FnMut(Change) -> Result<()>,
    ) -> Result<MaskDifference> {
        let mut known = latest(answers(old, "the older mask"), |answer, bot| AnswerState {
            date: fetched(answer),
            allow: bot.allow,
            is_compared: false,
        })?;
        let now = latest(answers(new, "the newer mask"), |answer, bot| {
            (answer.clone(), bot.clone())
        })?;
        let mut difference = MaskDifference::default();
        let mut changes = Vec::new();
        let before: BTreeSet<&String> = known.keys().map(|(_, bot)| bot).collect();
        let after: BTreeSet<&String> = now.keys().map(|(_, bot)| bot).collect();
        if !before.is_empty() && !after.is_empty() && before != after {
            return Err(other("bots"));
        }
        for (key, (answer, bot)) in now {
            let Some(before) = known.get_mut(&key) else {
                difference.new += 1;
                continue;
            };
            before.is_compared = true;
            difference.compared += 1;
            changes.extend(change(&key.0, before.allow, &answer, &bot)?);
        }
        let gone = known.values().filter(|state| !state.is_compared);
        difference.gone = gone.count() as u64;
        difference.changes = changes.len() as u64;
        changes.sort_by(|a, b| (&a.url, &a.bot).cmp(&(&b.url, &b.bot)));
        for change in changes {
            take(change)?;
        }
        Ok(difference)
    }
}

/// Answer of a mask for one URL and one bot. Answers can be compared by date, and answers with the
/// same date can be merged.
trait MergeableAnswer {
    fn date(&self) -> Option<Timestamp>;
    /// Merges `other` into this answer, so that this answer also denies the uses that `other`
    /// denies. Both answers must have the same date.
    fn merge(&mut self, other: &Self);
}

impl MergeableAnswer for AnswerState {
    fn date(&self) -> Option<Timestamp> {
        self.date
    }

    fn merge(&mut self, other: &Self) {
        self.allow.allowed = common_uses(self.allow, other.allow);
    }
}

impl MergeableAnswer for (MaskAnswer, BotAnswer) {
    fn date(&self) -> Option<Timestamp> {
        fetched(&self.0)
    }

    fn merge(&mut self, other: &Self) {
        deny_also(&mut self.1, &other.1);
        if self.0.reason.is_none() {
            self.0.reason.clone_from(&other.0.reason);
        }
    }
}

fn fetched(answer: &MaskAnswer) -> Option<Timestamp> {
    answer.date.as_deref()?.parse().ok()
}

/// Returns the latest answer for each pair of a URL and a bot. If several answers have the same
/// date, they are merged into one. The merged answer denies each use that any of them denies.
fn latest<T: MergeableAnswer>(
    answers: impl Iterator<Item = Result<MaskAnswer>>,
    make: impl Fn(&MaskAnswer, &BotAnswer) -> T,
) -> Result<HashMap<(String, String), T>> {
    let mut found: HashMap<(String, String), T> = HashMap::new();
    for answer in answers {
        let answer = answer?;
        let Some(url) = answer.url.as_deref() else {
            continue;
        };
        if answer.kind == AnswerKind::None {
            continue;
        }
        let url = String::from(Key::parse(url));
        for bot in &answer.bots {
            let new = make(&answer, bot);
            match found.entry((url.clone(), bot.bot.clone())) {
                Entry::Vacant(none) => {
                    none.insert(new);
                }
                Entry::Occupied(mut known) => match new.date().cmp(&known.get().date()) {
                    Ordering::Less => {}
                    Ordering::Equal => known.get_mut().merge(&new),
                    Ordering::Greater => drop(known.insert(new)),
                },
            }
        }
    }
    Ok(found)
}

fn change(
    url: &str,
    before: AllowedUses,
    answer: &MaskAnswer,
    now: &BotAnswer,
) -> Result<Option<Change>> {
    if before.asked != now.allow.asked {
        return Err(other("uses"));
    }
    let reason = |usage: Use| match now.why.0.iter().find(|(own, _)| *own == usage) {
        Some((_, why)) => why.directive.clone(),
        None => answer.reason.clone().unwrap_or_default(),
    };
    Ok(Change::between(
        before.allowed,
        now.allow.allowed,
        url,
        &now.bot,
        answer.date.clone(),
        reason,
    ))
}

fn place(answer: &MaskAnswer) -> (&str, Option<u64>, Option<&str>) {
    (&answer.file, answer.at, answer.url.as_deref())
}

fn answers<R: BufRead>(mask: R, name: &str) -> impl Iterator<Item = Result<MaskAnswer>> {
    let name = name.to_owned();
    lines(mask).map(move |line| match line {
        Ok((number, line)) => parse_answer(&line)
            .map_err(|error| Error::setting(format!("{name}, line {number}: {error}"))),
        Err(source) => {
            let subject = name.clone();
            Err(ErrorKind::Io { subject, source }.into())
        }
    })
}

fn parse_answer(line: &str) -> Result<MaskAnswer> {
    let answer = MaskAnswer::parse(line)?;
    if answer.bots.len() > BotSet::MAX {
        return Err(Error::setting(format!("more than {} bots", BotSet::MAX)));
    }
    Ok(answer)
}

fn other(what: &str) -> Error {
    Error::setting(format!("the masks are about different {what}"))
}
