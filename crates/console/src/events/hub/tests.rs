use std::sync::atomic::{AtomicUsize, Ordering};

use diffuser::Role;
use futures::FutureExt;
use platform::bus::Bus;

use super::*;
use crate::events::notices::DeviceEventKind;
use crate::policy::session_hash::SessionHash;

fn actor(session: u8, csp: Option<&str>) -> Actor {
    let role = if csp.is_some() { Role::CspTech } else { Role::Admin };
    Actor {
        session: SessionHash::of(&[session; 32]),
        user: uuid::Uuid::nil(),
        role: Some(role),
        csp: csp.map(str::to_owned),
    }
}

fn join(hub: &Hub, actor: &Actor, dsns: &[&str]) -> ReaderChannels {
    hub.subscribe(actor, dsns.iter().map(|&dsn| dsn.to_owned()).collect(), &HashSet::new())
}

fn join_page(hub: &Hub, actor: &Actor, dsn: &str) -> ReaderChannels {
    let page = HashSet::from([dsn.to_owned()]);
    hub.subscribe(actor, page.clone(), &page)
}

/// Publishes a notice and lets the hub dispatch it.
async fn publish(hub: &Hub, notice: impl FnOnce(&Bus)) -> Option<DeviceChange> {
    let bus = Bus::in_process();
    let mut listener = notices::listen(&bus);
    notice(&bus);
    hub.dispatch(&listener.next().await.unwrap(), |_| false)
}

/// Publishes a change of a device and sends an event to its readers.
async fn publish_device(hub: &Hub, dsn: &str, lists: &[&str]) {
    let lists: Vec<String> = lists.iter().map(|&csp| csp.to_owned()).collect();
    let change = publish(hub, |bus| notices::device(bus, dsn, DeviceEventKind::Changed, &lists)).await;
    if let Some(change) = change {
        assert_eq!((change.dsn.as_str(), &change.lists), (dsn, &lists));
        hub.send(dsn, View::Row, 1, |_| vec![Bytes::from_static(b"event")]);
    }
}

/// Number of notices, and whether the lists changed.
type Received = (usize, bool);

/// What a reader received since the last call.
fn received(channels: &mut ReaderChannels) -> Received {
    let notices = std::iter::from_fn(|| channels.notices.try_recv().ok()).count();
    let lists = channels.lists.has_changed().unwrap();
    channels.lists.mark_unchanged();
    (notices, lists)
}

/// The events that a reader received since the last call, by address: equal addresses are the same bytes.
fn addresses(channels: &mut ReaderChannels) -> Vec<usize> {
    let notices = std::iter::from_fn(|| channels.notices.try_recv().ok());
    notices
        .map(|notice| match notice {
            ReaderNotice::Event { frame, .. } => frame.as_ptr().addr(),
            ReaderNotice::Job(_) | ReaderNotice::Missed => panic!("an event"),
        })
        .collect()
}

#[tokio::test]
async fn event_is_encoded_once_for_all_readers_who_see_the_same() {
    let hub = Hub::default();
    let join_many = |csp: Option<&str>| -> Vec<ReaderChannels> {
        (0..=250).map(|session| join(&hub, &actor(session, csp), &["A"])).collect()
    };
    let (mut admins, mut technicians) = (join_many(None), join_many(Some("North")));
    let mut pages: Vec<_> = (0..=250).map(|session| join_page(&hub, &actor(session, None), "A")).collect();
    let encoded = AtomicUsize::new(0);
    let encode = |actor: &Actor| {
        encoded.fetch_add(1, Ordering::Relaxed);
        vec![Bytes::from(format!("{:?}", actor.role).into_bytes())]
    };
    hub.send("A", View::Row, 1, encode);
    assert_eq!(encoded.load(Ordering::Relaxed), 2, "one for administrators and one for technicians of North");
    for readers in [&mut admins, &mut technicians] {
        let sent: Vec<_> = readers.iter_mut().map(addresses).collect();
        assert!(sent[0].len() == 1 && sent.iter().all(|addresses| *addresses == sent[0]), "{sent:?}");
    }
    assert!(pages.iter_mut().all(|page| addresses(page).is_empty()), "pages get their own events");
    hub.send("A", View::Page, 1, encode);
    assert_eq!(encoded.load(Ordering::Relaxed), 3);
    let sent: Vec<_> = pages.iter_mut().map(addresses).collect();
    assert!(sent[0].len() == 1 && sent.iter().all(|addresses| *addresses == sent[0]), "{sent:?}");
    hub.send("B", View::Row, 1, encode);
    assert_eq!(encoded.load(Ordering::Relaxed), 3, "a device without readers is not encoded");
}

