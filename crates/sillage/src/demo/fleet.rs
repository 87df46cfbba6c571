//! The demo's fleet: the same for the same seed.

use diffuser::{OffCycle, SystemConfiguration, max_intensity};
use jiff::{SignedDuration, Timestamp};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::folder::Plan;
use super::places::{CITIES, CUSTOMERS, City, FRAGRANCES, NETWORKS, SERVICE_AREAS};

/// The partners that look after the fleet. The first has most of the demo's accounts.
pub(crate) const CSPS: [&str; 3] = ["Meridian Air", "Northlight Scents", "Quayside Services"];

/// One diffuser as it was installed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Unit {
    pub(crate) dsn: String,
    pub(crate) mac: String,
    pub(crate) serial_number: String,
    pub(crate) csp: &'static str,
    pub(crate) customer: &'static str,
    pub(crate) customer_id: String,
    pub(crate) store_number: String,
    pub(crate) service_area: &'static str,
    pub(crate) configuration: SystemConfiguration,
    pub(crate) fragrance: &'static str,
    pub(crate) network: &'static str,
    pub(crate) city: usize,
    pub(crate) created_at: Timestamp,
    pub(crate) mode: i64,
    pub(crate) cycle: i64,
    pub(crate) intensity: i64,
    pub(crate) fan: i64,
    pub(crate) fragrance_remaining: i64,
    /// Whether somebody plugged it in. A few in a hundred stand in the dark.
    pub(crate) plugged_in: bool,
}

impl Unit {
    pub(crate) fn city(&self) -> &'static City {
        &CITIES[self.city]
    }
}

/// The fleet of a plan, installed one after the other until the demo began.
pub(crate) fn of(plan: Plan) -> Vec<Unit> {
    let mut rng = StdRng::seed_from_u64(plan.seed);
    (0..plan.devices).map(|i| unit(i, plan.devices, plan.begun_at, &mut rng)).collect()
}

fn unit(i: usize, count: usize, now: Timestamp, rng: &mut StdRng) -> Unit {
    let configuration = pick(rng, &SystemConfiguration::ALL);
    let cycle = rng.random_range(1..=3);
    let max = i64::from(max_intensity(&configuration, OffCycle::try_from(cycle).ok()));
    let customer = rng.random_range(0..CUSTOMERS.len());
    let store = rng.random_range(1..=40);
    // A store stands in one city, whatever its diffusers do.
    let city = (customer * 7 + store * 3) % CITIES.len();
    let age = SignedDuration::from_hours(i64::try_from((count - i) * 6).unwrap_or(i64::MAX / 3600).min(20_000));
    Unit {
        dsn: format!("AC000W{:09}", 100_000 + i),
        mac: format!("02005e{i:06x}"),
        serial_number: format!("SL-{}", 20_000 + i),
        csp: CSPS[[0, 0, 0, 1, 1, 2][i % 6]],
        customer: CUSTOMERS[customer],
        customer_id: format!("C-{}", 1000 + customer),
        store_number: format!("{store:03}"),
        service_area: pick(rng, SERVICE_AREAS),
        configuration,
        fragrance: pick(rng, FRAGRANCES),
        network: pick(rng, NETWORKS),
        city,
        created_at: now - age,
        mode: pick(rng, &[1, 3, 3, 3, 4, 4]),
        cycle,
        intensity: rng.random_range(5..=max),
        fan: rng.random_range(0..=5),
        fragrance_remaining: rng.random_range(0..=100),
        plugged_in: rng.random_ratio(94, 100),
    }
}

fn pick<T: Clone>(rng: &mut StdRng, choices: &[T]) -> T {
    choices[rng.random_range(0..choices.len())].clone()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn build(devices: usize, seed: u64) -> Vec<Unit> {
        of(Plan { devices, seed, begun_at: "2026-11-20T12:00:00Z".parse().unwrap() })
    }

    #[test]
    fn the_same_seed_gives_the_same_fleet() {
        assert_eq!(build(50, 7), build(50, 7));
        assert_ne!(build(50, 7), build(50, 8));
    }

    #[test]
    fn every_unit_is_its_own_and_could_exist() {
        let fleet = build(500, 1);
        assert_eq!(fleet.iter().map(|unit| &unit.dsn).collect::<HashSet<_>>().len(), 500);
        assert_eq!(fleet.iter().map(|unit| &unit.serial_number).collect::<HashSet<_>>().len(), 500);
        for unit in &fleet {
            let max = max_intensity(&unit.configuration, OffCycle::try_from(unit.cycle).ok());
            assert!((1..=i64::from(max)).contains(&unit.intensity), "{unit:?}");
        }
    }

    #[test]
    fn every_partner_has_devices_and_some_stand_in_the_dark() {
        let fleet = build(200, 1);
        for csp in CSPS {
            assert!(fleet.iter().any(|unit| unit.csp == csp));
        }
        let dark = fleet.iter().filter(|unit| !unit.plugged_in).count();
        assert!((1..50).contains(&dark), "{dark}");
    }
}
