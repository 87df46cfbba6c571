use diffuser::Role;
use futures::FutureExt;
use platform::bus::Bus;

use super::*;
use crate::notice::DeviceEventKind;
use crate::session_hash::SessionHash;

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
    hub.subscribe(actor, dsns.iter().map(|&dsn| dsn.to_owned()).collect())
}

/// Publishes a notice and lets the hub dispatch it.
async fn publish(hub: &Hub, notice: impl FnOnce(&Bus)) {
    let bus = Bus::in_process();
    let listener = notice::listen(&bus);
    notice(&bus);
    drop(bus);
    hub.clone().run(listener).await;
}

async fn publish_device(hub: &Hub, dsn: &str, lists: &[&str]) {
    let lists: Vec<String> = lists.iter().map(|&csp| csp.to_owned()).collect();
    publish(hub, |bus| notice::device(bus, dsn, DeviceEventKind::Changed, &lists)).await;
}

/// Number of device notices, and whether the lists changed.
type Received = (usize, bool);

/// What a reader received since the last call.
fn received(channels: &mut ReaderChannels) -> Received {
    let devices = std::iter::from_fn(|| channels.devices.try_recv().ok()).count();
    let lists = channels.lists.has_changed().unwrap();
    channels.lists.mark_unchanged();
    (devices, lists)
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
    publish(&hub, |bus| notice::job(bus, her, Uuid::nil())).await;
    assert_eq!(readers.each_mut().map(received), [(1, false), (1, false), (0, false)]);
}

#[tokio::test]
async fn session_end_reaches_open_streams_but_not_later_ones() {
    let hub = Hub::default();
    let (alice, bob) = (actor(1, None), actor(2, None));
    let (mut one, mut other, mut bobs) = (join(&hub, &alice, &[]), join(&hub, &alice, &[]), join(&hub, &bob, &[]));
    publish(&hub, |bus| notice::session(bus, &alice.session, EndReason::AccessChanged)).await;
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
    hub.dispatch(&Delivery::Resync);
    channels.resync.changed().now_or_never().unwrap().unwrap();
    // A reader that does not read must not block others.
    let mut other = join(&hub, &actor(2, None), &["A"]);
    for _ in 0..=CAPACITY {
        publish_device(&hub, "A", &[]).await;
        assert_eq!(received(&mut other), (1, false));
    }
    assert!(matches!(channels.devices.try_recv(), Err(broadcast::error::TryRecvError::Lagged(_))));
}

#[tokio::test]
async fn closed_readers_are_removed() {
    let hub = Hub::default();
    let (north, south) = (actor(1, Some("North")), actor(2, Some("South")));
    let readers = [join(&hub, &north, &["A", "B"]), join(&hub, &north, &["A"]), join(&hub, &south, &["A"])];
    let held = |hub: &Hub| {
        let readers = hub.lock();
        (readers.devices.len(), readers.jobs.len() + readers.lists.len(), readers.ends.len())
    };
    assert_eq!(held(&hub), (2, 3, 2));
    let [first, second, third] = readers;
    drop(first);
    assert_eq!(held(&hub), (1, 3, 2));
    publish_device(&hub, "A", &[]).await;
    assert_eq!([second, third].map(|mut channels| received(&mut channels).0), [1, 1]);
    assert_eq!(held(&hub), (0, 0, 0));
}
