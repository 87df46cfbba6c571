//! Evaluation of expressions.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;

use super::expression::{Comparison, Expression, Operator};
use super::{Subject, SubjectSource, Value};

/// The facts that expressions refer to. A missing fact is unknown.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) now: Timestamp,
    pub(crate) values: HashMap<Subject, Value>,
    /// Subjects whose value just changed.
    pub(crate) changed: HashSet<Subject>,
    /// Time of the last event by source.
    pub(crate) times: HashMap<SubjectSource, Timestamp>,
}

impl Expression {
    pub(crate) fn is_true(&self, facts: &Facts) -> bool {
        self.value(facts).is_true()
    }

    fn value(&self, facts: &Facts) -> Value {
        match self {
            Self::Constant(value) => value.clone(),
            Self::Subject(subject) => facts.values.get(subject).cloned().unwrap_or(Value::Unknown),
            Self::Changed(subject) => Value::flag(facts.changed.contains(subject)),
            Self::Time(source) => facts.times.get(source).map_or(Value::Unknown, |at| Value::instant(*at)),
            Self::CurrentTime => Value::instant(facts.now),
            Self::Any(parts) => Value::flag(parts.iter().any(|part| part.is_true(facts))),
            Self::All(parts) => Value::flag(parts.iter().all(|part| part.is_true(facts))),
            Self::Compare(one, comparison, other) => {
                Value::flag(comparison.holds(&one.value(facts), &other.value(facts)))
            }
            Self::Arithmetic(first, rest) => {
                let first = first.value(facts).number();
                Value::finite(rest.iter().fold(first, |sum, (operator, part)| {
                    let (sum, part) = sum.zip(part.value(facts).number())?;
                    Some(operator.apply(sum, part))
                }))
            }
            Self::Contains(text, part) => {
                let (text, part) = (text.value(facts), part.value(facts));
                Value::flag(text.text().zip(part.text()).is_some_and(|(text, part)| text.contains(part)))
            }
            Self::Place(lat, lng) => {
                let degrees = lat.value(facts).number().zip(lng.value(facts).number());
                degrees.map_or(Value::Unknown, |(lat, lng)| Value::Place(lat, lng))
            }
            Self::Distance(unit, one, other) => {
                Value::finite(one.value(facts).kilometres_to(&other.value(facts)).map(|distance| distance / unit))
            }
        }
    }
}

impl Comparison {
    fn holds(self, one: &Value, other: &Value) -> bool {
        let numbers = one.number().zip(other.number());
        let ordered = |fits: fn(f64, f64) -> bool| numbers.is_some_and(|(one, other)| fits(one, other));
        match self {
            Self::Equal => one.equals(other),
            Self::Greater => ordered(|one, other| one > other),
            Self::GreaterOrEqual => ordered(|one, other| one >= other),
            Self::Less => ordered(|one, other| one < other),
            Self::LessOrEqual => ordered(|one, other| one <= other),
        }
    }
}

impl Operator {
    fn apply(self, one: f64, other: f64) -> f64 {
        match self {
            Self::Plus => one + other,
            Self::Minus => one - other,
            Self::Times => one * other,
            Self::DividedBy => one / other,
        }
    }
}
