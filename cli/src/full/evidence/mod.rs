//! `heedful evidence`: proves decisions about pages from a log, checks proofs, and audits the log.

mod json;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use heedful::Result;
use heedful_evidence::{
    Audit, BotAnswer, CheckedProof, Growth, IndexEvidence, Log, Proof, ProofVerdict, PublicKey,
    RecordedDecision, SigningKey, SiteFileRef, Trust, hex,
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

use json::{AuditJson, CheckedJson, GrowthJson, RecordedJson, date};

/// Maximum size of a file with a proof, in bytes. It is many times the size of the longest proof
/// that `prove` writes.
const LONGEST: u64 = 16 << 20;

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

/// Checks that the user has not named an index where a log of evidence is needed. Returns `folder`
/// unchanged if it is not an index, without a check that it is a log. Fails if it is an index. If
/// this index keeps evidence, the error names the folder of its log.
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
    for proof in &proofs {
        written(write!(out, "{}", proof.text()))?;
        if let Some(folder) = &args.files {
            write_site_files(&log, proof, folder)?;
        }
    }
    written(out.flush())?;
    Ok(RunEnding::Yes)
}

/// Writes into `folder` the site files on which the proved decision is based.
fn write_site_files(log: &Log, proof: &Proof, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(io_error(folder.display()))?;
    for digest in proof.site_files()? {
        let path = folder.join(hex(&digest));
        if let Some(bytes) = log.site_file(&digest)? {
            heedful_base::new_file::write(&path, &bytes).map_err(io_error(path.display()))?;
        }
    }
    Ok(())
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
    let trust = trust(args)?;
    if Growth::is_in(&text) {
        check_growth(&Growth::parse(&text)?, &trust, args)?;
        return Ok(RunEnding::Yes);
    }
    let proofs = Proof::parse_all(&text)?;
    if args.old.is_some() {
        return Err(setting("--old is for what `heedful evidence grown` wrote"));
    }
    if args.page.is_some() && proofs.len() > 1 {
        return Err(setting("--page is for one proof: this file holds several"));
    }
    let mut ending = RunEnding::Yes;
    for proof in &proofs {
        if !check_entry(proof, &trust, args)? {
            ending = RunEnding::No;
        }
    }
    Ok(ending)
}

/// Returns what the user trusts: a public key, or the root of the log.
fn trust(args: &CheckProofArgs) -> Result<Trust> {
    match (&args.key, &args.root) {
        (Some(key), _) => Ok(Trust::Key(public_key(key)?)),
        (None, Some(root)) => Trust::from_root(root),
        (None, None) => Err(setting("name the key or the root that you trust")),
    }
}

fn public_key(path: &Path) -> Result<PublicKey> {
    let text = contents(path)?;
    // A log has several keys in one file, its own first.
    let text = String::from_utf8_lossy(&text);
    PublicKey::read(&text).or_else(|error| match text.lines().next() {
        Some(first) => PublicKey::read(first).map_err(|_| error),
        None => Err(error),
    })
}

fn proof_text(path: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        std::io::stdin()
            .take(LONGEST + 1)
            .read_to_end(&mut bytes)
            .map_err(io_error(path.display()))?;
    } else {
        std::fs::File::open(path)
            .and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes))
            .map_err(io_error(path.display()))?;
    }
    if bytes.len() as u64 > LONGEST {
        return Err(setting(format!(
            "{} is no proof: it is longer than {LONGEST} bytes",
            path.display()
        )));
    }
    String::from_utf8(bytes)
        .map_err(|_| setting(format!("{} is no proof: it is no text", path.display())))
}

fn check_growth(proof: &Growth, trust: &Trust, args: &CheckProofArgs) -> Result<()> {
    let Some(old) = &args.old else {
        return Err(setting(
            "a proof that the log grew needs the older checkpoint: --old FILE",
        ));
    };
    proof.check(&String::from_utf8_lossy(&contents(old)?), trust)?;
    let (old, size) = proof.sizes();
    let mut out = output::stdout(args.format);
    written(match args.format {
        Format::Json => writeln!(out, "{}", line(&GrowthJson::new(old, size))),
        Format::Text => writeln!(
            out,
            "{}: a log with {} is the beginning of one with {size}",
            styled(GREEN, "the proof holds"),
            entries(old)
        ),
    })
}

