//! Files: bytes that pass in chunks, to and from addresses that carry their own right. No token, no header of the
//! application's, and no address in any error.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::{io, pin};

use futures::{Stream, StreamExt, stream};
use reqwest::{Method, Url};
use tokio::time::timeout;

use super::transport::Transfer;
use super::{Http, status_text};
use crate::config::ServiceLocation;
use crate::error::{Error, ErrorKind, Result};
use crate::messages;

/// Bytes, a chunk at a time.
pub(crate) type Chunks = Pin<Box<dyn Stream<Item = Result<Vec<u8>>> + Send>>;

/// What an application sends.
pub(crate) type Content = Pin<Box<dyn Stream<Item = io::Result<Vec<u8>>> + Send>>;

/// What has become of the content while it was sent.
#[derive(Default)]
struct Progress {
    chunks: AtomicU64,
    failure: Mutex<Option<io::Error>>,
}

impl Http {
    /// The address of a file's bytes. For a remote cloud it must be https. A Local cloud may return a plain http address, also
    /// of another host: by default it returns the address that it listens on.
    ///
    /// # Errors
    /// `InvalidArgument` 'Invalid file URL'.
    pub(crate) fn file_url(&self, address: &str) -> Result<Url> {
        let local = self.config.settings().service_location == ServiceLocation::Local;
        let secure = |url: &Url| url.scheme() == "https" || (local && url.scheme() == "http");
        let url = Url::parse(address.trim()).ok().filter(|url| secure(url) && url.has_host());
        // The address itself is a secret: what the parser says of it stays out.
        url.ok_or_else(|| Error::new(ErrorKind::InvalidArgument, messages::INVALID_FILE_URL))
    }

    /// Sends a file. It takes as long as it takes, but for a time in which nothing moves.
    pub(crate) async fn send_file(&self, url: Url, size: Option<u64>, content: Content) -> Result<()> {
        let progress = Arc::new(Progress::default());
        let body = Some(watched(content, Arc::clone(&progress)));
        let mut sending = pin::pin!(self.transport.transfer(Transfer { method: Method::PUT, url, size, body }));
        let mut seen = 0;
        let answer = loop {
            match timeout(self.timeout, &mut sending).await {
                Ok(answer) => break answer,
                Err(_) => {
                    let chunks = progress.chunks.load(Ordering::Relaxed);
                    if chunks == seen {
                        return Err(Error::new(ErrorKind::Timeout, messages::TIMED_OUT));
                    }
                    seen = chunks;
                }
            }
        };
        // What the application could not read is no fault of the network.
        if let Some(failure) = progress.failure.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(Error::new(ErrorKind::General, failure.to_string()).with_source(failure));
        }
        let (status, _) = answer?;
        accepted(status)
    }

    /// Opens a file, to be read as its bytes are asked for.
    pub(crate) async fn open_file(&self, url: Url) -> Result<Chunks> {
        let silence = || Error::new(ErrorKind::Timeout, messages::TIMED_OUT);
        let opening = self.transport.transfer(Transfer { method: Method::GET, url, size: None, body: None });
        let (status, chunks) = timeout(self.timeout, opening).await.map_err(|_| silence())??;
        accepted(status)?;
        let most = self.timeout;
        Ok(Box::pin(stream::unfold(Some(chunks), move |chunks| async move {
            let mut chunks = chunks?;
            match timeout(most, chunks.next()).await {
                Ok(Some(Ok(chunk))) => Some((Ok(chunk), Some(chunks))),
                Ok(Some(Err(error))) => Some((Err(error), None)),
                Ok(None) => None,
                Err(_) => Some((Err(silence()), None)),
            }
        })))
    }
}

/// The specification wants the status text (section 8), and what a store of files answers may repeat the address.
fn accepted(status: u16) -> Result<()> {
    if (200..300).contains(&status) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Server, status_text(status)).with_status(status))
}

fn watched(content: Content, progress: Arc<Progress>) -> Chunks {
    Box::pin(content.map(move |chunk| {
        progress.chunks.fetch_add(1, Ordering::Relaxed);
        chunk.map_err(|failure| {
            let told = Error::new(ErrorKind::General, failure.to_string());
            *progress.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
            told
        })
    }))
}
