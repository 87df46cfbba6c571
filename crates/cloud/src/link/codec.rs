//! Reads packets from a connection and writes them to it.

use bytes::BytesMut;
use rumqttc::mqttbytes::Error;
use rumqttc::mqttbytes::v4::{self, Packet};
use tokio_util::codec::{Decoder, Encoder, Framed};

use super::payload::MAX_PAYLOAD;

/// The largest payload plus its topic. The codec rejects larger packets by their header.
const MAX_PACKET: usize = MAX_PAYLOAD + 256;

/// A connection as a stream and sink of packets.
pub(super) type Wire<T> = Framed<T, Codec>;

/// MQTT 3.1.1. The library ignores the reserved flag of CONNECT, which a server must check (MQTT-3.1.2-3).
pub(super) struct Codec(v4::Codec);

impl Codec {
    pub(super) fn new() -> Self {
        Self(v4::Codec { max_incoming_size: MAX_PACKET, max_outgoing_size: MAX_PACKET })
    }
}

impl Decoder for Codec {
    type Item = Packet;
    type Error = Error;

    fn decode(&mut self, source: &mut BytesMut) -> Result<Option<Packet>, Error> {
        let reserved = has_reserved_connect_flag(source);
        match self.0.decode(source)? {
            Some(Packet::Connect(_)) if reserved => Err(Error::IncorrectPacketFormat),
            packet => Ok(packet),
        }
    }
}

impl Encoder<Packet> for Codec {
    type Error = Error;

    fn encode(&mut self, packet: Packet, target: &mut BytesMut) -> Result<(), Error> {
        self.0.encode(packet, target)
    }
}

/// Only meaningful for bytes that begin with a CONNECT of MQTT 3.1.1.
fn has_reserved_connect_flag(bytes: &[u8]) -> bool {
    /// Protocol name with its length, and protocol level.
    const BEFORE_FLAGS: usize = 7;
    let length = bytes.iter().skip(1).take_while(|byte| **byte & 0x80 != 0).count() + 1;
    bytes.get(1 + length + BEFORE_FLAGS).is_some_and(|flags| flags & 1 != 0)
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
