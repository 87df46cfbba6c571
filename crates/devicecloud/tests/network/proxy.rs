use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::serve::Listener;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufStream, copy_bidirectional};
use tokio::net::TcpStream;

/// A proxy that tunnels everything to one address, or refuses everything with a status line.
#[derive(Clone, Default)]
pub(crate) struct Proxy(Arc<Mutex<Vec<String>>>);

impl Proxy {
    /// Returns the proxy and its port.
    pub(crate) fn start(
        mut listener: impl Listener<Addr = SocketAddr>,
        to: Result<SocketAddr, &'static str>,
    ) -> (Self, u16) {
        let (proxy, port) = (Self::default(), listener.local_addr().unwrap().port());
        let running = proxy.clone();
        tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await;
                tokio::spawn(running.clone().serve(client, to));
            }
        });
        (proxy, port)
    }

    async fn serve(self, client: impl AsyncRead + AsyncWrite + Unpin, to: Result<SocketAddr, &'static str>) {
        let mut client = BufStream::new(client);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if client.read_line(&mut head).await.unwrap() == 0 {
                return;
            }
        }
        self.0.lock().unwrap().push(head.to_lowercase());
        let answer = to.map_or_else(|status| status, |_| "200 OK");
        client.write_all(format!("HTTP/1.1 {answer}\r\n\r\n").as_bytes()).await.unwrap();
        client.flush().await.unwrap();
        if let Ok(to) = to {
            let _ = copy_bidirectional(&mut client, &mut TcpStream::connect(to).await.unwrap()).await;
        }
    }

    /// The heads of the requests so far, in lower case.
    pub(crate) fn seen(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}
