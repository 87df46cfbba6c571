//! Slots of connections. Connections before sign-in have a small separate pool, and each address has a share of both, so
//! that silent connections, or those of one address, cannot keep other devices out.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use platform::run::rate_limit::network;
use tokio_util::sync::CancellationToken;

use crate::config::LinkLimits;

/// The open connections of a gateway.
#[derive(Debug)]
pub(super) struct Slots {
    limits: LinkLimits,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    next_id: u64,
    /// Connections that have not signed in.
    pending: usize,
    /// Connections that have signed in.
    connected: usize,
    networks: HashMap<IpAddr, Network>,
}

/// The connections of one address or IPv6 network.
#[derive(Debug, Default)]
struct Network {
    /// By age. Connections without a CONNECT can be closed to make room.
    silent: BTreeMap<u64, CancellationToken>,
    /// Connections that sent CONNECT and whose key is being checked.
    signing_in: usize,
    connected: usize,
}

impl Network {
    fn pending(&self) -> usize {
        self.silent.len() + self.signing_in
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Silent,
    SigningIn,
    Connected,
}

/// The slot of a connection until it is dropped.
#[derive(Debug)]
pub(super) struct Slot {
    slots: Arc<Slots>,
    id: u64,
    network: IpAddr,
    state: State,
    closed: CancellationToken,
}

/// Why a connection gets no slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoSlot {
    #[error("the connection limit is reached")]
    Full,
    #[error("the connection limit of its address is reached")]
    AddressFull,
}

impl Slots {
    pub(super) fn new(limits: LinkLimits) -> Self {
        Self { limits, open: Mutex::default() }
    }

    /// A slot for a new connection. If there is none, the oldest silent connection of its address, or of the address with the
    /// most of them, is closed.
    ///
    /// # Errors
    /// [`NoSlot`] if no connection can be closed, because all are signing in.
    pub(super) fn enter(self: &Arc<Self>, from: IpAddr) -> Result<Slot, NoSlot> {
        let network = network(from);
        let mut open = self.lock();
        if open.networks.get(&network).is_some_and(|own| own.pending() >= self.limits.pending_per_address) {
            open.close_oldest(network).ok_or(NoSlot::AddressFull)?;
        } else if open.pending >= self.limits.pending {
            let most_silent = open.networks.iter().max_by_key(|(_, network)| network.silent.len());
            let most_silent = most_silent.map(|(network, _)| *network);
            most_silent.and_then(|network| open.close_oldest(network)).ok_or(NoSlot::Full)?;
        }
        let (id, closed) = (open.next_id, CancellationToken::new());
        open.next_id += 1;
        open.pending += 1;
        open.networks.entry(network).or_default().silent.insert(id, closed.clone());
        Ok(Slot { slots: Arc::clone(self), id, network, state: State::Silent, closed })
    }

    /// The number of connected devices.
    pub(super) fn connected(&self) -> usize {
        self.lock().connected
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().expect("no holder of this lock can panic")
    }
}

impl Open {
    /// Closes the oldest silent connection of a network.
    fn close_oldest(&mut self, network: IpAddr) -> Option<()> {
        let (_, closed) = self.networks.get_mut(&network)?.silent.pop_first()?;
        self.pending -= 1;
        closed.cancel();
        Some(())
    }

    fn leave(&mut self, slot: &Slot) {
        let Some(network) = self.networks.get_mut(&slot.network) else { return };
        match slot.state {
            // A closed connection has left already.
            State::Silent => self.pending -= usize::from(network.silent.remove(&slot.id).is_some()),
            State::SigningIn => {
                network.signing_in -= 1;
                self.pending -= 1;
            }
            State::Connected => {
                network.connected -= 1;
                self.connected -= 1;
            }
        }
        if network.pending() + network.connected == 0 {
            self.networks.remove(&slot.network);
        }
    }
}

impl Slot {
    /// The number of the connection, in the order of their beginnings.
    pub(super) fn number(&self) -> u64 {
        self.id
    }

    /// Resolves when the connection must be closed to make room.
    pub(super) fn closed(&self) -> impl Future<Output = ()> + use<> {
        self.closed.clone().cancelled_owned()
    }

    /// The connection has sent CONNECT and is no longer closed to make room.
    pub(super) fn signing_in(&mut self) {
        let mut open = self.slots.lock();
        if let Some(network) = open.networks.get_mut(&self.network)
            && network.silent.remove(&self.id).is_some()
        {
            network.signing_in += 1;
            self.state = State::SigningIn;
        }
    }

