use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::{Stream, TryStreamExt, stream};

use crate::error::Result;
use crate::http::{Chunks, Content};

/// The bytes of a file to upload: in memory, or as a stream of chunks.
///
/// ```
/// use devicecloud::api::FileContent;
///
/// let small = FileContent::from("a few words");
/// let chunks = futures::stream::iter([Ok(vec![0; 65_536]), Ok(vec![1; 65_536])]);
/// let large = FileContent::chunks(chunks).size(131_072);
/// ```
#[must_use]
pub struct FileContent {
    pub(crate) chunks: Content,
    pub(crate) size: Option<u64>,
}

impl FileContent {
    /// Content from a stream, read while it is sent, so that only a few chunks are in memory. The first error ends the
    /// upload.
    pub fn chunks<C: Into<Vec<u8>> + 'static>(chunks: impl Stream<Item = io::Result<C>> + Send + 'static) -> Self {
        Self { chunks: Box::pin(chunks.map_ok(Into::into)), size: None }
    }

    /// The total size in bytes. Some clouds require it; an upload of a different size fails.
    pub fn size(self, size: u64) -> Self {
        Self { size: Some(size), ..self }
    }
}

impl From<Vec<u8>> for FileContent {
    fn from(bytes: Vec<u8>) -> Self {
        let size = bytes.len() as u64;
        Self::chunks(stream::iter([Ok(bytes)])).size(size)
    }
}

impl From<&[u8]> for FileContent {
    fn from(bytes: &[u8]) -> Self {
        bytes.to_vec().into()
    }
}

impl From<&str> for FileContent {
    fn from(text: &str) -> Self {
        text.as_bytes().into()
    }
}

impl std::fmt::Debug for FileContent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileContent").field("size", &self.size).finish_non_exhaustive()
    }
}

/// The bytes of a file: a lazy stream of chunks of any size, which ends after the first error.
#[must_use = "nothing is read until it is polled"]
pub struct FileChunks(pub(super) Chunks);

impl Stream for FileChunks {
    type Item = Result<Vec<u8>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(context)
    }
}

impl std::fmt::Debug for FileChunks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FileChunks")
    }
}
