//! Data goes one way: a file uses only lower floors, and the files of a folder never use each other in a circle.
//!
//! The floors are the blank-line groups of modules in lib.rs, lowest first; the program is the top one. Named files
//! alone mention certain crates, and below the whole runs nothing touches the world outside.
//!
//! A name counts as its file's, also where another file hands it on. A folder's `mod.rs` uses the files that it declares,
//! so they can use nothing that it defines itself.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::buffer::{Cursor, TokenBuffer};
use syn::ext::IdentExt;
use syn::visit::Visit;

/// The program's sources, which these tests name as `cli/`.
const PROGRAM: &str = "cli/src";

/// The crates that only some files may name.
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

/// The files that may name a stream that people look at, or serialize JSON on their own. One is the door for all
/// output, the other a test that reports what it skips.
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

/// Paths that reach outside; they are forbidden on the floors up to that of `filter`, which alone may ask for the time.
const OUTSIDE: [&str; 6] = ["std::fs", "std::net", "std::env", "std::process", "SystemTime::now", "Instant::now"];

#[test]
fn the_sources_keep_to_their_floors() {
    let (library, program) = (sources("src"), sources(PROGRAM));
    assert!(library.len() > 20, "too few sources were found");
    let (floors, modules) = (floors(&library), Modules::of(&library));
    let all = library.iter().chain(&program);
    let violations: Vec<_> = all.flat_map(|(file, source)| violations_of(file, source, &floors, &modules)).collect();
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

#[test]
fn no_files_of_a_folder_use_each_other_in_a_circle() {
    for root in ["src", PROGRAM] {
        let circles = circles(&sources(root));
        assert!(circles.is_empty(), "{root}: {} circles\n{}", circles.len(), circles.join("\n"));
    }
}

#[test]
fn planted_violations_are_found() {
    let (mut library, mut program) = (sources("src"), sources(PROGRAM));
    let has_program = !program.is_empty();
    let mut plant = |file: &str, code: &str, expected: &str| {
        let (root, inside) = file.strip_prefix("cli/").map_or(("src", file), |file| (PROGRAM, file));
        let text = std::fs::read_to_string(folder(root).join(inside)).unwrap() + code;
        let planted = Source::of(&text, Path::new(inside));
        if !expected.starts_with("circle") {
            return violations_of(Path::new(file), &planted, &floors(&library), &Modules::of(&library));
        }
        let sources = if root == PROGRAM { &mut program } else { &mut library };
        let before = sources.insert(file.into(), planted).unwrap();
        let found = circles(sources);
        sources.insert(file.into(), before);
        found
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
        ("robots_txt/mod.rs", "use crate::Dialects as Planted;", "robots_txt uses dialect"),
        ("bot.rs", "use super::filter::Filter as Planted;", "bot uses filter"),
        ("lex/mod.rs", "fn planted() { format!(\"{}\", crate::filter::Filter::x()); }", "lex uses filter"),
        ("lex/context.rs", "use super::namespaces::Namespaces as Planted;", "circle in /lex: context -> namespaces"),
        ("cli/explain/told.rs", "use super::html::run as Planted;", "circle in /explain: html -> told"),
    ] {
        // The library's package comes without the program.
        if file.starts_with("cli/") && !has_program {
            continue;
        }
        let found = plant(file, code, expected);
        assert!(found.iter().any(|violation| violation.contains(expected)), "{file} {code}: {found:?}");
    }
}

type Sources = BTreeMap<PathBuf, Source>;

fn folder(root: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(root)
}

/// All files of a crate, parsed, those of tests left out; those of the program as `cli/`. Empty if the crate is not there: the library's package
/// comes without the program.
fn sources(root: &str) -> Sources {
    let (under, root) = (if root == PROGRAM { "cli" } else { "" }, folder(root));
    let mut found = Sources::new();
    let mut folders: Vec<_> = [root.clone()].into_iter().filter(|folder| folder.is_dir()).collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let name = path.strip_prefix(&root).unwrap();
                let source = Source::of(&std::fs::read_to_string(&path).unwrap(), name);
                found.insert(Path::new(under).join(name), source);
            }
        }
    }
    let tests: BTreeSet<_> = found.values().flat_map(|source| source.tests.clone()).collect();
    found.retain(|_, source| !(1..=source.module.len()).any(|length| tests.contains(&source.module[..length])));
    found
}

/// The floor of each top-level module, from the groups in lib.rs.
fn floors(sources: &Sources) -> BTreeMap<String, usize> {
    let mut floors = BTreeMap::new();
    let mut floor = 0;
    for line in sources[Path::new("lib.rs")].text.lines() {
        let module = line.strip_prefix("pub mod ").or_else(|| line.strip_prefix("mod "));
        if let Some(name) = module.and_then(|rest| rest.strip_suffix(';')) {
            floors.insert(name.to_owned(), floor);
        } else if line.is_empty() && !floors.is_empty() {
            floor += 1;
        }
    }
    floors
}

