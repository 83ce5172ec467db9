//! Checks docs/stability.md. Each test that it names exists, and each version that it states is the
//! one in the sources. No dependency needs a later Rust version than Cargo.toml states.
//!
//! A published package of the library does not have the files of the program and of Python. So
//! these files are checked only if their folders exist.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;
use std::process::Command;

const PAGE: &str = include_str!("../../docs/stability.md");

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Returns the rows of the table of contracts in docs/stability.md, each as cells without links.
fn contracts() -> Vec<Vec<&'static str>> {
    let rows = PAGE
        .lines()
        .skip_while(|line| !line.starts_with("| contract |"))
        .skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        row.split('|')
            .map(str::trim)
            .filter(|cell| !cell.is_empty())
            .collect()
    })
    .collect()
}

/// Returns the cell of the table in docs/stability.md that states the version of a contract.
fn version(contract: &str) -> &'static str {
    let rows = contracts();
    let row = rows
        .iter()
        .find(|row| row[0].starts_with(&format!("[{contract}]")));
    row.unwrap_or_else(|| panic!("no row for {contract}"))[1]
}

/// Returns the first number that follows the text `before` in a source file.
fn number(file: &str, before: &str) -> String {
    let source = text(file);
    let (_, rest) = source
        .split_once(before)
        .unwrap_or_else(|| panic!("{file} has no {before:?}"));
    rest.chars()
        .take_while(|c| c.is_ascii_digit() || *c == '.')
        .collect()
}

#[test]
fn each_contract_has_its_test() {
    let rows = contracts();
    assert!(rows.len() > 9, "{rows:?}");
    for row in rows {
        let files: Vec<_> = row[3].split('`').skip(1).step_by(2).collect();
        assert!(!files.is_empty(), "{row:?} names no test");
        for file in files {
            let is_here = file
                .split_once('/')
                .is_some_and(|(folder, _)| root().join(folder).is_dir());
            assert!(
                !is_here || root().join(file).is_file(),
                "{file} is not there"
            );
        }
    }
}

#[test]
fn the_versions_are_those_of_the_sources() {
    assert!(
        version("library").ends_with(env!("CARGO_PKG_VERSION")),
        "{}",
        version("library")
    );
    assert_eq!(version("Rust"), env!("CARGO_PKG_RUST_VERSION"));
    assert_eq!(version("decisions"), format!("law {}", heedful::LAW));
    assert_eq!(
        version("an index"),
        format!(
            "format {}",
            number("crates/index/src/payload.rs", "FORMAT: u32 = ")
        )
    );
    assert_eq!(
        version("masks"),
        format!(
            "form {}",
            number("crates/run/src/mask/compact.rs", "VERSION: u32 = ")
        )
    );
    assert_eq!(
        version("a log of evidence, and proofs"),
        format!(
            "form {}",
            number(
                "crates/evidence/src/record.rs",
                "FORMAT: &str = \"heedful evidence "
            )
        )
    );
    assert_eq!(
        version("census files"),
        format!(
            "form {}",
            number("crates/census/src/wire.rs", "FORM: u32 = ")
        )
    );
    let suite = number("corpus/suite/page-bytes.json", "\"suite\": ");
    assert_eq!(version("the conformance suite"), format!("suite {suite}"));
    if root().join("python").is_dir() {
        let least = number("python/pyproject.toml", "requires-python = \">=");
        assert!(
            version("Python").ends_with(&format!("CPython {least}")),
            "{least}"
        );
        assert_eq!(
            number("python/Cargo.toml", "rust-version = \""),
            env!("CARGO_PKG_RUST_VERSION")
        );
        assert_eq!(
            number("python/Cargo.toml", "\nversion = \""),
            env!("CARGO_PKG_VERSION")
        );
    }
}

/// Checks that the guide for publishers names the files of this release.
#[test]
fn the_guide_names_this_release() {
    for before in ["heedful@v", "download/v", "NAME: heedful-"] {
        assert_eq!(
            number("docs/publishers.md", before),
            env!("CARGO_PKG_VERSION"),
            "behind {before}"
        );
    }
}

/// Returns the Rust version that a package needs, as a list of numbers. Empty if the package states
/// none.
fn rust_of(package: &serde_json::Value) -> Vec<u32> {
    let told = package["rust_version"].as_str().unwrap_or_default();
    told.split('.')
        .filter_map(|number| number.parse().ok())
        .collect()
}

#[test]
fn no_dependency_asks_for_a_later_rust() {
    let mut cargo = Command::new(env!("CARGO"));
    let output = cargo
        .args(["metadata", "--locked", "--format-version", "1"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = told["packages"].as_array().unwrap();
    let ours = packages
        .iter()
        .find(|package| package["name"] == "heedful")
        .map(rust_of)
        .unwrap();
    let saying = packages
        .iter()
        .filter(|package| !rust_of(package).is_empty());
    assert!(saying.clone().count() > 100 && !ours.is_empty());
    let later: Vec<_> = saying
        .filter(|package| rust_of(package) > ours)
        .map(|package| &package["name"])
        .collect();
    assert!(later.is_empty(), "{later:?} ask for more than {ours:?}");
}
