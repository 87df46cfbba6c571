//! Leases have one holder at a time.

#![expect(clippy::unwrap_used, reason = "a failed statement fails the test")]

use jiff::SignedDuration;
use platform::db::{Db, params};
use platform::nodes::lease::{LIFETIME, Lease, SKEW, revoke};
use platform::run::clock::Clock;
use platform::store_suite;

async fn schema(db: &Db) {
    db.execute("create table leases (name text primary key, holder text not null, until bigint not null)", params![])
        .await
        .unwrap();
}

fn clock() -> Clock {
    Clock::mock("2026-11-21T12:00:00Z".parse().unwrap())
}

fn two(db: &Db, clock: &Clock) -> (Lease, Lease) {
    let lease = |holder: &str| Lease::new(db.clone(), clock.clone(), "work", holder.to_owned());
    (lease("a"), lease("b"))
}

const MOMENT: SignedDuration = SignedDuration::from_micros(1);

async fn one_of_two_nodes_acquires_the_lease_and_keeps_it_by_renewing(db: Db) {
    let clock = clock();
    let (a, b) = two(&db, &clock);
    assert!(!a.is_held());
    assert!(a.take().await.unwrap());
    for _ in 0..5 {
        assert!(!b.take().await.unwrap());
        assert_eq!((a.is_held(), b.is_held()), (true, false));
        clock.advance(SignedDuration::from_secs(7));
        assert!(a.renew().await.unwrap());
    }
    let other = Lease::new(db, clock, "other work", "b".to_owned());
    assert!(other.take().await.unwrap(), "each name is a separate lease");
}

async fn lease_of_a_dead_holder_expires(db: Db) {
    let clock = clock();
    let (a, b) = two(&db, &clock);
    a.take().await.unwrap();
    clock.advance(LIFETIME - MOMENT);
    assert!(!b.take().await.unwrap());
    clock.advance(MOMENT);
    assert!(b.take().await.unwrap());
    assert!(!a.renew().await.unwrap() && !a.take().await.unwrap());
    assert_eq!((a.is_held(), b.is_held()), (false, true));
}

async fn holder_without_renewal_stops_before_another_node_starts(db: Db) {
    let clock = clock();
    let (a, b) = two(&db, &clock);
    a.take().await.unwrap();
    db.close().await;
    clock.advance(LIFETIME - SKEW - MOMENT);
    assert!(a.renew().await.is_err());
    assert!(a.is_held(), "a single failed renewal keeps the lease");
    clock.advance(MOMENT);
    assert!(!a.is_held());
    assert!(b.take().await.is_err() && !b.is_held());
}

async fn paused_holder_keeps_the_lease_unless_another_node_has_acquired_it(db: Db) {
    let clock = clock();
    let (a, b) = two(&db, &clock);
    assert!(!a.ensure_held().await.unwrap(), "not acquired yet");
    a.take().await.unwrap();
    clock.advance(LIFETIME);
    assert!(!a.is_held() && a.ensure_held().await.unwrap() && a.is_held());
    clock.advance(LIFETIME);
    assert!(b.take().await.unwrap());
    assert!(!a.ensure_held().await.unwrap());
    clock.advance(LIFETIME);
    assert!(!a.ensure_held().await.unwrap(), "a lost lease is not acquired again");
}

async fn released_lease_can_be_acquired_immediately(db: Db) {
    let (a, b) = two(&db, &clock());
    a.take().await.unwrap();
    b.release().await.unwrap();
    assert!(!b.take().await.unwrap(), "only the holder can release it");
    a.release().await.unwrap();
    assert!(!a.is_held() && b.take().await.unwrap());
}

async fn revoked_lease_cannot_be_renewed_or_confirmed(db: Db) {
    let (a, _) = two(&db, &clock());
    a.take().await.unwrap();
    let mut tx = db.begin().await.unwrap();
    assert!(a.confirm(&mut tx).await.unwrap());
    revoke(&mut tx, "work").await.unwrap();
    assert!(!a.confirm(&mut tx).await.unwrap());
    tx.commit().await.unwrap();
    assert!(!a.renew().await.unwrap() && !a.is_held());
    assert!(a.take().await.unwrap(), "the released lease can be acquired again");
}

async fn concurrent_requests_have_one_holder(db: Db) {
    let clock = clock();
    let attempts: Vec<_> = (0..16)
        .map(|number| {
            let lease = Lease::new(db.clone(), clock.clone(), "work", number.to_string());
            tokio::spawn(async move { lease.take().await.unwrap() })
        })
        .collect();
    let mut holders = 0;
    for taken in attempts {
        holders += i32::from(taken.await.unwrap());
    }
    assert_eq!(holders, 1);
}

store_suite!(
    migrate = super::schema,
    tests = [
        one_of_two_nodes_acquires_the_lease_and_keeps_it_by_renewing,
        lease_of_a_dead_holder_expires,
        holder_without_renewal_stops_before_another_node_starts,
        paused_holder_keeps_the_lease_unless_another_node_has_acquired_it,
        released_lease_can_be_acquired_immediately,
        revoked_lease_cannot_be_renewed_or_confirmed,
        concurrent_requests_have_one_holder,
    ]
);
