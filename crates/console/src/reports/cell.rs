//! The values of cells. Spreadsheets sort and add up numbers and dates, and leave texts as they are.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The value of a cell.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    /// Identifiers are texts, even if they consist of digits.
    Text(String),
    Number {
        value: f64,
        decimals: usize,
    },
    Date(Date),
    Time(Timestamp),
}

impl Cell {
    /// A number with one decimal.
    pub(crate) fn tenths(value: f64) -> Self {
        Self::Number { value, decimals: 1 }
    }

    /// The text of the cell, with times in this zone.
    pub(super) fn text(&self, zone: &TimeZone) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number { value, decimals } => format!("{value:.decimals$}"),
            Self::Date(date) => date.to_string(),
            Self::Time(time) => time.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string(),
        }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<i64> for Cell {
    #[expect(clippy::cast_precision_loss, reason = "counts are less than 2^53")]
    fn from(number: i64) -> Self {
        Self::Number { value: number as f64, decimals: 0 }
    }
}

impl From<u64> for Cell {
    #[expect(clippy::cast_precision_loss, reason = "counts are less than 2^53")]
    fn from(number: u64) -> Self {
        Self::Number { value: number as f64, decimals: 0 }
    }
}

impl From<u32> for Cell {
    fn from(number: u32) -> Self {
        u64::from(number).into()
    }
}

impl From<Date> for Cell {
    fn from(date: Date) -> Self {
        Self::Date(date)
    }
}

impl From<Timestamp> for Cell {
    fn from(time: Timestamp) -> Self {
        Self::Time(time)
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or_else(|| Self::Text(String::new()), Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_texts() {
        let noon: Timestamp = "2026-11-20T12:00:00.9Z".parse().unwrap();
        let rows: [(Cell, &str); 8] = [
            ("007".into(), "007"),
            (None::<u64>.into(), ""),
            (Some(1_000_000_u64).into(), "1000000"),
            ((-3_i64).into(), "-3"),
            (Cell::tenths(2.0), "2.0"),
            (Cell::tenths(-0.3), "-0.3"),
            (Date::constant(2026, 11, 5).into(), "2026-11-05"),
            (noon.into(), "2026-11-20 12:00:00"),
        ];
        for (cell, text) in rows {
            assert_eq!(cell.text(&TimeZone::UTC), text);
        }
        assert_eq!(Cell::from(noon).text(&TimeZone::get("Asia/Kolkata").unwrap()), "2026-11-20 17:30:00");
    }
}
