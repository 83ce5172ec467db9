//! Measures how plainly the code is written, and fails above fixed bounds. It counts names with
//! more than one meaning, closures, `let`s of tuples, long lines, and words of our own in the
//! glossary of ARCHITECTURE.md.
//!
//! This test parses the sources of every crate with `syn`, without their tests.
//! `cargo test -p heedful --test all -- style:: --nocapture` prints the table, by crate, and each
//! name with two meanings. The test does not resolve types: names with the same spelling are one
//! name. Code in the arguments of a macro is ignored.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stdout, reason = "the table is what a reader asks for")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::AddAssign;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

/// Words that describe where something is or how it was made, but not what it is. No function or
/// type has one as its name.
const NO_NAMES: [&str; 27] = [
    "at", "behind", "by", "dropped", "fed", "heard", "heeded", "joined", "looked", "made", "meant",
    "met", "named", "of", "off", "on", "out", "said", "settled", "taken", "taking", "to", "told",
    "under", "upon", "with", "within",
];

/// Types of the prelude of Rust. No type of ours may have the same name.
const PRELUDE: [&str; 20] = [
    "AsMut", "AsRef", "Box", "Clone", "Copy", "Default", "Drop", "Eq", "Extend", "Fn", "From",
    "Into", "Iterator", "Option", "Ord", "Send", "String", "Sync", "ToString", "Vec",
];

/// Counts of the style test, for one crate or for all crates.
#[derive(Clone, Copy, Default)]
struct Counts {
    lines: usize,
    long_lines: usize,
    code_lines: usize,
    functions: usize,
    closures: usize,
    tuple_lets: usize,
    bool_matches: usize,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.lines += other.lines;
        self.long_lines += other.long_lines;
        self.code_lines += other.code_lines;
        self.functions += other.functions;
        self.closures += other.closures;
        self.tuple_lets += other.tuple_lets;
        self.bool_matches += other.bool_matches;
    }
}

impl Counts {
    fn closures_in_100_lines(&self) -> f64 {
        100.0 * self.closures as f64 / self.code_lines as f64
    }

    fn tuple_lets_in_1000_lines(&self) -> f64 {
        1000.0 * self.tuple_lets as f64 / self.code_lines as f64
    }

    fn long_lines_in_100(&self) -> f64 {
        100.0 * self.long_lines as f64 / self.lines as f64
    }
}

/// Counts and names in the sources of all crates.
#[derive(Default)]
struct Sources {
    crates: BTreeMap<String, Counts>,
    /// Files that define a type. The key is the name of the type.
    types: BTreeMap<String, Vec<String>>,
    /// Files that define a function. The key is the name of the function.
    functions: BTreeMap<String, Vec<String>>,
}

impl Sources {
    fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut sources = Self::default();
        sources.add_crate("heedful", &root.join("src"));
        sources.add_crate("cli", &root.join("cli/src"));
        sources.add_crate("python", &root.join("python/src"));
        // A package of the filter comes without the other crates.
        let Ok(crates) = fs::read_dir(root.join("crates")) else {
            return sources;
        };
        for folder in crates {
            let folder = folder.unwrap();
            sources.add_crate(
                &folder.file_name().to_string_lossy(),
                &folder.path().join("src"),
            );
        }
        sources
    }

    fn add_crate(&mut self, name: &str, folder: &Path) {
        let mut files = Vec::new();
        list_files(folder, &mut files);
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            let place = format!("{name}: {}", file.strip_prefix(folder).unwrap().display());
            let mut reader = Reader::default();
            reader.count_lines(&text);
            reader.visit_file(&syn::parse_file(&text).unwrap());
            *self.crates.entry(name.to_owned()).or_default() += reader.counts;
            for name in reader.types {
                self.types.entry(name).or_default().push(place.clone());
            }
            for name in reader.functions {
                self.functions.entry(name).or_default().push(place.clone());
            }
        }
    }

    fn sum(&self) -> Counts {
        let mut sum = Counts::default();
        for counts in self.crates.values() {
            sum += *counts;
        }
        sum
    }

    /// Returns the names that more than one type has, each with the files that define these types.
    fn homonyms(&self) -> Vec<(&String, &Vec<String>)> {
        self.types
            .iter()
            .filter(|(_, files)| files.len() > 1)
            .collect()
    }
}

