//! The difference of two masks: what became forbidden, and what was given back.
//!
//! Masks of the same records are compared line by line, in no memory. Else they are compared by
//! URL: of several captures of a URL the latest counts, and of equally late ones the strictest. A
//! URL that the newer mask does not have is no change: nothing is known of it. Both masks are then
//! held in memory, each URL once, the older one without its directives.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::io::BufRead;

use jiff::Timestamp;

use crate::change::Change;
use heedful::{Use, Uses};
use heedful_base::address::Key;
use heedful_base::bot::BotSet;
use heedful_base::error::{Error, ErrorKind, Result};
use heedful_index::decision::{AllowedUses, BotAnswer};

use super::answer::{AnswerKind, MaskAnswer};
use super::lines::lines;

/// What a comparison of two masks met. The masks are in JSON Lines, for the same bots and uses.
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
    is_met: bool,
}

impl MaskDifference {
    /// True if two masks are about the same records, line by line.
    ///
    /// # Errors
    /// Fails if a mask cannot be read.
    pub fn is_parallel<R: BufRead>(old: R, new: R) -> Result<bool> {
        let (mut old, mut new) = (
            answers(old, "the older mask"),
            answers(new, "the newer mask"),
        );
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
        let (old, new) = (
            answers(old, "the older mask"),
            answers(new, "the newer mask"),
        );
        let mut met = MaskDifference::default();
        for (old, new) in old.zip(new) {
            let (old, new) = (old?, new?);
            met.compared += 1;
            if old.bots.len() != new.bots.len() {
                return Err(other("bots"));
            }
            let Some(url) = new.url.clone() else { continue };
            for bot in &new.bots {
                let before = old
                    .bots
                    .iter()
                    .find(|old| old.bot == bot.bot)
                    .ok_or_else(|| other("bots"))?;
                if let Some(change) = change(&url, before.allow, (&new, bot))? {
                    met.changes += 1;
                    take(change)?;
                }
            }
        }
        Ok(met)
    }

    /// Compares masks by URL, and hands each change to `take`, in the order of the newer mask's
    /// URLs.
    ///
    /// # Errors
    /// As for [`Difference::of_lines`].
    pub fn of_urls<R: BufRead>(
        old: R,
        new: R,
        mut take: impl FnMut(Change) -> Result<()>,
    ) -> Result<MaskDifference> {
        let mut standing = latest(answers(old, "the older mask"), |answer, bot| AnswerState {
            date: fetched(answer),
            allow: bot.allow,
            is_met: false,
        })?;
        let (mut met, mut changes) = (MaskDifference::default(), Vec::new());
        let now = latest(answers(new, "the newer mask"), |answer, bot| {
            (answer.clone(), bot.clone())
        })?;
        let bots = |keys: &mut dyn Iterator<Item = &(String, String)>| {
            keys.map(|(_, bot)| bot.clone()).collect()
        };
        let (before, after): (BTreeSet<_>, BTreeSet<_>) =
            (bots(&mut standing.keys()), bots(&mut now.keys()));
        if !before.is_empty() && !after.is_empty() && before != after {
            return Err(other("bots"));
        }
        for (key, (answer, bot)) in now {
            let Some(before) = standing.get_mut(&key) else {
                met.new += 1;
                continue;
            };
            before.is_met = true;
            met.compared += 1;
            changes.extend(change(&key.0, before.allow, (&answer, &bot))?);
        }
        met.gone = standing
            .values()
            .filter(|standing| !standing.is_met)
            .count() as u64;
        met.changes = changes.len() as u64;
        changes.sort_by(|a, b| (&a.url, &a.bot).cmp(&(&b.url, &b.bot)));
        changes.into_iter().try_for_each(&mut take)?;
        Ok(met)
    }
}

/// What counts for a URL and a bot: of a kind that has a date and what is allowed.
trait DatedAnswer {
    fn date(&self) -> Option<Timestamp>;
    /// Takes over what an equally late one denies.
    fn join(&mut self, other: &Self);
}

