//! The task of a device manager: performs requests and timers. All decisions are made in `core`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::future::OptionFuture;
use futures::stream::FuturesUnordered;
use tokio::time::Instant;

use crate::error::messages;
use crate::error::{Error, ErrorKind, Result};
use crate::manager::core::record::KnownDevice;
use crate::manager::core::shared::Shared;
use crate::manager::core::{AddedDevice, ListRequest, ListResult, ReadResult, Step};
use crate::manager::detail::DetailProvider;
use crate::manager::task::until;
use crate::model::{Device, Property};
use crate::session::{BoxFuture, panic_error};

/// How many devices are polled concurrently.
const MAX_CONCURRENT_READS: usize = 16;

enum StepResult {
    List(u64, Result<ListResult>),
    Properties(u64, ReadResult),
}

pub(super) async fn run(shared: Arc<Shared>) {
    let mut generation = 0;
    let mut step: OptionFuture<BoxFuture<'static, StepResult>> = None.into();
    let mut step_runs = false;
    let mut reads: FuturesUnordered<BoxFuture<'static, ReadResult>> = FuturesUnordered::new();
    loop {
        let due = {
            let mut core = shared.core();
            if generation != core.generation() {
                generation = core.generation();
                reads.clear();
                step = None.into();
                step_runs = false;
            }
            if let Some((number, next)) = core.take_step() {
                let (epoch, list) = (core.epoch(), core.list_read());
                step = Some(begin(Arc::clone(&shared), number, generation, epoch, next, list)).into();
                step_runs = true;
            }
            let (epoch, streaming) = (core.epoch(), core.is_streaming());
            for record in core.take_queued(MAX_CONCURRENT_READS.saturating_sub(reads.len())) {
                reads.push(Box::pin(poll(Arc::clone(&shared), record, generation, epoch, streaming)));
            }
            core.next_due()
        };
        tokio::select! {
            () = shared.wake.notified() => {}
            Some(done) = &mut step, if step_runs => {
                step_runs = false;
                match done {
                    StepResult::List(number, result) => shared.core().finish_list(number, result),
                    StepResult::Properties(number, read) => shared.core().finish_properties(number, read),
                }
            }
            Some(read) = reads.next() => shared.core().finish_read(read),
            () = until(due) => shared.core().tick(Instant::now()),
        }
    }
}

fn begin(
    shared: Arc<Shared>,
    number: u64,
    generation: u64,
    epoch: u64,
    step: Step,
    list: ListRequest,
) -> BoxFuture<'static, StepResult> {
    match step {
        Step::List => Box::pin(async move { StepResult::List(number, read_list(&shared, list).await) }),
        Step::Properties(record) => Box::pin(async move {
            let properties = shared.client.properties().without_retry();
            let read = send(&shared, true, || {
                let list = properties.list(&record.dsn);
                async move { list.send().await }
            })
            .await;
            StepResult::Properties(number, ReadResult { record, generation, epoch, read })
        }),
    }
}

async fn read_list(shared: &Shared, request: ListRequest) -> Result<ListResult> {
    let devices = shared.client.devices().without_retry();
    let (started_at, listed) =
        if request.all { send(shared, request.retries, || devices.all()).await? } else { (Instant::now(), Vec::new()) };
    let mut added_manually = Vec::new();
    for dsn in request.added_manually {
        if !listed.iter().any(|device: &Device| device.dsn == dsn) {
            let read = send(shared, request.retries, || {
                let get = devices.get(&dsn);
                async move { get.send().await }
            })
            .await;
            added_manually.push(AddedDevice { dsn, read: read.map(|(_, device)| Box::new(device)) });
        }
    }
    Ok(ListResult { started_at, listed, added_manually })
}

/// Polls are not retried, because the next one follows soon.
async fn poll(
    shared: Arc<Shared>,
    record: Arc<KnownDevice>,
    generation: u64,
    epoch: u64,
    streaming: bool,
) -> ReadResult {
    let read = send(&shared, false, || read_properties(&shared, &record, streaming)).await;
    ReadResult { record, generation, epoch, read }
}

async fn read_properties(shared: &Shared, record: &KnownDevice, streaming: bool) -> Result<Vec<Property>> {
    let (timeout, device) = {
        let state = record.state();
        (state.poll_timeout, state.device.clone())
    };
    let detail = shared.detail().filter(|_| streaming);
    let names = managed_names(detail.as_deref(), &device)?;
    let list = shared.client.properties().without_retry().list(&record.dsn).names(names);
    in_time(timeout, list.send()).await
}

/// Sends a request, and again by the client's retry policy if it `retries`. Each attempt waits for its turn, and
/// `Retry-After` puts off all requests of the manager. Returns the start of the successful attempt and its response.
async fn send<T, F: Future<Output = Result<T>>>(
    shared: &Shared,
    retries: bool,
    request: impl Fn() -> F,
) -> Result<(Instant, T)> {
    let attempt = |_| async {
        shared.pace.turn().await;
        let started_at = Instant::now();
        let response = request().await.inspect_err(|error| {
            if let Some(retry_after) = error.retry_after() {
                shared.pace.wait_for(retry_after);
            }
        })?;
        Ok((started_at, response))
    };
    shared.client.http().repeat(retries, None, attempt).await
}

/// A panic of the application's provider fails this read, but must not end the manager's task.
fn managed_names(detail: Option<&dyn DetailProvider>, device: &Device) -> Result<Vec<String>> {
    let Some(detail) = detail else { return Ok(Vec::new()) };
    catch_unwind(AssertUnwindSafe(|| detail.managed_property_names(device))).map_err(panic_error)
}

async fn in_time(timeout: Duration, read: impl Future<Output = Result<Vec<Property>>>) -> Result<Vec<Property>> {
    let timed_out = || Err(Error::new(ErrorKind::Timeout, messages::TIMED_OUT).not_sent());
    tokio::time::timeout(timeout, read).await.unwrap_or_else(|_| timed_out())
}
