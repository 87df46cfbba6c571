//! Rules: expressions over device events, with actions (docs/wire.md#rules). A rule is evaluated when an event concerns
//! one of its subjects, and fires each time that its expression is true.

mod assignment;
mod evaluate;
mod expression;
#[cfg(any(test, feature = "testing"))]
pub(crate) mod fuzz;
mod parse;
mod subject;
mod value;

#[cfg(test)]
mod tests;

pub(crate) use assignment::Assignment;
pub(crate) use evaluate::Facts;
pub(crate) use expression::Expression;
#[cfg(test)]
use parse::SyntaxError;
pub(crate) use subject::{Subject, SubjectKind, SubjectSource};
pub(crate) use value::Value;

use jiff::SignedDuration;

/// How often a rule fires within [`FIRING_WINDOW`]. Without a limit, devices that react to each other through rules would do so
/// endlessly.
pub(crate) const MAX_FIRINGS: i64 = 60;
pub(crate) const FIRING_WINDOW: SignedDuration = SignedDuration::from_hours(1);
