//! Clients of a stream that count events.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::StreamExt;
use futures::future::join_all;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Number of events after which permits are returned.
const READ: usize = 100;

pub(crate) struct Clients {
    sockets: Vec<Socket>,
    seq: usize,
    room: Arc<Semaphore>,
}

impl Clients {
    /// Connects `count` clients. Each event that all of them have read returns a permit to `room`.
    pub(crate) async fn connect(url: &str, count: usize, room: Arc<Semaphore>) -> Self {
        let mut sockets = Vec::with_capacity(count);
        for _ in 0..count {
            sockets.push(connect_async(url).await.unwrap().0);
        }
        Self { sockets, seq: 0, room }
    }

    /// Each client reads `events` events and fails if one is missing. Returns the last frame of one client.
    pub(crate) async fn read(&mut self, events: usize) -> String {
        let (first, count) = (self.seq, self.sockets.len());
        self.seq += events;
        let marks: Arc<[AtomicUsize]> = (0..events / READ).map(|_| AtomicUsize::new(0)).collect();
        let readers = std::mem::take(&mut self.sockets).into_iter().map(|mut socket| {
            let (marks, room) = (marks.clone(), self.room.clone());
            tokio::spawn(async move {
                let mut last = String::new();
                for event in 1..=events {
                    last = next(&mut socket, first + event).await;
                    if event.is_multiple_of(READ) && marks[event / READ - 1].fetch_add(1, Ordering::SeqCst) + 1 == count
                    {
                        room.add_permits(READ);
                    }
                }
                (socket, last)
            })
        });
        let done = join_all(readers.collect::<Vec<_>>()).await.into_iter().map(Result::unwrap);
        let (sockets, mut frames): (Vec<_>, Vec<_>) = done.unzip();
        self.sockets = sockets;
        frames.pop().unwrap()
    }
}

/// Reads the next event, which must have this number.
async fn next(socket: &mut Socket, expected: usize) -> String {
    loop {
        let Message::Text(frame) = socket.next().await.expect("the stream goes on").unwrap() else { continue };
        let Some((_, event)) = frame.split_once(r#"|{"seq":""#) else { continue };
        let seq: usize = event.split('"').next().unwrap().parse().unwrap();
        assert_eq!(seq, expected, "no event is lost");
        return frame.as_str().to_owned();
    }
}
