//! Simulates a full disk for one process with the kernel's file size limit, which needs no privileges. The process must ignore
//! SIGXFSZ, so it is started with [`command`].

use std::process::Command;

/// A command that starts the binary with SIGXFSZ ignored.
pub(crate) fn command() -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_sillage")]);
    command
}

/// Makes all file writes of the process fail.
pub(crate) fn fill(process: u32) {
    limit(process, "0");
}

/// Lets the process write files again.
pub(crate) fn free(process: u32) {
    limit(process, "unlimited");
}

fn limit(process: u32, bytes: &str) {
    let arguments = [format!("--pid={process}"), format!("--fsize={bytes}:")];
    assert!(Command::new("prlimit").args(arguments).status().unwrap().success());
}
