//! A fake cloud at the other end of a device's connection.

use diffuser::{Mode, SystemConfiguration};
use futures::{SinkExt, StreamExt};
use rumqttc::mqttbytes::QoS;
use rumqttc::mqttbytes::v4::{Codec, ConnAck, ConnectReturnCode, Packet, PubAck, Publish, SubAck, SubscribeReasonCode};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::codec::Framed;

use crate::clock::Clock;
use crate::machine::{LIFE_REPORT_INTERVAL, Machine};
use crate::rng::DeviceRng;
use crate::session::{Device, MAX_PACKET};
use crate::state::State;

/// The start of a [`device`]'s clock, a Monday.
pub(crate) const START: &str = "2026-11-23T07:59:00Z";

pub(crate) fn device(dsn: &str) -> Device {
    device_with(dsn, State::new(SystemConfiguration::Aq290))
}

/// A device in mode Run, scheduled daily from 8 to 9 UTC.
pub(crate) fn scheduled(dsn: &str) -> Device {
    let blob = Some("1,1,0,30,8,0,8,59".to_owned());
    device_with(dsn, State { mode: Mode::Run, schedule_blob: blob, ..State::new(SystemConfiguration::Aq290) })
}

fn device_with(dsn: &str, state: State) -> Device {
    let clock = Clock::tokio(START);
    let machine = Machine::new(state, None, clock.now(), LIFE_REPORT_INTERVAL);
    Device { dsn: dsn.to_owned(), key: "k".repeat(64), machine, rng: DeviceRng::new(1, dsn), clock }
}

/// The cloud's end of a connection.
pub(crate) struct FakeCloud<T> {
    link: Framed<T, Codec>,
    pub(crate) dsn: String,
}

impl<T: AsyncRead + AsyncWrite + Unpin> FakeCloud<T> {
    pub(crate) fn new(io: T) -> Self {
        let codec = Codec { max_incoming_size: MAX_PACKET, max_outgoing_size: MAX_PACKET };
        Self { link: Framed::new(io, codec), dsn: String::new() }
    }

    pub(crate) async fn next(&mut self) -> Packet {
        self.link.next().await.expect("the device is connected").unwrap()
    }

    pub(crate) async fn send(&mut self, packet: Packet) {
        self.link.send(packet).await.unwrap();
    }

    pub(crate) async fn accept_connect(&mut self) {
        let Packet::Connect(connect) = self.next().await else { panic!("a device starts with CONNECT") };
        let login = connect.login.unwrap();
        assert_eq!((&login.username, login.password), (&connect.client_id, "k".repeat(64)));
        self.dsn = connect.client_id;
        self.send(Packet::ConnAck(ConnAck::new(ConnectReturnCode::Success, false))).await;
    }

    pub(crate) async fn accept_subscriptions(&mut self) {
        self.answer_subscribe([SubscribeReasonCode::Success(QoS::AtLeastOnce); 2]).await;
    }

    /// Answers the subscription with codes for the command topic and the settings topic.
    pub(crate) async fn answer_subscribe(&mut self, codes: [SubscribeReasonCode; 2]) {
        let Packet::Subscribe(subscribe) = self.next().await else { panic!("a device subscribes first") };
        let topics: Vec<_> = subscribe.filters.iter().map(|filter| filter.path.as_str()).collect();
        assert_eq!(topics, ["command", "settings"].map(|kind| format!("devices/{}/{kind}", self.dsn)));
        self.send(Packet::SubAck(SubAck::new(subscribe.pkid, codes.into()))).await;
    }

    pub(crate) async fn settings(&mut self, settings: Value) {
        let topic = format!("devices/{}/settings", self.dsn);
        self.send(Packet::Publish(Publish::new(topic, QoS::AtMostOnce, settings.to_string()))).await;
    }

    pub(crate) async fn command(&mut self, id: &str, property: &str, value: Value) {
        let payload = json!({"id": id, "property": property, "value": value, "created_at": "2026-11-20T12:00:00Z"});
        let topic = format!("devices/{}/command", self.dsn);
        let mut publish = Publish::new(topic, QoS::AtLeastOnce, payload.to_string());
        publish.pkid = 9;
        self.send(Packet::Publish(publish)).await;
        assert_eq!(self.next().await, Packet::PubAck(PubAck::new(9)));
    }

    /// Waits for the next publish, answers pings meanwhile, and returns the payload.
    pub(crate) async fn published(&mut self, kind: &str) -> Value {
        let publish = loop {
            match self.next().await {
                Packet::Publish(publish) => break publish,
                Packet::PingReq => self.send(Packet::PingResp).await,
                other => panic!("expected a publish, got {other:?}"),
            }
        };
        assert_eq!((publish.topic, publish.qos), (format!("devices/{}/{kind}", self.dsn), QoS::AtLeastOnce));
        self.send(Packet::PubAck(PubAck::new(publish.pkid))).await;
        serde_json::from_slice(&publish.payload).unwrap()
    }

    pub(crate) async fn report(&mut self) -> Value {
        self.published("report").await["properties"].take()
    }

    /// Answers packets until the connection ends. Returns whether the device sent DISCONNECT.
    pub(crate) async fn wait_closed(&mut self) -> bool {
        while let Some(Ok(packet)) = self.link.next().await {
            match packet {
                Packet::PingReq => self.send(Packet::PingResp).await,
                Packet::Publish(publish) => self.send(Packet::PubAck(PubAck::new(publish.pkid))).await,
                Packet::Disconnect => return true,
                _ => {}
            }
        }
        false
    }

    pub(crate) async fn expect_disconnect(&mut self) {
        assert_eq!(self.next().await, Packet::Disconnect);
        assert!(!matches!(self.link.next().await, Some(Ok(_))), "nothing follows a DISCONNECT");
    }
}
