//! Role labels and claims.

use futures::FutureExt;
use futures::future::join_all;
use jiff::SignedDuration;
use platform::db::{Db, params};
use platform::store_suite;

use super::{Node, node};
use crate::devices::labels::{LabelAuthor, LabelError, Labels, PutLabel};
use crate::domain::policy::ClaimError;
use crate::domain::principal::Principal;
use crate::operator::NewDevice;
use crate::store::claims;
use crate::store::devices::{self, DeviceRef, Listing};
use crate::store::labels::{self, NewLabel};
use crate::store::roles::{self, RoleRow};
use crate::store::{data, device_columns};
use crate::testing::World;

const ADMIN: &str = "OEM::Partner::Admin";
const OBSERVER: &str = "OEM::Partner::Observer";

impl Node {
    fn labels(&self) -> Labels {
        Labels {
            db: self.db.clone(),
            clock: self.clock.clone(),
            bus: self.bus.clone(),
            reactions: self.commands.reactions.clone(),
        }
    }

    async fn role(&self, name: &str) -> RoleRow {
        roles::find(&self.db, self.world.oem.id, name).await.unwrap().unwrap()
    }

    async fn found(&self, dsn: &str) -> devices::DeviceRow {
        let scope = self.scope(World::ADMIN).await;
        devices::find(&self.db, &scope, DeviceRef::Dsn(dsn)).await.unwrap().unwrap()
    }
}

fn label<'a>(role: &'a RoleRow, value: &'a str) -> NewLabel<'a> {
    NewLabel { role, key: "partner_id", value, description: None }
}

async fn concurrent_device_claims_are_won_by_one_partner(db: Db) {
    let node = node(db).await;
    let (admin, observer) = (node.role(ADMIN).await, node.role(OBSERVER).await);
    let caller = &node.caller(World::PARTNER_ADMIN_A).await;
    let stock = node.found("DEV-S1").await.id;
    node.db.execute("delete from device_datum", params![]).await.unwrap();
    let labels = node.labels();
    let claim = |role, value| {
        let labels = labels.clone();
        async move { labels.put(caller, stock, &label(role, value), LabelAuthor::Partner).await.map(|put| put.is_new) }
    };
    let (a, b, c, d) =
        tokio::join!(claim(&admin, "A"), claim(&admin, "B"), claim(&observer, "A"), claim(&observer, "B"));
    let won = |result: &Result<bool, LabelError>| matches!(result, Ok(true));
    let lost = |result: &Result<bool, LabelError>| matches!(result, Err(LabelError::Unclaimable(ClaimError::Taken)));
    let one = |mine: [&Result<bool, LabelError>; 2], other: [&Result<bool, LabelError>; 2]| {
        mine.into_iter().all(won) && other.into_iter().all(lost)
    };
    assert!(one([&a, &c], [&b, &d]) || one([&b, &d], [&a, &c]), "{a:?} {b:?} {c:?} {d:?}");
    assert!(node.found("DEV-S1").await.registered);
    assert_eq!(labels::of_devices(&node.db, &[stock]).await.unwrap().len(), 2);
}

async fn labels_are_added_changed_removed_and_searched(db: Db) {
    let node = node(db).await;
    let (admin, caller) = (node.role(ADMIN).await, node.caller(World::ADMIN).await);
    let device = node.found("DEV-U1").await.id;
    let labels = node.labels();
    let scope = node.scope(World::ADMIN).await;
    let carriers = async |key, value| {
        let filters = vec![labels::carried(admin.id, key, value)];
        let listing = Listing { filters, key_after: None, order_by: device_columns::key(), descending: false };
        devices::list(&node.db, &scope, &listing, None).await.unwrap().len()
    };
    let put = labels.put(&caller, device, &label(&admin, "A"), LabelAuthor::Manufacturer).await.unwrap();
    assert!(put.is_new);
    let again = labels.put(&caller, device, &label(&admin, "A"), LabelAuthor::Manufacturer).await.unwrap();
    assert_eq!((again.id, again.is_new), (put.id, false));
    let other = labels.put(&caller, device, &label(&admin, "B"), LabelAuthor::Manufacturer).await;
    assert!(matches!(other, Err(LabelError::OtherValue)));
    assert_eq!((carriers(None, None).await, carriers(Some("partner_id"), Some("A")).await), (4, 3));

    labels.change(&caller, device, put.id, &label(&admin, "B")).await.unwrap();
    assert_eq!(labels::find(&node.db, put.id).await.unwrap().unwrap().label_value, "B");
    assert_eq!(carriers(None, Some("B")).await, 2);
    let stranger = Principal { oem_id: caller.oem_id + 1, ..caller.clone() };
    let elsewhere = labels.change(&stranger, device, put.id, &label(&admin, "A")).await;
    assert!(matches!(elsewhere, Err(LabelError::NoDevice)));
    let of_none = labels.change(&caller, device, put.id + 1000, &label(&admin, "A")).await;
    assert!(matches!(of_none, Err(LabelError::NoLabel)));

    labels.remove(put.id).await.unwrap();
    assert!(matches!(labels.remove(put.id).await, Err(LabelError::NoLabel)));
    assert_eq!(carriers(None, None).await, 3);
    assert_eq!(data::of_devices(&node.db, &[device]).await.unwrap().len(), 1);
}

