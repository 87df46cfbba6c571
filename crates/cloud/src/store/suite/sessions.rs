//! Sessions and wrong passwords.

use jiff::SignedDuration;
use platform::db::{Db, params};
use platform::store_suite;

use super::node;
use crate::jobs;
use crate::store::sessions::Tokens;
use crate::store::subscriptions::{self, NewSubscription};
use crate::store::{sessions, users};
use crate::testing::World;

async fn refresh_token_rotates_with_a_grace_period(db: Db) {
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
    assert_eq!(sessions::close(&node.db, "access 4").await.unwrap(), Some(user));
    assert_eq!(sessions::close(&node.db, "access 4").await.unwrap(), None);
    assert_eq!(sessions::rotate(&node.db, "refresh 4", &tokens(5), over, later).await.unwrap(), None);
}

async fn subscription_is_deleted_with_its_session(db: Db) {
    let node = node(db).await;
    let user = node.user_id(World::ADMIN).await;
    let now = node.clock.now();
    let new = NewSubscription {
        name: String::new(),
        description: String::new(),
        dsn: Some("DEV-A1".into()),
        property_name: "*".into(),
        oem_model: None,
        client_type: "mobile".into(),
        subscription_type: "datapoint".into(),
    };
    let mut made = Vec::new();
    for n in [1, 2] {
        let tokens = Tokens { access: format!("access {n}"), refresh: format!("refresh {n}") };
        sessions::open(&node.db, user, &tokens, now, now).await.unwrap();
        let row =
            subscriptions::insert(&node.db, &tokens.access, &new, &format!("key {n}"), now).await.unwrap().unwrap();
        assert_eq!((row.user_id, row.dsn.as_deref()), (user, Some("DEV-A1")));
        made.push(row.id);
    }
    assert!(subscriptions::insert(&node.db, "access 3", &new, "key 3", now).await.unwrap().is_none());
    sessions::close(&node.db, "access 1").await.unwrap();
    let left: Vec<i64> = subscriptions::of_user(&node.db, user).await.unwrap().into_iter().map(|row| row.id).collect();
    assert_eq!(left, made[1..]);
}

async fn wrong_passwords_lock_the_account_and_the_right_one_resets_the_count(db: Db) {
    let node = node(db).await;
    let user = users::id_by_email(&node.db, node.world.oem.id, World::ADMIN).await.unwrap().unwrap();
    let now = node.clock.now();
    let until = now + SignedDuration::from_mins(30);
    for _ in 0..4 {
        users::count_failure(&node.db, user, 5, until).await.unwrap();
    }
    assert!(users::reset_failures(&node.db, user, now).await.unwrap());
    for _ in 0..5 {
        users::count_failure(&node.db, user, 5, until).await.unwrap();
    }
    assert!(!users::reset_failures(&node.db, user, now).await.unwrap());
    assert!(users::reset_failures(&node.db, user, until).await.unwrap());
}

async fn refresh_tokens_are_deleted_after_their_grace_period(db: Db) {
    let node = node(db).await;
    let user = users::id_by_email(&node.db, node.world.oem.id, World::ADMIN).await.unwrap().unwrap();
    let tokens = |n: u8| Tokens { access: format!("access {n}"), refresh: format!("refresh {n}") };
    let now = node.clock.now();
    sessions::open(&node.db, user, &tokens(1), now, now).await.unwrap();
    sessions::rotate(&node.db, "refresh 1", &tokens(2), now, now).await.unwrap();
    let kept = async || {
        let sql = "select count(*) from refresh_token";
        node.db.fetch_one::<(i64,)>(sql, params![]).await.unwrap().0
    };
    jobs::retention::clear(&node.db, now + SignedDuration::from_secs(59)).await.unwrap();
    assert_eq!(kept().await, 2);
    jobs::retention::clear(&node.db, now + SignedDuration::from_secs(60)).await.unwrap();
    assert_eq!(kept().await, 1, "the current token stays valid");
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        refresh_token_rotates_with_a_grace_period,
        subscription_is_deleted_with_its_session,
        refresh_tokens_are_deleted_after_their_grace_period,
        wrong_passwords_lock_the_account_and_the_right_one_resets_the_count,
    ]
);
