//! How many connections of a database are in use.

use sqlx::{Database, Pool};

use super::Db;

impl Db {
    /// Records the connections as metrics. `pool` distinguishes several [`Db`]s of one database; SQLite's only write connection, which
    /// they share, is the pool `write`.
    pub fn record_connections(&self, pool: &'static str) {
        match self {
            Self::Sqlite { read, write, .. } => {
                record(pool, read);
                record("write", write);
            }
            Self::Postgres(server) => record(pool, server.pool()),
        }
    }
}

fn record<D: Database>(name: &'static str, pool: &Pool<D>) {
    let idle = u32::try_from(pool.num_idle()).unwrap_or(u32::MAX);
    let set = |state: &'static str, count: u32| {
        metrics::gauge!("sillage_db_connections", "pool" => name, "state" => state).set(count);
    };
    set("idle", idle);
    set("used", pool.size().saturating_sub(idle));
    metrics::gauge!("sillage_db_connections_max", "pool" => name).set(pool.options().get_max_connections());
}
