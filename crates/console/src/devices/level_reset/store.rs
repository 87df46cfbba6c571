//! The table of resets: the newest reset of each device, with the values that an undo restores.

use jiff::Timestamp;
use platform::db::{Db, Result, params};
use platform::run::clock::from_micros;
use sqlx_macros::FromRow;
use uuid::Uuid;

/// The values of a device before a reset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PreviousValues {
    /// Operating hours of the cartridge.
    pub(super) cartridge_life: f64,
    /// Fragrance level in percent.
    pub(super) fragrance_remaining: i64,
}

/// Ids of the datapoints that a reset created. Clouds that do not return commands have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ResetCommands {
    pub(super) cartridge_life: Option<String>,
    pub(super) fragrance_remaining: Option<String>,
}

/// The newest reset of a device.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StoredReset {
    pub(super) id: Uuid,
    pub(super) before: PreviousValues,
    pub(super) written: ResetCommands,
    /// End of the undo period, exclusive. Afterwards new reports of the device end the undo.
    pub(super) undo_until: Timestamp,
    pub(super) is_undone: bool,
}

#[derive(FromRow)]
struct LevelResetRow {
    id: String,
    cartridge_life: f64,
    fragrance_remaining: i64,
    cartridge_life_command: Option<String>,
    fragrance_remaining_command: Option<String>,
    undo_until: i64,
    undone_at: Option<i64>,
}

impl From<LevelResetRow> for StoredReset {
    fn from(row: LevelResetRow) -> Self {
        Self {
            id: Uuid::parse_str(&row.id).unwrap_or_default(),
            before: PreviousValues { cartridge_life: row.cartridge_life, fragrance_remaining: row.fragrance_remaining },
            written: ResetCommands {
                cartridge_life: row.cartridge_life_command,
                fragrance_remaining: row.fragrance_remaining_command,
            },
            undo_until: from_micros(row.undo_until),
            is_undone: row.undone_at.is_some(),
        }
    }
}

/// Stores a new reset in place of the device's previous one and returns the values that an undo restores: `before`, or
/// the values before the previous reset if that one `is_repeated`: it can still be undone. Within its undo period this is also
/// true of a reset that was interrupted.
pub(super) async fn begin(
    db: &Db,
    dsn: &str,
    id: Uuid,
    before: PreviousValues,
    now: Timestamp,
    undo_until: Timestamp,
    is_repeated: bool,
) -> Result<PreviousValues> {
    let mut tx = db.begin().await?;
    let (cartridge_life, fragrance_remaining) = tx
        .fetch_one(
            "insert into level_resets (dsn, id, cartridge_life, fragrance_remaining, undo_until) \
             values ($1, $2, $3, $4, $6) \
             on conflict (dsn) do update set id = excluded.id, undo_until = excluded.undo_until, \
             cartridge_life = case when level_resets.undone_at is null and (level_resets.undo_until > $5 or $7) \
             then level_resets.cartridge_life else excluded.cartridge_life end, \
             fragrance_remaining = case when level_resets.undone_at is null and (level_resets.undo_until > $5 or $7) \
             then level_resets.fragrance_remaining else excluded.fragrance_remaining end, \
             cartridge_life_command = null, fragrance_remaining_command = null, undone_at = null \
             returning cartridge_life, fragrance_remaining",
            params![dsn, id, before.cartridge_life, before.fragrance_remaining, now, undo_until, is_repeated],
        )
        .await?;
    tx.commit().await?;
    Ok(PreviousValues { cartridge_life, fragrance_remaining })
}

/// Stores the commands of a reset and the end of its undo period.
pub(super) async fn complete(
    db: &Db,
    dsn: &str,
    id: Uuid,
    written: &ResetCommands,
    undo_until: Timestamp,
) -> Result<()> {
    db.execute(
        "update level_resets set cartridge_life_command = $3, fragrance_remaining_command = $4, undo_until = $5 \
         where dsn = $1 and id = $2",
        params![dsn, id, written.cartridge_life.clone(), written.fragrance_remaining.clone(), undo_until],
    )
    .await?;
    Ok(())
}

/// The newest reset of a device.
pub(super) async fn find(db: &Db, dsn: &str) -> Result<Option<StoredReset>> {
    let sql = "select id, cartridge_life, fragrance_remaining, cartridge_life_command, fragrance_remaining_command, \
               undo_until, undone_at from level_resets where dsn = $1";
    let row: Option<LevelResetRow> = db.fetch_optional(sql, params![dsn]).await?;
    Ok(row.map(StoredReset::from))
}

