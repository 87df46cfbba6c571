use serde::Serialize;

use super::time;
use crate::domain::share::Operation;
use crate::store::shares::ShareRow;

/// Shares begin without the recipient's consent.
const ACCEPTED: &str = "accepted";
const DEVICE: &str = "device";

#[derive(Serialize)]
pub(crate) struct ShareWrapper {
    share: Share,
}

/// A share (docs/wire.md#sharing): either `operation` or `role`, so that a client can send it back.
#[derive(Serialize)]
struct Share {
    id: i64,
    status: &'static str,
    accepted: bool,
    accepted_at: String,
    created_at: String,
    updated_at: String,
    grant_id: i64,
    operation: Option<&'static str>,
    role: Option<Role>,
    resource_name: &'static str,
    resource_type: &'static str,
    resource_id: String,
    start_date_at: Option<String>,
    end_date_at: Option<String>,
    owner_id: i64,
    user_id: i64,
    user_email: String,
    owner_profile: Profile,
    user_profile: Profile,
}

#[derive(Serialize)]
struct Role {
    name: String,
}

#[derive(Serialize)]
struct Profile {
    firstname: Option<String>,
    lastname: Option<String>,
    email: String,
}

impl From<ShareRow> for ShareWrapper {
    fn from(row: ShareRow) -> Self {
        let share = Share {
            id: row.id,
            status: ACCEPTED,
            accepted: true,
            accepted_at: time(row.created_at),
            created_at: time(row.created_at),
            updated_at: time(row.updated_at),
            // A share has either an operation or a role.
            grant_id: row.id,
            operation: row.operation().map(Operation::as_str),
            role: row.role_name.map(|name| Role { name }),
            resource_name: DEVICE,
            resource_type: DEVICE,
            resource_id: row.dsn,
            start_date_at: row.start_at.map(time),
            end_date_at: row.end_at.map(time),
            owner_id: row.owner_id,
            user_id: row.user_id,
            user_email: row.user_email.clone(),
            owner_profile: Profile {
                firstname: row.owner_firstname,
                lastname: row.owner_lastname,
                email: row.owner_email,
            },
            user_profile: Profile { firstname: row.user_firstname, lastname: row.user_lastname, email: row.user_email },
        };
        Self { share }
    }
}
