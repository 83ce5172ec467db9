//! Data goes one way: a file uses only what stands on lower floors.
//!
//! The floors are the blank-line groups of modules in lib.rs, lowest first; the program is the top one. Named files
//! alone mention certain crates, and below the whole runs nothing touches the world outside.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use syn::visit::Visit;

/// Crates that only some files may name.
const RESERVED: [(&str, &[&str]); 9] = [
    ("lol_html", &["lex"]),
    ("html5ever", &["standard", "tree", "oracle"]),
    ("tantivy", &["index"]),
    ("clap", &["cli", "main"]),
    ("indicatif", &["cli"]),
    ("httparse", &["input"]),
    ("ureq", &["fetch"]),
    ("askama", &["report"]),
    ("rustls_graviola", &["fetch"]),
];

/// What names a stream that people look at, or makes JSON in a way of its own: forbidden but in the file that is the door,
/// and in a test that says what it skips.
const DOOR: [&str; 2] = ["cli/output.rs", "oracle/html5lib.rs"];
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

/// What reaches outside, forbidden on the floors up to the one that holds `filter`.
const OUTSIDE: [&str; 6] = ["std::fs", "std::net", "std::env", "std::process", "SystemTime::now", "Instant::now"];

#[test]
fn the_sources_keep_to_their_floors() {
    let sources = sources();
    assert!(sources.len() > 20, "too few sources were found");
    let violations = violations(&sources);
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

#[test]
fn planted_violations_are_found() {
    let plant = |file: &str, code: &str| {
        let mut sources = sources();
        let text = sources.get_mut(Path::new(file)).unwrap();
        text.push_str(code);
        violations(&sources)
    };
    for (file, code, expected) in [
        ("lex/mod.rs", "use crate::policy::Facet as Planted;", "lex uses policy"),
        ("policy/mod.rs", "fn planted() { let _ = crate::walk::VerdictId::MAX; }", "policy uses walk"),
        ("locate/regions.rs", "use crate::{filter::Filter as Planted};", "locate uses filter"),
        ("hear/mod.rs", "use crate::locate::Locator as Planted;", "hear uses locate"),
        ("locate/mod.rs", "use crate::judge::Judge as Planted;", "locate uses judge"),
        ("judge/mod.rs", "use crate::walk::Walk as Planted;", "judge uses walk"),
        ("ledger/mod.rs", "use crate::hear::Hearing as Planted;", "ledger uses hear"),
        ("robots_txt/parse.rs", "use crate::dialect::Dialects as Planted;", "robots_txt uses dialect"),
        ("page/mod.rs", "fn planted() { let _ = std::fs::read(\"x\"); }", "page reaches outside: std::fs"),
        ("filter.rs", "use std::{fmt, env as planted};", "filter reaches outside: std::env"),
        ("walk/mod.rs", "fn planted() { std::time::SystemTime::now(); }", "walk reaches outside: SystemTime::now"),
        ("sink/text.rs", "use lol_html::HtmlRewriter as Planted;", "sink names lol_html"),
        ("robots_txt/mod.rs", "use crate::fetch::Fetcher as Planted;", "robots_txt uses fetch"),
        ("fetch/ask.rs", "use crate::run::Gate as Planted;", "fetch uses run"),
        ("run/gate.rs", "use ureq::Agent as Planted;", "run names ureq"),
        ("json/mod.rs", "use tantivy::Index as Planted;", "json names tantivy"),
        ("cli/index.rs", "fn planted() { anstream::eprintln!(\"x\"); }", "prints past the door: anstream::eprintln"),
        ("cli/lint.rs", "fn planted() { println!(\"x\"); }", "prints past the door: println"),
        ("cli/stats.rs", "fn planted() { let _ = std::io::stdout(); }", "prints past the door: std::io::stdout"),
        ("run/mod.rs", "use std::io::stderr as planted;", "prints past the door: std::io::stderr"),
        (
            "cli/check/mod.rs",
            "fn planted() { serde_json::to_string(&1); }",
            "prints past the door: serde_json::to_string",
        ),
    ] {
        let found = plant(file, code);
        assert!(found.iter().any(|violation| violation.contains(expected)), "{file} {code}: {found:?}");
    }
}

type Sources = BTreeMap<PathBuf, String>;

/// The library's sources, and the program's as if its folder stood among them.
fn sources() -> Sources {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Sources::new();
    for (top, under) in [("src", ""), ("cli/src", "cli")] {
        // The library's own package has no program beside it.
        let mut folders: Vec<_> = [root.join(top)].into_iter().filter(|folder| folder.is_dir()).collect();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ending| ending == "rs") {
                    let name = Path::new(under).join(path.strip_prefix(root.join(top)).unwrap());
                    sources.insert(name, std::fs::read_to_string(&path).unwrap());
                }
            }
        }
    }
    sources
}

