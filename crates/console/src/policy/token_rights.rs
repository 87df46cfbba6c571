//! The rights of access tokens: which operations a program may call for its user, who must have the permission, too.

use std::collections::{BTreeSet, HashMap};

use axum::http::Method;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;
use utoipa::ToSchema;
use utoipa::openapi::OpenApi;
use utoipa::openapi::path::Operation;

use crate::http::error::{ApiError, ApiResult};

/// The security scheme of the API document whose scopes are rights of tokens.
pub(crate) const TOKEN_SCHEME: &str = "token";

/// A right of an access token. The right to write contains the right to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, IntoStaticStr, ToSchema)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(crate) enum TokenRight {
    /// Read devices, their history, reports, events, items of attention and the fleet over time; look up places and time zones.
    DevicesRead,
    /// Add and change devices, start jobs over many of them, and work on items of attention.
    DevicesWrite,
    /// Read people and their report.
    UsersRead,
    /// Invite, change and remove people.
    UsersWrite,
    /// Read CSPs and their report.
    CspsRead,
    /// Add, rename and remove CSPs.
    CspsWrite,
    /// Read the fragrance catalogue.
    FragrancesRead,
    /// Import a fragrance catalogue.
    FragrancesWrite,
    /// Read jobs and their results.
    JobsRead,
    /// Cancel, retry and undo jobs.
    JobsWrite,
    /// Read the audit.
    AuditRead,
}

impl TokenRight {
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }

    fn contains(self, other: Self) -> bool {
        self == other
            || matches!(
                (self, other),
                (Self::DevicesWrite, Self::DevicesRead)
                    | (Self::UsersWrite, Self::UsersRead)
                    | (Self::CspsWrite, Self::CspsRead)
                    | (Self::FragrancesWrite, Self::FragrancesRead)
                    | (Self::JobsWrite, Self::JobsRead)
            )
    }
}

/// The operations of signed-in users, each with the right that its route declares.
#[derive(Debug)]
pub(crate) struct Operations(HashMap<(Method, String), Option<TokenRight>>);

impl Operations {
    /// # Panics
    /// If a route declares a right that does not exist: its operation would be out of reach of every token.
    pub(crate) fn new(document: &OpenApi) -> Self {
        let mut operations = HashMap::new();
        for (path, item) in &document.paths.paths {
            let methods = [
                (Method::GET, &item.get),
                (Method::HEAD, &item.get),
                (Method::POST, &item.post),
                (Method::PUT, &item.put),
                (Method::DELETE, &item.delete),
            ];
            for (method, operation) in methods {
                if let Some(operation) = operation {
                    operations.insert((method, path.clone()), declared_right(operation));
                }
            }
        }
        Self(operations)
    }

    /// The right that a token needs for an operation, by its method and the template of its path. `None` within if the operation is not
    /// available to tokens, as those of the account and of sessions.
    pub(crate) fn find(&self, method: &Method, path: &str) -> Option<Option<TokenRight>> {
        self.0.get(&(method.clone(), path.to_owned())).copied()
    }
}

fn declared_right(operation: &Operation) -> Option<TokenRight> {
    let schemes = serde_json::to_value(&operation.security).unwrap_or_default();
    let schemes: Vec<HashMap<String, Vec<TokenRight>>> = serde_json::from_value(schemes).expect("rights that exist");
    schemes.into_iter().find_map(|scheme| scheme.get(TOKEN_SCHEME)?.first().copied())
}

/// Checks that a token with these rights may call an operation that requires this one.
///
/// # Errors
/// 403 if no token may, or if this one lacks the right.
pub(crate) fn require_right(rights: &BTreeSet<TokenRight>, required: Option<TokenRight>) -> ApiResult<()> {
    let required = required.ok_or(ApiError::NotForTokens)?;
    if rights.iter().any(|right| right.contains(required)) {
        Ok(())
    } else {
        Err(ApiError::RightMissing(required.name()))
    }
}
