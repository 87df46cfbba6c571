//! Store tests on SQLite and PostgreSQL that the HTTP tests, which run on SQLite, cannot cover. One file per aggregate.

mod access;
mod accounts;
mod alerts;
mod applications;
mod backlog;
mod clock;
mod commands;
mod connection_history;
mod connections;
mod custody;
mod data;
mod devices;
mod durability;
mod edits;
mod email_changes;
mod files;
mod fleet;
mod held_messages;
mod history;
mod inventory;
mod key_pages;
mod labels;
mod nodes;
mod outbox;
mod partitions;
mod people;
mod reactions;
mod reports;
mod retention;
mod rules;
mod sessions;
mod shares;
mod statements;
mod stopping;
mod user_tokens;

use jiff::SignedDuration;
use platform::bus::{Bus, Delivery, Subscription};
use platform::db::{Db, params};
use platform::run::clock::Clock;
use platform::run::random::Random;
use serde_json::{Value, from_str};
use tokio_util::sync::CancellationToken;

use super::{datapoints, properties, roles, users};
use crate::devices::commands::{CommandInput, Commands};
use crate::devices::edits::Edits;
use crate::devices::link::{DeviceReport, LinkService, LinkedDevice};
use crate::domain::message_limits::MessageLimits;
use crate::domain::password::PasswordCost;
use crate::domain::policy::{DeviceScope, device_scope};
use crate::domain::principal::Principal;
use crate::messages::alerts::Alerts;
use crate::messages::mail::{Branding, Mail};
use crate::nodes::Nodes;
use crate::operator::Operator;
use crate::reactions::Reactions;
use crate::records::message::Channel;
use crate::stream::event;
use crate::testing::{World, device_key};

/// Time after which unused sessions end.
const SESSIONS: SignedDuration = SignedDuration::from_hours(90 * 24);

struct Node {
    db: Db,
    clock: Clock,
    bus: Bus,
    /// Stops the writer.
    stop: CancellationToken,
    operator: Operator,
    world: World,
    commands: Commands,
    link: LinkService,
    nodes: Nodes,
}

async fn node(db: Db) -> Node {
    let (clock, random) = (Clock::mock("2026-11-20T10:00:00Z".parse().unwrap()), Random::seeded(1));
    let cost = PasswordCost { memory_kib: 8, passes: 1, lanes: 1 };
    let operator = Operator::new(db.clone(), clock.clone(), random.clone(), cost).unwrap();
    let world = World::load(&operator).await;
    let bus = Bus::in_process();
    let lifetime = SignedDuration::from_hours(1);
    let (c, r, b) = (clock.clone(), random.clone(), bus.clone());
    let stop = CancellationToken::new();
    let alerts = Alerts::new(Mail::new(Branding::default(), Channel::ALL, random.clone()), MessageLimits::default());
    let reactions = Reactions::new(alerts, None, random.clone());
    let nodes =
        Nodes::join(db.clone(), c.clone(), Random::system(), b.clone(), reactions.clone(), false).await.unwrap();
    let (link, writing) =
        LinkService::new(db.clone(), c.clone(), r.clone(), b.clone(), reactions.clone(), nodes.clone(), stop.clone());
    tokio::spawn(writing);
    Node {
        commands: Commands { db: db.clone(), clock: c, random: r, bus: b, reactions, lifetime },
        link,
        nodes,
        bus,
        stop,
        db,
        clock,
        operator,
        world,
    }
}

fn report_of(values: Vec<(String, Value)>) -> DeviceReport {
    DeviceReport { values, ..DeviceReport::default() }
}

impl Node {
    /// Is killed: other nodes declare it dead.
    async fn die(&self) {
        self.nodes.leave(false).await;
    }

    async fn scope(&self, email: &str) -> DeviceScope {
        let id = users::id_by_email(&self.db, self.world.oem.id, email).await.unwrap().unwrap();
        device_scope(&roles::principal(&self.db, id).await.unwrap().unwrap(), self.clock.now())
    }

    async fn caller(&self, email: &str) -> Principal {
        roles::principal(&self.db, self.user_id(email).await).await.unwrap().unwrap()
    }

    fn edits(&self) -> Edits {
        Edits {
            db: self.db.clone(),
            clock: self.clock.clone(),
            bus: self.bus.clone(),
            reactions: self.commands.reactions.clone(),
        }
    }

    async fn device(&self, dsn: &str) -> LinkedDevice {
        self.link.authenticate(dsn, &device_key(dsn)).await.unwrap().accepted().unwrap()
    }

    async fn intensity(&self) -> properties::PropertyRow {
        self.property("DEV-A1", "intensity").await
    }

    async fn property(&self, dsn: &str, name: &str) -> properties::PropertyRow {
        let (id,): (i64,) = self.db.fetch_one("select id from device where dsn = $1", params![dsn]).await.unwrap();
        properties::by_name(&self.db, id, name).await.unwrap().unwrap()
    }

    /// The values of all datapoints of the property, oldest first.
    async fn history(&self, dsn: &str, name: &str) -> Vec<Value> {
        let id = self.property(dsn, name).await.id;
        let rows = datapoints::newest(&self.db, id, datapoints::Span::ALL, None, i64::MAX).await.unwrap();
        assert!(rows.is_sorted_by_key(|row| row.created_at), "{rows:?}");
        rows.iter().map(datapoints::DatapointRow::value).collect()
    }

    /// Writes a value as a user.
    async fn command(&self, property: &properties::PropertyRow, value: &Value) -> datapoints::DatapointRow {
        let input = CommandInput { property, value: value.clone(), metadata: None };
        self.commands.issue("user", &[input]).await.unwrap().remove(0)
    }

    async fn report(&self, dsn: &str, name: &str, value: impl Into<Value>) {
        self.link.report(&self.device(dsn).await, report_of(vec![(name.into(), value.into())])).await.unwrap();
    }

    /// The next events of the stream, as readers receive them.
    async fn events(&self, events: &mut Subscription, count: usize) -> Vec<Value> {
        let mut published = Vec::with_capacity(count);
        while published.len() < count {
            let Some(Delivery::Message { payload, .. }) = events.next().await else { panic!("an event is missing") };
            published
                .extend(event::read(&payload).unwrap().iter().map(|event| from_str::<Value>(&event.body).unwrap()));
        }
        published
    }
}
