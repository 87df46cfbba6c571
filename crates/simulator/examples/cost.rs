//! Measures the cost of a simulated diffuser: memory, and CPU while it only sends pings and life reports.
//!
//! ```sh
//! cargo run --release -p simulator --example cost [DEVICES [SECONDS]]
//! ```
//!
//! The fake cloud runs in a separate process, so its cost is not counted. Memory is the resident set, without the kernel's socket
//! buffers. Linux only, because it reads /proc.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement prints its results and panics on failure")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;
use std::{env, fs};

use diffuser::{Mode, SystemConfiguration};
use futures::{SinkExt, StreamExt};
use rumqttc::mqttbytes::QoS;
use rumqttc::mqttbytes::v4::{Codec, ConnAck, ConnectReturnCode, Packet, PubAck, SubAck, SubscribeReasonCode};
use simulator::{Clock, Fleet, Link, Options, State, VirtualDevice};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::codec::Framed;

const SINK: &str = "--sink";
/// Time for the full reports after connecting.
const SETTLE: Duration = Duration::from_secs(5);
/// The unit of CPU times in /proc, independent of the kernel's tick rate.
const TICKS_PER_SECOND: f64 = 100.0;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == SINK) {
        return sink(arguments[1].parse().unwrap()).await;
    }
    let number = |position: usize, usual| arguments.get(position).map_or(usual, |text| text.parse().unwrap());
    measure(number(0, 5000), number(1, 120)).await;
}

async fn measure(devices: u32, seconds: u32) {
    let mut sink = Command::new(env::current_exe().unwrap())
        .args([SINK, &devices.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output =
        BufReader::new(sink.stdout.take().unwrap()).lines().map(|line| line.unwrap().parse::<u32>().unwrap());
    let port = u16::try_from(output.next().unwrap()).unwrap();

    let (memory, cpu) = (resident_bytes(), cpu_seconds());
    let link = Link::plain("127.0.0.1", port);
    let fleet = (0..devices).map(|number| diffuser(number as usize)).collect();
    let fleet = Fleet::start(Options { link, seed: 1, drop_outs: false, devices: fleet, clock: Clock::system() });
    // The sink prints its next line when all devices have reported. Waiting must not block the runtime.
    let mut output = tokio::task::spawn_blocking(move || {
        output.next().unwrap();
        output
    })
    .await
    .unwrap();
    tokio::time::sleep(SETTLE).await;

    let per_device = |cost: f64| cost / f64::from(devices);
    println!("{devices} diffusers");
    println!("memory: {:.0} bytes per device", per_device(resident_bytes() - memory));
    println!("connecting and the first report: {:.0} µs of CPU per device", per_device(cpu_seconds() - cpu) * 1e6);
    let cpu = cpu_seconds();
    tokio::time::sleep(Duration::from_secs(seconds.into())).await;
    let cost = cpu_seconds() - cpu;
    // Any input makes the sink print its counts.
    writeln!(sink.stdin.take().unwrap()).unwrap();
    let (pings, reports) = (output.next().unwrap(), output.next().unwrap());
    println!(
        "at rest: {:.4} CPU-seconds per device and hour, {:.2} % of a core for all",
        per_device(cost) * 3600.0 / f64::from(seconds),
        100.0 * cost / f64::from(seconds)
    );
    println!("({seconds} s with {pings} pings and {reports} reports of lives)");
    fleet.shutdown().await;
    assert!(sink.wait().unwrap().success());
}

/// A diffuser as in a real fleet, where most follow a schedule. Here a frame runs all day.
fn diffuser(number: usize) -> VirtualDevice {
    let configuration = SystemConfiguration::ALL[number % SystemConfiguration::ALL.len()].clone();
    let mut state = State::new(configuration);
    state.mode = if number.is_multiple_of(3) { Mode::AllDay } else { Mode::Run };
    let frames = (2..=21).map(|frame| format!(",{frame},0,{},20,8,0,18,30", frame % 10));
    state.schedule_blob = Some(format!("1,1,0,20,0,0,23,59{}", frames.collect::<String>()));
    VirtualDevice { dsn: format!("SL{number:06}"), key: "k".repeat(64), state, fault: None }
}

fn resident_bytes() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() * 1024.0
}

fn cpu_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    // The process name is in parentheses and may contain spaces. User and system time are the 12th and 13th field after it.
    let ticks = stat.rsplit(')').next().unwrap().split_whitespace().skip(11).take(2);
    ticks.map(|ticks| ticks.parse::<f64>().unwrap()).sum::<f64>() / TICKS_PER_SECOND
}

#[derive(Default)]
struct Counts {
    pings: AtomicUsize,
    reports: AtomicUsize,
}

/// A fake cloud that acknowledges everything. Prints its port, a line when `devices` devices have reported, and on input the
/// number of pings and reports since.
async fn sink(devices: usize) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("{}", listener.local_addr().unwrap().port());
    let counts = Arc::new(Counts::default());
    tokio::task::spawn_blocking({
        let counts = Arc::clone(&counts);
        move || {
            std::io::stdin().read_line(&mut String::new()).unwrap();
            println!("{}\n{}", counts.pings.load(Relaxed), counts.reports.load(Relaxed) - devices);
            std::process::exit(0);
        }
    });
    loop {
        let stream = listener.accept().await.unwrap().0;
        tokio::spawn(answer(stream, Arc::clone(&counts), devices));
    }
}

async fn answer(stream: TcpStream, counts: Arc<Counts>, devices: usize) {
    let mut link = Framed::with_capacity(stream, Codec { max_incoming_size: 8192, max_outgoing_size: 8192 }, 256);
    while let Some(Ok(packet)) = link.next().await {
        let answer = match packet {
            Packet::Connect(_) => Packet::ConnAck(ConnAck::new(ConnectReturnCode::Success, false)),
            Packet::Subscribe(subscribe) => {
                Packet::SubAck(SubAck::new(subscribe.pkid, vec![SubscribeReasonCode::Success(QoS::AtLeastOnce); 2]))
            }
            Packet::Publish(publish) => {
                if counts.reports.fetch_add(1, Relaxed) + 1 == devices {
                    counts.pings.store(0, Relaxed);
                    println!("1");
                }
                Packet::PubAck(PubAck::new(publish.pkid))
            }
            Packet::PingReq => {
                counts.pings.fetch_add(1, Relaxed);
                Packet::PingResp
            }
            _ => return,
        };
        link.send(answer).await.unwrap();
    }
}
