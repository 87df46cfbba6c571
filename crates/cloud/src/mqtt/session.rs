//! One connection of one device.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::{SinkExt, StreamExt};
use jiff::Timestamp;
use rumqttc::mqttbytes::QoS;
use rumqttc::mqttbytes::v4::{
    ConnAck, ConnectReturnCode, Packet, PubAck, Publish, SubAck, Subscribe, SubscribeReasonCode, UnsubAck, Unsubscribe,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};
use tokio_util::codec::Framed;

use super::codec::{Codec, Wire};
use super::inbound::{self, Message};
use super::rate::LeakyBucket;
use super::refusals::Claimed;
use super::registry::Registration;
use super::send_queue::SendQueue;
use super::session_end::SessionEnd;
use super::shared::Shared;
use super::sign_in::{SignInError, SignedIn, sign_in};
use super::slots::Slot;
use super::topics::{Outbound, Topics};
use crate::devices::link::{AckOutcome, ConnectError, Generation, LinkedDevice};
use crate::metrics;

/// Initial buffer size: most of the thousands of devices send little.
const INITIAL_BUFFER: usize = 1024;
/// A device that accepts no bytes for this long is disconnected.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);
/// Time limit for closing a connection.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
/// In keep-alives. Device and network are allowed some delay.
const SILENT_AFTER: f64 = 1.25;
/// In keep-alives. The connection is closed then (MQTT-3.1.2-24).
const LOST_AFTER: f64 = 1.5;
/// Delay before setting the device Offline is retried after a database error.
const OFFLINE_RETRY_DELAY: Duration = Duration::from_secs(5);

/// Serves a connection from sign-in, which must finish before `deadline`, until the device is Offline.
pub(super) async fn serve<T>(io: T, mut slot: Slot, from: IpAddr, deadline: Instant, shared: &Shared)
where
    T: AsyncRead + AsyncWrite + Unpin,
{
    let mut wire = Framed::with_capacity(io, Codec::new(), INITIAL_BUFFER);
    let closed = slot.closed();
    let signed_in = tokio::select! {
        () = shared.stop.cancelled() => return,
        () = closed => return,
        signed_in = sign_in(&mut wire, &mut slot, from, deadline, shared) => signed_in,
    };
    let SignedIn { device, claimed, topics, keep_alive } = match signed_in {
        Ok(signed_in) => signed_in,
        Err((claimed, error)) => return refuse(&mut wire, from, claimed.as_ref(), &error, shared).await,
    };
    let generation = match shared.service.connected(&device).await {
        Ok(generation) => generation,
        Err(error) => {
            let code = failed_connect(&device, from, &claimed, &error, shared);
            return reject(&mut wire, code).await;
        }
    };
    let registration = shared.registry.register(device.dsn(), generation, device.revocation());
    tracing::info!(dsn = device.dsn(), "a device connected");
    metrics::device_connected();
    let session = MqttSession {
        wire,
        shared,
        device: &device,
        number: slot.number(),
        queue: SendQueue::new(topics.clone()),
        topics,
        registration,
        generation,
        keep_alive,
        silent: false,
        speed: LeakyBucket::empty(Instant::now()),
        logged_refusal: false,
    };
    let end = session.run().await;
    metrics::device_disconnected();
    let is_replaced = matches!(end, SessionEnd::Replaced);
    if is_replaced {
        shared.service.replaced_by_newer(&device).await;
    }
    shared.service.store_faults(&device, None).await;
    if end.is_refusal() {
        // Before the device is Offline, because its page is read again then.
        if shared.refused(from, Some(&claimed), &end) {
            shared.record_refusal(device.id(), end.to_string()).await;
        }
    } else {
        tracing::info!(dsn = device.dsn(), reason = %end, "a device disconnected");
    }
    // Otherwise the device stays Online.
    if !is_replaced {
        set_offline(&device, generation, shared).await;
    }
}

/// Answers a sign-in that failed.
async fn refuse<T>(wire: &mut Wire<T>, from: IpAddr, claimed: Option<&Claimed>, error: &SignInError, shared: &Shared)
where
    T: AsyncRead + AsyncWrite + Unpin,
{
    let is_new = match error {
        SignInError::Closed => false,
        // The database logs its own unavailability once, instead of for each device.
        SignInError::Store(error) if error.is_unavailable() => false,
        SignInError::Store(error) => {
            tracing::error!(dsn = claimed.map(|claimed| &claimed.dsn), %error, "a device could not be signed in");
            false
        }
        _ => shared.refused(from, claimed, error),
    };
    if let Some(code) = error.code() {
        reject(wire, code).await;
    }
    // After the answer, whose delay would otherwise tell whether the dsn exists.
    if let Some(id) = error.device_id().filter(|_| is_new) {
        shared.record_refusal(id, error.to_string()).await;
    }
}

