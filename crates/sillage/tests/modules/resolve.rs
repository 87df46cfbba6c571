//! Finds the module that a path leads to.

use crate::imports::Segments;
use crate::source::{Crate, ModulePath};

/// Re-exports of re-exports end here.
const MAX_DEPTH: u8 = 16;

impl Crate {
    /// The module whose item `path` names when it is written in `from`. `None` for items of other crates, of the prelude and
    /// of `from` itself.
    ///
    /// A re-export of a submodule's item leads to the submodule, so that `pub use domain::Role` in `lib.rs` makes
    /// `crate::Role` an import of `domain`. A re-export from elsewhere leads to the module that re-exports.
    pub(crate) fn resolve(&self, from: &ModulePath, path: &[String]) -> Option<ModulePath> {
        self.resolve_within(from, path, MAX_DEPTH)
    }

    fn resolve_within(&self, from: &ModulePath, path: &[String], depth: u8) -> Option<ModulePath> {
        let mut base = from.clone();
        let mut rest = path;
        let mut anchored = false;
        while let Some((first, others)) = rest.split_first() {
            match first.as_str() {
                "crate" => base.clear(),
                "super" => drop(base.pop()),
                "self" => {}
                _ => break,
            }
            (rest, anchored) = (others, true);
        }
        self.descend(base, rest, anchored, depth)
    }

    fn descend(&self, mut at: ModulePath, mut rest: &[String], mut anchored: bool, depth: u8) -> Option<ModulePath> {
        let depth = depth.checked_sub(1)?;
        while let Some((name, others)) = rest.split_first() {
            let module = self.modules.get(&at)?;
            if module.children.contains(name) {
                at.push(name.clone());
                (rest, anchored) = (others, true);
                continue;
            }
            let Some(alias) = module.imports.aliases.get(name).cloned().or_else(|| self.through_glob(&at, name, depth))
            else {
                break;
            };
            let target = self.resolve_within(&at, &[alias.as_slice(), others].concat(), depth);
            return if anchored { Some(target.filter(|target| target.starts_with(&at)).unwrap_or(at)) } else { target };
        }
        anchored.then_some(at)
    }

    /// The path of `name` when a `use module::*` in `at` imports it.
    fn through_glob(&self, at: &ModulePath, name: &str, depth: u8) -> Option<Segments> {
        self.modules[at].imports.globs.iter().find_map(|glob| {
            let target = self.resolve_within(at, glob, depth).filter(|target| target != at)?;
            let imports = &self.modules[&target].imports;
            let declared = imports.items.contains(name) || imports.aliases.contains_key(name);
            declared.then(|| [glob.as_slice(), &[name.to_owned()]].concat())
        })
    }
}
