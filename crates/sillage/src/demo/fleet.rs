//! The demo's fleet: the same for the same plan.

use std::net::Ipv4Addr;

use diffuser::{Fan, Fragrance, MIN_INTENSITY, Mode, OffCycle, SystemConfiguration, max_intensity};
use jiff::{SignedDuration, Timestamp};

use super::dice::Dice;
use super::diffusers::HOST_VERSIONS;
use super::fates::{Fate, Lot, block};
use super::folder::Plan;
use super::stores::{Store, Stores};
use super::unit::{Service, Site, Unit};
use super::{fragrances, schedules};

/// Diffusers in the factory, on top of those that a plan asks for.
const STOCK: usize = 10;
/// Whom each of six diffusers in a row belongs to.
const PARTNERS: [usize; 6] = [0, 0, 0, 1, 1, 2];
/// The first diffuser was installed so long ago; the others followed at a steady pace.
const OLDEST: SignedDuration = SignedDuration::from_hours(900 * 24);
const DAY: SignedDuration = SignedDuration::from_hours(24);
const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// The fleet of a plan, installed one store after the other until the demo began, and the factory's stock.
pub(crate) fn of(plan: Plan) -> Vec<Unit> {
    let mut stores = [0, 1, 2].map(|csp| Stores::of(csp, plan.seed));
    let lots = (0..).flat_map(|number| block(plan.seed, number));
    let installed = (0..plan.devices).zip(lots);
    let mut fleet: Vec<Unit> =
        installed.map(|(i, lot)| unit(plan, i, lot, &mut stores[PARTNERS[i % PARTNERS.len()]])).collect();
    fleet.extend(stock_dsns().enumerate().map(|(i, dsn)| stock(plan, i, dsn)));
    fleet
}

/// The serial numbers of the stock: the same in every demo, so that they can be learnt.
pub(crate) fn stock_dsns() -> impl Iterator<Item = String> {
    (0..STOCK).map(|i| format!("AC000W{:09}", 900_000 + i))
}

fn unit(plan: Plan, i: usize, lot: Lot, stores: &mut Stores) -> Unit {
    let age = OLDEST.as_secs() * whole(plan.devices - i) / whole(plan.devices);
    let (store, service_area, at) = stores.next(plan.begun_at - SignedDuration::from_secs(age));
    let installed_at = at.min(plan.begun_at - HOUR);
    let dsn = format!("AC000W{:09}", 100_000 + i);
    let mut dice = Dice::of(plan.seed, &dsn);
    let configuration = dice.weighted(store.customer.kind.configurations()).clone();
    let fragrance = fragrance(&store, &configuration, &mut dice);
    let service = (lot.fate != Fate::NeverConnected)
        .then(|| service(&store, &configuration, installed_at, plan.begun_at, lot, &mut dice));
    Unit {
        mac: format!("02005e{i:06x}"),
        serial_number: format!("SL-{}", 20_000 + i),
        configuration,
        made_at: installed_at,
        site: Some(Site { store, service_area, fragrance, installed_at, service }),
        dsn,
    }
}

fn stock(plan: Plan, i: usize, dsn: String) -> Unit {
    Unit {
        mac: format!("02005f{i:06x}"),
        serial_number: format!("SL-{}", 900_000 + i),
        configuration: Dice::of(plan.seed, &dsn).pick(&SystemConfiguration::ALL),
        made_at: plan.begun_at - DAY,
        site: None,
        dsn,
    }
}

/// One of its customer's that its model can spread.
fn fragrance(store: &Store, configuration: &SystemConfiguration, dice: &mut Dice) -> &'static Fragrance {
    let all = store.customer.fragrances.iter().map(|name| fragrances::named(name));
    dice.pick(&all.filter(|fragrance| fragrance.flow(configuration).is_some()).collect::<Vec<_>>())
}

