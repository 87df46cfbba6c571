//! Shares and personal records: concurrent writes and deletion with the account.

use jiff::SignedDuration;
use platform::db::{Db, params};
use platform::store_suite;

use super::{Node, node};
use crate::background;
use crate::domain::share::{Operation, Period};
use crate::store::contacts::{self, Contact};
use crate::store::data::{self, Owner};
use crate::store::shares::{self, NewShare, Right};
use crate::store::{roles, users};
use crate::testing::World;

const HOUR: i64 = 3_600_000_000;

impl Node {
    /// Shares a device as an administrator of it, from and until these hours from now. Returns the share's id.
    pub(super) async fn share(&self, dsn: &str, email: &str, hours: [Option<i64>; 2]) -> Option<i64> {
        let author = if dsn.starts_with("DEV-A") { World::PARTNER_ADMIN_A } else { World::ADMIN };
        let owner_id = self.user_id(author).await;
        let (device_id,) = self.db.fetch_one("select id from device where dsn = $1", params![dsn]).await.unwrap();
        let [start, end] = hours.map(|hours| hours.map(|hours| self.clock.now().as_microsecond() + hours * HOUR));
        let right = Right::Operation(Operation::Write);
        let period = Period { start, end };
        let share = NewShare { device_id, owner_id, user_id: self.user_id(email).await, right, period };
        let mut tx = self.db.begin().await.unwrap();
        let id = shares::insert(&mut tx, &share, self.clock.now()).await.unwrap();
        tx.commit().await.unwrap();
        id
    }
}

async fn share_changes_its_operation_and_its_period(db: Db) {
    let node = node(db).await;
    let id = node.share("DEV-A1", World::END_USER, [None, None]).await.unwrap();
    let role = roles::find(&node.db, node.world.oem.id, "OEM::Observer").await.unwrap().unwrap();
    let read = async || shares::find(&node.db, id, node.clock.now()).await.unwrap().unwrap();
    let now = node.clock.now();
    let period = Period { start: Some(now.as_microsecond() - HOUR), end: Some(now.as_microsecond() + HOUR) };
    let table = [
        (Some(Right::Role(role.id)), (None, Some("OEM::Observer"))),
        (None, (None, Some("OEM::Observer"))),
        (Some(Right::Operation(Operation::Read)), (Some(Operation::Read), None)),
        (None, (Some(Operation::Read), None)),
    ];
    for (right, (operation, role_name)) in table {
        let mut tx = node.db.begin().await.unwrap();
        shares::update(&mut tx, id, right, period, now).await.unwrap();
        tx.commit().await.unwrap();
        let row = read().await;
        assert_eq!((row.operation(), row.role_name.as_deref(), row.period()), (operation, role_name, period));
    }
    assert_eq!((&*read().await.user_email, &*read().await.dsn), (World::END_USER, "DEV-A1"));
    assert!(shares::delete(&node.db, id).await.unwrap());
    assert!(!shares::delete(&node.db, id).await.unwrap());
}

