//! The answer for one record, and its form in JSON (docs/mask.md).

use serde::{Deserialize, Serialize};

use heedful::{LAW, Uses};
use heedful_base::address::Key;
use heedful_base::error::{Error, Result};
use heedful_index::decision::{
    AllowedUses, Basis, BotAnswer, Decision, DecisionRecord, EntryKind, Whys,
};

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum AnswerKind {
    /// A page that was read, or a URL that was judged without its page.
    Page,
    /// A record that is no page: a request, metadata, a redirect, a picture.
    None,
    /// A record that could not be read, or whose content is not here.
    Unknown,
}

heedful_base::display!(AnswerKind);

impl AnswerKind {
    /// The name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::None => "none",
            Self::Unknown => "unknown",
        }
    }
}

/// The answer for one record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaskAnswer {
    /// The input.
    pub file: String,
    /// The unit of `at`: `byte`, `line`, `object` or `row`. None if the file is the record.
    pub unit: Option<String>,
    /// The place of the record in the input.
    pub at: Option<u64>,
    /// The identifier of the record in an archive.
    pub record: Option<String>,
    /// The URL of the record, where it is known.
    pub url: Option<String>,
    /// When it was fetched, by RFC 3339.
    pub date: Option<String>,
    /// What the record is.
    pub kind: AnswerKind,
    /// Why it is no page, or unknown.
    pub reason: Option<String>,
    /// The digest of the page's bytes as they were read, without transfer and content encodings:
    /// `sha256:` and hex.
    pub digest: Option<String>,
    /// The version of docs/semantics.md that decided.
    pub law: u32,
    /// The uses that are allowed to all of the bots.
    pub allow: AllowedUses,
    /// The answers for each bot.
    pub bots: Vec<BotAnswer>,
    /// What the decision rests on, if evidence is kept. It is no part of the mask.
    #[serde(skip)]
    pub basis: Option<Basis>,
}

impl MaskAnswer {
    /// The answer for a record of which nothing is known: everything is denied.
    pub(super) fn denied(kind: AnswerKind, reason: String, asked: Uses, bots: &[String]) -> Self {
        let deny = |bot: &String| BotAnswer {
            bot: bot.clone(),
            allow: AllowedUses::none(asked),
            why: Whys::default(),
            parts: None,
        };
        Self {
            file: String::new(),
            unit: None,
            at: None,
            record: None,
            url: None,
            date: None,
            kind,
            reason: Some(reason),
            digest: None,
            law: LAW,
            allow: AllowedUses::none(asked),
            bots: bots.iter().map(deny).collect(),
            basis: None,
        }
    }

    /// The answer for a page, from the answers of its bots.
    pub(super) fn page(bots: Vec<BotAnswer>, asked: Uses) -> Self {
        let mut denied = Uses::NONE;
        for bot in &bots {
            denied = denied.union(asked.without(bot.allow.allowed));
        }
        let allow = AllowedUses {
            asked,
            allowed: asked.without(denied),
        };
        let nothing = Self::denied(AnswerKind::Page, String::new(), asked, &[]);
        Self {
            reason: None,
            allow,
            bots,
            ..nothing
        }
    }

    /// This answer as a decision, with its basis. None for a record that is no page, or
    /// whose URL is not known.
    pub(super) fn decided(&self) -> Option<(DecisionRecord, Basis)> {
        let kind = match self.kind {
            AnswerKind::Page => EntryKind::Page,
            AnswerKind::Unknown => EntryKind::Unknown,
            AnswerKind::None => return None,
        };
        let url = self.url.as_deref()?;
        if url.is_empty() {
            return None;
        }
        let captured = match self.date.as_deref().map(str::parse::<jiff::Timestamp>) {
            Some(Ok(date)) => Some(date.as_second()),
            _ => None,
        };
        let decision = Decision {
            reason: self.reason.clone(),
            why: None,
            bots: self.bots.clone(),
        };
        let decided = DecisionRecord {
            kind,
            url: Key::parse(url).into(),
            captured,
            decision,
        };
        Some((decided, self.basis.clone().unwrap_or_default()))
    }

    /// Reads a line of a mask.
    ///
    /// # Errors
    /// Fails if it is none.
    pub fn parse(line: &str) -> Result<Self> {
        serde_json::from_str(line).map_err(|error| {
            Error::setting(format!(
                "no answer of a mask as JSON Lines ({error}): `mask --unpack` makes such of a compact one"
            ))
        })
    }

    /// The answer as a line of JSON, without a line end.
    pub fn line(&self) -> String {
        heedful_json::line(self)
    }
}

/// The uses that both allow.
pub(super) fn common_uses(one: AllowedUses, other: AllowedUses) -> Uses {
    one.allowed.without(one.allowed.without(other.allowed))
}

/// Denies to a bot also what another answer denies to it, with the directives of that.
pub(super) fn deny_also(bot: &mut BotAnswer, other: &BotAnswer) {
    for (usage, why) in &other.why.0 {
        if bot.allow.allows(*usage) && !other.allow.allows(*usage) {
            bot.why.0.retain(|(own, _)| own != usage);
            bot.why.0.push((*usage, why.clone()));
        }
    }
    bot.allow.allowed = common_uses(bot.allow, other.allow);
}
