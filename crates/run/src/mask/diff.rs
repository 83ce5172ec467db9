//! The difference of two masks: the uses that were forbidden, and those given back.
//!
//! Masks of the same records are compared line by line, in no memory. Else they are compared by
//! URL: of several captures of a URL the latest counts, and of equally late ones the strictest. A
//! URL that the newer mask does not have is no change: nothing is known of it. Both masks are then
//! held in memory, each URL once, the older one without its directives.

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

/// The counts of a comparison of two masks. The masks are in JSON Lines, for the same bots and
/// uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MaskDifference {
    /// The changes.
    pub changes: u64,
    /// The URLs, or lines, that were compared.
    pub compared: u64,
    /// The URLs that only the older mask has. Nothing is known of them now.
    pub gone: u64,
    /// The URLs that only the newer mask has: they are no change.
    pub new: u64,
}

/// The answer to a bot at a time.
#[derive(Clone, Debug)]
struct AnswerState {
    date: Option<Timestamp>,
    allow: AllowedUses,
    is_compared: bool,
}

impl MaskDifference {
    /// True if two masks are about the same records, line by line.
    ///
    /// # Errors
    /// Fails if a mask cannot be read.
    pub fn is_parallel<R: BufRead>(old: R, new: R) -> Result<bool> {
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

    /// Compares masks of the same records, and hands each change to `take`.
    ///
    /// # Errors
    /// Fails if a mask cannot be read, is about other bots or uses, or `take` fails.
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

    /// Compares masks by URL, and hands each change to `take`, in the order of the newer mask's
    /// URLs.
    ///
    /// # Errors
    /// As for [`MaskDifference::of_lines`].
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

/// What counts for a URL and a bot: of a kind that has a date and what is allowed.
trait MergeableAnswer {
    fn date(&self) -> Option<Timestamp>;
    /// Takes over what an equally late one denies.
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

/// The latest answer for each URL and bot. Of equally late ones, the strictest.
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
            let what = name.clone();
            Err(ErrorKind::Io { what, source }.into())
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
