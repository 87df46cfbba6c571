use std::collections::BTreeMap;

use http::Method;
use serde_json::{Value, json};

use super::Files;
use crate::api::datapoints::CREATE;
use crate::api::property_ref::PropertyRef;
use crate::debug::debug_only;
use crate::error::Result;
use crate::http::Request;
use crate::model::{BlobDatapoint, PropertyKey, read};

/// Builder for creating a placeholder; returned by [`Files::create`].
#[derive(Clone)]
#[must_use]
pub struct CreateFile {
    files: Files,
    property: PropertyRef,
    metadata: BTreeMap<String, String>,
}

debug_only!(CreateFile { property });

impl CreateFile {
    pub(super) fn new(files: &Files, property: PropertyKey) -> Self {
        Self { files: files.clone(), property: PropertyRef::Key(property), metadata: BTreeMap::new() }
    }

    /// Adds a metadata entry to the file's datapoint; clouds allow 10.
    pub fn metadata(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.metadata.insert(name.into(), text.into());
        self
    }

    /// Creates the placeholder for [`Files::upload`]. It is not visible until its file is complete.
    ///
    /// # Errors
    /// `Precondition` 'Session is not active'; `InvalidArgument` 'Property key is required'; `Server` with status 422
    /// if the property's values are not files; `Json` if the response has no URL for the bytes; see
    /// [`Client`](crate::Client) for errors of all calls.
    pub async fn send(&self) -> Result<BlobDatapoint> {
        let response = self.files.call(self.request()).await?;
        let placeholder: BlobDatapoint = response.read(read::one)?;
        if placeholder.file.is_blank() || placeholder.location.trim().is_empty() {
            return Err(response.unexpected_shape());
        }
        Ok(placeholder)
    }

    fn request(&self) -> Result<Request> {
        let mut datapoint = Value::Object(serde_json::Map::new());
        if !self.metadata.is_empty() {
            datapoint["metadata"] = json!(self.metadata);
        }
        let request = self.property.request(Method::POST, &CREATE)?.retries(self.files.retries);
        Ok(request.body(json!({"datapoint": datapoint})))
    }
}
