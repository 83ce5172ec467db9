//! Checks that dependencies have one direction. A crate uses only the crates below it. A file of
//! the filter uses only lower floors (groups of modules). The files of a folder never use each
//! other in a circle.
//!
//! The compiler enforces the dependencies between crates; a table here has the allowed ones. The
//! floors of the filter are the blank-line groups of modules in its lib.rs, lowest first. Certain
//! crates may be named only in certain crates and files. Only the program prints, and files for
//! users are written in one place. No crate up to the filter uses files, network or clock.
//!
//! In this check, a name belongs to the file that defines it, even if another file re-exports it. A
//! folder's `mod.rs` or `lib.rs` uses the files that it declares. So those files cannot use
//! anything that `mod.rs` or `lib.rs` defines itself. Names of crates outside of the workspace are
//! ignored.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use source::Source;

/// Folder of the sources of the filter.
const FILTER: &str = "src";
/// Folder of the sources of the program.
const PROGRAM: &str = "cli/src";

/// Packages of the workspace, lowest first. Each has the list of packages on which it may depend.
const STANDS_ON: [(&str, &[&str]); 14] = [
    ("crates/base", &[]),
    ("crates/robots", &["heedful-base"]),
    (".", &["heedful-base", "heedful-robots"]),
    (
        "crates/verify",
        &["heedful-base", "heedful-robots", "heedful"],
    ),
    (
        "crates/lint",
        &["heedful-base", "heedful-robots", "heedful"],
    ),
    (
        "crates/json",
        &["heedful-base", "heedful-robots", "heedful", "heedful-lint"],
    ),
    (
        "crates/census",
        &["heedful-base", "heedful-robots", "heedful", "heedful-json"],
    ),
    (
        "crates/report",
        &[
            "heedful-base",
            "heedful-robots",
            "heedful",
            "heedful-lint",
            "heedful-json",
            "heedful-census",
        ],
    ),
    ("crates/input", &["heedful-base", "heedful-robots"]),
    (
        "crates/export",
        &["heedful-base", "heedful", "heedful-json"],
    ),
    (
        "crates/index",
        &["heedful-base", "heedful-robots", "heedful"],
    ),
    (
        "crates/evidence",
        &[
            "heedful-base",
            "heedful-robots",
            "heedful",
            "heedful-json",
            "heedful-index",
        ],
    ),
    (
        "crates/run",
        &[
            "heedful-base",
            "heedful-robots",
            "heedful",
            "heedful-lint",
            "heedful-json",
            "heedful-census",
            "heedful-input",
            "heedful-export",
            "heedful-index",
            "heedful-evidence",
        ],
    ),
    (
        "cli",
        &[
            "heedful-base",
            "heedful-robots",
            "heedful",
            "heedful-verify",
            "heedful-lint",
            "heedful-json",
            "heedful-census",
            "heedful-report",
            "heedful-input",
            "heedful-export",
            "heedful-index",
            "heedful-evidence",
            "heedful-run",
        ],
    ),
];

/// External crates that only some folders or files may name. Tests may name them all.
const RESERVED: [(&str, &[&str]); 9] = [
    ("lol_html", &["src/lex"]),
    ("html5ever", &["src/standard", "src/tree", "crates/verify"]),
    ("tantivy", &["crates/index"]),
    ("clap", &["cli"]),
    ("indicatif", &["cli"]),
    ("httparse", &["crates/input"]),
    ("ureq", &["crates/input/src/fetch"]),
    ("askama", &["crates/report"]),
    ("rustls_graviola", &["crates/input/src/fetch"]),
];

/// Files that may name an output stream, or serialize JSON on their own. The first is the only
/// output of the program. The second is a test, which reports what it skips.
const DOOR: [&str; 2] = ["cli/src/output.rs", "crates/verify/src/oracle/html5lib.rs"];
const STREAMS: [&str; 9] = [
    "anstream",
    "indicatif::TermLike",
    "std::io::stdout",
    "io::stdout",
    "stdout",
    "std::io::stderr",
    "io::stderr",
    "stderr",
    "serde_json::to_string",
];

/// Paths of Rust items that write to what stands at a path already, through links and FIFOs. The
/// folders `WRITERS` write files for users, and do so by heedful-base's `new_file` alone.
const FOLLOWING: [&str; 5] = [
    "fs::write",
    "fs::copy",
    "File::create",
    "File::options",
    "OpenOptions::new",
];
const WRITERS: [&str; 3] = [PROGRAM, "crates/run/src", "crates/input/src"];

