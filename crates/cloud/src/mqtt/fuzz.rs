//! Parses bytes of a device as a session does, for fuzz tests.

use bytes::BytesMut;
use rumqttc::mqttbytes::v4::Packet;
use tokio_util::codec::Decoder;

use super::codec::Codec;
use super::inbound::{self, Message};
use super::payload;
use super::topics::Topics;
use crate::devices::link::Strictness;
use crate::domain::report_fault::ReportFault;

const BOTH: [Strictness; 2] = [Strictness::Strict, Strictness::Lenient];

/// Parses a payload as a report and as an ack.
///
/// # Panics
/// If a payload that violates docs/device-link.md is accepted.
pub fn payload(bytes: &[u8]) {
    for strictness in BOTH {
        if let Ok(report) = payload::report(bytes, strictness, |_| false) {
            check(&Message::Report(report), strictness);
        }
        if let Ok(ack) = payload::ack(bytes, strictness) {
            check(&Message::Ack(ack), strictness);
        }
    }
}

/// Parses the packets of a device signed in as `SL0001`.
///
/// # Panics
/// If a packet that violates docs/device-link.md is accepted.
pub fn packets(bytes: &[u8]) {
    BOTH.into_iter().for_each(|strictness| packets_of(bytes, strictness));
}

fn packets_of(bytes: &[u8], strictness: Strictness) {
    let topics = Topics::of("SL0001").expect("a dsn");
    let mut buffer = BytesMut::from(bytes);
    while let Ok(Some(packet)) = Codec::new().decode(&mut buffer) {
        match packet {
            Packet::Publish(publish) => {
                let Ok(message) = inbound::read(&topics, &publish, strictness, |_| false) else { return };
                assert!(["devices/SL0001/report", "devices/SL0001/ack"].contains(&publish.topic.as_str()));
                check(&message, strictness);
            }
            Packet::Subscribe(subscribe) => {
                for filter in &subscribe.filters {
                    let own = ["devices/SL0001/command", "devices/SL0001/settings"].contains(&filter.path.as_str());
                    assert_eq!(topics.outbound(&filter.path).is_some(), own);
                }
            }
            _ => {}
        }
    }
}

fn check(message: &Message, strictness: Strictness) {
    let is_strict = strictness == Strictness::Strict;
    let faults = match message {
        Message::Report(report) => {
            assert!((1..=64).contains(&report.values.len()));
            assert!(report.info.sw_version.as_deref().is_none_or(|version| (1..=64).contains(&version.len())));
            for (name, value) in report.values.iter().filter(|_| is_strict) {
                assert!((1..=255).contains(&name.len()));
                assert!(value.is_number() || value.is_string() || value.is_boolean());
            }
            &*report.faults
        }
        Message::Ack(ack) => {
            assert!((1..=64).contains(&ack.id.len()));
            &*ack.faults
        }
        Message::Unreadable(fault) => std::slice::from_ref(fault),
    };
    assert!(!is_strict || faults.is_empty());
    for ReportFault { subject, shape, .. } in faults {
        assert!(subject.chars().count() <= 32 && shape.chars().count() <= 80);
    }
}
