//! Listens to the cloud's live stream of all devices of the OEM. It only queues events: a slow database must not
//! delay the reading of the stream.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use devicecloud::{Ack, Client, DatapointEvent, PropertyValue, StreamEvent, Subscription, SubscriptionType};
use diffuser::properties;
use futures::StreamExt;
use jiff::Timestamp;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::PassHandle;
use super::backoff::Backoff;
use super::event_group::{DeviceEvent, EventChange, QueuedEvent};
use super::metrics;
use super::retry_log::RetryLog;
use super::stream_queue::StreamQueue;
use crate::base::Base;
use crate::events::notices::DeviceEventKind;
use crate::events::own_commands::Echoes;
use crate::index::StreamChange;
use crate::index::streamed_values::{CartridgeLife, StreamedValues};
use crate::records::device_panic;
use crate::records::{ConnectionStatus, IndexedProperty, timestamp};
use crate::sessions::service_account::ServiceSession;

const TYPES: [SubscriptionType; 3] =
    [SubscriptionType::Datapoint, SubscriptionType::DatapointAck, SubscriptionType::Connectivity];

/// How long a stopping console waits for the sign-out.
const SIGN_OUT_TIMEOUT: Duration = Duration::from_secs(5);

/// The listener of the live stream.
pub(crate) struct Listener {
    pub(crate) base: Base,
    pub(crate) service: Arc<ServiceSession>,
    pub(crate) passes: PassHandle,
    /// The commands of this console.
    pub(crate) echoes: Echoes,
    /// Whether the stream is connected.
    pub(crate) connected: watch::Sender<bool>,
    pub(crate) events: mpsc::Sender<QueuedEvent>,
    pub(crate) values: StreamedValues,
    pub(crate) stopping: CancellationToken,
}

impl Listener {
    /// Listens until the console stops, then ends the service session.
    pub(crate) async fn run(self) {
        let mut backoff = Backoff::new(self.base.random.clone());
        let mut retries = RetryLog::new(self.base.clock.clone());
        let mut queue = StreamQueue::new(&self.base, self.passes.clone(), self.events.clone());
        while !self.stopping.is_cancelled() {
            let mut retry_after = Duration::ZERO;
            if let Err(error) = self.listen(&mut backoff, &mut retries, &mut queue).await {
                if let Some(tries) = retries.failed(&error) {
                    tracing::warn!(%error, tries, "the live stream failed");
                }
                retry_after = error.retry_after().unwrap_or_default();
            }
            tokio::select! {
                () = self.stopping.cancelled() => {}
                () = tokio::time::sleep(backoff.next().max(retry_after)) => {}
            }
        }
        let _ = tokio::time::timeout(SIGN_OUT_TIMEOUT, self.service.sign_out()).await;
    }

    /// Listens with one subscription until the stream gives up or the console stops.
    async fn listen(
        &self,
        backoff: &mut Backoff,
        retries: &mut RetryLog,
        queue: &mut StreamQueue,
    ) -> devicecloud::Result<()> {
        let (cloud, subscription) = tokio::select! {
            () = self.stopping.cancelled() => return Ok(()),
            subscribed = self.subscribe() => subscribed?,
        };
        let mut stream = pin!(cloud.stream(&subscription).take_until(self.stopping.cancelled()));
        while let Some(event) = stream.next().await {
            match event {
                StreamEvent::GaveUp(error) => return Err(error),
                StreamEvent::ConnectFailed(error) => {
                    if let Some(tries) = retries.failed(&error) {
                        tracing::warn!(%error, tries, "the live stream could not connect");
                    }
                }
                event => {
                    if matches!(event, StreamEvent::Connected) {
                        retries.succeeded();
                    }
                    self.on_event(event, backoff, queue);
                }
            }
        }
        let unsubscribe = cloud.subscriptions().without_retry().delete(subscription.id).await;
        unsubscribe.inspect_err(|_| tracing::debug!("a stream subscription was not deleted"))
    }

    async fn subscribe(&self) -> devicecloud::Result<(Client, Subscription)> {
        let cloud = self.service.cloud().await?;
        let subscription = cloud.subscriptions().create().subscription_types(TYPES).send().await?;
        Ok((cloud, subscription))
    }

