//! Collects the paths that a module's code names, and the names that it declares or imports.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Field, ImplItem, Item, Local, Macro, Meta, Path, Stmt, UseTree, Variant, Visibility};

use crate::source::is_test_only;

/// The names of a path as it is written, such as `["super", "store", "Db"]`.
pub(crate) type Segments = Vec<String>;

#[derive(Default)]
pub(crate) struct Imports {
    /// Every path in `use` items, types, expressions, macros and attributes.
    pub(crate) paths: BTreeSet<Segments>,
    /// What `use` items bind: the name in this module, and the path behind it.
    pub(crate) aliases: BTreeMap<String, Segments>,
    /// The modules of `use module::*`.
    pub(crate) globs: Vec<Segments>,
    /// The names of the items of this module.
    pub(crate) items: BTreeSet<String>,
}

impl Imports {
    pub(crate) fn of(items: &[Item]) -> Self {
        let mut imports = Self::default();
        for item in items {
            imports.visit_item(item);
        }
        imports.items.extend(items.iter().filter(|item| !is_test_only(attributes(item))).filter_map(name));
        imports
    }

    fn use_tree(&mut self, prefix: &Segments, tree: &UseTree) {
        let with = |name: String| [prefix.as_slice(), &[name]].concat();
        match tree {
            UseTree::Path(path) => self.use_tree(&with(path.ident.to_string()), &path.tree),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.use_tree(prefix, tree)),
            UseTree::Glob(_) => {
                self.paths.insert(prefix.clone());
                self.globs.push(prefix.clone());
            }
            UseTree::Name(name) if name.ident == "self" => {
                self.bind(prefix.last().cloned().unwrap_or_default(), prefix.clone());
            }
            UseTree::Name(name) => self.bind(name.ident.to_string(), with(name.ident.to_string())),
            UseTree::Rename(name) if name.ident == "self" => self.bind(name.rename.to_string(), prefix.clone()),
            UseTree::Rename(name) => self.bind(name.rename.to_string(), with(name.ident.to_string())),
        }
    }

    fn bind(&mut self, name: String, path: Segments) {
        self.paths.insert(path.clone());
        self.aliases.insert(name, path);
    }

    /// Finds `crate::…`, `super::…` and `self::…` in code that syn does not parse, also in strings such as
    /// `#[serde(with = "crate::wire::time")]`.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path = Segments::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) if colons == 2 => {
                    path.push(name.to_string());
                    colons = 0;
                    continue;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' && !path.is_empty() && colons < 2 => {
                    colons += 1;
                    continue;
                }
                _ if path.len() > 1 => self.paths.extend([std::mem::take(&mut path)]),
                _ => path.clear(),
            }
            colons = 0;
            match token {
                TokenTree::Ident(name) if is_anchor(&name.to_string()) => path.push(name.to_string()),
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(literal) => self.quoted(literal.to_string().trim_matches('"')),
                _ => {}
            }
        }
        if path.len() > 1 {
            self.paths.insert(path);
        }
    }

    fn quoted(&mut self, text: &str) {
        if text.split_once("::").is_some_and(|(first, _)| is_anchor(first)) {
            self.paths.insert(text.split("::").map(str::to_owned).collect());
        }
    }
}

pub(crate) fn is_anchor(name: &str) -> bool {
    matches!(name, "crate" | "super" | "self")
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(it) => &it.attrs,
        Item::Enum(it) => &it.attrs,
        Item::Fn(it) => &it.attrs,
        Item::Impl(it) => &it.attrs,
        Item::Macro(it) => &it.attrs,
        Item::Mod(it) => &it.attrs,
        Item::Static(it) => &it.attrs,
        Item::Struct(it) => &it.attrs,
        Item::Trait(it) => &it.attrs,
        Item::Type(it) => &it.attrs,
        Item::Use(it) => &it.attrs,
        _ => &[],
    }
}

fn name(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(it) => &it.ident,
        Item::Enum(it) => &it.ident,
        Item::Fn(it) => &it.sig.ident,
        Item::Static(it) => &it.ident,
        Item::Struct(it) => &it.ident,
        Item::Trait(it) => &it.ident,
        Item::Type(it) => &it.ident,
        _ => return None,
    };
    Some(name.to_string())
}

impl<'ast> Visit<'ast> for Imports {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            _ if is_test_only(attributes(item)) => {}
            // A separate module.
            Item::Mod(_) => {}
            Item::Use(item) => self.use_tree(&Segments::new(), &item.tree),
            _ => visit::visit_item(self, item),
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attributes: &[Attribute] = match item {
            ImplItem::Fn(it) => &it.attrs,
            ImplItem::Const(it) => &it.attrs,
            ImplItem::Type(it) => &it.attrs,
            _ => &[],
        };
        if !is_test_only(attributes) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_field(&mut self, field: &'ast Field) {
        if !is_test_only(&field.attrs) {
            visit::visit_field(self, field);
        }
    }

    fn visit_variant(&mut self, variant: &'ast Variant) {
        if !is_test_only(&variant.attrs) {
            visit::visit_variant(self, variant);
        }
    }

    fn visit_local(&mut self, local: &'ast Local) {
        if !is_test_only(&local.attrs) {
            visit::visit_local(self, local);
        }
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if !matches!(statement, Stmt::Macro(call) if is_test_only(&call.attrs)) {
            visit::visit_stmt(self, statement);
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        if path.leading_colon.is_none() {
            self.paths.insert(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.visit_path(&call.path);
        self.tokens(call.tokens.clone());
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if let Meta::List(list) = &attribute.meta {
            self.tokens(list.tokens.clone());
        }
    }

    /// `pub(in crate::store)` imports nothing.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}
