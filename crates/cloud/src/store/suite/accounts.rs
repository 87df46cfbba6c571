//! Accounts: concurrent changes and deletion.

use platform::db::{Db, Result, params};
use platform::store_suite;

use super::{Node, node};
use crate::operator::NewUser;
use crate::store::sessions::Tokens;
use crate::store::{profiles, role_users, sessions, users};
use crate::testing::World;

impl Node {
    pub(super) async fn user_id(&self, email: &str) -> i64 {
        users::id_by_email(&self.db, self.world.oem.id, email).await.unwrap().unwrap()
    }

    pub(super) async fn count(&self, sql: &'static str) -> i64 {
        self.db.fetch_one::<(i64,)>(sql, params![]).await.unwrap().0
    }

    /// Changes the address. Returns `false` if another user has it.
    async fn changes_email(&self, user_id: i64, email: &str) -> bool {
        let mut tx = self.db.begin().await.unwrap();
        match users::set_email(&mut tx, user_id, email, self.clock.now()).await {
            Ok(addressee) => {
                assert_eq!((addressee.id, &*addressee.email), (user_id, "wanted@example.com"));
                tx.commit().await.unwrap();
                true
            }
            Err(error) => {
                assert!(error.is_unique_violation(), "{error}");
                false
            }
        }
    }

    /// Deletes the user, unless it is the last administrator.
    async fn deletes_account(&self, user_id: i64) -> Result<bool> {
        let mut tx = self.db.begin().await?;
        let may = !role_users::is_last_admin(&mut tx, user_id).await?;
        if may {
            profiles::delete(&mut tx, user_id).await?;
        }
        tx.commit().await?;
        Ok(may)
    }
}

async fn email_address_is_unique_without_regard_to_case(db: Db) {
    let node = node(db).await;
    let (one, other) = (node.user_id(World::END_USER).await, node.user_id(World::OBSERVER).await);
    let (one, other) =
        tokio::join!(node.changes_email(one, "wanted@example.com"), node.changes_email(other, " Wanted@Example.com"));
    assert!(one != other);
}

async fn all_sessions_but_the_current_one_are_closed(db: Db) {
    let node = node(db).await;
    let (user, other) = (node.user_id(World::END_USER).await, node.user_id(World::OBSERVER).await);
    let now = node.clock.now();
    for (user, name) in [(user, "a"), (user, "b"), (other, "c")] {
        let tokens = Tokens { access: name.into(), refresh: format!("refresh {name}") };
        sessions::open(&node.db, user, &tokens, now, now + jiff::SignedDuration::from_hours(1)).await.unwrap();
    }
    let open = async || {
        let mut open = Vec::new();
        for name in ["a", "b", "c"] {
            if sessions::authenticate(&node.db, name, now).await.unwrap().is_some() {
                open.push(name);
            }
        }
        open
    };
    for (but, left) in [(Some("b"), &["b", "c"][..]), (None, &["c"])] {
        let mut tx = node.db.begin().await.unwrap();
        sessions::close_all(&mut tx, user, but).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(open().await, left);
    }
    assert_eq!(node.count("select count(*) from refresh_token").await, 1);
}

async fn last_admin_stays_when_two_admins_delete_their_accounts_concurrently(db: Db) {
    let node = node(db).await;
    let second = NewUser {
        email: "second@example.com".into(),
        role: Some("OEM::Admin".into()),
        confirmed: true,
        ..NewUser::default()
    };
    // Neither an unconfirmed user nor a machine account counts as an administrator.
    let third = NewUser { email: "third@example.com".into(), confirmed: false, ..second.clone() };
    for user in [&second, &third] {
        assert!(node.operator.ensure_user(&node.world.oem, user).await.unwrap());
    }
    let (first, second) = (node.user_id(World::ADMIN).await, node.user_id(&second.email).await);
    let (first, second) = tokio::join!(node.deletes_account(first), node.deletes_account(second));
    assert!(first.unwrap() != second.unwrap());
}

async fn records_of_an_account_are_deleted_with_it(db: Db) {
    let node = node(db).await;
    let user = node.user_id(World::PARTNER_ADMIN_A).await;
    let (tokens, now) = (Tokens { access: "a".into(), refresh: "r".into() }, node.clock.now());
    sessions::open(&node.db, user, &tokens, now, now).await.unwrap();
    let sql = "insert into subscription (user_id, session_id, name, description, property_name, client_type,
                                         subscription_type, stream_key, created_at, updated_at)
               select user_id, id, '', '', '*', 'mobile', 'datapoint', 'k', 0, 0 from session where user_id = $1";
    node.db.execute(sql, params![user]).await.unwrap();
    let roles = node.count("select count(*) from user_role").await;
    assert!(node.deletes_account(user).await.unwrap());
    for sql in
        ["select count(*) from session", "select count(*) from refresh_token", "select count(*) from subscription"]
    {
        assert_eq!(node.count(sql).await, 0, "{sql}");
    }
    assert_eq!(node.count("select count(*) from user_role").await, roles - 1);
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        all_sessions_but_the_current_one_are_closed,
        email_address_is_unique_without_regard_to_case,
        last_admin_stays_when_two_admins_delete_their_accounts_concurrently,
        records_of_an_account_are_deleted_with_it,
    ]
);
