use serde::Serialize;

use super::time;
use crate::store::connections::{OFFLINE, ONLINE};
use crate::store::subscriptions::SubscriptionRow;

#[derive(Serialize)]
pub(crate) struct SubscriptionWrapper {
    subscription: Subscription,
}

/// A subscription (docs/wire.md#stream).
#[derive(Serialize)]
struct Subscription {
    id: i64,
    oem: String,
    dsn: Option<String>,
    name: String,
    description: String,
    property_name: String,
    connection_status: &'static str,
    batch_size: u8,
    is_suspended: bool,
    date_suspended: Option<String>,
    created_at: String,
    updated_at: String,
    user_uuid: String,
    oem_model: Option<String>,
    stream_key: String,
    client_type: String,
    subscription_type: String,
}

impl SubscriptionWrapper {
    /// `connected`: whether a socket of this subscription is open.
    pub(crate) fn new(row: SubscriptionRow, connected: bool) -> Self {
        Self {
            subscription: Subscription {
                id: row.id,
                oem: row.oem_code,
                dsn: row.dsn,
                name: row.name,
                description: row.description,
                property_name: row.property_name,
                connection_status: if connected { ONLINE } else { OFFLINE },
                batch_size: 1,
                is_suspended: false,
                date_suspended: None,
                created_at: time(row.created_at),
                updated_at: time(row.updated_at),
                user_uuid: row.user_uuid,
                oem_model: row.oem_model,
                stream_key: row.stream_key,
                client_type: row.client_type,
                subscription_type: row.subscription_type,
            },
        }
    }
}
