//! Start failures of `sillage cloud`.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

#[expect(dead_code, reason = "shared with other tests")]
mod support;

use std::net::TcpListener;

/// Standard error of `sillage cloud` with these arguments; all other options are valid.
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
fn start_failure_names_the_cause_and_the_option() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("nowhere/cloud.db").display().to_string();
    let database = format!("sqlite:{}", folder.path().join("cloud.db").display());
    std::fs::write(folder.path().join("cloud.db"), "").unwrap();
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
        let stderr = refused(arguments);
        assert!(words.iter().all(|word| stderr.contains(word)), "{arguments:?}: {stderr}");
        assert!(!stderr.contains("hush"), "{arguments:?}: {stderr}");
    }
}
