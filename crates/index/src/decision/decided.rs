//! A decision about a page: the answer to each bot, and the reason if the page is not indexed.

use heedful::{Policy, Use, Uses};

use super::answer::{AllowedUses, BotAnswer, Whys};
use super::kind::EntryKind;

/// The uses that are denied by a decision to remove the snapshot of a page.
const COPY: Uses = Uses::new(&[Use::Archive]);

/// Result of a decision about a page: the reason if the page is not indexed, and an answer to each
/// bot.
///
/// # Examples
/// ```
/// use heedful::{Use, Uses};
/// use heedful_index::decision::{AllowedUses, BotAnswer, Decision, DecisionRecord, EntryKind, Whys};
///
/// let answer = BotAnswer {
///     bot: "foobot".to_owned(),
///     allow: AllowedUses { asked: Uses::new(&[Use::Index]), allowed: Uses::NONE },
///     why: Whys::default(),
///     parts: None,
/// };
/// let record = DecisionRecord {
///     kind: EntryKind::Gone,
///     url: "https://example.com/".to_owned(),
///     captured: None,
///     decision: Decision { reason: Some("status 404".to_owned()), why: None, bots: vec![answer] },
/// };
/// assert!(record.decision.bots[0].allow.denies(Use::Index));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Reason why the page is not indexed or no longer indexed, or why its snapshot was removed.
    /// None for any other decision.
    pub reason: Option<String>,
    /// Text of the statement (a directive, for example) that is the cause of [`Decision::reason`].
    /// None if there is no statement.
    pub why: Option<String>,
    /// Answers to the bots about the page, one for each bot.
    pub bots: Vec<BotAnswer>,
}

/// A decision about a page, with its kind and with the page's URL and capture time.
///
/// For an example see [`Decision`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionRecord {
    /// Kind of the decision about the page.
    pub kind: EntryKind,
    /// URL of the page, in normal form.
    pub url: String,
    /// Capture time of the page, in seconds since 1970. None if it is not known.
    pub captured: Option<i64>,
    /// Answers to the bots, and the reason if the page is not indexed.
    pub decision: Decision,
}

impl Decision {
    /// Creates the decision about a page for the bot named `bot`, from the bot's policy for that
    /// page.
    pub(crate) fn judged(bot: &str, policy: &Policy) -> Self {
        Self {
            reason: None,
            why: None,
            bots: vec![BotAnswer::from_policy(bot, policy, Uses::ALL, None)],
        }
    }

    /// Creates the decision that a page is not indexed, for the bot named `bot`. `policy` denies
    /// `index`. `reason` is why the page is not indexed, and `why` is the text of the denying
    /// statement.
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

    /// Creates the decision to remove the snapshot of a page, for the bot named `bot`.
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

    /// Creates a decision that denies all uses of a page to the bot named `bot`. `reason` and `why`
    /// become the decision's fields with these names.
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