/// Adds to `files` all source files in a folder, without those of modules that only tests have.
fn list_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    let mut tests = BTreeSet::new();
    for path in &paths {
        if path.extension().is_some_and(|extension| extension == "rs") {
            tests.extend(test_modules(&fs::read_to_string(path).unwrap()));
        }
    }
    for path in paths {
        if tests.contains(&*path.file_stem().unwrap().to_string_lossy()) {
            continue;
        }
        if path.is_dir() {
            list_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// Returns the names of the modules that a file declares for tests alone, and that have a file of
/// their own.
fn test_modules(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for item in syn::parse_file(text).unwrap().items {
        if let syn::Item::Mod(module) = item
            && module.content.is_none()
            && is_test(&module.attrs)
        {
            names.push(module.ident.to_string());
        }
    }
    names
}

/// Visitor of the syntax tree of one source file.
#[derive(Default)]
struct Reader {
    counts: Counts,
    types: Vec<String>,
    functions: Vec<String>,
}

impl Reader {
    /// Counts the lines of a source file up to its tests, which are at its end.
    fn count_lines(&mut self, text: &str) {
        let measured = text.split("\n#[cfg(test)]\nmod ").next().unwrap();
        for line in measured.lines() {
            let code = line.trim_start();
            self.counts.lines += 1;
            self.counts.long_lines += usize::from(line.chars().count() > 100);
            self.counts.code_lines += usize::from(!code.is_empty() && !code.starts_with("//"));
        }
    }

    fn add_function(&mut self, name: &syn::Ident) {
        self.counts.functions += 1;
        self.functions.push(name.to_string());
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) => {
            attribute.path().is_ident("cfg")
                && ["test", "doctest"].contains(&&*list.tokens.to_string())
        }
        _ => attribute.path().is_ident("test"),
    })
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !is_test(&item.attrs) {
            self.add_function(&item.sig.ident);
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.add_function(&item.sig.ident);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.add_function(&item.sig.ident);
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        if !is_test(&item.attrs) {
            self.types.push(item.ident.to_string());
        }
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.types.push(item.ident.to_string());
        visit::visit_item_enum(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.types.push(item.ident.to_string());
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.types.push(item.ident.to_string());
        visit::visit_item_type(self, item);
    }

    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        self.counts.closures += 1;
        visit::visit_expr_closure(self, closure);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        let is_tuple = matches!(local.pat, syn::Pat::Tuple(_));
        let value = local.init.as_ref().map(|init| &*init.expr);
        self.counts.tuple_lets +=
            usize::from(is_tuple && matches!(value, Some(syn::Expr::Tuple(_))));
        visit::visit_local(self, local);
    }

    fn visit_expr_match(&mut self, expression: &'ast syn::ExprMatch) {
        let is_bool = |arm: &syn::Arm| match &arm.pat {
            syn::Pat::Lit(literal) => matches!(literal.lit, syn::Lit::Bool(_)),
            _ => false,
        };
        self.counts.bool_matches += usize::from(expression.arms.iter().any(is_bool));
        visit::visit_expr_match(self, expression);
    }
}

/// Returns the number of words that the glossary of ARCHITECTURE.md explains.
fn own_words() -> usize {
    let text = include_str!("../../ARCHITECTURE.md");
    let (_, section) = text.split_once("\n## What do the words mean?\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| word |"));
    rows.count()
}

#[test]
fn the_code_is_plain() {
    let sources = Sources::read();
    println!(
        "crate      functions code lines closures/100 tuple lets/1000 match bool long lines %"
    );
    let sum = sources.sum();
    for (name, counts) in sources
        .crates
        .iter()
        .map(|(name, counts)| (&**name, *counts))
        .chain([("all", sum)])
    {
        println!(
            "{name:10} {:9} {:10} {:12.1} {:15.1} {:10} {:12.2}",
            counts.functions,
            counts.code_lines,
            counts.closures_in_100_lines(),
            counts.tuple_lets_in_1000_lines(),
            counts.bool_matches,
            counts.long_lines_in_100()
        );
    }
    let homonyms = sources.homonyms();
    for (name, files) in &homonyms {
        println!("{name} is {} types: {}", files.len(), files.join(", "));
    }
    let share = 100.0 * homonyms.len() as f64 / sources.types.len() as f64;
    println!(
        "{} of {} names of types have two meanings: {share:.1} %",
        homonyms.len(),
        sources.types.len()
    );
    println!("{} words of our own", own_words());

    assert!(
        share <= 5.0,
        "{share:.1} % of the names of types have two meanings"
    );
    assert!(
        sum.closures_in_100_lines() <= 4.0,
        "{:.1} closures in 100 lines",
        sum.closures_in_100_lines()
    );
    assert!(
        sum.tuple_lets_in_1000_lines() <= 1.0,
        "{:.1} `let`s of tuples in 1,000 lines",
        sum.tuple_lets_in_1000_lines()
    );
    assert!(
        sum.long_lines_in_100() <= 0.5,
        "{:.2} % of the lines have more than 100 columns",
        sum.long_lines_in_100()
    );
    assert!(own_words() <= 15, "{} words of our own", own_words());
}

#[test]
fn a_name_says_what_it_names() {
    let sources = Sources::read();
    let prelude: BTreeSet<_> = PRELUDE.into();
    for (name, files) in &sources.types {
        assert!(
            !prelude.contains(&**name),
            "a type hides the prelude's {name}: {}",
            files.join(", ")
        );
    }
    let no_names: BTreeSet<_> = NO_NAMES.into();
    for (name, files) in sources.types.iter().chain(&sources.functions) {
        assert!(
            !no_names.contains(&*name.to_lowercase()),
            "{name} says nothing of what it names: {}",
            files.join(", ")
        );
    }
}
