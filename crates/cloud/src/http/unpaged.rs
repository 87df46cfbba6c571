//! Lists without pages: JSON arrays of any length, sent in bounded memory.

use std::pin::Pin;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::{Stream, TryStreamExt, stream};
use serde::Serialize;
use tokio::sync::mpsc::{self, Sender};
use tokio::time::timeout;

use super::error::{Error, Result};
use crate::limits::list_readers::ListReaders;

/// Maximum size of a piece of the body, in bytes.
const PIECE: usize = 64 * 1024;
/// A caller who accepts no piece for this long is disconnected.
const STALL_TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum duration of a response. Access is checked at its beginning only.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30 * 60);

/// A part of a body. A body that ends without `End` is incomplete.
enum Piece {
    Data(Bytes),
    End,
}

/// The response ended before the list. The caller must not take it for the whole list.
#[derive(Debug, thiserror::Error)]
#[error("the list could not be sent to its end")]
struct Incomplete;

/// The pages of a list as parts of a JSON array.
struct ArrayPages<S> {
    readers: ListReaders,
    pages: Pin<Box<S>>,
    /// Whether an item precedes the next page.
    has_items: bool,
}

/// Responds with the items of all pages as one JSON array, which this user reads. The first two pages are read before
/// the response begins, so that the usual errors are possible and a short list is sent as a whole; later pages are read
/// at most one page ahead of the caller.
///
/// # Errors
/// Those of the first two pages; 429 if the caller is reading too many long lists.
pub(super) async fn respond<T: Serialize>(
    readers: &ListReaders,
    user_id: i64,
    pages: impl Stream<Item = Result<Vec<T>>> + Send + 'static,
) -> Result<Response> {
    let mut pages = ArrayPages { readers: readers.clone(), pages: Box::pin(pages), has_items: false };
    let mut begin = b"[".to_vec();
    begin.extend(pages.next().await?.unwrap_or_default());
    let Some(second) = pages.next().await? else {
        begin.push(b']');
        return Ok(json(begin.into()));
    };
    begin.extend(second);
    let open = readers.open(user_id)?;
    let (sender, receiver) = mpsc::channel(1);
    // Ends with the body at the latest, for which a stopping server waits.
    tokio::spawn(async move {
        let _open = open;
        let _ = timeout(RESPONSE_TIMEOUT, pages.send(begin, sender)).await;
    });
    let body = stream::unfold(Some(receiver), async |receiver| {
        let mut receiver = receiver?;
        match receiver.recv().await {
            Some(Piece::Data(data)) => Some((Ok(data), Some(receiver))),
            Some(Piece::End) => None,
            None => Some((Err(Incomplete), None)),
        }
    });
    Ok(json(Body::from_stream(body)))
}

fn json(body: Body) -> Response {
    ([(CONTENT_TYPE, "application/json")], body).into_response()
}

impl<T: Serialize, S: Stream<Item = Result<Vec<T>>>> ArrayPages<S> {
    /// The items of the next page, with the commas before them.
    async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let Self { readers, pages, has_items } = self;
        // Encoding a page takes a core, too.
        let page = async {
            let Some(items) = pages.try_next().await? else { return Ok(None) };
            let mut text = Vec::new();
            for item in items {
                if std::mem::replace(has_items, true) {
                    text.push(b',');
                }
                serde_json::to_writer(&mut text, &item).map_err(|error| Error::Internal(error.into()))?;
            }
            Ok(Some(text))
        };
        readers.read(page).await
    }

    /// Sends `text` and the pages after it, until the caller disconnects or reads no more.
    async fn send(mut self, mut text: Vec<u8>, sender: Sender<Piece>) {
        loop {
            if !send(&sender, text).await {
                return;
            }
            text = match self.next().await {
                Ok(Some(text)) => text,
                Ok(None) => break,
                Err(error) => {
                    if let Error::Internal(error) = error {
                        tracing::error!(error, "a list could not be read to its end");
                    }
                    return;
                }
            };
        }
        if send(&sender, b"]".to_vec()).await {
            let _ = timeout(STALL_TIMEOUT, sender.send(Piece::End)).await;
        }
    }
}

