use serde_json::Value;

use crate::model::read::{self, FromWire};
use crate::model::{Command, DevicePage, MaybePage, UserPage};
use crate::stream::{self, StreamEvent};

/// A type that [`model`] builds: every type of [`devicecloud::model`](crate::model) that the library reads as an object,
/// and [`StreamEvent`].
pub trait Model: Sized {
    /// Reads the JSON; `None` if it is not of the model's shape, such as an object.
    #[doc(hidden)]
    fn from_wire_json(json: &Value) -> Option<Self>;
}

/// Builds a model from JSON as a cloud sends it, in `snake_case`. Missing members have the defaults of the model.
///
/// ```
/// use devicecloud::testing::{events, model};
/// use devicecloud::{Device, StreamEvent};
/// use serde_json::json;
///
/// let device: Device = model(json!({
///     "dsn": "AC000W000000001",
///     "connection_status": "Online",
///     "properties": [{"property": {"name": "intensity", "base_type": "integer", "value": 30}}],
/// }));
/// assert_eq!(device.properties[0].value, Some(30.into()));
///
/// let at = "2026-11-20T10:00:00Z".parse()?;
/// let event: StreamEvent = model(events::datapoint("AC000W000000001", "intensity", 30, true, at));
/// assert!(matches!(event, StreamEvent::Datapoint(event) if event.property == "intensity"));
/// # Ok::<(), devicecloud::Error>(())
/// ```
///
/// # Panics
/// If the JSON is not an object; for a page also if it is neither a list nor an object with the list; for an event if
/// it names no device.
#[must_use]
#[expect(clippy::needless_pass_by_value, reason = "callers write `json!` in place")]
pub fn model<T: Model>(json: Value) -> T {
    T::from_wire_json(&json).unwrap_or_else(|| panic!("{} cannot be built from {json}", std::any::type_name::<T>()))
}

impl<T: FromWire> Model for T {
    fn from_wire_json(json: &Value) -> Option<Self> {
        read::one(json)
    }
}

impl Model for Command {
    fn from_wire_json(json: &Value) -> Option<Self> {
        Self::read(json, None)
    }
}

impl Model for DevicePage {
    fn from_wire_json(json: &Value) -> Option<Self> {
        serde_json::from_value::<MaybePage>(json.clone()).ok().and_then(|MaybePage(page)| page)
    }
}

impl Model for UserPage {
    fn from_wire_json(json: &Value) -> Option<Self> {
        Self::read(json)
    }
}

impl Model for StreamEvent {
    fn from_wire_json(json: &Value) -> Option<Self> {
        stream::read_event(json)
    }
}
