//! Checks the public interface of every published crate against api.txt, which has a line for each
//! public item. So a change that breaks users is noticed. Items that the documentation hides are
//! left out, because only our own crates use them.
//!
//! The public items are parsed from the sources, so no network and no nightly compiler is needed.
//! `BLESS=1` writes api.txt. Once a version is released, lines may only be added to it. Only a new
//! major version may break users, or a new minor version while the major version is 0.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use quote::ToTokens;
use syn::{Attribute, Fields, ImplItem, Item, TraitItem, UseTree, Visibility};

/// Published crates. Each has the folder of its sources, and the crate name that users write.
const CRATES: [(&str, &str); 12] = [
    ("src", "heedful"),
    ("crates/base/src", "heedful_base"),
    ("crates/census/src", "heedful_census"),
    ("crates/evidence/src", "heedful_evidence"),
    ("crates/export/src", "heedful_export"),
    ("crates/index/src", "heedful_index"),
    ("crates/input/src", "heedful_input"),
    ("crates/json/src", "heedful_json"),
    ("crates/lint/src", "heedful_lint"),
    ("crates/report/src", "heedful_report"),
    ("crates/robots/src", "heedful_robots"),
    ("crates/run/src", "heedful_run"),
];

/// Path of a module, as names from the crate's root.
type Module = Vec<String>;
/// A type or function: the module that defines it, and its name.
type Name = (Module, String);

/// Parsed sources of a crate by module, and the imports of each module by their local names.
struct Sources {
    modules: BTreeMap<Module, Vec<Item>>,
    imports: BTreeMap<Name, Name>,
    /// Cargo features that each module needs, with those of the modules around it.
    needs: BTreeMap<Module, BTreeSet<String>>,
}

impl Sources {
    fn read(root: &str) -> Self {
        let mut sources = Self {
            modules: BTreeMap::new(),
            imports: BTreeMap::new(),
            needs: BTreeMap::new(),
        };
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(root);
        sources.module(Module::new(), BTreeSet::new(), &root.join("lib.rs"), &root);
        sources
    }

    fn module(&mut self, module: Module, needs: BTreeSet<String>, file: &Path, folder: &Path) {
        let items = syn::parse_file(&std::fs::read_to_string(file).unwrap())
            .unwrap()
            .items;
        for item in &items {
            match item {
                Item::Mod(child) if child.content.is_none() && !is_hidden(&child.attrs) => {
                    let name = child.ident.to_string();
                    let inner = folder.join(&name);
                    let file = [inner.join("mod.rs"), folder.join(format!("{name}.rs"))];
                    let file = file.into_iter().find(|file| file.is_file()).unwrap();
                    let needs = needs.iter().cloned().chain(Some(marks(&child.attrs)));
                    let needs = needs.filter(|needs| !needs.is_empty()).collect();
                    self.module([module.clone(), vec![name]].concat(), needs, &file, &inner);
                }
                Item::Use(import) => self.import(&module, &module, &import.tree),
                _ => {}
            }
        }
        self.needs.insert(module.clone(), needs);
        self.modules.insert(module, items);
    }

    fn import(&mut self, module: &Module, at: &Module, tree: &UseTree) {
        let mut add = |name: &syn::Ident, own: &syn::Ident| {
            self.imports.insert(
                (module.clone(), own.to_string()),
                (at.clone(), name.to_string()),
            );
        };
        match tree {
            UseTree::Name(name) if name.ident != "self" => add(&name.ident, &name.ident),
            UseTree::Rename(name) => add(&name.ident, &name.rename),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(module, at, tree);
                }
            }
            UseTree::Path(path) => {
                let step = path.ident.to_string();
                let next = match step.as_str() {
                    "crate" => Module::new(),
                    "self" => at.clone(),
                    "super" => at[..at.len() - 1].to_vec(),
                    _ => [at.clone(), vec![step]].concat(),
                };
                self.import(module, &next, &path.tree);
            }
            _ => {}
        }
    }

    /// Returns the path of an item that another crate defines, with the names of that crate.
    /// Follows all re-exports. Returns None if this crate defines the item.
    fn elsewhere(&self, (module, own): &Name) -> Option<String> {
        let (at, name) = self.imports.get(&(module.clone(), own.clone()))?;
        if self.modules.contains_key(at) {
            return self
                .elsewhere(&(at.clone(), name.clone()))
                .or_else(|| (at == module).then(|| name.clone()));
        }
        let path = at.strip_prefix(&module[..]).unwrap_or(at);
        let (first, rest) = path.split_first()?;
        let first = self
            .elsewhere(&(at[..at.len() - path.len()].to_vec(), first.clone()))
            .unwrap_or(first.clone());
        Some(
            [&[first], rest, std::slice::from_ref(name)]
                .concat()
                .join("::"),
        )
    }

    /// Returns the module that defines a name and the name there. Follows imports.
    fn home(&self, name: Name) -> Option<Name> {
        let (module, own) = &name;
        let is_it = |item: &Item| named(item).is_some_and(|(ident, _, _)| ident == own.as_str());
        let is_here = |item: &Item| is_it(item) && !matches!(item, Item::Mod(_));
        if self.modules.get(module)?.iter().any(is_here) {
            return Some(name);
        }
        self.home(self.imports.get(&name)?.clone())
    }
}

