//! Parses publishes of devices. Pure.

use rumqttc::mqttbytes::QoS;
use rumqttc::mqttbytes::v4::Publish;

use super::payload::{self, Ack};
use super::session_end::SessionEnd;
use super::topics::{Inbound, Topics};
use crate::devices::link::DeviceReport;

#[derive(Debug)]
pub(super) enum Message {
    Report(DeviceReport),
    Ack(Ack),
}

/// Parses a publish of the device with these topics. Errors quote only names that `is_property` of the device.
pub(super) fn read(
    topics: &Topics,
    publish: &Publish,
    is_property: impl Fn(&str) -> bool,
) -> Result<Message, SessionEnd> {
    if publish.qos == QoS::ExactlyOnce {
        return Err(SessionEnd::ExactlyOnce);
    }
    Ok(match topics.inbound(&publish.topic).ok_or(SessionEnd::ForeignTopic)? {
        Inbound::Report => Message::Report(payload::report(&publish.payload, is_property)?),
        Inbound::Ack => Message::Ack(payload::ack(&publish.payload)?),
    })
}
