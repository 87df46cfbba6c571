//! Limits the connections of an address to an HTTP server: how many are open, and how many are opened a second. Otherwise one client
//! could use up the open files or, with connections that it cuts, the processors.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::proxies::{TrustedProxy, is_trusted};
use crate::run::clock::Clock;
use crate::run::file_limit;
use crate::run::rate_limit::{Rate, RateLimiter, network};

/// New connections of an address in a second. Browsers and clients keep theirs open.
const RATE: u32 = 200;
/// How many of them may come together, such as those of the people of a company after a restart.
const BURST: u32 = 5_000;
/// Addresses with fewer connections than this can use the last quarter.
const FEW: usize = 8;

/// The connections of a server by address or IPv6 network. Cheap to clone.
#[derive(Clone, Debug)]
pub struct ConnectionSlots(Arc<Slots>);

#[derive(Debug)]
struct Slots {
    max: usize,
    max_per_address: usize,
    opened: RateLimiter<IpAddr>,
    trusted: Vec<TrustedProxy>,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    total: usize,
    addresses: HashMap<IpAddr, usize>,
}

/// The place of a connection, until it is dropped.
#[derive(Debug)]
pub(crate) struct ConnectionSlot(Option<(Arc<Slots>, IpAddr)>);

impl ConnectionSlots {
    /// Three eighths of the files that the process may open, and half of them for one address. Connections of trusted proxies
    /// are those of many people and are not limited.
    #[must_use]
    pub fn new(trusted: Vec<TrustedProxy>, clock: &Clock) -> Self {
        let files = usize::try_from(file_limit::current()).unwrap_or(usize::MAX);
        Self::with_max((files / 8).saturating_mul(3).clamp(64, 200_000), trusted, clock)
    }

    pub(crate) fn with_max(max: usize, trusted: Vec<TrustedProxy>, clock: &Clock) -> Self {
        let opened = RateLimiter::new(Rate::per_second(RATE).with_burst(BURST), clock);
        Self(Arc::new(Slots { max, max_per_address: max / 2, opened, trusted, open: Mutex::default() }))
    }

    /// A place for a new connection; `None` if there is none, or if its address opens too many.
    pub(crate) fn take(&self, from: IpAddr) -> Option<ConnectionSlot> {
        if is_trusted(&self.0.trusted, from) {
            return Some(ConnectionSlot(None));
        }
        let network = network(from);
        self.0.opened.check(&network).ok()?;
        let mut open = self.0.lock();
        let own = open.addresses.get(&network).copied().unwrap_or_default();
        let max = if own < FEW { self.0.max } else { self.0.max / 4 * 3 };
        if own >= self.0.max_per_address || open.total >= max {
            return None;
        }
        open.total += 1;
        open.addresses.insert(network, own + 1);
        Some(ConnectionSlot(Some((Arc::clone(&self.0), network))))
    }
}

impl Slots {
    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let Some((slots, network)) = &self.0 else { return };
        let mut open = slots.lock();
        open.total -= 1;
        if let Some(own) = open.addresses.get_mut(network) {
            *own -= 1;
            if *own == 0 {
                open.addresses.remove(network);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    fn clock() -> Clock {
        Clock::mock("2026-11-20T12:00:00Z".parse().unwrap())
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    /// Takes places until there are no more.
    fn fill(slots: &ConnectionSlots, from: &str) -> Vec<ConnectionSlot> {
        std::iter::from_fn(|| slots.take(address(from))).collect()
    }

    #[test]
    fn open_connections_of_an_address_are_limited() {
        let slots = ConnectionSlots::with_max(400, Vec::new(), &clock());
        let mut own = fill(&slots, "2001:db8::1");
        assert_eq!(own.len(), 200);
        assert!(slots.take(address("2001:db8::2")).is_none(), "of the same network");
        assert!(slots.take(address("2001:db8:0:1::1")).is_some(), "of another one");
        own.pop();
        assert!(slots.take(address("2001:db8::2")).is_some());
        drop(own);
        assert!(slots.0.lock().addresses.is_empty());
        assert_eq!(slots.0.lock().total, 0);
    }

    #[test]
    fn last_quarter_is_for_addresses_with_few_connections() {
        let slots = ConnectionSlots::with_max(400, Vec::new(), &clock());
        let mut kept = Vec::new();
        let mut fill = |from: &str| {
            let own = fill(&slots, from);
            let count = own.len();
            kept.extend(own);
            count
        };
        assert_eq!(fill("192.0.2.1"), 200);
        assert_eq!(fill("192.0.2.2"), 100);
        let others: Vec<_> = (1..=14).map(|n| fill(&format!("198.51.100.{n}"))).collect();
        assert_eq!(others[..12], [FEW; 12]);
        assert_eq!(others[12..], [4, 0], "all places are taken");
    }

    #[test]
    fn new_connections_of_an_address_are_limited() {
        let clock = clock();
        let slots = ConnectionSlots::with_max(400, Vec::new(), &clock);
        let open = |from| (0..10_000).filter(|_| slots.take(address(from)).is_some()).count();
        assert_eq!(open("192.0.2.1"), BURST as usize);
        assert!(slots.take(address("192.0.2.2")).is_some());
        clock.advance(SignedDuration::from_secs(1));
        assert_eq!(open("192.0.2.1"), RATE as usize);
    }

    #[test]
    fn trusted_proxies_are_not_limited() {
        let slots = ConnectionSlots::with_max(8, TrustedProxy::LOOPBACK.to_vec(), &clock());
        let own: Vec<_> = (0..5_000).filter_map(|_| slots.take(address("127.0.0.1"))).collect();
        assert_eq!(own.len(), 5_000);
        assert!(slots.take(address("192.0.2.1")).is_some());
    }
}
