//! Sign-in: the first packet of a connection.

use std::net::IpAddr;
use std::time::Duration;

use futures::StreamExt;
use rumqttc::mqttbytes;
use rumqttc::mqttbytes::Protocol;
use rumqttc::mqttbytes::v4::{Connect, ConnectReturnCode, Packet};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, timeout_at};

use super::codec::Wire;
use super::refusals::{Claimed, CredentialDigest};
use super::shared::Shared;
use super::slots::{NoSlot, Slot};
use super::topics::Topics;
use crate::devices::link::{Authentication, LinkedDevice};

/// An authenticated device.
pub(super) struct SignedIn {
    pub(super) device: LinkedDevice,
    pub(super) claimed: Claimed,
    pub(super) topics: Topics,
    /// At least one packet arrives in each.
    pub(super) keep_alive: Duration,
}

/// Why a sign-in failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum SignInError {
    #[error("no CONNECT within 5 seconds")]
    Silent,
    #[error("connection closed")]
    Closed,
    #[error("first packet is not CONNECT")]
    NoConnect,
    #[error("protocol is not MQTT 3.1.1")]
    Protocol,
    #[error("another connection with this identity is open, and they replaced each other too often")]
    SharedIdentity,
    #[error("client id and user name are not the same dsn")]
    NoDsn,
    #[error("unknown dsn")]
    UnknownDsn,
    #[error("wrong key")]
    WrongKey(i64),
    #[error("blocked by an operator")]
    Blocked(i64),
    #[error("refused too often recently")]
    Barred,
    #[error(transparent)]
    Full(NoSlot),
    #[error("malformed packet: {0}")]
    Malformed(mqttbytes::Error),
    #[error("store: {0}")]
    Store(platform::db::Error),
}

impl SignInError {
    /// The id of the device, if its dsn exists and the reason concerns it alone.
    pub(super) fn device_id(&self) -> Option<i64> {
        match self {
            Self::WrongKey(id) | Self::Blocked(id) => Some(*id),
            _ => None,
        }
    }

    /// The return code for the device, if it gets one.
    pub(super) fn code(&self) -> Option<ConnectReturnCode> {
        match self {
            Self::Protocol => Some(ConnectReturnCode::RefusedProtocolVersion),
            // The answer must not tell whether a dsn exists.
            Self::NoDsn | Self::UnknownDsn | Self::WrongKey(_) | Self::Blocked(_) => {
                Some(ConnectReturnCode::NotAuthorized)
            }
            Self::SharedIdentity | Self::Barred | Self::Full(_) | Self::Store(_) => {
                Some(ConnectReturnCode::ServiceUnavailable)
            }
            Self::Silent | Self::Closed | Self::NoConnect | Self::Malformed(_) => None,
        }
    }
}

/// Reads CONNECT until `deadline` and checks it.
pub(super) async fn sign_in<T>(
    wire: &mut Wire<T>,
    slot: &mut Slot,
    from: IpAddr,
    deadline: Instant,
    shared: &Shared,
) -> Result<SignedIn, (Option<Claimed>, SignInError)>
where
    T: AsyncRead + AsyncWrite + Unpin,
{
    let connect = first_packet(wire, deadline).await.map_err(|error| (None, error))?;
    slot.signing_in();
    let keep_alive = connect.keep_alive;
    let (dsn, key, topics) = credentials(connect).ok_or((None, SignInError::NoDsn))?;
    let credential = CredentialDigest::of(&dsn, &key);
    let claimed = Claimed { dsn, credential };
    if shared.refusals.is_barred(&claimed.credential) {
        return Err((Some(claimed), SignInError::Barred));
    }
    // Trying key after key keeps at most one database connection busy.
    let turn = if shared.refusals.is_suspect(from) {
        match timeout_at(deadline, shared.suspects.acquire()).await {
            Ok(turn) => Some(turn),
            Err(_) => return Err((Some(claimed), SignInError::Barred)),
        }
    } else {
        None
    };
    let authentication = shared.service.authenticate(&claimed.dsn, &key).await;
    drop(turn);
    let error = match authentication {
        Ok(Authentication::Accepted(device)) => {
            return match slot.connected() {
                Ok(()) => {
                    let keep_alive = capped(keep_alive, device.max_keep_alive());
                    Ok(SignedIn { device, claimed, topics, keep_alive })
                }
                Err(full) => Err((None, SignInError::Full(full))),
            };
        }
        Ok(Authentication::UnknownDsn) => SignInError::UnknownDsn,
        Ok(Authentication::WrongKey(id)) => SignInError::WrongKey(id),
        Ok(Authentication::Blocked(id)) => SignInError::Blocked(id),
        Ok(Authentication::SharedIdentity) => SignInError::SharedIdentity,
        Err(error) => SignInError::Store(error),
    };
    Err((Some(claimed), error))
}