/// Records why a device that had signed in was not connected, and returns the code for it.
fn failed_connect(
    device: &LinkedDevice,
    from: IpAddr,
    claimed: &Claimed,
    error: &ConnectError,
    shared: &Shared,
) -> ConnectReturnCode {
    match error {
        ConnectError::Revoked => {
            shared.refused(from, Some(claimed), error);
            return ConnectReturnCode::NotAuthorized;
        }
        ConnectError::Database(error) if !error.is_unavailable() => {
            tracing::error!(dsn = device.dsn(), %error, "a device could not be set Online");
        }
        ConnectError::NodeIsDead | ConnectError::Database(_) => {}
    }
    ConnectReturnCode::ServiceUnavailable
}

/// Without a retry the device would stay Online. A gateway that stops need not retry: another node or the next start sets the device
/// Offline.
async fn set_offline(device: &LinkedDevice, generation: Generation, shared: &Shared) {
    while let Err(error) = shared.service.disconnected(device, generation).await {
        if !error.is_unavailable() {
            tracing::error!(dsn = device.dsn(), %error, "a device could not be set Offline");
        }
        if shared.stop.run_until_cancelled(sleep(OFFLINE_RETRY_DELAY)).await.is_none() {
            shared.left_online.store(true, Ordering::Relaxed);
            break;
        }
    }
}

struct MqttSession<'a, T> {
    wire: Wire<T>,
    shared: &'a Shared,
    device: &'a LinkedDevice,
    /// Of the connection.
    number: u64,
    topics: Topics,
    queue: SendQueue,
    registration: Registration,
    generation: Generation,
    keep_alive: Duration,
    /// Whether it is stored that the device is silent.
    silent: bool,
    speed: LeakyBucket,
    /// Whether a refused subscription of this connection was logged already.
    logged_refusal: bool,
}

