//! The attacks. Each account repeats one attack without a pause and ignores errors.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use futures::future::{LocalBoxFuture, join_all};
use futures::{FutureExt, StreamExt};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_tungstenite::connect_async;
use tokio_util::sync::CancellationToken;

use crate::client::{Client, credentials};
use crate::scene::{ATTACKERS, DEVICES, LABEL, PEOPLE, ROLE, dsn};

/// How many requests an attacker has open at a time.
const CONCURRENT: usize = 16;
/// How many lists are open at a time.
const SLOW_READERS: usize = 8;
/// How many silent connections are open at a time.
const SILENT: usize = 2_000;
/// How long a silent or slow connection stays open.
const SILENCE: Duration = Duration::from_secs(4);
/// The data of each device: as many as it has room for, each about as large as allowed.
const DATA: usize = 4;
const DATUM: usize = 16_000;

/// When the attacks begin and end.
#[derive(Clone, Default)]
pub(crate) struct Phases {
    /// Cancelled by [`run`] when the attackers have signed in and prepared everything.
    pub(crate) prepared: CancellationToken,
    pub(crate) begin: CancellationToken,
    pub(crate) stop: CancellationToken,
}

/// Runs all attacks from `begin` to `stop`. Returns the name of each, and the number of its repetitions.
pub(crate) async fn run(
    url: &str,
    link: SocketAddr,
    only: Option<String>,
    Phases { prepared, begin, stop }: Phases,
) -> Vec<(&'static str, usize)> {
    let prepared = prepared.drop_guard();
    let accounts = join_all((PEOPLE..PEOPLE + ATTACKERS).map(|person| Attacker::sign_in(url, link, person))).await;
    let attacks =
        accounts.into_iter().zip(ATTACKS).filter(|(_, (name, _))| only.as_deref().is_none_or(|only| only == *name));
    let attacks: Vec<_> = attacks.collect();
    for (account, (name, _)) in &attacks {
        account.prepare(name).await;
    }
    drop(prepared);
    begin.cancelled().await;
    let attacks = attacks.into_iter().map(async |(account, (name, attack))| {
        let mut count = 0;
        while let Some(done) = stop.run_until_cancelled(attack(&account)).await {
            count += done;
            // An attack that fails immediately must not keep the others from running.
            tokio::task::yield_now().await;
        }
        (name, count)
    });
    join_all(attacks).await
}

type Attack = (&'static str, fn(&Attacker) -> LocalBoxFuture<'_, usize>);

const MESSAGES: &str = "messages";
const RULES: &str = "rules";
const DATA_ENTRIES: &str = "data";
const ATTACKS: [Attack; ATTACKERS] = [
    (MESSAGES, |attacker| attacker.batch().boxed_local()),
    (RULES, |attacker| attacker.batch().boxed_local()),
    ("sign-ins", |attacker| attacker.sign_ins().boxed_local()),
    ("silent devices", |attacker| attacker.silent_devices().boxed_local()),
    ("streams", |attacker| attacker.streams().boxed_local()),
    ("slow lists", |attacker| attacker.slow_lists().boxed_local()),
    (DATA_ENTRIES, |attacker| attacker.data().boxed_local()),
    ("cut requests", |attacker| attacker.cut_requests().boxed_local()),
];

struct Attacker {
    person: usize,
    client: Client,
    link: SocketAddr,
}

impl Attacker {
    async fn sign_in(url: &str, link: SocketAddr, person: usize) -> Self {
        let mut client = Client::new(url, person);
        client.sign_in(person).await.unwrap();
        Self { person, client, link }
    }

    /// Creates the triggers and rules that the batches set off.
    async fn prepare(&self, attack: &str) {
        let dsn = dsn(self.person, 0);
        match attack {
            MESSAGES => {
                let app =
                    |n: usize| json!({ "name": "email", "param1": format!("to{n}@example.com"), "param3": "Low" });
                let trigger = json!({ "trigger": {
                    "trigger_type": "compare_absolute", "compare_type": "<", "value": "20", "active": true,
                    "trigger_apps": (0..50).map(app).collect::<Vec<_>>(),
                } });
                for _ in 0..20 {
                    let _ = self
                        .client
                        .post(&format!("/apiv1/dsns/{dsn}/properties/intensity/triggers.json"), &trigger)
                        .await;
                }
            }
            RULES => {
                let action = json!({ "action": { "name": "Write", "type": "EMAIL", "parameters": {
                    "email_to": ["to@example.com"], "email_subject": "Low level", "email_body": "Please refill."
                } } });
                let action = self.client.post("/rulesservice/v1/actions.json", &action).await.unwrap_or_default();
                let rule = json!({ "rule": {
                    "name": "Low level", "expression": format!("DATAPOINT({dsn},intensity) < 20"),
                    "action_ids": [action["action"]["action_uuid"]],
                } });
                for _ in 0..20 {
                    let _ = self.client.post("/rulesservice/v1/rules.json", &rule).await;
                }
            }
            DATA_ENTRIES => {
                for number in 0..DEVICES * DATA {
                    self.add_datum(number / DATA, number % DATA).await.unwrap();
                }
            }
            _ => {}
        }
    }

