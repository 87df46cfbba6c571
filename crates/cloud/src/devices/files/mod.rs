//! Files of file properties: a placeholder is created, its bytes are uploaded, and when it is closed it becomes
//! a datapoint whose value is its location.

mod bytes;
mod signed_url;

use jiff::Timestamp;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use platform::bus::Bus;
use platform::db::{Db, Result, Tx};
use platform::run::clock::{Clock, to_micros};
use platform::run::random::Random;
use serde_json::{Map, Value};

use crate::reactions::{Occurrence, OccurrenceKind, Reactions};
use crate::store;
use crate::store::chains::Chains;
use crate::store::datapoints::{DatapointRow, NewDatapoint};
use crate::store::files::FileRow;
use crate::store::properties::PropertyRow;
use crate::stream::event;
use crate::wire::file::FileDatapoint;

pub(crate) use bytes::UploadError;
pub(crate) use signed_url::{SignedUrl, UrlUse};

/// Characters that are escaped in a location: all but letters, digits and unreserved characters.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Stores files. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    pub(crate) db: Db,
    pub(crate) clock: Clock,
    pub(crate) random: Random,
    pub(crate) bus: Bus,
    pub(crate) reactions: Reactions,
    /// Base URL under which clients reach the cloud, without a trailing slash.
    pub(crate) public_url: String,
    /// Maximum size of a file in bytes.
    pub(crate) limit: u64,
}

impl Files {
    /// Creates a placeholder for an `input` property. It is visible only to clients that know its location.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn create(
        &self,
        user_uuid: &str,
        property: &PropertyRow,
        metadata: Option<&Map<String, Value>>,
    ) -> Result<FileDatapoint> {
        let now = self.clock.now();
        let file = FileRow {
            id: self.random.uuid_at(now).to_string(),
            property_id: property.id,
            user_uuid: user_uuid.to_owned(),
            metadata: metadata.map(|metadata| Value::Object(metadata.clone()).to_string()),
            secret: self.random.hex(32),
            size: None,
            created_at: to_micros(now),
            closed_at: None,
            fetched_at: None,
        };
        store::files::insert(&self.db, &file).await?;
        let row = DatapointRow::from(self.datapoint(&file, property, now, None));
        Ok(self.response(&row, &file, property, UrlUse::Upload))
    }

    /// Closes a file, once: its datapoint is appended and becomes the value of its property. `false` if it has no bytes
    /// yet.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn close(&self, file: &FileRow, property: &PropertyRow) -> Result<bool> {
        if file.size.is_none() {
            return Ok(false);
        }
        let close = async |mut tx: Tx| -> Result<_> {
            let mut chains = Chains::lock_rows(&mut tx, [property.id]).await?;
            if !store::files::close(&mut tx, &file.id, self.clock.now()).await? {
                return Ok(None);
            }
            let now = self.clock.now();
            let position = chains.position_of(property.id, file.id.clone(), now);
            let datapoint = self.datapoint(file, property, position.created_at, position.previous);
            store::properties::show_file(&mut tx, &datapoint).await?;
            store::datapoints::insert(&mut tx, std::slice::from_ref(&datapoint)).await?;
            let origin = store::audience::origins(&mut tx, &[property.device_id]).await?.remove(&property.device_id);
            let row = DatapointRow::from(datapoint);
            let interest = chains.interest(property.id);
            let kind = OccurrenceKind::Datapoint {
                property_id: property.id,
                property: property.description(),
                datapoint: &row,
                interest,
            };
            let complete = Occurrence { device_id: property.device_id, kind };
            self.reactions.react(&mut tx, &[complete], now).await?;
            tx.commit().await?;
            Ok(origin.map(|origin| event::datapoint(&origin, &property.description(), &row)))
        };
        if let Some(closed) = self.db.write(close).await? {
            event::publish(&self.bus, &[closed]);
        }
        Ok(true)
    }

    /// The datapoint of a closed file, with a download URL.
    pub(crate) fn closed(&self, row: &DatapointRow, file: &FileRow, property: &PropertyRow) -> FileDatapoint {
        self.response(row, file, property, UrlUse::Download)
    }

    fn datapoint(
        &self,
        file: &FileRow,
        property: &PropertyRow,
        created_at: Timestamp,
        previous: Option<String>,
    ) -> NewDatapoint {
        NewDatapoint {
            property_id: property.id,
            position: store::chains::ChainPosition { id: file.id.clone(), previous, created_at },
            value: Value::from(self.location(&file.id, property)).to_string(),
            echo: false,
            user_uuid: Some(file.user_uuid.clone()),
            metadata: file.metadata.clone(),
            created_at_from_device: None,
        }
    }

    fn response(&self, row: &DatapointRow, file: &FileRow, property: &PropertyRow, used: UrlUse) -> FileDatapoint {
        let address = SignedUrl::new(file, used, self.clock.now()).to_url(&self.public_url);
        FileDatapoint::new(row, file, self.location(&file.id, property), address)
    }

    /// The URL of a file's datapoint. Its path begins with `/apiv1/` because a widespread client cuts it there
    /// (docs/wire.md#files).
    fn location(&self, id: &str, property: &PropertyRow) -> String {
        // Property names contain nothing to escape, but a template may contain any text.
        let name = utf8_percent_encode(&property.name, ESCAPED);
        format!("{}/apiv1/devices/{}/properties/{name}/datapoints/{id}.json", self.public_url, property.device_id)
    }
}
