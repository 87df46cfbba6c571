//! The cloud's log output.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, OnceLock};

/// The log of this test's process.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

static LOG: OnceLock<Log> = OnceLock::new();

impl Log {
    /// Starts to record log lines from `info` on.
    pub(crate) fn listen() -> Self {
        let begin = || {
            let log = Log::default();
            let writer = log.clone();
            tracing_subscriber::fmt()
                .with_env_filter("cloud=info,platform=info")
                .with_ansi(false)
                .with_writer(move || writer.clone())
                .init();
            log
        };
        LOG.get_or_init(begin).clone()
    }

    /// The lines that contain all of these parts.
    pub(crate) fn lines(&self, parts: &[&str]) -> Vec<String> {
        let log = self.0.lock().unwrap();
        let lines = str::from_utf8(&log).unwrap().lines();
        lines.filter(|line| parts.iter().all(|part| line.contains(part))).map(str::to_owned).collect()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
