//! Parses texts as rules, for fuzz tests.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;

use super::parse::SyntaxError;
use super::{Assignment, Expression, Facts};

/// Parses a text as an expression, which is evaluated, and as an assignment.
///
/// # Panics
/// If the position of a syntax error is not in the text.
pub fn rule(text: &str) {
    match text.parse::<Expression>() {
        Ok(expression) => {
            let nothing_known = Facts {
                now: Timestamp::UNIX_EPOCH,
                values: HashMap::new(),
                changed: HashSet::new(),
                times: HashMap::new(),
            };
            expression.is_true(&nothing_known);
            assert!(!expression.uses_changed() || !expression.subjects().is_empty());
        }
        Err(error) => check(&error, text),
    }
    if let Err(error) = text.parse::<Assignment>() {
        check(&error, text);
    }
}

fn check(error: &SyntaxError, text: &str) {
    // One past the last character means the end.
    assert!((1..=text.chars().count() + 1).contains(&error.at), "{error}");
}