/// Returns the name, visibility and attributes of a parsed item. Returns None for an item without
/// them.
fn named(item: &Item) -> Option<(&syn::Ident, &Visibility, &[Attribute])> {
    Some(match item {
        Item::Const(it) => (&it.ident, &it.vis, &it.attrs),
        Item::Enum(it) => (&it.ident, &it.vis, &it.attrs),
        Item::Fn(it) => (&it.sig.ident, &it.vis, &it.attrs),
        Item::Mod(it) => (&it.ident, &it.vis, &it.attrs),
        Item::Static(it) => (&it.ident, &it.vis, &it.attrs),
        Item::Struct(it) => (&it.ident, &it.vis, &it.attrs),
        Item::Trait(it) => (&it.ident, &it.vis, &it.attrs),
        Item::Type(it) => (&it.ident, &it.vis, &it.attrs),
        _ => return None,
    })
}

/// Returns Rust tokens as text, with spacing as a person would write them.
fn text(tokens: &impl ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string();
    for (apart, together) in [
        (" :: ", "::"),
        (":: ", "::"),
        (" < ", "<"),
        (" <", "<"),
        ("< ", "<"),
        (" >", ">"),
        (" ,", ","),
        (" :", ":"),
        (" ;", ";"),
        ("& ", "&"),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        (" [", "["),
        ("[ ", "["),
        (" ]", "]"),
        ("' ", "'"),
        (" !", "!"),
        ("(mut self", "(self"),
        (",)", ")"),
    ] {
        text = text.replace(apart, together);
    }
    text
}

fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes
        .iter()
        .any(|attribute| text(&attribute.meta) == "doc(hidden)")
}

/// True if an item is part of the public interface: it is public and documented.
fn is_shown(visibility: &Visibility, attributes: &[Attribute]) -> bool {
    matches!(visibility, Visibility::Public(_)) && !is_hidden(attributes)
}

/// Returns as text the attributes of an item that matter to users. They are the Cargo features that
/// it needs, its derives, and others such as `must_use`.
fn marks(attributes: &[Attribute]) -> String {
    let kept = attributes.iter().filter(|attribute| {
        let is = |name| attribute.path().is_ident(name);
        is("cfg") || is("derive") || is("non_exhaustive") || is("must_use")
    });
    kept.map(|attribute| format!("{} ", text(&attribute.meta)))
        .collect()
}

/// Returns a line of api.txt, followed by `marks`: the item's features and other attributes.
fn with(line: String, marks: &str) -> String {
    if marks.is_empty() {
        line
    } else {
        format!("{line}  #{}", marks.trim_end())
    }
}

/// Returns the signature of a function as text, without the function's name.
fn arguments(signature: &syn::Signature) -> String {
    let text = text(signature);
    text[text.find(&signature.ident.to_string()).unwrap() + signature.ident.to_string().len()..]
        .to_owned()
}

/// The public interface of a crate, as lines for api.txt.
struct Api<'a> {
    sources: &'a Sources,
    lines: BTreeSet<String>,
    /// Public types of the crate, each with its public name. The key is the module that defines the
    /// type, and its name there.
    types: BTreeMap<Name, String>,
}

