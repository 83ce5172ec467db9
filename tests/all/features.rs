//! The tables of features, in README.md and in the documentation of the crate, are true. Each feature of Cargo.toml has
//! a row, and cargo counts as many crates as the row.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Each feature with its number of crates; the filter alone is `""`.
fn table(text: &str) -> BTreeMap<String, usize> {
    let lines = text.lines().map(|line| line.trim_start_matches("//! "));
    let rows =
        lines.skip_while(|line| !line.starts_with("| feature |")).skip(2).take_while(|line| line.starts_with('|'));
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        (cells[1].trim_matches('`').replace("(none)", ""), cells[3].parse().unwrap())
    };
    rows.map(row).collect()
}

#[test]
fn both_tables_have_each_feature() {
    let (readme, library) = (table(include_str!("../../README.md")), table(include_str!("../src/lib.rs")));
    assert_eq!(readme, library);
    let manifest = include_str!("../../Cargo.toml");
    let features = manifest.split("[features]\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = features.lines().filter_map(|line| line.split_once(" = ")).map(|(name, _)| name);
    let names: BTreeSet<_> = names.map(|name| if name == "default" { "" } else { name }.to_owned()).collect();
    assert_eq!(readme.into_keys().collect::<BTreeSet<_>>(), names);
}

/// The crates that are compiled differ by system; the tables are of Linux.
#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn cargo_counts_as_many_crates() {
    for (feature, crates) in table(include_str!("../../README.md")) {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["tree", "--locked", "--package", "heedful", "--edges", "normal", "--prefix", "none"]);
        let output = cargo.args(["--no-dedupe", "--no-default-features", "--features", &feature]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let tree = String::from_utf8(output.stdout).unwrap();
        let names: BTreeSet<_> = tree.lines().map(|line| line.split(" (").next().unwrap()).collect();
        assert_eq!(names.len(), crates, "the feature {feature:?}");
    }
}
