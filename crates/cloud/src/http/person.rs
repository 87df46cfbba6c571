//! Users in responses and in paths.

use axum::response::Response;
use futures::TryStreamExt;

use super::error::{Error, Result};
use super::extract::Caller;
use super::unpaged;
use crate::app::App;
use crate::domain::principal::Principal;
use crate::people::{People, Person};
use crate::store::key_pages;
use crate::store::user_list::{UserList, UserRef};
use crate::store::users::ProfileRow;
use crate::wire::user::ProfileAnswer;

/// A user of the manufacturer in the wire form.
pub(super) fn answer(person: Person, oem_id: i64) -> ProfileAnswer {
    let Person { row, grants, custody } = person;
    let principal = Principal::new(row.id, row.uuid.clone(), oem_id, grants);
    ProfileAnswer::new(row, principal).in_custody(custody)
}

/// Users with their roles in the wire form, in their order.
pub(super) async fn answers(people: &People, oem_id: i64, rows: Vec<ProfileRow>) -> Result<Vec<ProfileAnswer>> {
    let persons = people.persons(rows).await?;
    Ok(persons.into_iter().map(|person| answer(person, oem_id)).collect())
}

/// Responds with all users of a list.
pub(super) async fn all(app: &App, caller: &Caller, list: UserList) -> Result<Response> {
    let (people, oem_id) = (app.people(), caller.0.oem_id);
    let pages = key_pages::pages(app.db.clone(), list).map_err(Error::from).and_then(move |rows| {
        let people = people.clone();
        async move { answers(&people, oem_id, rows).await }
    });
    unpaged::respond(&app.lists, caller.0.user_id, pages).await
}

/// The user of a path: by id, or by uuid.
pub(super) fn reference(text: &str) -> UserRef<'_> {
    text.parse().map_or(UserRef::Uuid(text), UserRef::Id)
}