async fn first_packet<T>(wire: &mut Wire<T>, deadline: Instant) -> Result<Connect, SignInError>
where
    T: AsyncRead + AsyncWrite + Unpin,
{
    let packet = timeout_at(deadline, wire.next()).await.map_err(|_| SignInError::Silent)?;
    match packet.ok_or(SignInError::Closed)? {
        Ok(Packet::Connect(connect)) if connect.protocol == Protocol::V4 => Ok(connect),
        Ok(Packet::Connect(_)) => Err(SignInError::Protocol),
        Ok(_) => Err(SignInError::NoConnect),
        Err(mqttbytes::Error::InvalidProtocol | mqttbytes::Error::InvalidProtocolLevel(_)) => {
            Err(SignInError::Protocol)
        }
        Err(mqttbytes::Error::Io(_)) => Err(SignInError::Closed),
        Err(error) => Err(SignInError::Malformed(error)),
    }
}

fn credentials(connect: Connect) -> Option<(String, String, Topics)> {
    let login = connect.login.filter(|login| login.username == connect.client_id)?;
    let topics = Topics::of(&connect.client_id)?;
    Some((connect.client_id, login.password, topics))
}

/// A keep-alive in seconds, where 0 is none, limited by the template: otherwise a device that lost power would look Online for hours.
fn capped(keep_alive: u16, max: Duration) -> Duration {
    match keep_alive {
        0 => max,
        seconds => max.min(Duration::from_secs(seconds.into())),
    }
}

#[cfg(test)]
mod tests {
    use rumqttc::mqttbytes::v4::Login;

    use super::*;

    fn connect(client_id: &str, login: Option<(&str, &str)>) -> Connect {
        let mut connect = Connect::new(client_id);
        connect.login = login.map(|(username, password)| Login::new(username, password));
        connect
    }

    #[test]
    fn client_id_and_user_name_must_both_be_the_dsn() {
        let (dsn, key, _) = credentials(connect("SL0001", Some(("SL0001", "secret")))).unwrap();
        assert_eq!((dsn.as_str(), key.as_str()), ("SL0001", "secret"));
        for bad in [
            connect("SL0001", None),
            connect("SL0001", Some(("SL0002", "secret"))),
            connect("SL0001", Some(("", "secret"))),
            connect("", Some(("", "secret"))),
            connect("SL/1", Some(("SL/1", "secret"))),
            connect(&"f".repeat(64), Some((&"f".repeat(64), "secret"))),
        ] {
            assert!(credentials(bad.clone()).is_none(), "{}", bad.client_id);
        }
    }

    #[test]
    fn keep_alive_above_the_cap_or_none_counts_as_the_cap() {
        for (max, expected) in [(1200, [1, 60, 300, 1200, 1200, 1200, 1200]), (60, [1, 60, 60, 60, 60, 60, 60])] {
            let max = Duration::from_secs(max);
            let capped = [1, 60, 300, 1200, 1201, u16::MAX, 0].map(|keep_alive| capped(keep_alive, max).as_secs());
            assert_eq!(capped, expected);
        }
    }
}
