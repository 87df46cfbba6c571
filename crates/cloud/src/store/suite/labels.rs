//! Role labels and claims.

use platform::db::Db;
use platform::store_suite;

use super::{Node, node};
use crate::devices::labels::{LabelAuthor, LabelError, Labels};
use crate::domain::policy::ClaimError;
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
    let (admin, observer, oem) = (node.role(ADMIN).await, node.role(OBSERVER).await, node.world.oem.id);
    let stock = node.found("DEV-S1").await.id;
    node.db.execute("delete from device_datum", platform::db::params![]).await.unwrap();
    let labels = node.labels();
    let claim = |role, value| {
        let labels = labels.clone();
        async move { labels.put(oem, stock, &label(role, value), LabelAuthor::Partner).await.map(|put| put.is_new) }
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
    let (admin, oem) = (node.role(ADMIN).await, node.world.oem.id);
    let device = node.found("DEV-U1").await.id;
    let labels = node.labels();
    let scope = node.scope(World::ADMIN).await;
    let carriers = async |key, value| {
        let filters = vec![labels::carried(admin.id, key, value)];
        let listing = Listing { filters, key_after: None, order_by: device_columns::key(), descending: false };
        devices::list(&node.db, &scope, &listing, None).await.unwrap().len()
    };
    let put = labels.put(oem, device, &label(&admin, "A"), LabelAuthor::Manufacturer).await.unwrap();
    assert!(put.is_new);
    let again = labels.put(oem, device, &label(&admin, "A"), LabelAuthor::Manufacturer).await.unwrap();
    assert_eq!((again.id, again.is_new), (put.id, false));
    let other = labels.put(oem, device, &label(&admin, "B"), LabelAuthor::Manufacturer).await;
    assert!(matches!(other, Err(LabelError::OtherValue)));
    assert_eq!((carriers(None, None).await, carriers(Some("partner_id"), Some("A")).await), (4, 3));

    labels.change(oem, device, put.id, &label(&admin, "B")).await.unwrap();
    assert_eq!(labels::find(&node.db, put.id).await.unwrap().unwrap().label_value, "B");
    assert_eq!(carriers(None, Some("B")).await, 2);
    let elsewhere = labels.change(oem + 1, device, put.id, &label(&admin, "A")).await;
    assert!(matches!(elsewhere, Err(LabelError::NoDevice)));
    let of_none = labels.change(oem, device, put.id + 1000, &label(&admin, "A")).await;
    assert!(matches!(of_none, Err(LabelError::NoLabel)));

    labels.remove(put.id).await.unwrap();
    assert!(matches!(labels.remove(put.id).await, Err(LabelError::NoLabel)));
    assert_eq!(carriers(None, None).await, 3);
    assert_eq!(data::of_devices(&node.db, &[device]).await.unwrap().len(), 1);
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [concurrent_device_claims_are_won_by_one_partner, labels_are_added_changed_removed_and_searched,]
);
