//! The table of preferences.

use platform::db::{Db, Result, params};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// How a time of day is shown and picked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
pub(crate) enum TimeFormat {
    /// 3:41 PM
    #[default]
    #[serde(rename = "12hour")]
    TwelveHour,
    /// 15:41
    #[serde(rename = "24hour")]
    TwentyFourHour,
}

impl TimeFormat {
    fn name(self) -> &'static str {
        match self {
            Self::TwelveHour => "12hour",
            Self::TwentyFourHour => "24hour",
        }
    }
}

/// How this user wants to see times.
pub(crate) async fn time_format(db: &Db, user: Uuid) -> Result<TimeFormat> {
    let sql = "SELECT time_format FROM user_preferences WHERE user_id = $1";
    let found: Option<(String,)> = db.fetch_optional(sql, params![user]).await?;
    let is_24_hour = found.is_some_and(|(name,)| name == TimeFormat::TwentyFourHour.name());
    Ok(if is_24_hour { TimeFormat::TwentyFourHour } else { TimeFormat::TwelveHour })
}

pub(super) async fn keep_time_format(db: &Db, user: Uuid, format: TimeFormat) -> Result<()> {
    db.execute(
        "INSERT INTO user_preferences (user_id, time_format) VALUES ($1, $2) \
         ON CONFLICT (user_id) DO UPDATE SET time_format = excluded.time_format",
        params![user, format.name()],
    )
    .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn the_format_is_12_hour_until_its_user_chooses_another(db: Db) {
        let (ours, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        assert_eq!(time_format(&db, ours).await.unwrap(), TimeFormat::TwelveHour);
        for format in [TimeFormat::TwentyFourHour, TimeFormat::TwelveHour, TimeFormat::TwentyFourHour] {
            keep_time_format(&db, ours, format).await.unwrap();
            assert_eq!(time_format(&db, ours).await.unwrap(), format);
        }
        assert_eq!(time_format(&db, other).await.unwrap(), TimeFormat::TwelveHour);
    }

    platform::store_suite!(
        migrate = crate::migrations::migrate,
        tests = [the_format_is_12_hour_until_its_user_chooses_another]
    );
}
