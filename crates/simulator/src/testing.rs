//! The cloud's end of a connection, for the tests of a device's end.

use diffuser::SystemConfiguration;
use futures::{SinkExt, StreamExt};
use rumqttc::mqttbytes::QoS;
use rumqttc::mqttbytes::v4::{Codec, ConnAck, ConnectReturnCode, Packet, PubAck, Publish, SubAck, SubscribeReasonCode};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::codec::Framed;

use crate::chance::Chance;
use crate::session::{Device, MAX_PACKET};
use crate::state::State;

pub(crate) fn device(dsn: &str) -> Device {
    let state = State::new(SystemConfiguration::Aq290);
    Device { dsn: dsn.to_owned(), key: "k".repeat(64), state, chance: Chance::of(1, dsn) }
}

/// The cloud's end of a connection, as far as a device can tell.
pub(crate) struct Cloud<T> {
    link: Framed<T, Codec>,
    pub(crate) dsn: String,
}

impl<T: AsyncRead + AsyncWrite + Unpin> Cloud<T> {
    pub(crate) fn new(io: T) -> Self {
        let codec = Codec { max_incoming_size: MAX_PACKET, max_outgoing_size: MAX_PACKET };
        Self { link: Framed::new(io, codec), dsn: String::new() }
    }

    pub(crate) async fn next(&mut self) -> Packet {
        self.link.next().await.expect("the device is still there").unwrap()
    }

    pub(crate) async fn send(&mut self, packet: Packet) {
        self.link.send(packet).await.unwrap();
    }

    pub(crate) async fn let_in(&mut self) {
        let Packet::Connect(connect) = self.next().await else { panic!("a device begins with CONNECT") };
        let login = connect.login.unwrap();
        assert_eq!((&login.username, login.password), (&connect.client_id, "k".repeat(64)));
        self.dsn = connect.client_id;
        self.send(Packet::ConnAck(ConnAck::new(ConnectReturnCode::Success, false))).await;
    }

    pub(crate) async fn grant(&mut self) {
        let Packet::Subscribe(subscribe) = self.next().await else { panic!("a device subscribes first") };
        assert_eq!(subscribe.filters.len(), 1);
        assert_eq!(subscribe.filters[0].path, format!("devices/{}/command", self.dsn));
        let granted = vec![SubscribeReasonCode::Success(QoS::AtLeastOnce)];
        self.send(Packet::SubAck(SubAck::new(subscribe.pkid, granted))).await;
    }

    pub(crate) async fn command(&mut self, id: &str, property: &str, value: Value) {
        let payload = json!({"id": id, "property": property, "value": value, "created_at": "2026-11-20T12:00:00Z"});
        let topic = format!("devices/{}/command", self.dsn);
        let mut publish = Publish::new(topic, QoS::AtLeastOnce, payload.to_string());
        publish.pkid = 9;
        self.send(Packet::Publish(publish)).await;
        assert_eq!(self.next().await, Packet::PubAck(PubAck::new(9)));
    }

    pub(crate) async fn published(&mut self, kind: &str) -> Value {
        let Packet::Publish(publish) = self.next().await else { panic!("a publish was due") };
        assert_eq!((publish.topic, publish.qos), (format!("devices/{}/{kind}", self.dsn), QoS::AtLeastOnce));
        self.send(Packet::PubAck(PubAck::new(publish.pkid))).await;
        serde_json::from_slice(&publish.payload).unwrap()
    }

    pub(crate) async fn report(&mut self) -> Value {
        self.published("report").await["properties"].take()
    }

    pub(crate) async fn goodbye(&mut self) {
        assert_eq!(self.next().await, Packet::Disconnect);
        assert!(!matches!(self.link.next().await, Some(Ok(_))), "nothing comes after a goodbye");
    }
}
