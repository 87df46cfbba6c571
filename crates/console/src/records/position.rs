//! Positions of devices. A position is a point on the globe in metres from its centre: distances are then sums and
//! products, which both databases can compute, without special cases at the poles or the date line.

/// Mean radius of the earth in metres.
const RADIUS: f64 = 6_371_009.0;

/// Coordinates in whole metres from the centre of the earth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Position {
    pub(crate) x: i64,
    pub(crate) y: i64,
    /// Along the axis to the north pole.
    pub(crate) z: i64,
}

impl Position {
    /// Converts decimal degrees; `None` if they are out of range.
    pub(crate) fn of(latitude: f64, longitude: f64) -> Option<Self> {
        if !(-90.0..=90.0).contains(&latitude) || !(-180.0..=180.0).contains(&longitude) {
            return None;
        }
        let (latitude, longitude) = (latitude.to_radians(), longitude.to_radians());
        Some(Self {
            x: metres(latitude.cos() * longitude.cos()),
            y: metres(latitude.cos() * longitude.sin()),
            z: metres(latitude.sin()),
        })
    }

    /// Distance along the surface in kilometres, rounded to a tenth.
    pub(crate) fn kilometres_to(self, other: Self) -> f64 {
        let square = |one: i64, other: i64| ((one - other) as f64).powi(2);
        let straight = (square(self.x, other.x) + square(self.y, other.y) + square(self.z, other.z)).sqrt();
        let metres = 2.0 * RADIUS * (straight / (2.0 * RADIUS)).min(1.0).asin();
        (metres / 100.0).round() / 10.0
    }
}

/// Straight-line distance in metres between two points that are this many kilometres apart on the surface.
pub(crate) fn chord_metres(kilometres: u16) -> i64 {
    let half_angle = f64::from(kilometres) * 1000.0 / (2.0 * RADIUS);
    whole(2.0 * RADIUS * half_angle.sin())
}

fn metres(of_radius: f64) -> i64 {
    whole(of_radius * RADIUS)
}

#[expect(clippy::cast_possible_truncation, reason = "no coordinate is greater than the radius")]
fn whole(metres: f64) -> i64 {
    metres.round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(latitude: f64, longitude: f64) -> Position {
        Position::of(latitude, longitude).unwrap()
    }

    #[test]
    fn distance_follows_the_surface() {
        let (oslo, bergen) = (at(59.9139, 10.7522), at(60.3913, 5.3221));
        let rows = [
            (oslo, oslo, 0.0),
            (oslo, bergen, 305.2),
            (bergen, oslo, 305.2),
            // A tenth of a degree across the date line and across the pole.
            (at(0.0, 179.95), at(0.0, -179.95), 11.1),
            (at(89.95, 0.0), at(89.95, 180.0), 11.1),
            (at(90.0, 12.0), at(-90.0, 0.0), 20015.1),
        ];
        for (one, other, kilometres) in rows {
            assert!((one.kilometres_to(other) - kilometres).abs() < 0.11, "{}", one.kilometres_to(other));
        }
    }

    #[test]
    fn out_of_range_coordinates_are_rejected() {
        for (latitude, longitude) in [(90.1, 0.0), (-90.1, 0.0), (0.0, 180.1), (0.0, -180.1), (f64::NAN, 0.0)] {
            assert_eq!(Position::of(latitude, longitude), None, "{latitude} {longitude}");
        }
    }

    #[test]
    fn chord_is_slightly_shorter_than_the_radius() {
        assert_eq!(chord_metres(1), 1000);
        assert_eq!(chord_metres(500), 499_872);
    }
}
