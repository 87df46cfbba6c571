use serde::Serialize;

use super::read::{Fields, FromWire};
use super::secret::SecretText;
use super::wire_enum::wire_enum;
use super::{SubscriptionId, Time};
use crate::debug::debug_only;

wire_enum! {
    /// A kind of event that a subscription delivers.
    SubscriptionType {
        /// New datapoints.
        Datapoint = "datapoint",
        /// Acknowledgements by devices.
        DatapointAck = "datapointack",
        /// Devices that go online or offline.
        Connectivity = "connectivity",
    }
}

/// A subscription to live data. Open its stream with [`Client::stream`](crate::Client::stream).
#[derive(Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Subscription {
    /// The id.
    pub id: SubscriptionId,
    /// The name.
    pub name: Option<String>,
    /// The description.
    pub description: Option<String>,
    /// Serial numbers, separated by commas; `None` means every device of the user.
    pub dsn: Option<String>,
    /// The name of the properties; `*` means all.
    pub property_name: Option<String>,
    /// The kinds of event that it delivers.
    pub subscription_types: Vec<SubscriptionType>,
    /// The key of the stream. Anyone who has it can read the stream.
    #[serde(skip)]
    pub stream_key: SecretText,
    /// When it was created.
    pub created_at: Option<Time>,
    /// When it was last changed.
    pub updated_at: Option<Time>,
}

debug_only!(Subscription { id, dsn, property_name, subscription_types });

impl FromWire for Subscription {
    const WRAPPER: &'static str = "subscription";

    fn from_wire(fields: &Fields<'_>) -> Self {
        let types = fields.text_or_empty("subscription_type");
        Self {
            id: fields.id("id"),
            name: fields.text("name"),
            description: fields.text("description"),
            dsn: fields.text("dsn").filter(|dsn| !dsn.trim().is_empty()),
            property_name: fields.text("property_name"),
            subscription_types: types.split(',').map(str::trim).filter(|t| !t.is_empty()).map(Into::into).collect(),
            stream_key: fields.text_or_empty("stream_key").into(),
            created_at: fields.time("created_at"),
            updated_at: fields.time("updated_at"),
        }
    }
}
