//! Tokens in the links of mails.

use jiff::SignedDuration;
use platform::db::{Db, params};
use platform::run::random::Random;
use platform::store_suite;
use tokio::task::JoinSet;

use super::{Node, node};
use crate::background;
use crate::store::user_tokens::Purpose::{Confirmation, PasswordReset};
use crate::store::user_tokens::{
    Purpose, end_first_password, has_confirmed, issue, may_set_password, redeem, redeem_for_password,
};
use crate::store::users;
use crate::testing::World;

impl Node {
    async fn user(&self) -> i64 {
        self.user_id(World::END_USER).await
    }

    async fn issued(&self, random: &Random, purpose: Purpose) -> String {
        let mut tx = self.db.begin().await.unwrap();
        let token = issue(&mut tx, random, self.user().await, purpose, self.clock.now()).await.unwrap();
        tx.commit().await.unwrap();
        token
    }

    async fn redeemed(&self, token: &str, purpose: Purpose) -> bool {
        let mut tx = self.db.begin().await.unwrap();
        let user_id = redeem(&mut tx, token, purpose, self.clock.now()).await.unwrap();
        tx.commit().await.unwrap();
        assert!(user_id.is_none() || user_id == Some(self.user().await));
        user_id.is_some()
    }
}

async fn token_is_valid_once_for_its_purpose_until_the_next_one_is_issued(db: Db) {
    let (node, random) = (node(db).await, Random::seeded(9));
    let (reset, confirmation) = (node.issued(&random, PasswordReset).await, node.issued(&random, Confirmation).await);
    assert!(!node.redeemed(&reset, Confirmation).await, "a token for another purpose");
    assert!(!node.redeemed("unknown", PasswordReset).await);
    assert!(node.redeemed(&reset, PasswordReset).await);
    assert!(!node.redeemed(&reset, PasswordReset).await, "used");
    let newer = node.issued(&random, Confirmation).await;
    assert!(!node.redeemed(&confirmation, Confirmation).await, "replaced");
    assert!(node.redeemed(&newer, Confirmation).await);
}

async fn rolled_back_redemption_leaves_the_token_valid(db: Db) {
    let (node, random) = (node(db).await, Random::seeded(9));
    let token = node.issued(&random, PasswordReset).await;
    let mut tx = node.db.begin().await.unwrap();
    assert!(redeem(&mut tx, &token, PasswordReset, node.clock.now()).await.unwrap().is_some());
    drop(tx);
    assert!(node.redeemed(&token, PasswordReset).await);
}

async fn token_expires_and_is_deleted(db: Db) {
    let (node, random) = (node(db).await, Random::seeded(9));
    let second = SignedDuration::from_secs(1);
    for (purpose, lifetime) in
        [(PasswordReset, SignedDuration::from_hours(6)), (Confirmation, SignedDuration::from_hours(168))]
    {
        let in_time = node.issued(&random, purpose).await;
        node.clock.advance(lifetime - second);
        assert!(node.redeemed(&in_time, purpose).await, "{purpose:?}");
        let late = node.issued(&random, purpose).await;
        let kept = async || {
            background::retention::clear(&node.db, node.clock.now(), super::SESSIONS).await.unwrap();
            node.db.fetch_one::<(i64,)>("select count(*) from user_token", params![]).await.unwrap().0
        };
        assert_eq!(kept().await, 1);
        node.clock.advance(lifetime);
        assert!(!node.redeemed(&late, purpose).await, "{purpose:?}");
        assert_eq!(kept().await, 0);
    }
}

async fn confirmation_is_remembered(db: Db) {
    let (node, random) = (node(db).await, Random::seeded(9));
    let (reset, confirmation) = (node.issued(&random, PasswordReset).await, node.issued(&random, Confirmation).await);
    assert!(!has_confirmed(&node.db, &confirmation).await.unwrap());
    assert!(node.redeemed(&confirmation, Confirmation).await && node.redeemed(&reset, PasswordReset).await);
    node.clock.advance(SignedDuration::from_hours(24 * 400));
    background::retention::clear(&node.db, node.clock.now(), super::SESSIONS).await.unwrap();
    assert!(has_confirmed(&node.db, &confirmation).await.unwrap());
    assert!(!has_confirmed(&node.db, &reset).await.unwrap());
    assert!(!node.redeemed(&confirmation, Confirmation).await);
}

