//! The maximum intensity, and the intensity classes of the icons.

use crate::{OffCycle, Setting, SystemConfiguration};

pub const MIN_INTENSITY: u8 = Setting::Intensity.range().0;

/// The highest intensity that the appliance accepts. An unknown off-cycle does not lower the limit.
pub fn max_intensity(configuration: &SystemConfiguration, cycle: Option<OffCycle>) -> u8 {
    match (configuration, cycle) {
        (SystemConfiguration::Aq290, Some(OffCycle::VeryShort)) => 49,
        (SystemConfiguration::Aq290, Some(OffCycle::Short)) => 45,
        (SystemConfiguration::Aq290, Some(OffCycle::Normal)) => 40,
        _ => Setting::Intensity.range().1,
    }
}

/// The class (1 to 5) of an intensity from 1 to 50.
pub fn intensity_class(intensity: u8) -> u8 {
    intensity.div_ceil(10)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    #[test]
    fn max_intensity_matches_the_vectors() {
        let vectors: Vec<Value> = serde_json::from_str(include_str!("../../vectors/max-intensity.json")).unwrap();
        for vector in &vectors {
            let configuration = SystemConfiguration::from(vector["configuration"].as_str().unwrap());
            let cycle = vector["cycle"].as_i64().map(|code| OffCycle::try_from(code).unwrap());
            assert_eq!(u64::from(max_intensity(&configuration, cycle)), vector["max"].as_u64().unwrap(), "{vector}");
        }
        assert_eq!(vectors.len(), 9 * 4, "seven configurations, a bare one and an unknown one, by off-cycle");
    }

    #[test]
    fn classes_change_after_each_ten() {
        let classes = [1, 10, 11, 20, 21, 30, 31, 40, 41, 50].map(intensity_class);
        assert_eq!(classes, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    }

    proptest! {
        #[test]
        fn intensity_class_is_between_1_and_5(intensity in MIN_INTENSITY..=50) {
            prop_assert!((1..=5).contains(&intensity_class(intensity)));
        }
    }
}
