use std::fmt;
use std::sync::{Arc, Weak};

use crate::manager::core::record::KnownDevice;
use crate::model::Property;

/// A property of a [`ManagedDevice`](crate::manager::ManagedDevice). Cheap to clone. It does not keep its device alive:
/// once neither the manager nor the application holds the device, the property's calls fail with 'No owner for this
/// property'.
#[derive(Clone)]
pub struct ManagedProperty {
    pub(super) owner: Weak<KnownDevice>,
    pub(super) name: String,
}

impl ManagedProperty {
    pub(super) fn new(owner: &Arc<KnownDevice>, name: String) -> Self {
        Self { owner: Arc::downgrade(owner), name }
    }

    /// The name, unique in its device.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The latest known data of the property; `None` if its device was dropped.
    #[must_use]
    pub fn snapshot(&self) -> Option<Property> {
        let owner = self.owner.upgrade()?;
        let state = owner.state();
        state.properties.get(&self.name).map(|known| known.property.clone())
    }

    /// Sets how many times a write polls for its acknowledgement (8 by default), and the delay before each poll (1000
    /// ms by default).
    pub fn set_ack_polling(&self, max_count: u32, interval_ms: u64) {
        let Some(owner) = self.owner.upgrade() else { return };
        if let Some(known) = owner.state().properties.get_mut(&self.name) {
            known.property.ack_polling_max_count = max_count;
            known.property.ack_polling_interval_ms = interval_ms;
        }
    }
}

impl fmt::Debug for ManagedProperty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManagedProperty").field("name", &self.name).finish_non_exhaustive()
    }
}
