//! Builds the demo's fleet. Equal plans give equal fleets.

use std::net::Ipv4Addr;

use diffuser::{Fan, Fragrance, MIN_INTENSITY, Mode, OffCycle, SystemConfiguration, max_intensity};
use jiff::{SignedDuration, Timestamp};

use super::data_folder::FleetPlan;
use super::device::{DemoDevice, Installation, ServiceRecord};
use super::diffusers::HOST_VERSIONS;
use super::profiles::{Condition, Profile, profiles};
use super::rng::SeededRng;
use super::stores::{Store, Stores};
use super::{fragrances, schedules};

/// The number of diffusers in the factory stock, in addition to those of the plan.
const STOCK: usize = 10;
/// The partner of each of six consecutive diffusers.
const PARTNERS: [usize; 6] = [0, 0, 0, 1, 1, 2];
/// The age of the first installation. The others followed at regular intervals.
const OLDEST: SignedDuration = SignedDuration::from_hours(900 * 24);
const DAY: SignedDuration = SignedDuration::from_hours(24);
const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// Builds the fleet of a plan, installed store by store until the demo began, followed by the factory stock.
pub(crate) fn build(plan: FleetPlan) -> Vec<DemoDevice> {
    let mut stores = [0, 1, 2].map(|csp| Stores::new(csp, plan.seed));
    let profiles = (0..).flat_map(|number| profiles(plan.seed, number));
    let installed = (0..plan.devices).zip(profiles);
    let mut fleet: Vec<DemoDevice> =
        installed.map(|(i, profile)| device(plan, i, profile, &mut stores[PARTNERS[i % PARTNERS.len()]])).collect();
    fleet.extend(stock_dsns().enumerate().map(|(i, dsn)| stock(plan, i, dsn)));
    fleet
}

/// The serial numbers of the stock. They are the same in every demo, so that people can remember them.
pub(crate) fn stock_dsns() -> impl Iterator<Item = String> {
    (0..STOCK).map(|i| format!("AC000W{:09}", 900_000 + i))
}

fn device(plan: FleetPlan, i: usize, profile: Profile, stores: &mut Stores) -> DemoDevice {
    let age = OLDEST.as_secs() * whole(plan.devices - i) / whole(plan.devices);
    let (store, service_area, at) = stores.next(plan.begun_at - SignedDuration::from_secs(age));
    let installed_at = at.min(plan.begun_at - HOUR);
    let dsn = format!("AC000W{:09}", 100_000 + i);
    let mut rng = SeededRng::new(plan.seed, &dsn);
    let configuration = rng.weighted(store.customer.business_type.configurations()).clone();
    let fragrance = fragrance(&store, &configuration, &mut rng);
    let service = (profile.condition != Condition::NeverConnected)
        .then(|| service(&store, &configuration, installed_at, plan.begun_at, profile, &mut rng));
    DemoDevice {
        mac: format!("02005e{i:06x}"),
        serial_number: format!("SL-{}", 20_000 + i),
        configuration,
        made_at: installed_at,
        installation: Some(Installation { store, service_area, fragrance, installed_at, service }),
        dsn,
    }
}

fn stock(plan: FleetPlan, i: usize, dsn: String) -> DemoDevice {
    DemoDevice {
        mac: format!("02005f{i:06x}"),
        serial_number: format!("SL-{}", 900_000 + i),
        configuration: SeededRng::new(plan.seed, &dsn).pick(&SystemConfiguration::ALL),
        made_at: plan.begun_at - DAY,
        installation: None,
        dsn,
    }
}

/// One of the customer's fragrances that the model can diffuse.
fn fragrance(store: &Store, configuration: &SystemConfiguration, rng: &mut SeededRng) -> &'static Fragrance {
    let all = store.customer.fragrances.iter().map(|name| fragrances::named(name));
    rng.pick(&all.filter(|fragrance| fragrance.flow(configuration).is_some()).collect::<Vec<_>>())
}

