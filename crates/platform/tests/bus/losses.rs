//! What the forms that reach other nodes do when events cannot be sent.

use platform::bus::{Bus, BusAddress, BusError, Delivery};
use platform::db::{Db, params};
use platform::run::random::Random;
use platform::testing::TestDb;

use crate::nodes::{Form, Installation, Node, event, next};
use crate::proxy::Proxy;
use crate::soon;

/// A node that reaches the server of the bus through a proxy.
async fn behind_a_proxy(installation: &Installation) -> (Node, Proxy) {
    match &installation.server {
        Some(server) => {
            let proxy = Proxy::start(server.address()).await;
            let address = format!("nats://{}", proxy.addr).parse().unwrap();
            (installation.node_at(&address, &installation.db.db).await, proxy)
        }
        None => {
            let (server, name) = installation.db.url.rsplit_once('/').unwrap();
            let (_, address) = server.rsplit_once('@').unwrap();
            let proxy = Proxy::start(address.parse().unwrap()).await;
            let db = Db::connect(&format!("postgres://sillage@{}/{name}", proxy.addr)).await.unwrap();
            (installation.node_at(&BusAddress::Postgres, &db).await, proxy)
        }
    }
}

async fn oversized_payload_makes_the_others_resync(form: Form) {
    let installation = Installation::new(form).await;
    let (a, b) = (installation.node().await, installation.node().await);
    let (mut at_a, mut at_b) = (a.listen("device.").await, b.listen("device.").await);
    let mut sessions = b.listen("session.").await;
    let large = "x".repeat(2_000_000);
    a.bus.publish("device.A", "before");
    a.bus.publish("device.A", large.clone());
    a.bus.publish("device.A", "after");
    a.bus.publish("session.X", "");
    for payload in ["before", large.as_str(), "after"] {
        assert!(next(&mut at_a).await == event("device.A", payload.to_owned()));
    }
    assert_eq!(next(&mut at_b).await, event("device.A", "before"));
    assert_eq!(next(&mut at_b).await, Delivery::Resync);
    assert_eq!(next(&mut at_b).await, event("device.A", "after"));
    assert_eq!(next(&mut sessions).await, event("session.X", ""));
}

async fn oversized_subject_makes_the_others_resync(form: Form) {
    let installation = Installation::new(form).await;
    let (a, b) = (installation.node().await, installation.node().await);
    let mut listener = b.listen("device.").await;
    a.bus.publish(format!("device.{}", "x".repeat(10_000)), "");
    a.bus.publish("device.A", "after");
    assert_eq!(next(&mut listener).await, Delivery::Resync);
    assert_eq!(next(&mut listener).await, event("device.A", "after"));
}

async fn payload_of_the_documented_size_reaches_the_others(form: Form) {
    let installation = Installation::new(form).await;
    let (a, b) = (installation.node().await, installation.node().await);
    let mut listener = b.listen("device.").await;
    let payload = "x".repeat(platform::bus::SAFE_PAYLOAD);
    a.bus.publish("device.A", payload.clone());
    assert_eq!(next(&mut listener).await, event("device.A", payload));
}

async fn cut_node_resyncs_and_makes_the_others_resync_what_it_published(form: Form) {
    let installation = Installation::new(form).await;
    let a = installation.node().await;
    let (b, proxy) = behind_a_proxy(&installation).await;
    let (mut a_devices, mut a_sessions) = (a.listen("device.").await, a.listen("session.").await);
    let (mut b_devices, mut b_sessions) = (b.listen("device.").await, b.listen("session.").await);

    proxy.cut();
    b.until_connected(false).await;
    a.bus.publish("session.X", "missed by b");
    assert_eq!(next(&mut a_sessions).await, event("session.X", "missed by b"));
    // Many more than the queue holds.
    for _ in 0..20_000 {
        b.bus.publish("device.A", "missed by a");
    }
    b.bus.publish("device.A", "last");
    soon(async { while b_devices.next().await != Some(event("device.A", "last")) {} }).await;

    proxy.heal();
    b.until_connected(true).await;
    assert_eq!(next(&mut b_devices).await, Delivery::Resync);
    assert_eq!(next(&mut b_sessions).await, Delivery::Resync);
    assert_eq!(next(&mut a_devices).await, Delivery::Resync);
    b.bus.publish("session.Y", "live");
    b.bus.publish("device.B", "live");
    assert_eq!(next(&mut a_devices).await, event("device.B", "live"), "one resync for all");
    assert_eq!(next(&mut a_sessions).await, event("session.Y", "live"), "a missed no event of this purpose");
    assert_eq!(next(&mut b_devices).await, event("device.B", "live"));
    a.bus.publish("device.C", "live");
    assert_eq!(next(&mut b_devices).await, event("device.C", "live"));
}

