//! Values of expressions.

use jiff::Timestamp;

const EARTH_RADIUS_KM: f64 = 6_371.008_8;

/// The value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// No value is known. It equals nothing and is not true.
    Unknown,
    /// A number; booleans are 1 or 0, instants are seconds since 1970.
    Number(f64),
    Text(String),
    /// Whether a device is Online: 1 or 0 as a number, `online` or `offline` as a text.
    Online(bool),
    /// Latitude and longitude in degrees.
    Place(f64, f64),
}

impl Value {
    pub(crate) fn flag(flag: bool) -> Self {
        Self::Number(f64::from(u8::from(flag)))
    }

    /// The seconds since 1970.
    pub(super) fn instant(at: Timestamp) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "an f64 counts microseconds exactly for 285 years around 1970")]
        let micros = at.as_microsecond() as f64;
        Self::Number(micros / 1_000_000.0)
    }

    /// The value of a property.
    pub(crate) fn of_property(value: &serde_json::Value) -> Self {
        match value {
            serde_json::Value::Number(number) => number.as_f64().map_or(Self::Unknown, Self::Number),
            serde_json::Value::String(text) => Self::Text(text.clone()),
            _ => Self::Unknown,
        }
    }

    /// The result of arithmetic; infinities are unknown.
    pub(super) fn finite(number: Option<f64>) -> Self {
        number.filter(|number| number.is_finite()).map_or(Self::Unknown, Self::Number)
    }

    /// Every number except 0 is true.
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

    /// Whether both are the same number or text.
    pub(super) fn equals(&self, other: &Self) -> bool {
        if let (Some(one), Some(other)) = (self.number(), other.number()) {
            return one == other;
        }
        let is_status = matches!(self, Self::Online(_)) || matches!(other, Self::Online(_));
        match (self.text(), other.text()) {
            // The wire spells the status with a capital letter.
            (Some(one), Some(other)) if is_status => one.eq_ignore_ascii_case(other),
            (Some(one), Some(other)) => one == other,
            _ => false,
        }
    }

    /// The distance of two places along the earth's surface.
    pub(super) fn kilometres_to(&self, other: &Self) -> Option<f64> {
        let (Self::Place(lat, lng), Self::Place(other_lat, other_lng)) = (self, other) else { return None };
        let half_chord = |one: f64, other: f64| ((other - one).to_radians() / 2.0).sin().powi(2);
        let along = half_chord(*lng, *other_lng) * lat.to_radians().cos() * other_lat.to_radians().cos();
        let haversine = half_chord(*lat, *other_lat) + along;
        Some(2.0 * EARTH_RADIUS_KM * haversine.clamp(0.0, 1.0).sqrt().asin())
    }
}
