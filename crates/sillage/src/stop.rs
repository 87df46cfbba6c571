//! Ctrl-C, and the polite signal that service managers send.

use anyhow::Context;
use tokio::signal::unix::{SignalKind, signal};

/// Becomes ready when somebody asks this process to stop.
pub(crate) async fn asked() -> anyhow::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for Ctrl-C")?;
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    Ok(())
}