/// Ends every connection of the bus at the server.
async fn end_connections(installation: &mut Installation) {
    match &mut installation.server {
        Some(server) => server.stop(),
        None => {
            let end = "select count(pg_terminate_backend(pid)) from pg_stat_activity \
                       where application_name = 'sillage bus' and datname = current_database()";
            let (ended,): (i64,) = installation.db.fetch_one(end, params![]).await.unwrap();
            assert_eq!(ended, 2);
        }
    }
}

async fn nodes_resync_after_the_server_ended_their_connections(form: Form) {
    let mut installation = Installation::new(form).await;
    let (a, b) = (installation.node().await, installation.node().await);
    let (mut at_a, mut at_b) = (a.listen("device.").await, b.listen("device.").await);
    for round in 0..3 {
        let mut connections = [&a, &b].map(|node| node.bus.connection().unwrap());
        end_connections(&mut installation).await;
        for connection in &mut connections {
            soon(connection.wait_for(|connected| !connected)).await.unwrap();
        }
        if let Some(server) = &mut installation.server {
            server.restart();
        }
        for (node, listener) in [(&a, &mut at_a), (&b, &mut at_b)] {
            node.until_connected(true).await;
            assert_eq!(next(listener).await, Delivery::Resync);
        }
        a.bus.publish("device.A", round.to_string());
        for listener in [&mut at_a, &mut at_b] {
            let live = event("device.A", round.to_string());
            // The other node may announce what it sent shortly before the loss.
            soon(async { while listener.next().await != Some(live.clone()) {} }).await;
        }
    }
}

async fn stopping_node_sends_what_it_has_published(form: Form) {
    let installation = Installation::new(form).await;
    let (a, b) = (installation.node().await, installation.node().await);
    let mut listener = b.listen("device.").await;
    for n in 0..1000 {
        a.bus.publish("device.A", n.to_string());
    }
    let connection = a.bus.connection().unwrap();
    drop(a.stop);
    for n in 0..1000 {
        assert_eq!(next(&mut listener).await, event("device.A", n.to_string()));
    }
    soon(connection.clone().wait_for(|connected| !connected)).await.unwrap();
    a.bus.publish("device.A", "after the end");
}

async fn late_subscription_resyncs_when_it_hears_the_others(form: Form) {
    let installation = Installation::new(form).await;
    let (a, b) = (installation.node().await, installation.node().await);
    let mut devices = b.listen("device.").await;
    let mut sessions = b.bus.subscribe("session.");
    assert_eq!(next(&mut sessions).await, Delivery::Resync);
    a.bus.publish("device.A", "");
    assert_eq!(next(&mut devices).await, event("device.A", ""), "other purposes do not resync");
}

macro_rules! on_both_forms {
    ($($test:ident),* $(,)?) => {
        on_both_forms!(postgres, Form::Postgres, $($test),*);
        on_both_forms!(nats, Form::Nats, $($test),*);
    };
    ($module:ident, $form:expr, $($test:ident),*) => {
        mod $module {
            use super::Form;
            $(
                #[tokio::test]
                async fn $test() {
                    super::$test($form).await;
                }
            )*
        }
    };
}

on_both_forms!(
    oversized_payload_makes_the_others_resync,
    oversized_subject_makes_the_others_resync,
    payload_of_the_documented_size_reaches_the_others,
    cut_node_resyncs_and_makes_the_others_resync_what_it_published,
    nodes_resync_after_the_server_ended_their_connections,
    stopping_node_sends_what_it_has_published,
    late_subscription_resyncs_when_it_hears_the_others,
);

#[tokio::test]
async fn postgres_form_needs_a_postgres_database() {
    let db = TestDb::sqlite().await;
    let refused = Bus::connect(&BusAddress::Postgres, &db, &Random::system()).await;
    assert!(matches!(refused, Err(BusError::NeedsPostgres)));
}
