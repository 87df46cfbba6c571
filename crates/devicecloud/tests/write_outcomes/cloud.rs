//! A cloud on a socket that fails in a given way, and knows which writes it performed.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use devicecloud::{Client, ClientBuilder, Clock, Config, Jitter, MemoryTokenStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::cases::NOW;

/// What becomes of a request.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fault {
    /// The connection is closed before the request is read.
    CutBeforeReading,
    /// The write is performed, then the connection is closed.
    CutAfterReading,
    /// The write is performed, but no response is sent.
    Silence,
    /// The write is not performed, and the response has this status and body.
    NotPerformed(u16, &'static str),
    /// The write is performed, and the response has this status and body.
    Performed(u16, &'static str),
}

impl Fault {
    pub(super) fn performs(self) -> bool {
        matches!(self, Self::CutAfterReading | Self::Silence | Self::Performed(..))
    }
}

#[derive(Clone)]
pub(super) struct FaultyCloud {
    pub(super) base: String,
    faults: Arc<Mutex<VecDeque<Fault>>>,
    /// How many writes were performed.
    performed: watch::Sender<usize>,
}

impl FaultyCloud {
    /// Uses the faults one by one, and repeats the last.
    pub(super) async fn with(faults: impl IntoIterator<Item = Fault>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let faults = Arc::new(Mutex::new(faults.into_iter().collect()));
        let cloud = Self { base, faults, performed: watch::Sender::new(0) };
        let accepting = cloud.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(accepting.clone().serve(stream));
            }
        });
        cloud
    }

    /// An address at which nothing listens.
    pub(super) async fn absent() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        format!("http://{}", listener.local_addr().unwrap())
    }

    /// The number of performed writes, once there are this many. The client can fail before the cloud has read a request.
    pub(super) async fn performed(&self, at_least: usize) -> usize {
        let mut performed = self.performed.subscribe();
        let reached = timeout(Duration::from_secs(10), performed.wait_for(|performed| *performed >= at_least)).await;
        reached.map_or_else(|_| *self.performed.borrow(), |performed| *performed.unwrap())
    }

    fn next(&self) -> Fault {
        let mut faults = self.faults.lock().unwrap();
        if faults.len() > 1 { faults.pop_front().unwrap() } else { faults[0] }
    }

    /// One request per connection.
    async fn serve(self, mut stream: TcpStream) {
        stream.readable().await.unwrap();
        let fault = self.next();
        if matches!(fault, Fault::CutBeforeReading) {
            return;
        }
        read_request(&mut stream).await;
        if fault.performs() {
            self.performed.send_modify(|performed| *performed += 1);
        }
        match fault {
            Fault::CutBeforeReading | Fault::CutAfterReading => {}
            // Until the client gives up.
            Fault::Silence => drop(stream.read(&mut [0; 1]).await),
            Fault::NotPerformed(status, body) | Fault::Performed(status, body) => {
                let body = body.replace("$base", &self.base);
                let length = body.len();
                let response =
                    format!("HTTP/1.1 {status} -\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
                stream.write_all(response.as_bytes()).await.unwrap();
            }
        }
    }
}

/// Reads the head, and the body by its length.
async fn read_request(stream: &mut TcpStream) {
    let mut request = Vec::new();
    let head = loop {
        if let Some(end) = request.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
        assert_ne!(stream.read_buf(&mut request).await.unwrap(), 0, "the head of a request is complete");
    };
    let text = String::from_utf8_lossy(&request[..head]).to_ascii_lowercase();
    let length = text.lines().find_map(|line| line.strip_prefix("content-length:"));
    let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
    while request.len() < head + length {
        assert_ne!(stream.read_buf(&mut request).await.unwrap(), 0, "the body of a request is complete");
    }
}

/// A client that retries without delay.
pub(super) fn client(base: &str) -> Client {
    builder(base).build().unwrap()
}

pub(super) fn builder(base: &str) -> ClientBuilder {
    let config = Config::local(base, "app", "app secret").unwrap();
    Client::builder(config, Arc::new(MemoryTokenStore::new()))
        .clock(Clock::mock(NOW.parse().unwrap()))
        .jitter(Jitter::fixed(0.0))
}
