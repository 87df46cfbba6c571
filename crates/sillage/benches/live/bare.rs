//! The baseline: a separate process with a loop that only writes events to connections.

use std::process::ExitCode;

use futures::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::baseline::Process;
use crate::browser::Events;
use crate::{Measured, cpu, now};

/// The argument that starts the baseline process.
pub(crate) const ARGUMENT: &str = "bare";
const WARM_UP: usize = 20;

/// The baseline process: prints its address, reads the number of readers and the data of an event, accepts the readers, and
/// writes as many events as each further line says, one after the other to all readers.
pub(crate) fn serve() -> ExitCode {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("http://{}", listener.local_addr().unwrap());
        let mut lines = std::io::stdin().lines().map(Result::unwrap);
        let readers: usize = lines.next().unwrap().parse().unwrap();
        let chunk = chunk(&format!("event: device\n{}\n\n", lines.next().unwrap()));
        let mut sockets = Vec::with_capacity(readers);
        for _ in 0..readers {
            let (mut socket, _) = listener.accept().await.unwrap();
            socket.set_nodelay(true).unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                socket.read_buf(&mut request).await.unwrap();
            }
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
            socket.write_all(head.as_bytes()).await.unwrap();
            socket.write_all(&self::chunk("event: ready\ndata: {}\n\n")).await.unwrap();
            sockets.push(socket);
        }
        println!("ready");
        for line in lines {
            for _ in 0..line.parse::<usize>().unwrap() {
                for socket in &mut sockets {
                    socket.write_all(&chunk).await.unwrap();
                }
            }
        }
    });
    ExitCode::SUCCESS
}

fn chunk(event: &str) -> Vec<u8> {
    format!("{:x}\r\n{event}\r\n", event.len()).into_bytes()
}

/// Sends events like `event` to each reader.
pub(crate) async fn measure(readers: usize, events: usize, event: &str) -> Measured {
    let mut server = Process::start(ARGUMENT);
    let url = server.line();
    server.send_line(&readers.to_string());
    server.send_line(event.lines().nth(1).unwrap());
    let mut streams = Vec::with_capacity(readers);
    for _ in 0..readers {
        streams.push(Events::open(&url, "", "").await);
    }
    assert_eq!(server.line(), "ready");
    server.send_line(&WARM_UP.to_string());
    let streams = read(streams, WARM_UP).await;
    let before = cpu::of(server.id());
    let begin = now();
    server.send_line(&events.to_string());
    read(streams, events).await;
    Measured { elapsed: begin.elapsed(), cpu: cpu::of(server.id()) - before }
}

async fn read(streams: Vec<Events>, events: usize) -> Vec<Events> {
    let tasks = streams.into_iter().map(|mut stream| {
        tokio::spawn(async move {
            for _ in 0..events {
                stream.until("device").await;
            }
            stream
        })
    });
    join_all(tasks.collect::<Vec<_>>()).await.into_iter().map(Result::unwrap).collect()
}
