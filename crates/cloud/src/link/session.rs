//! One connection of one device.

use std::collections::HashSet;
use std::time::Duration;

use futures::{SinkExt, StreamExt};
use rumqttc::mqttbytes;
use rumqttc::mqttbytes::QoS;
use rumqttc::mqttbytes::v4::{
    Codec, ConnAck, ConnectReturnCode, Packet, PubAck, Publish, SubAck, Subscribe, SubscribeReasonCode, UnsubAck,
    Unsubscribe,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_util::codec::Framed;

use super::gateway::Shared;
use super::payload::{self, PayloadError};
use super::registry::Place;
use super::sign_in::{SignedIn, sign_in};
use super::topics::{Topics, Upward};
use crate::devices::link::{LinkedDevice, ReportError};

/// The largest payload and room for the topic around it, so that the codec refuses more before it is read.
const MAX_PACKET: usize = payload::MAX_PAYLOAD + 256;
/// What a buffer begins with; thousands of devices mostly say little.
const BUFFER: usize = 1024;
const MAX_IN_FLIGHT: usize = 16;
/// A device that takes nothing for this long holds its connection for no use.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);
/// Until the next try when the database could not be told that a device is gone.
const OFFLINE_AGAIN: Duration = Duration::from_secs(5);

pub(super) type Wire<T> = Framed<T, Codec>;

/// Why a session ended.
#[derive(Debug, thiserror::Error)]
enum End {
    #[error("said goodbye")]
    Goodbye,
    #[error("connection lost")]
    Lost,
    #[error("nothing heard within one and a half keep-alives")]
    KeepAlive,
    #[error("takes nothing")]
    Stalled,
    #[error("a newer connection took over")]
    Replaced,
    #[error("the gateway stops")]
    Stopped,
    #[error("published to a topic that is not its own")]
    ForeignTopic,
    #[error("published with QoS 2")]
    ExactlyOnce,
    #[error("{0}")]
    Payload(#[from] PayloadError),
    #[error("reported a property that it does not have")]
    UnknownProperty,
    #[error("reported a value that is none of its property's")]
    BadValue,
    #[error("unexpected packet")]
    Unexpected,
    #[error("malformed packet: {0}")]
    Malformed(mqttbytes::Error),
    #[error("store: {0}")]
    Store(#[from] platform::db::Error),
}

impl From<mqttbytes::Error> for End {
    fn from(error: mqttbytes::Error) -> Self {
        match error {
            mqttbytes::Error::Io(_) => Self::Lost,
            mqttbytes::Error::PayloadSizeLimitExceeded(_) => Self::Payload(PayloadError::TooLarge),
            other => Self::Malformed(other),
        }
    }
}

impl From<ReportError> for End {
    // The reason in full would bring names from a payload into the log.
    fn from(error: ReportError) -> Self {
        match error {
            ReportError::UnknownProperty(_) => Self::UnknownProperty,
            ReportError::BadValue { .. } => Self::BadValue,
            ReportError::Database(error) => Self::Store(error),
        }
    }
}

impl End {
    /// The device did what the link does not allow.
    fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::ForeignTopic
                | Self::ExactlyOnce
                | Self::Payload(_)
                | Self::UnknownProperty
                | Self::BadValue
                | Self::Unexpected
                | Self::Malformed(_)
        )
    }
}

/// Serves a connection until it ends, from sign-in to Offline.
pub(super) async fn serve<T>(io: T, shared: &Shared)
where
    T: AsyncRead + AsyncWrite + Unpin,
{
    let codec = Codec { max_incoming_size: MAX_PACKET, max_outgoing_size: MAX_PACKET };
    let mut wire = Framed::with_capacity(io, codec, BUFFER);
    let Some(signed_in) = shared.stop.run_until_cancelled(sign_in(&mut wire, &shared.service)).await else { return };
    let SignedIn { device, topics, idle } = match signed_in {
        Ok(signed_in) => signed_in,
        Err((dsn, refusal)) => {
            tracing::warn!(dsn, reason = %refusal, "refused a connection");
            if let Some(code) = refusal.code() {
                let _ = send(&mut wire, Packet::ConnAck(ConnAck::new(code, false))).await;
            }
            return;
        }
    };
    let generation = match shared.service.connected(&device).await {
        Ok(generation) => generation,
        Err(error) => {
            tracing::error!(dsn = device.dsn(), %error, "a device could not be set Online");
            let _ = send(&mut wire, Packet::ConnAck(ConnAck::new(ConnectReturnCode::ServiceUnavailable, false))).await;
            return;
        }
    };
    let place = shared.registry.enter(device.dsn(), generation);
    tracing::info!(dsn = device.dsn(), "a device connected");
    let session = Session {
        wire,
        shared,
        device: &device,
        topics,
        place,
        idle,
        subscribed: None,
        in_flight: HashSet::new(),
        sent: HashSet::new(),
        waiting: false,
        last_id: 0,
    };
    let end = session.run().await;
    if end.is_refusal() {
        tracing::warn!(dsn = device.dsn(), reason = %end, "refused a device's packet");
    } else {
        tracing::info!(dsn = device.dsn(), reason = %end, "a device disconnected");
    }
    // Otherwise it would look Online for ever. A gateway that stops need not try again: the next start sweeps.
    while let Err(error) = shared.service.disconnected(&device, generation).await {
        tracing::error!(dsn = device.dsn(), %error, "a device could not be set Offline");
        if shared.stop.run_until_cancelled(sleep(OFFLINE_AGAIN)).await.is_none() {
            break;
        }
    }
}

struct Session<'a, T> {
    wire: Wire<T>,
    shared: &'a Shared,
    device: &'a LinkedDevice,
    topics: Topics,
    place: Place,
    idle: Duration,
    /// The quality of service that was granted for commands.
    subscribed: Option<QoS>,
    /// Packet identifiers of commands that the device has not taken yet.
    in_flight: HashSet<u16>,
    /// Commands given to this connection that still wait for the device's own ack.
    sent: HashSet<String>,
    /// Commands wait for room in flight.
    waiting: bool,
    last_id: u16,
}