fn violations_of(file: &Path, source: &Source, floors: &BTreeMap<String, usize>, modules: &Modules<'_>) -> Vec<String> {
    let module = module_of(file);
    let mut found = Vec::new();
    for path in source.paths.iter().map(|path| path.join("::")) {
        let first = path.split("::").next().unwrap_or_default();
        for (name, homes) in RESERVED {
            if first == name && !homes.contains(&module.as_str()) {
                found.push(format!("{}: {module} names {name}", file.display()));
            }
        }
        // Only one place makes JSON for people and programs; the index may serialize its own data.
        let is_json = path == "serde_json::to_string" && module != "cli";
        if !DOOR.iter().any(|door| file == Path::new(door)) && is_stream(&path) && !is_json {
            found.push(format!("{}: {module} prints past the door: {path}", file.display()));
        }
        if floors.get(&module).is_some_and(|floor| *floor <= floors["filter"])
            && let Some(thing) = OUTSIDE.iter().find(|thing| path.contains(*thing))
            && (module.as_str(), *thing) != ("filter", "SystemTime::now")
        {
            found.push(format!("{}: {module} reaches outside: {thing}", file.display()));
        }
    }
    let Some(floor) = floors.get(&module) else { return found };
    for used in source.paths.iter().filter_map(|path| modules.room(path, floors)) {
        if used != module && floors.get(&used).is_some_and(|other| other >= floor) {
            found.push(format!("{}: {module} uses {used}", file.display()));
        }
    }
    found
}

fn module_of(file: &Path) -> String {
    let first = file.iter().next().unwrap().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// Returns true if a path names a stream. Panics may print, and so may tests.
fn is_stream(path: &str) -> bool {
    const MACROS: [&str; 5] = ["print", "println", "eprint", "eprintln", "dbg"];
    STREAMS.contains(&path) || path.starts_with("anstream::") || MACROS.contains(&path)
}

/// The circles among what stands side by side in a folder: its files, its folders, and its own `mod.rs`.
fn circles(sources: &Sources) -> Vec<String> {
    let modules = Modules::of(sources);
    let uses: BTreeSet<(&[String], &[String])> = sources
        .values()
        .flat_map(|source| modules.used_by(source).into_iter().map(|used| (&*source.module, used)))
        .filter(|(from, to)| from != to)
        .collect();
    let folders: BTreeSet<&[String]> = modules.0.keys().filter_map(|module| Some(module.split_last()?.1)).collect();
    folders.into_iter().flat_map(|folder| circles_in(folder, &uses)).collect()
}

/// The uses between the members of a folder.
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
    let reach: Graph<'_> = graph.keys().map(|from| (*from, reached(&graph, from))).collect();
    let mut found = BTreeSet::new();
    for (from, to) in &reach {
        let circle: BTreeSet<_> =
            to.iter().filter(|to| reach.get(*to).is_some_and(|back| back.contains(from))).collect();
        if !circle.is_empty() {
            let arrow = |from: &&str| {
                let to: Vec<_> = graph[*from].iter().filter(|to| circle.contains(to)).copied().collect();
                format!("{from} -> {}", to.join(" "))
            };
            let arrows: Vec<_> = circle.iter().map(|from| arrow(from)).collect();
            found.insert(format!("circle in /{}: {}", folder.join("/"), arrows.join(", ")));
        }
    }
    found.into_iter().collect()
}

/// The member of a folder that holds a module, if one does.
fn member<'a>(folder: &[String], module: &'a [String]) -> Option<&'a str> {
    Some(module.strip_prefix(folder)?.first().map_or("mod", String::as_str))
}

fn reached<'a>(graph: &Graph<'a>, from: &'a str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(next) = open.pop() {
        open.extend(graph.get(next).into_iter().flatten().filter(|to| reached.insert(**to)));
    }
    reached
}

/// The files of a crate by the paths of their modules.
struct Modules<'a>(BTreeMap<&'a [String], &'a Source>);

impl<'a> Modules<'a> {
    fn of(sources: &'a Sources) -> Self {
        Self(sources.values().map(|source| (&*source.module, source)).collect())
    }

    /// The module whose file defines what a path names, through all that hand it on.
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
            let handed_on = home.imports.get(name).map(|import| [import, behind].concat());
            return handed_on.and_then(|path| self.home(&path)).or(Some(&home.module));
        }
        Some(&home.module)
    }

    /// The top-level module that a path leads to: the one it names, or where the name at the crate's root is from.
    fn room(&self, path: &[String], floors: &BTreeMap<String, usize>) -> Option<String> {
        let named = path.get(1).filter(|name| path[0] == "crate" && floors.contains_key(*name));
        named.or_else(|| self.home(path)?.first()).cloned()
    }

    fn used_by(&self, source: &Source) -> Vec<&'a [String]> {
        source.paths.iter().filter_map(|path| self.home(path)).collect()
    }
}