    /// `echo` distinguishes a device's own report from a user's command (docs/wire.md#stream).
    fn read_datapoint(&self, event: &DatapointEvent) -> (StreamChange, DeviceEventKind) {
        let value = event.datapoint.value.as_ref().and_then(PropertyValue::as_i64);
        let indexed = IndexedProperty::from_property(&event.property).zip(value);
        match (indexed, event.datapoint.echo) {
            (Some((property, value)), false) => (StreamChange::Commanded(property, value), DeviceEventKind::Commanded),
            (Some((property, value)), true) => (StreamChange::Reported(property, value), DeviceEventKind::Reported),
            (None, echo) => {
                let kind = if echo { DeviceEventKind::Reported } else { DeviceEventKind::Commanded };
                (read_unindexed(&self.values, event, self.base.clock.now()), kind)
            }
        }
    }

    pub(super) fn on_event(&self, event: StreamEvent, backoff: &mut Backoff, queue: &mut StreamQueue) {
        match event {
            StreamEvent::Connected => {
                backoff.reset();
                // A pass finds changes from the time without a stream.
                queue.restart();
                self.connected.send_replace(true);
            }
            StreamEvent::Gap => {
                metrics::stream_gap();
                queue.restart();
            }
            StreamEvent::Disconnected => {
                self.connected.send_replace(false);
                tracing::warn!("the live stream is interrupted");
            }
            StreamEvent::Datapoint(event) => {
                let (dsn, value) = (event.dsn.as_str(), event.datapoint.value.as_ref());
                let read = device_panic::catch("datapoint", dsn, || self.read_datapoint(&event));
                // As after a rejected command, the device is read again.
                let (change, kind) = read
                    .map_or((EventChange::Rejected, DeviceEventKind::Reported), |(change, kind)| {
                        (EventChange::Known(change), kind)
                    });
                // The write that sent the command publishes it after reading the device back.
                let is_published = kind == DeviceEventKind::Commanded
                    && self.echoes.take(dsn, &event.property, value, self.base.clock.now());
                let queued = DeviceEvent { dsn: dsn.to_owned(), change, kind, is_published };
                queue.push(queued, event.datapoint.created_at.map(timestamp));
            }
            StreamEvent::DatapointAck(event) => {
                let (dsn, kind) = (event.dsn.as_str(), DeviceEventKind::Acknowledged);
                let change =
                    device_panic::catch("acknowledgement", dsn, || read_ack(&event)).unwrap_or(EventChange::Rejected);
                let queued = DeviceEvent { dsn: dsn.to_owned(), change, kind, is_published: false };
                queue.push(queued, event.datapoint.acked_at.map(timestamp));
            }
            StreamEvent::Connectivity { dsn, status, at } => {
                let status = ConnectionStatus::from(&status);
                let change = EventChange::Known(StreamChange::Connection(status, at.map(timestamp)));
                let (dsn, kind) = (dsn.as_str().to_owned(), DeviceEventKind::Connection);
                queue.push(DeviceEvent { dsn, change, kind, is_published: false }, at.map(timestamp));
            }
            _ => {}
        }
    }
}

/// What the index does not store.
fn read_unindexed(values: &StreamedValues, event: &DatapointEvent, now: Timestamp) -> StreamChange {
    let (dsn, value) = (event.dsn.as_str(), event.datapoint.value.as_ref());
    let is_new = match event.property.as_str() {
        properties::CARTRIDGE_LIFE => {
            if let Some(hours) = value.and_then(PropertyValue::as_f64) {
                let at = event.datapoint.created_at.map_or(now, timestamp);
                values.set_life(dsn, CartridgeLife { at, hours });
            }
            false
        }
        properties::SCHEDULE_BLOB => {
            value.and_then(PropertyValue::as_str).is_some_and(|schedule| values.set_schedule(dsn, schedule))
        }
        _ => false,
    };
    // A command may have no answer.
    let is_command = !event.datapoint.echo;
    if is_new || is_command { StreamChange::FactsChanged } else { StreamChange::NotIndexed }
}

fn read_ack(event: &DatapointEvent) -> EventChange {
    if event.datapoint.ack() != Ack::Accepted {
        return EventChange::Rejected;
    }
    let value = event.datapoint.value.as_ref().and_then(devicecloud::PropertyValue::as_i64);
    let acknowledged = IndexedProperty::from_property(&event.property).zip(value);
    EventChange::Known(
        acknowledged
            .map_or(StreamChange::FactsChanged, |(property, value)| StreamChange::Acknowledged(property, value)),
    )
}
