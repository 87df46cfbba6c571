//! A table of all devices of a user that stays current.

use std::collections::BTreeMap;
use std::time::Duration;

use devicecloud::{
    Client, ConnectionStatus, Dsn, Error, Include, PropertyValue, Result, StreamEvent, Subscription, SubscriptionId,
    SubscriptionType, Time,
};
use futures::TryStreamExt;

const RETRY_DELAY: Duration = Duration::from_secs(3);

/// A change of the table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Change {
    /// Everything was loaded: the number of devices. Follows each start, cut and gap.
    Loaded(usize),
    /// A device appeared, or went online or offline.
    Status(Dsn, ConnectionStatus),
    /// A property has another value.
    Value(Dsn, String, Option<PropertyValue>),
    /// A device is no longer visible to the user.
    Gone(Dsn),
}

/// The last known state of a device.
struct Row {
    status: ConnectionStatus,
    values: BTreeMap<String, (Option<PropertyValue>, Option<Time>)>,
}

/// The table. It is loaded completely whenever events may have been missed, and follows the live data in between.
pub(crate) struct LiveView<F> {
    client: Client,
    subscription: Option<SubscriptionId>,
    rows: BTreeMap<Dsn, Row>,
    show: F,
}

impl<F: FnMut(Change)> LiveView<F> {
    /// A view that continues the subscription of an earlier run, if there was one, and calls `show` for each change.
    pub(crate) fn new(client: Client, subscription: Option<SubscriptionId>, show: F) -> Self {
        Self { client, subscription, rows: BTreeMap::new(), show }
    }

    /// The subscription, to continue it after a restart.
    pub(crate) fn subscription(&self) -> Option<&SubscriptionId> {
        self.subscription.as_ref()
    }

    /// Subscribes. Call it again when [`follow`](Self::follow) returns.
    pub(crate) async fn subscribe(&mut self) -> Result<Subscription> {
        use SubscriptionType::{Connectivity, Datapoint};
        if let Some(id) = &self.subscription {
            match self.client.subscriptions().get(id.clone()).await {
                Ok(subscription) => return Ok(subscription),
                // The cloud no longer has it.
                Err(error) if error.status() == Some(404) => {}
                Err(error) => return Err(error),
            }
        }
        let subscription =
            self.client.subscriptions().create().subscription_types([Datapoint, Connectivity]).send().await?;
        self.subscription = Some(subscription.id.clone());
        Ok(subscription)
    }

    /// Follows the stream of the subscription until the cloud rejects its key. Cuts are not errors: the library
    /// reconnects, and the view loads what it missed.
    pub(crate) async fn follow(&mut self, subscription: &Subscription) -> Result<()> {
        let mut stream = self.client.stream(subscription);
        while let Some(event) = stream.next().await {
            match event {
                // Events during the load wait in the stream.
                StreamEvent::Connected | StreamEvent::Gap => self.load_until_successful().await?,
                StreamEvent::Datapoint(event) => {
                    let at = event.datapoint.updated_at;
                    self.set_value(&event.dsn, event.property, event.datapoint.value, at);
                }
                StreamEvent::Connectivity { dsn, status, .. } => self.set_status(&dsn, status),
                StreamEvent::GaveUp(_) => {
                    self.subscription = None;
                    break;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Repeats the load while the cloud is unreachable or busy.
    async fn load_until_successful(&mut self) -> Result<()> {
        loop {
            match self.load().await {
                Err(error) if error.is_retryable() => tokio::time::sleep(pause(&error)).await,
                result => return result,
            }
        }
    }

    async fn load(&mut self) -> Result<()> {
        let devices = self.client.devices().list().per_page(100).include([Include::Properties]).items();
        let devices: Vec<_> = devices.try_collect().await?;
        let gone: Vec<Dsn> =
            self.rows.keys().filter(|dsn| devices.iter().all(|device| device.dsn != **dsn)).cloned().collect();
        for dsn in gone {
            self.rows.remove(&dsn);
            (self.show)(Change::Gone(dsn));
        }
        for device in devices {
            self.set_status(&device.dsn, device.connection_status);
            for property in device.properties {
                self.set_value(&device.dsn, property.name, property.value, property.data_updated_at);
            }
        }
        (self.show)(Change::Loaded(self.rows.len()));
        Ok(())
    }

    fn set_status(&mut self, dsn: &Dsn, status: ConnectionStatus) {
        match self.rows.get_mut(dsn) {
            Some(row) if row.status == status => return,
            Some(row) => row.status = status.clone(),
            None => {
                self.rows.insert(dsn.clone(), Row { status: status.clone(), values: BTreeMap::new() });
            }
        }
        (self.show)(Change::Status(dsn.clone(), status));
    }

    /// Ignores a value that is older than the known one: an event may describe what a load has already seen.
    fn set_value(&mut self, dsn: &Dsn, name: String, value: Option<PropertyValue>, at: Option<Time>) {
        // An event of a device that the next load will show.
        let Some(row) = self.rows.get_mut(dsn) else { return };
        if row.values.get(&name).is_some_and(|(_, known_at)| at < *known_at) {
            return;
        }
        let known = row.values.insert(name.clone(), (value.clone(), at));
        if known.is_none_or(|(known, _)| known != value) {
            (self.show)(Change::Value(dsn.clone(), name, value));
        }
    }
}

/// How long to wait after a temporary error.
pub(crate) fn pause(error: &Error) -> Duration {
    error.retry_after().unwrap_or(RETRY_DELAY)
}
