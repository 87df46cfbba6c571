use serde::Serialize;

use super::Datapoint;
use super::read::{Fields, FromWire};
use super::secret::SecretText;
use crate::debug::debug_only;

/// A datapoint of a property whose values are files.
#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct BlobDatapoint {
    /// The datapoint; its value is the location.
    #[serde(flatten)]
    pub datapoint: Datapoint,
    /// The datapoint's address, which identifies it in the calls of [`Files`](crate::api::Files). Empty if the cloud
    /// sent none.
    pub location: String,
    /// A pre-signed URL to upload the bytes to or download them from: valid for a while, without a token. Blank if the
    /// cloud sent none.
    #[serde(skip)]
    pub file: SecretText,
    /// Whether the file is complete; false by default.
    pub closed: bool,
}

debug_only!(BlobDatapoint { datapoint, closed });

impl FromWire for BlobDatapoint {
    const WRAPPER: &'static str = "datapoint";

    fn from_wire(fields: &Fields<'_>) -> Self {
        Self {
            datapoint: Datapoint::read(fields, None),
            location: fields.text("location").or_else(|| fields.text("value")).unwrap_or_default(),
            file: fields.text_or_empty("file").into(),
            closed: fields.flag("closed"),
        }
    }
}