    /// 500 values around the triggers and rules.
    async fn batch(&self) -> usize {
        let dsn = dsn(self.person, 0);
        let entry = |n: usize| json!({ "dsn": dsn, "name": "intensity", "datapoint": { "value": 10 + n % 2 * 20 } });
        let batch = json!({ "batch_datapoints": (0..500).map(entry).collect::<Vec<_>>() });
        self.repeat(2, || self.client.post("/apiv1/batch_datapoints.json", &batch)).await
    }

    /// Sign-ins with the right and with wrong passwords.
    async fn sign_ins(&self) -> usize {
        let bodies = ["Correct-Horse-1", "Wrong-Horse-1"].map(|password| credentials(self.person, password));
        let stranger = Client::new(self.client.url(), self.person);
        let requests = (0..CONCURRENT).map(|n| stranger.post("/users/sign_in.json", &bodies[n % 2]));
        join_all(requests).await.len()
    }

    /// Connections to the device link that never send anything.
    async fn silent_devices(&self) -> usize {
        let address = SocketAddr::from((Ipv4Addr::new(127, 0, 2, 1), 0));
        let connect = async |_| {
            let socket = TcpSocket::new_v4().ok()?;
            socket.bind(address).ok()?;
            timeout(SILENCE, socket.connect(self.link)).await.ok()?.ok()
        };
        let connections: Vec<_> = futures::stream::iter(0..SILENT).map(connect).buffer_unordered(64).collect().await;
        sleep(SILENCE).await;
        connections.len()
    }

    /// Streams that are opened and not read.
    async fn streams(&self) -> usize {
        let open = async || -> Option<_> {
            let subscription = json!({ "subscription_type": "datapoint" });
            let answer = self.client.post("/api/v1/subscriptions.json", &subscription).await.ok()?;
            let key = answer["subscription"]["stream_key"].as_str()?.to_owned();
            Some(connect_async(self.client.stream(&key)).await.ok()?.0)
        };
        let sockets = join_all((0..CONCURRENT).map(|_| open())).await;
        sleep(Duration::from_millis(100)).await;
        sockets.len()
    }

    /// Unpaged lists of the fleet that are read a kilobyte a second.
    async fn slow_lists(&self) -> usize {
        let read = async |path: &str| -> std::io::Result<()> {
            let socket = TcpSocket::new_v4()?;
            // A larger buffer would receive the whole list even if nobody reads it.
            socket.set_recv_buffer_size(4096)?;
            let mut connection = socket.connect(self.client.address()).await?;
            connection.write_all(self.client.text(&Method::GET, path, "").as_bytes()).await?;
            let mut piece = [0; 1024];
            while connection.read(&mut piece).await? > 0 {
                sleep(Duration::from_secs(1)).await;
            }
            Ok(())
        };
        let paths = ["/apiv1/devices.json", "/apiv1/devices.json?order_by=dsn"];
        let readers = (0..SLOW_READERS).map(|n| timeout(SILENCE, read(paths[n % 2])));
        join_all(readers).await.len()
    }

    /// Replaces data of its devices, and adds some for which they have no room.
    async fn data(&self) -> usize {
        let mut number = 0;
        self.repeat(CONCURRENT, || {
            number += 1;
            let (device, key) = (number % DEVICES, number % (DATA + 1));
            async move { if key < DATA { self.replace_datum(device, key).await } else { self.add_datum(device, key).await } }
        })
        .await
    }

    async fn add_datum(&self, device: usize, key: usize) -> Result<Value, String> {
        self.client.post(&format!("/apiv1/dsns/{}/data.json", dsn(self.person, device)), &datum(key)).await
    }

    async fn replace_datum(&self, device: usize, key: usize) -> Result<Value, String> {
        let path = format!("/apiv1/dsns/{}/data/key{key}.json", dsn(self.person, device));
        self.client.send(Method::PUT, &path, Some(&datum(key))).await
    }

    /// Commands and registrations whose caller disconnects. Bare connections, because the client of the other attacks would use
    /// more processor time than the cloud.
    async fn cut_requests(&self) -> usize {
        let command = format!("/apiv1/dsns/{}/properties/intensity/datapoints.json", dsn(self.person, 1));
        let cut = async |n: usize| -> std::io::Result<()> {
            let (method, path, body) = match n % 2 {
                0 => (Method::POST, command.clone(), json!({ "datapoint": { "value": n } })),
                _ => {
                    let label = json!({ "role_name": ROLE, "key": LABEL, "value": self.person.to_string() });
                    (Method::PUT, format!("/apiv1/devices/{n}/role_labels/associate.json"), label)
                }
            };
            let mut connection = TcpStream::connect(self.client.address()).await?;
            connection.write_all(self.client.text(&method, &path, &body.to_string()).as_bytes()).await?;
            let answer = timeout(Duration::from_millis(n as u64 % 20), connection.read_u8()).await;
            answer.map_or(Ok(()), |byte| byte.map(drop))
        };
        join_all((0..CONCURRENT * 4).map(cut)).await.len()
    }

    /// Sends requests at the same time.
    async fn repeat<F: Future<Output = Result<Value, String>>>(
        &self,
        times: usize,
        mut send: impl FnMut() -> F,
    ) -> usize {
        join_all((0..times).map(|_| send())).await.len()
    }
}

fn datum(key: usize) -> Value {
    json!({ "datum": { "key": format!("key{key}"), "value": "x".repeat(DATUM) } })
}
