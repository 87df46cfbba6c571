//! What a console does without a request.

use std::sync::Arc;

use platform::db::Dialect;
use platform::mail::{FailureLog, Transport};
use platform::nodes::lease::Lease;
use platform::run::supervisor::Supervisor;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::stored_times;
use crate::attention::Digests;
use crate::base::Base;
use crate::config::ConsoleConfig;
use crate::events::nodes::Nodes;
use crate::events::own_commands::Echoes;
use crate::index::observed_devices::AttentionQueue;
use crate::index::streamed_values::StreamedValues;
use crate::index::{self, DueReads};
use crate::mail::Delivery;
use crate::retention::Retention;
use crate::sessions::service_account::ServiceSession;
use crate::state::CoreState;
use crate::sync::{Listener, PassHandle, PassRunner, RejectedCommands, STREAM_QUEUE, StreamWriter};

/// Maximum number of devices that wait to be read again after a rejected command.
const REJECTED_QUEUE: usize = 1024;

/// What runs until the console stops.
pub(super) struct Background {
    pub(super) stopping: CancellationToken,
    pub(super) tasks: TaskTracker,
    pub(super) supervisor: Supervisor,
}

impl Background {
    pub(super) fn new() -> Self {
        let (stopping, tasks) = (CancellationToken::new(), TaskTracker::new());
        let supervisor = Supervisor::new(stopping.clone(), tasks.clone());
        Self { stopping, tasks, supervisor }
    }

    /// Runs a task that would not end by itself.
    pub(super) fn spawn<T>(&self, name: &'static str, task: impl Future<Output = T> + Send + 'static) {
        let stopping = self.stopping.clone();
        self.supervisor.spawn(name, async move {
            stopping.run_until_cancelled(task).await;
        });
    }
}

/// Starts to follow the clock, and to show other consoles that this one runs.
pub(super) fn spawn_presence(base: &Base, background: &Background) {
    background.spawn("clock", {
        let base = base.clone();
        async move { stored_times::follow_clock(&base).await }
    });
    if base.db.dialect() == Dialect::Postgres {
        let (nodes, stopping) = (Nodes::new(base), background.stopping.clone());
        background.supervisor.spawn("heartbeats", async move {
            stopping.run_until_cancelled(nodes.run()).await;
            nodes.leave().await;
        });
    }
}

pub(super) fn spawn_mails(
    core: &CoreState,
    config: &ConsoleConfig,
    transport: Option<Transport>,
    digests: Option<Digests>,
    background: &Background,
) {
    if let Some(transport) = transport {
        let (mailer, failures) = (core.mailer.clone(), FailureLog::default());
        let delivery = Delivery { mailer, transport, retry: config.mail_retry, failures };
        background.spawn("mails", async move { delivery.run().await });
    }
    if let Some(digests) = digests {
        background.spawn("digests", async move { digests.run().await });
    }
}

/// Starts what keeps the index up to date. Returns the passes, and whether the live stream of the cloud is connected.
pub(super) fn spawn_index(
    base: &Base,
    config: &ConsoleConfig,
    service: &Arc<ServiceSession>,
    echoes: Echoes,
    retention: Retention,
    background: &Background,
) -> (PassHandle, watch::Receiver<bool>) {
    let stopping = &background.stopping;
    let (passes, (connect, connected)) = (PassHandle::new(), watch::channel(false));
    let holder = base.random.uuid().to_string();
    let lease = Lease::new(base.db.clone(), base.clock.clone(), index::LEASE, holder);
    let (events, queued) = mpsc::channel(STREAM_QUEUE);
    let (reject, devices) = mpsc::channel(REJECTED_QUEUE);
    let (attention, reads, values) = (AttentionQueue::default(), DueReads::default(), StreamedValues::default());
    let (noted, due) = (attention.clone(), reads.clone());
    let writer = StreamWriter::new(base.clone(), lease.clone(), passes.clone(), queued, reject, noted, due);
    let rejected = RejectedCommands {
        base: base.clone(),
        service: Arc::clone(service),
        passes: passes.clone(),
        attention: attention.clone(),
        devices,
    };
    background.supervisor.spawn("stream writer", {
        let stopping = stopping.clone();
        async move {
            let work = async { tokio::join!(writer.run(), rejected.run()) };
            stopping.run_until_cancelled(work).await;
            // If the listener has ended, its end is the failure.
            stopping.cancelled().await;
        }
    });
    let listener = Listener {
        base: base.clone(),
        service: Arc::clone(service),
        passes: passes.clone(),
        echoes,
        connected: connect,
        events,
        values: values.clone(),
        stopping: stopping.clone(),
    };
    background.supervisor.spawn("device events", listener.run());
    let pass_loop = PassRunner {
        base: base.clone(),
        service: Arc::clone(service),
        every: config.pass_every,
        pause: config.pass_pause,
        read_pause: config.read_pause,
        history_pause: config.history_pause,
        retention,
        handle: passes.clone(),
        attention,
        reads,
        values,
        lease,
        stopping: stopping.clone(),
    };
    background.supervisor.spawn("index", pass_loop.run());
    (passes, connected)
}
