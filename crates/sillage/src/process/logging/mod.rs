//! Logs to standard error. `docs/logging.md` lists what log lines may contain.

mod filter;
pub(crate) mod journal;
mod lines;

use std::env::VarError;
use std::io::{IsTerminal, stderr};

use anyhow::{Context, bail};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt};

use self::filter::Uncached;
use self::lines::Lines;
#[cfg(feature = "otel")]
use crate::process::traces::{self, Traces};
use crate::product::version;

/// The environment variable with the filter, for example `cloud=debug,info`.
pub(crate) const FILTER: &str = "SILLAGE_LOG";
/// The environment variable with the format: `text` or `json`.
pub(crate) const FORMAT: &str = "SILLAGE_LOG_FORMAT";

/// PostgreSQL logs a notice at every start because the migrations table exists. The NATS client logs every attempt to connect; the bus
/// logs a loss and a return. The verifier of certificates logs what the failed call says, too. The pool of connections warns of each one
/// that an outage of the database has cost, or that was slow to come.
const QUIET: &str =
    "sqlx::postgres::notice=warn,sqlx::pool=error,sqlx_core::pool=error,async_nats=off,rustls_platform_verifier=off";

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
    let wanted = std::env::var(FILTER).unwrap_or_else(|_| default.to_owned());
    // What comes later has precedence.
    let filter = EnvFilter::try_new(format!("{QUIET},{wanted}"));
    let filter = Uncached(filter.with_context(|| format!("{FILTER} is not a valid log filter"))?);
    let log = fmt::layer().with_writer(Lines);
    let log: Box<dyn Layer<Registry> + Send + Sync> = match std::env::var(FORMAT).as_deref() {
        Ok("json") => log.json().flatten_event(true).with_current_span(false).with_filter(filter).boxed(),
        Ok("text") | Err(VarError::NotPresent) if journal::is_stderr() => {
            log.without_time().with_ansi(false).with_filter(filter).boxed()
        }
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

/// Logs the first line of a command that runs until it is stopped.
pub(crate) fn starting(command: &'static str) {
    tracing::info!(command, version = version(), "starting");
}

/// Logs the last line of a command, after an orderly shutdown.
pub(crate) fn stopped(command: &'static str) {
    tracing::info!(command, "stopped");
}
