//! Services check access within their transactions, although handlers have checked it before.

use std::collections::BTreeSet;

use platform::db::{Db, params};
use platform::store_suite;
use sqlx::AssertSqlSafe;

use super::{Node, node};
use crate::devices::access::{self, AccessError};
use crate::devices::notifications::{NotificationError, NotificationInput, Notifications};
use crate::devices::schedules::{ScheduleError, Schedules};
use crate::devices::triggers::{TriggerError, TriggerInput, Triggers};
use crate::domain::notification::NotificationType;
use crate::domain::policy::Action;
use crate::domain::principal::Principal;
use crate::domain::schedule::Plan;
use crate::domain::share::{Operation, Period};
use crate::people::sharing::{ShareError, Sharing};
use crate::store::schedules::{INPUT, Schedule};
use crate::store::shares::{NewShare, Right};
use crate::store::{authors, roles, users};
use crate::testing::World;

impl Node {
    async fn principal(&self, email: &str) -> Principal {
        let id = users::id_by_email(&self.db, self.world.oem.id, email).await.unwrap().unwrap();
        roles::principal(&self.db, id).await.unwrap().unwrap()
    }

    /// The errors of creating a notification, a trigger, a schedule and a share of the device.
    async fn creation_errors(&self, caller: &Principal, dsn: &str) -> [AccessError; 4] {
        let (db, clock) = (self.db.clone(), self.clock.clone());
        let property = self.property(dsn, "intensity").await;
        let device_id = property.device_id;

        let notifications = Notifications { db: db.clone(), clock: clock.clone() };
        let input = NotificationInput { notification_type: NotificationType::Connected, threshold: 0, message: None };
        let Err(NotificationError::Access(notification)) = notifications.create(caller, device_id, input).await else {
            panic!("a notification was created")
        };

        let triggers = Triggers { db: db.clone(), clock: clock.clone() };
        let input = TriggerInput {
            trigger_type: "always".to_owned(),
            compare_type: None,
            value: None,
            active: true,
            apps: vec![],
        };
        let Err(TriggerError::Access(trigger)) = triggers.create(caller, &property, input).await else {
            panic!("a trigger was created")
        };

        let schedules = Schedules { db: db.clone(), clock: clock.clone(), commands: self.commands.clone() };
        let new = Schedule {
            name: "nights".to_owned(),
            display_name: String::new(),
            direction: INPUT.to_owned(),
            active: false,
            fixed_actions: false,
            plan: Plan::default(),
        };
        let Err(ScheduleError::Access(schedule)) = schedules.create(caller, device_id, &new).await else {
            panic!("a schedule was created")
        };

        let user_id = self.principal(World::END_USER).await.user_id;
        let (right, period) = (Right::Operation(Operation::Read), Period::default());
        let new = NewShare { device_id, owner_id: caller.user_id, user_id, right, period };
        let Err(ShareError::Access(share)) = (Sharing { db, clock }).create(caller, &[new]).await else {
            panic!("a share was created")
        };
        [notification, trigger, schedule, share]
    }
}

async fn device_that_left_the_scope_is_not_found(db: Db) {
    let node = node(db).await;
    let caller = node.principal(World::PARTNER_ADMIN_A).await;
    // The partner lost the device after the handler had checked access.
    let sql = "delete from device_label where device_id in (select id from device where dsn = $1)";
    node.db.execute(sql, params!["DEV-A1"]).await.unwrap();
    let errors = node.creation_errors(&caller, "DEV-A1").await;
    assert!(errors.iter().all(|error| matches!(error, AccessError::NotFound)), "{errors:?}");
}

async fn observer_may_not_change_a_device(db: Db) {
    let node = node(db).await;
    let caller = node.principal(World::PARTNER_OBSERVER_A).await;
    let errors = node.creation_errors(&caller, "DEV-A1").await;
    assert!(errors.iter().all(|error| matches!(error, AccessError::Forbidden)), "{errors:?}");
}

async fn device_in_factory_stock_is_rejected(db: Db) {
    let node = node(db).await;
    let caller = node.principal(World::ADMIN).await;
    let errors = node.creation_errors(&caller, "DEV-S1").await;
    assert!(errors.iter().all(|error| matches!(error, AccessError::Unregistered)), "{errors:?}");
}

/// The condition of the store on authors is that of the policy.
async fn authors_have_the_devices_that_the_policy_allows_them_to_edit(db: Db) {
    let node = node(db).await;
    let roles: Vec<(i64,)> = node.db.fetch_all("select id from role order by id", params![]).await.unwrap();
    let people: Vec<(i64,)> = node.db.fetch_all("select id from users order by id", params![]).await.unwrap();
    let devices: Vec<(i64,)> = node.db.fetch_all("select id from device order by id", params![]).await.unwrap();
    let condition = authors::may_edit("users.id", "device.id");
    let sql = format!("select users.id, device.id from users cross join device where {condition} order by 1, 2");
    let compare = async |people: &[(i64,)]| {
        let mut actual: Vec<(i64, i64)> = node.db.fetch_all(AssertSqlSafe(sql.clone()), params![]).await.unwrap();
        actual.retain(|(user_id, _)| people.contains(&(*user_id,)));
        let mut expected = Vec::new();
        for (user_id,) in people {
            let caller = roles::principal(&node.db, *user_id).await.unwrap().unwrap();
            for (device_id,) in &devices {
                let mut tx = node.db.begin().await.unwrap();
                let may =
                    access::lock(&mut tx, &caller, *device_id, Action::EditDevice, node.clock.now()).await.is_ok();
                expected.extend(may.then_some((*user_id, *device_id)));
            }
        }
        assert_eq!(actual, expected);
        actual.len()
    };
    assert!(compare(&people).await > 5);
    // The owner of a device, with each pair of roles: the effective one decides.
    let owner = node.user_id(World::END_USER).await;
    let set = "insert into user_role (user_id, role_id, label_value) values ($1, $2, $3)";
    let mut seen = BTreeSet::new();
    for (one,) in &roles {
        for (other,) in &roles {
            node.db.execute("delete from user_role where user_id = $1", params![owner]).await.unwrap();
            node.db.execute(set, params![owner, *one, "A"]).await.unwrap();
            if other != one {
                node.db.execute(set, params![owner, *other, "B"]).await.unwrap();
            }
            seen.insert(compare(&[(owner,)]).await);
        }
    }
    assert!(seen.len() > 2, "{seen:?}");
    // A label of another key, and an unregistered device.
    node.db.execute("update device_label set label_key = 'zone' where label_value = 'B'", params![]).await.unwrap();
    node.db.execute("update device set registered = $1 where dsn = 'DEV-A2'", params![false]).await.unwrap();
    compare(&people).await;
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        device_that_left_the_scope_is_not_found,
        observer_may_not_change_a_device,
        device_in_factory_stock_is_rejected,
        authors_have_the_devices_that_the_policy_allows_them_to_edit,
    ]
);
