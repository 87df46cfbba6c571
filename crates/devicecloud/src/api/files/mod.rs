//! Calls on files of file properties: placeholder, upload, download.

mod content;
mod create;
mod location;

use std::sync::Arc;

use futures::{StreamExt, stream};
use http::Method;
use serde_json::json;

use crate::api::call_group;
use crate::config::endpoints::Service;
use crate::error::messages;
use crate::error::{Outcome, Result};
use crate::http::{Request, Response};
use crate::model::{BlobDatapoint, PropertyKey, read};
use crate::session::CloudSession;

pub use content::{FileChunks, FileContent};
pub use create::CreateFile;

/// Calls for properties of type `file`; returned by [`Client::files`](crate::Client::files).
///
/// The bytes of a file are transferred to and from a pre-signed URL, without a token. The *location* of a file is the
/// address of its datapoint.
///
/// ```no_run
/// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
/// use futures::TryStreamExt;
///
/// let property = client.properties().get("AC000W000000001", "log").await?;
/// let placeholder = client.files().create(property.key).send().await?;
/// let file = client.files().upload(&placeholder, "a few words").await?;
///
/// let mut chunks = client.files().download(&file.location).await?;
/// while let Some(chunk) = chunks.try_next().await? {
///     println!("{} bytes", chunk.len());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Files {
    session: Arc<CloudSession>,
    retries: bool,
}

call_group!(Files);

impl Files {
    /// Creates a placeholder for a file. `POST apiv1/properties/{key}/datapoints.json`
    pub fn create(&self, property: impl Into<PropertyKey>) -> CreateFile {
        CreateFile::new(self, property.into())
    }

    /// Uploads the bytes of a placeholder's file and [completes](Self::complete) it. `PUT` to the file URL, without a
    /// token. Never retried, because the content can be read only once. Times out after 30 s without progress. If the
    /// future is dropped, the incomplete file stays invisible.
    ///
    /// # Errors
    /// `Precondition` 'Session is not active'; `InvalidArgument` 'Invalid file URL' or 'Location path is empty';
    /// `General` with the error of the content stream; `Server` with the status text: 406 if the file was uploaded
    /// already, 413 if it is too large; see [`Client`](crate::Client) for errors of all calls. If the bytes were sent, but
    /// the file could not be completed, the outcome is `Unknown`.
    pub async fn upload(&self, placeholder: &BlobDatapoint, content: impl Into<FileContent>) -> Result<BlobDatapoint> {
        self.session.require(messages::SESSION_NOT_ACTIVE).await?;
        let url = self.session.http().file_url(placeholder.file.expose())?;
        let complete = self.request(Method::PUT, &placeholder.location)?;
        let FileContent { chunks, size } = content.into();
        self.session.http().send_file(url, size, chunks).await?;
        let response = self.call(Ok(complete)).await.map_err(|error| error.after(Outcome::Done))?;
        let completed = response.read_if_possible(read::one);
        Ok(completed.unwrap_or_else(|| BlobDatapoint { closed: true, ..placeholder.clone() }))
    }

    /// Marks an uploaded file as complete. Only needed if [`upload`](Self::upload) failed after sending the bytes.
    /// `PUT` to the location.
    ///
    /// # Errors
    /// `Precondition` 'Session is not active'; `InvalidArgument` 'Location path is empty'; `Server` with status 406 if
    /// the file has not been uploaded; see [`Client`](crate::Client) for errors of all calls.
    pub async fn complete(&self, location: &str) -> Result<()> {
        self.call(self.request(Method::PUT, location)).await.map(drop)
    }

    /// The datapoint of a file, with a URL to download from. `GET` of the location.
    ///
    /// # Errors
    /// `Precondition` 'Session is not active'; `InvalidArgument` 'Location path is empty'; `Server` with status 406 if
    /// the file is not complete; see [`Client`](crate::Client) for errors of all calls.
    pub async fn get(&self, location: &str) -> Result<BlobDatapoint> {
        self.call(self.request(Method::GET, location)).await?.read(read::one)
    }

    /// The bytes of a file. `GET` of the file URL, without a token.
    ///
    /// # Errors
    /// `InvalidArgument` 'Invalid file URL'; `Server` with the status text, 404 if the URL has expired; `Network` or
    /// `Timeout`, here and within the stream, the latter after 30 s without data.
    pub async fn open(&self, file: &BlobDatapoint) -> Result<FileChunks> {
        let url = self.session.http().file_url(file.file.expose())?;
        self.session.http().open_file(url).await.map(FileChunks)
    }

    /// Downloads the file at a location: [`get`](Self::get), [`open`](Self::open), and at the end of the stream
    /// [`mark_fetched`](Self::mark_fetched), whose error becomes the last item. With read-only access, use `get` and
    /// `open`.
    ///
    /// # Errors
    /// Those of `get` and `open`.
    pub async fn download(&self, location: &str) -> Result<FileChunks> {
        let chunks = self.open(&self.get(location).await?).await?;
        let state = Some((chunks, self.clone(), location.to_owned()));
        Ok(FileChunks(Box::pin(stream::unfold(state, |state| async move {
            let (mut chunks, files, location) = state?;
            match chunks.next().await {
                Some(Ok(chunk)) => Some((Ok(chunk), Some((chunks, files, location)))),
                Some(Err(error)) => Some((Err(error), None)),
                None => files.mark_fetched(&location).await.err().map(|error| (Err(error), None)),
            }
        }))))
    }

    /// Marks a file as fetched. `PUT` to the location.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub async fn mark_fetched(&self, location: &str) -> Result<()> {
        let request = self.request(Method::PUT, location);
        self.call(request.map(|request| request.body(json!({"datapoint": {"fetched": "true"}})))).await.map(drop)
    }

    async fn call(&self, request: Result<Request>) -> Result<Response> {
        self.session.call(messages::SESSION_NOT_ACTIVE, request).await
    }

    fn request(&self, method: Method, location: &str) -> Result<Request> {
        let path = location::path(location)?;
        Ok(Request::to_path(method, Service::Device, "a file's location", path).retries(self.retries))
    }
}