impl<T> MqttSession<'_, T>
where
    T: AsyncRead + AsyncWrite + Unpin,
{
    async fn run(mut self) -> SessionEnd {
        let Err(end) = self.serve().await;
        close(&mut self.wire).await;
        end
    }

    async fn serve(&mut self) -> Result<Infallible, SessionEnd> {
        send(&mut self.wire, Packet::ConnAck(ConnAck::new(ConnectReturnCode::Success, false))).await?;
        let mut heard = Instant::now();
        let mut heard_at = self.shared.service.now();
        loop {
            tokio::select! {
                () = self.shared.closed(self.number) => return Err(SessionEnd::Stopped),
                () = self.registration.replaced() => return Err(SessionEnd::Replaced),
                () = self.registration.revoked() => return Err(SessionEnd::Revoked),
                () = self.device.node().ended() => return Err(SessionEnd::NodeIsDead),
                () = self.registration.woken(), if self.queue.has_subscriptions() => self.deliver().await?,
                due = self.registration.due() => {
                    let is_late = due.iter().any(|command| !self.queue.has_sent(command));
                    if is_late && self.queue.is_subscribed(Outbound::Command) {
                        self.deliver().await?;
                    }
                }
                () = elapsed(self.device.faults_due()) => self.shared.service.store_faults(self.device, Some(Instant::now())).await,
                () = sleep_until(heard + self.keep_alive.mul_f64(SILENT_AFTER)), if !self.silent => {
                    self.set_silent(Some(heard_at)).await;
                }
                packet = timeout_at(heard + self.keep_alive.mul_f64(LOST_AFTER), self.wire.next()) => {
                    let packet = packet.map_err(|_| SessionEnd::KeepAlive)?.ok_or(SessionEnd::Lost)??;
                    if !self.speed.take(self.shared.rate, Instant::now()) {
                        return Err(SessionEnd::TooFast);
                    }
                    heard_at = self.shared.service.now();
                    if self.silent {
                        self.set_silent(None).await;
                    }
                    self.receive(packet).await?;
                    heard = Instant::now();
                }
            }
        }
    }

    /// Stores since when the device is silent, or that it no longer is.
    async fn set_silent(&mut self, since: Option<Timestamp>) {
        self.silent = since.is_some();
        self.shared.service.set_silent(self.device, self.generation, since).await;
    }

    async fn receive(&mut self, packet: Packet) -> Result<(), SessionEnd> {
        match packet {
            Packet::Publish(publish) => self.take(publish).await,
            Packet::PubAck(ack) => {
                if self.queue.acknowledged(ack.pkid) {
                    self.deliver().await?;
                }
                Ok(())
            }
            Packet::Subscribe(subscribe) => self.subscribe(subscribe).await,
            Packet::Unsubscribe(unsubscribe) => self.unsubscribe(unsubscribe).await,
            Packet::PingReq => send(&mut self.wire, Packet::PingResp).await,
            Packet::Disconnect => Err(SessionEnd::Disconnect),
            _ => Err(SessionEnd::Unexpected),
        }
    }

    /// Stores a message of the device. The PUBACK follows the commit; a publish that ends the connection gets none.
    async fn take(&mut self, publish: Publish) -> Result<(), SessionEnd> {
        let strictness = self.device.strictness();
        match inbound::read(&self.topics, &publish, strictness, |name| self.device.has_property(name))? {
            Message::Report(report) => self.shared.service.report(self.device, report).await?,
            Message::Unreadable(fault) => self.shared.service.count_faults(self.device, vec![fault]).await?,
            Message::Ack(ack) => {
                self.shared.service.count_faults(self.device, ack.faults).await?;
                let outcome = self.shared.service.ack(self.device, &ack.id, ack.status, ack.message).await?;
                tracing::debug!(dsn = self.device.dsn(), ?outcome, "a device acknowledged a command");
                if outcome == AckOutcome::Replaced {
                    return Err(SessionEnd::Replaced);
                }
            }
        }
        match publish.qos {
            QoS::AtMostOnce => Ok(()),
            _ => send(&mut self.wire, Packet::PubAck(PubAck::new(publish.pkid))).await,
        }
    }

    async fn subscribe(&mut self, subscribe: Subscribe) -> Result<(), SessionEnd> {
        let mut codes = Vec::with_capacity(subscribe.filters.len());
        for filter in &subscribe.filters {
            codes.push(if let Some(outbound) = self.topics.outbound(&filter.path) {
                SubscribeReasonCode::Success(self.queue.subscribe(outbound, filter.qos))
            } else {
                if !self.logged_refusal {
                    tracing::warn!(dsn = self.device.dsn(), "refused a subscription to a topic that is not its own");
                }
                self.logged_refusal = true;
                SubscribeReasonCode::Failure
            });
        }
        send(&mut self.wire, Packet::SubAck(SubAck::new(subscribe.pkid, codes))).await?;
        self.deliver().await
    }

    async fn unsubscribe(&mut self, unsubscribe: Unsubscribe) -> Result<(), SessionEnd> {
        for outbound in unsubscribe.topics.iter().filter_map(|topic| self.topics.outbound(topic)) {
            self.queue.unsubscribe(outbound);
        }
        send(&mut self.wire, Packet::UnsubAck(UnsubAck::new(unsubscribe.pkid))).await
    }

    /// Sends subscribed messages that were not sent yet, as far as there is room in flight.
    async fn deliver(&mut self) -> Result<(), SessionEnd> {
        self.queue.begin();
        if self.queue.is_subscribed(Outbound::Settings) {
            let settings = self.shared.service.settings(self.device).await?;
            if let Some(publish) = self.queue.settings(settings) {
                send(&mut self.wire, Packet::Publish(publish)).await?;
            }
        }
        if self.queue.is_subscribed(Outbound::Command) {
            let pending = self.shared.service.pending_commands(self.device).await?;
            for publish in self.queue.commands(&pending) {
                send(&mut self.wire, Packet::Publish(publish)).await?;
            }
        }
        Ok(())
    }
}

/// Resolves at this time, or never.
async fn elapsed(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

async fn reject<T>(wire: &mut Wire<T>, code: ConnectReturnCode)
where
    T: AsyncRead + AsyncWrite + Unpin,
{
    let _ = send(wire, Packet::ConnAck(ConnAck::new(code, false))).await;
    close(wire).await;
}

/// A clean close: over TLS a connection that just ends looks like a truncation attack.
async fn close<T>(wire: &mut Wire<T>)
where
    T: AsyncRead + AsyncWrite + Unpin,
{
    let _ = timeout(CLOSE_TIMEOUT, wire.close()).await;
}

async fn send<T>(wire: &mut Wire<T>, packet: Packet) -> Result<(), SessionEnd>
where
    T: AsyncRead + AsyncWrite + Unpin,
{
    Ok(timeout(WRITE_TIMEOUT, wire.send(packet)).await.map_err(|_| SessionEnd::Stalled)??)
}
