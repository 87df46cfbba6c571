//! The lock of the processes that run as nodes on a database.
//!
//! On PostgreSQL several nodes share the lock ([`NodeLock::join`]). A node that is alone holds it exclusively until it has migrated
//! the schema and removed what earlier nodes left. SQLite serves one node, which always holds the lock exclusively.
//!
//! The lock is released when its process ends, even by a crash, so a restart does not wait for a lease to expire. On SQLite it is
//! a file lock on `PATH.lock`, on PostgreSQL an advisory lock of a separate session. Other programs that use the database, such
//! as an operator's commands, do not acquire it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, Connection, PgConnection};
use tokio::time::{sleep, timeout};

use crate::db::{Db, Error, Result, Server};

/// The key of the advisory lock: "sillage" in ASCII.
const KEY: i64 = 0x73_69_6c_6c_61_67_65;
/// How long a start waits for the session of a node that has just stopped or been killed.
const START_PATIENCE: Duration = Duration::from_secs(5);
/// How long a start that finds other nodes waits for being alone: the server may not have noticed yet that a node was killed.
const ALONE_PATIENCE: Duration = Duration::from_secs(1);
/// How long a node that lost its session waits for the server to notice it, too.
const RETURN_PATIENCE: Duration = Duration::from_secs(1);
/// The time between two checks of the session that holds the lock.
const CHECK_EVERY: Duration = Duration::from_secs(1);
/// The server ends an unresponsive session after 10 seconds (4 idle, then 3 probes). The node's timeout is longer, so that the
/// node's own lost session no longer holds the lock.
pub(crate) const KEEPALIVE: [(&str, &str); 4] = [
    ("tcp_keepalives_idle", "4"),
    ("tcp_keepalives_interval", "2"),
    ("tcp_keepalives_count", "3"),
    ("tcp_user_timeout", "10000"),
];
const GIVE_UP: Duration = Duration::from_secs(12);
/// The SQLSTATE for an expired `lock_timeout`.
const LOCK_NOT_AVAILABLE: &str = "55P03";

/// The right to run as a node on a database, released on drop.
#[derive(Debug)]
pub struct NodeLock(Held);

#[derive(Debug)]
enum Held {
    /// The open, locked file.
    File {
        _file: File,
    },
    Session {
        options: Box<PgConnectOptions>,
        connection: PgConnection,
        mode: Mode,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Exclusive,
    Shared,
}

impl Mode {
    fn try_sql(self) -> &'static str {
        match self {
            Self::Exclusive => "select pg_try_advisory_lock($1)",
            Self::Shared => "select pg_try_advisory_lock_shared($1)",
        }
    }

    fn wait_sql(self) -> &'static str {
        match self {
            Self::Exclusive => "select pg_advisory_lock($1)",
            Self::Shared => "select pg_advisory_lock_shared($1)",
        }
    }
}

impl NodeLock {
    /// Acquires the lock exclusively, or returns `None` if another process holds it. Waits up to five seconds on PostgreSQL, which
    /// may notice late that a process was killed.
    ///
    /// # Errors
    /// [`Error::Open`] if the lock file cannot be opened, or a database error.
    pub async fn acquire(db: &Db) -> Result<Option<Self>> {
        let held = match db {
            Db::Sqlite { write, .. } => {
                lock_file(write.connect_options().get_filename())?.map(|file| Held::File { _file: file })
            }
            Db::Postgres(server) => {
                let options = session_options(server);
                let mut connection = options.connect().await?;
                let mode = Mode::Exclusive;
                let locked = try_lock(&mut connection, mode).await? || wait_for_node(&mut connection, mode).await?;
                locked.then(|| Held::Session { options: Box::new(options), connection, mode })
            }
        };
        Ok(held.map(Self))
    }

    /// Acquires the lock beside other nodes: exclusively if this node [is alone](Self::is_exclusive), otherwise shared. Returns `None`
    /// if a process holds it exclusively: on SQLite another node, on PostgreSQL a node that starts, or a node of a version that
    /// knows no other nodes. On PostgreSQL it waits for such a process up to five seconds, and for other nodes one second, because
    /// the server may notice late that they were killed.
    ///
    /// # Errors
    /// As [`acquire`](Self::acquire).
    pub async fn join(db: &Db) -> Result<Option<Self>> {
        Self::join_within(db, ALONE_PATIENCE).await
    }

