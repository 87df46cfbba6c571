use crate::{Fragrance, SystemConfiguration};

/// The remaining percentage of the cartridge after `cartridge_life_hours` of running. Intensity and fan speed have no
/// influence.
///
/// Returns `None` if the configuration is unknown, the catalogue has no flow rate for it, or a number is not finite or out of
/// range.
pub fn remaining_percent(
    configuration: &SystemConfiguration,
    fragrance: &Fragrance,
    cartridge_life_hours: f64,
) -> Option<u8> {
    let size_ml = f64::from(configuration.cartridge_ml()?);
    let flow = fragrance.flow(configuration)?;
    let valid = flow.is_finite()
        && flow >= 0.0
        && fragrance.density.is_finite()
        && fragrance.density > 0.0
        && cartridge_life_hours.is_finite();
    if !valid {
        return None;
    }
    let used_ml = cartridge_life_hours * flow / fragrance.density;
    let remaining = ((size_ml - used_ml) / size_ml).clamp(0.0, 1.0);
    Some((100.0 * remaining).round() as u8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn fragrance(flow: Option<f64>, density: f64) -> Fragrance {
        let flow = [flow; SystemConfiguration::ALL.len()];
        Fragrance { name: "Fig".to_owned(), sku: "F-1".to_owned(), density, flow }
    }

    #[test]
    fn remaining_percent_matches_the_vectors() {
        let vectors: Vec<Value> = serde_json::from_str(include_str!("../../vectors/remaining.json")).unwrap();
        assert!(vectors.len() > 20);
        for vector in &vectors {
            let configuration = SystemConfiguration::from(vector["configuration"].as_str().unwrap());
            let fragrance = fragrance(vector["flow"].as_f64(), vector["density"].as_f64().unwrap());
            let percent = remaining_percent(&configuration, &fragrance, vector["hours"].as_f64().unwrap());
            assert_eq!(percent.map(u64::from), vector["percent"].as_u64(), "{vector}");
        }
    }

    proptest! {
        #[test]
        fn remaining_percent_never_exceeds_100(flow in any::<f64>(), density in any::<f64>(), hours in any::<f64>()) {
            let percent = remaining_percent(&SystemConfiguration::Aq290, &fragrance(Some(flow), density), hours);
            prop_assert!(percent.is_none_or(|it| it <= 100));
        }

        #[test]
        fn remaining_percent_decreases_with_running_time(flow in 0.0..5.0, density in 0.5..1.5, hours in 0.0..5000.0, more in 0.0..500.0) {
            let left = |hours| remaining_percent(&SystemConfiguration::Aq2500, &fragrance(Some(flow), density), hours);
            prop_assert!(left(hours + more) <= left(hours));
        }
    }
}
