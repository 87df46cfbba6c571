//! What all connections of a gateway share.

use std::fmt::Display;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::health::LinkHealth;
use super::refusals::{CredentialDigest, Refusals};
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
            left_online: AtomicBool::new(false),
            slots: Arc::new(Slots::new(limits)),
            health,
        }
    }

    /// Logs that a connection or a packet was refused, unless the same source is refused constantly.
    pub(super) fn refused(&self, from: IpAddr, device: Option<(&str, CredentialDigest)>, reason: &dyn Display) {
        metrics::device_refused();
        let (dsn, credential) = device.unzip();
        if self.refusals.count(from, credential) {
            tracing::warn!(address = %from, dsn, %reason, "refused a device");
        }
    }
}
