//! One MQTT connection of one virtual diffuser: sign-in, reports, commands and keep-alive.

pub(crate) mod link;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::ops::Range;
use std::time::Duration;

use futures::{SinkExt, StreamExt};
use jiff::tz::TimeZone;
use rumqttc::mqttbytes;
use rumqttc::mqttbytes::QoS;
use rumqttc::mqttbytes::v4::{
    Codec, Connect, ConnectReturnCode, Packet, PubAck, Publish, SubAck, Subscribe, SubscribeFilter, SubscribeReasonCode,
};
use serde::Serialize;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::codec::Framed;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::machine::{Effect, Input, Machine};
use crate::rng::DeviceRng;
use crate::wire::{self, Command, Settings};

/// The keep-alive interval sent to the cloud, which closes the connection after one and a half times this.
const KEEP_ALIVE: Duration = Duration::from_secs(60);
/// The interval between pings, and the time to wait for a response.
const PING: Duration = Duration::from_secs(30);
const SIGN_IN_TIMEOUT: Duration = Duration::from_secs(10);
const DISCONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long the appliance takes to apply a command: less than a second.
const APPLY_DELAY: Range<Duration> = Duration::from_millis(100)..Duration::from_millis(800);
/// Large enough for a command with a full schedule. The cloud's limit is similar.
pub(crate) const MAX_PACKET: usize = 16 * 1024;
/// The initial buffer size. The codec's default would cost 16 KiB for each of thousands of devices.
const BUFFER: usize = 256;

/// A diffuser with its credentials for the link.
pub(crate) struct Device {
    pub(crate) dsn: String,
    pub(crate) key: String,
    pub(crate) machine: Machine,
    pub(crate) rng: DeviceRng,
    pub(crate) clock: Clock,
}

/// Why the device ended a connection.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Stopped, with DISCONNECT.
    Stopped,
    /// Dropped out, without DISCONNECT.
    DroppedOut,
}

/// Why a connection failed.
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
pub(crate) async fn sign_in<T>(io: T, device: &Device) -> Result<LinkSession<T>, Error>
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
        Packet::ConnAck(ack) if ack.code == ConnectReturnCode::Success => Ok(LinkSession {
            link,
            last_id: 0,
            due: VecDeque::new(),
            ping_at: Instant::now() + PING,
            received_since_ping: true,
        }),
        Packet::ConnAck(ack) => Err(Error::Refused(ack.code)),
        _ => Err(Error::Unexpected),
    }
}

/// A signed-in connection.
pub(crate) struct LinkSession<T> {
    link: Framed<T, Codec>,
    last_id: u16,
    /// Commands that are being applied, in order, each with the time of its acknowledgement.
    due: VecDeque<(Instant, Command)>,
    ping_at: Instant,
    received_since_ping: bool,
}