/// Returns whether the caller accepts further pieces.
async fn send(sender: &Sender<Piece>, text: Vec<u8>) -> bool {
    let mut text = Bytes::from(text);
    while !text.is_empty() {
        let piece = Piece::Data(text.split_to(PIECE.min(text.len())));
        if !matches!(timeout(STALL_TIMEOUT, sender.send(piece)).await, Ok(Ok(()))) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use axum::body::to_bytes;
    use futures::StreamExt;
    use platform::db;

    use super::*;

    const USER: i64 = 1;
    /// Items of a page with this text are larger than a piece.
    const ITEM: &str = "twelve bytes";

    fn page() -> Vec<String> {
        vec![ITEM.to_owned(); PIECE / ITEM.len()]
    }

    /// Pages without end, and the number of those that were read.
    fn endless() -> (impl Stream<Item = Result<Vec<String>>> + Send + 'static, Arc<AtomicUsize>) {
        let read = Arc::new(AtomicUsize::new(0));
        let count = read.clone();
        let pages = stream::repeat_with(move || {
            count.fetch_add(1, Ordering::Relaxed);
            Ok(page())
        });
        (pages, read)
    }

    async fn text(pages: Vec<Vec<i64>>) -> String {
        let pages = stream::iter(pages).map(Ok);
        let response = respond(&ListReaders::new(), USER, pages).await.unwrap();
        assert_eq!(response.headers()[CONTENT_TYPE], "application/json");
        String::from_utf8(to_bytes(response.into_body(), usize::MAX).await.unwrap().into()).unwrap()
    }

    #[tokio::test]
    async fn body_is_the_array_of_all_items() {
        let cases: [Vec<Vec<i64>>; 6] = [
            vec![],
            vec![vec![]],
            vec![vec![1, 2]],
            vec![vec![], vec![1]],
            vec![vec![1, 2], vec![3], vec![]],
            vec![vec![1], vec![], vec![2, 3], vec![4]],
        ];
        for pages in cases {
            let whole: Vec<i64> = pages.iter().flatten().copied().collect();
            assert_eq!(text(pages).await, serde_json::to_string(&whole).unwrap());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn pages_are_read_as_the_caller_reads_them() {
        let (pages, read) = endless();
        let mut body = respond(&ListReaders::new(), USER, pages).await.unwrap().into_body().into_data_stream();
        // Two pages before the response begins, and one ahead.
        for _ in 0..50 {
            let before = read.load(Ordering::Relaxed);
            assert!(body.next().await.unwrap().unwrap().len() <= PIECE);
            tokio::time::sleep(STALL_TIMEOUT / 2).await;
            assert!(read.load(Ordering::Relaxed) <= before + 1);
        }
        assert!((20..=50).contains(&read.load(Ordering::Relaxed)));
    }

    #[tokio::test(start_paused = true)]
    async fn caller_who_stops_reading_is_disconnected_and_frees_their_place() {
        let readers = ListReaders::new();
        let mut bodies = Vec::new();
        let refused = loop {
            match respond(&readers, USER, endless().0).await {
                Ok(response) => bodies.push(response.into_body().into_data_stream()),
                Err(error) => break error,
            }
        };
        assert!(bodies.len() >= 6 && matches!(refused, Error::TooManyRequests { .. }), "{refused:?}");
        assert!(respond(&readers, USER + 1, endless().0).await.is_ok());
        tokio::time::sleep(STALL_TIMEOUT * 2).await;
        for mut body in bodies {
            assert!(body.next().await.unwrap().is_ok(), "a piece that was waiting");
            assert!(body.next().await.unwrap().is_err());
        }
        assert!(respond(&readers, USER, endless().0).await.is_ok());
    }

    #[tokio::test]
    async fn error_before_the_response_is_an_error_response_and_a_later_one_breaks_the_body() {
        for good in 0..5 {
            let error = || db::Error::from(sqlx::Error::PoolTimedOut);
            let pages = stream::iter(0..=good).map(move |n| if n < good { Ok(page()) } else { Err(error().into()) });
            let response = respond(&ListReaders::new(), USER, pages).await;
            if good < 2 {
                assert!(matches!(response, Err(Error::Unavailable)), "{good}");
            } else {
                assert!(to_bytes(response.unwrap().into_body(), usize::MAX).await.is_err(), "{good}");
            }
        }
    }
}
