//! `sillage cloud` as whoever runs it meets it: what it says when it cannot start.

#![expect(clippy::unwrap_used, reason = "what is missing here fails the run")]

#[expect(dead_code, reason = "other tests use more of it")]
mod support;

use std::net::TcpListener;

/// What `sillage cloud` says with these arguments; whatever else it needs is free and well.
fn refused(arguments: &[&str]) -> String {
    let mut all = vec!["cloud"];
    for (flag, value) in [("--database", "sqlite:unused.db"), ("--listen", ANY), ("--mqtt-listen", ANY)] {
        if !arguments.contains(&flag) {
            all.extend([flag, value]);
        }
    }
    all.extend(arguments);
    support::fail(&all)
}

const ANY: &str = "127.0.0.1:0";

#[test]
fn what_cannot_start_says_why_and_what_to_change() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("nowhere/cloud.db").display().to_string();
    let database = format!("sqlite:{}", folder.path().join("cloud.db").display());
    let (taken, free) = (TcpListener::bind(ANY).unwrap(), TcpListener::bind(ANY).unwrap());
    let taken = taken.local_addr().unwrap().to_string();
    let silent = format!("postgres://sillage:hush@{}/sillage", free.local_addr().unwrap());
    drop(free);
    for (arguments, words) in [
        (&["--database", "mysql://sillage:hush@localhost/sillage"][..], &["--database", "sqlite: or postgres:"][..]),
        (&["--database", &silent], &["--database", "refused"]),
        (&["--database", &format!("sqlite:{nowhere}")], &["--database", &nowhere]),
        (&["--database", &database, "--listen", &taken], &["--listen", &taken, "in use"]),
        (&["--database", &database, "--mqtt-listen", &taken], &["--mqtt-listen", &taken, "in use"]),
        (&["--public-url", "ftp://cloud.example.com"], &["--public-url", "ftp://cloud.example.com"]),
        (&["--listen", "nowhere"], &["--listen", "nowhere"]),
        (&["--mqtts-listen", ANY], &["--mqtts-cert", "--mqtts-key"]),
        (
            &["--database", &database, "--mqtts-listen", ANY, "--mqtts-cert", &nowhere, "--mqtts-key", &nowhere],
            &["--mqtts-cert", &nowhere],
        ),
    ] {
        let told = refused(arguments);
        assert!(words.iter().all(|word| told.contains(word)), "{arguments:?}: {told}");
        assert!(!told.contains("hush"), "{arguments:?}: {told}");
    }
}
