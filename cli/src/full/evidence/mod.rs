//! `heedful evidence`: proves decisions about pages from a log, checks proofs, and audits the log.

mod json;

use std::io::{Read, Write};
use std::path::Path;

use heedful::{ErrorKind, Result};
use heedful_evidence::{
    Audit, BotAnswer, CheckedProof, Consistency, IndexEvidence, Log, Proof, ProofVerdict,
    RecordedDecision, SigningKey, hex, public_key,
};
use heedful_index::Index;
use heedful_json::line;
use heedful_report::wording::count;
use heedful_run::changes_since;

use crate::args::{
    AuditArgs, CheckProofArgs, EvidenceArgs, FeedArgs, ForgetArgs, GrownArgs, HistoryArgs,
    ProveArgs, SignArgs,
};
use crate::ending::{RunEnding, io_error, setting, written};
use crate::evidence_args::{with_evidence_at, without_evidence};
use crate::output::{self, DIM, Format, GREEN, RED, harmless, print_note, styled};
use crate::terms_args::contents;
use crate::urls;

use json::{AuditJson, CheckedJson, ConsistencyJson, RecordedJson, date};

/// Maximum number of bytes of a file with a proof.
const LONGEST: u64 = 1 << 20;

pub(crate) fn run(args: &EvidenceArgs) -> Result<RunEnding> {
    match args {
        EvidenceArgs::Prove(args) => prove(args),
        EvidenceArgs::Check(args) => check(args),
        EvidenceArgs::Audit(args) => audit(args),
        EvidenceArgs::History(args) => history(args),
        EvidenceArgs::Feed(args) => feed(args),
        EvidenceArgs::Grown(args) => grown(args),
        EvidenceArgs::Sign(args) => sign(args),
        EvidenceArgs::Forget(args) => forget(args),
    }
}

/// Returns `folder` unchanged if it is no index, since it may then be a log of evidence. Fails if
/// it is an index; if that index keeps evidence, the error names the folder of its log.
fn log_in(folder: &Path) -> Result<&Path> {
    if !Index::is_in(folder) {
        return Ok(folder);
    }
    let name = folder.display();
    let kept = Index::open(folder)?.kept_evidence()?;
    Err(kept.map_or_else(
        || without_evidence(folder),
        |(_, log)| {
            setting(format!(
                "{name} is an index, and its evidence is in {}: name that",
                log.display()
            ))
        },
    ))
}

fn prove(args: &ProveArgs) -> Result<RunEnding> {
    let log = Log::open(log_in(&args.dir)?)?;
    urls::check(&args.url)?;
    let proofs = if args.all {
        log.prove_all(&args.url)?
    } else {
        log.prove(&args.url)?.into_iter().collect()
    };
    if proofs.is_empty() {
        return Ok(nothing_about(&args.url));
    }
    let mut out = output::data();
    proofs
        .iter()
        .try_for_each(|proof| written(writeln!(out, "{}", proof.line())))?;
    written(out.flush())?;
    Ok(RunEnding::Yes)
}

/// Prints a note that the log of evidence has no decision about a URL.
fn nothing_about(url: &str) -> RunEnding {
    print_note(&format!(
        "nothing was decided about {}, or it was forgotten",
        harmless(url)
    ));
    RunEnding::No
}

fn check(args: &CheckProofArgs) -> Result<RunEnding> {
    let text = proof_text(&args.proof)?;
    let lines: Vec<_> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    if lines.is_empty() {
        return Err(setting(format!("{} holds no proof", args.proof.display())));
    }
    if args.page.is_some() && lines.len() > 1 {
        return Err(setting("--page is for one proof: this file holds several"));
    }
    let wanted = args
        .key
        .as_ref()
        .map(|key| public_key(&String::from_utf8_lossy(&contents(key)?)))
        .transpose()?;
    let mut ending = RunEnding::Yes;
    for line in lines {
        match Consistency::parse(line) {
            Ok(proof) => check_grown(&proof, args)?,
            Err(_) => {
                if !check_entry(&Proof::parse(line)?, wanted.as_deref(), args)? {
                    ending = RunEnding::No;
                }
            }
        }
    }
    Ok(ending)
}

fn proof_text(path: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        std::io::stdin()
            .take(LONGEST)
            .read_to_end(&mut bytes)
            .map_err(io_error(path.display()))?;
    } else {
        std::fs::File::open(path)
            .and_then(|file| file.take(LONGEST).read_to_end(&mut bytes))
            .map_err(io_error(path.display()))?;
    }
    String::from_utf8(bytes)
        .map_err(|_| setting(format!("{} is no proof: it is no text", path.display())))
}

