//! Sessions and wrong passwords.

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, params};
use platform::run::random::Random;
use platform::store_suite;

use super::{Node, node};
use crate::background;
use crate::domain::policy::DeviceScope;
use crate::store::sessions::Tokens;
use crate::store::subscriptions::{self, NewSubscription};
use crate::store::users::FailureLimit;
use crate::store::{sessions, users};
use crate::stream::hub::Hub;
use crate::stream::subscriptions::Subscriptions;
use crate::testing::World;

const UNUSED_SINCE: Timestamp = Timestamp::UNIX_EPOCH;

fn tokens(n: usize) -> Tokens {
    Tokens { access: format!("access {n}"), refresh: format!("refresh {n}") }
}

fn subscription() -> NewSubscription {
    NewSubscription {
        name: String::new(),
        description: String::new(),
        dsn: Some("DEV-A1".into()),
        property_name: "*".into(),
        oem_model: None,
        client_type: "mobile".into(),
        subscription_type: "datapoint".into(),
    }
}

impl Node {
    fn subscriptions(&self) -> Subscriptions {
        Subscriptions {
            db: self.db.clone(),
            clock: self.clock.clone(),
            random: Random::seeded(3),
            bus: self.bus.clone(),
            hub: Hub::new(20),
        }
    }
}

async fn refresh_token_rotates_with_a_grace_period(db: Db) {
    let node = node(db).await;
    let user = users::id_by_email(&node.db, node.world.oem.id, World::ADMIN).await.unwrap().unwrap();
    let now = node.clock.now();
    let later = now + SignedDuration::from_hours(1);
    sessions::open(&node.db, user, &tokens(1), now, later).await.unwrap();
    assert!(sessions::authenticate(&node.db, "access 1", now).await.unwrap().is_some());
    assert!(sessions::authenticate(&node.db, "access 1", later).await.unwrap().is_none());
    assert_eq!(
        sessions::rotate(&node.db, "refresh 1", &tokens(2), now, later, UNUSED_SINCE).await.unwrap(),
        Some(user)
    );
    assert!(sessions::authenticate(&node.db, "access 1", now).await.unwrap().is_none());
    assert_eq!(
        sessions::rotate(&node.db, "refresh 1", &tokens(3), now, later, UNUSED_SINCE).await.unwrap(),
        Some(user)
    );
    let over = now + SignedDuration::from_secs(60);
    assert_eq!(sessions::rotate(&node.db, "refresh 1", &tokens(4), over, later, UNUSED_SINCE).await.unwrap(), None);
    assert_eq!(sessions::rotate(&node.db, "refresh 2", &tokens(4), over, later, UNUSED_SINCE).await.unwrap(), None);
    assert_eq!(
        sessions::rotate(&node.db, "refresh 3", &tokens(4), over, later, UNUSED_SINCE).await.unwrap(),
        Some(user)
    );
    assert_eq!(sessions::close(&node.db, "access 4").await.unwrap(), Some(user));
    assert_eq!(sessions::close(&node.db, "access 4").await.unwrap(), None);
    assert_eq!(sessions::rotate(&node.db, "refresh 4", &tokens(5), over, later, UNUSED_SINCE).await.unwrap(), None);
}

async fn subscription_is_deleted_with_its_session(db: Db) {
    let node = node(db).await;
    let user = node.user_id(World::ADMIN).await;
    let now = node.clock.now();
    let service = node.subscriptions();
    let mut made = Vec::new();
    for n in [1, 2] {
        sessions::open(&node.db, user, &tokens(n), now, now).await.unwrap();
        let row = service.create(&format!("access {n}"), &subscription()).await.unwrap().unwrap();
        assert_eq!((row.user_id, row.dsn.as_deref()), (user, Some("DEV-A1")));
        made.push(row.id);
    }
    assert!(service.create("access 3", &subscription()).await.unwrap().is_none());
    sessions::close(&node.db, "access 1").await.unwrap();
    let left: Vec<i64> = subscriptions::of_user(&node.db, user).await.unwrap().into_iter().map(|row| row.id).collect();
    assert_eq!(left, made[1..]);
}

async fn wrong_passwords_lock_the_account_and_the_right_one_resets_the_count(db: Db) {
    let node = node(db).await;
    let user = users::id_by_email(&node.db, node.world.oem.id, World::ADMIN).await.unwrap().unwrap();
    let now = node.clock.now();
    let until = now + SignedDuration::from_mins(30);
    let limit = FailureLimit { max: 5, locked_until: until, counted_since: now - SignedDuration::from_hours(24), now };
    for _ in 0..4 {
        users::count_failure(&node.db, user, limit).await.unwrap();
    }
    assert!(users::reset_failures(&node.db, user, now).await.unwrap());
    for _ in 0..5 {
        users::count_failure(&node.db, user, limit).await.unwrap();
    }
    assert!(!users::reset_failures(&node.db, user, now).await.unwrap());
    assert!(users::reset_failures(&node.db, user, until).await.unwrap());
}

