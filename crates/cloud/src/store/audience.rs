//! The origins of events: the identity of a device, and the users who may see it.

use std::collections::HashMap;

use platform::db::rows::{key_runs, placeholders};
use platform::db::{Params, Result, Tx};
use sqlx::AssertSqlSafe;

use super::authors;
use crate::domain::policy::Audience;
use crate::domain::principal::Label;
use crate::domain::share::{Period, ShareRecipient};

/// A device as the origin of an event.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) oem_code: String,
    pub(crate) oem_model: String,
    pub(crate) dsn: String,
    pub(crate) owner_uuid: Option<String>,
    /// Whether it is a node behind a gateway.
    pub(crate) is_node: bool,
    pub(crate) audience: Audience,
}

#[derive(sqlx_macros::FromRow)]
struct AudienceRow {
    device_id: i64,
    oem_id: i64,
    code: String,
    oem_model: String,
    dsn: String,
    registered: bool,
    gateway_id: Option<i64>,
    owner_id: Option<i64>,
    owner_uuid: Option<String>,
    role_id: Option<i64>,
    label_key: Option<String>,
    label_value: Option<String>,
}

/// The devices as of this transaction.
pub(crate) async fn origins(tx: &mut Tx, devices: &[i64]) -> Result<HashMap<i64, Origin>> {
    let mut origins: HashMap<i64, Origin> = HashMap::with_capacity(devices.len());
    for run in key_runs(devices) {
        let sql = format!(
            "select d.id as device_id, d.oem_id, o.code, d.oem_model, d.dsn, d.registered, d.gateway_id, d.owner_id,
                    u.uuid as owner_uuid, l.role_id, l.label_key, l.label_value
             from device d
             join oem o on o.id = d.oem_id
             left join users u on u.id = d.owner_id
             left join device_label l on l.device_id = d.id
             where d.id in ({})",
            placeholders(tx.dialect(), run.len())
        );
        let keys = run.iter().copied().fold(Params::default(), Params::with);
        for row in tx.fetch_all::<AudienceRow>(AssertSqlSafe(sql), keys).await? {
            let origin = origins.entry(row.device_id).or_insert_with(|| Origin {
                oem_code: row.code,
                oem_model: row.oem_model,
                dsn: row.dsn,
                owner_uuid: row.owner_uuid,
                is_node: row.gateway_id.is_some(),
                audience: Audience {
                    oem_id: row.oem_id,
                    registered: row.registered,
                    owner_id: row.owner_id,
                    labels: vec![],
                    shares: vec![],
                },
            });
            if let (Some(role_id), Some(key), Some(value)) = (row.role_id, row.label_key, row.label_value) {
                origin.audience.labels.push(Label { role_id, key, value });
            }
        }
        for (device_id, user_id, start, end) in recipients(tx, run).await? {
            if let Some(origin) = origins.get_mut(&device_id) {
                origin.audience.shares.push(ShareRecipient { user_id, period: Period { start, end } });
            }
        }
    }
    Ok(origins)
}

type RecipientRow = (i64, i64, Option<i64>, Option<i64>);

/// The shares of these devices whose authors have not lost them, whatever their period: readers compare the times.
async fn recipients(tx: &mut Tx, devices: Vec<i64>) -> Result<Vec<RecipientRow>> {
    let names = placeholders(tx.dialect(), devices.len());
    let sql = format!(
        "select device_id, user_id, start_at, end_at from share where device_id in ({names}) and {}",
        authors::share()
    );
    tx.fetch_all(AssertSqlSafe(sql), devices.into_iter().fold(Params::default(), Params::with)).await
}
