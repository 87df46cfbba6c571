//! The cities of the demo's stores: real ones in both hemispheres, some with time zones that are not a full hour off UTC.

#[derive(Debug, PartialEq)]
pub(crate) struct City {
    pub(crate) name: &'static str,
    /// State or province; empty where there is none.
    pub(crate) state: &'static str,
    pub(crate) country: &'static str,
    pub(crate) time_zone: &'static str,
    /// Degrees north.
    pub(crate) lat: f64,
    /// Degrees east.
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

pub(super) static CITIES: &[City] = &[
    city("Chicago", "Illinois", "United States", "America/Chicago", 41.8781, -87.6298),
    city("Milwaukee", "Wisconsin", "United States", "America/Chicago", 43.0389, -87.9065),
    city("Denver", "Colorado", "United States", "America/Denver", 39.7392, -104.9903),
    city("Phoenix", "Arizona", "United States", "America/Phoenix", 33.4484, -112.074),
    city("Las Vegas", "Nevada", "United States", "America/Los_Angeles", 36.1716, -115.1391),
    city("Seattle", "Washington", "United States", "America/Los_Angeles", 47.6062, -122.3321),
    city("Atlanta", "Georgia", "United States", "America/New_York", 33.749, -84.388),
    city("Boston", "Massachusetts", "United States", "America/New_York", 42.3601, -71.0589),
    city("Toronto", "Ontario", "Canada", "America/Toronto", 43.6532, -79.3832),
    city("Vancouver", "British Columbia", "Canada", "America/Vancouver", 49.2827, -123.1207),
    city("St. John's", "Newfoundland and Labrador", "Canada", "America/St_Johns", 47.5615, -52.7126),
    city("São Paulo", "São Paulo", "Brazil", "America/Sao_Paulo", -23.5505, -46.6333),
    city("London", "London, City of", "United Kingdom", "Europe/London", 51.5074, -0.1278),
    city("Edinburgh", "Edinburgh, City of", "United Kingdom", "Europe/London", 55.9533, -3.1883),
    city("Lisbon", "Lisboa", "Portugal", "Europe/Lisbon", 38.7223, -9.1393),
    city("Madrid", "Madrid", "Spain", "Europe/Madrid", 40.4168, -3.7038),
    city("Paris", "Île-de-France", "France", "Europe/Paris", 48.8566, 2.3522),
    city("Berlin", "Berlin", "Germany", "Europe/Berlin", 52.52, 13.405),
    city("Vienna", "Wien", "Austria", "Europe/Vienna", 48.2082, 16.3738),
    city("Cape Town", "Western Cape", "South Africa", "Africa/Johannesburg", -33.9249, 18.4241),
    city("Johannesburg", "Gauteng", "South Africa", "Africa/Johannesburg", -26.2041, 28.0473),
    city("Dubai", "Dubayy", "United Arab Emirates", "Asia/Dubai", 25.2048, 55.2708),
    city("Mumbai", "Maharashtra", "India", "Asia/Kolkata", 19.076, 72.8777),
    city("Bengaluru", "Karnataka", "India", "Asia/Kolkata", 12.9716, 77.5946),
    city("Singapore", "", "Singapore", "Asia/Singapore", 1.3521, 103.8198),
    city("Adelaide", "South Australia", "Australia", "Australia/Adelaide", -34.9285, 138.6007),
    city("Sydney", "New South Wales", "Australia", "Australia/Sydney", -33.8688, 151.2093),
    city("Auckland", "Auckland", "New Zealand", "Pacific/Auckland", -36.8509, 174.7645),
];

/// # Panics
/// If there is no such city.
pub(super) fn named(name: &str) -> &'static City {
    CITIES.iter().find(|city| city.name == name).unwrap_or_else(|| panic!("no city {name}"))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use jiff::tz::TimeZone;

    use super::*;

    #[test]
    fn every_city_has_valid_coordinates_and_a_known_time_zone() {
        for city in CITIES {
            assert!(city.lat.abs() < 70.0 && city.lng.abs() <= 180.0, "{}", city.name);
            assert!(TimeZone::get(city.time_zone).is_ok(), "{}", city.time_zone);
        }
    }

    #[test]
    fn some_cities_are_southern_and_some_time_zones_are_off_the_full_hour() {
        assert!(CITIES.iter().filter(|city| city.lat < 0.0).count() >= 3);
        let off_the_hour = CITIES.iter().filter(|city| {
            let zone = TimeZone::get(city.time_zone).unwrap();
            zone.to_offset(Timestamp::UNIX_EPOCH).seconds() % 3600 != 0
        });
        assert!(off_the_hour.count() >= 3);
    }
}