fn service(
    store: &Store,
    configuration: &SystemConfiguration,
    installed_at: Timestamp,
    now: Timestamp,
    lot: Lot,
    dice: &mut Dice,
) -> Service {
    let cycle = dice.pick(&[OffCycle::VeryShort, OffCycle::Short, OffCycle::Normal]);
    let max = max_intensity(configuration, Some(cycle));
    let intensity = u8::try_from(dice.within(8..=i64::from(max))).unwrap_or(MIN_INTENSITY);
    let mode = if lot.fate == Fate::ModeTwo { Mode::Two } else { lot.mode };
    let age = now.as_second() - installed_at.as_second();
    let unplugged_at = (lot.fate == Fate::Unplugged).then(|| {
        let ago = dice.within(3600..=(40 * DAY).as_secs().min(age / 2));
        now - SignedDuration::from_secs(ago)
    });
    let until = unplugged_at.unwrap_or(now);
    Service {
        modes: modes(mode, installed_at, until, dice),
        cycle,
        intensity,
        fan: Fan::try_from(i64::from(lot.fan)).unwrap_or(Fan::OFF),
        schedule: schedules::of(store, intensity, max, dice),
        host_version: dice.pick(&HOST_VERSIONS),
        wanted_percent: u8::try_from(match lot.fate {
            Fate::Empty => 0,
            Fate::Low => dice.within(2..=17),
            _ => dice.within(21..=98),
        })
        .unwrap_or(0),
        connected_at: until - SignedDuration::from_secs(dice.within(60..=(14 * DAY).as_secs().min(age / 4))),
        unplugged_at,
        lan_ip: Ipv4Addr::new(192, 168, dice.pick(&[0, 1, 10]), dice.pick(&[21, 34, 57, 68, 102, 140, 177, 203])),
    }
}

