//! The customers of the demo: invented companies, each served by one partner (CSP).

use super::business_types::BusinessType;

/// The partners that service the fleet. Most of the demo's partner accounts belong to the first.
pub(crate) const CSPS: [&str; 3] = ["Meridian Air", "Northlight Scents", "Quayside Services"];

#[derive(Debug, PartialEq)]
pub(crate) struct Customer {
    pub(crate) name: &'static str,
    pub(crate) id: &'static str,
    pub(crate) business_type: BusinessType,
    /// The name of its Wi-Fi.
    pub(crate) ssid: &'static str,
    pub(crate) cities: &'static [&'static str],
    /// The fragrances in use. Every model can diffuse the last one.
    pub(crate) fragrances: &'static [&'static str],
}

const fn customer(
    id: &'static str,
    name: &'static str,
    business_type: BusinessType,
    ssid: &'static str,
    cities: &'static [&'static str],
    fragrances: &'static [&'static str],
) -> Customer {
    Customer { name, id, business_type, ssid, cities, fragrances }
}

/// In the order of [`CSPS`].
pub(super) static CUSTOMERS: [&[Customer]; 3] = [
    &[
        customer(
            "C-1001",
            "Aldergate Hotels",
            BusinessType::Hotel,
            "Aldergate-Facilities",
            &["London", "Edinburgh", "Lisbon", "Vienna", "Dubai"],
            &["Sandalwood Hall", "White Tea"],
        ),
        customer(
            "C-1002",
            "Beacon Dental",
            BusinessType::Clinic,
            "beacon-iot",
            &["Chicago", "Milwaukee", "Denver"],
            &["Clean Slate", "Garden Mint"],
        ),
        customer(
            "C-1003",
            "Cedar & Pine Outfitters",
            BusinessType::Shop,
            "CPO-Store",
            &["Denver", "Seattle", "Vancouver", "Phoenix"],
            &["Alpine Dawn", "Cedar & Amber"],
        ),
        customer(
            "C-1004",
            "Fairmile Casinos",
            BusinessType::Casino,
            "FM-BackOfHouse",
            &["Las Vegas", "Atlanta"],
            &["Oud & Saffron", "Warm Vanilla", "Suede & Vetiver"],
        ),
        customer(
            "C-1005",
            "Juniper Bookshops",
            BusinessType::Shop,
            "juniper_shop",
            &["Boston", "Toronto", "London"],
            &["Amber Library", "Fig Leaf"],
        ),
        customer(
            "C-1006",
            "Larkspur Spa Group",
            BusinessType::Spa,
            "Larkspur-Quiet",
            &["Phoenix", "Atlanta", "Toronto"],
            &["Sandalwood Hall", "Petal Silk", "Lavender Fields"],
        ),
        customer(
            "C-1007",
            "Orchard Court Offices",
            BusinessType::Office,
            "OCO-Building",
            &["Chicago", "Boston", "St. John's"],
            &["Orchard Pear", "Dune Grass"],
        ),
        customer(
            "C-1008",
            "Rowan Department Stores",
            BusinessType::Shop,
            "Rowan-IoT",
            &["Chicago", "Boston", "Seattle", "Toronto"],
            &["Night Jasmine", "Fresh Linen", "White Tea"],
        ),
        customer(
            "C-1009",
            "Thistle Coffee Houses",
            BusinessType::Cafe,
            "Thistle-Ops",
            &["Edinburgh", "London", "Boston"],
            &["Cardamom House", "Warm Vanilla"],
        ),
    ],
    &[
        customer(
            "C-2001",
            "Harbour Fitness",
            BusinessType::Gym,
            "HF-Equipment",
            &["Sydney", "Adelaide", "Auckland"],
            &["Bright Bergamot", "Ocean Mist"],
        ),
        customer(
            "C-2002",
            "Kestrel Inns",
            BusinessType::Hotel,
            "kestrel-house",
            &["Cape Town", "Johannesburg"],
            &["Blue Cypress", "Dune Grass"],
        ),
        customer(
            "C-2003",
            "Meadowlark Senior Living",
            BusinessType::Residence,
            "Meadowlark-Care",
            &["Adelaide", "Auckland"],
            &["Cotton Sky", "Lavender Fields"],
        ),
        customer(
            "C-2004",
            "Oriel Cinemas",
            BusinessType::Cinema,
            "Oriel-Plant",
            &["Berlin", "Paris", "Vienna"],
            &["Suede & Vetiver", "Citrus Grove"],
        ),
        customer(
            "C-2005",
            "Saffron House Hotels",
            BusinessType::Hotel,
            "SHH-Engineering",
            &["Mumbai", "Bengaluru"],
            &["Oud & Saffron", "Night Jasmine"],
        ),
        customer(
            "C-2006",
            "Tamarind Retail",
            BusinessType::Shop,
            "tamarind-devices",
            &["Mumbai", "Bengaluru", "Singapore"],
            &["Ginger Tea", "Citrus Grove"],
        ),
    ],
    &[
        customer(
            "C-3001",
            "Pelham Conference Centres",
            BusinessType::Venue,
            "PCC-Technik",
            &["Berlin", "Madrid", "Paris"],
            &["Clean Slate", "White Tea"],
        ),
        customer(
            "C-3002",
            "Saltmarsh Cruise Lounges",
            BusinessType::Venue,
            "Saltmarsh-Quay",
            &["Lisbon", "Sydney"],
            &["Ocean Mist", "Cotton Sky"],
        ),
        customer(
            "C-3003",
            "Solstice Hotels",
            BusinessType::Hotel,
            "Solstice-Tecnica",
            &["São Paulo", "Lisbon", "Madrid"],
            &["Fig Leaf", "Citrus Grove"],
        ),
    ],
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::{cities, fragrances};
    use super::*;

    #[test]
    fn customers_use_known_cities_and_fragrances() {
        let customers: Vec<_> = CUSTOMERS.iter().copied().flatten().collect();
        assert_eq!(customers.len(), 18);
        assert_eq!(customers.iter().map(|it| it.name).collect::<HashSet<_>>().len(), 18);
        assert_eq!(customers.iter().map(|it| it.id).collect::<HashSet<_>>().len(), 18);
        for customer in customers {
            assert!(customer.ssid.len() <= 32, "a Wi-Fi name has at most 32 bytes");
            assert!(customer.cities.iter().all(|city| cities::named(city).name == *city));
            let fragrances: Vec<_> = customer.fragrances.iter().map(|name| fragrances::named(name)).collect();
            let last = fragrances.last().unwrap();
            assert!(last.flow.iter().all(Option::is_some), "{} suits not every model", last.name);
        }
    }

    #[test]
    fn customers_use_every_fragrance_of_the_catalogue() {
        let spread: HashSet<_> = CUSTOMERS.iter().copied().flatten().flat_map(|it| it.fragrances).collect();
        assert_eq!(spread.len(), 24);
    }
}
