/// A level strictly below this percentage is low.
pub const LOW_PRODUCT_PERCENT: u8 = 20;

/// The class of a rounded remaining percentage, after which icons and styles are named.
pub fn level_class(percent: u8) -> u8 {
    match percent {
        0 => 0,
        1..25 => 25,
        25..50 => 50,
        50..75 => 75,
        75.. => 100,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    #[test]
    fn level_class_matches_the_vectors() {
        let vectors: Vec<Value> = serde_json::from_str(include_str!("../../vectors/level.json")).unwrap();
        assert!(vectors.len() >= 10);
        for vector in &vectors {
            let percent = u8::try_from(vector["percent"].as_u64().unwrap()).unwrap();
            assert_eq!(u64::from(level_class(percent)), vector["class"].as_u64().unwrap(), "{vector}");
        }
    }

    proptest! {
        #[test]
        fn level_class_increases_with_the_level(percent in 0u8..100) {
            prop_assert!(level_class(percent) <= level_class(percent + 1));
        }
    }
}
