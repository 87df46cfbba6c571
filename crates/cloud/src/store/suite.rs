//! The store on SQLite and on PostgreSQL: what the HTTP tests, which run on SQLite, cannot show.

use jiff::{SignedDuration, Timestamp};
use platform::bus::Bus;
use platform::clock::Clock;
use platform::db::{Db, params};
use platform::random::Random;
use platform::store_suite;
use serde_json::json;

use super::device_columns;
use super::devices::{DeviceRef, Listing};
use super::sessions::Tokens;
use super::{devices, properties, roles, sessions, users};
use crate::devices::commands::Commands;
use crate::devices::link::{AckMessage, AckOutcome, LinkService, LinkedDevice, ReportError};
use crate::domain::password::PasswordCost;
use crate::domain::policy::{DeviceScope, device_scope};
use crate::operator::{Operator, OperatorError};
use crate::testing::{World, device_key};

struct Node {
    db: Db,
    clock: Clock,
    operator: Operator,
    world: World,
    commands: Commands,
    link: LinkService,
}

async fn node(db: Db) -> Node {
    let (clock, random) = (Clock::mock("2026-11-20T10:00:00Z".parse().unwrap()), Random::seeded(1));
    let cost = PasswordCost { memory_kib: 8, passes: 1, lanes: 1 };
    let operator = Operator::new(db.clone(), clock.clone(), random.clone(), cost).unwrap();
    let world = World::load(&operator).await;
    let bus = Bus::in_process();
    let lifetime = SignedDuration::from_hours(1);
    let (c, r, b) = (clock.clone(), random.clone(), bus.clone());
    Node {
        commands: Commands { db: db.clone(), clock: c, random: r, bus: b, lifetime },
        link: LinkService { db: db.clone(), clock: clock.clone(), random, bus },
        db,
        clock,
        operator,
        world,
    }
}

impl Node {
    async fn scope(&self, email: &str) -> DeviceScope {
        let id = users::id_by_email(&self.db, self.world.oem.id, email).await.unwrap().unwrap();
        device_scope(&roles::principal(&self.db, id).await.unwrap().unwrap())
    }

    async fn device(&self, dsn: &str) -> LinkedDevice {
        self.link.authenticate(dsn, &device_key(dsn)).await.unwrap().unwrap()
    }

    async fn intensity(&self) -> properties::PropertyRow {
        let scope = self.scope(World::ADMIN).await;
        let device = devices::find(&self.db, &scope, DeviceRef::Dsn("DEV-A1")).await.unwrap().unwrap();
        properties::by_name(&self.db, device.id, "intensity").await.unwrap().unwrap()
    }
}

async fn a_scope_admits_the_same_devices_in_sql_and_in_memory(db: Db) {
    let node = node(db).await;
    let listing = Listing { filters: vec![], key_after: None, order_by: device_columns::key(), descending: false };
    for email in [World::ADMIN, World::OBSERVER, World::PARTNER_ADMIN_A, World::PARTNER_ADMIN_B, World::END_USER] {
        let scope = node.scope(email).await;
        let rows = devices::list(&node.db, &scope, &listing, None).await.unwrap();
        let in_sql: Vec<String> = rows.into_iter().map(|row| row.dsn).collect();
        let mut in_memory = Vec::new();
        for dsn in ["DEV-A1", "DEV-A2", "DEV-B1", "DEV-U1", "DEV-S1"] {
            let (id,): (i64,) = node.db.fetch_one("select id from device where dsn = $1", params![dsn]).await.unwrap();
            let mut tx = node.db.begin().await.unwrap();
            let origin = super::audience::origin(&mut tx, id).await.unwrap().unwrap();
            if scope.admits(&origin.audience) {
                in_memory.push(dsn);
            }
        }
        assert_eq!(in_sql, in_memory, "{email}");
        assert_eq!(devices::count(&node.db, &scope, &listing).await.unwrap(), i64::try_from(in_sql.len()).unwrap());
    }
    assert!(devices::list(&node.db, &DeviceScope::Nothing, &listing, None).await.unwrap().is_empty());
}

async fn lists_are_ordered_alike_with_nulls_last(db: Db) {
    let node = node(db).await;
    node.link.connected(&node.device("DEV-B1").await).await.unwrap();
    let scope = node.scope(World::ADMIN).await;
    let order_by = device_columns::find("connected_at").unwrap();
    for (descending, expected) in [(false, "DEV-B1"), (true, "DEV-S1")] {
        let listing = Listing { filters: vec![], key_after: None, order_by, descending };
        let rows = devices::list(&node.db, &scope, &listing, Some((10, 0))).await.unwrap();
        assert_eq!((rows.len(), &*rows[0].dsn), (5, expected));
    }
}

