//! The partners of devices: the label of the role of their administrators.

use std::collections::HashMap;

use platform::db::rows::{key_runs, placeholders};
use platform::db::{Params, Result, Tx, params};
use sqlx::AssertSqlSafe;

use crate::domain::role::RoleKind;

/// A partner: the label value of a role of its administrators.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Partner {
    pub(crate) role_id: i64,
    pub(crate) value: String,
}

/// The partners of these devices; devices without a partner are missing. Of several, the first counts.
pub(crate) async fn of_devices(tx: &mut Tx, devices: &[i64]) -> Result<HashMap<i64, Partner>> {
    let mut partners: HashMap<i64, Partner> = HashMap::new();
    for run in key_runs(devices) {
        let sql = format!(
            "select l.device_id, l.role_id, l.label_value
             from device_label l join role r on r.id = l.role_id and r.label_key = l.label_key
             where l.device_id in ({}) and r.kind = '{}' order by l.device_id, l.role_id",
            placeholders(tx.dialect(), run.len()),
            RoleKind::PartnerAdmin.as_str()
        );
        let keys = run.into_iter().fold(Params::default(), Params::with);
        for (device_id, role_id, value) in tx.fetch_all::<(i64, i64, String)>(AssertSqlSafe(sql), keys).await? {
            partners.entry(device_id).or_insert(Partner { role_id, value });
        }
    }
    Ok(partners)
}

/// Maximum number of administrators of a partner who get a message.
const ADMINISTRATORS: i64 = 100;

/// The e-mail addresses of the administrators of the partner, oldest accounts first.
pub(crate) async fn administrators(tx: &mut Tx, partner: &Partner) -> Result<Vec<String>> {
    let sql = "select u.email from user_role g join users u on u.id = g.user_id
               where g.role_id = $1 and g.label_value = $2 and u.application_id is null and u.confirmed_at is not null
               order by u.id limit $3";
    let rows: Vec<(String,)> = tx.fetch_all(sql, params![partner.role_id, &partner.value, ADMINISTRATORS]).await?;
    Ok(rows.into_iter().map(|(email,)| email).collect())
}