/// Marks a reset as undone.
pub(super) async fn set_undone(db: &Db, dsn: &str, id: Uuid, now: Timestamp) -> Result<()> {
    let sql = "update level_resets set undone_at = $3 where dsn = $1 and id = $2";
    db.execute(sql, params![dsn, id, now]).await?;
    Ok(())
}

/// Deletes the resets whose undo period ended before `before`.
pub(super) async fn clear(db: &Db, before: Timestamp) -> Result<u64> {
    db.execute("delete from level_resets where undo_until < $1", params![before]).await
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    const DSN: &str = "SC-1";

    fn at(second: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_secs(second)
    }

    fn id(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    fn before(cartridge_life: f64, fragrance_remaining: i64) -> PreviousValues {
        PreviousValues { cartridge_life, fragrance_remaining }
    }

    fn written(cartridge_life: &str, fragrance_remaining: &str) -> ResetCommands {
        let text = |text: &str| Some(text.to_owned());
        ResetCommands { cartridge_life: text(cartridge_life), fragrance_remaining: text(fragrance_remaining) }
    }

    async fn stored_reset_is_read_back(db: Db) {
        assert_eq!(find(&db, DSN).await.unwrap(), None);
        let restores = begin(&db, DSN, id(1), before(412.55, 37), at(0), at(30), false).await.unwrap();
        assert_eq!(restores, before(412.55, 37));
        complete(&db, DSN, id(1), &written("a", "b"), at(31)).await.unwrap();
        let stored = StoredReset {
            id: id(1),
            before: before(412.55, 37),
            written: written("a", "b"),
            undo_until: at(31),
            is_undone: false,
        };
        assert_eq!(find(&db, DSN).await.unwrap().as_ref(), Some(&stored));
        set_undone(&db, DSN, id(1), at(5)).await.unwrap();
        assert_eq!(find(&db, DSN).await.unwrap(), Some(StoredReset { is_undone: true, ..stored }));
        assert_eq!(find(&db, "SC-2").await.unwrap(), None);
    }

    async fn repeated_reset_restores_the_values_before_the_first(db: Db) {
        begin(&db, DSN, id(1), before(412.0, 37), at(0), at(30), false).await.unwrap();
        let repeated = begin(&db, DSN, id(2), before(0.0, 100), at(29), at(59), false).await.unwrap();
        assert_eq!(repeated, before(412.0, 37));
        let later = begin(&db, DSN, id(3), before(0.01, 99), at(59), at(89), false).await.unwrap();
        assert_eq!(later, before(0.01, 99), "the undo period of the previous reset is over");
        let unreported = begin(&db, DSN, id(3), before(0.0, 100), at(90), at(120), true).await.unwrap();
        assert_eq!(unreported, before(0.01, 99), "the device has reported nothing since");
        set_undone(&db, DSN, id(3), at(60)).await.unwrap();
        let again = begin(&db, DSN, id(4), before(0.02, 98), at(61), at(91), true).await.unwrap();
        assert_eq!(again, before(0.02, 98), "the previous reset was undone");
    }

    async fn newer_reset_replaces_the_older_one(db: Db) {
        begin(&db, DSN, id(1), before(412.0, 37), at(0), at(30), false).await.unwrap();
        complete(&db, DSN, id(1), &written("a", "b"), at(30)).await.unwrap();
        set_undone(&db, DSN, id(1), at(1)).await.unwrap();
        begin(&db, DSN, id(2), before(1.0, 99), at(2), at(32), false).await.unwrap();
        complete(&db, DSN, id(1), &written("c", "d"), at(99)).await.unwrap();
        set_undone(&db, DSN, id(1), at(3)).await.unwrap();
        let expected = StoredReset {
            id: id(2),
            before: before(1.0, 99),
            written: ResetCommands::default(),
            undo_until: at(32),
            is_undone: false,
        };
        assert_eq!(find(&db, DSN).await.unwrap(), Some(expected));
    }

    async fn only_old_resets_are_deleted(db: Db) {
        for (dsn, until) in [("SC-1", 30), ("SC-2", 60), ("SC-3", 90)] {
            begin(&db, dsn, id(1), before(1.0, 1), at(0), at(until), false).await.unwrap();
        }
        assert_eq!(clear(&db, at(60)).await.unwrap(), 1);
        assert_eq!(find(&db, "SC-1").await.unwrap(), None);
        assert!(find(&db, "SC-2").await.unwrap().is_some() && find(&db, "SC-3").await.unwrap().is_some());
    }

    platform::store_suite!(
        migrate = crate::migrations::migrate,
        tests = [
            stored_reset_is_read_back,
            repeated_reset_restores_the_values_before_the_first,
            newer_reset_replaces_the_older_one,
            only_old_resets_are_deleted,
        ]
    );
}
