//! Checks of a database, of its disk, and of the clock against it. None of them writes.

use std::path::Path;

use console::{ConsoleConfig, TokenKeyState, WrongTokenKey};
use jiff::{SignedDuration, Timestamp};
use platform::db::{self, Db, Dialect, Error, params};

use super::Fault;
use crate::options::store_kind::StoreKind;
use crate::process::server_clock::{self, ADVICE};

pub(super) const HOW_TO_REACH: &str = "Check --database, and that the server runs or the file exists";
/// The most that a clock may differ from that of the PostgreSQL server, or be behind the last migration.
const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_secs(10);
const MIB: u64 = 1024 * 1024;

/// Opens a database that must exist.
pub(super) async fn open(url: &str) -> db::Result<Db> {
    match file(url) {
        Some(_) => Db::connect_read_only(url).await,
        None => Db::connect_existing(url).await,
    }
}

/// The file of a SQLite database.
pub(super) fn file(url: &str) -> Option<&Path> {
    let path = url.strip_prefix("sqlite:")?;
    Some(Path::new(path.strip_prefix("//").unwrap_or(path)))
}

pub(super) async fn check_schema(db: &Db, kind: StoreKind) -> Result<(), Fault> {
    let checked = db.check_schema(kind.migrations()).await;
    checked.map_err(|error| {
        let advice = match (&error, kind) {
            (Error::NoSchema, StoreKind::Cloud) => "Set up the cloud with `sillage cloud init`",
            (Error::NoSchema | Error::OldSchema, _) => {
                return Fault::new(error, format!("Run `{}`", kind.migrate_command()));
            }
            (Error::NewSchema, _) => "Run the version of sillage that migrated it, or a newer one",
            (Error::EarlierBuild, _) => {
                return Fault::new(
                    error,
                    format!("Remove it, or name another one and run `{}`", kind.migrate_command()),
                );
            }
            (Error::Foreign(_), _) => "Check --database: each program needs its own database",
            (Error::UnfinishedTransfer, _) => "Run `sillage migrate-store` again",
            _ => "Restore a backup if the database is damaged (docs/backup.md)",
        };
        Fault::new(error, advice)
    })
}

/// Checks all pages of a SQLite file. A PostgreSQL server checks what it reads; this asks whether it found a wrong page.
pub(super) async fn check_integrity(db: &Db) -> Result<String, Fault> {
    const RESTORE: &str = "Stop the nodes and restore a backup (docs/backup.md)";
    if db.dialect() == Dialect::Sqlite {
        let checked = db.check_integrity().await;
        return checked
            .map(|()| "all pages and references are intact".to_owned())
            .map_err(|error| Fault::new(error, RESTORE));
    }
    let unanswered = |error| Fault::new(error, HOW_TO_REACH);
    if !db.survives_power_cuts().await.map_err(unanswered)? {
        return Err(Fault::new(
            "fsync is off: a power cut can damage the database",
            "Set fsync = on in postgresql.conf",
        ));
    }
    let sql = "select checksum_failures from pg_stat_database where datname = current_database()";
    let (failures,): (Option<i64>,) = db.fetch_one(sql, params![]).await.map_err(unanswered)?;
    match failures {
        Some(failures @ 1..) => Err(Fault::new(format!("PostgreSQL found {failures} damaged pages"), RESTORE)),
        Some(_) => Ok("PostgreSQL found no damaged page".to_owned()),
        None => Ok("fsync is on; checksums of pages are off".to_owned()),
    }
}

/// Compares the clock with that of the PostgreSQL server, and with the time of the last migration.
pub(super) async fn check_clock(db: &Db, now: Timestamp) -> Result<String, Fault> {
    let migrated = match db.dialect() {
        Dialect::Sqlite => "select cast(strftime('%s', max(installed_on)) as integer) from _sqlx_migrations",
        Dialect::Postgres => "select cast(extract(epoch from max(installed_on)) as bigint) from _sqlx_migrations",
    };
    let unanswered = |error| Fault::new(error, HOW_TO_REACH);
    let (migrated,): (Option<i64>,) = db.fetch_one(migrated, params![]).await.map_err(unanswered)?;
    if migrated.is_some_and(|migrated| now.as_second() + CLOCK_TOLERANCE.as_secs() < migrated) {
        return Err(Fault::new("the clock is behind the last migration of the database", ADVICE));
    }
    match server_clock::difference(db, now).await.map_err(unanswered)? {
        None => Ok(format!("{now:.0}, after the last migration")),
        Some(difference) if difference.abs() > CLOCK_TOLERANCE => {
            let seconds = difference.as_secs();
            Err(Fault::new(format!("the clock differs from that of PostgreSQL by {seconds} seconds"), ADVICE))
        }
        Some(_) => Ok(format!("{now:.0}, as on the PostgreSQL server")),
    }
}

/// Checks that the role of this address may change the partitions of a cloud's history on PostgreSQL, which it does by
/// functions.
pub(super) async fn check_history(db: &Db) -> Result<String, Fault> {
    const ADVICE: &str = "Grant it as the owner of the tables: grant execute on all functions in schema public to ROLE \
                          (docs/how-to/postgresql-roles.md)";
    let sql = "select current_user::text, bool_and(has_function_privilege(oid, 'execute')) from pg_proc \
               where pronamespace = current_schema()::regnamespace and proname in \
                   ('create_history_month', 'drop_history_months')";
    let (role, may): (String, Option<bool>) =
        db.fetch_one(sql, params![]).await.map_err(|error| Fault::new(error, HOW_TO_REACH))?;
    match may {
        Some(true) => Ok(format!("the role {role} may create and drop its partitions")),
        _ => Err(Fault::new(format!("the role {role} may not create or drop its partitions"), ADVICE)),
    }
}

/// Checks that the secrets in a console's database can be decrypted.
pub(super) async fn check_token_key(db: &Db, config: &ConsoleConfig) -> Result<String, Fault> {
    const ADVICE: &str = "Check --token-key-file (docs/operations.md)";
    let state = console::token_key_state(db, &config.token_key, &config.earlier_token_keys).await;
    match state.map_err(|error| Fault::new(error, HOW_TO_REACH))? {
        TokenKeyState::Right => Ok("decrypts the secrets in the database".to_owned()),
        TokenKeyState::Unused => Ok("the database has no secrets yet".to_owned()),
        TokenKeyState::Wrong => Err(Fault::new(WrongTokenKey, ADVICE)),
    }
}

/// Checks the free space of the disk of a file, in MiB.
pub(super) fn check_space(path: &Path, needed: u64) -> Result<String, Fault> {
    let advice = || format!("Free some space: {needed} MiB are needed (--free-space)");
    let disk = rustix::fs::statvfs(path).map_err(|error| Fault::new(error, advice()))?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize) / MIB;
    match free < needed {
        true => Err(Fault::new(format!("the disk of {} has {free} MiB left", path.display()), advice())),
        false => Ok(format!("{free} MiB")),
    }
}
