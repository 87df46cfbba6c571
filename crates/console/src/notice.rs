//! What the parts of the console tell each other on the bus: keys, never data. Whoever listens reads the database.

use bytes::Bytes;
use platform::bus::{Bus, Subscription};
use serde::Serialize;
use utoipa::ToSchema;

use crate::session::SessionHash;

const DEVICE: &str = "device.";
const SESSION: &str = "session.";

/// What happened to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DeviceEventKind {
    /// The device reported a value.
    Reported,
    /// The device acknowledged a user's value.
    Acknowledged,
    /// A user wrote a value.
    Commanded,
    /// The device came or went.
    Connection,
    /// A full pass found it otherwise than before.
    Changed,
}

/// Why a session's streams end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EndReason {
    /// The session is over.
    SignedOut,
    /// The role or the CSP of the user is another one now.
    AccessChanged,
}

/// Says that a device changed.
pub(crate) fn device(bus: &Bus, dsn: &str, kind: DeviceEventKind) {
    bus.publish(format!("{DEVICE}{dsn}"), Bytes::from_static(kind.code().as_bytes()));
}

/// Says that a session's streams must end.
pub(crate) fn session(bus: &Bus, session: &SessionHash, reason: EndReason) {
    bus.publish(format!("{SESSION}{session}"), Bytes::from_static(reason.code().as_bytes()));
}

/// Listens to all devices.
pub(crate) fn listen_to_devices(bus: &Bus) -> Subscription {
    bus.subscribe(DEVICE)
}

/// Listens to one session.
pub(crate) fn listen_to_session(bus: &Bus, session: &SessionHash) -> Subscription {
    bus.subscribe(&format!("{SESSION}{session}"))
}

/// The DSN and the kind of a message to [`listen_to_devices`].
pub(crate) fn read_device<'a>(subject: &'a str, payload: &[u8]) -> Option<(&'a str, DeviceEventKind)> {
    let kind = DeviceEventKind::ALL.into_iter().find(|kind| kind.code().as_bytes() == payload)?;
    Some((subject.strip_prefix(DEVICE)?, kind))
}

/// The reason in a message to [`listen_to_session`].
pub(crate) fn read_session(payload: &[u8]) -> Option<EndReason> {
    EndReason::ALL.into_iter().find(|reason| reason.code().as_bytes() == payload)
}

impl DeviceEventKind {
    const ALL: [Self; 5] = [Self::Reported, Self::Acknowledged, Self::Commanded, Self::Connection, Self::Changed];

    fn code(self) -> &'static str {
        match self {
            Self::Reported => "reported",
            Self::Acknowledged => "acknowledged",
            Self::Commanded => "commanded",
            Self::Connection => "connection",
            Self::Changed => "changed",
        }
    }
}

impl EndReason {
    const ALL: [Self; 2] = [Self::SignedOut, Self::AccessChanged];

    fn code(self) -> &'static str {
        match self {
            Self::SignedOut => "signed_out",
            Self::AccessChanged => "access_changed",
        }
    }
}

#[cfg(test)]
mod tests {
    use platform::bus::Delivery;

    use super::*;

    #[tokio::test]
    async fn what_is_said_is_what_is_read() {
        let bus = Bus::in_process();
        let hash = SessionHash::of(&[1; 32]);
        let (mut devices, mut session_end) = (listen_to_devices(&bus), listen_to_session(&bus, &hash));
        for kind in DeviceEventKind::ALL {
            device(&bus, "SC0001", kind);
            let Some(Delivery::Message { subject, payload }) = devices.next().await else { panic!("a message") };
            assert_eq!(read_device(&subject, &payload), Some(("SC0001", kind)));
        }
        session(&bus, &SessionHash::of(&[2; 32]), EndReason::SignedOut);
        for reason in EndReason::ALL {
            session(&bus, &hash, reason);
            let Some(Delivery::Message { payload, .. }) = session_end.next().await else { panic!("a message") };
            assert_eq!(read_session(&payload), Some(reason));
        }
    }
}
