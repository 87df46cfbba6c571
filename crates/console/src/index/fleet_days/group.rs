use jiff::{SignedDuration, Timestamp};
use strum::{EnumString, IntoStaticStr};

/// How devices are grouped, besides by their CSP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Dimension {
    /// All devices of the CSP.
    All,
    Customer,
    Fragrance,
}

impl Dimension {
    pub(crate) const ALL: [Self; 3] = [Self::All, Self::Customer, Self::Fragrance];

    pub(crate) fn name(self) -> &'static str {
        self.into()
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }
}

/// A group of devices on a day of UTC.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct GroupKey {
    pub(super) dimension: Dimension,
    /// Empty for devices without a value, and for [`Dimension::All`].
    pub(super) value: String,
    /// Empty for devices without a CSP.
    pub(super) csp: String,
    pub(super) day: Timestamp,
}

/// The beginning of the day of UTC.
pub(crate) fn day_of(at: Timestamp) -> Timestamp {
    beginning(at, SignedDuration::from_hours(24))
}

/// The beginning of the hour.
pub(crate) fn hour_of(at: Timestamp) -> Timestamp {
    beginning(at, SignedDuration::from_hours(1))
}

fn beginning(at: Timestamp, unit: SignedDuration) -> Timestamp {
    let seconds = unit.as_secs();
    Timestamp::from_second(at.as_second().div_euclid(seconds) * seconds).unwrap_or(at)
}
