//! Renders `{filters, items}`, and the notice if there is one.

use std::collections::BTreeMap;

use serde::Serialize;

use super::FilterUsed;
use crate::http::error::{ApiError, ApiResult};

pub(super) fn begin(notice: Option<&str>, filters: &[FilterUsed]) -> ApiResult<Vec<u8>> {
    let filters: BTreeMap<&str, &str> = filters.iter().map(|filter| (filter.name, filter.value.as_str())).collect();
    let filters = serde_json::to_string(&filters).map_err(ApiError::internal)?;
    let notice = notice.map(serde_json::to_string).transpose().map_err(ApiError::internal)?;
    let notice = notice.map(|notice| format!(r#""notice":{notice},"#)).unwrap_or_default();
    Ok(format!(r#"{{{notice}"filters":{filters},"items":["#).into_bytes())
}

/// Writes a comma before each row except the very first.
pub(super) fn rows<Item: Serialize>(items: &[Item], are_first: bool) -> ApiResult<Vec<u8>> {
    let mut text = Vec::new();
    for (number, item) in items.iter().enumerate() {
        if number > 0 || !are_first {
            text.push(b',');
        }
        serde_json::to_writer(&mut text, item).map_err(ApiError::internal)?;
    }
    Ok(text)
}

pub(super) const END: &[u8] = b"]}";
