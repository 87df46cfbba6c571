//! What a device says: a publish, read. Pure.

use rumqttc::mqttbytes::QoS;
use rumqttc::mqttbytes::v4::Publish;

use super::end::End;
use super::payload::{self, Ack};
use super::topics::{Topics, Upward};
use crate::devices::link::DeviceReport;

#[derive(Debug)]
pub(super) enum Message {
    Report(DeviceReport),
    Ack(Ack),
}

/// Reads a publish of the device that has these topics.
pub(super) fn read(topics: &Topics, publish: &Publish) -> Result<Message, End> {
    if publish.qos == QoS::ExactlyOnce {
        return Err(End::ExactlyOnce);
    }
    Ok(match topics.upward(&publish.topic).ok_or(End::ForeignTopic)? {
        Upward::Report => Message::Report(payload::report(&publish.payload)?),
        Upward::Ack => Message::Ack(payload::ack(&publish.payload)?),
    })
}
