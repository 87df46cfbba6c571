//! One connection of one virtual diffuser: signs in, reports, obeys, keeps alive.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::Duration;

use futures::{SinkExt, StreamExt};
use rumqttc::mqttbytes;
use rumqttc::mqttbytes::QoS;
use rumqttc::mqttbytes::v4::{
    Codec, Connect, ConnectReturnCode, Packet, PubAck, Publish, Subscribe, SubscribeReasonCode,
};
use serde::Serialize;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep_until, timeout};
use tokio_util::codec::Framed;
use tokio_util::sync::CancellationToken;

use crate::chance::Chance;
use crate::state::State;
use crate::wire::{self, Command, Report, Values};

/// Told to the cloud, which gives up after one and a half times this.
const KEEP_ALIVE: Duration = Duration::from_secs(60);
/// How often the device makes itself heard, and how long it waits for an answer to that.
const PING: Duration = Duration::from_secs(30);
const SIGN_IN_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the appliance takes to obey: about a second at most.
const OBEY: Range<Duration> = Duration::from_millis(100)..Duration::from_millis(800);
/// Room for a command with a whole schedule; the cloud's limit is the same order.
pub(crate) const MAX_PACKET: usize = 16 * 1024;
/// What a buffer begins with. The codec's own default would cost thousands of devices 16 KiB each.
const BUFFER: usize = 1024;

/// A diffuser and what it needs to be somebody on the link.
pub(crate) struct Device {
    pub(crate) dsn: String,
    pub(crate) key: String,
    pub(crate) state: State,
    pub(crate) chance: Chance,
}