impl DatedAnswer for AnswerState {
    fn date(&self) -> Option<Timestamp> {
        self.date
    }

    fn join(&mut self, other: &Self) {
        self.allow.allowed = joined(self.allow, other.allow);
    }
}

impl DatedAnswer for (MaskAnswer, BotAnswer) {
    fn date(&self) -> Option<Timestamp> {
        fetched(&self.0)
    }

    fn join(&mut self, other: &Self) {
        for (usage, why) in &other.1.why.0 {
            if self.1.allow.allows(*usage) && !other.1.allow.allows(*usage) {
                self.1.why.0.retain(|(own, _)| own != usage);
                self.1.why.0.push((*usage, why.clone()));
            }
        }
        self.1.allow.allowed = joined(self.1.allow, other.1.allow);
        self.0.reason = self.0.reason.take().or_else(|| other.0.reason.clone());
    }
}

/// What both allow.
fn joined(one: AllowedUses, other: AllowedUses) -> Uses {
    one.allowed.without(one.allowed.without(other.allowed))
}

fn fetched(answer: &MaskAnswer) -> Option<Timestamp> {
    answer.date.as_deref()?.parse().ok()
}

/// The latest answer for each URL and bot. Of equally late ones, the strictest.
fn latest<T: DatedAnswer>(
    answers: impl Iterator<Item = Result<MaskAnswer>>,
    make: impl Fn(&MaskAnswer, &BotAnswer) -> T,
) -> Result<HashMap<(String, String), T>> {
    let mut found: HashMap<(String, String), T> = HashMap::new();
    for answer in answers {
        let answer = answer?;
        let Some(url) = answer
            .url
            .as_deref()
            .filter(|_| answer.kind != AnswerKind::None)
        else {
            continue;
        };
        let url = String::from(Key::parse(url));
        for bot in &answer.bots {
            let made = make(&answer, bot);
            match found.entry((url.clone(), bot.bot.clone())) {
                std::collections::hash_map::Entry::Vacant(none) => {
                    none.insert(made);
                }
                std::collections::hash_map::Entry::Occupied(mut known) => {
                    match made.date().cmp(&known.get().date()) {
                        Ordering::Less => {}
                        Ordering::Equal => known.get_mut().join(&made),
                        Ordering::Greater => drop(known.insert(made)),
                    }
                }
            }
        }
    }
    Ok(found)
}

fn change(
    url: &str,
    before: AllowedUses,
    (answer, now): (&MaskAnswer, &BotAnswer),
) -> Result<Option<Change>> {
    if before.asked != now.allow.asked {
        return Err(other("uses"));
    }
    let reason = |usage: Use| {
        let found = now.why.0.iter().find(|(own, _)| *own == usage);
        found.map_or_else(
            || answer.reason.clone().unwrap_or_default(),
            |(_, why)| why.directive.clone(),
        )
    };
    Ok(Change::between(
        (before.allowed, now.allow.allowed),
        (url, &now.bot),
        answer.date.clone(),
        reason,
    ))
}

fn place(answer: &MaskAnswer) -> (&str, Option<u64>, Option<&str>) {
    (&answer.file, answer.at, answer.url.as_deref())
}

fn answers<R: BufRead>(mask: R, name: &str) -> impl Iterator<Item = Result<MaskAnswer>> {
    let name = name.to_owned();
    lines(mask).map(move |line| {
        let (number, line) = line.map_err(|source| {
            Error::from(ErrorKind::Io {
                what: name.clone(),
                source,
            })
        })?;
        let answer = MaskAnswer::parse(&line).and_then(|answer| {
            let is_large = answer.bots.len() > BotSet::MAX;
            if is_large {
                Err(Error::setting(format!("more than {} bots", BotSet::MAX)))
            } else {
                Ok(answer)
            }
        });
        answer.map_err(|error| Error::setting(format!("{name}, line {number}: {error}")))
    })
}

fn other(what: &str) -> Error {
    Error::setting(format!("the masks are about different {what}"))
}
