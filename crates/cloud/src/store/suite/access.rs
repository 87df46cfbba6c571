//! Services check access within their transactions, although handlers have checked it before.

use platform::db::{Db, params};
use platform::store_suite;

use super::{Node, node};
use crate::devices::access::AccessError;
use crate::devices::schedules::{ScheduleError, Schedules};
use crate::domain::notification::NotificationType;
use crate::domain::principal::Principal;
use crate::domain::schedule::Plan;
use crate::domain::share::{Operation, Period};
use crate::notifications::{NotificationError, NotificationInput, Notifications};
use crate::sharing::{ShareError, Sharing};
use crate::store::schedules::{INPUT, Schedule};
use crate::store::shares::{NewShare, Right};
use crate::store::{roles, users};
use crate::testing::World;
use crate::triggers::{TriggerError, TriggerInput, Triggers};

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

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        device_that_left_the_scope_is_not_found,
        observer_may_not_change_a_device,
        device_in_factory_stock_is_rejected,
    ]
);
