//! Modules of one crate import each other in one direction: siblings that need each other's items in a cycle share a leaf
//! module below both instead.
//!
//! The test reads the source of every crate of the workspace. Test-only code does not count, and neither do imports between
//! a module and its own submodules. What lives in a folder is said in its first lines.

#![expect(clippy::unwrap_used, reason = "a test that cannot read the source fails")]

mod cycles;
mod guard;
mod imports;
mod resolve;
mod rooms;
mod source;

use std::fmt::Write as _;

use cargo_metadata::MetadataCommand;

use crate::cycles::cycles;
use crate::source::Crate;

#[test]
fn modules_of_one_crate_do_not_import_each_other_in_a_cycle() {
    let mut message = String::new();
    for package in MetadataCommand::new().no_deps().exec().unwrap().packages {
        for target in package.targets.iter().filter(|target| target.is_lib() || target.is_bin()) {
            for cycle in cycles(&Crate::read(target.src_path.as_std_path())) {
                writeln!(message, "{}: {cycle}", package.name).unwrap();
            }
        }
    }
    assert!(message.is_empty(), "\n{message}");
}

#[test]
fn crates_have_few_files_at_their_root_and_folders_that_say_what_lives_there() {
    let mut faults = Vec::new();
    for package in MetadataCommand::new().no_deps().exec().unwrap().packages {
        for target in package.targets.iter().filter(|target| target.is_lib() || target.is_bin()) {
            faults.extend(rooms::faults(target.src_path.parent().unwrap().as_std_path()));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
