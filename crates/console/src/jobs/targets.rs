//! Which devices a job may be about.

use std::collections::HashSet;

use crate::request::may_be_dsn;
use crate::rules::Rules;

/// More are no job of anybody's; whoever has more starts another one.
pub(crate) const MOST: usize = 5000;

/// The devices that a form names, each once, in their order. Whether they exist is found out one by one.
pub(crate) fn targets(rules: &mut Rules, field: &str, dsns: &Option<Vec<String>>) -> Vec<String> {
    let dsns = dsns.as_deref().unwrap_or_default();
    let mut known = HashSet::new();
    let targets: Vec<String> = dsns.iter().filter(|dsn| known.insert(dsn.as_str())).cloned().collect();
    if targets.is_empty() {
        rules.refuse(field, "Select at least one device");
    } else if targets.len() > MOST {
        rules.refuse(field, format!("Must be at most {MOST} devices"));
    } else if !targets.iter().all(|dsn| may_be_dsn(dsn)) {
        rules.refuse(field, "Must be serial numbers of devices");
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ApiError;

    fn of(dsns: Option<&[&str]>) -> Result<Vec<String>, String> {
        let dsns = dsns.map(|dsns| dsns.iter().map(|&dsn| dsn.to_owned()).collect());
        let mut rules = Rules::default();
        let targets = targets(&mut rules, "dsns", &dsns);
        rules.kept(targets).map_err(|error| match error {
            ApiError::Invalid(mut errors) => errors.remove("dsns").unwrap().remove(0),
            other => other.to_string(),
        })
    }

    #[test]
    fn each_device_is_named_once_and_their_order_stays() {
        assert_eq!(of(Some(&["B", "A", "B", "a"])), Ok(["B", "A", "a"].map(str::to_owned).to_vec()));
    }

    #[test]
    fn there_is_at_least_one_and_no_more_than_5000() {
        for none in [None, Some([].as_slice())] {
            assert_eq!(of(none), Err("Select at least one device".to_owned()));
        }
        let many: Vec<String> = (0..=MOST).map(|number| format!("SC-{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(of(Some(&many)), Err("Must be at most 5000 devices".to_owned()));
        assert_eq!(of(Some(&many[1..])).map(|targets| targets.len()), Ok(MOST));
        assert_eq!(of(Some(&["A"; MOST + 1])).map(|targets| targets.len()), Ok(1), "one device, however often");
    }

    #[test]
    fn what_no_device_can_be_called_is_refused() {
        let long = "x".repeat(65);
        for odd in ["", " ", "SC 1", "SC/1", "=1+1", "SC\0", &long] {
            assert_eq!(of(Some(&["SC-1", odd])), Err("Must be serial numbers of devices".to_owned()), "{odd:?}");
        }
    }
}
