//! The preferences of users, and their table.

mod csv_format;
mod list_preferences;

use platform::db::{Db, Result, params};
use serde::{Deserialize, Serialize};
use sqlx_macros::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use self::list_preferences::{Density, PageSizes};

pub(crate) use csv_format::{CsvFormat, CsvSeparator, DecimalSign};
pub(crate) use list_preferences::{ListPreferences, ListPreferencesForm};

/// The stored preferences of a user.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct StoredPreferences {
    /// None until the user chooses one: the browser then decides by its language.
    pub(crate) time_format: Option<TimeFormat>,
    pub(crate) lists: ListPreferences,
}

/// The format in which times of day are shown and entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
pub(crate) enum TimeFormat {
    /// 3:41 PM
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

    fn from_name(name: &str) -> Option<Self> {
        [Self::TwelveHour, Self::TwentyFourHour].into_iter().find(|format| format.name() == name)
    }
}

#[derive(FromRow)]
struct PreferencesRow {
    time_format: Option<String>,
    devices_page_size: Option<i64>,
    users_page_size: Option<i64>,
    csps_page_size: Option<i64>,
    copy_targets_page_size: Option<i64>,
    density: Option<String>,
    csv_separator: Option<String>,
    csv_decimal_sign: Option<String>,
}

impl From<PreferencesRow> for StoredPreferences {
    fn from(row: PreferencesRow) -> Self {
        let size = |stored: Option<i64>| stored.map(i64::unsigned_abs);
        Self {
            time_format: row.time_format.as_deref().and_then(TimeFormat::from_name),
            lists: ListPreferences {
                page_sizes: PageSizes {
                    devices: size(row.devices_page_size),
                    users: size(row.users_page_size),
                    csps: size(row.csps_page_size),
                    copy_targets: size(row.copy_targets_page_size),
                },
                density: row.density.as_deref().and_then(Density::from_name).unwrap_or_default(),
                csv_separator: row.csv_separator.and_then(|name| name.parse().ok()),
                csv_decimal_sign: row.csv_decimal_sign.and_then(|name| name.parse().ok()),
            },
        }
    }
}

/// Reads the preferences of a user.
pub(crate) async fn preferences(db: &Db, user: Uuid) -> Result<StoredPreferences> {
    let sql = "select time_format, devices_page_size, users_page_size, csps_page_size, copy_targets_page_size, density, \
               csv_separator, csv_decimal_sign from user_preferences where user_id = $1";
    let row: Option<PreferencesRow> = db.fetch_optional(sql, params![user]).await?;
    Ok(row.map(StoredPreferences::from).unwrap_or_default())
}

pub(crate) async fn keep_time_format(db: &Db, user: Uuid, format: TimeFormat) -> Result<()> {
    db.execute(
        "insert into user_preferences (user_id, time_format) values ($1, $2) \
         on conflict (user_id) do update set time_format = excluded.time_format",
        params![user, format.name()],
    )
    .await?;
    Ok(())
}

/// Whether a user gets a mail about items that somebody assigns to them.
pub(crate) async fn wants_assignment_mails(db: &Db, user: Uuid) -> Result<bool> {
    let sql = "select assignment_mails from user_preferences where user_id = $1";
    let row: Option<(Option<bool>,)> = db.fetch_optional(sql, params![user]).await?;
    Ok(row.and_then(|(wanted,)| wanted).unwrap_or(true))
}

pub(crate) async fn keep_assignment_mails(db: &Db, user: Uuid, wanted: bool) -> Result<()> {
    let sql = "insert into user_preferences (user_id, assignment_mails) values ($1, $2) \
               on conflict (user_id) do update set assignment_mails = excluded.assignment_mails";
    db.execute(sql, params![user, wanted]).await?;
    Ok(())
}