async fn device_has_at_most_one_active_share_per_recipient(db: Db) {
    let node = node(db).await;
    let (one, other) = tokio::join!(
        node.share("DEV-A1", World::END_USER, [None, Some(1)]),
        node.share("DEV-A1", World::END_USER, [None, Some(1)]),
    );
    assert!(one.is_some() != other.is_some(), "{one:?} {other:?}");
    node.share("DEV-A1", World::UNCONFIRMED, [Some(5), None]).await.unwrap();
    let device = node.intensity().await.device_id;
    let (owner, recipient) = (node.user_id(World::PARTNER_ADMIN_A).await, node.user_id(World::END_USER).await);
    let counts = async || {
        let now = node.clock.now();
        let mut tx = node.db.begin().await.unwrap();
        let given = shares::count_given(&mut tx, owner, now).await.unwrap();
        let of_device = shares::count_of_device(&mut tx, device, now).await.unwrap();
        let listed = shares::given(&node.db, owner, now).await.unwrap().len();
        (given, of_device, listed, shares::received(&node.db, recipient, now).await.unwrap().len())
    };
    assert_eq!(counts().await, (2, 2, 2, 1), "a future share counts");
    node.clock.advance(SignedDuration::from_hours(1));
    assert_eq!(counts().await, (1, 1, 1, 0));
    assert_eq!(node.count("select count(*) from share").await, 2);
    background::retention::clear(&node.db, node.clock.now(), super::SESSIONS).await.unwrap();
    assert_eq!(node.count("select count(*) from share").await, 1);
    assert!(node.share("DEV-A1", World::END_USER, [None, None]).await.is_some());
    assert_eq!(shares::delete_of_device(&node.db, device, Some(recipient)).await.unwrap().len(), 1);
    assert_eq!(shares::delete_of_device(&node.db, device + 1, None).await.unwrap().len(), 0);
    assert_eq!(shares::delete_of_device(&node.db, device, None).await.unwrap().len(), 1);
}

async fn data_and_shares_of_a_user_are_deleted_with_the_account(db: Db) {
    let node = node(db).await;
    let now = node.clock.now();
    for email in [World::PARTNER_ADMIN_A, World::END_USER, World::UNCONFIRMED] {
        let user = node.user_id(email).await;
        let mut tx = node.db.begin().await.unwrap();
        users::lock_rows(&mut tx, user).await.unwrap();
        data::insert(&mut tx, Owner::User(user), "units", "metric", now).await.unwrap().unwrap();
        let contact = Contact { firstname: Some("Jo".into()), metadata: Some("{}".into()), ..Contact::default() };
        contacts::insert(&mut tx, user, &contact, now).await.unwrap();
        tx.commit().await.unwrap();
    }
    node.share("DEV-A1", World::END_USER, [None, None]).await.unwrap();
    node.share("DEV-A2", World::UNCONFIRMED, [None, None]).await.unwrap();
    let left = async || {
        (
            node.count("select count(*) from user_datum").await,
            node.count("select count(*) from contact").await,
            node.count("select count(*) from share").await,
        )
    };
    assert_eq!(left().await, (3, 3, 2));
    for (email, expected) in [(World::END_USER, (2, 2, 1)), (World::PARTNER_ADMIN_A, (1, 1, 0))] {
        node.db.execute("delete from users where email = $1", params![email]).await.unwrap();
        assert_eq!(left().await, expected, "{email}");
    }
    let id = {
        let other = node.user_id(World::UNCONFIRMED).await;
        let row = contacts::all(&node.db, other).await.unwrap().remove(0);
        let mut tx = node.db.begin().await.unwrap();
        assert!(
            contacts::lock_rows(&mut tx, other + 1, row.id).await.unwrap().is_none(),
            "not visible to another user"
        );
        let held = contacts::lock_rows(&mut tx, other, row.id).await.unwrap().unwrap();
        let changed = Contact { notes: Some("Mornings".into()), sms_notification: true, ..held.contact };
        let updated = contacts::update(&mut tx, held.id, &changed, now).await.unwrap();
        tx.commit().await.unwrap();
        let read = contacts::find(&node.db, other, updated.id).await.unwrap().unwrap().contact;
        assert_eq!((read.firstname.as_deref(), read.notes.as_deref()), (Some("Jo"), Some("Mornings")));
        assert!(read.sms_notification && !read.email_notification);
        assert!(contacts::delete(&node.db, other, updated.id).await.unwrap());
        updated.id
    };
    assert!(!contacts::delete(&node.db, node.user_id(World::UNCONFIRMED).await, id).await.unwrap());
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        share_changes_its_operation_and_its_period,
        device_has_at_most_one_active_share_per_recipient,
        data_and_shares_of_a_user_are_deleted_with_the_account,
    ]
);