fn check_grown(proof: &Consistency, args: &CheckProofArgs) -> Result<()> {
    let format = args.format;
    for (option, has, is_asked) in [
        ("--key", "signature", args.key.is_some()),
        ("--page", "page", args.page.is_some()),
    ] {
        if is_asked {
            let message = format!(
                "a proof that the log grew has no {has}, so {option} cannot be checked: leave it out"
            );
            return Err(ErrorKind::Evidence(message).into());
        }
    }
    if !proof.holds() {
        return Err(ErrorKind::Evidence(
            "the proof does not hold: the log is not one that only grew".to_owned(),
        )
        .into());
    }
    let ((old, old_root), (size, root)) = proof.heads();
    let mut out = output::stdout(format);
    written(match format {
        Format::Json => writeln!(out, "{}", line(&ConsistencyJson::new(proof))),
        Format::Text => writeln!(
            out,
            "{}: a log with {} is the beginning of one with {size}\nroot then: {}\nroot now:  {}\n\
             not signed: compare both roots with those that you know; of itself it says: log {}",
            styled(GREEN, "the proof holds"),
            entries(old),
            hex(&old_root),
            hex(&root),
            proof.log()
        ),
    })
}

/// Checks the proof of one entry in a log of evidence. The entry is a decision about a page. With
/// `--page`, the page is judged again; the result is false if the new decision differs.
fn check_entry(proof: &Proof, wanted: Option<&str>, args: &CheckProofArgs) -> Result<bool> {
    let checked = proof.check()?;
    if let Some(wanted) = wanted
        && checked.key.as_deref() != Some(wanted)
    {
        let message = "the proof does not hold: it is not signed with the key that was given";
        return Err(ErrorKind::Evidence(message.to_owned()).into());
    }
    let judged = match &args.page {
        Some(page) => {
            let files = args
                .file
                .iter()
                .map(|file| contents(file))
                .collect::<Result<Vec<_>>>()?;
            for (path, _) in args
                .file
                .iter()
                .zip(&files)
                .filter(|(_, bytes)| !checked.has_file(bytes))
            {
                print_note(&format!(
                    "{} is none of the files in this proof, as they were then",
                    path.display()
                ));
            }
            Some(proof.judge(&contents(page)?, &files)?)
        }
        None => None,
    };
    let mut out = output::stdout(args.format);
    written(match args.format {
        Format::Json => writeln!(
            out,
            "{}",
            line(&CheckedJson::new(&checked, judged.as_ref()))
        ),
        Format::Text => writeln!(out, "{}", checked_text(&checked, judged.as_ref())),
    })?;
    Ok(judged.is_none_or(|judged| judged.different.is_empty()))
}

fn checked_text(checked: &CheckedProof, judged: Option<&ProofVerdict>) -> String {
    let (log, size, number) = &checked.log;
    let place = format!(
        "entry {number} of {size} in the log {log}, as of {}",
        date(checked.time).unwrap_or_default()
    );
    // Only a signature covers the entry's position: the audit path to the root would also fit other
    // positions.
    let [place, signed] = match &checked.key {
        Some(key) => [place, format!("signed with the key {key}")],
        None => {
            let advice = "not signed: compare the root with one that you kept".to_owned();
            [format!("of itself it says: {place}"), advice]
        }
    };
    let mut lines = vec![
        format!(
            "{}: {}",
            styled(GREEN, "the proof holds"),
            harmless(&checked.url)
        ),
        place,
        format!("root: {}", hex(&checked.root)),
        signed,
        format!(
            "decided by heedful {}, version {} of its law",
            harmless(&checked.made_by.0),
            checked.made_by.1
        ),
    ];
    if let Some(captured) = checked.captured.and_then(date) {
        lines.push(format!("fetched {captured}"));
    }
    if let Some(page) = &checked.page {
        lines.push(format!("page: {page}"));
    }
    for file in &checked.files {
        let status = file
            .status
            .map(|status| format!(", status {status}"))
            .unwrap_or_default();
        let digest = file.digest.as_deref().unwrap_or("no bytes");
        let place = if file.place.is_empty() {
            "its site's own"
        } else {
            &file.place
        };
        lines.push(format!(
            "{}: {}{status}: {}",
            harmless(&file.kind),
            harmless(place),
            harmless(digest)
        ));
    }
    lines.extend(decision_lines(
        checked.kind.name(),
        checked.reason.as_deref(),
        None,
        &checked.bots,
    ));
    lines.extend(judged.map(judged_text).unwrap_or_default());
    lines.join("\n")
}

