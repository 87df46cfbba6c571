//! Shutdown signals: SIGINT (Ctrl-C), SIGTERM and SIGHUP.

use anyhow::Context;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Installs the signal handlers. The future resolves on the first signal.
pub(crate) fn requested() -> anyhow::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for Ctrl-C")?;
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
    let mut hangup = match ignores_hangup() {
        true => None,
        false => Some(signal(SignalKind::hangup()).context("cannot listen for SIGHUP")?),
    };
    Ok(async move {
        let signal = tokio::select! {
            _ = interrupt.recv() => "SIGINT",
            _ = terminate.recv() => "SIGTERM",
            () = received(hangup.as_mut()) => "SIGHUP",
        };
        tracing::info!(signal, "stopping");
    })
}

async fn received(signal: Option<&mut Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

/// Whether the process was started with SIGHUP ignored, as `nohup` does.
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    is_hangup_ignored(&status)
}

/// Reads the mask of ignored signals from `/proc/self/status`. Its lowest bit is SIGHUP (1).
fn is_hangup_ignored(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_hangup_is_read_from_the_signal_mask() {
        for (status, ignored) in [
            ("Name:\tsillage\nSigIgn:\t0000000000001001\nSigCgt:\t0", true),
            ("Name:\tsillage\nSigIgn:\t0000000000001000\nSigCgt:\t1", false),
            ("", false),
        ] {
            assert_eq!(is_hangup_ignored(status), ignored, "{status}");
        }
    }
}
