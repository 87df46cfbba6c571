//! Role labels and claims.

use futures::FutureExt;
use futures::future::join_all;
use jiff::SignedDuration;
use platform::db::{Db, params};
use platform::run::random::Random;
use platform::store_suite;

use super::{Node, node};
use crate::devices::labels::{LabelAuthor, LabelError, Labels, PutLabel};
use crate::domain::policy::ClaimError;
use crate::domain::principal::Principal;
use crate::operator::{NewDevice, OperatorError, SetupCode, TemplateSummary};
use crate::store::claims;
use crate::store::devices::{self, DeviceRef, Listing};
use crate::store::labels::{self, NewLabel};
use crate::store::roles::{self, RoleRow};
use crate::store::{data, device_columns};
use crate::testing::World;

const ADMIN: &str = "OEM::Partner::Admin";
const OBSERVER: &str = "OEM::Partner::Observer";
const PARTNER: LabelAuthor<'_> = LabelAuthor::Partner { setup_code: None };

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

    pub(super) async fn found(&self, dsn: &str) -> devices::DeviceRow {
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
        async move { labels.put(caller, stock, &label(role, value), PARTNER).await.map(|put| put.is_new) }
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
        devices::list(&node.db, &scope, &listing, (100, 0)).await.unwrap().len()
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

    labels.remove(&caller, device, put.id).await.unwrap();
    assert!(matches!(labels.remove(&caller, device, put.id).await, Err(LabelError::NoLabel)));
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
    let claim = async |caller, device, role| labels.put(caller, device, &label(role, "A"), PARTNER).await;
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
    let claim = async |device| labels.put(&caller, device, &label(&role, "A"), PARTNER).await;
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

async fn concurrent_tries_cannot_exceed_the_limit(db: Db) {
    let node = node(db).await;
    let (role, caller) = (node.role(ADMIN).await, node.caller(World::PARTNER_ADMIN_A).await);
    let (labels, taken) = (node.labels(), node.found("DEV-B1").await.id);
    let own = label(&role, "A");
    let tries = (0..60).map(|_| labels.put(&caller, taken, &own, PARTNER).map(Result::err));
    let errors = join_all(tries).await;
    let refused = errors.iter().filter(|error| matches!(error, Some(LabelError::Unclaimable(_)))).count();
    let limited = errors.iter().filter(|error| matches!(error, Some(LabelError::TooManyClaims { .. }))).count();
    assert_eq!((refused, limited), (30, 30));
}

async fn partner_registers_with_the_setup_code_that_the_template_requires(db: Db) {
    let node = node(db).await;
    let (role, other_role) = (node.role(ADMIN).await, node.role(OBSERVER).await);
    let caller = node.caller(World::PARTNER_ADMIN_A).await;
    let (labels, devices) = (node.labels(), stock(&node, 2).await);
    let code = SetupCode::random(&Random::seeded(7));
    node.operator.set_setup_code(&node.world.oem, "STOCK-0", &code).await.unwrap();
    node.operator.require_setup_code(&node.world.oem, "thing", true).await.unwrap();

    let claim = async |device, role, setup_code| {
        let by = LabelAuthor::Partner { setup_code };
        labels.put(&caller, device, &label(role, "A"), by).await.map(|put| put.is_new)
    };
    let code = code.expose();
    assert!(matches!(claim(devices[0], &role, None).await, Err(LabelError::NoSetupCode)));
    for wrong in ["", "0000-0000-0000", &code[1..]] {
        assert!(matches!(claim(devices[0], &role, Some(wrong)).await, Err(LabelError::WrongSetupCode)), "{wrong}");
    }
    let of_none = claim(devices[1], &role, Some(code)).await;
    assert!(matches!(of_none, Err(LabelError::WrongSetupCode)), "the device has no code: {of_none:?}");
    assert!(!node.found("STOCK-0").await.registered);

    let typed = code.to_lowercase().replace('-', " ");
    assert!(claim(devices[0], &role, Some(&typed)).await.unwrap());
    assert!(node.found("STOCK-0").await.registered);
    assert!(claim(devices[0], &other_role, None).await.unwrap(), "only the registering label needs the code");

    let admin = node.caller(World::ADMIN).await;
    labels.put(&admin, devices[1], &label(&role, "A"), LabelAuthor::Manufacturer).await.unwrap();
    assert!(node.found("STOCK-1").await.registered, "the manufacturer needs no code");
}

async fn wrong_setup_codes_count_as_failed_tries(db: Db) {
    let node = node(db).await;
    let (role, caller) = (node.role(ADMIN).await, node.caller(World::PARTNER_ADMIN_A).await);
    let (labels, device) = (node.labels(), stock(&node, 1).await[0]);
    let code = SetupCode::random(&Random::seeded(7));
    node.operator.set_setup_code(&node.world.oem, "STOCK-0", &code).await.unwrap();
    node.operator.require_setup_code(&node.world.oem, "thing", true).await.unwrap();
    let claim = async |setup_code| {
        let by = LabelAuthor::Partner { setup_code };
        labels.put(&caller, device, &label(&role, "A"), by).await.map(|put| put.is_new)
    };
    for _ in 0..15 {
        assert!(matches!(claim(Some("0000-0000-0000")).await, Err(LabelError::WrongSetupCode)));
        assert!(matches!(claim(None).await, Err(LabelError::NoSetupCode)));
    }
    assert!(matches!(claim(Some(code.expose())).await, Err(LabelError::TooManyClaims { .. })));
    node.clock.advance(SignedDuration::from_hours(1));
    assert!(claim(Some(code.expose())).await.unwrap());
}

async fn setup_codes_are_added_once_and_replaced(db: Db) {
    let node = node(db).await;
    let (oem, random) = (&node.world.oem, Random::seeded(7));
    let template = |name: &str, setup_code_required| TemplateSummary {
        name: name.to_owned(),
        setup_code_required,
        strict_reports: false,
        max_keep_alive: 1200,
    };
    assert!(node.operator.templates(oem).await.unwrap().contains(&template("thing", false)), "off by default");
    node.operator.require_setup_code(oem, "thing", true).await.unwrap();
    assert!(node.operator.templates(oem).await.unwrap().contains(&template("thing", true)));
    node.operator.require_setup_code(oem, "thing", false).await.unwrap();
    let unknown = node.operator.require_setup_code(oem, "no such", true).await;
    assert!(matches!(unknown, Err(OperatorError::UnknownTemplate(name)) if name == "no such"));

    let devices = stock(&node, 2).await;
    let missing = node.operator.devices_without_setup_code(oem).await.unwrap();
    assert!(missing.ends_with(&["STOCK-0".to_owned(), "STOCK-1".to_owned()]), "{missing:?}");
    let hash = async |device: i64| -> Option<String> {
        let sql = "select setup_code_hash from device where id = $1";
        node.db.fetch_one::<(Option<String>,)>(sql, params![device]).await.unwrap().0
    };
    let (code, other) = (SetupCode::random(&random), SetupCode::random(&random));
    assert_eq!(node.operator.add_setup_codes(oem, &[("STOCK-0".to_owned(), code.clone())]).await.unwrap(), 1);
    let both = ["STOCK-0", "STOCK-1"].map(|dsn| (dsn.to_owned(), other.clone()));
    assert_eq!(node.operator.add_setup_codes(oem, &both).await.unwrap(), 1, "an existing code stays");
    assert_eq!(hash(devices[0]).await.unwrap(), code.digest("STOCK-0"));
    assert_eq!(node.operator.devices_without_setup_code(oem).await.unwrap(), missing[..missing.len() - 2]);

    node.operator.set_setup_code(oem, "STOCK-0", &other).await.unwrap();
    assert_eq!(hash(devices[0]).await.unwrap(), other.digest("STOCK-0"));
    let unknown = node.operator.set_setup_code(oem, "NO-SUCH", &other).await;
    assert!(matches!(unknown, Err(OperatorError::UnknownDevice(dsn)) if dsn == "NO-SUCH"));
}

async fn registration_that_was_not_completed_does_not_count(db: Db) {
    let node = node(db).await;
    let (role, caller) = (node.role(ADMIN).await, node.caller(World::PARTNER_ADMIN_A).await);
    let (labels, device) = (node.labels(), stock(&node, 1).await[0]);
    let by = LabelAuthor::Partner { setup_code: None };
    for _ in 0..101 {
        labels.put(&caller, device, &label(&role, "A"), by).await.unwrap();
        node.edits().unregister(device).await.unwrap();
    }
    labels.put(&caller, device, &label(&role, "A"), by).await.unwrap();
    let customer = "insert into device_datum (device_id, key, value, created_at, updated_at) values ($1, 'customer', 'Aurora', 0, 0)";
    node.db.execute(customer, params![device]).await.unwrap();
    node.edits().unregister(device).await.unwrap();
    let listed = claims::listed(&node.db, caller.oem_id, None, None).await.unwrap();
    assert_eq!(listed.len(), 1, "a completed registration counts, whatever becomes of it");
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
        concurrent_tries_cannot_exceed_the_limit,
        manufacturer_labels_without_limit_and_registrations_are_recorded,
        registration_that_was_not_completed_does_not_count,
        partner_registers_with_the_setup_code_that_the_template_requires,
        wrong_setup_codes_count_as_failed_tries,
        setup_codes_are_added_once_and_replaced,
    ]
);