/// The floor of each top-level module, from the groups in lib.rs.
fn floors(sources: &Sources) -> BTreeMap<String, usize> {
    let mut floors = BTreeMap::new();
    let mut floor = 0;
    for line in sources[Path::new("lib.rs")].lines() {
        let module = line.strip_prefix("pub mod ").or_else(|| line.strip_prefix("mod "));
        if let Some(name) = module.and_then(|rest| rest.strip_suffix(';')) {
            floors.insert(name.to_owned(), floor);
        } else if line.is_empty() && !floors.is_empty() {
            floor += 1;
        }
    }
    floors
}

fn violations(sources: &Sources) -> Vec<String> {
    let floors = floors(sources);
    let outside_from = floors["filter"];
    let mut found = Vec::new();
    for (file, text) in sources {
        let module = module_of(file);
        let paths = Paths::of(text, file);
        for path in &paths.0 {
            for (name, homes) in RESERVED {
                if path.split("::").next() == Some(name) && !homes.contains(&module.as_str()) {
                    found.push(format!("{}: {module} names {name}", file.display()));
                }
            }
            // JSON for people and programs is made in one place; what the index keeps for itself is its own.
            let is_json = path == "serde_json::to_string" && module != "cli";
            if !DOOR.iter().any(|door| file == Path::new(door)) && is_stream(path) && !is_json {
                found.push(format!("{}: {module} prints past the door: {path}", file.display()));
            }
            let Some(floor) = floors.get(&module) else { continue };
            let used = path.strip_prefix("crate::").and_then(|rest| rest.split("::").next());
            if let Some(used) = used.filter(|used| *used != module)
                && floors.get(used).is_some_and(|other| other >= floor)
            {
                found.push(format!("{}: {module} uses {used}", file.display()));
            }
            if *floor <= outside_from
                && let Some(thing) = OUTSIDE.iter().find(|thing| path.contains(*thing))
            {
                found.push(format!("{}: {module} reaches outside: {thing}", file.display()));
            }
        }
    }
    found
}

fn module_of(file: &Path) -> String {
    let first = file.iter().next().unwrap().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// Whether a path names a stream. A panic goes where panics go; tests may print.
fn is_stream(path: &str) -> bool {
    const MACROS: [&str; 5] = ["print", "println", "eprint", "eprintln", "dbg"];
    STREAMS.contains(&path) || path.starts_with("anstream::") || MACROS.contains(&path)
}

/// All paths of a file, tests left out, with `use` trees spelt out.
struct Paths(Vec<String>);

impl Paths {
    fn of(text: &str, file: &Path) -> Self {
        let parsed = syn::parse_file(text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let mut paths = Self(Vec::new());
        paths.visit_file(&parsed);
        paths
    }

    fn tree(&mut self, before: &str, tree: &syn::UseTree) {
        let join = |name: &syn::Ident| if before.is_empty() { name.to_string() } else { format!("{before}::{name}") };
        match tree {
            syn::UseTree::Path(path) => self.tree(&join(&path.ident), &path.tree),
            syn::UseTree::Name(name) => self.0.push(join(&name.ident)),
            syn::UseTree::Rename(name) => self.0.push(join(&name.ident)),
            syn::UseTree::Glob(_) => self.0.push(before.to_owned()),
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.tree(before, tree);
                }
            }
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        let is_test = module.attrs.iter().any(|attribute| attribute.path().is_ident("cfg"));
        if !(is_test && module.content.is_some()) {
            syn::visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.tree("", &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.0.push(names.join("::"));
        syn::visit::visit_path(self, path);
    }
}
