//! The `attention_settings` table.

use std::collections::HashMap;

use platform::db::{Db, Result, Tx, params};

use crate::attention_rules::AttentionSettings;

/// The settings of all CSPs that have changed them.
pub(super) async fn all(db: &Db) -> Result<HashMap<String, AttentionSettings>> {
    let rows: Vec<(String, String)> = db.fetch_all("select csp, settings from attention_settings", params![]).await?;
    Ok(rows.into_iter().map(|(csp, json)| (csp, parse(&json))).collect())
}

/// The settings of one CSP.
pub(super) async fn of_csp(db: &Db, csp: &str) -> Result<AttentionSettings> {
    let sql = "select settings from attention_settings where csp = $1";
    let row: Option<(String,)> = db.fetch_optional(sql, params![csp]).await?;
    Ok(row.map(|(json,)| parse(&json)).unwrap_or_default())
}

pub(super) async fn put(tx: &mut Tx, csp: &str, settings: &AttentionSettings) -> Result<()> {
    // Serialization of our own values cannot fail.
    let json = serde_json::to_string(settings).unwrap_or_else(|_| "{}".to_owned());
    let sql = "insert into attention_settings (csp, settings) values ($1, $2) \
               on conflict (csp) do update set settings = excluded.settings";
    tx.execute(sql, params![csp, json]).await?;
    Ok(())
}

/// What this version does not know has its default.
fn parse(json: &str) -> AttentionSettings {
    serde_json::from_str(json).unwrap_or_default()
}
