//! Lists that are read page by page.

use futures::{StreamExt, TryStreamExt};
use platform::db::{Db, params};
use platform::store_suite;
use platform::testing::TestDb;
use sea_query::SqliteQueryBuilder;
use sqlx::AssertSqlSafe;

use super::{Node, node};
use crate::domain::policy::DeviceScope;
use crate::domain::policy::users::UserScope;
use crate::domain::principal::Label;
use crate::operator::{NewDevice, NewUser};
use crate::store::devices::{self, DeviceList, DeviceRow};
use crate::store::key_pages::{KeyedList, PAGE, pages};
use crate::store::user_list::{self, UserList};
use crate::store::{device_columns, labels, user_columns};
use crate::testing::{PASSWORD, World, device_key};

/// More than two pages.
const DEVICES: usize = 2 * PAGE + 10;
const ALL: (u64, u64) = (10_000, 0);

impl Node {
    async fn add_many_devices(&self) {
        let device = |n: usize| NewDevice {
            dsn: format!("MANY-{n:04}"),
            template: "thing".into(),
            link_key: device_key(&n.to_string()).into(),
            product_name: format!("Device {}", n % 7),
            lat: n.is_multiple_of(3).then_some(n as f64 / 3.0),
            registered: true,
            labels: vec![("OEM::Partner::Admin".into(), "partner_id".into(), "A".into())],
            ..NewDevice::default()
        };
        let devices: Vec<_> = (0..DEVICES).map(device).collect();
        self.operator.add_devices(&self.world.oem, &devices).await.unwrap();
    }
}

fn by(name: &str, descending: bool) -> devices::Listing {
    let order_by = device_columns::find(name).unwrap();
    devices::Listing { filters: vec![], key_after: None, order_by, descending }
}

fn dsns(rows: &[DeviceRow]) -> Vec<String> {
    rows.iter().map(|row| row.dsn.clone()).collect()
}

async fn pages_contain_the_devices_of_every_listing_in_its_order(db: Db) {
    let node = node(db).await;
    node.add_many_devices().await;
    let filter = || device_columns::find("product_name").unwrap().equals("Device 3").unwrap();
    for email in [World::ADMIN, World::PARTNER_ADMIN_A, World::END_USER] {
        let scope = node.scope(email).await;
        for (name, descending) in [
            ("key", false),
            ("key", true),
            ("id", false),
            ("dsn", true),
            ("product_name", false),
            ("lat", false),
            ("lat", true),
            ("connected_at", false),
            ("updated_at", true),
        ] {
            let everything = by(name, descending);
            let filtered = devices::Listing { filters: vec![filter()], ..everything.clone() };
            let after = devices::Listing { key_after: Some(20), ..everything.clone() };
            for listing in [everything, filtered, after] {
                let expected = devices::list(&node.db, &scope, &listing, ALL).await.unwrap();
                let list = DeviceList { scope: scope.clone(), listing };
                let read: Vec<Vec<DeviceRow>> = pages(node.db.clone(), list).try_collect().await.unwrap();
                assert!(read.iter().all(|page| page.len() <= PAGE));
                assert_eq!(dsns(&read.concat()), dsns(&expected), "{email} {name} {descending}");
            }
        }
    }
}

async fn pages_contain_the_users_of_every_listing_in_its_order(db: Db) {
    let node = node(db).await;
    for n in 0..PAGE + 5 {
        let user = NewUser {
            email: format!("person{n}@example.com"),
            password: PASSWORD.into(),
            firstname: Some(format!("Person {}", n % 5)),
            ..NewUser::default()
        };
        node.operator.ensure_user(&node.world.oem, &user).await.unwrap();
    }
    let scope = UserScope::Oem { oem_id: node.world.oem.id };
    for (name, descending) in [("key", false), ("key", true), ("email", false), ("firstname", true), ("company", false)]
    {
        let order_by = user_columns::find(name).unwrap();
        let listing = user_list::Listing { filters: vec![], key_after: None, order_by, descending };
        let expected = user_list::list(&node.db, &scope, &listing, ALL).await.unwrap();
        assert!(expected.len() > PAGE);
        let list = UserList { scope: scope.clone(), listing };
        let read: Vec<_> = pages(node.db.clone(), list).try_concat().await.unwrap();
        let emails = |rows: Vec<crate::store::users::ProfileRow>| rows.into_iter().map(|row| row.email);
        assert!(emails(read).eq(emails(expected)), "{name} {descending}");
    }
}

async fn device_that_moves_between_two_pages_is_listed_once_and_one_that_leaves_the_scope_is_not(db: Db) {
    let node = node(db).await;
    node.add_many_devices().await;
    let scope = DeviceScope::Oem { oem_id: node.world.oem.id, unregistered: false };
    for (name, gone) in [("key", "MANY-0200"), ("dsn", "MANY-0201")] {
        let listing = by(name, false);
        let all = dsns(&devices::list(&node.db, &scope, &listing, ALL).await.unwrap());
        let mut read = Box::pin(pages(node.db.clone(), DeviceList { scope: scope.clone(), listing }));
        let mut rows = read.next().await.unwrap().unwrap();
        let renamed = format!("ZZZ-{name}");
        let rename = "update device set dsn = $1 where id = $2";
        node.db.execute(rename, params![renamed, rows[0].id]).await.unwrap();
        node.db.execute("update device set registered = false where dsn = $1", params![gone]).await.unwrap();
        rows.extend(read.try_concat().await.unwrap());
        let expected: Vec<_> = all.into_iter().filter(|dsn| dsn != gone).collect();
        assert_eq!(dsns(&rows), expected, "{name}");
    }
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        pages_contain_the_devices_of_every_listing_in_its_order,
        pages_contain_the_users_of_every_listing_in_its_order,
        device_that_moves_between_two_pages_is_listed_once_and_one_that_leaves_the_scope_is_not,
    ]
);

/// SQLite plans by the schema alone. A page that sorts what follows it would make the whole list quadratic.
#[tokio::test]
async fn pages_by_key_sort_nothing() {
    let test = TestDb::sqlite().await;
    crate::store::tests::migrated(&test).await;
    let label = Label { role_id: 1, key: "partner_id".into(), value: "A".into() };
    let carried = labels::carried(1, Some("partner_id"), Some("A"));
    let mut statements = Vec::new();
    for scope in [DeviceScope::Oem { oem_id: 1, unregistered: true }, DeviceScope::Labelled(label)] {
        for filters in [vec![], vec![carried.clone()]] {
            let listing = devices::Listing { filters, ..by("key", false) };
            statements.push(DeviceList { scope: scope.clone(), listing }.after(Some(7)));
        }
    }
    let order_by = user_columns::key();
    let listing = user_list::Listing { filters: vec![], key_after: None, order_by, descending: false };
    statements.push(UserList { scope: UserScope::Oem { oem_id: 1 }, listing }.after(Some(7)));
    for mut statement in statements {
        let sql = statement.limit(PAGE as u64).to_string(SqliteQueryBuilder);
        let explain = AssertSqlSafe(format!("explain query plan {sql}"));
        let steps: Vec<(i64, i64, i64, String)> = test.fetch_all(explain, params![]).await.unwrap();
        let plan: Vec<String> = steps.into_iter().map(|(.., step)| step).collect();
        assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE")), "{sql} {plan:#?}");
    }
}
