//! The text form of a decision, stored as a blob of a log. It lists the uses by name, and each
//! deciding directive once, with all uses that the directive decided.
//!
//! A proof contains the text of this blob, so the text is short. Long directives are truncated: the
//! line and column in the blob locate the whole directive in the page.

use serde::{Deserialize, Serialize};

use heedful::{Use, Uses};
use heedful_base::error::{Error, Result};
use heedful_index::decision::{AllowedUses, BotAnswer, Decision, Why, Whys};

/// Length in bytes to which the text of a directive is truncated in a blob.
const MOST: usize = 56;

#[derive(Serialize, Deserialize)]
struct Blob {
    #[serde(skip_serializing_if = "Option::is_none", default)]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    why: Option<String>,
    bots: Vec<BotBlob>,
}

#[derive(Serialize, Deserialize)]
struct BotBlob {
    bot: String,
    allow: String,
    deny: String,
    why: Vec<WhyBlob>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    parts: Option<Vec<String>>,
}

#[derive(PartialEq, Serialize, Deserialize)]
struct WhyBlob {
    uses: String,
    /// Line and column of the directive in the page. `None` if the directive has no such position.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    at: Option<(u32, u32)>,
    #[serde(rename = "dialect")]
    convention: String,
    /// Text of the directive. `None` if it is the same text as in the previous element of the list
    /// of deciding directives.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    directive: Option<String>,
    origin: String,
}

/// Formats a decision as the text of its blob.
pub(super) fn text(decision: &Decision) -> String {
    let bots = decision.bots.iter().map(BotBlob::from_answer).collect();
    let why = match &decision.why {
        // A deciding directive with the same text is already in `bots`.
        Some(why) if !is_directive(decision, why) => Some(cut(why)),
        _ => None,
    };
    heedful_json::line(&Blob {
        reason: decision.reason.as_deref().map(cut),
        why,
        bots,
    })
}

/// Parses a decision from the text of its blob.
pub(super) fn read(text: &str) -> Result<Decision> {
    let blob: Blob = match serde_json::from_str(text) {
        Ok(blob) => blob,
        Err(error) => return Err(unreadable(&error.to_string())),
    };
    let mut bots = Vec::with_capacity(blob.bots.len());
    for bot in blob.bots {
        let Some(answer) = bot.into_answer() else {
            return Err(unreadable("it names a use that nobody knows"));
        };
        bots.push(answer);
    }
    Ok(Decision {
        reason: blob.reason,
        why: blob.why,
        bots,
    })
}

fn unreadable(what: &str) -> Error {
    Error::evidence(format!("the decision cannot be read ({what})"))
}

/// True if one of the deciding directives of a decision has the text `text`.
fn is_directive(decision: &Decision, text: &str) -> bool {
    let mut whys = decision.bots.iter().flat_map(|bot| &bot.why.0);
    whys.any(|(_, why)| why.directive == text)
}

impl BotBlob {
    fn from_answer(answer: &BotAnswer) -> Self {
        let BotAnswer {
            bot,
            allow,
            why,
            parts,
        } = answer;
        let mut whys: Vec<WhyBlob> = Vec::new();
        for (usage, why) in &why.0 {
            let why = WhyBlob::from_why(*usage, why);
            match whys.iter_mut().find(|known| known.is_like(&why)) {
                Some(known) => known.uses = format!("{} {}", known.uses, why.uses),
                None => whys.push(why),
            }
        }
        for at in (1..whys.len()).rev() {
            if whys[at].directive == whys[at - 1].directive {
                whys[at].directive = None;
            }
        }
        let denied = allow.asked.without(allow.allowed);
        Self {
            bot: bot.clone(),
            allow: names(allow.allowed),
            deny: names(denied),
            why: whys,
            parts: parts.clone(),
        }
    }

    fn into_answer(self) -> Option<BotAnswer> {
        let allowed = parse_uses(&self.allow)?;
        let asked = allowed.union(parse_uses(&self.deny)?);
        let mut whys = Vec::new();
        let mut last = String::new();
        for WhyBlob {
            uses,
            at,
            convention,
            directive,
            origin,
        } in self.why
        {
            let (line, column) = at.unzip();
            let directive = directive.unwrap_or(last);
            last = directive.clone();
            let why = Why {
                line,
                column,
                convention,
                directive,
                origin,
            };
            for usage in parse_uses(&uses)?.iter() {
                whys.push((usage, why.clone()));
            }
        }
        whys.sort_by_key(|(usage, _)| Use::ALL.iter().position(|known| known == usage));
        Some(BotAnswer {
            bot: self.bot,
            allow: AllowedUses { asked, allowed },
            why: Whys(whys),
            parts: self.parts,
        })
    }
}

impl WhyBlob {
    fn from_why(usage: Use, why: &Why) -> Self {
        Self {
            uses: usage.name().to_owned(),
            at: why.line.zip(why.column),
            convention: why.convention.clone(),
            directive: Some(cut(&why.directive)),
            origin: why.origin.clone(),
        }
    }

    /// True if `other` is the same directive at the same line and column. The two may have decided
    /// different uses.
    fn is_like(&self, other: &Self) -> bool {
        self.at == other.at
            && self.convention == other.convention
            && self.directive == other.directive
            && self.origin == other.origin
    }
}

fn names(uses: Uses) -> String {
    uses.iter().map(Use::name).collect::<Vec<_>>().join(" ")
}

fn parse_uses(names: &str) -> Option<Uses> {
    let mut uses = Uses::NONE;
    for name in names.split_whitespace() {
        let usage = Use::ALL.into_iter().find(|usage| usage.name() == name)?;
        uses = uses.union(Uses::new(&[usage]));
    }
    Some(uses)
}

fn cut(text: &str) -> String {
    if text.len() <= MOST {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MOST - 3);
    format!("{}...", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_comes_back_with_each_directive_once_and_cut() {
        let why = |directive: &str| Why {
            line: Some(7),
            column: Some(1),
            convention: "meta".to_owned(),
            directive: directive.to_owned(),
            origin: "page".to_owned(),
        };
        let (long, short) = ("ü".repeat(100), "noindex");
        let whys = vec![
            (Use::Index, why(short)),
            (Use::Archive, why(&long)),
            (Use::Train, why(short)),
        ];
        let allow = AllowedUses {
            asked: Uses::ALL,
            allowed: Uses::ALL.without(Uses::new(&[Use::Index])),
        };
        let bots = vec![BotAnswer {
            bot: "foobot".to_owned(),
            allow,
            why: Whys(whys),
            parts: None,
        }];
        let decision = Decision {
            reason: Some("noindex".to_owned()),
            why: None,
            bots,
        };
        let text = text(&decision);
        assert_eq!(text.matches("noindex").count(), 2, "{text}");
        assert_eq!(text.matches("directive").count(), 2, "{text}");
        let mut expected = decision;
        expected.bots[0].why.0[1].1.directive = format!("{}...", "ü".repeat(26));
        assert_eq!(read(&text).unwrap(), expected);
    }
}
