//! Stands for the next version beside running nodes: its migration, its messages on the bus, and rows of kinds that only it knows.

use std::time::Duration;

use platform::bus::Bus;
use platform::db::{Db, params};
use platform::run::clock::Clock;
use platform::run::random::Random;
use serde_json::json;
use sqlx::AssertSqlSafe;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::cluster::{Cluster, eventually};

/// Adds to a schema what a migration may add (CONTRIBUTING.md): columns of every table that are nullable or have a default, with an index,
/// and a table.
pub(crate) async fn expand(db: &Db) {
    let sql = "select oid::regclass::text from pg_class where relnamespace = current_schema()::regnamespace \
               and relkind in ('r', 'p') and not relispartition and relname not like '\\_sqlx%'";
    let tables: Vec<(String,)> = db.fetch_all(sql, params![]).await.unwrap();
    assert!(tables.len() > 20, "{tables:?}");
    let of_table = |(table,): (String,)| {
        [
            format!("alter table {table} add column newer_note text, add column newer_count bigint not null default 7"),
            format!("create index on {table} (newer_count)"),
        ]
    };
    let added = "create table newer_version (id bigint primary key)".to_owned();
    for statement in tables.into_iter().flat_map(of_table).chain([added]) {
        db.execute(AssertSqlSafe(statement), params![]).await.unwrap();
    }
}

/// A node of the next version on the bus of one of the servers.
pub(crate) struct BusNode {
    bus: Bus,
    _stop: DropGuard,
}

impl BusNode {
    pub(crate) async fn connect(address: &str, db: &Db) -> Self {
        let (bus, link) = Bus::connect(&address.parse().unwrap(), db, &Random::system()).await.unwrap();
        let stop = CancellationToken::new();
        tokio::spawn(link.unwrap().run(stop.clone()));
        Self { bus, _stop: stop.drop_guard() }
    }

    /// Publishes to the clouds an event of an unknown type, and one for an unknown purpose.
    pub(crate) fn publish_to_clouds(&self, dsn: &str) {
        let audience = json!({ "oem_id": 1, "registered": true, "owner_id": null, "labels": [], "shares": [] });
        let event = json!({
            "event_type": "telepathy", "dsn": dsn, "oem_model": "diffuser", "property_name": null, "audience": audience,
        });
        self.bus.publish("events", format!("{event}\n{{}}\n"));
        self.bus.publish("telepathy.one", "\u{0}");
    }

    /// Publishes to the consoles that something of an unknown kind happened to a device.
    pub(crate) fn publish_to_consoles(&self, dsn: &str) {
        self.bus.publish(format!("device.{dsn}"), "repainted");
        self.bus.publish("telepathy.one", "\u{0}");
    }
}

/// Stores a message of an unknown kind, one for an unknown channel, and a job of an unknown kind.
pub(crate) async fn store_unknown_kinds(cloud: &Db, console: &Db) {
    let message = "insert into outbox (id, oem_id, kind, channel, recipient, subject, body, html, state, created_at, waiting_since, due_at)
         select $1, id, 'newsletter', $2, $3, 'News', 'News', '<p>News</p>', 'waiting', now.at, now.at, 0
         from oem, (select cast(extract(epoch from now()) * 1000000 as bigint) as at) as now order by id limit 1";
    // Rows with an old id are purged.
    let now = Clock::system().now();
    let id = || Random::system().uuid_at(now).to_string();
    for (channel, recipient) in [("email", "news@example.com"), ("pigeon", "loft 3")] {
        cloud.execute(message, params![id(), channel, recipient]).await.unwrap();
    }
    let job = "insert into jobs (id, operation, work, user_id, email, session, state, created_at)
               values ($1, '', '{\"kind\":\"paint\"}',
                       '00000000-0000-4000-8000-000000000001', '', 'none', 'running', 0)";
    let target = "insert into job_targets (job_id, position, dsn, state)
                  values ($1, 0, 'SL0', 'waiting')";
    let of_job = id();
    for sql in [job, target] {
        console.execute(sql, params![of_job.as_str()]).await.unwrap();
    }
}

/// Checks what [`store_unknown_kinds`] stored: the mail is sent, since it is complete, and the rest still waits for the next version.
pub(crate) async fn assert_unknown_kinds_are_kept(cluster: &Cluster, console: &Db) {
    assert_eq!(cluster.mail.next_recipient(), "news@example.com");
    assert_eq!(cluster.count("outbox where channel = 'pigeon' and state = 'waiting' and attempts = 0").await, 1);
    let sql = "select count(*) from jobs where state = 'running' and pauses > 0 and ended_at is null";
    let was_seen = async || console.fetch_one::<(i64,)>(sql, params![]).await.unwrap().0 == 1;
    eventually("a console leaves the job", Duration::from_secs(30), was_seen).await;
    let sql = "select count(*) from job_targets where state = 'waiting'";
    assert_eq!(console.fetch_one::<(i64,)>(sql, params![]).await.unwrap().0, 1);
}
