//! What all connections of a gateway share.

use std::fmt::Display;
use std::net::IpAddr;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::refusals::{CredentialDigest, Refusals};
use super::registry::Registry;
use crate::config::LinkRate;
use crate::devices::link::LinkService;

const MAX_CONNECTIONS: usize = 20_000;

pub(super) struct Shared {
    pub(super) service: LinkService,
    pub(super) registry: Arc<Registry>,
    pub(super) refusals: Refusals,
    /// Limits sign-ins from suspect addresses to one database query at a time.
    pub(super) suspects: Semaphore,
    pub(super) rate: LinkRate,
    pub(super) stop: CancellationToken,
    /// One permit per open connection.
    pub(super) slots: Arc<Semaphore>,
}

impl Shared {
    pub(super) fn new(service: LinkService, rate: LinkRate, stop: CancellationToken) -> Self {
        Self {
            service,
            registry: Arc::default(),
            refusals: Refusals::new(),
            suspects: Semaphore::new(1),
            rate,
            stop,
            slots: Arc::new(Semaphore::new(MAX_CONNECTIONS)),
        }
    }

    /// Logs that a connection or a packet was refused, unless the same source is refused constantly.
    pub(super) fn refused(&self, from: IpAddr, device: Option<(&str, CredentialDigest)>, reason: &dyn Display) {
        let (dsn, credential) = device.unzip();
        if self.refusals.count(from, credential) {
            tracing::warn!(address = %from, dsn, %reason, "refused a device");
        }
    }
}
