//! The house keeps its arrows: which crate may know which (ARCHITECTURE.md). Dev-dependencies are free.

#![expect(clippy::unwrap_used, reason = "what is missing here fails the run")]

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, MetadataCommand};

const ARROWS: &[(&str, &[&str])] = &[
    ("cloud", &["platform"]),
    ("console", &["devicecloud", "diffuser", "platform"]),
    ("devicecloud", &[]),
    ("diffuser", &[]),
    ("platform", &[]),
    ("sillage", &["cloud", "console", "diffuser", "platform", "simulator"]),
    ("simulator", &["diffuser"]),
];

/// What a crate must never pull in, directly: the library is for strangers, the domain is pure, the console has no way around
/// the library.
const FORBIDDEN: &[(&str, &[&str])] =
    &[("devicecloud", &["axum", "sqlx", "sea-query"]), ("diffuser", &["tokio", "reqwest", "sqlx"])];

fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = MetadataCommand::new().no_deps().exec().unwrap();
    let normal = |package: &cargo_metadata::Package| {
        package
            .dependencies
            .iter()
            .filter(|it| it.kind != DependencyKind::Development)
            .map(|it| it.name.clone())
            .collect()
    };
    metadata.packages.iter().map(|package| (package.name.to_string(), normal(package))).collect()
}

#[test]
fn crates_know_only_what_the_architecture_allows() {
    let dependencies = dependencies();
    let ours: BTreeSet<&String> = dependencies.keys().collect();
    assert_eq!(
        ours.iter().map(|name| name.as_str()).collect::<Vec<_>>(),
        ARROWS.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        "a new crate needs its line in ARROWS and in ARCHITECTURE.md"
    );
    for (name, allowed) in ARROWS {
        let known: Vec<&str> = dependencies[*name].iter().filter(|it| ours.contains(it)).map(String::as_str).collect();
        assert_eq!(known, *allowed, "what `{name}` knows");
    }
}

#[test]
fn no_crate_depends_on_what_it_must_never_pull_in() {
    let dependencies = dependencies();
    for (name, forbidden) in FORBIDDEN {
        for crate_ in *forbidden {
            assert!(!dependencies[*name].contains(*crate_), "`{name}` must not depend on `{crate_}`");
        }
    }
}