/// Paths of Rust items for the file system, the network and the clock. They are forbidden in the
/// folders `INSIDE`.
const OUTSIDE: [&str; 6] = [
    "std::fs",
    "std::net",
    "std::env",
    "std::process",
    "SystemTime::now",
    "Instant::now",
];
const INSIDE: [&str; 3] = ["crates/base/src", "crates/robots/src", FILTER];
/// Exceptions from `OUTSIDE`: a folder or file, and the path that it may name. They are for data
/// that does not fit in memory, and for the filter's own clock.
const REACHING: [(&str, &str); 4] = [
    ("crates/base/src/scratch", ""),
    ("crates/base/src/new_file", ""),
    ("crates/base/src/memory", ""),
    ("src/filter", "SystemTime::now"),
];

#[test]
fn the_sources_keep_to_their_floors() {
    let crates = crates();
    assert!(crates[FILTER].len() > 20, "too few sources were found");
    let violations: Vec<_> = crates
        .iter()
        .flat_map(|(root, sources)| violations(root, sources, sources))
        .collect();
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

#[test]
fn no_files_of_a_folder_use_each_other_in_a_circle() {
    for (root, sources) in crates() {
        let circles = circles(&sources);
        assert!(
            circles.is_empty(),
            "{root}: {} circles\n{}",
            circles.len(),
            circles.join("\n")
        );
    }
}

#[test]
fn each_crate_stands_on_lower_ones() {
    let mut below = BTreeSet::new();
    for (package, stands_on) in STANDS_ON {
        let Ok(manifest) = std::fs::read_to_string(folder(package).join("Cargo.toml")) else {
            continue;
        };
        let name = name(&manifest);
        assert!(
            stands_on
                .iter()
                .all(|other| below.contains(*other) || !has_all()),
            "{package}: the table has a circle"
        );
        let wrong = wrong_dependencies(&manifest, stands_on);
        assert!(wrong.is_empty(), "{name} must not depend on {wrong:?}");
        below.insert(name);
    }
    let folders = std::fs::read_dir(folder("crates"))
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().file_name());
    let unknown: Vec<_> = folders
        .map(|name| format!("crates/{}", name.to_string_lossy()))
        .filter(|package| STANDS_ON.iter().all(|(known, _)| known != package))
        .collect();
    assert!(unknown.is_empty(), "on what may these stand? {unknown:?}");
}

#[test]
fn planted_violations_are_found() {
    let mut crates = crates();
    let mut plant = |file: &str, code: &str, expected: &str| -> Option<Vec<String>> {
        let root = root_of(file);
        // The filter's package is published without the other crates.
        let sources = crates.get_mut(&root)?;
        let text = std::fs::read_to_string(folder(file))
            .unwrap_or_else(|error| panic!("{file}: {error}"))
            + code;
        let planted = Source::of(&text, Path::new(file).strip_prefix(&root).unwrap());
        if !expected.starts_with("circle") {
            let path = Path::new(file).to_owned();
            return Some(violations(&root, sources, [(&path, &planted)]));
        }
        let before = sources.insert(file.into(), planted).unwrap();
        let found = circles(sources);
        sources.insert(file.into(), before);
        Some(found)
    };
    for (file, code, expected) in PLANTED {
        let found = plant(file, code, expected);
        let is_found =
            |found: Vec<String>| found.iter().any(|violation| violation.contains(expected));
        assert!(
            found.clone().is_none_or(is_found),
            "{file} {code}: {found:?}"
        );
    }
}