fn service(
    store: &Store,
    configuration: &SystemConfiguration,
    installed_at: Timestamp,
    now: Timestamp,
    profile: Profile,
    rng: &mut SeededRng,
) -> ServiceRecord {
    let cycle = rng.pick(&[OffCycle::VeryShort, OffCycle::Short, OffCycle::Normal]);
    let max = max_intensity(configuration, Some(cycle));
    let intensity = u8::try_from(rng.in_range(8..=i64::from(max))).unwrap_or(MIN_INTENSITY);
    let mode = if profile.condition == Condition::ModeTwo { Mode::Two } else { profile.mode };
    let age = now.as_second() - installed_at.as_second();
    let unplugged_at = (profile.condition == Condition::Unplugged).then(|| {
        let ago = rng.in_range(3600..=(40 * DAY).as_secs().min(age / 2));
        now - SignedDuration::from_secs(ago)
    });
    let until = unplugged_at.unwrap_or(now);
    ServiceRecord {
        modes: modes(mode, installed_at, until, rng),
        cycle,
        intensity,
        fan: Fan::try_from(i64::from(profile.fan)).unwrap_or(Fan::OFF),
        schedule: schedules::schedule(store, intensity, max, rng),
        host_version: rng.pick(&HOST_VERSIONS),
        wanted_percent: u8::try_from(match profile.condition {
            Condition::EmptyCartridge => 0,
            Condition::LowCartridge => rng.in_range(2..=17),
            // Enough is used for a refill.
            Condition::Faulty(_) => 40,
            _ => rng.in_range(21..=98),
        })
        .unwrap_or(0),
        connected_at: until - SignedDuration::from_secs(rng.in_range(60..=(14 * DAY).as_secs().min(age / 4))),
        unplugged_at,
        fault: match profile.condition {
            Condition::Faulty(fault) => Some(fault),
            _ => None,
        },
        lan_ip: Ipv4Addr::new(192, 168, rng.pick(&[0, 1, 10]), rng.pick(&[21, 34, 57, 68, 102, 140, 177, 203])),
    }
}

/// The modes since the installation. Diffusers that are off now ran before, and some others had a different mode at first.
fn modes(mode: Mode, installed_at: Timestamp, until: Timestamp, rng: &mut SeededRng) -> Vec<(Timestamp, Mode)> {
    let before = match mode {
        Mode::Off | Mode::Two => Some(rng.pick(&[Mode::AllDay, Mode::Run])),
        Mode::Run => rng.chance(40).then_some(Mode::AllDay),
        Mode::AllDay => rng.chance(15).then_some(Mode::Run),
    };
    let Some(before) = before else { return vec![(installed_at, mode)] };
    let seconds = until.as_second() - installed_at.as_second();
    let after = rng.in_range(seconds / 2..=seconds * 9 / 10);
    vec![(installed_at, before), (installed_at + SignedDuration::from_secs(after), mode)]
}

