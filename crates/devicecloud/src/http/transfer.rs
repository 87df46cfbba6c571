//! File transfer in chunks, to and from pre-signed URLs: without the token, without the application's headers, and
//! without the URL in errors.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::{io, pin};

use futures::{Stream, StreamExt, stream};
use http::Method;
use tokio::time::timeout;
use url::Url;

use super::transport::{Chunks, Transfer};
use super::{Http, status_text};
use crate::endpoints::ServiceLocation;
use crate::error::{Error, ErrorKind, Result};
use crate::messages;

/// File content from the application.
pub(crate) type Content = Pin<Box<dyn Stream<Item = io::Result<Vec<u8>>> + Send>>;

/// The progress of an upload.
#[derive(Default)]
struct Progress {
    chunks: AtomicU64,
    failure: Mutex<Option<io::Error>>,
}

impl Http {
    /// Parses the URL of a file. For a remote cloud it must be https. A Local cloud may return a plain http URL, even
    /// of another host: by default it returns the address that it listens on.
    ///
    /// # Errors
    /// `InvalidArgument` 'Invalid file URL'.
    pub(crate) fn file_url(&self, address: &str) -> Result<Url> {
        let local = self.config.settings().service_location == ServiceLocation::Local;
        let secure = |url: &Url| url.scheme() == "https" || (local && url.scheme() == "http");
        let url = Url::parse(address.trim()).ok().filter(|url| secure(url) && url.has_host());
        // The URL is a secret, and the parser's error may contain it.
        url.ok_or_else(|| Error::new(ErrorKind::InvalidArgument, messages::INVALID_FILE_URL))
    }

    /// Uploads a file. Times out only if no chunk is sent for the length of the timeout. Repeating it replaces the bytes or
    /// is refused.
    pub(crate) async fn send_file(&self, url: Url, size: Option<u64>, content: Content) -> Result<()> {
        self.put_file(url, size, content).await.map_err(|error| error.with_repeatable(true))
    }

    async fn put_file(&self, url: Url, size: Option<u64>, content: Content) -> Result<()> {
        let progress = Arc::new(Progress::default());
        let body = Some(track_progress(content, Arc::clone(&progress)));
        let mut sending = pin::pin!(self.transport.transfer(Transfer { method: Method::PUT, url, size, body }));
        let mut seen = 0;
        let response = loop {
            match timeout(self.timeout, &mut sending).await {
                Ok(response) => break response,
                Err(_) => {
                    let chunks = progress.chunks.load(Ordering::Relaxed);
                    if chunks == seen {
                        return Err(Error::new(ErrorKind::Timeout, messages::TIMED_OUT));
                    }
                    seen = chunks;
                }
            }
        };
        // A failure of the content stream is not a network error.
        if let Some(failure) = progress.failure.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(Error::new(ErrorKind::General, failure.to_string()).with_source(failure));
        }
        let (status, _) = response?;
        check_status(status)
    }

    /// Opens a file for lazy reading.
    pub(crate) async fn open_file(&self, url: Url) -> Result<Chunks> {
        let silence = || Error::new(ErrorKind::Timeout, messages::TIMED_OUT).not_sent();
        let opening = self.transport.transfer(Transfer { method: Method::GET, url, size: None, body: None });
        let opened = timeout(self.timeout, opening).await.map_err(|_| silence())?;
        let (status, chunks) = opened.map_err(Error::not_sent)?;
        check_status(status).map_err(Error::not_sent)?;
        let limit = self.timeout;
        Ok(Box::pin(stream::unfold(Some(chunks), move |chunks| async move {
            let mut chunks = chunks?;
            match timeout(limit, chunks.next()).await {
                Ok(Some(Ok(chunk))) => Some((Ok(chunk), Some(chunks))),
                Ok(Some(Err(error))) => Some((Err(error.not_sent()), None)),
                Ok(None) => None,
                Err(_) => Some((Err(silence()), None)),
            }
        })))
    }
}

/// The message is only the status text: the body of an error response may contain the URL.
fn check_status(status: u16) -> Result<()> {
    if (200..300).contains(&status) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Server, status_text(status)).with_status(status))
}

fn track_progress(content: Content, progress: Arc<Progress>) -> Chunks {
    Box::pin(content.map(move |chunk| {
        progress.chunks.fetch_add(1, Ordering::Relaxed);
        chunk.map_err(|failure| {
            let error = Error::new(ErrorKind::General, failure.to_string());
            *progress.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
            error
        })
    }))
}