async fn refresh_tokens_are_deleted_after_their_grace_period(db: Db) {
    let node = node(db).await;
    let user = users::id_by_email(&node.db, node.world.oem.id, World::ADMIN).await.unwrap().unwrap();
    let now = node.clock.now();
    sessions::open(&node.db, user, &tokens(1), now, now).await.unwrap();
    sessions::rotate(&node.db, "refresh 1", &tokens(2), now, now, UNUSED_SINCE).await.unwrap();
    let kept = async || {
        let sql = "select count(*) from refresh_token";
        node.db.fetch_one::<(i64,)>(sql, params![]).await.unwrap().0
    };
    background::retention::clear(&node.db, now + SignedDuration::from_secs(59), super::SESSIONS).await.unwrap();
    assert_eq!(kept().await, 2);
    background::retention::clear(&node.db, now + SignedDuration::from_secs(60), super::SESSIONS).await.unwrap();
    assert_eq!(kept().await, 1, "the current token stays valid");
}

async fn session_unused_for_its_lifetime_ends_with_its_subscriptions(db: Db) {
    let node = node(db).await;
    let (user, now) = (node.user_id(World::ADMIN).await, node.clock.now());
    let expires_at = now + SignedDuration::from_hours(24);
    sessions::open(&node.db, user, &tokens(1), now, expires_at).await.unwrap();
    let stream = node.subscriptions().create("access 1", &subscription()).await.unwrap().unwrap();
    let end = expires_at + super::SESSIONS;
    for (at, ended) in [(end - SignedDuration::from_micros(1), false), (end, true)] {
        if ended {
            let since = at - super::SESSIONS;
            let rotated = sessions::rotate(&node.db, "refresh 1", &tokens(2), at, at, since).await.unwrap();
            assert_eq!(rotated, None, "even before it is deleted");
        }
        background::retention::clear(&node.db, at, super::SESSIONS).await.unwrap();
        assert_eq!(subscriptions::exists(&node.db, stream.id).await.unwrap(), !ended);
    }
}

async fn renewed_session_goes_on(db: Db) {
    let node = node(db).await;
    let (user, mut now) = (node.user_id(World::ADMIN).await, node.clock.now());
    sessions::open(&node.db, user, &tokens(1), now, now).await.unwrap();
    for n in 1..4 {
        now += SignedDuration::from_hours(89 * 24);
        let next = tokens(n + 1);
        let since = now - super::SESSIONS;
        let rotated = sessions::rotate(&node.db, &format!("refresh {n}"), &next, now, now, since).await.unwrap();
        assert_eq!(rotated, Some(user));
        background::retention::clear(&node.db, now, super::SESSIONS).await.unwrap();
    }
}

async fn user_has_at_most_100_sessions_and_the_least_recently_renewed_one_ends(db: Db) {
    let node = node(db).await;
    let (user, now) = (node.user_id(World::ADMIN).await, node.clock.now());
    let at = |second: usize| now + SignedDuration::from_secs(second as i64);
    let other = node.user_id(World::OBSERVER).await;
    sessions::open(&node.db, other, &tokens(0), now, now).await.unwrap();
    for n in 1..=100 {
        assert!(!sessions::open(&node.db, user, &tokens(n), at(n), at(n)).await.unwrap());
    }
    sessions::rotate(&node.db, "refresh 1", &tokens(101), at(101), at(101), UNUSED_SINCE).await.unwrap();
    assert!(sessions::open(&node.db, user, &tokens(102), at(102), at(102)).await.unwrap());
    for (n, lives) in [(0, true), (2, false), (3, true), (101, true), (102, true)] {
        let closed = sessions::close(&node.db, &format!("access {n}")).await.unwrap();
        assert_eq!(closed.is_some(), lives, "{n}");
    }
}

async fn user_has_at_most_50_subscriptions_and_unread_ones_are_deleted_first(db: Db) {
    let node = node(db).await;
    let (user, now) = (node.user_id(World::ADMIN).await, node.clock.now());
    sessions::open(&node.db, user, &tokens(1), now, now).await.unwrap();
    let service = node.subscriptions();
    let mut made = Vec::new();
    let mut readers = Vec::new();
    for n in 0..52 {
        let row = service.create("access 1", &subscription()).await.unwrap().unwrap();
        if n == 0 {
            readers.push(service.hub.read(&row, DeviceScope::Nothing));
        }
        made.push(row.id);
    }
    let left: Vec<i64> = subscriptions::of_user(&node.db, user).await.unwrap().into_iter().map(|row| row.id).collect();
    let (read, unread) = made.split_at(1);
    assert_eq!(left, [read, &unread[2..]].concat());
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        refresh_token_rotates_with_a_grace_period,
        subscription_is_deleted_with_its_session,
        refresh_tokens_are_deleted_after_their_grace_period,
        wrong_passwords_lock_the_account_and_the_right_one_resets_the_count,
        session_unused_for_its_lifetime_ends_with_its_subscriptions,
        renewed_session_goes_on,
        user_has_at_most_100_sessions_and_the_least_recently_renewed_one_ends,
        user_has_at_most_50_subscriptions_and_unread_ones_are_deleted_first,
    ]
);