fn whole(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::super::customers::CSPS;
    use super::*;

    const SIZES: [usize; 5] = [2, 7, 60, 200, 2000];

    fn fleet(devices: usize, seed: u64) -> Vec<DemoDevice> {
        build(plan(devices, seed))
    }

    fn plan(devices: usize, seed: u64) -> FleetPlan {
        FleetPlan { devices, seed, begun_at: "2026-11-20T12:00:00Z".parse().unwrap() }
    }

    fn fleets() -> impl Iterator<Item = Vec<DemoDevice>> {
        SIZES.into_iter().flat_map(|devices| (1..=3).map(move |seed| fleet(devices, seed)))
    }

    fn services(fleet: &[DemoDevice]) -> impl Iterator<Item = (&DemoDevice, &ServiceRecord)> {
        fleet.iter().filter_map(|device| Some((device, device.service()?)))
    }

    #[test]
    fn same_seed_gives_the_same_fleet() {
        assert_eq!(fleet(50, 7), fleet(50, 7));
        assert_ne!(fleet(50, 7), fleet(50, 8));
    }

    #[test]
    fn identifiers_are_unique_and_the_factory_stock_has_ten_devices() {
        for devices in SIZES {
            let fleet = fleet(devices, 1);
            assert_eq!(fleet.len(), devices + STOCK);
            assert_eq!(fleet.iter().filter(|device| device.installation.is_none()).count(), STOCK);
            let names: [fn(&DemoDevice) -> &String; 3] =
                [|device| &device.dsn, |device| &device.mac, |device| &device.serial_number];
            for name in names {
                assert_eq!(fleet.iter().map(name).collect::<HashSet<_>>().len(), devices + STOCK);
            }
        }
    }

    #[test]
    fn settings_are_within_limits_and_schedules_have_no_conflicts() {
        for fleet in fleets() {
            for (device, service) in services(&fleet) {
                let max = max_intensity(&device.configuration, Some(service.cycle));
                assert!((MIN_INTENSITY..=max).contains(&service.intensity), "{device:?}");
                assert_eq!(service.schedule.validate(max), Ok(()), "{}", device.dsn);
                for (number, _) in service.schedule.frames() {
                    assert_eq!(service.schedule.conflicts_of(number), [0u8; 0], "{} {number}", device.dsn);
                }
                assert!(service.schedule.frames().any(|(_, frame)| frame.active), "{}", device.dsn);
            }
        }
    }

    #[test]
    fn events_are_in_chronological_order() {
        let now = plan(2, 1).begun_at;
        for fleet in fleets() {
            for (device, service) in services(&fleet) {
                let installed_at = device.installation.as_ref().unwrap().installed_at;
                let until = service.unplugged_at.unwrap_or(now);
                assert!(installed_at < until && until <= now, "{device:?}");
                assert_eq!(service.modes[0].0, installed_at);
                assert!(service.modes.is_sorted_by_key(|(at, _)| at) && service.modes.last().unwrap().0 < until);
                assert!(installed_at < service.connected_at && service.connected_at < until);
            }
        }
    }

    #[test]
    fn diffusers_of_a_store_share_everything_but_the_service_area() {
        for fleet in fleets() {
            let mut stores: HashMap<_, Vec<&Installation>> = HashMap::new();
            for installation in fleet.iter().filter_map(|device| device.installation.as_ref()) {
                stores
                    .entry((installation.store.customer.id, &installation.store.number))
                    .or_default()
                    .push(installation);
            }
            for installations in stores.values() {
                assert!(installations.iter().all(|installation| installation.store == installations[0].store));
                assert_eq!(
                    installations.iter().map(|installation| installation.service_area).collect::<HashSet<_>>().len(),
                    installations.len()
                );
            }
        }
    }

    #[test]
    fn every_partner_has_devices_and_a_large_fleet_has_all_customers() {
        for fleet in fleets().filter(|fleet| fleet.len() >= 6 + STOCK) {
            let csps: HashSet<_> =
                fleet.iter().filter_map(|device| Some(device.installation.as_ref()?.store.csp)).collect();
            assert_eq!(csps, CSPS.into());
        }
        let fleet = fleet(2000, 1);
        let installations: Vec<&Installation> =
            fleet.iter().filter_map(|device| device.installation.as_ref()).collect();
        assert_eq!(
            installations.iter().map(|installation| installation.store.customer.id).collect::<HashSet<_>>().len(),
            18
        );
        assert_eq!(fleet.iter().map(|device| device.configuration.cart_name()).collect::<HashSet<_>>().len(), 7);
        let cables = installations.iter().filter(|installation| installation.store.ssid.is_none()).count();
        assert!((100..600).contains(&cables), "{cables}");
    }

    #[test]
    fn some_diffusers_need_a_technician() {
        for seed in 1..=5 {
            let fleet = fleet(200, seed);
            let count = |wanted: fn(&DemoDevice) -> bool| fleet.iter().filter(|device| wanted(device)).count();
            let unplugged = count(|device| device.service().is_some_and(|service| service.unplugged_at.is_some()));
            let never =
                count(|device| device.installation.as_ref().is_some_and(|installation| installation.service.is_none()));
            let mode_two = count(|device| device.service().is_some_and(|service| service.mode() == Mode::Two));
            assert!((13..=16).contains(&unplugged) && (7..=8).contains(&never), "{unplugged} {never}");
            assert_eq!(mode_two, 3);
        }
    }

    /// Browser tests and visitors expect online diffusers in every mode in both halves of a fleet of sixty.
    #[test]
    fn both_halves_of_a_small_fleet_cover_every_mode() {
        for seed in 1..=20 {
            let fleet = fleet(60, seed);
            for half in [&fleet[..30], &fleet[30..60]] {
                let online: Vec<_> = services(half).filter(|(device, _)| device.is_plugged_in()).collect();
                assert!(online.len() >= 22);
                for mode in [Mode::Off, Mode::AllDay, Mode::Run] {
                    assert!(online.iter().any(|(_, service)| service.mode() == mode), "{seed} {mode:?}");
                }
                assert!(online.iter().any(|(_, service)| service.fan == Fan::OFF), "{seed}");
            }
            assert!(services(&fleet).any(|(_, service)| service.mode() == Mode::Two), "{seed}");
        }
    }
}
