//! Lists of users, their roles and deletion.

use jiff::SignedDuration;
use platform::db::{Db, params};
use platform::run::random::Random;
use platform::store_suite;
use platform::testing::TestDb;
use sea_query::SqliteQueryBuilder;
use sqlx::AssertSqlSafe;
use tokio_util::task::TaskTracker;

use super::{Node, node};
use crate::domain::password::{PasswordCost, Passwords};
use crate::domain::policy::users::{UserScope, user_scope};
use crate::messages::mail::{Branding, Mail};
use crate::people::{NewPerson, People, PersonError, RoleChange};
use crate::store::user_list::{self, Listing, UserRef};
use crate::store::{associations, role_users, roles, user_columns};
use crate::testing::World;

const TECHNICIAN: &str = "OEM::Partner::Technician";

impl Node {
    async fn user_scope(&self, email: &str) -> UserScope {
        user_scope(&roles::principal(&self.db, self.user_id(email).await).await.unwrap().unwrap())
    }

    pub(super) fn people(&self) -> People {
        let random = Random::seeded(2);
        People {
            db: self.db.clone(),
            clock: self.clock.clone(),
            bus: self.bus.clone(),
            edits: self.edits(),
            token_lifetime: SignedDuration::from_hours(1),
            session_lifetime: SignedDuration::from_hours(24),
            passwords: Passwords::new(PasswordCost { memory_kib: 8, passes: 1, lanes: 1 }, random.clone()).unwrap(),
            mail: Mail::new(Branding::default(), [], random.clone()),
            random,
            tasks: TaskTracker::new(),
        }
    }

    async fn listed(&self, scope: &UserScope, listing: &Listing) -> Vec<String> {
        let rows = user_list::list(&self.db, scope, listing, (100, 0)).await.unwrap();
        let count = user_list::count(&self.db, scope, listing, 101).await.unwrap();
        assert_eq!(usize::try_from(count), Ok(rows.len()));
        rows.into_iter().map(|row| row.email).collect()
    }
}

fn by(name: &str, descending: bool) -> Listing {
    let order_by = user_columns::find(name).unwrap();
    Listing { filters: vec![], key_after: None, order_by, descending }
}

async fn user_scope_contains_its_users_and_no_machine_accounts(db: Db) {
    let node = node(db).await;
    let technician = roles::find(&node.db, node.world.oem.id, TECHNICIAN).await.unwrap().unwrap().id;
    let admin = roles::find(&node.db, node.world.oem.id, "OEM::Admin").await.unwrap().unwrap().id;
    let mut tx = node.db.begin().await.unwrap();
    associations::insert(&mut tx, node.user_id(World::END_USER).await, technician, "A").await.unwrap();
    associations::insert(&mut tx, node.user_id(World::UNCONFIRMED).await, technician, "B").await.unwrap();
    // A user of the partner who is also of the manufacturer.
    role_users::assign(&mut tx, node.user_id(World::PARTNER_OBSERVER_A).await, admin, None).await.unwrap();
    tx.commit().await.unwrap();
    let everybody = vec![
        World::ADMIN,
        World::OBSERVER,
        World::PARTNER_ADMIN_A,
        World::PARTNER_OBSERVER_A,
        World::TECHNICIAN_A,
        World::PARTNER_ADMIN_B,
        World::END_USER,
        World::UNCONFIRMED,
    ];
    let table = [
        (World::ADMIN, everybody),
        (World::PARTNER_ADMIN_A, vec![World::PARTNER_ADMIN_A, World::TECHNICIAN_A, World::END_USER]),
        (World::PARTNER_ADMIN_B, vec![World::PARTNER_ADMIN_B, World::UNCONFIRMED]),
        (World::TECHNICIAN_A, vec![World::TECHNICIAN_A]),
        (World::END_USER, vec![World::END_USER]),
        (World::MACHINE, vec![]),
    ];
    for (email, expected) in table {
        let scope = match email {
            World::MACHINE => UserScope::Own { user_id: node.user_id(email).await },
            _ => node.user_scope(email).await,
        };
        assert_eq!(node.listed(&scope, &by("key", false)).await, expected, "{email}");
        for other in [World::ADMIN, World::TECHNICIAN_A, World::END_USER, World::MACHINE] {
            let found = user_list::find(&node.db, &scope, UserRef::Email(other)).await.unwrap();
            assert_eq!(found.is_some(), expected.contains(&other), "{email} {other}");
        }
    }
    let foreign = UserScope::Oem { oem_id: node.world.oem.id + 1 };
    assert!(node.listed(&foreign, &by("key", false)).await.is_empty());
    // Associations are deleted with the user.
    node.people().delete(node.user_id(World::END_USER).await).await.unwrap();
    let left: Vec<(i64,)> = node.db.fetch_all("select user_id from association", params![]).await.unwrap();
    assert_eq!(left.len(), 1);
}

