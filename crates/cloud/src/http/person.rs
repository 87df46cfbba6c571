//! Users in responses and in paths.

use super::error::Result;
use super::extract::Caller;
use crate::app::App;
use crate::domain::principal::Principal;
use crate::people::Person;
use crate::store::user_list::UserRef;
use crate::store::users::ProfileRow;
use crate::wire::user::ProfileAnswer;

/// A user in the wire form.
pub(super) fn answer(person: Person, caller: &Caller) -> ProfileAnswer {
    let Person { row, grants, custody } = person;
    let principal = Principal::new(row.id, row.uuid.clone(), caller.0.oem_id, grants);
    ProfileAnswer::new(row, principal).in_custody(custody)
}

/// Users with their roles in the wire form, in their order.
pub(super) async fn answers(app: &App, caller: &Caller, rows: Vec<ProfileRow>) -> Result<Vec<ProfileAnswer>> {
    let persons = app.people().persons(rows).await?;
    Ok(persons.into_iter().map(|person| answer(person, caller)).collect())
}

/// The user of a path: by id, or by uuid.
pub(super) fn reference(text: &str) -> UserRef<'_> {
    text.parse().map_or(UserRef::Uuid(text), UserRef::Id)
}
