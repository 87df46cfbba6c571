use std::fmt;

use serde_json::{Map, Value};

use crate::error::messages;
use crate::error::{Result, required};
use crate::model::read::{Fields, FromWire};
use crate::model::{Dsn, Share, ShareOperation, ShareResourceType, Time};

/// A share to create. By default it grants read access, starts immediately and never ends. `Debug` output contains no
/// personal data.
#[derive(Clone)]
#[must_use]
pub struct NewShare {
    resource_id: String,
    resource_name: String,
    resource_type: Option<ShareResourceType>,
    user_email: String,
    access: Access,
    start: Option<Time>,
    end: Option<Time>,
}

/// An operation or a role, which exclude each other.
#[derive(Clone)]
enum Access {
    Operation(ShareOperation),
    Role(String),
}

impl NewShare {
    /// Shares a device with the user who has this e-mail address.
    pub fn for_device(dsn: impl Into<Dsn>, user_email: impl Into<String>) -> Self {
        let kind = ShareResourceType::Device;
        Self {
            resource_id: dsn.into().as_str().to_owned(),
            resource_name: kind.as_str().to_owned(),
            resource_type: Some(kind),
            user_email: user_email.into(),
            access: Access::Operation(ShareOperation::Read),
            start: None,
            end: None,
        }
    }

    /// The current values of an existing share.
    pub(super) fn of(share: &Share) -> Self {
        let access = match (&share.operation, &share.role_name) {
            (None, Some(role)) => Access::Role(role.clone()),
            (operation, _) => Access::Operation(operation.clone().unwrap_or(ShareOperation::Read)),
        };
        Self {
            resource_id: share.resource_id.clone(),
            resource_name: share.resource_name.clone(),
            resource_type: share.resource_type.clone(),
            user_email: share.user_email.clone(),
            access,
            start: share.start_date_at,
            end: share.end_date_at,
        }
    }

    /// What the recipient may do. Replaces a role.
    pub fn operation(self, operation: ShareOperation) -> Self {
        Self { access: Access::Operation(operation), ..self }
    }

    /// The role that determines what the recipient may do. Replaces an operation.
    pub fn role_name(self, role_name: impl Into<String>) -> Self {
        Self { access: Access::Role(role_name.into()), ..self }
    }

    /// When the share starts, in whole seconds; `None` means immediately.
    pub fn start_date_at(self, start: impl Into<Option<Time>>) -> Self {
        Self { start: start.into(), ..self }
    }

    /// When the share ends, in whole seconds; `None` means never.
    pub fn end_date_at(self, end: impl Into<Option<Time>>) -> Self {
        Self { end: end.into(), ..self }
    }

    /// The request body.
    pub(super) fn members(&self) -> Result<Map<String, Value>> {
        required(self.resource_id.trim().is_empty(), messages::DSN_REQUIRED)?;
        required(self.user_email.trim().is_empty(), messages::EMAIL_REQUIRED)?;
        let mut members = Map::new();
        let mut put = |name: &str, value: Value| members.insert(name.to_owned(), value);
        match &self.access {
            Access::Operation(operation) => put("operation", operation.as_str().into()),
            Access::Role(role) => {
                required(role.trim().is_empty(), messages::ROLE_NAME_EMPTY)?;
                put("role_name", role.as_str().into())
            }
        };
        put("user_email", self.user_email.as_str().into());
        put("resource_id", self.resource_id.as_str().into());
        put("resource_name", self.resource_name.as_str().into());
        put("resource_type", self.resource_type.as_ref().map(ShareResourceType::as_str).into());
        put("start_date_at", self.start.map(Time::in_whole_seconds).into());
        put("end_date_at", self.end.map(Time::in_whole_seconds).into());
        Ok(members)
    }

    /// The value as it was sent, in place of an unreadable response.
    pub(super) fn as_sent(&self) -> Share {
        self.members().map(|members| Share::from_wire(&Fields(&members))).unwrap_or_default()
    }
}

impl fmt::Debug for NewShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewShare").field("resource_id", &self.resource_id).finish_non_exhaustive()
    }
}