    /// Like [`join`](Self::join), but waits up to `patience` for other nodes to end.
    ///
    /// # Errors
    /// As [`acquire`](Self::acquire).
    pub async fn join_within(db: &Db, patience: Duration) -> Result<Option<Self>> {
        let Db::Postgres(server) = db else { return Self::acquire(db).await };
        let options = session_options(server);
        let mut connection = options.connect().await?;
        let is_alone = wait(&mut connection, Mode::Exclusive, KEY, patience).await?;
        let mode = if is_alone { Mode::Exclusive } else { Mode::Shared };
        let locked = is_alone || try_lock(&mut connection, mode).await? || wait_for_node(&mut connection, mode).await?;
        Ok(locked.then(|| Self(Held::Session { options: Box::new(options), connection, mode })))
    }

    /// Whether no other node can hold the lock.
    #[must_use]
    pub fn is_exclusive(&self) -> bool {
        match &self.0 {
            Held::File { .. } => true,
            Held::Session { mode, .. } => *mode == Mode::Exclusive,
        }
    }

    /// Lets other nodes [join](Self::join). Has no effect on SQLite.
    ///
    /// # Errors
    /// A database error.
    pub async fn share(&mut self) -> Result<()> {
        if let Held::Session { connection, mode, .. } = &mut self.0
            && *mode == Mode::Exclusive
        {
            // A session can hold both, so that no other process can acquire the lock exclusively in between. It gets the second one
            // before sessions that wait, but some versions of PostgreSQL refuse it to one that does not ask to wait.
            sqlx::query(Mode::Shared.wait_sql()).bind(KEY).execute(&mut *connection).await?;
            sqlx::query("select pg_advisory_unlock($1)").bind(KEY).execute(connection).await?;
            *mode = Mode::Shared;
        }
        Ok(())
    }

    /// Resolves when another process has acquired the lock, so that this one cannot have it back. A lost session is reopened and
    /// acquires the lock again if it is free; while the database is unreachable, nobody can acquire it. A file lock cannot be lost.
    pub async fn lost(&mut self) {
        let Held::Session { options, connection, mode } = &mut self.0 else { return std::future::pending().await };
        loop {
            sleep(CHECK_EVERY).await;
            if matches!(timeout(GIVE_UP, connection.ping()).await, Ok(Ok(()))) {
                continue;
            }
            match timeout(GIVE_UP, locked_session(options, *mode)).await {
                Ok(Ok(Some(session))) => {
                    tracing::warn!("the session that holds the node lock was lost, and the lock acquired again");
                    *connection = session;
                }
                Ok(Ok(None)) => return,
                // The database is unreachable, which its other users log.
                Ok(Err(_)) | Err(_) => {}
            }
        }
    }
}

/// Locks the file `PATH.lock`, or returns `None` if another process has locked it.
fn lock_file(database: &Path) -> Result<Option<File>> {
    let lock = || {
        // The canonical path, so that all names of the database share one lock file.
        let mut path = database.canonicalize()?.into_os_string();
        path.push(".lock");
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    };
    lock().map_err(|source: io::Error| Error::Open {
        path: format!("{}.lock", database.display()),
        source: source.into(),
    })
}

fn session_options(server: &Server) -> PgConnectOptions {
    let options = server.pool().connect_options().as_ref().clone();
    options.application_name("sillage node lock").options(KEEPALIVE)
}

/// Opens a session with the lock, or returns `None` if another session holds it.
async fn locked_session(options: &PgConnectOptions, mode: Mode) -> sqlx::Result<Option<PgConnection>> {
    let mut connection = options.connect().await?;
    Ok(wait(&mut connection, mode, KEY, RETURN_PATIENCE).await?.then_some(connection))
}

async fn try_lock(connection: &mut PgConnection, mode: Mode) -> sqlx::Result<bool> {
    sqlx::query_scalar(mode.try_sql()).bind(KEY).fetch_one(connection).await
}

async fn wait_for_node(connection: &mut PgConnection, mode: Mode) -> sqlx::Result<bool> {
    tracing::info!("another node runs on this database; waiting up to 5 s for it");
    wait(connection, mode, KEY, START_PATIENCE).await
}

/// Waits for an exclusive advisory lock of the session. Returns whether it is held.
pub(crate) async fn wait_for_lock(connection: &mut PgConnection, key: i64, patience: Duration) -> sqlx::Result<bool> {
    wait(connection, Mode::Exclusive, key, patience).await
}

async fn wait(connection: &mut PgConnection, mode: Mode, key: i64, patience: Duration) -> sqlx::Result<bool> {
    let timeout = "select set_config('lock_timeout', $1, false)";
    sqlx::query(timeout).bind(patience.as_millis().to_string()).execute(&mut *connection).await?;
    match sqlx::query(mode.wait_sql()).bind(key).execute(connection).await {
        Ok(_) => Ok(true),
        Err(sqlx::Error::Database(error)) if error.code().is_some_and(|code| code == LOCK_NOT_AVAILABLE) => Ok(false),
        Err(error) => Err(error),
    }
}
