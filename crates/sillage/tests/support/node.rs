//! A node of the device cloud in a separate process, and devices that report to it.

#[path = "disk.rs"]
pub(crate) mod disk;

use std::io::{BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use cloud::operator::{NewDevice, Oem, Operator, Template, TemplateProperty};
use cloud::{BaseType, Direction, Limits, PasswordCost};
use futures::{SinkExt, StreamExt};
use platform::db::Db;
use platform::run::clock::Clock;
use platform::run::random::Random;
use rumqttc::mqttbytes::QoS;
use rumqttc::mqttbytes::v4::{Codec, ConnAck, Connect, ConnectReturnCode, Packet, PubAck, Publish, Subscribe};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_util::codec::Framed;

const TEMPLATE: &str = "thing";

/// `sillage cloud`; killed on drop.
pub(crate) struct Node {
    child: Child,
    pub(crate) url: String,
    pub(crate) link: SocketAddr,
}

impl Node {
    /// Starts the node and waits until it is ready. It listens on free ports unless `--listen` is among the arguments.
    pub(crate) async fn start(database: &str, folder: &Path) -> Self {
        Self::start_with(database, folder, &[]).await
    }

    /// Like [`start`](Self::start), with more arguments.
    pub(crate) async fn start_with(database: &str, folder: &Path, more: &[&str]) -> Self {
        Self::start_program(disk::command(), database, folder, more).await
    }

    /// Like [`start_with`](Self::start_with), with another program than this build.
    pub(crate) async fn start_program(program: Command, database: &str, folder: &Path, more: &[&str]) -> Self {
        Self::spawn(program, database, folder, more, "error", Stdio::piped()).await
    }

    /// Like [`start`](Self::start), with a log filter and a destination for the log.
    pub(crate) async fn start_logging(database: &str, folder: &Path, log: &str, stderr: Stdio) -> Self {
        Self::spawn(disk::command(), database, folder, &[], log, stderr).await
    }

    async fn spawn(
        mut program: Command,
        database: &str,
        folder: &Path,
        more: &[&str],
        log: &str,
        stderr: Stdio,
    ) -> Self {
        let ready_file = folder.join("ready.json");
        let _ = std::fs::remove_file(&ready_file);
        let free: &[&str] = match more.contains(&"--listen") {
            true => &[],
            false => &["--listen", "127.0.0.1:0", "--mqtt-listen", "127.0.0.1:0"],
        };
        let mut child = program
            .arg("cloud")
            .args(free)
            .arg("--ready-file")
            .arg(&ready_file)
            .args(more)
            .envs([("SILLAGE_DATABASE", database), ("SILLAGE_LOG", log)])
            // Nothing listens there, so requests to this machine fail if they use the proxy.
            .env("http_proxy", "http://127.0.0.1:1")
            .stderr(stderr)
            .spawn()
            .unwrap();
        let ready: Value = loop {
            if let Ok(text) = std::fs::read(&ready_file) {
                break serde_json::from_slice(&text).unwrap();
            }
            if child.try_wait().unwrap().is_some() {
                let mut log = String::new();
                if let Some(stderr) = child.stderr.take() {
                    BufReader::new(stderr).read_to_string(&mut log).unwrap();
                }
                panic!("the cloud ended before it was ready: {log}");
            }
            // A busy loop would take a processor from the node.
            tokio::time::sleep(Duration::from_millis(1)).await;
        };
        let link = ready["mqtt"].as_str().unwrap().trim_start_matches("mqtt://").parse().unwrap();
        Self { child, url: ready["cloud"].as_str().unwrap().to_owned(), link }
    }

    /// The process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends SIGINT and waits for the exit.
    pub(crate) fn stop(mut self) -> ExitStatus {
        let sent = Command::new("kill").args(["-INT", &self.id().to_string()]).status().unwrap();
        assert!(sent.success());
        self.child.wait().unwrap()
    }

    /// Panics if the node has exited.
    pub(crate) fn assert_running(&mut self) {
        assert_eq!(self.child.try_wait().unwrap(), None);
    }

    /// Waits until the node exits by itself, and returns its standard error.
    pub(crate) fn ended(mut self) -> (ExitStatus, String) {
        let mut text = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
        (self.child.wait().unwrap(), text)
    }

    /// Sends SIGKILL.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Adds devices with integer properties and returns the operator.
pub(crate) async fn seed(db: &Db, devices: usize, properties: usize) -> (Operator, Oem) {
    let cost = PasswordCost { memory_kib: 8, passes: 1, lanes: 1 };
    let operator = Operator::new(db.clone(), Clock::system(), Random::system(), cost).unwrap();
    operator.migrate().await.unwrap();
    let oem = operator.ensure_oem("Test").await.unwrap();
    let property = |n: usize| TemplateProperty {
        name: property(n),
        display_name: property(n),
        base_type: BaseType::Integer,
        direction: Direction::Output,
        ack_enabled: false,
        retention_days: 400,
        limits: Limits::default(),
    };
    let template =
        Template { name: TEMPLATE.into(), properties: (0..properties).map(property).collect(), schedules: vec![] };
    operator.ensure_template(&oem, &template).await.unwrap();
    let device = |n: usize| NewDevice {
        dsn: dsn(n),
        template: TEMPLATE.into(),
        product_name: dsn(n),
        model: "T1".into(),
        oem_model: "thing-1".into(),
        link_key: key(n).into(),
        registered: true,
        ..NewDevice::default()
    };
    let devices: Vec<NewDevice> = (0..devices).map(device).collect();
    operator.add_devices(&oem, &devices).await.unwrap();
    (operator, oem)
}

/// The serial number of a device.
pub(crate) fn dsn(device: usize) -> String {
    format!("D{device:06}")
}

/// The name of a property.
pub(crate) fn property(n: usize) -> String {
    format!("p{n}")
}

/// The key of a device for the device link.
pub(crate) fn key(device: usize) -> String {
    format!("{device:064x}")
}

/// A connected device.
pub(crate) struct Device {
    wire: Framed<TcpStream, Codec>,
    topic: String,
    last_id: u16,
}

impl Device {
    /// Signs in, or returns `None` if the cloud is stopped or cannot write.
    pub(crate) async fn connect(link: SocketAddr, device: usize) -> Option<Self> {
        match Self::sign_in(link, &dsn(device), &key(device)).await? {
            Ok(signed_in) => Some(signed_in),
            Err(ConnectReturnCode::ServiceUnavailable) => None,
            Err(code) => panic!("CONNECT was answered with {code:?}"),
        }
    }

    /// Signs in with a key. Returns `None` if the cloud is stopped, and the return code if it rejects the key.
    pub(crate) async fn sign_in(link: SocketAddr, dsn: &str, key: &str) -> Option<Result<Self, ConnectReturnCode>> {
        Self::sign_in_for(link, dsn, key, 600).await
    }

    /// Like [`sign_in`](Self::sign_in), with a keep-alive in seconds.
    pub(crate) async fn sign_in_for(
        link: SocketAddr,
        dsn: &str,
        key: &str,
        keep_alive: u16,
    ) -> Option<Result<Self, ConnectReturnCode>> {
        let stream = TcpStream::connect(link).await.ok()?;
        stream.set_nodelay(true).ok()?;
        let codec = Codec { max_incoming_size: 16 * 1024, max_outgoing_size: 16 * 1024 };
        let mut wire = Framed::new(stream, codec);
        let mut connect = Connect::new(dsn);
        connect.keep_alive = keep_alive;
        connect.set_login(dsn, key);
        wire.send(Packet::Connect(connect)).await.ok()?;
        match wire.next().await?.ok()? {
            Packet::ConnAck(ConnAck { code: ConnectReturnCode::Success, .. }) => {
                Some(Ok(Self { wire, topic: format!("devices/{dsn}/report"), last_id: 0 }))
            }
            Packet::ConnAck(ConnAck { code, .. }) => Some(Err(code)),
            other => panic!("CONNECT was answered with {other:?}"),
        }
    }

    /// Waits until the cloud closes the connection.
    pub(crate) async fn closed(mut self) {
        while let Some(Ok(_)) = self.wire.next().await {}
    }

    /// Subscribes to commands.
    pub(crate) async fn subscribe(&mut self) {
        let topic = self.topic.replace("/report", "/command");
        let mut subscribe = Subscribe::new(topic, QoS::AtLeastOnce);
        subscribe.pkid = 1;
        self.wire.send(Packet::Subscribe(subscribe)).await.unwrap();
        assert!(matches!(self.wire.next().await, Some(Ok(Packet::SubAck(_)))));
    }

    /// Waits for the next command, and returns its property and value.
    pub(crate) async fn next_command(&mut self) -> (String, Value) {
        let Some(Ok(Packet::Publish(publish))) = self.wire.next().await else { panic!("the connection is open") };
        self.wire.send(Packet::PubAck(PubAck::new(publish.pkid))).await.unwrap();
        let command: Value = serde_json::from_slice(&publish.payload).unwrap();
        (command["property"].as_str().unwrap().to_owned(), command["value"].clone())
    }

    /// Reports at QoS 1 and waits for the acknowledgement. Returns `None` if the cloud is stopped.
    pub(crate) async fn report(&mut self, payload: impl Into<Vec<u8>>) -> Option<()> {
        self.last_id = self.last_id.checked_add(1).unwrap_or(1);
        let mut publish = Publish::new(self.topic.as_str(), QoS::AtLeastOnce, payload);
        publish.pkid = self.last_id;
        self.wire.send(Packet::Publish(publish)).await.ok()?;
        let answer = self.wire.next().await?.ok()?;
        assert_eq!(answer, Packet::PubAck(PubAck::new(self.last_id)));
        Some(())
    }
}
