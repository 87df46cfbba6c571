//! Conditions of property triggers.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::value::BaseType;

/// Seconds after which a trigger may notify again while its condition still holds.
pub(crate) const REPEAT: RangeInclusive<i64> = 0..=365 * 24 * 60 * 60;
/// The default interval between repeated notifications, in seconds.
pub(crate) const DEFAULT_REPEAT: i64 = 24 * 60 * 60;
/// Minimum interval between repeated notifications, whatever the caller specifies.
const MIN_REPEAT: SignedDuration = SignedDuration::from_mins(1);

/// Comparison of a value with that of a trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    Greater,
    Less,
    GreaterOrEqual,
    LessOrEqual,
}

/// The condition of a trigger.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Condition {
    /// The condition holds for every value.
    Always,
    /// The value differs from the previous one.
    OnChange,
    /// The value compares with a number.
    Number(Comparison, f64),
    /// The value equals a text.
    Text(String),
}

/// The result of judging a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The condition does not hold.
    No,
    /// The condition holds, as it did for the previous value.
    Still,
    /// The condition holds, and did not hold before.
    Newly,
}

impl Comparison {
    const ALL: [Self; 5] = [Self::Equal, Self::Greater, Self::Less, Self::GreaterOrEqual, Self::LessOrEqual];

    /// As on the wire and in the database.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::Greater => ">",
            Self::Less => "<",
            Self::GreaterOrEqual => ">=",
            Self::LessOrEqual => "<=",
        }
    }

    pub(crate) fn find(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }

    fn admits(self, order: Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::Greater => order.is_gt(),
            Self::Less => order.is_lt(),
            Self::GreaterOrEqual => order.is_ge(),
            Self::LessOrEqual => order.is_le(),
        }
    }
}

impl Condition {
    /// `trigger_type` of [`Self::Always`].
    pub(crate) const ALWAYS: &str = "always";
    /// `trigger_type` of [`Self::OnChange`].
    pub(crate) const ON_CHANGE: &str = "on_change";
    /// `trigger_type` of comparisons.
    pub(crate) const COMPARE: &str = "compare_absolute";

    /// The condition that a value of this type compares with `value`.
    ///
    /// # Errors
    /// The invalid field and the reason.
    pub(crate) fn compare(
        base_type: BaseType,
        comparison: Comparison,
        value: &str,
    ) -> Result<Self, (&'static str, &'static str)> {
        match base_type {
            BaseType::Boolean | BaseType::Integer | BaseType::Decimal => {
                let number = value.trim().parse().ok().filter(|number: &f64| number.is_finite());
                let number = number.ok_or(("value", "is not a number"))?;
                if !base_type.numbers().contains(&number) {
                    return Err(("value", "is out of range"));
                }
                Ok(Self::Number(comparison, number))
            }
            BaseType::String if comparison == Comparison::Equal => Ok(Self::Text(value.to_owned())),
            BaseType::String => Err(("compare_type", "of a text is ==")),
            BaseType::File => Err(("trigger_type", "of a file compares nothing")),
        }
    }

    /// The stored condition for a property of this type; `None` if it does not fit the type.
    pub(crate) fn from_stored(
        base_type: BaseType,
        trigger_type: &str,
        compare_type: Option<&str>,
        value: Option<&str>,
    ) -> Option<Self> {
        match trigger_type {
            Self::ALWAYS => Some(Self::Always),
            Self::ON_CHANGE => Some(Self::OnChange),
            _ => Self::compare(base_type, Comparison::find(compare_type?)?, value?).ok(),
        }
    }

    /// Judges `value` as the successor of `previous`.
    pub(crate) fn judge(&self, previous: Option<&Value>, value: &Value) -> Verdict {
        let held_before = match self {
            Self::Always => previous.is_some(),
            Self::OnChange => false,
            _ => previous.is_some_and(|previous| self.holds(previous)),
        };
        let holds = match self {
            Self::Always => true,
            Self::OnChange => previous != Some(value),
            _ => self.holds(value),
        };
        match (holds, held_before) {
            (false, _) => Verdict::No,
            (true, true) => Verdict::Still,
            (true, false) => Verdict::Newly,
        }
    }

    /// Whether `value` would change the judgement of the next value, compared to `previous`.
    pub(crate) fn changes_judgement(&self, previous: Option<&Value>, value: &Value) -> bool {
        match self {
            Self::Always => previous.is_none(),
            Self::OnChange => previous != Some(value),
            _ => previous.is_none_or(|previous| self.holds(previous) != self.holds(value)),
        }
    }

    /// Whether the value meets the condition, regardless of the previous value.
    pub(crate) fn holds(&self, value: &Value) -> bool {
        match self {
            Self::Always | Self::OnChange => true,
            Self::Number(comparison, number) => {
                let order = value.as_f64().and_then(|value| value.partial_cmp(number));
                order.is_some_and(|order| comparison.admits(order))
            }
            Self::Text(text) => value == text.as_str(),
        }
    }
}