#[test]
fn a_planted_dependency_is_found() {
    for (package, line, is_wrong) in [
        (
            "crates/robots",
            "[dependencies]\nheedful = { path = \"../..\" }",
            true,
        ),
        (
            "crates/input",
            "[dependencies]\nheedful-json = \"0.1\"",
            true,
        ),
        (
            "crates/input",
            "[dependencies]\nrobots = { package = \"heedful-index\", version = \"0.1\" }",
            true,
        ),
        (
            "crates/index",
            "[target.'cfg(unix)'.dependencies]\nheedful-evidence = \"0.1\"",
            true,
        ),
        (
            "crates/index",
            "[build-dependencies]\nheedful-json = \"0.1\"",
            true,
        ),
        (
            "crates/index",
            "[dev-dependencies]\nheedful-json = { path = \"../json\" }",
            false,
        ),
        (
            ".",
            "[dependencies]\nheedful-base = \"0.1\"\nurl = \"2\"",
            false,
        ),
    ] {
        let (_, stands_on) = STANDS_ON
            .iter()
            .find(|(known, _)| *known == package)
            .unwrap();
        assert_eq!(
            !wrong_dependencies(line, stands_on).is_empty(),
            is_wrong,
            "{package}: {line}"
        );
    }
}

/// Files for a test of this check. Each has code that breaks a rule when it is appended to the
/// file, and the expected message.
const PLANTED: [(&str, &str, &str); 34] = [
    (
        "src/lex/mod.rs",
        "use crate::policy::Use as Planted;",
        "lex uses policy",
    ),
    (
        "src/policy/mod.rs",
        "fn planted() { let _ = crate::walk::VerdictId::MAX; }",
        "policy uses walk",
    ),
    (
        "src/locate/regions.rs",
        "use crate::{filter::Filter as Planted};",
        "locate uses filter",
    ),
    (
        "src/extract/mod.rs",
        "use crate::locate::Locator as Planted;",
        "extract uses locate",
    ),
    (
        "src/locate/mod.rs",
        "use crate::judge::Judge as Planted;",
        "locate uses judge",
    ),
    (
        "src/judge/mod.rs",
        "use crate::walk::Walk as Planted;",
        "judge uses walk",
    ),
    (
        "src/ledger/mod.rs",
        "use crate::extract::Extraction as Planted;",
        "ledger uses extract",
    ),
    (
        "src/html/mod.rs",
        "use crate::convention::Conventions as Planted;",
        "html uses convention",
    ),
    (
        "src/html/mod.rs",
        "use crate::Conventions as Planted;",
        "html uses convention",
    ),
    (
        "src/place.rs",
        "use super::filter::Filter as Planted;",
        "place uses filter",
    ),
    (
        "src/lex/mod.rs",
        "fn planted() { format!(\"{}\", crate::filter::Filter::x()); }",
        "lex uses filter",
    ),
    (
        "src/page/mod.rs",
        "fn planted() { let _ = std::fs::read(\"x\"); }",
        "reaches outside: std::fs",
    ),
    (
        "src/filter.rs",
        "use std::{fmt, env as planted};",
        "reaches outside: std::env",
    ),
    (
        "src/walk/mod.rs",
        "fn planted() { std::time::SystemTime::now(); }",
        "reaches outside: SystemTime::now",
    ),
    (
        "crates/robots/src/parse.rs",
        "fn planted() { let _ = std::fs::read(\"x\"); }",
        "reaches outside: std::fs",
    ),
    (
        "crates/base/src/bot.rs",
        "use std::process::Command as Planted;",
        "reaches outside: std::process",
    ),
    (
        "src/sink/text.rs",
        "use lol_html::HtmlRewriter as Planted;",
        "names lol_html",
    ),
    (
        "crates/lint/src/lib.rs",
        "use html5ever::ParseOpts as Planted;",
        "names html5ever",
    ),
    (
        "crates/run/src/gate.rs",
        "use ureq::Agent as Planted;",
        "names ureq",
    ),
    (
        "crates/input/src/warc.rs",
        "use ureq::Agent as Planted;",
        "names ureq",
    ),
    (
        "crates/json/src/lib.rs",
        "use tantivy::Index as Planted;",
        "names tantivy",
    ),
    (
        "crates/evidence/src/log.rs",
        "use tantivy::Index as Planted;",
        "names tantivy",
    ),
    (
        "crates/run/src/gate.rs",
        "use clap::Parser as Planted;",
        "names clap",
    ),
    (
        "cli/src/index.rs",
        "fn planted() { anstream::eprintln!(\"x\"); }",
        "prints past the door: anstream::eprintln",
    ),
    (
        "cli/src/lint.rs",
        "fn planted() { println!(\"x\"); }",
        "prints past the door: println",
    ),
    (
        "cli/src/stats.rs",
        "fn planted() { let _ = std::io::stdout(); }",
        "prints past the door: std::io::stdout",
    ),
    (
        "crates/run/src/lib.rs",
        "use std::io::stderr as planted;",
        "prints past the door: std::io::stderr",
    ),
    (
        "cli/src/check/mod.rs",
        "fn planted() { serde_json::to_string(&1); }",
        "prints past the door: serde_json::to_string",
    ),
    (
        "cli/src/export.rs",
        "fn planted() { let _ = std::fs::write(\"x\", \"\"); }",
        "writes past new_file: std::fs::write",
    ),
    (
        "crates/run/src/mask/file.rs",
        "fn planted() { let _ = File::create(\"x\"); }",
        "writes past new_file: File::create",
    ),
    (
        "src/lex/context.rs",
        "use super::namespaces::Namespaces as Planted;",
        "circle in /lex: context -> namespaces",
    ),
    (
        "crates/robots/src/line.rs",
        "use crate::parse::parse as planted;",
        "circle in /: agents -> line",
    ),
    (
        "crates/json/src/robots.rs",
        "use super::PageJson as Planted;",
        "circle in /: explanation -> robots",
    ),
    (
        "cli/src/explain/page.rs",
        "use super::html::run as Planted;",
        "circle in /explain: html -> page",
    ),
];

