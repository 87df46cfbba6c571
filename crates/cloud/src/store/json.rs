//! JSON in text columns.

use serde_json::{Map, Value};

/// A stored JSON scalar; null for a column that is null.
pub(crate) fn json(text: Option<&str>) -> Value {
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or(Value::Null)
}

/// Stored metadata, a JSON object; empty for a column that is null.
pub(crate) fn metadata(text: Option<&str>) -> Value {
    text.map_or_else(|| Map::new().into(), |text| json(Some(text)))
}