fn judged_text(judged: &ProofVerdict) -> Vec<String> {
    let mut lines = Vec::new();
    if judged.different.is_empty() && judged.undecided.is_empty() {
        lines.push(styled(GREEN, "judged again: the same decision").to_string());
        return lines;
    }
    lines.push(format!(
        "judged again: {} uses the same",
        judged.equal.len()
    ));
    for (bot, usage, why) in &judged.undecided {
        let why = why
            .as_ref()
            .map(|why| format!(": {}", harmless(&why.directive)))
            .unwrap_or_default();
        lines.push(format!(
            "{usage} for {} rests on what was not given (--file){why}",
            harmless(bot)
        ));
    }
    for (bot, usage) in &judged.different {
        lines.push(
            styled(
                RED,
                &format!("{usage} for {} comes out otherwise", harmless(bot)),
            )
            .to_string(),
        );
    }
    lines
}

/// Formats a recorded decision: a line with its kind and reason, then one for each bot, and one for
/// each directive.
fn decision_lines(
    kind: &str,
    reason: Option<&str>,
    why: Option<&str>,
    bots: &[BotAnswer],
) -> Vec<String> {
    let reasons: Vec<_> = [reason, why].into_iter().flatten().map(harmless).collect();
    let mut lines = vec![match reasons.is_empty() {
        true => kind.to_owned(),
        false => format!("{kind}: {}", reasons.join(": ")),
    }];
    for answer in bots {
        let uses = |allowed: bool| {
            let asked = answer
                .allow
                .asked
                .iter()
                .filter(|usage| answer.allow.allows(*usage) == allowed);
            let names: Vec<_> = asked.map(heedful::Use::name).collect();
            if names.is_empty() {
                "nothing".to_owned()
            } else {
                names.join(", ")
            }
        };
        lines.push(format!(
            "{}: allowed {}; denied {}",
            harmless(&answer.bot),
            uses(true),
            uses(false)
        ));
        for (usage, why) in &answer.why.0 {
            let place = match (why.line, why.column) {
                (Some(line), Some(column)) => format!(" at {line}:{column}"),
                _ => String::new(),
            };
            let told = format!(
                "{usage}: {} ({}{place}, {})",
                why.directive, why.origin, why.convention
            );
            lines.push(styled(DIM, &format!("  {}", harmless(&told))).to_string());
        }
    }
    lines
}

fn audit(args: &AuditArgs) -> Result<RunEnding> {
    let log = match &args.index {
        None => Log::open(log_in(&args.dir)?)?,
        Some(path) => match Index::open(path)?.kept_evidence()? {
            Some((head, _)) => Log::open_at(log_in(&args.dir)?, &head)?,
            None => return Err(without_evidence(path)),
        },
    };
    let found = log.audit()?;
    let mut out = output::stdout(args.format);
    written(match args.format {
        Format::Json => writeln!(out, "{}", line(&AuditJson::new(&log, &found))),
        Format::Text => writeln!(out, "{}", audit_text(&log, &found)),
    })?;
    Ok(if found.found.is_empty() {
        RunEnding::Yes
    } else {
        RunEnding::No
    })
}

fn audit_text(log: &Log, found: &Audit) -> String {
    let head = log.head();
    let mut lines = Vec::new();
    if found.found.is_empty() {
        lines.push(format!(
            "{}: {}",
            styled(GREEN, "whole"),
            entries(found.entries)
        ));
    } else {
        let first = found
            .first_bad
            .map(|number| format!(", from entry {number} on"))
            .unwrap_or_default();
        lines.push(styled(RED, &format!("not as it was written{first}")).to_string());
        lines.extend(found.found.iter().map(|what| harmless(what)));
    }
    let kinds = found.kinds.iter().filter(|(_, entries)| *entries > 0);
    let kinds: Vec<_> = kinds
        .map(|(kind, entries)| format!("{entries} {kind}"))
        .collect();
    lines.push(format!(
        "entries: {}",
        if kinds.is_empty() {
            "none".to_owned()
        } else {
            kinds.join(", ")
        }
    ));
    lines.push(format!(
        "{} of sites kept, {} forgotten, {} signed",
        count(found.files, "file"),
        found.forgotten,
        count(found.signed, "head")
    ));
    lines.push(format!(
        "log {}, root {}, as of {}",
        head.log(),
        hex(&head.root()),
        date(head.time()).unwrap_or_default()
    ));
    lines.join("\n")
}

