//! A fleet of any size, similar to the demo's. Equal sizes give equal fleets.

use console::testing::IndexedDevice;
use jiff::{SignedDuration, Timestamp};
use platform::run::random::Random;

/// The partner with a fifth of the fleet.
pub(crate) const LARGE_CSP: &str = "Meridian Air";
/// One of the other partners.
pub(crate) const SMALL_CSP: &str = "Partner 007";

const NOW: &str = "2026-11-20T12:00:00Z";
/// The age of the first registration. The others followed at regular intervals.
const OLDEST: SignedDuration = SignedDuration::from_hours(900 * 24);

/// A customer's name, the name of its Wi-Fi, and its service areas.
type Customer = (&'static str, &'static str, &'static [&'static str]);

const CUSTOMERS: [Customer; 9] = [
    ("Aldergate Hotels", "Aldergate-Facilities", &["Lobby", "Lift hall", "Ballroom", "Bar", "Corridor 2", "Spa"]),
    ("Beacon Dental", "beacon-iot", &["Reception", "Waiting room", "Corridor"]),
    ("Cedar & Pine Outfitters", "CPO-Store", &["Entrance", "Fitting rooms", "Tills", "First floor"]),
    ("Fairmile Casinos", "FM-BackOfHouse", &["Gaming floor", "High-limit room", "Poker room", "Lounge"]),
    ("Juniper Bookshops", "juniper_shop", &["Entrance", "Tills", "Restrooms"]),
    ("Larkspur Spa Group", "Larkspur-Quiet", &["Reception", "Relaxation room", "Treatment 1", "Treatment 2"]),
    ("Orchard Court Offices", "OCO-Building", &["Reception", "Lift hall", "Meeting rooms", "Canteen"]),
    ("Saffron House Hotels", "SHH-Engineering", &["Lobby", "Lift hall", "Reception", "Restrooms"]),
    ("Thistle Coffee Houses", "Thistle-Ops", &["Counter", "Lounge"]),
];

/// City, state or province, country, time zone and position.
type City = (&'static str, &'static str, &'static str, &'static str, (f64, f64));

const CITIES: [City; 20] = [
    ("Chicago", "Illinois", "United States", "America/Chicago", (41.88, -87.63)),
    ("Milwaukee", "Wisconsin", "United States", "America/Chicago", (43.04, -87.91)),
    ("Denver", "Colorado", "United States", "America/Denver", (39.74, -104.99)),
    ("Phoenix", "Arizona", "United States", "America/Phoenix", (33.45, -112.07)),
    ("Seattle", "Washington", "United States", "America/Los_Angeles", (47.61, -122.33)),
    ("Atlanta", "Georgia", "United States", "America/New_York", (33.75, -84.39)),
    ("Toronto", "Ontario", "Canada", "America/Toronto", (43.65, -79.38)),
    ("St. John's", "Newfoundland and Labrador", "Canada", "America/St_Johns", (47.56, -52.71)),
    ("São Paulo", "São Paulo", "Brazil", "America/Sao_Paulo", (-23.55, -46.63)),
    ("London", "London, City of", "United Kingdom", "Europe/London", (51.51, -0.13)),
    ("Edinburgh", "Edinburgh, City of", "United Kingdom", "Europe/London", (55.95, -3.19)),
    ("Lisbon", "Lisboa", "Portugal", "Europe/Lisbon", (38.72, -9.14)),
    ("Madrid", "Madrid", "Spain", "Europe/Madrid", (40.42, -3.7)),
    ("Paris", "Île-de-France", "France", "Europe/Paris", (48.86, 2.35)),
    ("Vienna", "Wien", "Austria", "Europe/Vienna", (48.21, 16.37)),
    ("Cape Town", "Western Cape", "South Africa", "Africa/Johannesburg", (-33.92, 18.42)),
    ("Mumbai", "Maharashtra", "India", "Asia/Kolkata", (19.08, 72.88)),
    ("Singapore", "", "Singapore", "Asia/Singapore", (1.35, 103.82)),
    ("Sydney", "New South Wales", "Australia", "Australia/Sydney", (-33.87, 151.21)),
    ("Auckland", "Auckland", "New Zealand", "Pacific/Auckland", (-36.85, 174.76)),
];

const FRAGRANCES: [&str; 5] = ["White Tea", "Sandalwood Hall", "Clean Slate", "Fig Leaf", "Ocean Mist"];

/// The number of small partners. Each has about two hundred devices in a small fleet, and some thousands in a large one.
fn partners(devices: usize) -> u64 {
    match devices {
        ..50_000 => 40,
        50_000..500_000 => 100,
        _ => 250,
    }
}

/// The devices in the order of their registration.
pub(crate) fn of(devices: usize) -> impl Iterator<Item = IndexedDevice> {
    let (random, partners) = (Random::seeded(1), partners(devices));
    (0..devices).map(move |number| device(&random, number, devices, partners))
}

fn device(random: &Random, number: usize, devices: usize, partners: u64) -> IndexedDevice {
    let one_in = |n: u64| random.below(n) == 0;
    let csp = if one_in(5) { LARGE_CSP.to_owned() } else { format!("Partner {:03}", random.below(partners)) };
    let (customer, ssid, areas) = pick(random, &CUSTOMERS);
    let (city, state_province, country, time_zone, (latitude, longitude)) = pick(random, &CITIES);
    let age = OLDEST.as_secs() * i64::try_from(devices - number).unwrap() / i64::try_from(devices).unwrap();
    let now: Timestamp = NOW.parse().unwrap();
    let ago = |most: i64| i64::try_from(random.below(most.unsigned_abs() + 1)).unwrap();
    // One in seven is offline, and one in 28 never connected.
    let fate = random.below(28);
    let online = fate >= 5;
    let seen = now - SignedDuration::from_secs(if online { ago(age / 20) } else { ago(age) });
    IndexedDevice {
        dsn: format!("AC000W{:09}", 100_000 + number),
        csp,
        serial_number: format!("SL-{}", 20_000 + number),
        // A company has stores in many regions.
        customer: format!("{} {:02}", customer, random.below(60)),
        store_number: format!("{:03}", random.below(900)),
        service_area: (*pick(random, areas)).to_owned(),
        system_configuration: pick(random, &diffuser::SystemConfiguration::ALL).cart_name().to_owned(),
        fragrance: (*pick(random, &FRAGRANCES)).to_owned(),
        ssid: if one_in(7) { String::new() } else { (*ssid).to_owned() },
        city: (*city).to_owned(),
        state_province: (*state_province).to_owned(),
        country: (*country).to_owned(),
        time_zone: (*time_zone).to_owned(),
        created_at: now - SignedDuration::from_secs(age),
        online,
        connected_at: (fate > 0).then_some(seen),
        fragrance_remaining: (!one_in(20)).then(|| i64::try_from(random.below(101)).unwrap()),
        place: (!one_in(10)).then(|| (latitude + degrees(random), longitude + degrees(random))),
    }
}

/// A random offset of up to half a degree.
fn degrees(random: &Random) -> f64 {
    f64::from(u32::try_from(random.below(1001)).unwrap()) / 1000.0 - 0.5
}

fn pick<'a, T>(random: &Random, choices: &'a [T]) -> &'a T {
    &choices[usize::try_from(random.below(choices.len() as u64)).unwrap()]
}
