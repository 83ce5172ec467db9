//! A source file for the floors test: its module, and the paths that it names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use syn::buffer::{Cursor, TokenBuffer};
use syn::ext::IdentExt;
use syn::visit::Visit;

pub(super) type Names = Vec<String>;

/// A source file with all paths that it names, except those in tests. `use` trees and relative
/// paths are expanded from the crate's root.
pub(super) struct Source {
    pub(super) text: String,
    pub(super) module: Names,
    pub(super) paths: Vec<Names>,
    /// Names that the file imports, each with the full path of the item. The file may re-export
    /// them.
    pub(super) imports: BTreeMap<String, Names>,
    /// Names of macros that the file exports to the whole crate, or to other crates. The paths of
    /// these macros begin at the root.
    pub(super) macros: BTreeSet<String>,
    /// Names of the modules that the file declares.
    declared: BTreeSet<String>,
    /// Paths of modules that only tests have. They are inline, or in files of their own.
    pub(super) tests: BTreeSet<Names>,
    /// Path of the module that is being parsed: the module of the file, or an inline one.
    inside: Names,
}

impl Source {
    /// Parses a source file. `text` is its content, and `file` its path in the folder of its
    /// crate's sources.
    pub(super) fn of(text: &str, file: &Path) -> Self {
        let parsed =
            syn::parse_file(text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let mut module: Names = file
            .with_extension("")
            .iter()
            .map(|name| name.to_string_lossy().into())
            .collect();
        module.pop_if(|last| ["mod", "lib", "main"].contains(&last.as_str()));
        let declared = parsed.items.iter().filter_map(|item| match item {
            syn::Item::Mod(item) if !is_test(&item.attrs) => Some(item.ident.to_string()),
            _ => None,
        });
        let mut source = Self {
            text: text.to_owned(),
            paths: Vec::new(),
            imports: BTreeMap::new(),
            macros: BTreeSet::new(),
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
            syn::UseTree::Name(name) if name.ident == "self" => {
                self.import(before.last().cloned(), before.to_vec());
            }
            syn::UseTree::Name(name) => {
                self.import(Some(name.ident.to_string()), join(&name.ident));
            }
            syn::UseTree::Rename(name) => {
                self.import(Some(name.rename.to_string()), join(&name.ident));
            }
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
        while let Some(first) = rest
            .first()
            .filter(|first| *first == "self" || *first == "super")
        {
            base.truncate(base.len() - usize::from(first == "super"));
            rest = &rest[1..];
        }
        let is_relative = rest.len() < path.len()
            || path
                .first()
                .is_some_and(|first| self.declared.contains(first));
        if is_relative {
            [&["crate".to_owned()][..], &base, rest].concat()
        } else {
            path
        }
    }

    /// Adds the paths in the arguments of a macro call. These are names with `::` between them, or
    /// followed by `!`.
    fn tokens(&mut self, mut cursor: Cursor<'_>) {
        let mut path = Names::new();
        while !cursor.eof() {
            let colons = cursor
                .punct()
                .filter(|(punct, _)| punct.as_char() == ':')
                .and_then(|(_, rest)| rest.punct());
            if let Some((name, rest)) = cursor.ident() {
                path.push(name.unraw().to_string());
                cursor = rest;
                let is_path = cursor
                    .punct()
                    .is_some_and(|(punct, _)| punct.as_char() == ':');
                let is_called = cursor
                    .punct()
                    .is_some_and(|(punct, _)| punct.as_char() == '!');
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
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Path>()
                .is_ok_and(|path| path.is_ident("test"))
    };
    attributes.iter().any(is_test)
}

impl<'ast> Visit<'ast> for Source {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if is_test(&module.attrs) {
            self.tests
                .insert([&self.inside[..], &[module.ident.to_string()]].concat());
            return;
        }
        if module.content.is_none() {
            self.paths
                .push(self.of_the_root(vec!["self".to_owned(), module.ident.to_string()]));
        }
        self.inside.push(module.ident.to_string());
        syn::visit::visit_item_mod(self, module);
        self.inside.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.tree(&[], &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string())
            .collect();
        self.paths.push(self.of_the_root(names));
        syn::visit::visit_path(self, path);
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        let is_given = item
            .attrs
            .iter()
            .any(|attribute| attribute.path().is_ident("macro_export"));
        self.macros.extend(
            item.ident
                .as_ref()
                .filter(|_| is_given)
                .map(ToString::to_string),
        );
        syn::visit::visit_item_macro(self, item);
    }

    /// Ignores a visibility, because the path in `pub(in path)` is no use of that path.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        syn::visit::visit_macro(self, called);
        let tokens = TokenBuffer::new2(called.tokens.clone());
        self.tokens(tokens.begin());
    }
}