    /// The device has signed in.
    ///
    /// # Errors
    /// [`NoSlot`] if too many devices are connected.
    pub(super) fn connected(&mut self) -> Result<(), NoSlot> {
        let limits = self.slots.limits;
        let mut open = self.slots.lock();
        let is_full = open.connected >= limits.connections;
        let Some(network) = open.networks.get_mut(&self.network).filter(|_| self.state == State::SigningIn) else {
            // It was closed to make room before it sent CONNECT.
            return Err(NoSlot::Full);
        };
        if is_full {
            return Err(NoSlot::Full);
        }
        if network.connected >= limits.connections_per_address {
            return Err(NoSlot::AddressFull);
        }
        network.signing_in -= 1;
        network.connected += 1;
        open.pending -= 1;
        open.connected += 1;
        drop(open);
        self.state = State::Connected;
        Ok(())
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.slots.lock().leave(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: LinkLimits =
        LinkLimits { connections: 6, connections_per_address: 4, pending: 4, pending_per_address: 3 };

    fn slots() -> Arc<Slots> {
        Arc::new(Slots::new(LIMITS))
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn is_closed(slot: &Slot) -> bool {
        slot.closed.is_cancelled()
    }

    #[test]
    fn address_with_too_many_silent_connections_loses_its_oldest() {
        let slots = slots();
        let other = slots.enter(address("10.0.0.1")).unwrap();
        let own: Vec<Slot> = (0..6).map(|_| slots.enter(address("10.0.0.2")).unwrap()).collect();
        assert_eq!(own.iter().map(is_closed).collect::<Vec<_>>(), [true, true, true, false, false, false]);
        assert!(!is_closed(&other));
    }

    #[test]
    fn full_pool_closes_the_oldest_of_the_address_with_the_most() {
        let slots = slots();
        let early = slots.enter(address("10.0.0.1")).unwrap();
        let crowd: Vec<Slot> = (0..3).map(|_| slots.enter(address("10.0.0.2")).unwrap()).collect();
        let newcomer = slots.enter(address("10.0.0.3")).unwrap();
        assert_eq!(crowd.iter().map(is_closed).collect::<Vec<_>>(), [true, false, false]);
        assert!(!is_closed(&early) && !is_closed(&newcomer));
    }

    #[test]
    fn addresses_of_one_ipv6_network_share_their_limit() {
        let slots = slots();
        let of_network: Vec<Slot> =
            (0..4).map(|n| slots.enter(address(&format!("2001:db8:0:1::{n:x}"))).unwrap()).collect();
        let elsewhere = slots.enter(address("2001:db8:0:2::1")).unwrap();
        assert!(is_closed(&of_network[0]) && !is_closed(&of_network[3]) && !is_closed(&elsewhere));
    }

    #[test]
    fn connection_that_signs_in_is_not_closed_for_others() {
        let slots = slots();
        let mut signing_in: Vec<Slot> = (0..3).map(|_| slots.enter(address("10.0.0.1")).unwrap()).collect();
        signing_in.iter_mut().for_each(Slot::signing_in);
        assert_eq!(slots.enter(address("10.0.0.1")).unwrap_err(), NoSlot::AddressFull);
        let mut other = slots.enter(address("10.0.0.2")).unwrap();
        other.signing_in();
        assert_eq!(slots.enter(address("10.0.0.3")).unwrap_err(), NoSlot::Full);
        assert!(signing_in.iter().all(|slot| !is_closed(slot)));
        signing_in.remove(0).connected().unwrap();
        slots.enter(address("10.0.0.3")).unwrap();
    }

    #[test]
    fn connected_devices_are_limited_in_total_and_per_address() {
        let slots = slots();
        let sign_in = |from: &str| {
            let mut slot = slots.enter(address(from)).unwrap();
            slot.signing_in();
            slot.connected().map(|()| slot)
        };
        let mut connected: Vec<Slot> = (0..4).map(|_| sign_in("10.0.0.1").unwrap()).collect();
        assert_eq!(sign_in("10.0.0.1").unwrap_err(), NoSlot::AddressFull);
        connected.extend((0..2).map(|_| sign_in("10.0.0.2").unwrap()));
        assert_eq!(sign_in("10.0.0.3").unwrap_err(), NoSlot::Full);
        connected.pop();
        connected.push(sign_in("10.0.0.3").unwrap());
        drop(connected);
        let open = slots.lock();
        assert_eq!((open.pending, open.connected, open.networks.len()), (0, 0, 0));
    }

    #[test]
    fn closed_connection_that_leaves_late_frees_nothing_twice() {
        let slots = slots();
        let mut crowd: Vec<Slot> = (0..4).map(|_| slots.enter(address("10.0.0.1")).unwrap()).collect();
        assert_eq!(slots.lock().pending, 3);
        crowd[0].signing_in();
        assert_eq!(crowd[0].connected(), Err(NoSlot::Full));
        crowd.remove(0);
        assert_eq!(slots.lock().pending, 3);
        drop(crowd);
        let open = slots.lock();
        assert_eq!((open.pending, open.networks.len()), (0, 0));
    }
}
