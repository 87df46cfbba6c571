//! The guard on small crates.

use crate::cycles::cycles;
use crate::source::Crate;

/// Every cycle as its message, in a crate of these files.
fn cycles_of(files: &[(&str, &str)]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let source = Crate::read(&folder.path().join("lib.rs"));
    cycles(&source).iter().map(ToString::to_string).collect()
}

#[test]
fn cycle_is_reported_with_its_modules_and_files() {
    let found = cycles_of(&[
        ("lib.rs", "mod domain; mod http; mod store;"),
        ("domain.rs", "pub struct Dsn;"),
        ("http.rs", "use crate::store::Db; use crate::domain::Dsn;"),
        ("store/mod.rs", "mod rows; pub struct Db;"),
        ("store/rows.rs", "use super::super::{domain::Dsn, http};"),
    ]);
    let expected = "2 modules import each other in a cycle: http, store\n  http -> store\n    http.rs: crate::store::Db\n  \
                    store -> http\n    store/rows.rs: super::super::http\n";
    assert_eq!(found, [expected]);
}

#[test]
fn cycle_over_several_modules_is_one_component() {
    let found = cycles_of(&[
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "pub fn a() { crate::b::b() }"),
        ("b.rs", "pub fn b() -> crate::c::C { todo!() }"),
        ("c.rs", "#[derive(Serialize)] pub struct C { #[serde(with = \"crate::a\")] at: u8 }"),
    ]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("3 modules import each other in a cycle: a, b, c\n"), "{}", found[0]);
}

#[test]
fn imports_in_one_direction_pass() {
    let found = cycles_of(&[
        ("lib.rs", "mod domain; mod http; mod store;"),
        ("domain.rs", "pub struct Dsn;"),
        ("http.rs", "use crate::{domain::Dsn, store}; pub fn get(_: Dsn) { store::read() }"),
        ("store.rs", "use crate::domain; pub(in crate::store) fn read() { domain::check() }"),
    ]);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn test_only_imports_do_not_count() {
    let found = cycles_of(&[
        ("lib.rs", "mod http; mod store; #[cfg(any(test, feature = \"testing\"))] pub mod testing;"),
        ("http.rs", "use crate::store::Db;"),
        ("store.rs", "pub struct Db; #[cfg(test)] use crate::http::Http; #[cfg(test)] mod tests;"),
        ("store/tests.rs", "use crate::http::Http;"),
        ("testing.rs", "use crate::{http, store};"),
    ]);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn production_only_imports_count() {
    let found = cycles_of(&[
        ("lib.rs", "mod http; mod store;"),
        ("http.rs", "use crate::store::Db;"),
        ("store.rs", "#[cfg(not(test))] use crate::http::Http;"),
    ]);
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn re_export_of_the_root_resolves_to_its_module() {
    let found = cycles_of(&[
        ("lib.rs", "mod domain; mod store; pub use domain::role::Role; pub use store::*;"),
        ("domain/mod.rs", "pub mod role;"),
        ("domain/role.rs", "pub struct Role; fn open(db: crate::Db) {}"),
        ("store.rs", "use crate::Role; pub struct Db;"),
    ]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("2 modules import each other in a cycle: domain, store\n"), "{}", found[0]);
}

#[test]
fn paths_in_macros_count() {
    let found = cycles_of(&[
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "fn a() { println!(\"{}\", (1, crate::b::B)) }"),
        ("b.rs", "use super::a;"),
    ]);
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn cycles_of_submodules_are_reported() {
    let found = cycles_of(&[
        ("lib.rs", "mod devices;"),
        ("devices/mod.rs", "mod copy; mod list; mod row; use list::Page; pub use row::Row;"),
        ("devices/copy.rs", "use super::Page;"),
        ("devices/list.rs", "use crate::devices::{self, Row}; pub struct Page; fn list() { devices::copy::copy() }"),
        ("devices/row.rs", "pub struct Row;"),
    ]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("2 modules import each other in a cycle: devices::copy, devices::list\n"),
        "{}",
        found[0]
    );
}