/// Stores the list preferences of the form. A single statement, so that concurrent changes of different preferences are both
/// kept.
pub(crate) async fn update_lists(db: &Db, user: Uuid, form: &ListPreferencesForm) -> Result<()> {
    let size = |size: Option<u64>| size.and_then(|size| i64::try_from(size).ok());
    let sizes = &form.page_sizes;
    db.execute(
        "insert into user_preferences \
         (user_id, devices_page_size, users_page_size, csps_page_size, copy_targets_page_size, density, csv_separator, \
         csv_decimal_sign) \
         values ($1, $2, $3, $4, $5, $6, $7, $8) \
         on conflict (user_id) do update set \
         devices_page_size = coalesce(excluded.devices_page_size, user_preferences.devices_page_size), \
         users_page_size = coalesce(excluded.users_page_size, user_preferences.users_page_size), \
         csps_page_size = coalesce(excluded.csps_page_size, user_preferences.csps_page_size), \
         copy_targets_page_size = coalesce(excluded.copy_targets_page_size, user_preferences.copy_targets_page_size), \
         density = coalesce(excluded.density, user_preferences.density), \
         csv_separator = coalesce(excluded.csv_separator, user_preferences.csv_separator), \
         csv_decimal_sign = coalesce(excluded.csv_decimal_sign, user_preferences.csv_decimal_sign)",
        params![
            user,
            size(sizes.devices),
            size(sizes.users),
            size(sizes.csps),
            size(sizes.copy_targets),
            form.density.map(Density::name),
            form.csv_separator.map(<&'static str>::from),
            form.csv_decimal_sign.map(<&'static str>::from),
        ],
    )
    .await?;
    Ok(())
}

/// Removes the preferences of a person who has been removed.
pub(crate) async fn remove(db: &Db, user: Uuid) -> Result<()> {
    db.execute("delete from user_preferences where user_id = $1", params![user]).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: Uuid = Uuid::from_u128(1);
    const OTHER: Uuid = Uuid::from_u128(2);

    async fn time_format(db: &Db, user: Uuid) -> Option<TimeFormat> {
        preferences(db, user).await.unwrap().time_format
    }

    async fn time_format_is_unset_until_the_user_chooses_one(db: Db) {
        assert_eq!(time_format(&db, OURS).await, None);
        let density = Some(Density::Compact);
        update_lists(&db, OURS, &ListPreferencesForm { density, ..ListPreferencesForm::default() }).await.unwrap();
        assert_eq!(time_format(&db, OURS).await, None);
        for format in [TimeFormat::TwentyFourHour, TimeFormat::TwelveHour, TimeFormat::TwentyFourHour] {
            keep_time_format(&db, OURS, format).await.unwrap();
            assert_eq!(time_format(&db, OURS).await, Some(format));
        }
        assert_eq!(time_format(&db, OTHER).await, None);
    }

    async fn change_of_list_preferences_keeps_all_others(db: Db) {
        let sizes = |devices, users| PageSizes { devices, users, ..PageSizes::default() };
        let form = |page_sizes, density| ListPreferencesForm { page_sizes, density, ..ListPreferencesForm::default() };
        let rows = [
            (form(PageSizes::default(), None), sizes(None, None), Density::Comfortable),
            (form(sizes(Some(50), None), None), sizes(Some(50), None), Density::Comfortable),
            (form(sizes(None, Some(5)), Some(Density::Compact)), sizes(Some(50), Some(5)), Density::Compact),
            (form(sizes(Some(25), None), None), sizes(Some(25), Some(5)), Density::Compact),
            (form(sizes(None, None), Some(Density::Comfortable)), sizes(Some(25), Some(5)), Density::Comfortable),
        ];
        for (form, page_sizes, density) in rows {
            update_lists(&db, OURS, &form).await.unwrap();
            let stored = preferences(&db, OURS).await.unwrap();
            let expected = ListPreferences { page_sizes, density, ..ListPreferences::default() };
            assert_eq!(stored.lists, expected, "{form:?}");
        }
        keep_time_format(&db, OURS, TimeFormat::TwentyFourHour).await.unwrap();
        let whole = PageSizes { devices: Some(5), users: Some(25), csps: Some(50), copy_targets: Some(5) };
        update_lists(&db, OURS, &form(whole.clone(), None)).await.unwrap();
        let stored = preferences(&db, OURS).await.unwrap();
        assert_eq!((stored.time_format, stored.lists.page_sizes), (Some(TimeFormat::TwentyFourHour), whole));
        assert_eq!(preferences(&db, OTHER).await.unwrap(), StoredPreferences::default());
    }

    async fn signs_of_csv_files_are_stored_one_by_one(db: Db) {
        let format = async || preferences(&db, OURS).await.unwrap().lists.csv_format();
        assert_eq!(format().await, CsvFormat::default());
        for separator in CsvSeparator::ALL {
            let form = ListPreferencesForm { csv_separator: Some(separator), ..ListPreferencesForm::default() };
            update_lists(&db, OURS, &form).await.unwrap();
            assert_eq!(format().await, CsvFormat { separator, ..CsvFormat::default() });
        }
        for decimal_sign in [DecimalSign::Comma, DecimalSign::Point] {
            let form = ListPreferencesForm { csv_decimal_sign: Some(decimal_sign), ..ListPreferencesForm::default() };
            update_lists(&db, OURS, &form).await.unwrap();
            assert_eq!(format().await, CsvFormat { separator: CsvSeparator::Tab, decimal_sign });
        }
    }

    platform::store_suite!(
        migrate = crate::migrations::migrate,
        tests = [
            time_format_is_unset_until_the_user_chooses_one,
            change_of_list_preferences_keeps_all_others,
            signs_of_csv_files_are_stored_one_by_one,
        ]
    );
}
