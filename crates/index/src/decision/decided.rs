//! A decision about a page: the answer to each bot, and why it is no page if it is none.

use heedful::{Policy, Use, Uses};

use super::answer::{AllowedUses, BotAnswer, Whys};
use super::kind::EntryKind;

/// The use that a page has no longer when its kept copy is removed.
const COPY: Uses = Uses::new(&[Use::Archive]);

/// What was decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Why it is no page, or no longer one.
    pub reason: Option<String>,
    /// The statement that caused it.
    pub why: Option<String>,
    /// The answer to each bot.
    pub bots: Vec<BotAnswer>,
}

/// A decision about a page, with its URL and time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionRecord {
    /// What was decided on.
    pub kind: EntryKind,
    /// The URL in its normal form.
    pub url: String,
    /// When the page was fetched, in seconds since 1970.
    pub captured: Option<i64>,
    /// What was decided.
    pub decision: Decision,
}

impl Decision {
    /// The decision that follows from a policy, for this bot.
    pub(crate) fn judged(bot: &str, policy: &Policy) -> Self {
        Self {
            reason: None,
            why: None,
            bots: vec![BotAnswer::from_policy(bot, policy, Uses::ALL, None)],
        }
    }

    /// The decision that follows from a policy, for a page that it keeps out.
    pub(crate) fn refused(
        bot: &str,
        policy: &Policy,
        reason: impl Into<String>,
        why: &str,
    ) -> Self {
        let Self { why, reason, .. } = Self::denied(bot, reason, why);
        Self {
            why,
            reason,
            ..Self::judged(bot, policy)
        }
    }

    /// The decision that a kept copy is removed.
    pub(crate) fn without_copy(bot: &str) -> Self {
        let denied = Self::denied(bot, "the kept copy was removed", "");
        let bots = denied.bots.into_iter().map(|bot| BotAnswer {
            allow: AllowedUses::none(COPY),
            ..bot
        });
        Self {
            bots: bots.collect(),
            ..denied
        }
    }

    /// The decision that denies everything.
    pub(crate) fn denied(bot: &str, reason: impl Into<String>, why: &str) -> Self {
        let bot = BotAnswer {
            bot: bot.to_owned(),
            allow: AllowedUses::none(Uses::ALL),
            why: Whys::default(),
            parts: None,
        };
        let why = (!why.is_empty()).then(|| why.to_owned());
        Self {
            reason: Some(reason.into()),
            why,
            bots: vec![bot],
        }
    }
}
