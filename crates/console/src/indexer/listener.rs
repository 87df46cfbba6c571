//! Listens to the cloud's live stream of all devices of the OEM.

use std::sync::Arc;
use std::time::Duration;

use devicecloud::{Client, DatapointEvent, StreamEvent, Subscription, SubscriptionType};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::PassHandle;
use super::backoff::Backoff;
use crate::base::Base;
use crate::echoes::Echoes;
use crate::index::{self, StreamChange};
use crate::notice::{self, DeviceEventKind};
use crate::records::cloud_device;
use crate::records::{ConnectionStatus, IndexedProperty, ReadDevice, timestamp};
use crate::service::ServiceSession;

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
    pub(crate) stopping: CancellationToken,
}

impl Listener {
    /// Listens until the console stops, then ends the service session.
    pub(crate) async fn run(self) {
        let mut backoff = Backoff::new(self.base.random.clone());
        while !self.stopping.is_cancelled() {
            let mut retry_after = Duration::ZERO;
            if let Err(error) = self.listen(&mut backoff).await {
                tracing::warn!(%error, "the live stream failed");
                retry_after = error.retry_after().unwrap_or_default();
            }
            tokio::select! {
                () = self.stopping.cancelled() => {}
                () = tokio::time::sleep(backoff.next().max(retry_after)) => {}
            }
        }
        let _ = tokio::time::timeout(SIGN_OUT_TIMEOUT, self.service.sign_out()).await;
    }

    /// Listens with one subscription until the cloud rejects it or the console stops.
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
        unsubscribe.inspect_err(|_| tracing::debug!("a stream subscription was not deleted"))
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
                // A pass finds changes from the time without a stream.
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
                let (dsn, value) = (event.dsn.as_str(), event.datapoint.value.as_ref());
                // The write that sent the command publishes it after reading the device back.
                let is_published = kind == DeviceEventKind::Commanded
                    && self.echoes.take(dsn, &event.property, value, self.base.clock.now());
                self.apply(dsn, change, kind, is_published).await;
            }
            StreamEvent::DatapointAck(event) => self.on_ack(&event).await,
            StreamEvent::Connectivity { dsn, status, at } => {
                let status = ConnectionStatus::from(&status);
                self.apply(
                    dsn.as_str(),
                    StreamChange::Connection(status, at.map(timestamp)),
                    DeviceEventKind::Connection,
                    false,
                )
                .await;
            }
            _ => {}
        }
    }

    async fn on_ack(&self, event: &DatapointEvent) {
        let dsn = event.dsn.as_str();
        match read_ack(event) {
            Some(change) => self.apply(dsn, change, DeviceEventKind::Acknowledged, false).await,
            // Rejected by the device: its last reported value applies again, and only the cloud knows it.
            None => {
                let lists = self.read_again(dsn).await.unwrap_or_else(|error| {
                    tracing::warn!(%error, "a device could not be read after a rejected command");
                    self.passes.request();
                    Vec::new()
                });
                notice::device(&self.base.bus, dsn, DeviceEventKind::Acknowledged, &lists);
            }
        }
    }

    /// Reads the device and returns the CSPs whose lists changed.
    async fn read_again(&self, dsn: &str) -> Result<Vec<String>, index::PassError> {
        let cloud = self.service.cloud().await?;
        let (mut lists, base) = (Vec::new(), &self.base);
        let read = async || {
            let began = base.clock.now();
            Ok::<_, index::PassError>(ReadDevice::new(cloud_device::read(&cloud, dsn).await?, began))
        };
        index::read_and_apply((&base.db, &base.clock), dsn, &mut lists, read).await?;
        Ok(lists)
    }

    /// Applies a change to the index and publishes it. If `is_published`, only a change of lists is published.
    async fn apply(&self, dsn: &str, change: StreamChange, kind: DeviceEventKind, is_published: bool) {
        match index::apply_change(&self.base.db, dsn, change, self.base.clock.now()).await {
            Ok(None) if is_published => {}
            Ok(list) => notice::device(&self.base.bus, dsn, kind, list.as_slice()),
            Err(error) => {
                // An unavailable database is logged once, not for each event.
                if !error.is_unavailable() {
                    tracing::error!(%error, "an event could not be applied to the index");
                }
                self.passes.request();
            }
        }
    }
}

/// `echo` distinguishes a device's own report from a user's command (docs/wire.md#stream).
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

/// The change of a successful acknowledgement; `None` for a rejection.
fn read_ack(event: &DatapointEvent) -> Option<StreamChange> {
    // Our device link sends 200 for success, devices of other clouds send 0.
    if !matches!(event.datapoint.ack_status, 0 | 200) {
        return None;
    }
    let value = event.datapoint.value.as_ref().and_then(devicecloud::PropertyValue::as_i64);
    let acknowledged = IndexedProperty::from_property(&event.property).zip(value);
    Some(acknowledged.map_or(StreamChange::NotIndexed, |(property, value)| StreamChange::Acknowledged(property, value)))
}