impl<T> Session<'_, T>
where
    T: AsyncRead + AsyncWrite + Unpin,
{
    async fn run(mut self) -> End {
        let Err(end) = self.serve().await;
        end
    }

    async fn serve(&mut self) -> Result<std::convert::Infallible, End> {
        send(&mut self.wire, Packet::ConnAck(ConnAck::new(ConnectReturnCode::Success, false))).await?;
        let mut silent_until = Instant::now() + self.idle;
        loop {
            tokio::select! {
                () = self.shared.stop.cancelled() => return Err(End::Stopped),
                () = self.place.replaced() => return Err(End::Replaced),
                () = self.place.woken(), if self.subscribed.is_some() => self.deliver().await?,
                packet = timeout_at(silent_until, self.wire.next()) => {
                    let packet = packet.map_err(|_| End::KeepAlive)?.ok_or(End::Lost)??;
                    self.receive(packet).await?;
                    silent_until = Instant::now() + self.idle;
                }
            }
        }
    }

    async fn receive(&mut self, packet: Packet) -> Result<(), End> {
        match packet {
            Packet::Publish(publish) => self.take(publish).await,
            Packet::PubAck(ack) => {
                self.in_flight.remove(&ack.pkid);
                if self.waiting { self.deliver().await } else { Ok(()) }
            }
            Packet::Subscribe(subscribe) => self.subscribe(subscribe).await,
            Packet::Unsubscribe(unsubscribe) => self.unsubscribe(unsubscribe).await,
            Packet::PingReq => send(&mut self.wire, Packet::PingResp).await,
            Packet::Disconnect => Err(End::Goodbye),
            _ => Err(End::Unexpected),
        }
    }

    /// Stores what the device says. The acknowledgement follows the commit; a refused publish gets none.
    async fn take(&mut self, publish: Publish) -> Result<(), End> {
        if publish.qos == QoS::ExactlyOnce {
            return Err(End::ExactlyOnce);
        }
        match self.topics.upward(&publish.topic).ok_or(End::ForeignTopic)? {
            Upward::Report => {
                let report = payload::report(&publish.payload)?;
                self.shared.service.report(self.device, report.values, report.at).await?;
            }
            Upward::Ack => {
                let ack = payload::ack(&publish.payload)?;
                let outcome = self.shared.service.ack(self.device, &ack.id, ack.status, ack.message).await?;
                tracing::debug!(dsn = self.device.dsn(), ?outcome, "a device answered a command");
            }
        }
        match publish.qos {
            QoS::AtMostOnce => Ok(()),
            _ => send(&mut self.wire, Packet::PubAck(PubAck::new(publish.pkid))).await,
        }
    }

    async fn subscribe(&mut self, subscribe: Subscribe) -> Result<(), End> {
        let mut codes = Vec::with_capacity(subscribe.filters.len());
        for filter in &subscribe.filters {
            codes.push(if self.topics.may_subscribe(&filter.path) {
                let granted = if filter.qos == QoS::AtMostOnce { QoS::AtMostOnce } else { QoS::AtLeastOnce };
                self.subscribed = Some(granted);
                SubscribeReasonCode::Success(granted)
            } else {
                tracing::warn!(
                    dsn = self.device.dsn(),
                    "refused a subscription to a topic that is not the device's own"
                );
                SubscribeReasonCode::Failure
            });
        }
        send(&mut self.wire, Packet::SubAck(SubAck::new(subscribe.pkid, codes))).await?;
        self.deliver().await
    }

    async fn unsubscribe(&mut self, unsubscribe: Unsubscribe) -> Result<(), End> {
        if unsubscribe.topics.iter().any(|topic| self.topics.may_subscribe(topic)) {
            self.subscribed = None;
        }
        send(&mut self.wire, Packet::UnsubAck(UnsubAck::new(unsubscribe.pkid))).await
    }

    /// Sends the pending commands that this connection has not had yet, as far as there is room in flight. Only the
    /// device's own ack settles a command; without one it is sent again at the next connection.
    async fn deliver(&mut self) -> Result<(), End> {
        let Some(qos) = self.subscribed else { return Ok(()) };
        let pending = self.shared.service.pending_commands(self.device).await?;
        self.sent.retain(|id| pending.iter().any(|command| command.id == *id));
        self.waiting = false;
        for command in &pending {
            if self.sent.contains(&command.id) {
                continue;
            }
            if self.in_flight.len() >= MAX_IN_FLIGHT {
                self.waiting = true;
                break;
            }
            let mut publish = Publish::new(self.topics.command(), qos, payload::command(command));
            if qos == QoS::AtLeastOnce {
                publish.pkid = self.next_id();
                self.in_flight.insert(publish.pkid);
            }
            send(&mut self.wire, Packet::Publish(publish)).await?;
            self.sent.insert(command.id.clone());
        }
        Ok(())
    }

    /// Packet identifiers go round, leave out 0 and those in flight.
    fn next_id(&mut self) -> u16 {
        loop {
            self.last_id = self.last_id.checked_add(1).unwrap_or(1);
            if !self.in_flight.contains(&self.last_id) {
                return self.last_id;
            }
        }
    }
}

