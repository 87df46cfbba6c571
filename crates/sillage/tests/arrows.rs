//! Which crate may depend on which (ARCHITECTURE.md). Dev-dependencies are not restricted.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, MetadataCommand};

const ALLOWED: &[(&str, &[&str])] = &[
    ("cloud", &["platform"]),
    ("console", &["devicecloud", "diffuser", "platform"]),
    ("devicecloud", &[]),
    ("diffuser", &[]),
    ("platform", &[]),
    ("sillage", &["cloud", "console", "diffuser", "platform", "simulator"]),
    ("simulator", &["diffuser"]),
];

/// Packages that a crate must not depend on directly: the library must stay small for other users, and the domain has no
/// I/O.
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
fn crates_depend_only_on_allowed_crates() {
    let dependencies = dependencies();
    let ours: BTreeSet<&String> = dependencies.keys().collect();
    assert_eq!(
        ours.iter().map(|name| name.as_str()).collect::<Vec<_>>(),
        ALLOWED.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        "a new crate needs a line in ALLOWED and in ARCHITECTURE.md"
    );
    for (name, allowed) in ALLOWED {
        let known: Vec<&str> = dependencies[*name].iter().filter(|it| ours.contains(it)).map(String::as_str).collect();
        assert_eq!(known, *allowed, "dependencies of `{name}`");
    }
}

#[test]
fn crates_do_not_depend_on_forbidden_packages() {
    let dependencies = dependencies();
    for (name, forbidden) in FORBIDDEN {
        for crate_ in *forbidden {
            assert!(!dependencies[*name].contains(*crate_), "`{name}` must not depend on `{crate_}`");
        }
    }
}

/// The library only transports and parses data. A dependency for user interfaces or routing must be added here, and the
/// source folder holds nothing but Rust files.
#[test]
fn library_has_no_user_interface_and_no_routes() {
    let library = dependencies().remove("devicecloud").unwrap();
    let expected = [
        "base64",
        "bytes",
        "futures",
        "http",
        "http-body-util",
        "hyper",
        "hyper-rustls",
        "hyper-util",
        "jiff",
        "rustls",
        "rustls-platform-verifier",
        "serde",
        "serde_json",
        "sha1_smol",
        "tokio",
        "tokio-tungstenite",
        "tower-service",
        "tracing",
        "url",
        "zeroize",
    ];
    assert_eq!(library.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    let metadata = MetadataCommand::new().no_deps().exec().unwrap();
    let package = metadata.packages.iter().find(|package| package.name.as_str() == "devicecloud").unwrap();
    assert!(package.targets.iter().all(|target| !target.is_bin()), "the library has no binary");
    let mut folders = vec![package.manifest_path.parent().unwrap().join("src").into_std_path_buf()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    assert!(path.extension().is_some_and(|end| end == "rs"), "{} is not a Rust file", path.display());
                }
            }
        }
    }
}
