//! What every form does.

use platform::bus::Delivery;

use crate::nodes::{Form, Installation, event, next};
use crate::soon;

/// Events that a subscription may lag behind.
const CAPACITY: usize = 4096;

async fn events_of_a_publisher_arrive_in_order(form: Form) {
    let installation = Installation::new(form).await;
    let (a, b) = (installation.node().await, installation.node().await);
    let mut listener = b.listen("device.").await;
    for n in 0..1000 {
        a.bus.publish("device.A", n.to_string());
    }
    for n in 0..1000 {
        assert_eq!(next(&mut listener).await, event("device.A", n.to_string()));
    }
}

async fn equal_events_are_not_merged(form: Form) {
    let installation = Installation::new(form).await;
    let (a, b) = (installation.node().await, installation.node().await);
    let mut listener = b.listen("device.").await;
    for payload in ["1", "1", "2", "1"] {
        a.bus.publish("device.A", payload);
    }
    for payload in ["1", "1", "2", "1"] {
        assert_eq!(next(&mut listener).await, event("device.A", payload));
    }
}

async fn purposes_and_prefixes_are_separate(form: Form) {
    let installation = Installation::new(form).await;
    let (a, b) = (installation.node().await, installation.node().await);
    let mut devices = b.listen("device.").await;
    let mut some = b.bus.subscribe("device.SC");
    let mut sessions = b.listen("session.").await;
    let mut events = b.listen("events").await;
    for subject in ["device.AA", "job.1", "device.SC1", "session.X", "devices.SC1", "events", "device.SC2", "session.Y"]
    {
        a.bus.publish(subject, subject.to_owned());
    }
    for subject in ["device.AA", "device.SC1", "device.SC2"] {
        assert_eq!(next(&mut devices).await, event(subject, subject));
    }
    for subject in ["device.SC1", "device.SC2"] {
        assert_eq!(next(&mut some).await, event(subject, subject));
    }
    for subject in ["session.X", "session.Y"] {
        assert_eq!(next(&mut sessions).await, event(subject, subject));
    }
    assert_eq!(next(&mut events).await, event("events", "events"));
}

async fn node_hears_its_own_events_at_once_and_once(form: Form) {
    let installation = Installation::new(form).await;
    let (a, b) = (installation.node().await, installation.node().await);
    let (mut at_a, mut at_b) = (a.listen("device.").await, b.listen("device.").await);
    a.bus.publish("device.A", "1");
    // Nothing was awaited since, so the event did not leave the process.
    assert_eq!(futures::FutureExt::now_or_never(at_a.next()), Some(Some(event("device.A", "1"))));
    assert_eq!(next(&mut at_b).await, event("device.A", "1"));
    b.bus.publish("device.A", "2");
    assert_eq!(next(&mut at_b).await, event("device.A", "2"));
    a.bus.publish("device.A", "3");
    assert_eq!(next(&mut at_b).await, event("device.A", "3"));
    let mut heard = [next(&mut at_a).await, next(&mut at_a).await];
    // The second event may arrive after the node published the third.
    heard.sort_by_key(|delivery| format!("{delivery:?}"));
    assert_eq!(heard, [event("device.A", "2"), event("device.A", "3")]);
}

async fn any_subject_and_payload_arrives_unchanged(form: Form) {
    let installation = Installation::new(form).await;
    let (a, b) = (installation.node().await, installation.node().await);
    let mut listener = b.listen("device.").await;
    let subjects =
        ["device.", "device.SC 1", "device.*", "device.>", "device.a..b.", "device.%20\t\r\n\0", "device.\u{fc}!"];
    let payloads: [&[u8]; 4] = [b"", b"a b\0c", &[0xff, 0xfe, 0], "\u{fc}".as_bytes()];
    for subject in subjects {
        for payload in payloads {
            a.bus.publish(subject, payload);
        }
    }
    for subject in subjects {
        for payload in payloads {
            assert_eq!(next(&mut listener).await, event(subject, payload));
        }
    }
}

async fn only_the_lagging_listener_resyncs(form: Form) {
    let installation = Installation::new(form).await;
    let (a, b) = (installation.node().await, installation.node().await);
    let mut quick = b.listen("device.").await;
    let mut slow = b.bus.subscribe("device.");
    let mut other = b.listen("session.").await;
    for n in 0..=CAPACITY {
        a.bus.publish("device.A", n.to_string());
        // The listener keeps up.
        assert_eq!(next(&mut quick).await, event("device.A", n.to_string()));
    }
    a.bus.publish("session.X", "");
    assert_eq!(next(&mut slow).await, Delivery::Resync);
    assert_eq!(next(&mut slow).await, event("device.A", "1"), "it continues with what is left");
    assert_eq!(next(&mut other).await, event("session.X", ""));
}

async fn each_of_a_thousand_subscriptions_gets_its_own_events(form: Form) {
    let installation = Installation::new(form).await;
    let (a, b) = (installation.node().await, installation.node().await);
    let first = b.listen("device.0000").await;
    let others = (1..1000).map(|n| b.bus.subscribe(&format!("device.{n:04}")));
    let mut subscriptions: Vec<_> = std::iter::once(first).chain(others).collect();
    for round in ["1", "2"] {
        for n in (0..1000).rev() {
            a.bus.publish(format!("device.{n:04}"), round);
        }
    }
    for (n, subscription) in subscriptions.iter_mut().enumerate() {
        for round in ["1", "2"] {
            assert_eq!(next(subscription).await, event(&format!("device.{n:04}"), round));
        }
    }
}

async fn burst_of_one_publisher_ends_in_all_events_or_a_resync(form: Form) {
    let installation = Installation::new(form).await;
    let (a, b) = (installation.node().await, installation.node().await);
    let (mut devices, mut sessions) = (b.listen("device.").await, b.listen("session.").await);
    // More than fit into any queue. Publishing does not wait.
    for _ in 0..20_000 {
        a.bus.publish("device.A", "burst");
    }
    soon(async { while devices.next().await != Some(Delivery::Resync) {} }).await;
    a.bus.publish("session.X", "calm");
    assert_eq!(next(&mut sessions).await, event("session.X", "calm"), "another purpose is not affected");
}

async fn subscriptions_end_with_the_bus(form: Form) {
    let installation = Installation::new(form).await;
    let node = installation.node().await;
    let mut listener = node.listen("device.").await;
    drop((node, installation));
    soon(async { while listener.next().await.is_some() {} }).await;
}

macro_rules! on_all_forms {
    ($($test:ident),* $(,)?) => {
        on_all_forms!(memory, Form::Memory, $($test),*);
        on_all_forms!(postgres, Form::Postgres, $($test),*);
        on_all_forms!(nats, Form::Nats, $($test),*);
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

on_all_forms!(
    events_of_a_publisher_arrive_in_order,
    equal_events_are_not_merged,
    purposes_and_prefixes_are_separate,
    node_hears_its_own_events_at_once_and_once,
    any_subject_and_payload_arrives_unchanged,
    only_the_lagging_listener_resyncs,
    each_of_a_thousand_subscriptions_gets_its_own_events,
    burst_of_one_publisher_ends_in_all_events_or_a_resync,
    subscriptions_end_with_the_bus,
);
