//! Sends the events of devices to their readers: each change is read and encoded once, however many readers there are.

use std::sync::Arc;

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use platform::bus::Delivery;

use super::batches::{Batches, Next};
use super::device_events::DeviceEvents;
use crate::events::hub::{DeviceChange, View};
use crate::events::notices::Notices;
use crate::http::error::ApiResult;
use crate::records::ListedDevice;
use crate::records::device_panic;
use crate::state::CoreState;

/// Listens to the bus for all readers of this node.
pub(crate) struct Publisher {
    state: CoreState,
    running: FuturesUnordered<BoxFuture<'static, FinishedRead>>,
    /// Reads of the index.
    rows: Batches<DeviceChange>,
    /// Reads of what pages show, which take longer: readers without an open page do not wait for them.
    pages: Batches<IndexedChange>,
}

/// A change, and the device in the index after it.
struct IndexedChange {
    change: DeviceChange,
    device: Option<Arc<ListedDevice>>,
}

struct FinishedRead {
    dsn: String,
    view: View,
    /// `None` after a panic.
    events: Option<ApiResult<DeviceEvents>>,
}

impl Publisher {
    pub(crate) fn new(state: CoreState) -> Self {
        Self { state, running: FuturesUnordered::new(), rows: Batches::new(), pages: Batches::new() }
    }

    /// Publishes until the bus closes.
    pub(crate) async fn run(mut self, mut notices: Notices) {
        loop {
            tokio::select! {
                delivery = notices.next() => match delivery {
                    Some(delivery) => self.dispatch(&delivery),
                    None => return,
                },
                Some(read) = self.running.next() => self.finish(read),
            }
        }
    }

    fn dispatch(&mut self, delivery: &Delivery) {
        let (rows, pages) = (&self.rows, &self.pages);
        let is_being_read = |dsn: &str| rows.is_reading(dsn) || pages.is_reading(dsn);
        let Some(change) = self.state.hub.dispatch(delivery, is_being_read) else { return };
        let dsn = change.dsn.clone();
        match self.rows.add(&dsn, change) {
            Next::Read(change) => self.read_row(dsn, vec![change]),
            Next::Wait => {}
            Next::Overflow => self.miss_row(&dsn),
        }
    }

    fn finish(&mut self, FinishedRead { dsn, view, events }: FinishedRead) {
        match (view, self.sent(&dsn, view, events)) {
            (View::Row, Some(events)) => self.add_to_pages(&dsn, events),
            (View::Row, None) => self.miss_row(&dsn),
            (View::Page, Some(_)) => {}
            (View::Page, None) => self.state.hub.send_missed(&dsn, View::Page),
        }
        match view {
            View::Row => {
                if let Some(changes) = self.rows.finish(&dsn) {
                    self.read_row(dsn, changes);
                }
            }
            View::Page => {
                if let Some(changes) = self.pages.finish(&dsn) {
                    self.read_page(dsn, changes);
                }
            }
        }
    }

    /// The events after they were sent; `None` if the readers miss them.
    fn sent(&self, dsn: &str, view: View, events: Option<ApiResult<DeviceEvents>>) -> Option<DeviceEvents> {
        let send = |events: &DeviceEvents| {
            self.state.hub.send(dsn, view, events.session_version, |actor| events.encode(actor));
        };
        match events? {
            Ok(events) => device_panic::catch("stream", dsn, || send(&events)).map(|()| events),
            Err(error) if error.is_unavailable() => None,
            Err(error) => {
                tracing::error!(device.dsn = dsn, %error, "no events for streams");
                None
            }
        }
    }

    fn add_to_pages(&mut self, dsn: &str, DeviceEvents { changes, device, .. }: DeviceEvents) {
        // A page that is opened during a read gets its result, which is older than these changes.
        if !self.state.hub.has_reader(dsn, View::Page, |_| true) && !self.pages.is_reading(dsn) {
            return;
        }
        for change in changes {
            match self.pages.add(dsn, IndexedChange { change, device: device.clone() }) {
                Next::Read(change) => self.read_page(dsn.to_owned(), vec![change]),
                Next::Wait => {}
                Next::Overflow => self.state.hub.send_missed(dsn, View::Page),
            }
        }
    }

    fn read_row(&self, dsn: String, changes: Vec<DeviceChange>) {
        let state = self.state.clone();
        let read = async move {
            let events = DeviceEvents::of_row(&state, &dsn, changes);
            let events = device_panic::catch_async("stream", &dsn, events).await;
            FinishedRead { dsn, view: View::Row, events }
        };
        self.running.push(read.boxed());
    }

    fn read_page(&self, dsn: String, changes: Vec<IndexedChange>) {
        let state = self.state.clone();
        let device = changes.last().and_then(|last| last.device.clone());
        let changes = changes.into_iter().map(|indexed| indexed.change).collect();
        let read = async move {
            let events = DeviceEvents::of_page(&state, &dsn, changes, device);
            let events = device_panic::catch_async("stream", &dsn, events).await;
            FinishedRead { dsn, view: View::Page, events }
        };
        self.running.push(read.boxed());
    }

    fn miss_row(&self, dsn: &str) {
        self.state.hub.send_missed(dsn, View::Row);
        self.state.hub.send_missed(dsn, View::Page);
    }
}
