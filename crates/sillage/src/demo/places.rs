//! Where the demo's diffusers stand and what they spread: invented customers in real cities.

/// A city: name, state or province, country, time zone, latitude, longitude.
pub(crate) struct City {
    pub(crate) name: &'static str,
    pub(crate) state: &'static str,
    pub(crate) country: &'static str,
    pub(crate) time_zone: &'static str,
    pub(crate) lat: f64,
    pub(crate) lng: f64,
}

const fn city(
    name: &'static str,
    state: &'static str,
    country: &'static str,
    time_zone: &'static str,
    lat: f64,
    lng: f64,
) -> City {
    City { name, state, country, time_zone, lat, lng }
}

pub(crate) const CITIES: &[City] = &[
    city("Chicago", "Illinois", "United States", "America/Chicago", 41.8781, -87.6298),
    city("Milwaukee", "Wisconsin", "United States", "America/Chicago", 43.0389, -87.9065),
    city("Denver", "Colorado", "United States", "America/Denver", 39.7392, -104.9903),
    city("Phoenix", "Arizona", "United States", "America/Phoenix", 33.4484, -112.074),
    city("Seattle", "Washington", "United States", "America/Los_Angeles", 47.6062, -122.3321),
    city("Atlanta", "Georgia", "United States", "America/New_York", 33.749, -84.388),
    city("Boston", "Massachusetts", "United States", "America/New_York", 42.3601, -71.0589),
    city("Toronto", "Ontario", "Canada", "America/Toronto", 43.6532, -79.3832),
    city("Vancouver", "British Columbia", "Canada", "America/Vancouver", 49.2827, -123.1207),
    city("London", "London, City of", "United Kingdom", "Europe/London", 51.5074, -0.1278),
    city("Lisbon", "Lisboa", "Portugal", "Europe/Lisbon", 38.7223, -9.1393),
    city("Berlin", "Berlin", "Germany", "Europe/Berlin", 52.52, 13.405),
    city("Vienna", "Wien", "Austria", "Europe/Vienna", 48.2082, 16.3738),
    city("Dubai", "Dubayy", "United Arab Emirates", "Asia/Dubai", 25.2048, 55.2708),
    city("Singapore", "", "Singapore", "Asia/Singapore", 1.3521, 103.8198),
    city("Sydney", "New South Wales", "Australia", "Australia/Sydney", -33.8688, 151.2093),
];

pub(crate) const CUSTOMERS: &[&str] = &[
    "Aldergate Hotels",
    "Beacon Dental",
    "Cedar & Pine Outfitters",
    "Fairmile Casinos",
    "Harbour Fitness",
    "Juniper Bookshops",
    "Larkspur Spa Group",
    "Meadowlark Senior Living",
    "Oriel Cinemas",
    "Rowan Department Stores",
    "Saltmarsh Cruises",
    "Thistle Coffee Houses",
];

pub(crate) const SERVICE_AREAS: &[&str] = &[
    "Lobby",
    "Entrance",
    "Reception",
    "Restrooms",
    "Ballroom",
    "Fitting rooms",
    "Spa",
    "Lift hall",
    "Corridor 2",
    "Lounge",
];

pub(crate) const FRAGRANCES: &[&str] = &[
    "White Tea",
    "Cedar & Amber",
    "Fresh Linen",
    "Green Fig",
    "Citrus Grove",
    "Ocean Mist",
    "Lavender Fields",
    "Warm Vanilla",
];

/// Networks; an empty name is a diffuser on a cable.
pub(crate) const NETWORKS: &[&str] = &["Guest", "Facilities", "BackOffice", "IoT-5", ""];
