//! `sillage simulate`.

use crate::process::{Process, silent};
use crate::support::Demo;

#[test]
fn failed_connections_are_logged_with_their_cause() {
    let folder = tempfile::tempdir().unwrap();
    let keys = folder.path().join("keys.csv");
    std::fs::write(&keys, format!("dsn,key\nSL0001,{}\n", "0a".repeat(32))).unwrap();
    let demo = Demo::start(folder.path(), &["--unplugged", "all"]);
    let (unused, cloud) = (format!("mqtt://{}", silent()), demo.ready()["mqtt"].as_str().unwrap());
    let untrusting = cloud.replace("mqtt://", "mqtts://");
    for (link, reason) in [(&*unused, "Connection refused"), (&*untrusting, "reason="), (cloud, "refused with code")] {
        let fleet = Process::start(&["simulate", "--link", link, "--keys", keys.to_str().unwrap()], &[]);
        fleet.line(&["WARN", reason]);
    }
}