impl Api<'_> {
    /// Adds to the interface all public items of a module that users see as `path`. `needs` are the
    /// Cargo features of the module.
    fn module(&mut self, module: &Module, path: &str, needs: &str) {
        for item in &self.sources.modules[module] {
            match item {
                Item::Use(import) if is_shown(&import.vis, &import.attrs) => {
                    let before = [needs, &marks(&import.attrs)].concat();
                    self.exported(module, &import.tree, path, &before);
                }
                Item::Mod(child) if is_shown(&child.vis, &child.attrs) => {
                    let (name, before) = (
                        child.ident.to_string(),
                        [needs, &marks(&child.attrs)].concat(),
                    );
                    self.module(
                        &[module.clone(), vec![name.clone()]].concat(),
                        &format!("{path}::{name}"),
                        &before,
                    );
                }
                item => {
                    if let Some((ident, visibility, attributes)) = named(item)
                        && is_shown(visibility, attributes)
                        && !matches!(item, Item::Mod(_))
                    {
                        self.item(
                            item,
                            (module.clone(), ident.to_string()),
                            &format!("{path}::{ident}"),
                            needs,
                        );
                    }
                }
            }
        }
    }

    fn exported(&mut self, module: &Module, tree: &UseTree, path: &str, needs: &str) {
        let (name, own) = match tree {
            UseTree::Path(step) => return self.exported(module, &step.tree, path, needs),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.exported(module, tree, path, needs);
                }
                return;
            }
            UseTree::Name(name) => (name.ident.to_string(), name.ident.to_string()),
            UseTree::Rename(name) => (name.rename.to_string(), name.ident.to_string()),
            UseTree::Glob(_) => return,
        };
        match self.sources.home((module.clone(), name.clone())) {
            Some(home) => {
                let items = &self.sources.modules[&home.0];
                let is_it = |item: &&Item| {
                    named(item).is_some_and(|(ident, _, _)| ident == home.1.as_str())
                        && !matches!(item, Item::Mod(_))
                };
                let item = items.iter().find(is_it).unwrap();
                if named(item).is_some_and(|(_, _, attributes)| is_hidden(attributes)) {
                    return;
                }
                self.item(item, home, &format!("{path}::{name}"), needs);
            }
            None => {
                let from = self.sources.elsewhere(&(module.clone(), name.clone()));
                let from = from.unwrap_or_else(|| format!("{own} of a macro"));
                self.lines
                    .insert(with(format!("{path}::{name} = {from}"), needs));
            }
        }
    }

    fn item(&mut self, item: &Item, home: Name, path: &str, needs: &str) {
        let attributes = named(item)
            .map(|(_, _, attributes)| marks(attributes))
            .unwrap_or_default();
        let before = format!("{needs}{attributes}");
        let mut add = |line: String, marks: &str| {
            self.lines.insert(with(line, marks));
        };
        let is_type = matches!(item, Item::Struct(_) | Item::Enum(_) | Item::Trait(_));
        match item {
            Item::Fn(it) => add(format!("{path}{}", arguments(&it.sig)), &before),
            Item::Const(it) => add(format!("{path}: const {}", text(&it.ty)), &before),
            Item::Static(it) => add(format!("{path}: static {}", text(&it.ty)), &before),
            Item::Type(it) => add(
                format!("{path}{}: type {}", text(&it.generics), text(&it.ty)),
                &before,
            ),
            Item::Struct(it) => {
                add(format!("{path}{}: struct", text(&it.generics)), &before);
                fields(&it.fields, path, &mut add);
            }
            Item::Enum(it) => {
                add(format!("{path}{}: enum", text(&it.generics)), &before);
                for variant in it
                    .variants
                    .iter()
                    .filter(|variant| !is_hidden(&variant.attrs))
                {
                    add(
                        format!("{path}::{}", text(&without_docs(variant))),
                        &marks(&variant.attrs),
                    );
                }
            }
            Item::Trait(it) => {
                add(
                    format!(
                        "{path}{}: trait {}",
                        text(&it.generics),
                        text(&it.supertraits)
                    ),
                    &before,
                );
                for member in &it.items {
                    if let TraitItem::Fn(function) = member
                        && !is_hidden(&function.attrs)
                    {
                        let default = if function.default.is_some() {
                            " { .. }"
                        } else {
                            ""
                        };
                        add(
                            format!(
                                "{path}::{}{}{default}",
                                function.sig.ident,
                                arguments(&function.sig)
                            ),
                            "",
                        );
                    }
                }
            }
            _ => {}
        }
        if is_type {
            self.types.insert(home, path.to_owned());
        }
    }

    /// Adds to the interface the functions and trait implementations of the public types, wherever
    /// they are implemented.
    fn implementations(&mut self) {
        for (module, items) in &self.sources.modules {
            for item in items {
                match item {
                    Item::Impl(it) => self.implementation(module, it),
                    Item::Macro(it)
                        if it.mac.path.segments.iter().any(|step| {
                            ["display", "from_str"]
                                .iter()
                                .any(|name| step.ident == name)
                        }) =>
                    {
                        let name = it.mac.path.segments.last().unwrap().ident.to_string();
                        for ident in text(&it.mac.tokens).split(", ") {
                            self.of_type(module, ident, |path| format!("{path}: {name}!"));
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    fn of_type(&mut self, module: &Module, ident: &str, line: impl FnOnce(&str) -> String) {
        let home = self.sources.home((module.clone(), ident.to_owned()));
        if let Some((home, path)) = home.and_then(|home| self.types.get_key_value(&home)) {
            let needs = &self.sources.needs;
            let more: String = needs[module]
                .difference(&needs[&home.0])
                .map(String::as_str)
                .collect();
            self.lines.insert(with(line(path), &more));
        }
    }

    fn implementation(&mut self, module: &Module, it: &syn::ItemImpl) {
        let syn::Type::Path(of) = &*it.self_ty else {
            return;
        };
        if is_hidden(&it.attrs) {
            return;
        }
        let ident = of.path.segments.last().unwrap().ident.to_string();
        let needs = marks(&it.attrs);
        if let Some((_, of_trait, _)) = &it.trait_ {
            // A private trait of the crate is skipped. A trait of another crate is known by its
            // last name.
            let name = text(of_trait);
            if !name.contains("Sealed") {
                self.of_type(module, &ident, |path| {
                    with(format!("{path}: {name}"), &needs)
                });
            }
            return;
        }
        let of = text(&of.path.segments.last().unwrap().arguments);
        for member in &it.items {
            let (is_shown, line) = match member {
                ImplItem::Fn(it) => (
                    is_shown(&it.vis, &it.attrs),
                    with(
                        format!("{}{}", it.sig.ident, arguments(&it.sig)),
                        &marks(&it.attrs),
                    ),
                ),
                ImplItem::Const(it) => (
                    is_shown(&it.vis, &it.attrs),
                    format!("{}: const {}", it.ident, text(&it.ty)),
                ),
                _ => continue,
            };
            if is_shown {
                self.of_type(module, &ident, |path| {
                    with(format!("{path}{of}::{line}"), &needs)
                });
            }
        }
    }
}

fn fields(fields: &Fields, path: &str, add: &mut impl FnMut(String, &str)) {
    for (at, field) in fields
        .iter()
        .enumerate()
        .filter(|(_, field)| is_shown(&field.vis, &field.attrs))
    {
        let name = field
            .ident
            .as_ref()
            .map_or_else(|| at.to_string(), ToString::to_string);
        add(format!("{path}.{name}: {}", text(&field.ty)), "");
    }
}

fn without_docs(variant: &syn::Variant) -> syn::Variant {
    let mut variant = variant.clone();
    variant.attrs.clear();
    for field in &mut variant.fields {
        field.attrs.clear();
    }
    variant
}

fn api() -> BTreeSet<String> {
    let roots = CRATES.map(|(root, name)| (Sources::read(root), name));
    let mut lines = BTreeSet::new();
    for (sources, name) in &roots {
        let mut api = Api {
            sources,
            lines: BTreeSet::new(),
            types: BTreeMap::new(),
        };
        api.module(&Module::new(), name, "");
        api.implementations();
        assert!(api.lines.len() > 10, "too few lines: {name}");
        lines.append(&mut api.lines);
    }
    lines
}

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/api.txt")
}

/// True if `version` may break users of the version `released`. It may if the two versions differ
/// in any number up to the first one that is not 0.
fn may_break(version: &str, released: &str) -> bool {
    let first = |version: &str| -> Vec<u32> {
        let numbers: Vec<u32> = version
            .split('.')
            .map(|number| number.parse().unwrap())
            .collect();
        let end = numbers
            .iter()
            .position(|number| *number > 0)
            .unwrap_or(numbers.len() - 1);
        numbers[..=end].to_vec()
    };
    first(version) != first(released)
}

/// Checks that api.txt has the current interface. Its first line is `# NUMBER` once that version is
/// released, and `# not released` before.
#[test]
fn the_public_interface_is_written_down() {
    // The filter's package is published without the other crates.
    if !Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("crates")
        .is_dir()
    {
        return;
    }
    let now = api();
    assert!(now.len() > 500, "too few lines: {}", now.len());
    let written = std::fs::read_to_string(file()).unwrap_or_else(|_| "# not released\n".to_owned());
    let (first, lines) = written.split_once('\n').unwrap();
    let before: BTreeSet<String> = lines.lines().map(str::to_owned).collect();
    let gone: Vec<_> = before.difference(&now).map(String::as_str).collect();
    let new: Vec<_> = now.difference(&before).map(String::as_str).collect();
    let version = env!("CARGO_PKG_VERSION");
    let is_free = first == "# not released" || may_break(version, first.trim_start_matches("# "));
    assert!(
        gone.is_empty() || is_free,
        "{version} may not break what {first} has:\n{}",
        gone.join("\n")
    );
    if std::env::var_os("BLESS").is_some() {
        let lines: String = now.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(file(), format!("{first}\n{lines}")).unwrap();
        return;
    }
    let (gone, new) = (gone.join("\n- "), new.join("\n+ "));
    assert!(
        gone.is_empty() && new.is_empty(),
        "BLESS=1 cargo test -p heedful --test all api:: writes these:\n- {gone}\n+ {new}"
    );
}

#[test]
fn versions_that_may_break() {
    for (version, released, expected) in [
        ("0.1.1", "0.1.0", false),
        ("0.2.0", "0.1.9", true),
        ("1.0.0", "0.9.0", true),
        ("1.2.0", "1.1.5", false),
    ] {
        assert_eq!(
            may_break(version, released),
            expected,
            "{version} {released}"
        );
    }
}