type Sources = BTreeMap<PathBuf, Source>;

fn folder(root: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(root)
}

/// True if the folder has all packages of the workspace, and not the filter's alone.
fn has_all() -> bool {
    folder("crates").is_dir()
}

/// Returns the folder of the sources to which a file belongs.
fn root_of(file: &str) -> String {
    let end = file.find("src/").unwrap() + "src".len();
    file[..end].to_owned()
}

/// Returns the sources of each crate by their folder: `src`, `crates/base/src`, `cli/src`.
fn crates() -> BTreeMap<String, Sources> {
    let below = std::fs::read_dir(folder("crates"))
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().file_name());
    let below = below.map(|name| format!("crates/{}/src", name.to_string_lossy()));
    let roots = below
        .chain([FILTER, PROGRAM].map(str::to_owned))
        .filter(|root| folder(root).is_dir());
    roots.map(|root| (root.clone(), sources(&root))).collect()
}

/// Returns the paths of all Rust files in a folder and in the folders inside it.
pub(crate) fn rust_files(top: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![top.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push(path);
            }
        }
    }
    found
}

/// Parses all source files of a crate except tests. The key of a file is its path in the project.
fn sources(root: &str) -> Sources {
    let top = folder(root);
    let mut found = Sources::new();
    for path in rust_files(&top) {
        let name = path.strip_prefix(&top).unwrap();
        let source = Source::of(&std::fs::read_to_string(&path).unwrap(), name);
        found.insert(Path::new(root).join(name), source);
    }
    let tests: BTreeSet<_> = found
        .values()
        .flat_map(|source| source.tests.clone())
        .collect();
    found.retain(|_, source| {
        !(1..=source.module.len()).any(|length| tests.contains(&source.module[..length]))
    });
    found
}

/// Returns the name of the package with this Cargo manifest.
fn name(manifest: &str) -> String {
    let manifest: toml::Table = manifest.parse().unwrap();
    manifest["package"]["name"].as_str().unwrap().to_owned()
}

/// Returns the packages of this workspace on which a Cargo manifest depends although `stands_on`
/// does not allow them. Dependencies of tests are not checked.
fn wrong_dependencies(manifest: &str, stands_on: &[&str]) -> BTreeSet<String> {
    let manifest: toml::Table = manifest.parse().unwrap();
    let targets = manifest
        .get("target")
        .and_then(|targets| targets.as_table())
        .into_iter()
        .flatten();
    let tables = targets
        .filter_map(|(_, target)| target.as_table())
        .chain([&manifest]);
    let dependencies = tables
        .flat_map(|table| ["dependencies", "build-dependencies"].map(|kind| table.get(kind)))
        .flatten();
    let names = dependencies
        .filter_map(|table| table.as_table())
        .flatten()
        .map(|(name, dependency)| {
            dependency
                .get("package")
                .and_then(|package| package.as_str())
                .unwrap_or(name)
                .to_owned()
        });
    names
        .filter(|name| name.starts_with("heedful") && !stands_on.contains(&name.as_str()))
        .collect()
}

