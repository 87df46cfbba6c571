//! Reads that all readers of a notice share, so that the cost of a notice hardly depends on their number.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use axum::response::sse::Event;
use diffuser::Role;
use tokio::sync::OnceCell;

use crate::policy::{Actor, Scope};
use crate::records::{DeviceRecord, PageSnapshot, ReadDevice};

/// The reads of one notice. Each is made by the first reader that needs it.
#[derive(Default)]
pub(crate) struct SharedReads {
    /// The read of the device from which the notice results, if any.
    pub(crate) read: Option<Arc<ReadDevice>>,
    /// `None` if the device could not be read.
    pub(crate) snapshot: OnceCell<Option<PageSnapshot>>,
    /// By CSP, and for readers who see all CSPs.
    devices: Cells<Option<String>, Option<IndexedDevice>>,
    events: Cells<EventKey, Event>,
}

/// Cells by key.
type Cells<K, V> = Mutex<HashMap<K, Arc<OnceCell<V>>>>;

/// The device that a notice is about, as one scope sees it.
pub(crate) struct IndexedDevice {
    /// `None` if it is not in the scope.
    pub(crate) record: Option<DeviceRecord>,
    /// The version of all sessions, read together with the record or after it.
    pub(crate) session_version: i64,
}

/// Readers with the same key get the same event.
#[derive(PartialEq, Eq, Hash)]
struct EventKey {
    role: Option<Role>,
    csp: Option<String>,
    has_page: bool,
}

impl SharedReads {
    pub(super) fn new(read: Option<Arc<ReadDevice>>) -> Self {
        Self { read, ..Self::default() }
    }

    /// The device for the scope of `actor`, which must not be empty; `None` if it could not be read.
    pub(crate) fn device(&self, actor: &Actor) -> Arc<OnceCell<Option<IndexedDevice>>> {
        let csp = match actor.scope() {
            Scope::Csp(csp) => Some(csp.to_owned()),
            Scope::Everything | Scope::Nothing => None,
        };
        cell(&self.devices, csp)
    }

    /// The device event for readers like `actor`, with or without what the device's page shows.
    pub(crate) fn event(&self, actor: &Actor, has_page: bool) -> Arc<OnceCell<Event>> {
        cell(&self.events, EventKey { role: actor.role, csp: actor.csp.clone(), has_page })
    }
}

fn cell<K: Eq + Hash, V>(cells: &Cells<K, V>, key: K) -> Arc<OnceCell<V>> {
    cells.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default().clone()
}