type Names = Vec<String>;

/// A file, and all paths in it, tests left out, with `use` trees and relative paths spelt out from the crate's root.
struct Source {
    text: String,
    module: Names,
    paths: Vec<Names>,
    /// Names that the file has from elsewhere, and may hand on.
    imports: BTreeMap<String, Names>,
    /// Modules declared in it.
    declared: BTreeSet<String>,
    /// The paths of modules that only tests have, written inside or files of their own.
    tests: BTreeSet<Names>,
    /// The module that is being read: this one, or one written inside.
    inside: Names,
}

impl Source {
    fn of(text: &str, file: &Path) -> Self {
        let parsed = syn::parse_file(text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let mut module: Names = file.with_extension("").iter().map(|name| name.to_string_lossy().into()).collect();
        module.pop_if(|last| ["mod", "lib", "main"].contains(&last.as_str()));
        let declared = parsed.items.iter().filter_map(|item| match item {
            syn::Item::Mod(item) if !is_test(&item.attrs) => Some(item.ident.to_string()),
            _ => None,
        });
        let mut source = Self {
            text: text.to_owned(),
            paths: Vec::new(),
            imports: BTreeMap::new(),
            declared: declared.collect(),
            tests: BTreeSet::new(),
            inside: module.clone(),
            module,
        };
        source.visit_file(&parsed);
        source
    }

    fn tree(&mut self, before: &[String], tree: &syn::UseTree) {
        let join = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.tree(&join(&path.ident), &path.tree),
            syn::UseTree::Name(name) if name.ident == "self" => self.import(before.last().cloned(), before.to_vec()),
            syn::UseTree::Name(name) => self.import(Some(name.ident.to_string()), join(&name.ident)),
            syn::UseTree::Rename(name) => self.import(Some(name.rename.to_string()), join(&name.ident)),
            syn::UseTree::Glob(_) => self.import(None, before.to_vec()),
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.tree(before, tree);
                }
            }
        }
    }

    fn import(&mut self, name: Option<String>, path: Names) {
        let path = self.of_the_root(path);
        if let Some(name) = name.filter(|_| self.inside == self.module) {
            self.imports.insert(name, path.clone());
        }
        self.paths.push(path);
    }

    fn of_the_root(&self, path: Names) -> Names {
        let mut base = self.inside.clone();
        let mut rest = &path[..];
        while let Some(first) = rest.first().filter(|first| *first == "self" || *first == "super") {
            base.truncate(base.len() - usize::from(first == "super"));
            rest = &rest[1..];
        }
        let is_relative = rest.len() < path.len() || path.first().is_some_and(|first| self.declared.contains(first));
        if is_relative { [&["crate".to_owned()][..], &base, rest].concat() } else { path }
    }

    /// The paths in what a macro is given: names with `::` between them, or with a `!` behind.
    fn tokens(&mut self, mut cursor: Cursor<'_>) {
        let mut path = Names::new();
        while !cursor.eof() {
            let colons = cursor.punct().filter(|(punct, _)| punct.as_char() == ':').and_then(|(_, rest)| rest.punct());
            if let Some((name, rest)) = cursor.ident() {
                path.push(name.unraw().to_string());
                cursor = rest;
                let is_path = cursor.punct().is_some_and(|(punct, _)| punct.as_char() == ':');
                let is_called = cursor.punct().is_some_and(|(punct, _)| punct.as_char() == '!');
                if !is_path && (path.len() > 1 || is_called) {
                    self.paths.push(self.of_the_root(std::mem::take(&mut path)));
                } else if !is_path {
                    path.clear();
                }
            } else if let Some((_, rest)) = colons.filter(|(punct, _)| punct.as_char() == ':') {
                cursor = rest;
            } else if let Some((inside, _, _, rest)) = cursor.any_group() {
                path.clear();
                self.tokens(inside);
                cursor = rest;
            } else if let Some((_, rest)) = cursor.token_tree() {
                path.clear();
                cursor = rest;
            }
        }
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    let is_test = |attribute: &syn::Attribute| {
        attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    };
    attributes.iter().any(is_test)
}

impl<'ast> Visit<'ast> for Source {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if is_test(&module.attrs) {
            self.tests.insert([&self.inside[..], &[module.ident.to_string()]].concat());
            return;
        }
        if module.content.is_none() {
            self.paths.push(self.of_the_root(vec!["self".to_owned(), module.ident.to_string()]));
        }
        self.inside.push(module.ident.to_string());
        syn::visit::visit_item_mod(self, module);
        self.inside.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.tree(&[], &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.paths.push(self.of_the_root(names));
        syn::visit::visit_path(self, path);
    }

    /// Who may see something uses nothing.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        syn::visit::visit_macro(self, called);
        let tokens = TokenBuffer::new2(called.tokens.clone());
        self.tokens(tokens.begin());
    }
}