async fn send<T>(wire: &mut Wire<T>, packet: Packet) -> Result<(), End>
where
    T: AsyncRead + AsyncWrite + Unpin,
{
    Ok(timeout(WRITE_TIMEOUT, wire.send(packet)).await.map_err(|_| End::Stalled)??)
}

#[cfg(test)]
mod tests {
    use bytes::BytesMut;
    use proptest::prelude::*;
    use tokio_util::codec::Decoder;

    use super::*;

    #[test]
    fn the_codec_refuses_a_large_packet_by_its_header_alone() {
        let mut codec = Codec { max_incoming_size: MAX_PACKET, max_outgoing_size: MAX_PACKET };
        let header_of_256_mib: &[u8] = &[0x30, 0xff, 0xff, 0xff, 0x7f];
        let end = codec.decode(&mut BytesMut::from(header_of_256_mib)).map_err(End::from);
        assert!(matches!(end, Err(End::Payload(PayloadError::TooLarge))), "{end:?}");
    }

    proptest! {
        // A panic in the codec would leave a device Online for ever.
        #[test]
        fn arbitrary_bytes_do_no_harm_to_the_codec(kind in 0u8..16, body in proptest::collection::vec(any::<u8>(), 0..120)) {
            let mut codec = Codec { max_incoming_size: MAX_PACKET, max_outgoing_size: MAX_PACKET };
            let length = u8::try_from(body.len()).unwrap();
            for flags in 0..16 {
                let mut bytes = BytesMut::from([&[kind << 4 | flags, length], body.as_slice()].concat().as_slice());
                let _ = codec.decode(&mut bytes);
            }
            let _ = codec.decode(&mut BytesMut::from(body.as_slice()));
        }
    }
}
