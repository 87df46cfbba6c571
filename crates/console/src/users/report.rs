//! `GET /api/users/report`.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use diffuser::Role;
use platform::db::Db;

use super::dto::UserView;
use super::list::UserScan;
use super::query::{self, UserFilter, UserFilterParams, UserSort};
use crate::audit::Operation;
use crate::http::error::{ApiError, ApiResult};
use crate::http::query_reader::QueryReader;
use crate::http::request::QueryPairs;
use crate::index;
use crate::policy::{self, Action, Actor, Decision, Scope, Target};
use crate::reports::list_params::{ReportParams, SortParams};
use crate::reports::{self, Column, FilterUsed, Pages, Report, ReportOf, ReportOptions};
use crate::state::CoreState;

/// Returns all people that the caller may see and the filters match, in list order.
#[utoipa::path(
    get, path = "/api/users/report", tag = "users",
    security(("token" = ["users_read"])),
    params(ReportParams, SortParams<UserSort>, UserFilterParams),
    responses(
        (status = 200, description = "The report", content(
            (ReportOf<UserView> = "application/json"), (String = "text/csv"), (String = "text/html"),
            (String = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        )),
        ApiError,
    )
)]
pub(super) async fn report_users(
    State(state): State<CoreState>,
    actor: Actor,
    headers: HeaderMap,
    pairs: QueryPairs,
) -> ApiResult<Response> {
    policy::can(&actor, Action::View, Target::People).require()?;
    let mut reader = QueryReader::new(&pairs);
    let query = (ReportOptions::read(&mut reader, &headers), query::read(&mut reader));
    let (options, query) = reader.end(query)?;
    let report = Report {
        operation: Operation::ReportUsers,
        title: "Users".into(),
        notice: None,
        chart: None,
        filters: filters(&query.filter, &actor),
        columns: columns(&actor),
        grouping: None,
    };
    let pages =
        UserPages { db: state.base.db.clone(), actor: actor.clone(), scan: UserScan::new(actor.clone(), query) };
    reports::respond(&state, actor, options, report, pages).await
}

struct UserPages {
    db: Db,
    actor: Actor,
    scan: UserScan,
}

impl Pages for UserPages {
    type Item = UserView;

    async fn next(&mut self, limit: u64) -> ApiResult<Vec<UserView>> {
        let people = self.scan.next(&self.db, limit).await?;
        // If the index was dropped meanwhile, the report would end early and look complete.
        if index::people_as_of(&self.db).await?.is_none() {
            return Err(ApiError::NotReady);
        }
        Ok(people.into_iter().map(|person| UserView::new(person, &self.actor)).collect())
    }

    async fn count(&self) -> ApiResult<u64> {
        Ok(self.scan.count(&self.db).await?)
    }
}

fn columns(actor: &Actor) -> Vec<Column<UserView>> {
    let sees_csp = policy::can(actor, Action::View, Target::Csps) == Decision::Allowed;
    let csp: Column<UserView> = Column::new("CSP Name", |user: &UserView| user.csp.clone());
    let mut columns: Vec<Column<UserView>> = vec![
        Column::new("First", |user: &UserView| user.firstname.clone()),
        Column::beside(" ", "Last", |user: &UserView| user.lastname.clone()),
        Column::new("Email", |user: &UserView| user.email.clone()),
        Column::new("Company", |user: &UserView| user.company.clone()),
        Column::below("Business Role", |user: &UserView| user.business_role.clone()),
        Column::new("Phone", |user: &UserView| user.phone.clone()),
    ];
    columns.extend(sees_csp.then_some(csp));
    columns.extend([
        Column::new("Role", |user: &UserView| user.role_name.unwrap_or("No role")),
        Column::new("Confirmed", |user: &UserView| yes_or_no(user.confirmed)),
        Column::new("Two-Step Sign-In", |user: &UserView| on_or_off(user.two_step)),
        Column::new("Last Sign-In", |user: &UserView| user.last_sign_in_at).of_times(),
        Column::new("Disabled", |user: &UserView| yes_or_no(user.disabled)),
    ]);
    columns
}

fn yes_or_no(yes: bool) -> &'static str {
    if yes { "Yes" } else { "No" }
}

fn on_or_off(on: bool) -> &'static str {
    if on { "On" } else { "Off" }
}

/// The filters that apply for this actor.
fn filters(filter: &UserFilter, actor: &Actor) -> Vec<FilterUsed> {
    let csp = filter.csp.as_ref().filter(|_| actor.scope() == Scope::Everything);
    let role = filter.role.as_ref().map(|name| FilterUsed {
        name: "role",
        value: name.clone(),
        label: "Role",
        display: Role::from_name(name).map_or_else(|| name.clone(), |role| role.display_name().to_owned()),
    });
    let confirmed = filter.confirmed.map(|confirmed| FilterUsed {
        name: "confirmed",
        value: confirmed.to_string(),
        label: "Confirmed",
        display: yes_or_no(confirmed).to_owned(),
    });
    let two_step = filter.two_step.map(|two_step| FilterUsed {
        name: "twostep",
        value: two_step.to_string(),
        label: "Two-Step Sign-In",
        display: on_or_off(two_step).to_owned(),
    });
    let disabled = filter.disabled.map(|disabled| FilterUsed {
        name: "disabled",
        value: disabled.to_string(),
        label: "Disabled",
        display: yes_or_no(disabled).to_owned(),
    });
    let used = [
        FilterUsed::text("firstname", "First", filter.firstname.as_ref()),
        FilterUsed::text("lastname", "Last", filter.lastname.as_ref()),
        FilterUsed::text("email", "Email", filter.email.as_ref()),
        FilterUsed::text("company", "Company", filter.company.as_ref()),
        FilterUsed::text("businessrole", "Business Role", filter.business_role.as_ref()),
        FilterUsed::text("phone", "Phone", filter.phone.as_ref()),
        FilterUsed::text("csp", "CSP Name", csp),
        role,
        confirmed,
        two_step,
        disabled,
    ];
    used.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use platform::db::params;
    use uuid::Uuid;

    use super::*;
    use crate::policy::session_hash::SessionHash;

    async fn report_fails_if_the_index_is_dropped_meanwhile(db: Db) {
        let (session, user) = (SessionHash::of(&[1; 32]), Uuid::nil());
        let actor = Actor { session, user, role: Some(Role::Admin), csp: None };
        let query = query::parse(&QueryPairs::read("")).unwrap();
        let mut pages = UserPages { db: db.clone(), actor: actor.clone(), scan: UserScan::new(actor, query) };
        db.execute("update idx_sync set users_as_of = 1", params![]).await.unwrap();
        assert!(pages.next(1).await.is_ok());
        index::drop_index(&db).await.unwrap();
        assert!(matches!(pages.next(1).await, Err(ApiError::NotReady)));
    }

    platform::store_suite!(
        migrate = crate::migrations::migrate,
        tests = [report_fails_if_the_index_is_dropped_meanwhile]
    );
}
