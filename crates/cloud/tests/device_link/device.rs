//! A device on the link, with the same codec.

use std::net::{IpAddr, Ipv4Addr};

use cloud::testing::{TestCloud, device_key};
use futures::{SinkExt, StreamExt};
use rumqttc::mqttbytes::QoS;
use rumqttc::mqttbytes::v4::{
    Codec, ConnAck, Connect, ConnectReturnCode, Packet, PubAck, Publish, Subscribe, SubscribeReasonCode,
};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;
use tokio_util::codec::Framed;

use platform::testing::PATIENCE;

/// A transport between a device and the cloud.
pub(crate) trait Transport: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Transport for T {}

/// A device and its connection.
pub(crate) struct Device {
    pub(crate) wire: Framed<Box<dyn Transport>, Codec>,
    dsn: String,
    last_id: u16,
}

impl Device {
    /// Sends CONNECT. Returns the code of the CONNACK.
    pub(crate) async fn connect(cloud: &TestCloud, connect: Connect) -> (Self, ConnectReturnCode) {
        Self::over(TcpStream::connect(cloud.link_addr()).await.unwrap(), connect).await
    }

    /// Connects from another loopback address, 127.0.0.`host`.
    pub(crate) async fn connect_from(cloud: &TestCloud, host: u8, connect: Connect) -> (Self, ConnectReturnCode) {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((IpAddr::from(Ipv4Addr::new(127, 0, 0, host)), 0).into()).unwrap();
        Self::over(socket.connect(cloud.link_addr()).await.unwrap(), connect).await
    }

    /// Connects over an existing transport.
    pub(crate) async fn over(line: impl Transport + 'static, connect: Connect) -> (Self, ConnectReturnCode) {
        let codec = Codec { max_incoming_size: 64 * 1024, max_outgoing_size: 64 * 1024 };
        let dsn = connect.client_id.clone();
        let mut device = Self { wire: Framed::new(Box::new(line), codec), dsn, last_id: 0 };
        device.send(Packet::Connect(connect)).await;
        let Packet::ConnAck(ConnAck { session_present: false, code }) = device.next().await else {
            panic!("CONNECT is answered with CONNACK");
        };
        (device, code)
    }

    pub(crate) async fn sign_in(cloud: &TestCloud, dsn: &str) -> Self {
        let (device, code) = Self::connect(cloud, login(dsn, dsn, &device_key(dsn))).await;
        assert_eq!(code, ConnectReturnCode::Success);
        device
    }

    pub(crate) async fn send(&mut self, packet: Packet) {
        self.wire.send(packet).await.unwrap();
    }

    /// Sends raw bytes. The cloud may close the connection before the last of them.
    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) {
        let _ = self.wire.get_mut().write_all(bytes).await;
    }

    pub(crate) async fn next(&mut self) -> Packet {
        timeout(PATIENCE, self.wire.next()).await.unwrap().expect("the connection is open").unwrap()
    }

    pub(crate) async fn publish(&mut self, topic: &str, payload: impl Into<Vec<u8>>) -> u16 {
        self.last_id += 1;
        let mut publish = Publish::new(topic, QoS::AtLeastOnce, payload);
        publish.pkid = self.last_id;
        self.send(Packet::Publish(publish)).await;
        self.last_id
    }

    /// Publishes on its own topic of this kind and waits for the PUBACK.
    pub(crate) async fn send_message(&mut self, kind: &str, payload: &Value) {
        let topic = format!("devices/{}/{kind}", self.dsn);
        let id = self.publish(&topic, payload.to_string()).await;
        assert_eq!(self.next().await, Packet::PubAck(PubAck::new(id)));
    }

    pub(crate) async fn request_subscription(&mut self, filter: &str, qos: QoS) -> SubscribeReasonCode {
        let mut subscribe = Subscribe::new(filter, qos);
        subscribe.pkid = 500;
        self.send(Packet::Subscribe(subscribe)).await;
        let Packet::SubAck(ack) = self.next().await else { panic!("SUBSCRIBE is answered with SUBACK") };
        assert_eq!((ack.pkid, ack.return_codes.len()), (500, 1));
        ack.return_codes[0]
    }

    /// Subscribes to its own topic of this kind, with QoS 1.
    pub(crate) async fn subscribe_to(&mut self, kind: &str) {
        let filter = format!("devices/{}/{kind}", self.dsn);
        let granted = self.request_subscription(&filter, QoS::AtLeastOnce).await;
        assert_eq!(granted, SubscribeReasonCode::Success(QoS::AtLeastOnce));
    }

    pub(crate) async fn subscribe(&mut self) {
        self.subscribe_to("command").await;
    }

    /// The next publish on its own topic of this kind and its packet identifier, without a PUBACK.
    pub(crate) async fn receive(&mut self, kind: &str) -> (u16, Value) {
        let packet = self.next().await;
        let Packet::Publish(publish) = packet else { panic!("a {kind} was due, not {packet:?}") };
        assert_eq!(publish.topic, format!("devices/{}/{kind}", self.dsn));
        (publish.pkid, serde_json::from_slice(&publish.payload).unwrap())
    }

    pub(crate) async fn command(&mut self) -> (u16, Value) {
        self.receive("command").await
    }

    /// Receives the next command and sends the PUBACK.
    pub(crate) async fn take_command(&mut self) -> Value {
        let (id, command) = self.command().await;
        self.send(Packet::PubAck(PubAck::new(id))).await;
        command
    }

    /// Packets are answered in order: a PINGRESP as the next packet proves that nothing else was sent.
    pub(crate) async fn receives_nothing_else(&mut self) {
        self.send(Packet::PingReq).await;
        assert_eq!(self.next().await, Packet::PingResp);
    }

    /// The cloud closed the connection, possibly after responses.
    pub(crate) async fn is_closed_after_answers(&mut self) {
        let end = async { while let Some(Ok(_)) = self.wire.next().await {} };
        timeout(PATIENCE, end).await.unwrap();
    }

    /// The cloud closed the connection without a response.
    pub(crate) async fn is_closed(&mut self) {
        let end = timeout(PATIENCE, self.wire.next()).await.unwrap();
        assert!(!matches!(end, Some(Ok(_))), "{end:?}");
    }
}

pub(crate) fn login(client_id: &str, user: &str, key: &str) -> Connect {
    let mut connect = Connect::new(client_id);
    connect.keep_alive = 60;
    connect.set_login(user, key);
    connect
}

/// The CONNECT of a device with its own key.
pub(crate) fn own_login(dsn: &str) -> Connect {
    login(dsn, dsn, &device_key(dsn))
}