/// Returns the floor (0 is the lowest) of each top-level module of the filter, from the groups of
/// modules in lib.rs.
fn floors(sources: &Sources) -> BTreeMap<String, usize> {
    let mut floors = BTreeMap::new();
    let mut floor = 0;
    for line in sources[&Path::new(FILTER).join("lib.rs")].text.lines() {
        let module = line
            .strip_prefix("pub mod ")
            .or_else(|| line.strip_prefix("mod "));
        if let Some(name) = module.and_then(|rest| rest.strip_suffix(';')) {
            floors.insert(name.to_owned(), floor);
        } else if line.is_empty() && !floors.is_empty() {
            floor += 1;
        }
    }
    floors
}

/// Returns the rules of this check that some files of a crate break, as messages. Circles are not
/// among them.
fn violations<'a>(
    root: &str,
    sources: &Sources,
    files: impl IntoIterator<Item = (&'a PathBuf, &'a Source)>,
) -> Vec<String> {
    let (floors, modules) = (
        if root == FILTER {
            floors(sources)
        } else {
            BTreeMap::new()
        },
        Modules::of(sources),
    );
    let of = |file: &Path, source| {
        [
            named_or_printed(file, source),
            floors_of(file, source, &floors, &modules),
        ]
        .concat()
    };
    files
        .into_iter()
        .flat_map(|(file, source)| of(file, source))
        .collect()
}

/// True if `file` is the file `place`, or is in the folder `place`.
fn is_in(file: &Path, place: &str) -> bool {
    file.with_extension("").starts_with(place) || file.starts_with(place)
}

fn named_or_printed(file: &Path, source: &Source) -> Vec<String> {
    let mut found = Vec::new();
    let mut say = |what: String| found.push(format!("{}: {what}", file.display()));
    let is_program = file.starts_with(PROGRAM);
    for path in source.paths.iter().map(|path| path.join("::")) {
        let first = path.split("::").next().unwrap_or_default();
        for (name, homes) in RESERVED {
            if first == name && !homes.iter().any(|home| is_in(file, home)) {
                say(format!("names {name}"));
            }
        }
        // Only one place makes JSON for people and programs; the index may serialize its own data.
        let is_json = path == "serde_json::to_string" && !is_program;
        if !DOOR.iter().any(|door| file == Path::new(door)) && is_stream(&path) && !is_json {
            say(format!("prints past the door: {path}"));
        }
        if WRITERS.iter().any(|place| file.starts_with(place))
            && FOLLOWING
                .iter()
                .any(|thing| path == *thing || path.ends_with(&format!("::{thing}")))
        {
            say(format!("writes past new_file: {path}"));
        }
        let may = |thing: &str| {
            REACHING
                .iter()
                .any(|(place, what)| is_in(file, place) && (what.is_empty() || *what == thing))
        };
        if INSIDE.iter().any(|place| file.starts_with(place))
            && let Some(thing) = OUTSIDE
                .iter()
                .find(|thing| path.contains(**thing) && !may(thing))
        {
            say(format!("reaches outside: {thing}"));
        }
    }
    found
}

fn floors_of(
    file: &Path,
    source: &Source,
    floors: &BTreeMap<String, usize>,
    modules: &Modules<'_>,
) -> Vec<String> {
    let Some(module) = source.module.first() else {
        return Vec::new();
    };
    let Some(floor) = floors.get(module) else {
        return Vec::new();
    };
    let used = source
        .paths
        .iter()
        .filter_map(|path| modules.room(path, floors));
    let higher =
        used.filter(|used| used != module && floors.get(used).is_some_and(|other| other >= floor));
    higher
        .map(|used| format!("{}: {module} uses {used}", file.display()))
        .collect()
}

/// True if the path of a Rust item names an output stream. Panics may print, and tests may print.
fn is_stream(path: &str) -> bool {
    const MACROS: [&str; 5] = ["print", "println", "eprint", "eprintln", "dbg"];
    STREAMS.contains(&path) || path.starts_with("anstream::") || MACROS.contains(&path)
}

