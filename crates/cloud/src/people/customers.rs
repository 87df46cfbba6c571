//! Associations of customers with roles and labels.

use platform::db::Tx;
use serde_json::Value;

use super::{People, PersonError};
use crate::domain::policy::users::UserScope;
use crate::domain::role::RoleKind;
use crate::store::user_list::{self, UserRef};
use crate::store::{associations, custody, role_users, users};

impl People {
    /// Finds a customer: a user without roles other than that of an end user, and in no partner's custody. If the request has
    /// a `user_id`, it must name the same user as the address.
    ///
    /// # Errors
    /// [`PersonError::NotFound`].
    pub(crate) async fn find_customer(
        &self,
        scope: &UserScope,
        email: &str,
        user_id: Option<&Value>,
    ) -> Result<i64, PersonError> {
        let customer = user_list::find(&self.db, scope, UserRef::Email(email)).await?.ok_or(PersonError::NotFound)?;
        let matches = match user_id {
            None => true,
            Some(Value::String(id)) => *id == customer.uuid || id.parse() == Ok(customer.id),
            Some(id) => id.as_i64() == Some(customer.id),
        };
        let person = self.persons(vec![customer]).await?.into_iter().next().ok_or(PersonError::NotFound)?;
        let is_customer = person.grants.iter().all(|grant| grant.kind == RoleKind::EndUser) && person.custody.is_none();
        if matches && is_customer { Ok(person.row.id) } else { Err(PersonError::NotFound) }
    }

    /// Associates a customer with the users of a role and label.
    ///
    /// # Errors
    /// [`PersonError`].
    pub(crate) async fn associate(&self, customer: i64, role_id: i64, label: &str) -> Result<(), PersonError> {
        if !role_users::exists(&self.db, role_id, label).await? {
            return Err(PersonError::RoleUserNotFound);
        }
        let associate = async |mut tx: Tx| -> Result<(), PersonError> {
            users::lock_rows(&mut tx, customer).await?;
            let grants = role_users::grants_of(&mut tx, customer).await?;
            let is_customer = grants.iter().all(|grant| grant.kind == RoleKind::EndUser);
            if !is_customer || custody::find(&mut tx, customer).await?.is_some() {
                return Err(PersonError::NotFound);
            }
            associations::insert(&mut tx, customer, role_id, label).await?;
            Ok(tx.commit().await?)
        };
        self.db.write(associate).await
    }

    /// Ends a customer's associations with a role, or only the one with this label.
    ///
    /// # Errors
    /// [`PersonError::NotAssociated`].
    pub(crate) async fn disassociate(
        &self,
        customer: i64,
        role_id: i64,
        label: Option<&str>,
    ) -> Result<(), PersonError> {
        let disassociate = async |mut tx: Tx| -> Result<(), PersonError> {
            if !associations::delete(&mut tx, customer, role_id, label).await? {
                return Err(PersonError::NotAssociated);
            }
            Ok(tx.commit().await?)
        };
        self.db.write(disassociate).await
    }
}
