//! One holder at a time.

#![expect(clippy::unwrap_used, reason = "a statement that fails is a test that fails")]

use jiff::SignedDuration;
use platform::clock::Clock;
use platform::db::{Db, params};
use platform::lease::{LIFETIME, Lease, SKEW, revoke};
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

async fn one_of_two_gets_it_and_keeps_it_while_it_renews(db: Db) {
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
    assert!(other.take().await.unwrap(), "each name is a lease of its own");
}

async fn a_holder_that_died_loses_it_when_its_time_is_over(db: Db) {
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

async fn a_holder_that_cannot_renew_stops_before_another_begins(db: Db) {
    let clock = clock();
    let (a, b) = two(&db, &clock);
    a.take().await.unwrap();
    db.close().await;
    clock.advance(LIFETIME - SKEW - MOMENT);
    assert!(a.renew().await.is_err());
    assert!(a.is_held(), "one renewal that fails loses nothing");
    clock.advance(MOMENT);
    assert!(!a.is_held());
    assert!(b.take().await.is_err() && !b.is_held());
}

async fn a_lease_that_is_given_back_is_free_at_once(db: Db) {
    let (a, b) = two(&db, &clock());
    a.take().await.unwrap();
    b.release().await.unwrap();
    assert!(!b.take().await.unwrap(), "only its holder can give it back");
    a.release().await.unwrap();
    assert!(!a.is_held() && b.take().await.unwrap());
}

async fn a_lease_that_is_taken_away_is_not_renewed_or_confirmed(db: Db) {
    let (a, _) = two(&db, &clock());
    a.take().await.unwrap();
    let mut tx = db.begin().await.unwrap();
    assert!(a.confirm(&mut tx).await.unwrap());
    revoke(&mut tx, "work").await.unwrap();
    assert!(!a.confirm(&mut tx).await.unwrap());
    tx.commit().await.unwrap();
    assert!(!a.renew().await.unwrap() && !a.is_held());
    assert!(a.take().await.unwrap(), "but anybody may take it anew");
}

async fn many_that_ask_at_once_are_one_holder(db: Db) {
    let clock = clock();
    let asking: Vec<_> = (0..16)
        .map(|number| {
            let lease = Lease::new(db.clone(), clock.clone(), "work", number.to_string());
            tokio::spawn(async move { lease.take().await.unwrap() })
        })
        .collect();
    let mut holders = 0;
    for asked in asking {
        holders += i32::from(asked.await.unwrap());
    }
    assert_eq!(holders, 1);
}

store_suite!(
    migrate = super::schema,
    tests = [
        one_of_two_gets_it_and_keeps_it_while_it_renews,
        a_holder_that_died_loses_it_when_its_time_is_over,
        a_holder_that_cannot_renew_stops_before_another_begins,
        a_lease_that_is_given_back_is_free_at_once,
        a_lease_that_is_taken_away_is_not_renewed_or_confirmed,
        many_that_ask_at_once_are_one_holder,
    ]
);