#[tokio::test]
async fn notice_reaches_only_its_readers() {
    let hub = Hub::default();
    let mut admin = join(&hub, &actor(1, None), &["A", "B"]);
    let mut north = join(&hub, &actor(2, Some("North")), &["A"]);
    let mut south = join(&hub, &actor(3, Some("South")), &["C"]);
    let rows: [(&str, &[&str], [Received; 3]); 7] = [
        ("A", &[], [(1, false), (1, false), (0, false)]),
        ("A", &["North"], [(1, true), (1, true), (0, false)]),
        ("C", &["South"], [(0, true), (0, false), (1, true)]),
        ("D", &["North", "South"], [(0, true), (0, true), (0, true)]),
        ("D", &[""], [(0, true), (0, false), (0, false)]),
        ("D", &["West"], [(0, true), (0, false), (0, false)]),
        ("D", &[], [(0, false), (0, false), (0, false)]),
    ];
    for (dsn, lists, expected) in rows {
        publish_device(&hub, dsn, lists).await;
        assert_eq!([&mut admin, &mut north, &mut south].map(received), expected, "{dsn} {lists:?}");
    }
}

#[tokio::test]
async fn job_notice_reaches_only_its_owner() {
    let (hub, [her, him]) = (Hub::default(), [1, 2].map(Uuid::from_u128));
    let of = |session: u8, user: Uuid| Actor { user, ..actor(session, None) };
    let mut readers = [of(1, her), of(2, her), of(3, him)].map(|actor| join(&hub, &actor, &["A"]));
    let change = publish(&hub, |bus| notices::job(bus, her, Uuid::nil())).await;
    assert!(change.is_none());
    assert_eq!(readers.each_mut().map(received), [(1, false), (1, false), (0, false)]);
}

#[tokio::test]
async fn session_end_reaches_open_streams_but_not_later_ones() {
    let hub = Hub::default();
    let (alice, bob) = (actor(1, None), actor(2, None));
    let (mut one, mut other, mut bobs) = (join(&hub, &alice, &[]), join(&hub, &alice, &[]), join(&hub, &bob, &[]));
    publish(&hub, |bus| notices::session(bus, &alice.session, EndReason::AccessChanged)).await;
    for channels in [&mut one, &mut other] {
        channels.end.changed().now_or_never().unwrap().unwrap();
        assert_eq!(*channels.end.borrow(), Some(EndReason::AccessChanged));
    }
    assert!(bobs.end.changed().now_or_never().is_none());
    let mut later = join(&hub, &alice, &[]);
    assert!(later.end.changed().now_or_never().is_none());
}

#[tokio::test]
async fn readers_that_may_have_missed_notices_resync() {
    let hub = Hub::default();
    let mut channels = join(&hub, &actor(1, None), &["A"]);
    hub.dispatch(&Delivery::Resync, |_| false);
    channels.resync.changed().now_or_never().unwrap().unwrap();
    // A reader that does not read must not block others.
    let mut other = join(&hub, &actor(2, None), &["A"]);
    for _ in 0..=CAPACITY {
        publish_device(&hub, "A", &[]).await;
        assert_eq!(received(&mut other), (1, false));
    }
    assert!(matches!(channels.notices.try_recv(), Err(broadcast::error::TryRecvError::Lagged(1))));
    assert_eq!(received(&mut channels).0, CAPACITY, "the newest ones are kept");
}

#[tokio::test]
async fn closed_readers_are_removed() {
    let hub = Hub::default();
    let (north, south) = (actor(1, Some("North")), actor(2, Some("South")));
    let readers = [join(&hub, &north, &["A", "B"]), join(&hub, &north, &["A"]), join(&hub, &south, &["A"])];
    let held = |hub: &Hub| {
        let readers = hub.lock();
        (readers.devices.len(), readers.jobs.len() + readers.lists.len(), readers.ends.len(), readers.count)
    };
    assert_eq!(held(&hub), (2, 3, 2, 3));
    let [first, second, third] = readers;
    drop(first);
    assert_eq!(held(&hub), (1, 3, 2, 2));
    publish_device(&hub, "A", &[]).await;
    assert_eq!([second, third].map(|mut channels| received(&mut channels).0), [1, 1]);
    assert_eq!(held(&hub), (0, 0, 0, 0));
}
