//! Standard error as the journal of systemd reads it (`sd-daemon(3)`): it adds the time, and takes the priority from the beginning of
//! each line.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::sync::LazyLock;

use tracing::Level;

/// The variable in which systemd names the stream of the journal, `DEVICE:INODE`.
const STREAM: &str = "JOURNAL_STREAM";

static IS_STDERR: LazyLock<bool> = LazyLock::new(|| {
    let (Ok(stream), Ok(stderr)) = (std::env::var(STREAM), fs::metadata("/proc/self/fd/2")) else { return false };
    // The variable is inherited by programs whose output goes elsewhere.
    stream == format!("{}:{}", stderr.dev(), stderr.ino())
});

/// Whether the journal reads standard error.
pub(crate) fn is_stderr() -> bool {
    *IS_STDERR
}

/// What a line of this level begins with: its priority, if the journal reads it.
pub(crate) fn priority(level: Level) -> &'static str {
    match level {
        _ if !is_stderr() => "",
        Level::ERROR => "<3>",
        Level::WARN => "<4>",
        Level::INFO => "<6>",
        Level::DEBUG | Level::TRACE => "<7>",
    }
}
