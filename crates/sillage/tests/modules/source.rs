//! Reads the modules of a crate from its source files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::{Attribute, Item, ItemMod, Meta, Token, punctuated::Punctuated};

use crate::imports::Imports;

/// The names from the crate's root down, such as `["store", "devices"]`. The root is empty.
pub(crate) type ModulePath = Vec<String>;

pub(crate) struct Module {
    /// Relative to the folder of the crate's root.
    pub(crate) file: PathBuf,
    pub(crate) children: BTreeSet<String>,
    pub(crate) imports: Imports,
}

pub(crate) struct Crate {
    pub(crate) modules: BTreeMap<ModulePath, Module>,
}

impl Crate {
    /// `root` is a crate's `lib.rs` or `main.rs`.
    pub(crate) fn read(root: &Path) -> Self {
        let mut read = Self { modules: BTreeMap::new() };
        let sources = root.parent().unwrap();
        read.file(Vec::new(), root, sources);
        for module in read.modules.values_mut() {
            module.file = module.file.strip_prefix(sources).unwrap().to_owned();
        }
        read
    }

    /// `folder` holds the files of the module's children.
    fn file(&mut self, path: ModulePath, file: &Path, folder: &Path) {
        let text = std::fs::read_to_string(file).unwrap();
        let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        self.items(path, file, folder, &parsed.items);
    }

    fn items(&mut self, path: ModulePath, file: &Path, folder: &Path, items: &[Item]) {
        let mut children = BTreeSet::new();
        for item in items {
            if let Item::Mod(module) = item
                && !is_test_only(&module.attrs)
            {
                children.insert(module.ident.to_string());
                self.child(&path, file, folder, module);
            }
        }
        self.modules.insert(path, Module { file: file.to_owned(), children, imports: Imports::of(items) });
    }

    fn child(&mut self, parent: &ModulePath, file: &Path, folder: &Path, module: &ItemMod) {
        let name = module.ident.to_string();
        let path = [parent.as_slice(), std::slice::from_ref(&name)].concat();
        let below = folder.join(&name);
        if let Some((_, items)) = &module.content {
            return self.items(path, file, &below, items);
        }
        let flat = folder.join(format!("{name}.rs"));
        if flat.exists() {
            self.file(path, &flat, &below);
        } else {
            self.file(path, &below.join("mod.rs"), &below);
        }
    }
}

pub(crate) fn is_test_only(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.parse_args::<Meta>().is_ok_and(|condition| holds_only_in_tests(&condition))
    })
}

fn holds_only_in_tests(condition: &Meta) -> bool {
    let members = |list: &syn::MetaList| -> Vec<Meta> {
        list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).unwrap().into_iter().collect()
    };
    match condition {
        Meta::Path(path) => path.is_ident("test"),
        Meta::NameValue(feature) => {
            feature.path.is_ident("feature")
                && matches!(&feature.value, syn::Expr::Lit(literal)
                if matches!(&literal.lit, syn::Lit::Str(name) if name.value() == "testing"))
        }
        Meta::List(list) if list.path.is_ident("any") => members(list).iter().all(holds_only_in_tests),
        Meta::List(list) if list.path.is_ident("all") => members(list).iter().any(holds_only_in_tests),
        Meta::List(_) => false,
    }
}
