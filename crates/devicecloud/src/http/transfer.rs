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

use super::connector::is_own;
use super::transport::{Chunks, Transfer};
use super::{Http, status_text};
use crate::config::endpoints::ServiceLocation;
use crate::error::messages;
use crate::error::{Error, ErrorKind, Result};

/// File content from the application.
pub(crate) type Content = Pin<Box<dyn Stream<Item = io::Result<Vec<u8>>> + Send>>;

/// Content is passed on in pieces of at most this many bytes, so that one large chunk makes progress, too.
const PIECE: usize = 16 * 1024;

/// The progress of an upload.
#[derive(Default)]
struct Progress {
    bytes: AtomicU64,
    failure: Mutex<Option<io::Error>>,
}

impl Http {
    /// Parses the URL of a file, which must be https. Only a Local cloud on this machine may return a plain http URL: by
    /// default it returns the address that it listens on.
    ///
    /// # Errors
    /// `InvalidArgument` 'Invalid file URL'.
    pub(crate) fn file_url(&self, address: &str) -> Result<Url> {
        let local = self.config.settings().service_location == ServiceLocation::Local;
        let secure = |url: &Url| {
            url.scheme() == "https" || (local && url.scheme() == "http" && url.host_str().is_some_and(is_own))
        };
        let url = Url::parse(address.trim()).ok().filter(|url| secure(url) && url.has_host());
        // The URL is a secret, and the parser's error may contain it.
        url.ok_or_else(|| Error::new(ErrorKind::InvalidArgument, messages::INVALID_FILE_URL))
    }

    /// Uploads a file. Times out only if no byte is sent for the length of the timeout. Repeating it replaces the bytes or
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
                    let bytes = progress.bytes.load(Ordering::Relaxed);
                    if bytes == seen {
                        return Err(Error::new(ErrorKind::Timeout, messages::TIMED_OUT));
                    }
                    seen = bytes;
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
    let pieces = content.flat_map(|chunk| match chunk {
        Ok(chunk) => stream::iter(pieces(chunk)).map(Ok).left_stream(),
        Err(failure) => stream::iter([Err(failure)]).right_stream(),
    });
    Box::pin(pieces.map(move |piece| {
        progress.bytes.fetch_add(piece.as_ref().map_or(0, Vec::len) as u64, Ordering::Relaxed);
        piece.map_err(|failure| {
            let error = Error::new(ErrorKind::General, failure.to_string());
            *progress.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
            error
        })
    }))
}

fn pieces(chunk: Vec<u8>) -> impl Iterator<Item = Vec<u8>> {
    (0..chunk.len()).step_by(PIECE).map(move |start| chunk[start..chunk.len().min(start + PIECE)].to_vec())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::testing::{Reply, ScriptedTransport};
    use super::super::transport::{HttpRequest, HttpResponse, Transport};
    use super::*;
    use crate::api::FileContent;
    use crate::clock::Clock;
    use crate::future::BoxFuture;

    /// A network that takes this time for each chunk.
    struct Slow(Duration);

    impl Transport for Slow {
        fn send(&self, _: HttpRequest) -> BoxFuture<'_, Result<HttpResponse>> {
            unreachable!("only files are sent")
        }

        fn transfer(&self, transfer: Transfer<Option<Chunks>>) -> BoxFuture<'_, Result<(u16, Chunks)>> {
            Box::pin(async move {
                let mut chunks = transfer.body.unwrap();
                let mut size = 0;
                while let Some(chunk) = chunks.next().await {
                    size += chunk?.len() as u64;
                    tokio::time::sleep(self.0).await;
                }
                assert_eq!(Some(size), transfer.size);
                Ok((200, Box::pin(stream::empty()) as Chunks))
            })
        }
    }

    fn http() -> Http {
        ScriptedTransport::new([Reply::Cut]).http(Clock::mock("2026-11-20T10:00:00Z".parse().unwrap()))
    }

    #[tokio::test(start_paused = true)]
    async fn upload_from_memory_takes_as_long_as_bytes_flow() {
        let content = || [FileContent::from(vec![7; 1_000_000]), FileContent::chunks(one_chunk()).size(1_000_000)];
        for (delay, is_sent) in [(10, true), (61, false)] {
            for content in content() {
                let http = Http { transport: Box::new(Slow(Duration::from_secs(delay))), ..http() };
                let url = Url::parse("https://files.test/7").unwrap();
                let started_at = tokio::time::Instant::now();
                let sent = http.send_file(url, content.size, content.chunks).await;
                if is_sent {
                    sent.unwrap();
                    assert!(started_at.elapsed().as_secs() > 600, "{:?}", started_at.elapsed());
                } else {
                    assert_eq!(sent.unwrap_err().kind(), ErrorKind::Timeout);
                    assert_eq!(started_at.elapsed().as_secs(), 60, "30 s after the first piece there is no second one");
                }
            }
        }
    }

    fn one_chunk() -> impl Stream<Item = io::Result<Vec<u8>>> + Send {
        stream::iter([Ok(vec![7; 1_000_000])])
    }

    #[test]
    fn plain_http_file_urls_are_only_accepted_of_this_machine() {
        let http = http();
        for url in
            ["http://127.0.0.1:8081/7", "http://[::1]/7", "http://localhost/7", "http://0.0.0.0:8081/7", "https://x/7"]
        {
            assert!(http.file_url(url).is_ok(), "{url}");
        }
        for url in [
            "http://files.test/7",
            "http://192.168.1.5/7",
            "http://localhost.test/7",
            "http://[fe80::1]/7",
            "ftp://localhost/7",
        ] {
            let error = http.file_url(url).unwrap_err();
            assert_eq!((error.kind(), error.message()), (ErrorKind::InvalidArgument, "Invalid file URL"), "{url}");
        }
    }
}
