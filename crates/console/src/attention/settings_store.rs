//! The `attention_settings` table.

use std::collections::HashMap;

use platform::db::{Db, Result, params};

use crate::attention_rules::AttentionSettings;

/// The settings of all CSPs that have changed them.
pub(super) async fn all(db: &Db) -> Result<HashMap<String, AttentionSettings>> {
    let rows: Vec<(String, String)> = db.fetch_all("SELECT csp, settings FROM attention_settings", params![]).await?;
    Ok(rows.into_iter().map(|(csp, json)| (csp, parse(&json))).collect())
}

/// What this version does not know has its default.
fn parse(json: &str) -> AttentionSettings {
    serde_json::from_str(json).unwrap_or_default()
}
