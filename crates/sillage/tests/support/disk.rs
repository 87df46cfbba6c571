//! A disk that is full for one process: no file of it can be written. The kernel's limit on the size of files does it for any
//! user, and the process has to ignore SIGXFSZ, as [`command`] lets it.

use std::process::Command;

/// The binary, to be started where its disk may be full.
pub(crate) fn command() -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_sillage")]);
    command
}

/// From now on the process cannot write.
pub(crate) fn fill(process: u32) {
    limit(process, "0");
}

/// From now on it can write again.
pub(crate) fn free(process: u32) {
    limit(process, "unlimited");
}

fn limit(process: u32, bytes: &str) {
    let arguments = [format!("--pid={process}"), format!("--fsize={bytes}:")];
    assert!(Command::new("prlimit").args(arguments).status().unwrap().success());
}
