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

/// The library shows nothing and answers nobody: what it stands on carries bytes, reads formats or keeps time. A crate that draws
/// or routes would have to be named here, and a page or a program of its own would stand among its files.
#[test]
fn the_library_has_no_screens_and_no_routes() {
    let library = dependencies().remove("devicecloud").unwrap();
    let expected = [
        "bytes",
        "futures",
        "jiff",
        "rand",
        "reqwest",
        "rustls",
        "secrecy",
        "serde",
        "serde_json",
        "tokio",
        "tokio-tungstenite",
        "tracing",
        "url",
    ];
    assert_eq!(library.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    let metadata = MetadataCommand::new().no_deps().exec().unwrap();
    let package = metadata.packages.iter().find(|package| package.name.as_str() == "devicecloud").unwrap();
    assert!(package.targets.iter().all(|target| !target.is_bin()), "a program");
    let mut folders = vec![package.manifest_path.parent().unwrap().join("src").into_std_path_buf()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            match path.is_dir() {
                true => folders.push(path),
                false => assert!(path.extension().is_some_and(|end| end == "rs"), "{} is no code", path.display()),
            }
        }
    }
}
