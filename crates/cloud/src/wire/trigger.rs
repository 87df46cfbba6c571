use serde::Serialize;

use super::time;
use crate::store::trigger_apps::TriggerAppRow;
use crate::store::triggers::TriggerRow;

/// Triggers are evaluated for each value.
const ALWAYS: &str = "always";

#[derive(Serialize)]
pub(crate) struct TriggerWrapper {
    trigger: Trigger,
}

#[derive(Serialize)]
pub(crate) struct TriggerAppWrapper {
    trigger_app: TriggerApp,
}

/// A trigger with its apps, nested without wrappers (docs/wire.md#notifications).
#[derive(Serialize)]
struct Trigger {
    key: i64,
    property_key: i64,
    property_name: String,
    property_nickname: String,
    device_nickname: String,
    trigger_type: String,
    compare_type: Option<String>,
    value: Option<String>,
    base_type: String,
    period: &'static str,
    triggered_at: Option<String>,
    active: bool,
    asset: bool,
    user_id: i64,
    user_uuid: String,
    trigger_apps: Vec<TriggerApp>,
}

#[derive(Serialize)]
struct TriggerApp {
    key: i64,
    trigger_key: i64,
    name: String,
    nickname: Option<String>,
    username: Option<String>,
    repeat_freq: i64,
    param1: Option<String>,
    param2: Option<String>,
    param3: Option<String>,
    param4: Option<String>,
    param5: Option<String>,
    email_template_id: Option<String>,
}

impl TriggerWrapper {
    /// A trigger with its apps; the apps of other triggers are ignored.
    pub(crate) fn new(row: TriggerRow, apps: &[TriggerAppRow]) -> Self {
        let apps = apps.iter().filter(|app| app.trigger_id == row.id);
        let trigger = Trigger {
            key: row.id,
            property_key: row.property_id,
            property_name: row.property_name,
            property_nickname: row.property_display_name,
            device_nickname: row.product_name,
            trigger_type: row.trigger_type,
            compare_type: row.compare_type,
            value: row.value,
            base_type: row.base_type,
            period: ALWAYS,
            triggered_at: row.triggered_at.map(time),
            active: row.active,
            asset: false,
            user_id: row.user_id,
            user_uuid: row.user_uuid,
            trigger_apps: apps.cloned().map(TriggerApp::from).collect(),
        };
        Self { trigger }
    }
}

impl From<TriggerAppRow> for TriggerApp {
    fn from(TriggerAppRow { id, trigger_id, app, .. }: TriggerAppRow) -> Self {
        Self {
            key: id,
            trigger_key: trigger_id,
            name: app.name,
            nickname: app.nickname,
            username: app.username,
            repeat_freq: app.repeat_freq,
            param1: app.param1,
            param2: app.param2,
            param3: app.param3,
            param4: app.param4,
            param5: app.param5,
            email_template_id: app.email_template_id,
        }
    }
}

impl From<TriggerAppRow> for TriggerAppWrapper {
    fn from(row: TriggerAppRow) -> Self {
        Self { trigger_app: row.into() }
    }
}