/// Returns the circles of uses among the members of a folder, as messages. The members are its
/// files, its folders, and its own `mod.rs`.
fn circles(sources: &Sources) -> Vec<String> {
    let modules = Modules::of(sources);
    let uses: BTreeSet<(&[String], &[String])> = sources
        .values()
        .flat_map(|source| {
            modules
                .used_by(source)
                .into_iter()
                .map(|used| (&*source.module, used))
        })
        .filter(|(from, to)| from != to)
        .collect();
    let folders: BTreeSet<&[String]> = modules
        .0
        .keys()
        .filter_map(|module| Some(module.split_last()?.1))
        .collect();
    folders
        .into_iter()
        .flat_map(|folder| circles_in(folder, &uses))
        .collect()
}

/// Uses between the members of a folder: each member, with the members that it uses.
type Graph<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

fn circles_in(folder: &[String], uses: &BTreeSet<(&[String], &[String])>) -> Vec<String> {
    let mut graph = Graph::new();
    for (from, to) in uses {
        if let (Some(from), Some(to)) = (member(folder, from), member(folder, to))
            && from != to
        {
            graph.entry(from).or_default().insert(to);
        }
    }
    let reach: Graph<'_> = graph
        .keys()
        .map(|from| (*from, reached(&graph, from)))
        .collect();
    let mut found = BTreeSet::new();
    for (from, to) in &reach {
        let circle: BTreeSet<_> = to
            .iter()
            .filter(|to| reach.get(*to).is_some_and(|back| back.contains(from)))
            .collect();
        if !circle.is_empty() {
            let arrow = |from: &&str| {
                let to: Vec<_> = graph[*from]
                    .iter()
                    .filter(|to| circle.contains(to))
                    .copied()
                    .collect();
                format!("{from} -> {}", to.join(" "))
            };
            let arrows: Vec<_> = circle.iter().map(|from| arrow(from)).collect();
            found.insert(format!(
                "circle in /{}: {}",
                folder.join("/"),
                arrows.join(", ")
            ));
        }
    }
    found.into_iter().collect()
}

/// Returns the member of a folder that contains a module. A member is a file or folder.
fn member<'a>(folder: &[String], module: &'a [String]) -> Option<&'a str> {
    Some(
        module
            .strip_prefix(folder)?
            .first()
            .map_or("mod", String::as_str),
    )
}

fn reached<'a>(graph: &Graph<'a>, from: &'a str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(next) = open.pop() {
        open.extend(
            graph
                .get(next)
                .into_iter()
                .flatten()
                .filter(|to| reached.insert(**to)),
        );
    }
    reached
}

/// Files of a crate, by the paths of their modules.
struct Modules<'a>(BTreeMap<&'a [String], &'a Source>);

impl<'a> Modules<'a> {
    fn of(sources: &'a Sources) -> Self {
        Self(
            sources
                .values()
                .map(|source| (&*source.module, source))
                .collect(),
        )
    }

    /// Returns the module whose file defines the item with this path. Follows all re-exports.
    /// Returns None if another crate defines the item.
    fn home(&self, path: &[String]) -> Option<&'a [String]> {
        let (first, mut rest) = path.split_first()?;
        if first != "crate" {
            return None;
        }
        let mut module = Vec::new();
        let mut home = self.0.get(&module[..])?;
        while let Some((name, behind)) = rest.split_first() {
            module.push(name.clone());
            if let Some(inside) = self.0.get(&module[..]) {
                (home, rest) = (inside, behind);
                continue;
            }
            return match home.imports.get(name) {
                Some(import) if import[0] != "crate" => None,
                Some(import) => self.home(&[import, behind].concat()).or(Some(&home.module)),
                None => Some(&self.giver(&module).unwrap_or(home).module),
            };
        }
        Some(&home.module)
    }

    /// Returns the file that defines the macro with this path. The path begins at the root of the
    /// crate.
    fn giver(&self, path: &[String]) -> Option<&'a Source> {
        let [name] = path else { return None };
        self.0
            .values()
            .find(|source| source.macros.contains(name))
            .copied()
    }

    /// Returns the top-level module of the filter that a path names. For a name at the crate's
    /// root, returns the top-level module that defines the name.
    fn room(&self, path: &[String], floors: &BTreeMap<String, usize>) -> Option<String> {
        let named = path
            .get(1)
            .filter(|name| path[0] == "crate" && floors.contains_key(*name));
        named.or_else(|| self.home(path)?.first()).cloned()
    }

    fn used_by(&self, source: &Source) -> Vec<&'a [String]> {
        source
            .paths
            .iter()
            .filter_map(|path| self.home(path))
            .collect()
    }
}
