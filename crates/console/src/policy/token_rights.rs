//! The rights of access tokens: which operations a program may call for its user, who must have the permission, too.

use std::collections::BTreeSet;

use axum::http::Method;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;
use utoipa::ToSchema;

use crate::http::error::{ApiError, ApiResult};

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
    /// The right that an operation requires, by its method and the template of its path. `None` if it is not available to tokens:
    /// those of the account and of sessions, and any that is not known here.
    pub(crate) fn of_operation(method: &Method, path: &str) -> Option<Self> {
        if path.ends_with("/second-factor") {
            return None;
        }
        if path == "/api/attention/assignees" {
            return Some(Self::UsersRead);
        }
        let family = path.strip_prefix("/api/")?.split('/').next()?;
        Some(match (family, method.is_safe()) {
            ("devices" | "attention" | "events" | "fleet" | "places" | "time-zones", true) => Self::DevicesRead,
            ("devices" | "attention", false) => Self::DevicesWrite,
            ("users", true) => Self::UsersRead,
            ("users", false) => Self::UsersWrite,
            ("csps", true) => Self::CspsRead,
            ("csps", false) => Self::CspsWrite,
            ("fragrances" | "import", true) => Self::FragrancesRead,
            ("import", false) => Self::FragrancesWrite,
            ("jobs", true) => Self::JobsRead,
            ("jobs", false) => Self::JobsWrite,
            ("audit", true) => Self::AuditRead,
            _ => return None,
        })
    }

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

/// Checks that a token with these rights may call the operation.
///
/// # Errors
/// 403 if no token may, or if this one lacks the right.
pub(crate) fn require_right(rights: &BTreeSet<TokenRight>, method: &Method, path: &str) -> ApiResult<()> {
    let required = TokenRight::of_operation(method, path).ok_or(ApiError::NotForTokens)?;
    if rights.iter().any(|right| right.contains(required)) {
        Ok(())
    } else {
        Err(ApiError::RightMissing(required.name()))
    }
}