/// Checks the proof of one entry in a log of evidence. An entry is a decision about a page. With
/// `--page`, also judges the page again. Returns false if the new decision differs from the
/// recorded one. Also returns false if a site file or other data is missing, so that a use cannot
/// be judged again.
fn check_entry(proof: &Proof, trust: &Trust, args: &CheckProofArgs) -> Result<bool> {
    let checked = proof.check(trust)?;
    let judged = match &args.page {
        Some(page) => Some(judged(proof, &checked, &contents(page)?, &args.file)?),
        None => None,
    };
    let mut out = output::stdout(args.format);
    let judged = judged.as_ref();
    written(match args.format {
        Format::Json => writeln!(out, "{}", line(&CheckedJson::new(&checked, judged))),
        Format::Text => writeln!(out, "{}", checked_text(&checked, judged)),
    })?;
    Ok(judged.is_none_or(|judged| judged.different.is_empty() && judged.undecided.is_empty()))
}

/// Judges the page of a proof again, with the site files at `paths`. `page` has the bytes of the
/// page.
fn judged(
    proof: &Proof,
    checked: &CheckedProof,
    page: &[u8],
    paths: &[PathBuf],
) -> Result<ProofVerdict> {
    let mut files = Vec::new();
    for path in paths {
        let bytes = contents(path)?;
        if !checked.has_file(&bytes) {
            print_note(&format!(
                "{} is none of the files in this proof, as they were then",
                path.display()
            ));
        }
        files.push(bytes);
    }
    proof.judge(page, &files)
}

fn checked_text(checked: &CheckedProof, judged: Option<&ProofVerdict>) -> String {
    let signed = match (&checked.signer, checked.time) {
        (Some(name), Some(time)) => {
            let date = i64::try_from(time).ok().and_then(date).unwrap_or_default();
            format!("signed by {} at {date}", harmless(name))
        }
        (Some(name), None) => format!("signed by {}", harmless(name)),
        (None, _) => "with the root that you trust".to_owned(),
    };
    let mut lines = vec![
        format!(
            "{}: {}",
            styled(GREEN, "the proof holds"),
            harmless(&checked.url)
        ),
        format!(
            "entry {} of {} in the log {}, {signed}",
            checked.number,
            checked.size,
            harmless(&checked.origin)
        ),
        format!("root: {}", hex(&checked.root)),
        format!(
            "decided by heedful {}, version {} of its law",
            harmless(&checked.heedful),
            checked.law
        ),
    ];
    if let Some(captured) = checked.captured.and_then(date) {
        lines.push(format!("fetched {captured}"));
    }
    if let Some(page) = &checked.page {
        lines.push(format!("page: {}", harmless(page)));
    }
    lines.extend(checked.files.iter().map(file_text));
    lines.extend(decision_lines(
        checked.kind.name(),
        checked.reason.as_deref(),
        None,
        &checked.bots,
    ));
    lines.extend(judged.map(judged_text).unwrap_or_default());
    lines.join("\n")
}

fn file_text(file: &SiteFileRef) -> String {
    let status = file.status.map(|status| format!(", status {status}"));
    let digest = file.digest.as_deref().unwrap_or("no bytes");
    let place = match file.place.as_str() {
        "" => "its site's own",
        place => place,
    };
    format!(
        "{}: {}{}: {}",
        harmless(&file.kind),
        harmless(place),
        status.unwrap_or_default(),
        harmless(digest)
    )
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

/// Formats a recorded decision as lines. The first line has the decision's kind, its `reason`, and
/// `why`, the text of the statement that caused the decision. Each bot and each directive has a
/// further line.
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
        "{} of sites kept, {} forgotten, {} of the checkpoint",
        count(found.files, "file"),
        found.forgotten,
        count(found.signed, "signature")
    ));
    lines.push(format!(
        "log {}, root {}, as of {}",
        head.origin(),
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

/// Returns all URLs of the index at `path`, including URLs that were removed from it. If `path` is
/// not an index, returns the URLs in the file at `path`, which is a list.
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
    let proof = Log::open(log_in(&args.dir)?)?.growth(args.since)?;
    let mut out = output::data();
    written(write!(out, "{}", proof.text()).and_then(|()| out.flush()))?;
    Ok(RunEnding::Yes)
}

fn sign(args: &SignArgs) -> Result<RunEnding> {
    let log = log_in(&args.dir)?;
    let (size, key) = match &args.cosignatures {
        Some(lines) => {
            let key = public_key(&args.key)?;
            let size = Log::add_cosignatures(log, &contents(lines)?, &key)?;
            (size, key)
        }
        None => {
            let mut key = SigningKey::read(&String::from_utf8_lossy(&contents(&args.key)?))?;
            if let Some(name) = &args.name {
                key = key.with_name(name)?;
            }
            let size = Log::cosign(log, &key, SystemTime::now())?;
            (size, key.public_cosigner())
        }
    };
    output::print_message(format_args!(
        "signed {} with the key {}",
        entries(size),
        harmless(&key.text())
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
