//! Parses the targets of a job.

use std::collections::HashSet;

use crate::forms::validation::Rules;
use crate::http::request::is_valid_dsn;

/// Maximum number of targets of a job.
pub(crate) const MAX_TARGETS: usize = 5000;

/// Parses the DSNs in a request, without duplicates and in order. Does not check
/// whether they exist.
pub(crate) fn parse_targets(rules: &mut Rules, field: &str, dsns: &Option<Vec<String>>) -> Vec<String> {
    let dsns = dsns.as_deref().unwrap_or_default();
    let mut known = HashSet::new();
    let targets: Vec<String> = dsns.iter().filter(|dsn| known.insert(dsn.as_str())).cloned().collect();
    if targets.is_empty() {
        rules.refuse(field, "Select at least one device");
    } else if targets.len() > MAX_TARGETS {
        rules.refuse(field, format!("Must be at most {MAX_TARGETS} devices"));
    } else if !targets.iter().all(|dsn| is_valid_dsn(dsn)) {
        rules.refuse(field, "Must be serial numbers of devices");
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::error::ApiError;

    fn of(dsns: Option<&[&str]>) -> Result<Vec<String>, String> {
        let dsns = dsns.map(|dsns| dsns.iter().map(|&dsn| dsn.to_owned()).collect());
        let mut rules = Rules::default();
        let targets = parse_targets(&mut rules, "dsns", &dsns);
        rules.finish(targets).map_err(|error| match error {
            ApiError::Invalid(mut errors) => errors.remove("dsns").unwrap().remove(0),
            other => other.to_string(),
        })
    }

    #[test]
    fn duplicate_targets_are_removed_and_order_is_kept() {
        assert_eq!(of(Some(&["B", "A", "B", "a"])), Ok(["B", "A", "a"].map(str::to_owned).to_vec()));
    }

    #[test]
    fn empty_or_too_many_targets_are_rejected() {
        for none in [None, Some([].as_slice())] {
            assert_eq!(of(none), Err("Select at least one device".to_owned()));
        }
        let many: Vec<String> = (0..=MAX_TARGETS).map(|number| format!("SC-{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(of(Some(&many)), Err("Must be at most 5000 devices".to_owned()));
        assert_eq!(of(Some(&many[1..])).map(|targets| targets.len()), Ok(MAX_TARGETS));
        assert_eq!(of(Some(&["A"; MAX_TARGETS + 1])).map(|targets| targets.len()), Ok(1), "duplicates count once");
    }

    #[test]
    fn malformed_dsns_are_rejected() {
        let long = "x".repeat(65);
        for odd in ["", " ", "SC 1", "SC/1", "=1+1", "SC\0", &long] {
            assert_eq!(of(Some(&["SC-1", odd])), Err("Must be serial numbers of devices".to_owned()), "{odd:?}");
        }
    }
}
