//! A browser's connection to an event stream: as cheap as possible, so that it does not slow the server down.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The beginning of each event.
const EVENT: &[u8] = b"event: ";

pub(crate) struct Events {
    socket: TcpStream,
    read: Vec<u8>,
    /// The part of `read` before this position has been returned.
    at: usize,
}

impl Events {
    /// Requests the stream and waits for its first event.
    pub(crate) async fn open(url: &str, query: &str, cookie: &str) -> Self {
        let host = url.trim_start_matches("http://");
        let mut socket = TcpStream::connect(host).await.unwrap();
        let request = format!("GET /api/events?{query} HTTP/1.1\r\nhost: {host}\r\ncookie: {cookie}\r\n\r\n");
        socket.write_all(request.as_bytes()).await.unwrap();
        let mut events = Self { socket, read: Vec::new(), at: 0 };
        events.until("ready").await;
        events
    }

    /// Reads on to the next event of this name and returns it with its data.
    pub(crate) async fn until(&mut self, name: &str) -> &str {
        loop {
            if let Some(end) = position(&self.read[self.at..], b"\n\n").map(|end| self.at + end + 2) {
                let block = &self.read[self.at..end];
                let begin = position(block, EVENT).map(|begin| self.at + begin);
                self.at = end;
                let is_named = |begin: usize| {
                    let rest = &self.read[begin + EVENT.len()..end];
                    rest.starts_with(name.as_bytes()) && rest[name.len()] == b'\n'
                };
                assert!(
                    !begin.is_some_and(|begin| self.read[begin..].starts_with(b"event: resync")),
                    "no event is lost"
                );
                if let Some(begin) = begin.filter(|begin| is_named(*begin)) {
                    return std::str::from_utf8(&self.read[begin..end]).unwrap();
                }
                continue;
            }
            self.read.drain(..self.at);
            self.at = 0;
            let length = self.socket.read_buf(&mut self.read).await.unwrap();
            assert!(length > 0, "the stream goes on: {}", String::from_utf8_lossy(&self.read));
        }
    }
}

fn position(bytes: &[u8], pattern: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        from += bytes[from..].iter().position(|byte| *byte == pattern[0])?;
        if bytes[from..].starts_with(pattern) {
            return Some(from);
        }
        from += 1;
    }
}
