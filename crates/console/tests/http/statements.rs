//! The SQL statements that a test causes.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

/// The SQL statements of this process, from the log of the database driver.
#[derive(Clone, Default)]
pub(crate) struct Statements(Arc<Mutex<Vec<String>>>);

impl Statements {
    pub(crate) fn record() -> Self {
        let statements = Self::default();
        let log = statements.clone();
        let subscriber = tracing_subscriber::fmt().with_env_filter("sqlx::query=trace").with_ansi(false);
        subscriber.with_writer(move || log.clone()).init();
        statements
    }

    /// The reads of the console since the last call, without those of forecasts, attention, and lists in memory, which are made in their
    /// own time.
    pub(crate) fn take_reads(&self) -> Vec<String> {
        let mut statements = std::mem::take(&mut *self.0.lock().unwrap());
        let of_console = ["from sessions", "from session_version", "idx_"];
        statements.retain(|it| it.contains("select") && !it.contains("idx_forecasts"));
        statements.retain(|it| !it.contains("attention_") && !it.contains("from idx_sync"));
        statements.retain(|it| !it.contains("idx_changes") && !it.contains("runs_dry_falling"));
        statements.retain(|it| of_console.iter().any(|table| it.contains(table)));
        statements
    }
}

impl Write for Statements {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        // Built statements have their keywords in capitals.
        self.0.lock().unwrap().push(String::from_utf8_lossy(line).to_lowercase());
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
