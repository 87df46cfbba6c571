//! Migration of a database of an older version.

use std::borrow::Cow;

use jiff::Timestamp;
use platform::db::{Db, Migrations, params};
use platform::random::instant_of;
use platform::store_suite;
use serde_json::{Value, json};
use sqlx::migrate::Migrator;

use crate::store;
use crate::store::{datapoints, properties};

/// The first version of the schema.
async fn first(db: &Db) {
    migrate_if(db, |version| version == 1).await;
}

/// Applies the migrations of these versions.
pub(super) async fn migrate_if(db: &Db, is_included: fn(i64) -> bool) {
    let included = |migrator: &Migrator| {
        let migrations = migrator.iter().filter(|migration| is_included(migration.version)).cloned().collect();
        &*Box::leak(Box::new(Migrator { migrations: Cow::Owned(migrations), ..Migrator::DEFAULT }))
    };
    let migrations =
        Migrations { sqlite: included(&store::SQLITE), postgres: included(&store::POSTGRES), ..store::MIGRATIONS };
    db.migrate(&migrations).await.unwrap();
}

async fn migration_assigns_machine_accounts_to_their_application(db: Db) {
    for sql in [
        "insert into oem (code, name, created_at) values ('c', 'n', 0), ('d', 'm', 0)",
        "insert into application (oem_id, app_id, name, secret_hash, created_at)
         values (2, 'x', 'x', 'h', 0), (1, 'a', 'a', 'h', 0)",
        "insert into users (uuid, oem_id, email, password_hash, machine, created_at, updated_at)
         values ('u', 1, 'machine', 'h', true, 0, 0), ('v', 1, 'person', 'h', false, 0, 0)",
    ] {
        db.execute(sql, params![]).await.unwrap();
    }
    store::migrate(&db).await.unwrap();
    let application = store::applications::find(&db, "a").await.unwrap().unwrap().id;
    for (email, expected) in [("machine", Some(application)), ("person", None)] {
        let user = store::users::credentials(&db, 1, email).await.unwrap().unwrap();
        assert_eq!(user.application_id, expected, "{email}");
    }
}

const OLD: &[&str] = &[
    "insert into oem (code, name, created_at) values ('c', 'n', 0)",
    "insert into template (oem_id, name, created_at) values (1, 't', 0)",
    "insert into template_property
         (template_id, name, display_name, base_type, direction, ack_enabled, retention_days)
     values (1, 'fan', 'Fan', 'integer', 'input', true, 400), (1, 'hours', 'Hours', 'decimal', 'output', false, 400)",
    "insert into device (oem_id, template_id, dsn, link_key_hash, product_name, model, oem_model, lan_enabled,
                         registered, created_at, updated_at)
     values (1, 1, 'D', 'x', 'p', 'm', 'o', false, true, 0, 0)",
    "insert into property (device_id, template_property_id, value, value_at, command_id)
     values (1, 1, '3', 1700000000000003, '3e2c5c4a-0000-4000-8000-000000000003'), (1, 2, null, null, null)",
    "insert into datapoint (uuid, property_id, value, echo, user_uuid, metadata, created_at, created_at_from_device)
     values ('9e2c5c4a-0000-4000-8000-000000000001', 1, '1', true, null, null, 1700000000000001, 1699999999000000),
            ('5e2c5c4a-0000-4000-8000-000000000002', 1, '2', true, null, null, 1700000000000001, null),
            ('3e2c5c4a-0000-4000-8000-000000000003', 1, '3', false, 'user', '{\"a\":1}', 1700000000000003, null)",
    "insert into command (id, device_id, property_id, value, state, created_at, expires_at)
     values ('3e2c5c4a-0000-4000-8000-000000000003', 1, 1, '3', 'pending', 1700000000000003, 1800000000000000)",
];

async fn migration_chains_old_datapoints_and_keeps_pending_commands(db: Db) {
    for sql in OLD {
        db.execute(*sql, params![]).await.unwrap();
    }
    store::migrate(&db).await.unwrap();
    let fan = properties::by_name(&db, 1, "fan").await.unwrap().unwrap();
    let rows = datapoints::newest(&db, fan.id, datapoints::Span::ALL, None, 10).await.unwrap();
    let values: Vec<Value> = rows.iter().map(datapoints::DatapointRow::value).collect();
    assert_eq!(values, [json!(1), json!(2), json!(3)]);
    assert!(rows.is_sorted_by_key(|row| &row.id), "{rows:?}");
    for row in &rows {
        assert_eq!(instant_of(&row.id).map(Timestamp::as_microsecond), Some(row.created_at));
    }
    assert_eq!(rows[0].created_at_from_device, Some(1_699_999_999_000_000));
    let command = &rows[2];
    assert_eq!(
        (command.echo, command.user_uuid.as_deref(), command.metadata()),
        (false, Some("user"), json!({"a": 1}))
    );
    let now = "2023-11-15T00:00:00Z".parse().unwrap();
    let pending = store::commands::pending(&db, 1, now).await.unwrap();
    assert_eq!(pending.iter().map(|row| &row.id).collect::<Vec<_>>(), [&command.id]);
    assert_eq!((fan.command().unwrap().id, fan.metadata()), (&*command.id, json!({"a": 1})));
    let hours = properties::by_name(&db, 1, "hours").await.unwrap().unwrap();
    assert!(datapoints::newest(&db, hours.id, datapoints::Span::ALL, None, 10).await.unwrap().is_empty());
}

async fn migration_starts_connection_history_at_the_last_connect(db: Db) {
    for sql in OLD {
        db.execute(*sql, params![]).await.unwrap();
    }
    let state = "insert into device_state (device_id, status, connected_at) values (1, 'Online', 1700000000000001)";
    db.execute(state, params![]).await.unwrap();
    store::migrate(&db).await.unwrap();
    let changes = store::connection_history::newest(&db, 1, datapoints::Span::ALL, 10).await.unwrap();
    let recorded: Vec<_> = changes.iter().map(|change| (change.status.as_str(), change.at)).collect();
    assert_eq!(recorded, [("Online", 1_700_000_000_000_001)]);
}

store_suite!(
    migrate = super::first,
    tests = [
        migration_assigns_machine_accounts_to_their_application,
        migration_chains_old_datapoints_and_keeps_pending_commands,
        migration_starts_connection_history_at_the_last_connect,
    ]
);
