//! Reads users within the caller's scope.

use platform::db::{self, Tx};

use super::{People, PersonError};
use crate::domain::policy::custody::Custody;
use crate::domain::policy::users::{may_handle, user_scope};
use crate::domain::principal::{Grant, Principal};
use crate::store::user_list::{self, UserRef};
use crate::store::users::ProfileRow;
use crate::store::{custody, role_users, users};

/// A user with their roles.
pub(crate) struct Person {
    pub(crate) row: ProfileRow,
    pub(crate) grants: Vec<Grant>,
    /// The partner in whose custody the user is.
    pub(crate) custody: Option<Custody>,
}

impl People {
    /// Finds a user in the caller's scope.
    ///
    /// # Errors
    /// [`PersonError::NotFound`] if the user is not in the caller's scope.
    pub(crate) async fn find(&self, caller: &Principal, user: UserRef<'_>) -> Result<Person, PersonError> {
        let row = user_list::find(&self.db, &user_scope(caller), user).await?.ok_or(PersonError::NotFound)?;
        let person = self.persons(vec![row]).await?.into_iter().next();
        person.ok_or(PersonError::NotFound)
    }

    /// How an invitation names the caller: by name and partner, as far as there is one.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn inviter(&self, caller: &Principal) -> db::Result<Option<String>> {
        let Some(row) = users::profile(&self.db, caller.user_id).await? else { return Ok(None) };
        let names: Vec<&str> = [&row.firstname, &row.lastname].into_iter().flatten().map(String::as_str).collect();
        let (name, partner) = (names.join(" ").trim().to_owned(), caller.label.as_ref().map(|label| &label.value));
        Ok(match partner {
            _ if name.is_empty() => partner.cloned(),
            Some(partner) => Some(format!("{name} ({partner})")),
            None => Some(name),
        })
    }

    /// Finds a user whom the caller may change.
    ///
    /// # Errors
    /// [`PersonError::NotFound`] if the user is not in the caller's scope, then [`PersonError::Forbidden`] if the caller may
    /// not change the user.
    pub(crate) async fn find_managed(&self, caller: &Principal, user: UserRef<'_>) -> Result<Person, PersonError> {
        let person = self.find(caller, user).await?;
        let may = may_handle(caller, person.row.id, &person.grants, person.custody.as_ref());
        if may { Ok(person) } else { Err(PersonError::Forbidden) }
    }

    /// Adds roles and custody to these rows, in their order.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn persons(&self, rows: Vec<ProfileRow>) -> db::Result<Vec<Person>> {
        let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
        let mut grants = role_users::grants(&self.db, &ids).await?;
        let mut custody = custody::of(&self.db, &ids).await?;
        let person = |row: ProfileRow| Person {
            grants: grants.remove(&row.id).unwrap_or_default(),
            custody: custody.remove(&row.id),
            row,
        };
        Ok(rows.into_iter().map(person).collect())
    }
}

/// Locks a user whom the caller changes, and checks the permission again: the user may have joined another partner since
/// they were found. Returns their custody.
pub(super) async fn lock_managed(
    tx: &mut Tx,
    caller: &Principal,
    user_id: i64,
) -> Result<Option<Custody>, PersonError> {
    users::lock_rows(tx, user_id).await?;
    let (grants, custody) = (role_users::grants_of(tx, user_id).await?, custody::find(tx, user_id).await?);
    let may = may_handle(caller, user_id, &grants, custody.as_ref());
    if may { Ok(custody) } else { Err(PersonError::NotFound) }
}
