//! Logs to standard error. `docs/logging.md` lists what log lines may contain.

use std::env::VarError;
use std::io::{IsTerminal, Result as IoResult, Write, stderr};

use anyhow::{Context, bail};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt};

#[cfg(feature = "otel")]
use crate::traces::{self, Traces};

/// The environment variable with the filter, for example `cloud=debug,info`.
pub(crate) const FILTER: &str = "SILLAGE_LOG";
/// The environment variable with the format: `text` or `json`.
pub(crate) const FORMAT: &str = "SILLAGE_LOG_FORMAT";

/// The environment variable of OpenTelemetry with the address of a collector of traces.
#[cfg(not(feature = "otel"))]
const COLLECTOR: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";

/// What must live as long as the program logs.
#[must_use]
pub(crate) struct Logging {
    #[cfg(feature = "otel")]
    _traces: Option<Traces>,
}

/// Starts logging with the filter and in the format of the environment. The filter is `default` without it. Traces, if they are
/// wanted, are those of `service`.
pub(crate) fn start(service: &'static str, default: &str) -> anyhow::Result<Logging> {
    let filter = match std::env::var(FILTER) {
        Ok(text) => EnvFilter::try_new(&text).with_context(|| format!("{FILTER} is not a valid log filter"))?,
        // PostgreSQL logs a notice at every start because the migrations table exists. The NATS client logs every attempt to
        // connect; the bus logs a loss and a return.
        Err(_) => EnvFilter::new(format!("{default},sqlx::postgres::notice=warn,async_nats=off")),
    };
    let log = fmt::layer().with_writer(|| OneLine(stderr()));
    let log: Box<dyn Layer<Registry> + Send + Sync> = match std::env::var(FORMAT).as_deref() {
        Ok("json") => log.json().flatten_event(true).with_current_span(false).with_filter(filter).boxed(),
        Ok("text") | Err(VarError::NotPresent) => log.with_ansi(stderr().is_terminal()).with_filter(filter).boxed(),
        _ => bail!("{FORMAT} must be text or json"),
    };
    let registry = tracing_subscriber::registry().with(log);
    #[cfg(feature = "otel")]
    {
        let (traces, layer) = traces::start(service)?.unzip();
        registry.with(layer).init();
        Ok(Logging { _traces: traces })
    }
    #[cfg(not(feature = "otel"))]
    {
        registry.init();
        if std::env::var_os(COLLECTOR).is_some() {
            tracing::warn!(service, "{COLLECTOR} is set, but this program was built without the feature otel");
        }
        Ok(Logging {})
    }
}

/// Writes each entry as one line: texts from elsewhere, such as a proxy's error page in place of a response, may have several.
struct OneLine<W>(W);

impl<W: Write> Write for OneLine<W> {
    fn write(&mut self, entry: &[u8]) -> IoResult<usize> {
        let (text, end) = entry.split_at(entry.len() - usize::from(entry.ends_with(b"\n")));
        let mut line = Vec::with_capacity(entry.len());
        for byte in text {
            match byte {
                b'\n' => line.extend(br"\n"),
                b'\r' => line.extend(br"\r"),
                _ => line.push(*byte),
            }
        }
        line.extend(end);
        self.0.write_all(&line)?;
        Ok(entry.len())
    }

    fn flush(&mut self) -> IoResult<()> {
        self.0.flush()
    }
}

/// Logs the first line of a command that runs until it is stopped.
pub(crate) fn starting(command: &'static str) {
    tracing::info!(command, version = env!("CARGO_PKG_VERSION"), "starting");
}

/// Logs the last line of a command, after an orderly shutdown.
pub(crate) fn stopped(command: &'static str) {
    tracing::info!(command, "stopped");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_is_written_as_one_line() {
        for (entry, line) in [
            ("one\n", "one\n"),
            ("<html>\r\n<b>503</b>\n\n", "<html>\\r\\n<b>503</b>\\n\n"),
            ("without an end", "without an end"),
            ("", ""),
        ] {
            let mut written = Vec::new();
            OneLine(&mut written).write_all(entry.as_bytes()).unwrap();
            assert_eq!(String::from_utf8(written).unwrap(), line, "{entry:?}");
        }
    }
}