/// Adds devices to the stock. Returns their ids.
async fn stock(node: &Node, count: usize) -> Vec<i64> {
    let device = |n| NewDevice { dsn: format!("STOCK-{n}"), link_key: "key".into(), ..NewDevice::default() };
    let device = |n| NewDevice { template: "thing".into(), created_at: node.clock.now(), ..device(n) };
    let devices: Vec<NewDevice> = (0..count).map(device).collect();
    node.operator.add_devices(&node.world.oem, &devices).await.unwrap();
    let sql = "select id from device where dsn like 'STOCK-%' order by id";
    let rows: Vec<(i64,)> = node.db.fetch_all(sql, params![]).await.unwrap();
    rows.into_iter().map(|(id,)| id).collect()
}

fn retry_after(result: Result<PutLabel, LabelError>) -> SignedDuration {
    match result {
        Err(LabelError::TooManyClaims { retry_after }) => retry_after,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("the device was registered"),
    }
}

async fn user_registers_at_most_100_devices_an_hour(db: Db) {
    let node = node(db).await;
    let (role, observer) = (node.role(ADMIN).await, node.role(OBSERVER).await);
    let (caller, colleague) = (node.caller(World::PARTNER_ADMIN_A).await, node.caller(World::TECHNICIAN_A).await);
    let (labels, devices) = (node.labels(), stock(&node, 103).await);
    let claim = async |caller, device, role| labels.put(caller, device, &label(role, "A"), LabelAuthor::Partner).await;
    let first = SignedDuration::from_mins(10);
    for (n, device) in devices[..100].iter().enumerate() {
        claim(&caller, *device, &role).await.unwrap();
        if n == 0 {
            node.clock.advance(first);
        }
    }
    let left = SignedDuration::from_mins(50);
    assert_eq!(retry_after(claim(&caller, devices[100], &role).await), left);
    claim(&caller, devices[99], &observer).await.expect("another label of a registered device is no registration");
    claim(&colleague, devices[101], &role).await.expect("the limit is per account");
    node.clock.advance(left);
    claim(&caller, devices[100], &role).await.unwrap();
    assert_eq!(retry_after(claim(&caller, devices[102], &role).await), first);
}

async fn user_tries_at_most_30_devices_that_are_not_free_in_an_hour(db: Db) {
    let node = node(db).await;
    let (role, caller) = (node.role(ADMIN).await, node.caller(World::PARTNER_ADMIN_A).await);
    let (labels, taken) = (node.labels(), node.found("DEV-B1").await.id);
    let claim = async |device| labels.put(&caller, device, &label(&role, "A"), LabelAuthor::Partner).await;
    for n in 0..30 {
        let (device, is_unknown) = if n % 2 == 0 { (taken, false) } else { (1_000_000 + n, true) };
        let refused = claim(device).await.err().unwrap();
        assert_eq!(matches!(refused, LabelError::NoDevice), is_unknown, "{refused:?}");
    }
    let free = stock(&node, 1).await[0];
    let hour = SignedDuration::from_hours(1);
    assert_eq!(retry_after(claim(free).await), hour, "even a device that is free");
    node.clock.advance(hour);
    claim(free).await.unwrap();
}

async fn tries_at_once_cannot_pass_the_limit(db: Db) {
    let node = node(db).await;
    let (role, caller) = (node.role(ADMIN).await, node.caller(World::PARTNER_ADMIN_A).await);
    let (labels, taken) = (node.labels(), node.found("DEV-B1").await.id);
    let own = label(&role, "A");
    let tries = (0..60).map(|_| labels.put(&caller, taken, &own, LabelAuthor::Partner).map(Result::err));
    let errors = join_all(tries).await;
    let refused = errors.iter().filter(|error| matches!(error, Some(LabelError::Unclaimable(_)))).count();
    let limited = errors.iter().filter(|error| matches!(error, Some(LabelError::TooManyClaims { .. }))).count();
    assert_eq!((refused, limited), (30, 30));
}

async fn manufacturer_labels_without_limit_and_registrations_are_recorded(db: Db) {
    let node = node(db).await;
    let (role, admin) = (node.role(ADMIN).await, node.caller(World::ADMIN).await);
    let (labels, devices) = (node.labels(), stock(&node, 101).await);
    for device in &devices {
        labels.put(&admin, *device, &label(&role, "A"), LabelAuthor::Manufacturer).await.unwrap();
    }
    let listed = claims::listed(&node.db, admin.oem_id, Some(World::ADMIN), None).await.unwrap();
    assert_eq!(listed.len(), 101);
    assert!(listed.iter().all(|row| row.is_current && row.email.as_deref() == Some(World::ADMIN)));
    node.edits().unregister(devices[0]).await.unwrap();
    let listed = claims::listed(&node.db, admin.oem_id, None, None).await.unwrap();
    assert_eq!(listed.iter().filter(|row| row.is_current).count(), 100);
    let later = node.clock.now() + SignedDuration::from_secs(1);
    assert!(claims::listed(&node.db, admin.oem_id, None, Some(later)).await.unwrap().is_empty());
    assert!(claims::listed(&node.db, admin.oem_id, Some(World::OBSERVER), None).await.unwrap().is_empty());
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        concurrent_device_claims_are_won_by_one_partner,
        labels_are_added_changed_removed_and_searched,
        user_registers_at_most_100_devices_an_hour,
        user_tries_at_most_30_devices_that_are_not_free_in_an_hour,
        tries_at_once_cannot_pass_the_limit,
        manufacturer_labels_without_limit_and_registrations_are_recorded,
    ]
);
