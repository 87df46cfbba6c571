//! Parses publishes of devices. Pure.

use rumqttc::mqttbytes::QoS;
use rumqttc::mqttbytes::v4::Publish;

use super::payload::{self, Ack, PayloadError};
use super::session_end::SessionEnd;
use super::topics::{Inbound, Topics};
use crate::devices::link::{DeviceReport, Strictness};
use crate::domain::report_fault::ReportFault;

#[derive(Debug)]
pub(super) enum Message {
    Report(DeviceReport),
    Ack(Ack),
    /// Nothing of the message can be read, and the template of the device is lenient.
    Unreadable(ReportFault),
}

/// Parses a publish of the device with these topics. Errors quote only names that `is_property` of the device.
pub(super) fn read(
    topics: &Topics,
    publish: &Publish,
    strictness: Strictness,
    is_property: impl Fn(&str) -> bool,
) -> Result<Message, SessionEnd> {
    if publish.qos == QoS::ExactlyOnce {
        return Err(SessionEnd::ExactlyOnce);
    }
    let payload = &publish.payload;
    let (kind, message) = match topics.inbound(&publish.topic).ok_or(SessionEnd::ForeignTopic)? {
        Inbound::Report => ("report", payload::report(payload, strictness, is_property).map(Message::Report)),
        Inbound::Ack => ("ack", payload::ack(payload, strictness).map(Message::Ack)),
    };
    match message {
        // The size is a limit of the link, which larger packets do not even reach.
        Err(error) if strictness == Strictness::Lenient && error != PayloadError::TooLarge => {
            Ok(Message::Unreadable(payload::unreadable(kind, payload, &error)))
        }
        message => Ok(message?),
    }
}
