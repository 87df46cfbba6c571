//! Reads packets from a connection and writes them to it.

use bytes::BytesMut;
use rumqttc::mqttbytes::v4::{self, Packet};
use rumqttc::mqttbytes::{Error, PacketType, check};
use tokio_util::codec::{Decoder, Encoder, Framed};

use super::payload::MAX_PAYLOAD;

/// The largest payload plus its topic. The codec rejects larger packets by their header.
const MAX_PACKET: usize = MAX_PAYLOAD + 256;

/// A connection as a stream and sink of packets.
pub(super) type Wire<T> = Framed<T, Codec>;

/// The protocol level of MQTT 5.
const MQTT_5: u8 = 5;
/// The CONNACK of MQTT 5 with the reason code Unsupported Protocol Version.
const MQTT_5_REFUSAL: [u8; 5] = [0x20, 3, 0, 0x84, 0];

/// MQTT 3.1.1. The library ignores the reserved flag of CONNECT, which a server must check (MQTT-3.1.2-3), and reads a CONNECT of MQTT 5
/// as one of MQTT 3.1.1.
pub(super) struct Codec {
    mqtt: v4::Codec,
    /// Whether the client has sent a CONNECT of MQTT 5. The only answer is a refusal.
    is_mqtt_5: bool,
}

impl Codec {
    pub(super) fn new() -> Self {
        let mqtt = v4::Codec { max_incoming_size: MAX_PACKET, max_outgoing_size: MAX_PACKET };
        Self { mqtt, is_mqtt_5: false }
    }
}

impl Decoder for Codec {
    type Item = Packet;
    type Error = Error;

    fn decode(&mut self, source: &mut BytesMut) -> Result<Option<Packet>, Error> {
        if is_connect_of_mqtt_5(source) {
            self.is_mqtt_5 = true;
            return Err(Error::InvalidProtocolLevel(MQTT_5));
        }
        let reserved = has_reserved_connect_flag(source);
        match self.mqtt.decode(source)? {
            Some(Packet::Connect(_)) if reserved => Err(Error::IncorrectPacketFormat),
            packet => Ok(packet),
        }
    }
}

impl Encoder<Packet> for Codec {
    type Error = Error;

    fn encode(&mut self, packet: Packet, target: &mut BytesMut) -> Result<(), Error> {
        if self.is_mqtt_5 {
            target.extend_from_slice(&MQTT_5_REFUSAL);
            return Ok(());
        }
        self.mqtt.encode(packet, target)
    }
}

/// Whether the bytes begin with a whole CONNECT of MQTT 5.
fn is_connect_of_mqtt_5(bytes: &[u8]) -> bool {
    let Ok(header) = check(bytes.iter(), MAX_PACKET) else { return false };
    let packet = &bytes[..header.frame_length()];
    matches!(header.packet_type(), Ok(PacketType::Connect)) && after_fixed_header(packet).starts_with(b"\0\x04MQTT\x05")
}

fn after_fixed_header(bytes: &[u8]) -> &[u8] {
    let length = bytes.iter().skip(1).take_while(|byte| **byte & 0x80 != 0).count() + 1;
    bytes.get(1 + length..).unwrap_or_default()
}

/// Only meaningful for bytes that begin with a CONNECT of MQTT 3.1.1.
fn has_reserved_connect_flag(bytes: &[u8]) -> bool {
    /// Protocol name with its length, and protocol level.
    const BEFORE_FLAGS: usize = 7;
    after_fixed_header(bytes).get(BEFORE_FLAGS).is_some_and(|flags| flags & 1 != 0)
}

#[cfg(test)]
mod tests {
    use rumqttc::mqttbytes::v4::Connect;

    use super::*;

    fn decode(bytes: &[u8]) -> Result<Option<Packet>, Error> {
        Codec::new().decode(&mut BytesMut::from(bytes))
    }

    fn connect(client_id: &str) -> BytesMut {
        let mut bytes = BytesMut::new();
        Codec::new().encode(Packet::Connect(Connect::new(client_id)), &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn large_packet_is_rejected_by_its_header_alone() {
        let header_of_256_mib: &[u8] = &[0x30, 0xff, 0xff, 0xff, 0x7f];
        assert!(matches!(decode(header_of_256_mib), Err(Error::PayloadSizeLimitExceeded(_))));
    }

    /// A CONNECT of MQTT 5 with these properties.
    fn connect_of_mqtt_5(properties: &[u8]) -> Vec<u8> {
        let mut content = b"\0\x04MQTT\x05\x02\0\x3c".to_vec();
        content.push(u8::try_from(properties.len()).unwrap());
        content.extend(properties);
        content.extend(b"\0\x06SL0001");
        [&[0x10, u8::try_from(content.len()).unwrap()][..], &content].concat()
    }

    #[test]
    fn connect_of_mqtt_5_is_answered_in_its_version_when_it_is_complete() {
        // With and without a session expiry interval.
        for properties in [&[][..], &[0x11, 0, 0, 0, 60]] {
            let bytes = connect_of_mqtt_5(properties);
            for length in 0..bytes.len() {
                assert!(matches!(decode(&bytes[..length]), Ok(None)), "truncated to {length} bytes");
            }
            let (mut codec, mut answer) = (Codec::new(), BytesMut::new());
            let error = codec.decode(&mut BytesMut::from(&*bytes)).unwrap_err();
            assert!(matches!(error, Error::InvalidProtocolLevel(5)), "{error}");
            let refused = v4::ConnAck::new(v4::ConnectReturnCode::RefusedProtocolVersion, false);
            codec.encode(Packet::ConnAck(refused), &mut answer).unwrap();
            assert_eq!(&*answer, [0x20, 3, 0, 0x84, 0]);
        }
    }

    #[test]
    fn connects_of_other_versions_are_no_connects_of_mqtt_5() {
        let mqtt_5 = connect_of_mqtt_5(&[]);
        let mut mqtt_6 = mqtt_5.clone();
        mqtt_6[8] = 6;
        // Of which the packet ends before the level, and with a length of five bytes.
        let short = b"\x10\x06\0\x04MQTT\x05";
        let long = [b"\x10\xff\xff\xff\xff\x05", &mqtt_5[2..]].concat();
        for bytes in [&*connect("SL0001"), &mqtt_6, b"\x10\x0b\0\x06MQIsdp\x03\x02\0", short, &long, b"\x10\0", b""] {
            assert!(!is_connect_of_mqtt_5(bytes), "{bytes:?}");
        }
        let publish = [&[0x30][..], &mqtt_5[1..]].concat();
        assert!(!is_connect_of_mqtt_5(&publish));
    }

    #[test]
    fn connect_with_the_reserved_flag_is_rejected() {
        // Remaining lengths of one byte and of two bytes.
        for (client_id, flags_at) in [("SL0001".to_owned(), 9), ("x".repeat(200), 10)] {
            let mut bytes = connect(&client_id);
            assert!(matches!(decode(&bytes), Ok(Some(Packet::Connect(_)))));
            bytes[flags_at] |= 1;
            assert!(matches!(decode(&bytes), Err(Error::IncorrectPacketFormat)), "{client_id}");
            for length in 0..bytes.len() {
                assert!(matches!(decode(&bytes[..length]), Ok(None)), "truncated to {length} bytes");
            }
        }
    }
}