async fn confirmation_sets_the_first_password_once_until_an_hour_after_it(db: Db) {
    let (node, random) = (node(db).await, Random::seeded(9));
    let user = node.user_id(World::UNCONFIRMED).await;
    let (second, hour) = (SignedDuration::from_secs(1), SignedDuration::from_hours(1));
    let issued = async || {
        let mut tx = node.db.begin().await.unwrap();
        let token = issue(&mut tx, &random, user, Confirmation, node.clock.now()).await.unwrap();
        tx.commit().await.unwrap();
        token
    };
    let set = async |token: &str| {
        let may = may_set_password(&node.db, token, node.clock.now()).await.unwrap();
        let mut tx = node.db.begin().await.unwrap();
        let redeemed = redeem_for_password(&mut tx, token, node.clock.now()).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(redeemed, may.then_some(user));
        may
    };
    let confirm = async |token: &str| {
        let mut tx = node.db.begin().await.unwrap();
        assert!(redeem(&mut tx, token, Confirmation, node.clock.now()).await.unwrap().is_some());
        users::confirm(&mut tx, user, node.clock.now()).await.unwrap();
        tx.commit().await.unwrap();
    };
    let token = issued().await;
    node.clock.advance(SignedDuration::from_hours(168) - second);
    assert!(set(&token).await, "before a confirmation");
    assert!(!set(&token).await, "once");
    assert!(has_confirmed(&node.db, &token).await.unwrap());
    let expired = issued().await;
    node.clock.advance(SignedDuration::from_hours(168));
    assert!(!set(&expired).await);

    for (passed, is_accepted) in [(SignedDuration::ZERO, true), (hour, true), (hour + second, false)] {
        let token = issued().await;
        confirm(&token).await;
        node.clock.advance(passed);
        assert_eq!(set(&token).await, is_accepted, "{passed} after the confirmation");
    }
    let token = issued().await;
    confirm(&token).await;
    let mut tx = node.db.begin().await.unwrap();
    end_first_password(&mut tx, user, node.clock.now()).await.unwrap();
    tx.commit().await.unwrap();
    assert!(!set(&token).await, "another password was set");
    let token = issued().await;
    assert!(!set(&token).await, "the account is confirmed otherwise");
}

async fn token_is_redeemed_once_by_a_thousand_concurrent_attempts(db: Db) {
    let (node, random) = (node(db).await, Random::seeded(9));
    let (token, now) = (node.issued(&random, PasswordReset).await, node.clock.now());
    let mut uses = JoinSet::new();
    for _ in 0..1_000 {
        let (db, token) = (node.db.clone(), token.clone());
        uses.spawn(async move {
            let mut tx = db.begin().await.unwrap();
            let user_id = redeem(&mut tx, &token, PasswordReset, now).await.unwrap();
            tx.commit().await.unwrap();
            user_id.is_some()
        });
    }
    assert_eq!(uses.join_all().await.into_iter().filter(|used| *used).count(), 1);
}

async fn tokens_are_stored_as_digests_and_deleted_with_their_user(db: Db) {
    let (node, random) = (node(db).await, Random::seeded(9));
    let token = node.issued(&random, PasswordReset).await;
    let kept: Vec<(String,)> = node.db.fetch_all("select hash from user_token", params![]).await.unwrap();
    assert!(kept.len() == 1 && !kept[0].0.contains(&token));
    node.db.execute("delete from users where id = $1", params![node.user().await]).await.unwrap();
    let (left,): (i64,) = node.db.fetch_one("select count(*) from user_token", params![]).await.unwrap();
    assert_eq!(left, 0);
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        token_is_redeemed_once_by_a_thousand_concurrent_attempts,
        confirmation_sets_the_first_password_once_until_an_hour_after_it,
        token_expires_and_is_deleted,
        confirmation_is_remembered,
        token_is_valid_once_for_its_purpose_until_the_next_one_is_issued,
        rolled_back_redemption_leaves_the_token_valid,
        tokens_are_stored_as_digests_and_deleted_with_their_user,
    ]
);
