//! What all connections of a gateway share.

use std::fmt::Display;
use std::net::IpAddr;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use tokio::sync::Semaphore;
use tokio::time::sleep_until;
use tokio_util::sync::CancellationToken;

use super::closing::Closing;
use super::health::LinkHealth;
use super::refusals::{Claimed, Refusals};
use super::registry::Registry;
use super::slots::Slots;
use crate::config::{LinkLimits, LinkRate};
use crate::devices::link::LinkService;
use crate::metrics;

pub(super) struct Shared {
    pub(super) service: LinkService,
    pub(super) registry: Arc<Registry>,
    pub(super) refusals: Refusals,
    /// Limits sign-ins from suspect addresses to one database query at a time.
    pub(super) suspects: Semaphore,
    pub(super) rate: LinkRate,
    pub(super) stop: CancellationToken,
    /// Set before `stop` is cancelled.
    pub(super) closing: OnceLock<Closing>,
    /// Whether a device could not be set Offline.
    pub(super) left_online: AtomicBool,
    pub(super) slots: Arc<Slots>,
    pub(super) health: LinkHealth,
}

impl Shared {
    pub(super) fn new(
        service: LinkService,
        rate: LinkRate,
        limits: LinkLimits,
        health: LinkHealth,
        stop: CancellationToken,
    ) -> Self {
        Self {
            service,
            registry: Arc::default(),
            refusals: Refusals::new(),
            suspects: Semaphore::new(1),
            rate,
            stop,
            closing: OnceLock::new(),
            left_online: AtomicBool::new(false),
            slots: Arc::new(Slots::new(limits)),
            health,
        }
    }

    /// Resolves when the connection with this number must end because the gateway stops.
    pub(super) async fn closed(&self, number: u64) {
        self.stop.cancelled().await;
        if let Some(closing) = self.closing.get() {
            sleep_until(closing.at(number)).await;
        }
    }

    /// Logs that a connection or a packet was refused, unless the same source is refused constantly. Returns whether it is not.
    pub(super) fn refused(&self, from: IpAddr, claimed: Option<&Claimed>, reason: &dyn Display) -> bool {
        metrics::device_refused();
        let is_new = self.refusals.count(from, claimed.map(|claimed| claimed.credential));
        if is_new {
            tracing::warn!(address = %from, dsn = claimed.map(|claimed| &*claimed.dsn), %reason, "refused a device");
        }
        is_new
    }

    /// Stores a refusal of a device, for its operator and its page.
    pub(super) async fn record_refusal(&self, device_id: i64, reason: String) {
        // The writer logs errors.
        let _ = self.service.record_refusal(device_id, reason).await;
    }
}
