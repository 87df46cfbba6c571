//! What the CSP calls give.

use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

/// A CSP to choose.
#[derive(Debug, PartialEq, Eq, FromRow, Serialize, ToSchema)]
pub(crate) struct CspName {
    pub(super) id: String,
    pub(super) name: String,
}