/// Why a connection ended other than by our own wish.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("refused with code {0:?}")]
    Refused(ConnectReturnCode),
    #[error("not allowed to receive commands")]
    NotSubscribed,
    #[error("no answer")]
    NoAnswer,
    #[error("closed by the cloud")]
    Closed,
    #[error("unexpected packet")]
    Unexpected,
    #[error(transparent)]
    Link(#[from] mqttbytes::Error),
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// Signs in over `io`.
pub(crate) async fn sign_in<T>(io: T, device: &Device) -> Result<Session<T>, Error>
where
    T: AsyncRead + AsyncWrite + Unpin,
{
    let codec = Codec { max_incoming_size: MAX_PACKET, max_outgoing_size: MAX_PACKET };
    let mut link = Framed::with_capacity(io, codec, BUFFER);
    let mut connect = Connect::new(&device.dsn);
    connect.keep_alive = u16::try_from(KEEP_ALIVE.as_secs()).unwrap_or(u16::MAX);
    connect.set_login(&device.dsn, &device.key);
    link.send(Packet::Connect(connect)).await?;
    let answer = timeout(SIGN_IN_TIMEOUT, link.next()).await.map_err(|_| Error::NoAnswer)?;
    match answer.ok_or(Error::Closed)?? {
        Packet::ConnAck(ack) if ack.code == ConnectReturnCode::Success => {
            Ok(Session { link, last_id: 0, due: VecDeque::new(), heard: true })
        }
        Packet::ConnAck(ack) => Err(Error::Refused(ack.code)),
        _ => Err(Error::Unexpected),
    }
}

/// A signed-in connection.
pub(crate) struct Session<T> {
    link: Framed<T, Codec>,
    last_id: u16,
    /// Commands that the appliance is busy with, in their order.
    due: VecDeque<(Instant, Command)>,
    heard: bool,
}

impl<T> Session<T>
where
    T: AsyncRead + AsyncWrite + Unpin,
{
    /// Reports everything, then obeys until `stop`.
    pub(crate) async fn run(&mut self, device: &mut Device, stop: &CancellationToken) -> Result<(), Error> {
        let mut subscribe = Subscribe::new(wire::command_topic(&device.dsn), QoS::AtLeastOnce);
        subscribe.pkid = self.next_id();
        self.link.send(Packet::Subscribe(subscribe)).await?;
        self.report(&device.dsn, &device.state.values()).await?;

        let mut ping = interval_at(Instant::now() + PING, PING);
        ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let obey_at = self.due.front().map(|(at, _)| *at);
            tokio::select! {
                () = stop.cancelled() => {
                    self.link.send(Packet::Disconnect).await?;
                    return Ok(());
                }
                packet = self.link.next() => self.receive(packet.ok_or(Error::Closed)??, device).await?,
                () = sleep_until(obey_at.unwrap_or_else(Instant::now)), if obey_at.is_some() => self.obey(device).await?,
                _ = ping.tick() => {
                    if !std::mem::take(&mut self.heard) {
                        return Err(Error::NoAnswer);
                    }
                    self.link.send(Packet::PingReq).await?;
                }
            }
        }
    }

    async fn receive(&mut self, packet: Packet, device: &mut Device) -> Result<(), Error> {
        self.heard = true;
        match packet {
            Packet::Publish(publish) => {
                if publish.qos == QoS::AtLeastOnce {
                    self.link.send(Packet::PubAck(PubAck::new(publish.pkid))).await?;
                }
                match serde_json::from_slice(&publish.payload) {
                    Ok(command) => self.accept(command, &mut device.chance),
                    Err(_) => tracing::warn!(dsn = device.dsn, "the cloud sent no command"),
                }
                Ok(())
            }
            Packet::SubAck(ack) if ack.return_codes.contains(&SubscribeReasonCode::Failure) => {
                Err(Error::NotSubscribed)
            }
            Packet::SubAck(_) | Packet::PubAck(_) | Packet::PingResp => Ok(()),
            _ => Err(Error::Unexpected),
        }
    }

    /// The appliance does one thing after the other, so a command is never due before an earlier one.
    fn accept(&mut self, command: Command, chance: &mut Chance) {
        if self.due.iter().any(|(_, known)| known.id == command.id) {
            return;
        }
        let at = Instant::now() + chance.pick(OBEY);
        let after = self.due.back().map_or(at, |(last, _)| at.max(*last));
        self.due.push_back((after, command));
    }

    async fn obey(&mut self, device: &mut Device) -> Result<(), Error> {
        let Some((_, command)) = self.due.pop_front() else { return Ok(()) };
        let (next, ack, report) = device.state.obey(command);
        device.state = next;
        self.publish(wire::ack_topic(&device.dsn), &ack).await?;
        if report.is_empty() { Ok(()) } else { self.report(&device.dsn, &report).await }
    }

    async fn report(&mut self, dsn: &str, values: &Values) -> Result<(), Error> {
        self.publish(wire::report_topic(dsn), &Report { properties: values }).await
    }

    /// Unacknowledged publishes are not kept: a new connection reports everything, and the cloud repeats its commands.
    async fn publish(&mut self, topic: String, payload: &impl Serialize) -> Result<(), Error> {
        let payload = serde_json::to_vec(payload).expect("names and JSON values can be written");
        let mut publish = Publish::new(topic, QoS::AtLeastOnce, payload);
        publish.pkid = self.next_id();
        Ok(self.link.send(Packet::Publish(publish)).await?)
    }

    /// Packet identifiers go round and leave out 0.
    fn next_id(&mut self) -> u16 {
        self.last_id = self.last_id.checked_add(1).unwrap_or(1);
        self.last_id
    }
}

#[cfg(test)]
mod tests {
    use rumqttc::mqttbytes::v4::{ConnAck, SubAck};
    use serde_json::json;
    use tokio::io::duplex;
    use tokio::task::JoinHandle;

    use super::*;
    use crate::testing::{Cloud, device};

    type Ended = (Device, Result<(), Error>);

    /// A device that has signed in, subscribed and reported, on a clock that stands.
    async fn connected() -> (Cloud<tokio::io::DuplexStream>, JoinHandle<Ended>, CancellationToken) {
        let (here, there) = duplex(64 * 1024);
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let running = tokio::spawn(async move {
            let mut device = device("SL0001");
            let mut session = sign_in(there, &device).await.unwrap();
            let end = session.run(&mut device, &stopped).await;
            (device, end)
        });
        let mut cloud = Cloud::new(here);
        cloud.let_in().await;
        cloud.grant().await;
        let report = cloud.report().await;
        assert_eq!(
            (&report["current_state"], &report["intensity"], &report["cycle"]),
            (&json!(1), &json!(1), &json!(3))
        );
        (cloud, running, stop)
    }

