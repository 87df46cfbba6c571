//! The baseline: a separate process with a loop that only writes frames to sockets.

use std::process::ExitCode;
use std::sync::Arc;

use futures::SinkExt;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_tungstenite::accept_async;
use tokio_tungstenite::tungstenite::Message;

use crate::baseline::Process;
use crate::clients::Clients;
use crate::{Measured, cpu, now};

/// The argument that starts the baseline process.
pub(crate) const ARGUMENT: &str = "bare";
/// Frames per flush, as many as the cloud sends together under load.
const AT_ONCE: usize = 64;
const WARM_UP: usize = 100;

/// The baseline process: prints its address, reads the number of clients and the JSON of a frame, accepts the clients, and
/// writes the number of frames that each further line contains.
pub(crate) fn serve() -> ExitCode {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("ws://{}", listener.local_addr().unwrap());
        let mut lines = std::io::stdin().lines().map(Result::unwrap);
        let clients: usize = lines.next().unwrap().parse().unwrap();
        let members = lines.next().unwrap();
        let mut sockets = Vec::with_capacity(clients);
        for _ in 0..clients {
            let (stream, _) = listener.accept().await.unwrap();
            stream.set_nodelay(true).unwrap();
            sockets.push(accept_async(stream).await.unwrap());
        }
        println!("ready");
        let mut seq = 0;
        for line in lines {
            let last = seq + line.parse::<usize>().unwrap();
            while seq < last {
                let frames: Vec<Message> =
                    (seq + 1..=last.min(seq + AT_ONCE)).map(|seq| frame(seq, &members)).collect();
                seq += frames.len();
                for socket in &mut sockets {
                    for frame in &frames {
                        socket.feed(frame.clone()).await.unwrap();
                    }
                    socket.flush().await.unwrap();
                }
            }
        }
    });
    ExitCode::SUCCESS
}

/// A frame with a sequence number, followed by the members of the event.
fn frame(seq: usize, members: &str) -> Message {
    let json = format!(r#"{{"seq":"{seq}"{members}"#);
    Message::text(format!("{}|{json}", json.len()))
}

/// Sends frames like `frame` to each client.
pub(crate) async fn measure(clients: usize, events: usize, frame: &str) -> Measured {
    let mut server = Process::start(ARGUMENT);
    let url = server.line();
    let (_, members) = frame.split_once(r#"{"seq":""#).unwrap().1.split_once('"').unwrap();
    server.send_line(&clients.to_string());
    server.send_line(members);
    let mut clients = Clients::connect(&url, clients, Arc::new(Semaphore::new(0))).await;
    assert_eq!(server.line(), "ready");
    server.send_line(&WARM_UP.to_string());
    clients.read(WARM_UP).await;
    let before = cpu::of(server.id());
    let begin = now();
    server.send_line(&events.to_string());
    clients.read(events).await;
    Measured { elapsed: begin.elapsed(), cpu: cpu::of(server.id()) - before }
}
