use serde::Serialize;

use super::datapoint::Datapoint;
use super::time;
use crate::store::datapoints::DatapointRow;
use crate::store::files::FileRow;

/// A datapoint of a file property (docs/wire.md#files). Older clients read its location from `location`, newer ones
/// from `value`. `fetched_at` is our own member.
#[derive(Serialize)]
pub(crate) struct FileDatapoint {
    #[serde(flatten)]
    datapoint: Datapoint,
    location: String,
    /// The URL of its bytes.
    file: String,
    closed: bool,
    fetched_at: Option<String>,
}

impl FileDatapoint {
    pub(crate) fn new(row: &DatapointRow, file: &FileRow, location: String, address: String) -> Self {
        let mut datapoint = Datapoint::new(row, false);
        // A stored URL may have an earlier base URL of the cloud.
        datapoint.value = location.clone().into();
        Self {
            datapoint,
            location,
            file: address,
            closed: file.closed_at.is_some(),
            fetched_at: file.fetched_at.map(time),
        }
    }
}