impl<T> LinkSession<T>
where
    T: AsyncRead + AsyncWrite + Unpin,
{
    /// Reports everything, then applies commands until `stop` or the drop-out.
    pub(crate) async fn run(
        &mut self,
        device: &mut Device,
        stop: &CancellationToken,
        drop_out: Option<Instant>,
    ) -> Result<End, Error> {
        let filter = |topic| SubscribeFilter::new(topic, QoS::AtLeastOnce);
        let topics = [wire::command_topic(&device.dsn), wire::settings_topic(&device.dsn)];
        let mut subscribe = Subscribe::new_many(topics.map(filter));
        subscribe.pkid = self.next_id();
        self.link.feed(Packet::Subscribe(subscribe)).await?;
        self.step(device, Input::Connected).await?;

        loop {
            // Biased, so that simultaneous events are always handled in the same order.
            tokio::select! {
                biased;
                () = stop.cancelled() => return self.leave(device).await,
                () = sleep_until(self.wake(device, drop_out)) => {
                    let now = Instant::now();
                    if drop_out.is_some_and(|at| at <= now) {
                        return Ok(End::DroppedOut);
                    }
                    self.on_timer(device, now).await?;
                }
                packet = self.link.next() => self.receive(packet.ok_or(Error::Closed)??, device).await?,
                () = device.clock.changed() => self.step(device, Input::Time).await?,
            }
        }
    }

    /// Sends DISCONNECT after the last report is acknowledged or timed out.
    async fn leave(&mut self, device: &mut Device) -> Result<End, Error> {
        let before = self.last_id;
        self.step(device, Input::Leaving).await?;
        let last = Packet::PubAck(PubAck::new(self.last_id));
        let stored = async {
            while self.link.next().await.ok_or(Error::Closed)?? != last {}
            Ok::<_, Error>(())
        };
        if self.last_id != before
            && let Ok(stored) = timeout(DISCONNECT_TIMEOUT, stored).await
        {
            stored?;
        }
        self.link.send(Packet::Disconnect).await?;
        Ok(End::Stopped)
    }

    /// The next time at which anything is due. A single timer per device keeps large fleets cheap.
    fn wake(&self, device: &Device, drop_out: Option<Instant>) -> Instant {
        let by_itself = device.machine.due().duration_since(device.clock.now());
        let by_itself = Duration::try_from(by_itself).unwrap_or_default().min(PING);
        let apply_at = self.due.front().map(|(at, _)| *at);
        let others = [Some(self.ping_at), apply_at, drop_out];
        others.into_iter().flatten().fold(Instant::now() + by_itself, Instant::min)
    }

    async fn on_timer(&mut self, device: &mut Device, now: Instant) -> Result<(), Error> {
        if self.ping_at <= now {
            if !std::mem::take(&mut self.received_since_ping) {
                return Err(Error::NoAnswer);
            }
            self.ping_at = now + PING;
            self.link.feed(Packet::PingReq).await?;
        }
        let input = match self.due.pop_front_if(|(at, _)| *at <= now) {
            Some((_, command)) => Input::Command(command),
            None => Input::Time,
        };
        self.step(device, input).await
    }

    async fn receive(&mut self, packet: Packet, device: &mut Device) -> Result<(), Error> {
        self.received_since_ping = true;
        match packet {
            Packet::Publish(publish) => {
                if publish.qos == QoS::AtLeastOnce {
                    self.link.send(Packet::PubAck(PubAck::new(publish.pkid))).await?;
                }
                self.read(&publish, device).await
            }
            Packet::SubAck(SubAck { return_codes, .. }) => match return_codes.as_slice() {
                [SubscribeReasonCode::Success(_), ..] => Ok(()),
                _ => Err(Error::NotSubscribed),
            },
            Packet::PubAck(_) | Packet::PingResp => Ok(()),
            _ => Err(Error::Unexpected),
        }
    }

    async fn read(&mut self, publish: &Publish, device: &mut Device) -> Result<(), Error> {
        if publish.topic == wire::settings_topic(&device.dsn) {
            match serde_json::from_slice(&publish.payload) {
                Ok(settings) => return self.step(device, settings_input(settings, &device.dsn)).await,
                Err(_) => tracing::warn!(dsn = device.dsn, "the cloud sent invalid settings"),
            }
        } else {
            match serde_json::from_slice(&publish.payload) {
                Ok(command) => self.accept(command, &mut device.rng),
                Err(_) => tracing::warn!(dsn = device.dsn, "the cloud sent an invalid command"),
            }
        }
        Ok(())
    }

    /// Queues a command. Commands are applied in order, so none is due before an earlier one.
    fn accept(&mut self, command: Command, rng: &mut DeviceRng) {
        if self.due.iter().any(|(_, known)| known.id == command.id) {
            return;
        }
        let at = Instant::now() + rng.pick(APPLY_DELAY);
        let after = self.due.back().map_or(at, |(last, _)| at.max(*last));
        self.due.push_back((after, command));
    }

    /// Steps the machine and sends all resulting messages in one flush.
    async fn step(&mut self, device: &mut Device, input: Input) -> Result<(), Error> {
        let before = device.machine.running();
        let effects = device.machine.step(input, device.clock.now());
        let running = device.machine.running();
        if running != before {
            tracing::debug!(dsn = device.dsn, ?running, "the running state changed");
        }
        for effect in effects {
            match effect {
                Effect::Ack(ack) => self.publish(wire::ack_topic(&device.dsn), &ack).await?,
                Effect::Report(report) => self.publish(wire::report_topic(&device.dsn), &report).await?,
            }
        }
        Ok(self.link.flush().await?)
    }

    /// Publishes at QoS 1. Unacknowledged messages are not resent, because a new connection reports everything and the cloud
    /// repeats its commands.
    async fn publish(&mut self, topic: String, payload: &impl Serialize) -> Result<(), Error> {
        let payload = serde_json::to_vec(payload).expect("serializing names and JSON values cannot fail");
        let mut publish = Publish::new(topic, QoS::AtLeastOnce, payload);
        publish.pkid = self.next_id();
        Ok(self.link.feed(Packet::Publish(publish)).await?)
    }

    /// Packet identifiers wrap around and skip 0.
    fn next_id(&mut self) -> u16 {
        self.last_id = self.last_id.checked_add(1).unwrap_or(1);
        self.last_id
    }
}

fn settings_input(Settings { time_zone, time }: Settings, dsn: &str) -> Input {
    let time_zone = time_zone.and_then(|name| {
        let known = TimeZone::get(&name).ok();
        if known.is_none() {
            tracing::warn!(dsn, "the cloud sent an unknown time zone");
        }
        known
    });
    Input::Settings { time_zone, time }
}
