//! The results of `heedful evidence` as JSON. docs/evidence.md lists the keys of each result in the
//! order of its fields here.

use std::collections::BTreeMap;

use heedful::Use;
use heedful_evidence::{
    Audit, BotAnswer, CheckedProof, Log, ProofVerdict, RecordedDecision, SiteFileRef, Why, hex,
};
use serde::Serialize;

/// The result of `heedful evidence check` for a valid proof, as JSON.
#[derive(Serialize)]
pub(super) struct CheckedJson<'a> {
    holds: bool,
    url: &'a str,
    kind: &'static str,
    captured: Option<String>,
    page: Option<&'a str>,
    origin: &'a str,
    number: u64,
    size: u64,
    root: String,
    signer: Option<&'a str>,
    time: Option<String>,
    heedful: &'a str,
    law: u32,
    reason: Option<&'a str>,
    bots: &'a [BotAnswer],
    files: &'a [SiteFileRef],
    judged: Option<JudgedJson<'a>>,
}

impl<'a> CheckedJson<'a> {
    pub(super) fn new(checked: &'a CheckedProof, judged: Option<&'a ProofVerdict>) -> Self {
        Self {
            holds: true,
            url: &checked.url,
            kind: checked.kind.name(),
            captured: checked.captured.and_then(date),
            page: checked.page.as_deref(),
            origin: &checked.origin,
            number: checked.number,
            size: checked.size,
            root: hex(&checked.root),
            signer: checked.signer.as_deref(),
            time: checked
                .time
                .and_then(|time| date(i64::try_from(time).ok()?)),
            heedful: &checked.heedful,
            law: checked.law,
            reason: checked.reason.as_deref(),
            bots: &checked.bots,
            files: &checked.files,
            judged: judged.map(JudgedJson::new),
        }
    }
}

#[derive(Serialize)]
struct JudgedJson<'a> {
    same: Vec<EntryUseJson<'a>>,
    other: Vec<EntryUseJson<'a>>,
    open: Vec<OpenJson<'a>>,
}

impl<'a> JudgedJson<'a> {
    fn new(judged: &'a ProofVerdict) -> Self {
        let uses = |uses: &'a [(String, Use)]| {
            uses.iter()
                .map(|(bot, usage)| EntryUseJson::new(bot, *usage))
                .collect()
        };
        let open = judged.undecided.iter().map(|(bot, usage, why)| OpenJson {
            of: EntryUseJson::new(bot, *usage),
            why: why.as_ref(),
        });
        Self {
            same: uses(&judged.equal),
            other: uses(&judged.different),
            open: open.collect(),
        }
    }
}

#[derive(Serialize)]
struct EntryUseJson<'a> {
    bot: &'a str,
    r#use: &'static str,
}

impl<'a> EntryUseJson<'a> {
    fn new(bot: &'a str, usage: Use) -> Self {
        Self {
            bot,
            r#use: usage.name(),
        }
    }
}

#[derive(Serialize)]
struct OpenJson<'a> {
    #[serde(flatten)]
    of: EntryUseJson<'a>,
    why: Option<&'a Why>,
}

/// The result of `heedful evidence check` for a valid proof that a log only grew, as JSON.
#[derive(Serialize)]
pub(super) struct GrowthJson {
    holds: bool,
    old: u64,
    size: u64,
}

impl GrowthJson {
    pub(super) fn new(old: u64, size: u64) -> Self {
        Self {
            holds: true,
            old,
            size,
        }
    }
}

/// The result of `heedful evidence audit`, which checks a whole log, as JSON.
#[derive(Serialize)]
pub(super) struct AuditJson<'a> {
    origin: &'a str,
    entries: u64,
    root: String,
    time: Option<String>,
    kinds: BTreeMap<&'static str, u64>,
    files: u64,
    forgotten: u64,
    signed: u64,
    first_bad: Option<u64>,
    found: &'a [String],
}

impl<'a> AuditJson<'a> {
    pub(super) fn new(log: &'a Log, found: &'a Audit) -> Self {
        let head = log.head();
        Self {
            origin: head.origin(),
            entries: found.entries,
            root: hex(&head.root()),
            time: date(head.time()),
            kinds: found
                .kinds
                .iter()
                .map(|(kind, entries)| (kind.name(), *entries))
                .collect(),
            files: found.files,
            forgotten: found.forgotten,
            signed: found.signed,
            first_bad: found.first_bad,
            found: &found.found,
        }
    }
}

/// A recorded decision about a URL, as JSON in the output of `heedful evidence history`.
#[derive(Serialize)]
pub(super) struct RecordedJson<'a> {
    number: u64,
    kind: &'static str,
    captured: Option<String>,
    law: u32,
    reason: Option<&'a str>,
    why: Option<&'a str>,
    bots: &'a [BotAnswer],
}

impl<'a> RecordedJson<'a> {
    pub(super) fn new(decision: &'a RecordedDecision) -> Self {
        Self {
            number: decision.number,
            kind: decision.kind.name(),
            captured: decision.captured.and_then(date),
            law: decision.law,
            reason: decision.reason.as_deref(),
            why: decision.why.as_deref(),
            bots: &decision.bots,
        }
    }
}

/// Formats a time as RFC 3339. `seconds` is the number of seconds since 1970. Returns `None` if the
/// time is out of range.
pub(super) fn date(seconds: i64) -> Option<String> {
    jiff::Timestamp::from_second(seconds)
        .ok()
        .map(|time| time.to_string())
}
