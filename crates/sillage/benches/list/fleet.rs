//! A fleet of any size, of the demo's kind: cities, customers, models and ways of numbering. The same for the same size.

use console::testing::IndexedDevice;
use jiff::{SignedDuration, Timestamp};
use platform::random::Random;

/// The partner with a fifth of the fleet.
pub(crate) const LARGE_CSP: &str = "Meridian Air";
/// One of the many others.
pub(crate) const SMALL_CSP: &str = "Partner 007";

const NOW: &str = "2026-11-20T12:00:00Z";
/// The first device was registered so long ago; the others followed at a steady pace.
const OLDEST: SignedDuration = SignedDuration::from_hours(900 * 24);

/// A name, the name of the Wi-Fi, and where in a house diffusers stand.
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

/// City, state or province, country and time zone.
type City = (&'static str, &'static str, &'static str, &'static str);

const CITIES: [City; 20] = [
    ("Chicago", "Illinois", "United States", "America/Chicago"),
    ("Milwaukee", "Wisconsin", "United States", "America/Chicago"),
    ("Denver", "Colorado", "United States", "America/Denver"),
    ("Phoenix", "Arizona", "United States", "America/Phoenix"),
    ("Seattle", "Washington", "United States", "America/Los_Angeles"),
    ("Atlanta", "Georgia", "United States", "America/New_York"),
    ("Toronto", "Ontario", "Canada", "America/Toronto"),
    ("St. John's", "Newfoundland and Labrador", "Canada", "America/St_Johns"),
    ("São Paulo", "São Paulo", "Brazil", "America/Sao_Paulo"),
    ("London", "London, City of", "United Kingdom", "Europe/London"),
    ("Edinburgh", "Edinburgh, City of", "United Kingdom", "Europe/London"),
    ("Lisbon", "Lisboa", "Portugal", "Europe/Lisbon"),
    ("Madrid", "Madrid", "Spain", "Europe/Madrid"),
    ("Paris", "Île-de-France", "France", "Europe/Paris"),
    ("Vienna", "Wien", "Austria", "Europe/Vienna"),
    ("Cape Town", "Western Cape", "South Africa", "Africa/Johannesburg"),
    ("Mumbai", "Maharashtra", "India", "Asia/Kolkata"),
    ("Singapore", "", "Singapore", "Asia/Singapore"),
    ("Sydney", "New South Wales", "Australia", "Australia/Sydney"),
    ("Auckland", "Auckland", "New Zealand", "Pacific/Auckland"),
];

const FRAGRANCES: [&str; 5] = ["White Tea", "Sandalwood Hall", "Clean Slate", "Fig Leaf", "Ocean Mist"];

/// How many small partners look after a fleet: about two hundred devices each in a small one, some thousands in a large one.
fn partners(devices: usize) -> u64 {
    match devices {
        ..50_000 => 40,
        50_000..500_000 => 100,
        _ => 250,
    }
}

/// The devices in the order of their registration.
pub(crate) fn of(devices: usize) -> impl Iterator<Item = IndexedDevice> {
    let (chance, partners) = (Random::seeded(1), partners(devices));
    (0..devices).map(move |number| device(&chance, number, devices, partners))
}

fn device(chance: &Random, number: usize, devices: usize, partners: u64) -> IndexedDevice {
    let one_in = |n: u64| chance.below(n) == 0;
    let csp = if one_in(5) { LARGE_CSP.to_owned() } else { format!("Partner {:03}", chance.below(partners)) };
    let (customer, ssid, areas) = pick(chance, &CUSTOMERS);
    let (city, state_province, country, time_zone) = pick(chance, &CITIES);
    let age = OLDEST.as_secs() * i64::try_from(devices - number).unwrap() / i64::try_from(devices).unwrap();
    let now: Timestamp = NOW.parse().unwrap();
    let ago = |most: i64| i64::try_from(chance.below(most.unsigned_abs() + 1)).unwrap();
    let online = !one_in(7);
    let seen = now - SignedDuration::from_secs(if online { ago(age / 20) } else { ago(age) });
    IndexedDevice {
        dsn: format!("AC000W{:09}", 100_000 + number),
        csp,
        serial_number: format!("SL-{}", 20_000 + number),
        // A company has its houses in many regions.
        customer: format!("{} {:02}", customer, chance.below(60)),
        store_number: format!("{:03}", chance.below(900)),
        service_area: (*pick(chance, areas)).to_owned(),
        system_configuration: pick(chance, &diffuser::SystemConfiguration::ALL).cart_name().to_owned(),
        fragrance: (*pick(chance, &FRAGRANCES)).to_owned(),
        ssid: if one_in(7) { String::new() } else { (*ssid).to_owned() },
        city: (*city).to_owned(),
        state_province: (*state_province).to_owned(),
        country: (*country).to_owned(),
        time_zone: (*time_zone).to_owned(),
        created_at: now - SignedDuration::from_secs(age),
        online,
        connected_at: (online || !one_in(4)).then_some(seen),
    }
}

fn pick<'a, T>(chance: &Random, choices: &'a [T]) -> &'a T {
    &choices[usize::try_from(chance.below(choices.len() as u64)).unwrap()]
}
