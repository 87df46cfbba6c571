//! Custody: which users enter it and which do not.

use platform::db::{Db, params};
use platform::store_suite;

use super::{Node, node};
use crate::domain::policy::custody::Custody;
use crate::domain::policy::users::user_scope;
use crate::domain::principal::Principal;
use crate::people::{PersonError, RoleChange};
use crate::store::user_list::{self, Listing, UserRef};
use crate::store::{custody, role_users, roles, user_columns};
use crate::testing::World;

const TECHNICIAN: &str = "OEM::Partner::Technician";

impl Node {
    async fn change(&self, caller: &Principal, email: &str, change: RoleChange<'_>) -> Result<(), PersonError> {
        let role = roles::find(&self.db, self.world.oem.id, TECHNICIAN).await.unwrap().unwrap().id;
        self.people().change_role(caller, self.user_id(email).await, role, change).await
    }

    async fn sees(&self, caller: &Principal, email: &str) -> bool {
        let scope = user_scope(caller);
        let id = self.user_id(email).await;
        let found = user_list::find(&self.db, &scope, UserRef::Id(id)).await.unwrap();
        let listing = Listing { filters: vec![], key_after: None, order_by: user_columns::key(), descending: false };
        let listed = user_list::list(&self.db, &scope, &listing, (100, 0)).await.unwrap();
        assert_eq!(found.is_some(), listed.iter().any(|row| row.id == id));
        found.is_some()
    }

    async fn custody(&self, email: &str) -> Option<Custody> {
        let id = self.user_id(email).await;
        custody::of(&self.db, &[id]).await.unwrap().remove(&id)
    }
}

fn of_a() -> Option<Custody> {
    Some(Custody { key: "partner_id".into(), value: "A".into() })
}

async fn user_without_a_role_stays_visible_to_the_partner_until_the_next_role(db: Db) {
    let node = node(db).await;
    let (a, b) = (node.caller(World::PARTNER_ADMIN_A).await, node.caller(World::PARTNER_ADMIN_B).await);
    for (change, expected) in [
        (RoleChange::Unlabel, of_a()),
        (RoleChange::Revoke, of_a()),
        (RoleChange::Assign(Some("A")), None),
        (RoleChange::Label("A"), None),
        (RoleChange::Unlabel, of_a()),
        (RoleChange::Assign(Some("A")), None),
        (RoleChange::Revoke, of_a()),
    ] {
        node.change(&a, World::TECHNICIAN_A, change).await.unwrap();
        assert_eq!(node.custody(World::TECHNICIAN_A).await, expected, "{change:?}");
        let sees = (node.sees(&a, World::TECHNICIAN_A).await, node.sees(&b, World::TECHNICIAN_A).await);
        assert_eq!(sees, (true, false), "{change:?}");
    }
    let refused = node.change(&a, World::TECHNICIAN_A, RoleChange::Unlabel).await;
    assert!(matches!(refused, Err(PersonError::RoleNotFound)));
    // Partners never see users of the manufacturer, whatever their custody.
    let observer = roles::find(&node.db, node.world.oem.id, "OEM::Observer").await.unwrap().unwrap().id;
    let mut tx = node.db.begin().await.unwrap();
    role_users::assign(&mut tx, node.user_id(World::TECHNICIAN_A).await, observer, None).await.unwrap();
    tx.commit().await.unwrap();
    assert!(!node.sees(&a, World::TECHNICIAN_A).await);
    node.people().delete(node.user_id(World::TECHNICIAN_A).await).await.unwrap();
    let left: Vec<(i64,)> = node.db.fetch_all("select user_id from custody", params![]).await.unwrap();
    assert!(left.is_empty());
}

/// A check before the transaction is outdated when another change commits first.
async fn user_who_joined_another_partner_meanwhile_is_not_taken_into_custody(db: Db) {
    let node = node(db).await;
    let (admin, a) = (node.caller(World::ADMIN).await, node.caller(World::PARTNER_ADMIN_A).await);
    node.change(&admin, World::TECHNICIAN_A, RoleChange::Label("B")).await.unwrap();
    for change in [RoleChange::Unlabel, RoleChange::Revoke, RoleChange::Assign(Some("A")), RoleChange::Label("A")] {
        let refused = node.change(&a, World::TECHNICIAN_A, change).await;
        assert!(matches!(refused, Err(PersonError::NotFound)), "{change:?}");
    }
    let id = node.user_id(World::TECHNICIAN_A).await;
    let grants = role_users::grants(&node.db, &[id]).await.unwrap();
    assert_eq!(grants[&id][0].label_value.as_deref(), Some("B"));
    assert_eq!(node.custody(World::TECHNICIAN_A).await, None);
}

async fn concurrent_role_changes_are_both_applied(db: Db) {
    let node = node(db).await;
    let (admin, a) = (node.caller(World::ADMIN).await, node.caller(World::PARTNER_ADMIN_A).await);
    let taking = node.change(&a, World::TECHNICIAN_A, RoleChange::Unlabel);
    let giving = node.change(&admin, World::TECHNICIAN_A, RoleChange::Label("B"));
    let (taken, given) = tokio::join!(taking, giving);
    assert!(given.is_ok() && matches!(taken, Ok(()) | Err(PersonError::NotFound)), "{taken:?} {given:?}");
    // Whichever commits first, the manufacturer's change stays, and nobody is in custody.
    let id = node.user_id(World::TECHNICIAN_A).await;
    let grants = role_users::grants(&node.db, &[id]).await.unwrap();
    assert_eq!(grants[&id][0].label_value.as_deref(), Some("B"));
    assert_eq!(node.custody(World::TECHNICIAN_A).await, None);
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        user_without_a_role_stays_visible_to_the_partner_until_the_next_role,
        user_who_joined_another_partner_meanwhile_is_not_taken_into_custody,
        concurrent_role_changes_are_both_applied,
    ]
);
