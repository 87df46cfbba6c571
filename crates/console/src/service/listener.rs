//! The live stream of the cloud: every device of the OEM, as it happens.

use std::sync::Arc;
use std::time::Duration;

use devicecloud::{Client, DatapointEvent, StreamEvent, Subscription, SubscriptionType};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::backoff::Backoff;
use super::{PassesHandle, ServiceSession};
use crate::index::{self, CloudRead, IndexEntry, StreamChange};
use crate::notice::{self, DeviceEventKind};
use crate::records::cloud_device;
use crate::records::{ConnectionStatus, IndexedProperty, timestamp};
use crate::state::Base;

const TYPES: [SubscriptionType; 3] =
    [SubscriptionType::Datapoint, SubscriptionType::DatapointAck, SubscriptionType::Connectivity];

/// An event that arrives while a device is read makes the read older than the row. So often it is read again.
const READS: usize = 3;
/// A cloud that is gone does not keep a console that stops.
const FAREWELL: Duration = Duration::from_secs(5);

/// What the listener needs.
pub(crate) struct Listener {
    pub(crate) base: Base,
    pub(crate) service: Arc<ServiceSession>,
    pub(crate) passes: PassesHandle,
    /// Whether the stream is connected.
    pub(crate) connected: watch::Sender<bool>,
    pub(crate) stopping: CancellationToken,
}

impl Listener {
    /// Listens until the console stops; then ends the service session.
    pub(crate) async fn run(self) {
        let mut backoff = Backoff::new(self.base.random.clone());
        while !self.stopping.is_cancelled() {
            let mut asked = Duration::ZERO;
            if let Err(error) = self.listen(&mut backoff).await {
                tracing::warn!(%error, "the live stream failed");
                asked = error.retry_after().unwrap_or_default();
            }
            tokio::select! {
                () = self.stopping.cancelled() => {}
                () = tokio::time::sleep(backoff.next().max(asked)) => {}
            }
        }
        let _ = tokio::time::timeout(FAREWELL, self.service.sign_out()).await;
    }

    /// One subscription, until the cloud no longer knows it or the console stops.
    async fn listen(&self, backoff: &mut Backoff) -> devicecloud::Result<()> {
        let (cloud, subscription) = tokio::select! {
            () = self.stopping.cancelled() => return Ok(()),
            subscribed = self.subscribe() => subscribed?,
        };
        let mut stream = cloud.stream(&subscription);
        loop {
            let event = tokio::select! {
                () = self.stopping.cancelled() => None,
                event = stream.next() => event,
            };
            match event {
                None => break,
                Some(StreamEvent::Refused) => return Ok(()),
                Some(event) => self.on_event(event, backoff).await,
            }
        }
        let unsubscribe = cloud.subscriptions().without_retry().delete(subscription.id).await;
        unsubscribe.inspect_err(|_| tracing::debug!("a subscription stays behind"))
    }

    async fn subscribe(&self) -> devicecloud::Result<(Client, Subscription)> {
        let cloud = self.service.cloud().await?;
        let subscription = cloud.subscriptions().create().subscription_types(TYPES).send().await?;
        Ok((cloud, subscription))
    }

    async fn on_event(&self, event: StreamEvent, backoff: &mut Backoff) {
        match event {
            StreamEvent::Connected => {
                backoff.reset();
                // Whatever happened while nobody listened is found by a pass.
                self.passes.request();
                self.connected.send_replace(true);
            }
            StreamEvent::Gap => self.passes.request(),
            StreamEvent::Disconnected => {
                self.connected.send_replace(false);
                tracing::warn!("the live stream is interrupted");
            }
            StreamEvent::Datapoint(event) => {
                let (change, kind) = on_datapoint(&event);
                self.apply(event.dsn.as_str(), change, kind).await;
            }
            StreamEvent::DatapointAck(event) => self.on_ack(&event).await,
            StreamEvent::Connectivity { dsn, status, at } => {
                let status = ConnectionStatus::from(&status);
                self.apply(
                    dsn.as_str(),
                    StreamChange::Connection(status, at.map(timestamp)),
                    DeviceEventKind::Connection,
                )
                .await;
            }
            _ => {}
        }
    }

    async fn on_ack(&self, event: &DatapointEvent) {
        let dsn = event.dsn.as_str();
        match read_ack(event) {
            Some(change) => self.apply(dsn, change, DeviceEventKind::Acknowledged).await,
            // Refused by the device: what it reported last stands again, and only the cloud knows what that was.
            None => {
                let lists = self.read_again(dsn).await.unwrap_or_else(|error| {
                    tracing::warn!(%error, "a device could not be read after a refusal");
                    self.passes.request();
                    Vec::new()
                });
                notice::device(&self.base.bus, dsn, DeviceEventKind::Acknowledged, &lists);
            }
        }
    }

    /// Answers the CSPs whose lists changed.
    async fn read_again(&self, dsn: &str) -> Result<Vec<String>, index::PassError> {
        let cloud = self.service.cloud().await?;
        let mut lists = Vec::new();
        for _ in 0..READS {
            let read = CloudRead::announce(&self.base.db, &self.base.clock, dsn).await?;
            let device = cloud_device::read(&cloud, dsn).await?;
            let entry = IndexEntry::of(&device);
            let applied = index::apply_read(&self.base.db, &[entry], read.end(&self.base.clock)).await?;
            lists.extend(applied.changed.into_iter().flat_map(|changed| changed.lists));
            if applied.outdated.is_empty() {
                break;
            }
        }
        Ok(lists)
    }

    async fn apply(&self, dsn: &str, change: StreamChange, kind: DeviceEventKind) {
        match index::apply_change(&self.base.db, dsn, change, self.base.clock.now()).await {
            Ok(list) => notice::device(&self.base.bus, dsn, kind, list.as_slice()),
            Err(error) => {
                // The database logs once that it is not available, not for each event.
                if !error.is_unavailable() {
                    tracing::error!(%error, "an event could not be applied to the index");
                }
                self.passes.request();
            }
        }
    }
}

/// `echo` tells a device's own report from a user's command (wire-facts 5).
fn on_datapoint(event: &DatapointEvent) -> (StreamChange, DeviceEventKind) {
    let value = event.datapoint.value.as_ref().and_then(devicecloud::PropertyValue::as_i64);
    let property = IndexedProperty::from_property(&event.property);
    match (property.zip(value), event.datapoint.echo) {
        (Some((property, value)), false) => (StreamChange::Commanded(property, value), DeviceEventKind::Commanded),
        (Some((property, value)), true) => (StreamChange::Reported(property, value), DeviceEventKind::Reported),
        (None, false) => (StreamChange::NotIndexed, DeviceEventKind::Commanded),
        (None, true) => (StreamChange::NotIndexed, DeviceEventKind::Reported),
    }
}

/// The change that a good acknowledgement makes; `None` for a refusal.
fn read_ack(event: &DatapointEvent) -> Option<StreamChange> {
    // 200 by our device link, 0 by other clouds' devices (TN02).
    if !matches!(event.datapoint.ack_status, 0 | 200) {
        return None;
    }
    let value = event.datapoint.value.as_ref().and_then(devicecloud::PropertyValue::as_i64);
    let acknowledged = IndexedProperty::from_property(&event.property).zip(value);
    Some(acknowledged.map_or(StreamChange::NotIndexed, |(property, value)| StreamChange::Acknowledged(property, value)))
}
