//! Finds the cycles among sibling modules.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use crate::imports::is_anchor;
use crate::source::{Crate, ModulePath};

/// Modules with the same parent, each of which reaches all the others by imports.
pub(crate) struct Cycle {
    pub(crate) modules: BTreeSet<String>,
    imports: BTreeMap<(String, String), BTreeMap<PathBuf, BTreeSet<String>>>,
}

pub(crate) fn cycles(source: &Crate) -> Vec<Cycle> {
    let mut imports = BTreeMap::<(ModulePath, ModulePath), BTreeMap<PathBuf, BTreeSet<String>>>::new();
    for (from, module) in &source.modules {
        for path in &module.imports.paths {
            let siblings = source.resolve(from, path).and_then(|to| siblings(from, &to));
            if let Some(siblings) = siblings {
                let files = imports.entry(siblings).or_default();
                files.entry(module.file.clone()).or_default().insert(path.join("::"));
            }
        }
    }
    let mut cycles = Vec::<Cycle>::new();
    let edges = imports.keys().cloned().collect();
    for component in components(&edges) {
        let inside = |(from, to): &&(ModulePath, ModulePath)| component.contains(from) && component.contains(to);
        cycles.push(Cycle {
            modules: component.iter().map(|path| path.join("::")).collect(),
            imports: edges
                .iter()
                .filter(inside)
                .map(|edge| ((edge.0.join("::"), edge.1.join("::")), imports[edge].clone()))
                .collect(),
        });
    }
    cycles
}

/// The modules under the closest common parent that hold `from` and `to`, unless one of the two holds the other.
fn siblings(from: &ModulePath, to: &ModulePath) -> Option<(ModulePath, ModulePath)> {
    let common = from.iter().zip(to).take_while(|(one, other)| one == other).count();
    Some((from.get(..=common)?.to_vec(), to.get(..=common)?.to_vec()))
}

/// The strongly connected components of more than one module.
fn components(edges: &BTreeSet<(ModulePath, ModulePath)>) -> BTreeSet<BTreeSet<ModulePath>> {
    let reachable = |start: &ModulePath| {
        let mut reached = BTreeSet::new();
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            let next = edges.iter().filter(|(from, _)| from == at).map(|(_, to)| to);
            open.extend(next.filter(|to| reached.insert((*to).clone())));
        }
        reached
    };
    let nodes: BTreeSet<&ModulePath> = edges.iter().map(|(from, _)| from).collect();
    let reached: BTreeMap<&ModulePath, BTreeSet<ModulePath>> =
        nodes.into_iter().map(|node| (node, reachable(node))).collect();
    let mutual = |node: &ModulePath| {
        let others = reached[node].iter();
        others.filter(|other| reached.get(other).is_some_and(|back| back.contains(node))).cloned().collect()
    };
    reached.keys().map(|node| mutual(node)).filter(|component: &BTreeSet<_>| component.len() > 1).collect()
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let modules: Vec<&str> = self.modules.iter().map(String::as_str).collect();
        writeln!(f, "{} modules import each other in a cycle: {}", modules.len(), modules.join(", "))?;
        for ((from, to), files) in &self.imports {
            writeln!(f, "  {from} -> {to}")?;
            for (file, paths) in files {
                // Paths that start with an imported name mostly repeat the import.
                let (imports, others): (Vec<&str>, Vec<&str>) =
                    paths.iter().map(String::as_str).partition(|path| starts_outside(path));
                let paths = if imports.is_empty() { others } else { imports };
                writeln!(f, "    {}: {}", file.display(), paths.join(", "))?;
            }
        }
        Ok(())
    }
}

fn starts_outside(path: &str) -> bool {
    is_anchor(path.split("::").next().unwrap_or_default())
}