/// What is off today ran once, and some of the others were set otherwise when they were installed.
fn modes(mode: Mode, installed_at: Timestamp, until: Timestamp, dice: &mut Dice) -> Vec<(Timestamp, Mode)> {
    let before = match mode {
        Mode::Off | Mode::Two => Some(dice.pick(&[Mode::AllDay, Mode::Run])),
        Mode::Run => dice.happens(40).then_some(Mode::AllDay),
        Mode::AllDay => dice.happens(15).then_some(Mode::Run),
    };
    let Some(before) = before else { return vec![(installed_at, mode)] };
    let seconds = until.as_second() - installed_at.as_second();
    let after = dice.within(seconds / 2..=seconds * 9 / 10);
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

    fn build(devices: usize, seed: u64) -> Vec<Unit> {
        of(plan(devices, seed))
    }

    fn plan(devices: usize, seed: u64) -> Plan {
        Plan { devices, seed, begun_at: "2026-11-20T12:00:00Z".parse().unwrap() }
    }

    fn fleets() -> impl Iterator<Item = Vec<Unit>> {
        SIZES.into_iter().flat_map(|devices| (1..=3).map(move |seed| build(devices, seed)))
    }

    fn services(fleet: &[Unit]) -> impl Iterator<Item = (&Unit, &Service)> {
        fleet.iter().filter_map(|unit| Some((unit, unit.service()?)))
    }

    #[test]
    fn the_same_seed_gives_the_same_fleet() {
        assert_eq!(build(50, 7), build(50, 7));
        assert_ne!(build(50, 7), build(50, 8));
    }

    #[test]
    fn every_diffuser_is_one_of_its_own_and_the_factory_has_ten_more() {
        for devices in SIZES {
            let fleet = build(devices, 1);
            assert_eq!(fleet.len(), devices + STOCK);
            assert_eq!(fleet.iter().filter(|unit| unit.site.is_none()).count(), STOCK);
            let names: [fn(&Unit) -> &String; 3] = [|unit| &unit.dsn, |unit| &unit.mac, |unit| &unit.serial_number];
            for name in names {
                assert_eq!(fleet.iter().map(name).collect::<HashSet<_>>().len(), devices + STOCK);
            }
        }
    }

    #[test]
    fn all_is_set_within_its_limits_and_no_schedule_contradicts_itself() {
        for fleet in fleets() {
            for (unit, service) in services(&fleet) {
                let max = max_intensity(&unit.configuration, Some(service.cycle));
                assert!((MIN_INTENSITY..=max).contains(&service.intensity), "{unit:?}");
                assert_eq!(service.schedule.validate(max), Ok(()), "{}", unit.dsn);
                for (number, _) in service.schedule.frames() {
                    assert_eq!(service.schedule.conflicts_of(number), [0u8; 0], "{} {number}", unit.dsn);
                }
                assert!(service.schedule.frames().any(|(_, frame)| frame.active), "{}", unit.dsn);
            }
        }
    }

    #[test]
    fn nothing_happened_before_it_could() {
        let now = plan(2, 1).begun_at;
        for fleet in fleets() {
            for (unit, service) in services(&fleet) {
                let installed_at = unit.site.as_ref().unwrap().installed_at;
                let until = service.unplugged_at.unwrap_or(now);
                assert!(installed_at < until && until <= now, "{unit:?}");
                assert_eq!(service.modes[0].0, installed_at);
                assert!(service.modes.is_sorted_by_key(|(at, _)| at) && service.modes.last().unwrap().0 < until);
                assert!(installed_at < service.connected_at && service.connected_at < until);
            }
        }
    }

    #[test]
    fn the_diffusers_of_a_store_share_partner_customer_city_and_network_but_no_service_area() {
        for fleet in fleets() {
            let mut stores: HashMap<_, Vec<&Site>> = HashMap::new();
            for site in fleet.iter().filter_map(|unit| unit.site.as_ref()) {
                stores.entry((site.store.customer.id, &site.store.number)).or_default().push(site);
            }
            for sites in stores.values() {
                assert!(sites.iter().all(|site| site.store == sites[0].store));
                assert_eq!(sites.iter().map(|site| site.service_area).collect::<HashSet<_>>().len(), sites.len());
            }
        }
    }

    #[test]
    fn every_partner_has_devices_and_a_larger_fleet_has_all_customers_on_wifi_and_on_cables() {
        for fleet in fleets().filter(|fleet| fleet.len() >= 6 + STOCK) {
            let csps: HashSet<_> = fleet.iter().filter_map(|unit| Some(unit.site.as_ref()?.store.csp)).collect();
            assert_eq!(csps, CSPS.into());
        }
        let fleet = build(2000, 1);
        let sites: Vec<&Site> = fleet.iter().filter_map(|unit| unit.site.as_ref()).collect();
        assert_eq!(sites.iter().map(|site| site.store.customer.id).collect::<HashSet<_>>().len(), 18);
        assert_eq!(fleet.iter().map(|unit| unit.configuration.cart_name()).collect::<HashSet<_>>().len(), 7);
        let cables = sites.iter().filter(|site| site.store.ssid.is_none()).count();
        assert!((100..600).contains(&cables), "{cables}");
    }

    #[test]
    fn some_diffusers_give_their_technicians_something_to_do() {
        for seed in 1..=5 {
            let fleet = build(200, seed);
            let count = |wanted: fn(&Unit) -> bool| fleet.iter().filter(|unit| wanted(unit)).count();
            let dark = count(|unit| unit.service().is_some_and(|service| service.unplugged_at.is_some()));
            let never = count(|unit| unit.site.as_ref().is_some_and(|site| site.service.is_none()));
            let mode_two = count(|unit| unit.service().is_some_and(|service| service.mode() == Mode::Two));
            assert!((13..=16).contains(&dark) && (7..=8).contains(&never), "{dark} {never}");
            assert_eq!(mode_two, 3);
        }
    }

    /// What a test or a visitor looks for: online diffusers in every mode, in both halves of a fleet of sixty.
    #[test]
    fn both_halves_of_a_small_fleet_have_something_of_everything() {
        for seed in 1..=20 {
            let fleet = build(60, seed);
            for half in [&fleet[..30], &fleet[30..60]] {
                let online: Vec<_> = services(half).filter(|(unit, _)| unit.is_plugged_in()).collect();
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
