use diffuser::Role;
use futures::FutureExt;
use platform::bus::Bus;

use super::*;
use crate::notice::DeviceEventKind;
use crate::session::SessionHash;

fn actor(session: u8, csp: Option<&str>) -> Actor {
    let role = if csp.is_some() { Role::CspTech } else { Role::Admin };
    Actor {
        session: SessionHash::of(&[session; 32]),
        user: uuid::Uuid::nil(),
        role: Some(role),
        csp: csp.map(str::to_owned),
    }
}

fn join(hub: &Hub, actor: &Actor, dsns: &[&str]) -> Line {
    hub.join(actor, dsns.iter().map(|&dsn| dsn.to_owned()).collect())
}

/// Says something on a bus, and lets the hub pass it on.
async fn say(hub: &Hub, notice: impl FnOnce(&Bus)) {
    let bus = Bus::in_process();
    let listener = notice::listen(&bus);
    notice(&bus);
    drop(bus);
    hub.clone().run(listener).await;
}

async fn say_of_device(hub: &Hub, dsn: &str, lists: &[&str]) {
    let lists: Vec<String> = lists.iter().map(|&csp| csp.to_owned()).collect();
    say(hub, |bus| notice::device(bus, dsn, DeviceEventKind::Changed, &lists)).await;
}

/// How many notices of its devices came, and whether its lists changed.
type Heard = (usize, bool);

/// What a reader heard since the last look.
fn heard(line: &mut Line) -> Heard {
    let devices = std::iter::from_fn(|| line.devices.try_recv().ok()).count();
    let lists = line.lists.has_changed().unwrap();
    line.lists.mark_unchanged();
    (devices, lists)
}

#[tokio::test]
async fn a_notice_reaches_those_it_is_for_and_nobody_else() {
    let hub = Hub::default();
    let mut admin = join(&hub, &actor(1, None), &["A", "B"]);
    let mut north = join(&hub, &actor(2, Some("North")), &["A"]);
    let mut south = join(&hub, &actor(3, Some("South")), &["C"]);
    let rows: [(&str, &[&str], [Heard; 3]); 7] = [
        ("A", &[], [(1, false), (1, false), (0, false)]),
        ("A", &["North"], [(1, true), (1, true), (0, false)]),
        ("C", &["South"], [(0, true), (0, false), (1, true)]),
        ("D", &["North", "South"], [(0, true), (0, true), (0, true)]),
        ("D", &[""], [(0, true), (0, false), (0, false)]),
        ("D", &["West"], [(0, true), (0, false), (0, false)]),
        ("D", &[], [(0, false), (0, false), (0, false)]),
    ];
    for (dsn, lists, expected) in rows {
        say_of_device(&hub, dsn, lists).await;
        assert_eq!([&mut admin, &mut north, &mut south].map(heard), expected, "{dsn} {lists:?}");
    }
}

#[tokio::test]
async fn a_job_is_told_of_to_who_started_it() {
    let (hub, [her, him]) = (Hub::default(), [1, 2].map(Uuid::from_u128));
    let of = |session: u8, user: Uuid| Actor { user, ..actor(session, None) };
    let mut lines = [of(1, her), of(2, her), of(3, him)].map(|actor| join(&hub, &actor, &["A"]));
    say(&hub, |bus| notice::job(bus, her, Uuid::nil())).await;
    assert_eq!(lines.each_mut().map(heard), [(1, false), (1, false), (0, false)]);
}

#[tokio::test]
async fn an_end_reaches_every_stream_of_its_session_and_none_that_begins_later() {
    let hub = Hub::default();
    let (alice, bob) = (actor(1, None), actor(2, None));
    let (mut one, mut other, mut bobs) = (join(&hub, &alice, &[]), join(&hub, &alice, &[]), join(&hub, &bob, &[]));
    say(&hub, |bus| notice::session(bus, &alice.session, EndReason::AccessChanged)).await;
    for line in [&mut one, &mut other] {
        line.end.changed().now_or_never().unwrap().unwrap();
        assert_eq!(*line.end.borrow(), Some(EndReason::AccessChanged));
    }
    assert!(bobs.end.changed().now_or_never().is_none());
    let mut later = join(&hub, &alice, &[]);
    assert!(later.end.changed().now_or_never().is_none());
}

#[tokio::test]
async fn whoever_may_have_missed_something_doubts() {
    let hub = Hub::default();
    let mut line = join(&hub, &actor(1, None), &["A"]);
    hub.pass_on(&Delivery::Resync);
    line.doubts.changed().now_or_never().unwrap().unwrap();
    // A reader that does not listen keeps nobody waiting.
    let mut other = join(&hub, &actor(2, None), &["A"]);
    for _ in 0..=CAPACITY {
        say_of_device(&hub, "A", &[]).await;
        assert_eq!(heard(&mut other), (1, false));
    }
    assert!(matches!(line.devices.try_recv(), Err(broadcast::error::TryRecvError::Lagged(_))));
}

#[tokio::test]
async fn readers_leave_nothing_behind() {
    let hub = Hub::default();
    let (north, south) = (actor(1, Some("North")), actor(2, Some("South")));
    let lines = [join(&hub, &north, &["A", "B"]), join(&hub, &north, &["A"]), join(&hub, &south, &["A"])];
    let held = |hub: &Hub| {
        let readers = hub.lock();
        (readers.devices.len(), readers.jobs.len() + readers.lists.len(), readers.ends.len())
    };
    assert_eq!(held(&hub), (2, 3, 2));
    let [first, second, third] = lines;
    drop(first);
    assert_eq!(held(&hub), (1, 3, 2));
    say_of_device(&hub, "A", &[]).await;
    assert_eq!([second, third].map(|mut line| heard(&mut line).0), [1, 1]);
    assert_eq!(held(&hub), (0, 0, 0));
}
