//! The results of `heedful evidence` as JSON. docs/evidence.md lists the keys of each result in the
//! order of its fields here.

use std::collections::BTreeMap;

use heedful::Use;
use heedful_evidence::{
    Audit, BotAnswer, CheckedProof, Consistency, Log, ProofVerdict, RecordedDecision, SiteFileRef,
    Why, hex,
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
    log: &'a str,
    number: u64,
    size: u64,
    root: String,
    time: Option<String>,
    key: Option<&'a str>,
    heedful: &'a str,
    law: u32,
    reason: Option<&'a str>,
    bots: &'a [BotAnswer],
    files: &'a [SiteFileRef],
    judged: Option<JudgedJson<'a>>,
}

impl<'a> CheckedJson<'a> {
    pub(super) fn new(checked: &'a CheckedProof, judged: Option<&'a ProofVerdict>) -> Self {
        let (log, size, number) = &checked.log;
        Self {
            holds: true,
            url: &checked.url,
            kind: checked.kind.name(),
            captured: checked.captured.and_then(date),
            page: checked.page.as_deref(),
            log,
            number: *number,
            size: *size,
            root: hex(&checked.root),
            time: date(checked.time),
            key: checked.key.as_deref(),
            heedful: &checked.made_by.0,
            law: checked.made_by.1,
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

/// A proof that the log of evidence only grew: an older state of the log (its head) is the
/// beginning of the current log. As JSON.
#[derive(Serialize)]
pub(super) struct ConsistencyJson {
    holds: bool,
    log: String,
    old: u64,
    old_root: String,
    size: u64,
    root: String,
}

impl ConsistencyJson {
    pub(super) fn new(proof: &Consistency) -> Self {
        let ((old, old_root), (size, root)) = proof.heads();
        Self {
            holds: true,
            log: proof.log(),
            old,
            old_root: hex(&old_root),
            size,
            root: hex(&root),
        }
    }
}

/// The result of `heedful evidence audit`, which checks a whole log, as JSON.
#[derive(Serialize)]
pub(super) struct AuditJson<'a> {
    log: String,
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
    pub(super) fn new(log: &Log, found: &'a Audit) -> Self {
        let head = log.head();
        Self {
            log: head.log(),
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

/// A recorded decision about a URL, in the URL's history, as JSON.
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

/// Formats a time as RFC 3339. `seconds` are counted from 1970. Returns None if the time is out of
/// range.
pub(super) fn date(seconds: i64) -> Option<String> {
    jiff::Timestamp::from_second(seconds)
        .ok()
        .map(|time| time.to_string())
}
