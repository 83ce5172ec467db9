//! Runs the cases of corpus/*.md, and the examples in tests/corpus/publishers.md. Each is a test
//! with its own name.
//!
//! Every case is filtered in one piece, byte by byte, at random cuts, and with the tree tracked
//! from the first byte on. All four must give what the case expects. `HEEDFUL_SEED` determines the
//! cuts. With `BLESS=1` the results are written into all files, or into those whose name contains
//! the argument. Look at the difference before you commit it.

#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

#[allow(dead_code, reason = "two tests share this file")]
mod answer;
#[path = "../support/blocks.rs"]
mod blocks;
#[allow(dead_code, reason = "two tests share this file")]
mod case;

use std::fmt::Write;
use std::path::Path;

use answer::Answer;
use case::Case;
use libtest_mimic::{Arguments, Failed, Trial};

const GUIDE: &str = "tests/corpus/publishers.md";

fn main() {
    let arguments = Arguments::from_args();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut files = case::files(&corpus);
    assert!(!files.is_empty(), "no cases under {}", corpus.display());
    files.push(corpus.with_file_name(GUIDE));
    if std::env::var_os("BLESS").is_some() {
        let wanted = arguments.filter.as_deref().unwrap_or_default();
        for file in files
            .iter()
            .filter(|file| file.to_string_lossy().contains(wanted))
        {
            bless(file);
        }
    }
    let mut trials = Vec::new();
    for file in files {
        let name = file
            .strip_prefix(&corpus)
            .unwrap_or(Path::new(GUIDE))
            .display()
            .to_string();
        for case in cases(&file, &name) {
            let title = format!("{name}: {}", case.title());
            trials.push(Trial::test(title, move || run(&case)));
        }
    }
    if let Some(page) = arguments
        .filter
        .as_deref()
        .filter(|name| name.ends_with(".md"))
        && !trials.iter().any(|trial| trial.name().contains(page))
    {
        eprintln!(
            "there is no page `{page}` with cases in {}",
            corpus.display()
        );
        std::process::exit(1);
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn cases(file: &Path, name: &str) -> Vec<Case> {
    let text = std::fs::read_to_string(file).unwrap();
    let is_guide = file.ends_with(GUIDE);
    case::read(
        name,
        &if is_guide {
            case::of_guide(&text)
        } else {
            text
        },
    )
}

fn run(case: &Case) -> Result<(), Failed> {
    let seed = seed();
    let mut random = seed;
    check(case, "whole", &Answer::of(case, <[u8]>::len))?;
    check(case, "byte by byte", &Answer::of(case, |_| 1))?;
    check(
        case,
        "with the tree from the start",
        &Answer::with_tree(case),
    )?;
    for _ in 0..4 {
        let name = format!("random cuts (HEEDFUL_SEED={seed})");
        let cut = |rest: &[u8]| {
            1 + usize::try_from(next(&mut random) % 24)
                .unwrap()
                .min(rest.len() - 1)
        };
        check(case, &name, &Answer::of(case, cut))?;
    }
    Ok(())
}

fn check(case: &Case, how: &str, answer: &Answer) -> Result<(), Failed> {
    let mut wrong = String::new();
    if answer.has_wrong_blocks() {
        wrong.push_str("  the blocks have another text than the phrases\n");
    }
    for (key, expected) in &case.expect {
        let found = answer.line(key);
        if found != *expected {
            let _ = writeln!(
                wrong,
                "  {key}:\n    expected {expected:?}\n    found    {found:?}"
            );
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(format!("{how}\n{wrong}  page: {:?}", case.html()).into())
    }
}

fn seed() -> u64 {
    let pinned = std::env::var("HEEDFUL_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    pinned.unwrap_or_else(|| {
        let since = std::time::SystemTime::UNIX_EPOCH
            .elapsed()
            .unwrap_or_default();
        u64::try_from(since.as_nanos() & u128::from(u32::MAX)).unwrap_or(1)
    })
}

/// Returns the next random number of xorshift, which is random enough to cut bytes.
fn next(state: &mut u64) -> u64 {
    *state |= 1 << 40;
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// Rewrites the expectations of a file of cases, line by line, in the order of its cases.
fn bless(file: &Path) {
    let text = std::fs::read_to_string(file).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for case in cases(file, &file.to_string_lossy()) {
        let answer = Answer::of(&case, <[u8]>::len);
        for (key, line) in case
            .expect
            .iter()
            .map(|(key, _)| key)
            .zip(&case.expect_lines)
        {
            lines[*line] = format!("{key}: {}", answer.line(key)).trim_end().to_owned();
        }
    }
    std::fs::write(file, lines.join("\n") + "\n").unwrap();
}
