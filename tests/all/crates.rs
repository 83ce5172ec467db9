//! Checks the crates of this workspace. Each is listed in docs/guides/library.md and in the
//! documentation of the library, and has no more dependencies than recorded here.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;

const GUIDE: &str = include_str!("../../docs/guides/library.md");
const LIBRARY: &str = include_str!("../../src/lib.rs");

/// Each published crate, with the number of crates that `cargo tree --edges normal` lists for it,
/// itself included.
const BRINGS: [(&str, usize); 12] = [
    ("heedful", 88),
    ("heedful-base", 21),
    ("heedful-robots", 23),
    ("heedful-lint", 89),
    ("heedful-json", 90),
    ("heedful-census", 91),
    ("heedful-input", 102),
    ("heedful-export", 122),
    ("heedful-report", 106),
    ("heedful-index", 195),
    ("heedful-evidence", 217),
    ("heedful-run", 259),
];

#[test]
fn each_crate_is_in_both_documents() {
    let library: BTreeSet<_> = LIBRARY
        .lines()
        .filter(|line| line.starts_with("//!"))
        .collect();
    for (name, _) in BRINGS {
        let named = [format!("`{name}`"), format!("`{}`", name.replace('-', "_"))];
        let is_named = |text: &str| named.iter().any(|name| text.contains(name));
        assert!(is_named(GUIDE), "docs/guides/library.md has no {name}");
        assert!(
            library.iter().any(|line| is_named(line)),
            "src/lib.rs has no {name}"
        );
    }
}

/// Returns what `cargo tree` prints for `arguments`, a crate a line.
fn tree(arguments: &[&str]) -> String {
    let mut cargo = std::process::Command::new(env!("CARGO"));
    cargo.args(["tree", "--locked", "--prefix", "none", "--no-dedupe"]);
    let output = cargo.args(arguments).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Checks that the second command of README.md builds no dependency again that the first has built.
/// Cargo builds a crate again for each other set of features.
#[test]
fn the_commands_of_the_readme_share_one_build() {
    let manifest =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/features/Cargo.toml");
    // The filter's package is published without the program.
    if !manifest.exists() {
        return;
    }
    let format = ["--format", "{p} with {f}"];
    let first = tree(&[&format[..], &["--edges", "normal,build"]].concat());
    let second = tree(
        &[
            &format[..],
            &["--edges", "normal,build,dev", "--features", "full"],
        ]
        .concat(),
    );
    let second: BTreeSet<_> = second.lines().collect();
    let again: BTreeSet<_> = first
        .lines()
        .filter(|line| !line.starts_with("heedful-cli ") && !second.contains(line))
        .collect();
    assert!(
        again.is_empty(),
        "`cargo test --features full` has other features: add these to tests/features/Cargo.toml: {again:#?}"
    );
}

/// Checks the recorded numbers of crates against `cargo tree`. The set of compiled crates differs
/// by system; these are the numbers of Linux.
#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn cargo_counts_as_many_crates() {
    // The filter's package is published without the other crates.
    let is_here = |name: &str| {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
        folder.join(name.trim_start_matches("heedful-")).is_dir()
            || (name == "heedful" && folder.is_dir())
    };
    for (name, crates) in BRINGS.into_iter().filter(|(name, _)| is_here(name)) {
        let tree = tree(&["--package", name, "--edges", "normal"]);
        let names: BTreeSet<_> = tree
            .lines()
            .map(|line| line.split(" (").next().unwrap())
            .collect();
        assert_eq!(names.len(), crates, "the crate {name}");
    }
}
