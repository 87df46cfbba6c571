//! Names that were probably meant.

/// The known name that is spelled most like the unknown one.
pub(crate) fn nearest<'a>(unknown: &str, known: impl IntoIterator<Item = &'a str>) -> &'a str {
    let distance = |name: &&str| strsim::damerau_levenshtein(unknown, name);
    known.into_iter().min_by_key(distance).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_name_has_the_fewest_typing_errors() {
        let known = ["listen", "mqtt-listen", "mqtts-listen"];
        for (unknown, expected) in [("lisetn", "listen"), ("mqtt_listen", "mqtt-listen"), ("x", "listen")] {
            assert_eq!(nearest(unknown, known), expected, "{unknown}");
        }
    }
}