async fn a_refresh_token_goes_round_with_its_grace(db: Db) {
    let node = node(db).await;
    let user = users::id_by_email(&node.db, node.world.oem.id, World::ADMIN).await.unwrap().unwrap();
    let tokens = |n: u8| Tokens { access: format!("access {n}"), refresh: format!("refresh {n}") };
    let now = node.clock.now();
    let later = now + SignedDuration::from_hours(1);
    sessions::open(&node.db, user, &tokens(1), now, later).await.unwrap();
    assert!(sessions::authenticate(&node.db, "access 1", now).await.unwrap().is_some());
    assert!(sessions::authenticate(&node.db, "access 1", later).await.unwrap().is_none());
    assert_eq!(sessions::rotate(&node.db, "refresh 1", &tokens(2), now, later).await.unwrap(), Some(user));
    assert!(sessions::authenticate(&node.db, "access 1", now).await.unwrap().is_none());
    assert_eq!(sessions::rotate(&node.db, "refresh 1", &tokens(3), now, later).await.unwrap(), Some(user));
    let over = now + SignedDuration::from_secs(60);
    assert_eq!(sessions::rotate(&node.db, "refresh 1", &tokens(4), over, later).await.unwrap(), None);
    assert_eq!(sessions::rotate(&node.db, "refresh 2", &tokens(4), over, later).await.unwrap(), None);
    assert_eq!(sessions::rotate(&node.db, "refresh 3", &tokens(4), over, later).await.unwrap(), Some(user));
    assert!(sessions::close(&node.db, "access 4").await.unwrap());
    assert_eq!(sessions::rotate(&node.db, "refresh 4", &tokens(5), over, later).await.unwrap(), None);
}

async fn wrong_passwords_lock_and_the_right_one_forgives(db: Db) {
    let node = node(db).await;
    let user = users::id_by_email(&node.db, node.world.oem.id, World::ADMIN).await.unwrap().unwrap();
    let now = node.clock.now();
    let until = now + SignedDuration::from_mins(30);
    for _ in 0..4 {
        users::count_failure(&node.db, user, 5, until).await.unwrap();
    }
    assert!(users::forgive_failures(&node.db, user, now).await.unwrap());
    for _ in 0..5 {
        users::count_failure(&node.db, user, 5, until).await.unwrap();
    }
    assert!(!users::forgive_failures(&node.db, user, now).await.unwrap());
    assert!(users::forgive_failures(&node.db, user, until).await.unwrap());
}

async fn a_command_waits_is_acknowledged_once_and_can_expire(db: Db) {
    let node = node(db).await;
    let device = node.device("DEV-A1").await;
    let intensity = node.intensity().await;
    let first = node.commands.give("user", &intensity, &json!(30), None).await.unwrap();
    node.link.report(&device, vec![("intensity".into(), json!(21))], Some(Timestamp::UNIX_EPOCH)).await.unwrap();
    let shown = node.intensity().await;
    assert_eq!((shown.value(), shown.reported_value()), (json!(30), json!(21)));
    let message = || Some(AckMessage::Text("done".into()));
    assert_eq!(node.link.ack(&device, &first.uuid, 200, message()).await.unwrap(), AckOutcome::Acknowledged);
    assert_eq!(node.link.ack(&device, &first.uuid, 500, None).await.unwrap(), AckOutcome::Repeated);
    for unknown in ["no such id", "\0"] {
        assert_eq!(node.link.ack(&device, unknown, 200, None).await.unwrap(), AckOutcome::Unknown);
    }
    let acked = node.intensity().await;
    assert_eq!((acked.ack_status, acked.ack_message()), (Some(200), Some(json!("done"))));
    assert_eq!(acked.command().unwrap().state, "acknowledged");

    let second = node.commands.give("user", &intensity, &json!(40), None).await.unwrap();
    assert_eq!(node.link.pending_commands(&device).await.unwrap()[0].id, second.uuid);
    node.clock.advance(SignedDuration::from_hours(1));
    node.commands.expire(node.clock.now()).await.unwrap();
    let expired = node.intensity().await;
    assert_eq!((expired.value(), expired.command().unwrap().state), (json!(30), "expired"));
    assert_eq!(node.link.ack(&device, &second.uuid, 422, None).await.unwrap(), AckOutcome::Failed);
    assert_eq!(node.intensity().await.value(), json!(30));
}

async fn a_report_is_kept_whole_or_not_at_all(db: Db) {
    let node = node(db).await;
    let device = node.device("DEV-A1").await;
    let values = |name: &str, value| vec![("intensity".to_owned(), json!(7)), (name.to_owned(), value)];
    let unknown = node.link.report(&device, values("no_such", json!(1)), None).await;
    assert!(matches!(unknown, Err(ReportError::UnknownProperty(name)) if name == "no_such"));
    let bad = node.link.report(&device, values("hours", json!("many")), None).await;
    assert!(matches!(bad, Err(ReportError::BadValue { property, .. }) if property == "hours"));
    assert_eq!(node.intensity().await.reported_value(), json!(20));
    node.link.report(&device, values("hours", json!(13)), None).await.unwrap();
    assert_eq!(node.intensity().await.reported_value(), json!(7));
}

