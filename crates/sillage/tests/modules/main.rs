//! Modules of one crate import each other in one direction: siblings that need each other's items in a cycle share a leaf
//! module below both instead.
//!
//! The test reads the source of every crate of the workspace. Test-only code does not count, and neither do imports between
//! a module and its own submodules.

#![expect(clippy::unwrap_used, reason = "a test that cannot read the source fails")]

mod cycles;
mod guard;
mod imports;
mod resolve;
mod source;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use cargo_metadata::MetadataCommand;

use crate::cycles::cycles;
use crate::source::Crate;

/// Modules that are still in a cycle, as `<crate> <module>` per line. The list may only shrink. To see the
/// imports behind a cycle, remove its lines and run the test.
const KNOWN: &str = include_str!("known_cycles.txt");

#[test]
fn modules_of_one_crate_do_not_import_each_other_in_a_cycle() {
    let mut known: BTreeSet<(String, String)> = KNOWN
        .lines()
        .map(|line| line.split_once(' ').unwrap())
        .map(|(package, module)| (package.into(), module.into()))
        .collect();
    let mut message = String::new();
    for package in MetadataCommand::new().no_deps().exec().unwrap().packages {
        for target in package.targets.iter().filter(|target| target.is_lib() || target.is_bin()) {
            for cycle in cycles(&Crate::read(target.src_path.as_std_path())) {
                let listed = |module: &String| known.contains(&(package.name.to_string(), module.clone()));
                if !cycle.modules.iter().all(listed) {
                    writeln!(message, "{}: {cycle}", package.name).unwrap();
                }
                for module in cycle.modules {
                    known.remove(&(package.name.to_string(), module));
                }
            }
        }
    }
    for (package, module) in known {
        writeln!(message, "{package}: `{module}` is in no cycle any more: remove it from known_cycles.txt").unwrap();
    }
    assert!(message.is_empty(), "\n{message}");
}
