//! Uploads and downloads the bytes of a file in chunks.

use std::time::Duration;

use axum::body::BodyDataStream;
use bytes::Bytes;
use futures::{Stream, StreamExt, stream};
use platform::db::Result;
use tokio::time::timeout;

use super::signed_url::{has_expired, verify};
use super::{Files, UrlUse};
use crate::store;
use crate::store::files::FileRow;

/// Size of a chunk in bytes, and roughly the memory that a transfer uses.
const CHUNK: usize = 256 * 1024;
/// A sender that sends nothing for this long is considered gone.
const STALL_TIMEOUT: Duration = Duration::from_secs(30);

/// Why an upload failed. Bytes written by then are never visible.
#[derive(Debug)]
pub(crate) enum UploadError {
    /// The file is already uploaded, or a newer upload has replaced this one.
    Replaced,
    TooLarge,
    /// The body ended early.
    Broken,
    Stalled,
    Database(platform::db::Error),
}

impl From<platform::db::Error> for UploadError {
    fn from(error: platform::db::Error) -> Self {
        Self::Database(error)
    }
}

impl Files {
    /// The file of a signed URL; `None` if the URL is not valid.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn addressed(
        &self,
        id: &str,
        used: UrlUse,
        expires: i64,
        signature: &str,
    ) -> Result<Option<FileRow>> {
        let now = self.clock.now();
        if has_expired(expires, now) {
            return Ok(None);
        }
        let file = store::files::find(&self.db, id).await?;
        Ok(file.filter(|file| verify(file, used, expires, signature, now)))
    }

    /// Stores the bytes of a file chunk by chunk and makes them visible when all have arrived. `length` is the
    /// announced size.
    ///
    /// # Errors
    /// [`UploadError`].
    pub(crate) async fn upload(
        &self,
        file: &FileRow,
        length: Option<u64>,
        mut body: BodyDataStream,
    ) -> std::result::Result<(), UploadError> {
        if length.is_some_and(|length| length > self.limit) {
            return Err(UploadError::TooLarge);
        }
        let upload = self.random.hex(16);
        if !store::files::begin_upload(&self.db, &file.id, &upload).await? {
            return Err(UploadError::Replaced);
        }
        let (mut chunk, mut number, mut size) = (Vec::new(), 0, 0_u64);
        while let Some(bytes) = timeout(STALL_TIMEOUT, body.next()).await.map_err(|_| UploadError::Stalled)? {
            let bytes = bytes.map_err(|_| UploadError::Broken)?;
            size += bytes.len() as u64;
            if size > self.limit {
                return Err(UploadError::TooLarge);
            }
            chunk.extend_from_slice(&bytes);
            if chunk.len() >= CHUNK {
                self.append(&file.id, &upload, number, std::mem::take(&mut chunk)).await?;
                number += 1;
            }
        }
        if !chunk.is_empty() {
            self.append(&file.id, &upload, number, chunk).await?;
        }
        let size = i64::try_from(size).map_err(|_| UploadError::TooLarge)?;
        let ended = store::files::end_upload(&self.db, &file.id, &upload, size).await?;
        if ended { Ok(()) } else { Err(UploadError::Replaced) }
    }

    async fn append(
        &self,
        id: &str,
        upload: &str,
        number: i64,
        chunk: Vec<u8>,
    ) -> std::result::Result<(), UploadError> {
        let ours = store::files::append(&self.db, id, upload, number, chunk).await?;
        if ours { Ok(()) } else { Err(UploadError::Replaced) }
    }

    /// The bytes of a file, read while they are sent. If the file is deleted meanwhile, the stream and the connection
    /// end with an error.
    pub(crate) fn download(&self, file: &FileRow) -> impl Stream<Item = Result<Bytes>> + Send + 'static {
        let (db, id) = (self.db.clone(), file.id.clone());
        let size = file.size.and_then(|size| u64::try_from(size).ok()).unwrap_or_default();
        stream::try_unfold((0, 0), move |(number, sent): (i64, u64)| {
            let (db, id) = (db.clone(), id.clone());
            async move {
                if sent >= size {
                    return Ok(None);
                }
                let gone = || platform::db::Error::from(sqlx::Error::RowNotFound);
                let bytes = store::files::chunk(&db, &id, number).await?.ok_or_else(gone)?;
                let sent = sent + bytes.len() as u64;
                Ok(Some((Bytes::from(bytes), (number + 1, sent))))
            }
        })
    }
}
