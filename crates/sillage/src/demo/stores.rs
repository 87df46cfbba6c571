//! Generates stores one after the other. A store gets all its diffusers before the next one opens.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};

use super::cities::{self, City};
use super::customers::{CSPS, CUSTOMERS, Customer};
use super::rng::SeededRng;

/// Time between two installations during one visit to a store.
const PER_DIFFUSER: SignedDuration = SignedDuration::from_mins(25);

/// A location of a customer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Store {
    pub(crate) csp: &'static str,
    pub(crate) customer: &'static Customer,
    pub(crate) number: String,
    pub(crate) city: &'static City,
    /// The Wi-Fi's name, or `None` for wired diffusers.
    pub(crate) ssid: Option<&'static str>,
    /// The index of its opening hours among those of its business type.
    pub(super) week: usize,
    /// The shift of its opening hours, in minutes; negative is earlier.
    pub(super) minutes_later: i64,
}

/// Assigns the diffusers of one partner to stores.
pub(super) struct Stores {
    csp: usize,
    rng: SeededRng,
    opened: HashMap<&'static str, i64>,
    present: Option<OpenStore>,
}

struct OpenStore {
    store: Store,
    areas: Vec<&'static str>,
    next_at: Timestamp,
}

impl Stores {
    pub(super) fn new(csp: usize, seed: u64) -> Self {
        Self { csp, rng: SeededRng::new(seed, CSPS[csp]), opened: HashMap::new(), present: None }
    }

    /// The store, service area and time of the next installation. A new store opens at `at`.
    pub(super) fn next(&mut self, at: Timestamp) -> (Store, &'static str, Timestamp) {
        let mut open = self.present.take().filter(|open| !open.areas.is_empty()).unwrap_or_else(|| self.open(at));
        let area = open.areas.pop().expect("a store without free areas was dropped above");
        let (store, installed_at) = (open.store.clone(), open.next_at);
        open.next_at += PER_DIFFUSER;
        self.present = Some(open);
        (store, area, installed_at)
    }

    fn open(&mut self, at: Timestamp) -> OpenStore {
        let rng = &mut self.rng;
        let customers = CUSTOMERS[self.csp];
        let customer = &customers[rng.random_index(customers)];
        let opened = self.opened.entry(customer.id).or_default();
        *opened += rng.in_range(1..=3);
        let mut areas = customer.business_type.service_areas().to_vec();
        areas.truncate(usize::try_from(rng.in_range(customer.business_type.diffusers_per_store())).unwrap_or(1));
        areas.reverse();
        let store = Store {
            csp: CSPS[self.csp],
            customer,
            number: format!("{opened:03}"),
            city: cities::named(rng.pick(customer.cities)),
            ssid: (!rng.chance(15)).then_some(customer.ssid),
            week: rng.random_index(customer.business_type.weeks()),
            minutes_later: 15 * rng.in_range(-2..=2),
        };
        OpenStore { store, areas, next_at: at }
    }
}
