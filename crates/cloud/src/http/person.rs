//! The users whom a call is about, within the caller's scope.

use super::error::{Error, Result};
use super::extract::Caller;
use crate::app::App;
use crate::domain::policy::custody::Custody;
use crate::domain::policy::users::{may_handle, user_scope};
use crate::domain::principal::{Grant, Principal};
use crate::store::user_list::{self, UserRef};
use crate::store::users::ProfileRow;
use crate::store::{custody, role_users};
use crate::wire::user::ProfileAnswer;

/// A user, the roles that they have, and in whose care they are without one.
pub(super) struct Person {
    pub(super) row: ProfileRow,
    pub(super) grants: Vec<Grant>,
    custody: Option<Custody>,
}

impl Person {
    /// # Errors
    /// 404 when the user is not in the caller's scope.
    pub(super) async fn find(app: &App, caller: &Caller, user: UserRef<'_>) -> Result<Self> {
        let row = user_list::find(&app.db, &user_scope(&caller.0), user).await?.ok_or(Error::USER_NOT_FOUND)?;
        let grants = role_users::grants(&app.db, &[row.id]).await?.remove(&row.id).unwrap_or_default();
        let custody = custody::of(&app.db, &[row.id]).await?.remove(&row.id);
        Ok(Self { row, grants, custody })
    }

    /// # Errors
    /// 404 when the user is not in the caller's scope, then 403 when the caller may not change this user.
    pub(super) async fn to_handle(app: &App, caller: &Caller, user: UserRef<'_>) -> Result<Self> {
        let person = Self::find(app, caller, user).await?;
        let may = may_handle(&caller.0, person.row.id, &person.grants, person.custody.as_ref());
        if may { Ok(person) } else { Err(Error::FORBIDDEN) }
    }

    /// As the wire tells it.
    pub(super) fn answer(self, oem_id: i64) -> ProfileAnswer {
        let principal = Principal::new(self.row.id, self.row.uuid.clone(), oem_id, self.grants);
        ProfileAnswer::new(self.row, principal).in_custody(self.custody)
    }
}

/// The users with their roles, in their order.
pub(super) async fn answers(app: &App, caller: &Caller, rows: Vec<ProfileRow>) -> Result<Vec<ProfileAnswer>> {
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    let mut grants = role_users::grants(&app.db, &ids).await?;
    let mut custody = custody::of(&app.db, &ids).await?;
    let person = |row: ProfileRow| Person {
        grants: grants.remove(&row.id).unwrap_or_default(),
        custody: custody.remove(&row.id),
        row,
    };
    Ok(rows.into_iter().map(person).map(|person| person.answer(caller.0.oem_id)).collect())
}

/// The user of a path: by id, or by uuid.
pub(super) fn reference(text: &str) -> UserRef<'_> {
    text.parse().map_or(UserRef::Uuid(text), UserRef::Id)
}