fn history(args: &HistoryArgs) -> Result<RunEnding> {
    let log = Log::open(log_in(&args.dir)?)?;
    urls::check(&args.url)?;
    let decisions = log.history(&args.url)?;
    let mut out = output::stdout(args.format);
    for decision in &decisions {
        written(match args.format {
            Format::Json => writeln!(out, "{}", line(&RecordedJson::new(decision))),
            Format::Text => writeln!(out, "{}", recorded_text(decision)),
        })?;
    }
    written(out.flush())?;
    if decisions.is_empty() {
        return Ok(nothing_about(&args.url));
    }
    Ok(RunEnding::Yes)
}

fn recorded_text(decision: &RecordedDecision) -> String {
    let captured = decision
        .captured
        .and_then(date)
        .map(|date| format!(", fetched {date}"))
        .unwrap_or_default();
    let mut lines = vec![format!("entry {}{captured}", decision.number)];
    lines.extend(decision_lines(
        decision.kind.name(),
        decision.reason.as_deref(),
        decision.why.as_deref(),
        &decision.bots,
    ));
    lines.join("\n")
}

fn feed(args: &FeedArgs) -> Result<RunEnding> {
    let log = Log::open(log_in(&args.dir)?)?;
    if args.since > log.head().size() {
        return Err(setting(format!(
            "--since {}: the log has {}",
            args.since,
            entries(log.head().size())
        )));
    }
    let mut out = output::data();
    let mut found = 0;
    for path in &args.urls {
        for url in known_urls(path)? {
            for change in changes_since(&log, args.since, &url)? {
                found += 1;
                written(writeln!(out, "{}", change.line()))?;
            }
        }
    }
    written(out.flush())?;
    output::print_message(format_args!(
        "{} since entry {} of {}",
        count(found, "change"),
        args.since,
        log.head().size()
    ));
    Ok(if found > 0 {
        RunEnding::Yes
    } else {
        RunEnding::No
    })
}

/// Returns all URLs of the index at `path`, including those that are gone from it. If `path` is no
/// index, returns the URLs of the list in that file.
fn known_urls(path: &Path) -> Result<Vec<String>> {
    if !path.is_dir() {
        return urls::read_pages(path);
    }
    let search = Index::open(path)?.search()?;
    Ok(search
        .urls()?
        .into_iter()
        .chain(search.tombstone_urls()?)
        .collect())
}

fn grown(args: &GrownArgs) -> Result<RunEnding> {
    let mut out = output::data();
    written(
        writeln!(
            out,
            "{}",
            Log::open(log_in(&args.dir)?)?
                .consistency(args.since)?
                .line()
        )
        .and_then(|()| out.flush()),
    )?;
    Ok(RunEnding::Yes)
}

fn sign(args: &SignArgs) -> Result<RunEnding> {
    let key = SigningKey::read(&String::from_utf8_lossy(&contents(&args.key)?))?;
    let signed = Log::sign(log_in(&args.dir)?, &key)?;
    output::print_message(format_args!(
        "signed {} with the key {}",
        entries(signed.size()),
        signed.key()
    ));
    Ok(RunEnding::Yes)
}

fn forget(args: &ForgetArgs) -> Result<RunEnding> {
    args.urls.iter().try_for_each(|url| urls::check(url))?;
    let mut all = args.urls.clone();
    for list in &args.list {
        all.extend(urls::read_pages(list)?);
    }
    let log = log_in(&args.dir)?;
    let forgotten = match &args.index {
        Some(index) => with_evidence_at(index, Some(log))?.forget_evidence(&all)?,
        None => Log::forget(log, &all)?,
    };
    if forgotten == 0 {
        print_note("nothing was found in the log about these pages, so nothing was forgotten");
        return Ok(RunEnding::No);
    }
    let (they, are) = if forgotten == 1 {
        ("page it", "is")
    } else {
        ("pages they", "are")
    };
    output::print_message(format_args!(
        "{} forgotten: nobody can tell any more which {they} {are} about",
        entries(forgotten)
    ));
    Ok(RunEnding::Yes)
}

fn entries(number: u64) -> String {
    if number == 1 {
        "1 entry".to_owned()
    } else {
        format!("{number} entries")
    }
}