async fn lists_have_the_same_order_on_both_databases_with_nulls_last(db: Db) {
    let node = node(db).await;
    let scope = node.user_scope(World::ADMIN).await;
    for (descending, first) in [(false, World::PARTNER_ADMIN_A), (true, World::UNCONFIRMED)] {
        let company = "update users set company = 'Moss' where email = $1";
        node.db.execute(company, params![World::PARTNER_ADMIN_A]).await.unwrap();
        assert_eq!(node.listed(&scope, &by("company", descending)).await[0], first);
    }
    let mut listing = by("email", false);
    assert!(node.listed(&scope, &listing).await.is_sorted());
    listing.filters.push(user_list::is_end_user());
    listing.key_after = Some(node.user_id(World::END_USER).await);
    assert_eq!(node.listed(&scope, &listing).await, [World::UNCONFIRMED]);
    listing.filters.push(user_columns::find("confirmed").unwrap().equals("true").unwrap());
    assert!(node.listed(&scope, &listing).await.is_empty());
}

async fn last_admin_stays_when_two_admins_are_deleted_concurrently(db: Db) {
    let node = node(db).await;
    let admin = roles::find(&node.db, node.world.oem.id, "OEM::Admin").await.unwrap().unwrap().id;
    let (first, second) = (node.user_id(World::ADMIN).await, node.user_id(World::OBSERVER).await);
    let people = node.people();
    let caller = roles::principal(&node.db, first).await.unwrap().unwrap();
    people.change_role(&caller, second, admin, RoleChange::Assign(None)).await.unwrap();
    let revoking = people.change_role(&caller, second, admin, RoleChange::Revoke);
    let (deleted, revoked) = tokio::join!(people.delete(first), revoking);
    let stays = |result: &Result<(), PersonError>| matches!(result, Err(PersonError::LastAdmin));
    assert!(deleted.is_ok() && stays(&revoked) || stays(&deleted) && revoked.is_ok(), "{deleted:?} {revoked:?}");
    let mut tx = node.db.begin().await.unwrap();
    let last = if stays(&deleted) { first } else { second };
    assert!(role_users::is_last_admin(&mut tx, last).await.unwrap());
    assert!(!role_users::is_last_admin(&mut tx, node.user_id(World::TECHNICIAN_A).await).await.unwrap());
}

async fn concurrent_creations_of_one_user_succeed_once(db: Db) {
    let node = node(db).await;
    let people = node.people();
    let role = roles::find(&node.db, node.world.oem.id, TECHNICIAN).await.unwrap().unwrap();
    let make = || {
        people.create(NewPerson {
            oem_id: node.world.oem.id,
            email: "Jo@example.org".into(),
            password: "Correct-Horse-1".into(),
            profile: vec![("firstname", Some("Jo".into())), ("city", None)],
            role: Some((role.id, Some("A".into()))),
            inviter: None,
            email_template_id: None,
        })
    };
    let (one, other, third) = tokio::join!(make(), make(), make());
    let (made, taken): (Vec<_>, Vec<_>) = [one, other, third].into_iter().partition(Result::is_ok);
    assert!(taken.len() == 2 && taken.iter().all(|taken| matches!(taken, Err(PersonError::EmailTaken))), "{taken:?}");
    let id = made[0].as_ref().unwrap();
    let grants = role_users::grants(&node.db, &[*id]).await.unwrap();
    assert_eq!((&*grants[id][0].name, grants[id][0].label_value.as_deref()), (TECHNICIAN, Some("A")));
    let messages: Vec<(String,)> = node.db.fetch_all("select kind from outbox", params![]).await.unwrap();
    assert_eq!(messages, [("invitation".to_owned(),)]);
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        user_scope_contains_its_users_and_no_machine_accounts,
        lists_have_the_same_order_on_both_databases_with_nulls_last,
        last_admin_stays_when_two_admins_are_deleted_concurrently,
        concurrent_creations_of_one_user_succeed_once,
    ]
);

/// Large lists of users are read through an index in every order. SQLite plans by the schema alone; PostgreSQL would scan a
/// table of nine rows.
#[tokio::test]
async fn pages_of_users_scan_and_sort_no_whole_table() {
    let test = TestDb::sqlite().await;
    crate::store::tests::migrated(&test).await;
    let node = node(test.clone()).await;
    let scope = node.user_scope(World::ADMIN).await;
    let explain = async |sql: String| -> String {
        let sql = AssertSqlSafe(format!("explain query plan {sql}"));
        let steps: Vec<(i64, i64, i64, String)> = node.db.fetch_all(sql, params![]).await.unwrap();
        steps.into_iter().map(|(.., detail)| detail).collect::<Vec<_>>().join("; ")
    };
    for column in user_columns::all() {
        for descending in [false, true] {
            let listing = Listing { filters: vec![], key_after: None, order_by: column, descending };
            let sql = user_list::statement(&scope, &listing, (100, 0)).to_string(SqliteQueryBuilder);
            let plan = explain(sql).await;
            assert!(plan.starts_with("SEARCH users USING") && !plan.contains("TEMP B-TREE"), "{column:?}: {plan}");
        }
    }
}