impl Verdict {
    /// Whether to notify again. `told_at` is the last notification and `repeat` the interval in seconds while the
    /// condition still holds. A recipient who was never notified is notified at the next value.
    pub(crate) fn notifies(self, told_at: Option<Timestamp>, repeat: i64, now: Timestamp) -> bool {
        let repeat = SignedDuration::from_secs(repeat).max(MIN_REPEAT);
        match self {
            Self::No => false,
            Self::Newly => true,
            Self::Still => told_at.is_none_or(|told_at| now.duration_since(told_at) >= repeat),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn compare(comparison: &str, value: &str) -> Condition {
        Condition::compare(BaseType::Integer, Comparison::find(comparison).unwrap(), value).unwrap()
    }

    #[test]
    fn comparison_operators_compare_numbers() {
        let table = [
            ("==", [false, true, false]),
            (">", [false, false, true]),
            ("<", [true, false, false]),
            (">=", [false, true, true]),
            ("<=", [true, true, false]),
        ];
        for (comparison, expected) in table {
            let condition = compare(comparison, " 20 ");
            let results = [json!(19), json!(20.0), json!(20.5)].map(|value| condition.holds(&value));
            assert_eq!(results, expected, "{comparison}");
            assert!(!condition.holds(&json!("19")) && !condition.holds(&json!(null)));
        }
        assert_eq!(Comparison::find("!="), None);
    }

    #[test]
    fn comparison_must_fit_the_base_type_of_the_property() {
        let compare = |base_type, comparison, value| Condition::compare(base_type, comparison, value);
        for base_type in [BaseType::Boolean, BaseType::Integer, BaseType::Decimal] {
            assert_eq!(compare(base_type, Comparison::Less, "20"), Ok(Condition::Number(Comparison::Less, 20.0)));
            for value in ["", "x", "NaN", "inf"] {
                assert_eq!(compare(base_type, Comparison::Less, value), Err(("value", "is not a number")));
            }
            assert_eq!(
                compare(base_type, Comparison::Less, "-99999999999999999999"),
                Err(("value", "is out of range"))
            );
        }
        assert_eq!(compare(BaseType::String, Comparison::Equal, "off"), Ok(Condition::Text("off".into())));
        assert_eq!(compare(BaseType::String, Comparison::Less, "off").unwrap_err().0, "compare_type");
        assert_eq!(compare(BaseType::File, Comparison::Equal, "off").unwrap_err().0, "trigger_type");
    }

    #[test]
    fn condition_is_judged_against_the_previous_value() {
        use Verdict::{Newly, No, Still};
        let values = [20, 19, 19, 18, 20, 25, 19].map(|value| json!(value));
        let table = [
            (compare("<", "20"), [No, Newly, Still, Still, No, No, Newly]),
            (Condition::OnChange, [Newly, Newly, No, Newly, Newly, Newly, Newly]),
            (Condition::Always, [Newly, Still, Still, Still, Still, Still, Still]),
        ];
        for (condition, expected) in table {
            // The stored value suffices for the judgement.
            let mut kept: Option<&Value> = None;
            let mut verdicts = Vec::new();
            for value in &values {
                verdicts.push(condition.judge(kept, value));
                if condition.changes_judgement(kept, value) {
                    kept = Some(value);
                }
            }
            assert_eq!(verdicts, expected, "{condition:?}");
        }
        assert_eq!(compare("<", "20").judge(None, &json!(19)), Newly);
        let off = Condition::Text("off".into());
        assert_eq!((off.judge(None, &json!("off")), off.judge(None, &json!("on"))), (Newly, No));
    }

    #[test]
    fn stored_subjects_round_trip() {
        let stored = |kind, compare, value| Condition::from_stored(BaseType::Integer, kind, compare, value);
        assert_eq!(stored("always", None, None), Some(Condition::Always));
        assert_eq!(stored("on_change", None, None), Some(Condition::OnChange));
        assert_eq!(stored("compare_absolute", Some("<"), Some("20")), Some(compare("<", "20")));
        assert_eq!(stored("compare_absolute", Some("?"), Some("20")), None);
    }

    #[test]
    fn trigger_app_repeats_after_its_frequency_and_at_most_once_a_minute() {
        let now: Timestamp = "2026-11-20T10:00:00Z".parse().unwrap();
        let ago = |seconds| Some(now - SignedDuration::from_secs(seconds));
        let table = [
            (Verdict::Still, None, 600, true),
            (Verdict::Still, ago(599), 600, false),
            (Verdict::Still, ago(600), 600, true),
            (Verdict::Still, ago(59), 0, false),
            (Verdict::Still, ago(60), 0, true),
            (Verdict::Newly, ago(0), 600, true),
            (Verdict::No, None, 0, false),
        ];
        for (verdict, told_at, repeat, expected) in table {
            assert_eq!(verdict.notifies(told_at, repeat, now), expected, "{verdict:?} {told_at:?} {repeat}");
        }
    }
}
