//! Reads people: the list from the index, a single person from the cloud.

use diffuser::Role;
use uuid::Uuid;

use super::dto::{RoleName, UserList, UserView};
use super::index::{index_user, remove};
use super::list;
use super::query::UserQuery;
use super::record::{Person, UserRecord};
use crate::http::error::{ApiError, ApiResult};
use crate::index::{self, CloudRead};
use crate::policy::{self, Action, Actor, Scope, Target};
use crate::sessions::account_state;
use crate::state::CoreState;

/// The most reads of one person. A concurrent write makes a read older than the row, so it is repeated.
const MAX_READS: usize = 3;

/// One page of the people that `actor` may see, from the index.
///
/// # Errors
/// 403 for an actor who sees no people.
pub(super) async fn list(state: &CoreState, actor: &Actor, query: &UserQuery) -> ApiResult<UserList> {
    policy::can(actor, Action::View, Target::People).require()?;
    let db = &state.base.db;
    // Read before the rows, so that the list is never older than `as_of`.
    let as_of = index::people_as_of(db).await?;
    let page = list::list(db, actor, query).await?;
    Ok(UserList {
        users: page.users.into_iter().map(|person| UserView::new(person, actor)).collect(),
        total: page.total,
        current_page_number: page.number,
        as_of,
        roles: RoleName::all_for(actor),
    })
}

/// Reads a person with the actor's own token.
///
/// # Errors
/// 404 for a person outside the actor's scope, by the cloud or by policy.
pub(super) async fn read(state: &CoreState, actor: &Actor, id: Uuid) -> ApiResult<UserRecord> {
    // The cloud lets end users read their own record; the console does not.
    if actor.scope() == Scope::Nothing {
        return Err(ApiError::NotFound);
    }
    let cloud = state.sessions.cloud(&actor.session);
    let user = cloud.admin().get_user_by_uuid(id.to_string()).await?;
    if state.service.is_account(&user.email) {
        return Err(ApiError::NotFound);
    }
    let record = UserRecord::of(&cloud, &user).await?.ok_or(ApiError::NotFound)?;
    policy::can(actor, Action::View, Target::Person { id, csp: record.csp.as_deref() }).require()?;
    Ok(record)
}

/// The person as `actor` sees them, with the state of the account.
///
/// # Errors
/// Database errors.
pub(super) async fn view(state: &CoreState, actor: &Actor, record: UserRecord) -> ApiResult<UserView> {
    let account = account_state::find(&state.base.db, record.id).await?;
    Ok(UserView::new(Person { record, account }, actor))
}

/// The role of a person and its CSP as they are now in the cloud, read by the service account. Nothing for a person who does not
/// exist or is disabled.
///
/// # Errors
/// Errors of the cloud.
pub(crate) async fn current_access(state: &CoreState, id: Uuid) -> ApiResult<(Option<Role>, Option<String>)> {
    if account_state::is_disabled(&state.base.db, id).await? {
        return Ok((None, None));
    }
    let cloud = state.service.cloud().await?;
    let user = match cloud.admin().get_user_by_uuid(id.to_string()).await {
        Err(error) if error.status() == Some(404) => return Ok((None, None)),
        user => user?,
    };
    let record = UserRecord::of(&cloud, &user).await?;
    Ok(record.map_or((None, None), |record| (record.role, record.csp)))
}

/// Reads a person with the actor's own token, and updates the index before it returns.
///
/// # Errors
/// As [`read`]. If an actor with full scope gets 404, the person is removed from the index.
pub(super) async fn refresh(state: &CoreState, actor: &Actor, id: Uuid) -> ApiResult<UserRecord> {
    let (db, clock) = (&state.base.db, &state.base.clock);
    let mut reads = 1;
    loop {
        let began = CloudRead::begin(clock);
        match read(state, actor, id).await {
            Ok(record) => {
                if index_user(db, &record, began.end(clock)).await? || reads == MAX_READS {
                    return Ok(record);
                }
            }
            Err(ApiError::NotFound) if actor.scope() == Scope::Everything => {
                remove(db, id, began.began()).await?;
                return Err(ApiError::NotFound);
            }
            Err(error) => return Err(error),
        }
        reads += 1;
    }
}

/// Updates the index after the actor changed their own profile. Requires no permission on people.
pub(crate) async fn refresh_own_record(state: &CoreState, actor: &Actor) -> ApiResult<()> {
    let began = CloudRead::begin(&state.base.clock);
    let cloud = state.sessions.cloud(&actor.session);
    let user = cloud.users().profile().await?;
    if let Some(record) = UserRecord::of(&cloud, &user).await? {
        index_user(&state.base.db, &record, began.end(&state.base.clock)).await?;
    }
    Ok(())
}