    #[tokio::test(start_paused = true)]
    async fn a_command_is_acknowledged_within_a_second_and_then_reported() {
        let (mut cloud, running, stop) = connected().await;
        let sent = Instant::now();
        cloud.command("c1", "intensity", json!(30)).await;
        assert_eq!(cloud.published("ack").await, json!({"id": "c1", "status": 200, "message": 0}));
        assert!(OBEY.contains(&sent.elapsed()), "{:?}", sent.elapsed());
        assert_eq!(cloud.report().await, json!({"intensity": 30}));
        stop.cancel();
        cloud.goodbye().await;
        let (device, end) = running.await.unwrap();
        assert!(end.is_ok());
        assert_eq!(device.state.intensity, 30);
    }

    #[tokio::test(start_paused = true)]
    async fn a_bad_command_is_refused_with_422_and_nothing_is_reported() {
        let (mut cloud, running, stop) = connected().await;
        cloud.command("c1", "intensity", json!(41)).await;
        let refused = json!({"id": "c1", "status": 422, "message": "Intensity must be between 1 and 40"});
        assert_eq!(cloud.published("ack").await, refused);
        stop.cancel();
        cloud.goodbye().await;
        assert_eq!(running.await.unwrap().0.state.intensity, 1);
    }

    #[tokio::test(start_paused = true)]
    async fn commands_are_obeyed_in_their_order_and_a_repeated_one_once() {
        let (mut cloud, _running, _stop) = connected().await;
        for (id, property, value) in [("c1", "cycle", 1), ("c2", "intensity", 49), ("c1", "cycle", 1), ("c3", "fan", 2)]
        {
            cloud.command(id, property, json!(value)).await;
        }
        for (id, report) in [("c1", json!({"cycle": 1})), ("c2", json!({"intensity": 49})), ("c3", json!({"fan": 2}))] {
            assert_eq!(cloud.published("ack").await["id"], id);
            assert_eq!(cloud.report().await, report);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_no_command_is_passed_over() {
        let (mut cloud, _running, _stop) = connected().await;
        cloud.send(Packet::Publish(Publish::new("devices/SL0001/command", QoS::AtMostOnce, "{"))).await;
        cloud.command("c1", "fan", json!(2)).await;
        assert_eq!(cloud.published("ack").await["id"], "c1");
    }

    #[tokio::test(start_paused = true)]
    async fn an_idle_device_pings_in_time_and_leaves_a_silent_cloud() {
        let (mut cloud, running, _stop) = connected().await;
        let since = Instant::now();
        assert_eq!(cloud.next().await, Packet::PingReq);
        assert!(since.elapsed() < KEEP_ALIVE);
        cloud.send(Packet::PingResp).await;
        assert_eq!(cloud.next().await, Packet::PingReq);
        assert!(matches!(running.await.unwrap().1, Err(Error::NoAnswer)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_refused_subscription_ends_the_connection() {
        let (here, there) = duplex(64 * 1024);
        let running = tokio::spawn(async move {
            let mut device = device("SL0001");
            sign_in(there, &device).await.unwrap().run(&mut device, &CancellationToken::new()).await
        });
        let mut cloud = Cloud::new(here);
        cloud.let_in().await;
        let Packet::Subscribe(subscribe) = cloud.next().await else { panic!("a device subscribes first") };
        cloud.send(Packet::SubAck(SubAck::new(subscribe.pkid, vec![SubscribeReasonCode::Failure]))).await;
        assert!(matches!(running.await.unwrap(), Err(Error::NotSubscribed)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_wrong_key_is_told_from_a_silent_cloud() {
        for (answer, expected) in [(Some(ConnectReturnCode::NotAuthorized), "refused"), (None, "no answer")] {
            let (here, there) = duplex(64 * 1024);
            let running = tokio::spawn(async move { sign_in(there, &device("SL0001")).await.err() });
            let mut cloud = Cloud::new(here);
            let Packet::Connect(_) = cloud.next().await else { panic!("a device begins with CONNECT") };
            if let Some(code) = answer {
                cloud.send(Packet::ConnAck(ConnAck::new(code, false))).await;
            }
            let error = running.await.unwrap().expect("no session");
            assert!(error.to_string().starts_with(expected), "{error}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn packet_identifiers_go_round_without_zero() {
        let (_here, there) = duplex(64);
        let codec = Codec { max_incoming_size: 1, max_outgoing_size: 1 };
        let mut session =
            Session { link: Framed::new(there, codec), last_id: u16::MAX - 1, due: VecDeque::new(), heard: true };
        assert_eq!([session.next_id(), session.next_id()], [u16::MAX, 1]);
    }
}