async fn reports_and_commands_at_once_agree_in_the_end(db: Db) {
    let node = node(db).await;
    let device = node.device("DEV-A1").await;
    let intensity = node.intensity().await;
    for round in 1..10 {
        let value = json!(round);
        let (given, reported) = tokio::join!(
            node.commands.give("user", &intensity, &value, None),
            node.link.report(&device, vec![("intensity".into(), json!(50))], None)
        );
        reported.unwrap();
        let shown = node.intensity().await;
        assert_eq!((shown.value(), shown.reported_value()), (value.clone(), json!(50)));
        // A refusal and the next command at once: the command wins.
        let next = json!(round + 10);
        let id = given.unwrap().uuid;
        let (acked, given) =
            tokio::join!(node.link.ack(&device, &id, 422, None), node.commands.give("user", &intensity, &next, None));
        assert_eq!(acked.unwrap(), AckOutcome::Failed);
        assert_eq!(node.intensity().await.value(), next);
        node.link.ack(&device, &given.unwrap().uuid, 422, None).await.unwrap();
    }
}

async fn a_link_key_opens_its_own_device_only(db: Db) {
    let node = node(db).await;
    for (dsn, key) in [("DEV-A1", device_key("DEV-B1")), ("NO-SUCH", device_key("NO-SUCH")), ("DEV-A1", String::new())]
    {
        assert_eq!(node.link.authenticate(dsn, &key).await.unwrap(), None, "{dsn}");
    }
    assert_eq!(node.link.authenticate("\0", "").await.unwrap(), None);
    let device = node.device("DEV-A1").await;
    let (older, newer) = (node.link.connected(&device).await.unwrap(), node.link.connected(&device).await.unwrap());
    assert!(older < newer);
    let status = async || {
        let scope = node.scope(World::ADMIN).await;
        devices::find(&node.db, &scope, DeviceRef::Dsn("DEV-A1")).await.unwrap().unwrap().status
    };
    node.link.disconnected(&device, older).await.unwrap();
    assert_eq!(status().await, "Online");
    node.link.sweep().await.unwrap();
    assert_eq!(status().await, "Offline");
}

async fn setting_up_twice_keeps_what_is_there(db: Db) {
    let node = node(db).await;
    node.link.report(&node.device("DEV-A1").await, vec![("fan".into(), json!(3))], None).await.unwrap();
    let again = World::load(&node.operator).await;
    assert_eq!(again.oem, node.world.oem);
    assert_eq!(node.operator.device_count(&again.oem).await.unwrap(), 5);
    let reported = node.operator.reported_values(&again.oem).await.unwrap();
    assert_eq!(reported.len(), 5);
    let fan = ("fan".to_owned(), json!(3));
    assert!(reported.iter().any(|device| device.dsn == "DEV-A1" && device.values.contains(&fan)));
}

async fn hundreds_of_devices_are_made_in_batches(db: Db) {
    let node = node(db).await;
    let device = |n: usize| crate::operator::NewDevice {
        dsn: format!("MANY-{n:04}"),
        template: "thing".into(),
        link_key: device_key(&n.to_string()).into(),
        values: vec![("fan".into(), json!(n % 5))],
        labels: vec![("OEM::Partner::Admin".into(), "partner_id".into(), "A".into())],
        data: vec![("customer".into(), "C".into())],
        ..Default::default()
    };
    let devices: Vec<_> = (0..450).map(device).collect();
    assert_eq!(node.operator.add_devices(&node.world.oem, &devices).await.unwrap(), 450);
    assert_eq!(node.operator.add_devices(&node.world.oem, &devices[..3]).await.unwrap(), 0);
    assert_eq!(node.operator.device_count(&node.world.oem).await.unwrap(), 455);
    let wrong = crate::operator::NewDevice { template: "no such".into(), ..device(1000) };
    let error = node.operator.add_devices(&node.world.oem, &[wrong]).await.unwrap_err();
    assert!(matches!(error, OperatorError::UnknownTemplate(name) if name == "no such"));
}

store_suite!(
    migrate = super::super::tests::migrated,
    tests = [
        a_scope_admits_the_same_devices_in_sql_and_in_memory,
        lists_are_ordered_alike_with_nulls_last,
        a_refresh_token_goes_round_with_its_grace,
        wrong_passwords_lock_and_the_right_one_forgives,
        a_command_waits_is_acknowledged_once_and_can_expire,
        a_report_is_kept_whole_or_not_at_all,
        reports_and_commands_at_once_agree_in_the_end,
        a_link_key_opens_its_own_device_only,
        setting_up_twice_keeps_what_is_there,
        hundreds_of_devices_are_made_in_batches,
    ]
);
