//! What the parts of an expression come to.

use jiff::Timestamp;

const EARTH_RADIUS_KM: f64 = 6_371.008_8;

/// What a part of an expression comes to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// Nobody knows. Nothing is equal to it, and it is not true.
    Unknown,
    /// A number; a boolean is 1 or 0, an instant its seconds since 1970.
    Number(f64),
    Text(String),
    /// Whether a device is Online: as a number 1 or 0, as a text `online` or `offline`.
    Online(bool),
    /// Degrees north and east.
    Place(f64, f64),
}

impl Value {
    pub(crate) fn flag(flag: bool) -> Self {
        Self::Number(f64::from(u8::from(flag)))
    }

    /// Its seconds since 1970.
    pub(super) fn instant(at: Timestamp) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "an f64 counts microseconds exactly for 285 years around 1970")]
        let micros = at.as_microsecond() as f64;
        Self::Number(micros / 1_000_000.0)
    }

    /// A property's value.
    pub(crate) fn of_property(value: &serde_json::Value) -> Self {
        match value {
            serde_json::Value::Number(number) => number.as_f64().map_or(Self::Unknown, Self::Number),
            serde_json::Value::String(text) => Self::Text(text.clone()),
            _ => Self::Unknown,
        }
    }

    /// What arithmetic gives; infinity is as good as nothing.
    pub(super) fn finite(number: Option<f64>) -> Self {
        number.filter(|number| number.is_finite()).map_or(Self::Unknown, Self::Number)
    }

    /// Any number but 0 is true.
    pub(super) fn is_true(&self) -> bool {
        self.number().is_some_and(|number| number != 0.0)
    }

    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Online(online) => Some(f64::from(u8::from(*online))),
            Self::Unknown | Self::Text(_) | Self::Place(..) => None,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Online(true) => Some("online"),
            Self::Online(false) => Some("offline"),
            Self::Unknown | Self::Number(_) | Self::Place(..) => None,
        }
    }

    /// Whether both are the same number or the same text.
    pub(super) fn equals(&self, other: &Self) -> bool {
        if let (Some(one), Some(other)) = (self.number(), other.number()) {
            return one == other;
        }
        let is_status = matches!(self, Self::Online(_)) || matches!(other, Self::Online(_));
        match (self.text(), other.text()) {
            // Elsewhere the status is written with a capital.
            (Some(one), Some(other)) if is_status => one.eq_ignore_ascii_case(other),
            (Some(one), Some(other)) => one == other,
            _ => false,
        }
    }

    /// How far two places are from each other, along the surface of the earth.
    pub(super) fn kilometres_to(&self, other: &Self) -> Option<f64> {
        let (Self::Place(lat, lng), Self::Place(other_lat, other_lng)) = (self, other) else { return None };
        let half_chord = |one: f64, other: f64| ((other - one).to_radians() / 2.0).sin().powi(2);
        let along = half_chord(*lng, *other_lng) * lat.to_radians().cos() * other_lat.to_radians().cos();
        let haversine = half_chord(*lat, *other_lat) + along;
        Some(2.0 * EARTH_RADIUS_KM * haversine.clamp(0.0, 1.0).sqrt().asin())
    }
}
