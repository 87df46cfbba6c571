use axum::extract::State;
use axum::http::StatusCode;

use super::{Pair, TEXT, named, own, wanted};
use crate::app::App;
use crate::domain::policy::users::{may_give, may_manage_roles};
use crate::http::body::Body;
use crate::http::error::{Error, Result};
use crate::http::extract::Caller;
use crate::http::form::Form;
use crate::http::user_fields;
use crate::people::RoleChange;
use crate::store::roles::RoleRow;
use crate::store::user_list::UserRef;

/// PUT api/v1/users/assign_role. A partner's administrator assigns the role together with the own label: without the
/// label, the user would belong to no partner.
pub(in crate::http) async fn assign_role(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body,
) -> Result<StatusCode> {
    let subject = Subject::read(&app, &caller, Form::of(&body)).await?;
    subject.change(&app, &caller, RoleChange::Assign(own(&caller))).await
}

/// PUT api/v1/users/revoke_role.
pub(in crate::http) async fn revoke_role(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body,
) -> Result<StatusCode> {
    Subject::read(&app, &caller, Form::of(&body)).await?.change(&app, &caller, RoleChange::Revoke).await
}

/// PUT api/v1/users/assign_label.
pub(in crate::http) async fn assign_label(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body,
) -> Result<StatusCode> {
    let mut form = Form::of(&body);
    let label = Pair::required(&mut form);
    let subject = Subject::read(&app, &caller, form).await?;
    let value = label.of(&subject.role)?;
    if !may_give(&caller.0, &wanted(&subject.role, value)) {
        return Err(Error::FORBIDDEN);
    }
    subject.change(&app, &caller, RoleChange::Label(value)).await
}

/// PUT api/v1/users/revoke_label.
pub(in crate::http) async fn revoke_label(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body,
) -> Result<StatusCode> {
    let mut form = Form::of(&body);
    let key = form.required("label_key", TEXT);
    let subject = Subject::read(&app, &caller, form).await?;
    if subject.role.label_key.as_deref() != Some(key) {
        return Err(Error::ROLE_NOT_FOUND);
    }
    subject.change(&app, &caller, RoleChange::Unlabel).await
}

/// The user and the role that a caller changes.
struct Subject {
    user_id: i64,
    role: RoleRow,
}

impl Subject {
    /// # Errors
    /// 403 or 404 if the caller may not change the user or does not see them, 422 with all invalid fields.
    async fn read(app: &App, caller: &Caller, mut form: Form<'_>) -> Result<Self> {
        if !may_manage_roles(caller.0.kind) {
            return Err(Error::FORBIDDEN);
        }
        let (email, role) = (form.required("user_email", user_fields::EMAIL), form.required("role", TEXT));
        form.check()?;
        let person = app.people().find_managed(&caller.0, UserRef::Email(email)).await?;
        let role = named(app, caller, role).await?;
        if !may_give(&caller.0, &wanted(&role, own(caller).unwrap_or_default())) {
            return Err(Error::FORBIDDEN);
        }
        Ok(Self { user_id: person.row.id, role })
    }

    async fn change(self, app: &App, caller: &Caller, change: RoleChange<'_>) -> Result<StatusCode> {
        app.people().change_role(&caller.0, self.user_id, self.role.id, change).await?;
        Ok(StatusCode::NO_CONTENT)
    }
}
