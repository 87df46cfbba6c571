//! Notices on the bus. They contain keys only; subscribers read the data from the database.

use bytes::Bytes;
use platform::bus::{Bus, Delivery, Subscription};
use serde::Serialize;
use strum::{EnumString, IntoStaticStr};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::policy::session_hash::SessionHash;

const DEVICE: &str = "device.";
const SESSION: &str = "session.";
const JOB: &str = "job.";
const ATTENTION: &str = "attention.";
const WRITTEN: &str = "written.";
/// Separates the parts of a payload. Texts of the cloud never contain it.
const NUL: char = '\0';
/// Maximum number of CSPs in one notice, whose length is limited.
const MAX_CSPS: usize = 16;

/// What happened to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, IntoStaticStr, ToSchema)]
#[cfg_attr(test, derive(strum::VariantArray))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub(crate) enum DeviceEventKind {
    /// The device reported a value.
    Reported,
    /// The device acknowledged a user's value.
    Acknowledged,
    /// A user requested a value.
    Commanded,
    /// The device connected or disconnected.
    Connection,
    /// A read found changed values.
    Changed,
}

/// Why a session's streams end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, IntoStaticStr, ToSchema)]
#[cfg_attr(test, derive(strum::VariantArray))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(crate) enum EndReason {
    /// The session has ended.
    SignedOut,
    /// The user's role or CSP has changed.
    AccessChanged,
    /// The user has more sessions than allowed, and this one was unused for the longest time. The session has ended.
    TooManySessions,
    /// The user has more streams than allowed, and this one is the oldest. The session continues.
    TooManyStreams,
}

/// A parsed notice.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Notice<'a> {
    /// A device changed or was removed.
    Device(DeviceNotice<'a>),
    /// The streams of the session with this hash must end.
    Session(&'a str, EndReason),
    /// A job of this user made progress or ended.
    Job { user: Uuid, job: Uuid },
    /// Items of attention changed.
    Attention(AttentionNotice<'a>),
}

/// A change of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DeviceNotice<'a> {
    pub(crate) dsn: &'a str,
    pub(crate) kind: DeviceEventKind,
    lists: Option<&'a str>,
}

/// The CSPs whose items of attention changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AttentionNotice<'a>(&'a str);

/// Publishes that a device changed. `lists` are the CSPs whose list contents, counts or order changed, including the previous
/// CSP of a removed or reassigned device. An empty text stands for no CSP.
pub(crate) fn device(bus: &Bus, dsn: &str, kind: DeviceEventKind, lists: &[String]) {
    let mut payload = <&str>::from(kind).to_owned();
    for csp in lists {
        payload.push(NUL);
        payload.push_str(csp);
    }
    bus.publish(format!("{DEVICE}{dsn}"), payload);
}

/// Publishes that a session's streams must end.
pub(crate) fn session(bus: &Bus, session: &SessionHash, reason: EndReason) {
    bus.publish(format!("{SESSION}{session}"), Bytes::from_static(<&str>::from(reason).as_bytes()));
}

/// Publishes that a job of this user made progress or ended.
pub(crate) fn job(bus: &Bus, user: Uuid, job: Uuid) {
    bus.publish(format!("{JOB}{user}"), job.to_string());
}

/// Publishes that items of attention of these CSPs changed. An empty text stands for no CSP.
pub(crate) fn attention(bus: &Bus, csps: &[String]) {
    for csps in csps.chunks(MAX_CSPS) {
        bus.publish(format!("{ATTENTION}items"), csps.join("\0"));
    }
}

/// Publishes that this console has written a device. The live stream does not report all that a console writes.
pub(crate) fn written(bus: &Bus, dsn: &str) {
    bus.publish(format!("{WRITTEN}{dsn}"), Bytes::new());
}

/// A subscription to what the consoles write.
#[derive(Debug)]
pub(crate) struct WrittenDevices(Subscription);

/// Subscribes to what all consoles write.
pub(crate) fn written_devices(bus: &Bus) -> WrittenDevices {
    WrittenDevices(bus.subscribe(WRITTEN))
}

impl WrittenDevices {
    /// The dsn of the next written device, or `None` once every sender is dropped. Cancel safe.
    pub(crate) async fn next(&mut self) -> Option<String> {
        loop {
            // Some may be missed after a lost connection of the bus. The next pass finds them.
            if let Delivery::Message { subject, .. } = self.0.next().await?
                && let Some(dsn) = subject.strip_prefix(WRITTEN)
            {
                return Some(dsn.to_owned());
            }
        }
    }
}

/// A subscription to all notices. Those of one kind arrive in their order.
#[derive(Debug)]
pub(crate) struct Notices {
    devices: Subscription,
    sessions: Subscription,
    jobs: Subscription,
    attention: Subscription,
}

/// Subscribes to all notices.
pub(crate) fn listen(bus: &Bus) -> Notices {
    Notices {
        devices: bus.subscribe(DEVICE),
        sessions: bus.subscribe(SESSION),
        jobs: bus.subscribe(JOB),
        attention: bus.subscribe(ATTENTION),
    }
}

impl Notices {
    /// The next notice, or `None` once every sender is dropped. Cancel safe.
    pub(crate) async fn next(&mut self) -> Option<Delivery> {
        tokio::select! {
            delivery = self.devices.next() => delivery,
            delivery = self.sessions.next() => delivery,
            delivery = self.jobs.next() => delivery,
            delivery = self.attention.next() => delivery,
        }
    }
}

/// Parses a message of [`listen`] without copying. A kind or reason that only nodes of a newer version know has the same effect as the
/// most general one of this version: the device is read again, the session's streams end.
pub(crate) fn read<'a>(subject: &'a str, payload: &'a [u8]) -> Option<Notice<'a>> {
    let payload = str::from_utf8(payload).ok()?;
    if let Some(session) = subject.strip_prefix(SESSION) {
        return Some(Notice::Session(session, payload.parse().unwrap_or(EndReason::AccessChanged)));
    }
    if let Some(user) = subject.strip_prefix(JOB) {
        return Some(Notice::Job { user: user.parse().ok()?, job: payload.parse().ok()? });
    }
    if subject.starts_with(ATTENTION) {
        return Some(Notice::Attention(AttentionNotice(payload)));
    }
    let dsn = subject.strip_prefix(DEVICE)?;
    let (code, lists) = payload.split_once(NUL).map_or((payload, None), |(code, lists)| (code, Some(lists)));
    let kind = code.parse().unwrap_or(DeviceEventKind::Changed);
    Some(Notice::Device(DeviceNotice { dsn, kind, lists }))
}

impl<'a> AttentionNotice<'a> {
    /// An empty text stands for no CSP.
    pub(crate) fn csps(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.0.split(NUL)
    }
}

impl<'a> DeviceNotice<'a> {
    /// The CSPs whose list contents, counts or order changed; an empty text stands for no CSP.
    pub(crate) fn lists(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.lists.into_iter().flat_map(|lists| lists.split(NUL))
    }
}

#[cfg(test)]
mod tests {
    use strum::VariantArray;

    use super::*;

    async fn next_message(listener: &mut Notices) -> (String, Vec<u8>) {
        let Some(Delivery::Message { subject, payload }) = listener.next().await else { panic!("a message") };
        (subject.as_ref().to_owned(), payload.to_vec())
    }

    #[tokio::test]
    async fn device_notice_is_read_back() {
        let bus = Bus::in_process();
        let mut listener = listen(&bus);
        let lists: [&[&str]; 4] = [&[], &[""], &["North"], &["Nørth, East", "", "South"]];
        for (kind, lists) in DeviceEventKind::VARIANTS.iter().copied().zip(lists.into_iter().cycle()) {
            let changed_lists: Vec<String> = lists.iter().map(|&csp| csp.to_owned()).collect();
            device(&bus, "SC0001", kind, &changed_lists);
            let (subject, payload) = next_message(&mut listener).await;
            let Some(Notice::Device(notice)) = read(&subject, &payload) else { panic!("{payload:?}") };
            assert_eq!((notice.dsn, notice.kind), ("SC0001", kind));
            assert_eq!(notice.lists().collect::<Vec<_>>(), lists);
        }
    }

    #[tokio::test]
    async fn session_notice_is_read_back() {
        let (bus, hash) = (Bus::in_process(), SessionHash::of(&[1; 32]));
        let mut listener = listen(&bus);
        for reason in EndReason::VARIANTS.iter().copied() {
            session(&bus, &hash, reason);
            let (subject, payload) = next_message(&mut listener).await;
            assert_eq!(read(&subject, &payload), Some(Notice::Session(hash.as_str(), reason)));
        }
    }

    #[tokio::test]
    async fn job_notice_is_read_back() {
        let (bus, [user, job]) = (Bus::in_process(), [1, 2].map(Uuid::from_u128));
        let mut listener = listen(&bus);
        super::job(&bus, user, job);
        let (subject, payload) = next_message(&mut listener).await;
        assert_eq!(read(&subject, &payload), Some(Notice::Job { user, job }));
    }

    #[tokio::test]
    async fn attention_notice_is_read_back() {
        let bus = Bus::in_process();
        let mut listener = listen(&bus);
        let csps: Vec<String> =
            (0..20).map(|number| if number == 0 { String::new() } else { format!("Nørth {number}") }).collect();
        attention(&bus, &csps);
        let mut found: Vec<String> = Vec::new();
        for _ in 0..2 {
            let (subject, payload) = next_message(&mut listener).await;
            let Some(Notice::Attention(notice)) = read(&subject, &payload) else { panic!("{payload:?}") };
            found.extend(notice.csps().map(str::to_owned));
        }
        assert_eq!(found, csps);
    }

    #[test]
    fn unknown_kind_of_a_newer_version_is_the_most_general_one() {
        let Some(Notice::Device(notice)) = read("device.SC0001", b"repainted\0North") else {
            panic!("a device notice")
        };
        assert_eq!((notice.dsn, notice.kind), ("SC0001", DeviceEventKind::Changed));
        assert_eq!(notice.lists().collect::<Vec<_>>(), ["North"]);
        assert_eq!(read("session.1", b"expelled"), Some(Notice::Session("1", EndReason::AccessChanged)));
    }

    #[test]
    fn malformed_notice_is_ignored() {
        let rows: [(&str, &[u8]); 6] = [
            ("device.SC0001", b"\xff"),
            ("session.1", b"\xff"),
            ("job.1", b"00000000-0000-0000-0000-000000000002"),
            ("job.00000000-0000-0000-0000-000000000001", b"2"),
            ("weather.Oslo", b"changed"),
            ("", b""),
        ];
        for (subject, payload) in rows {
            assert_eq!(read(subject, payload), None, "{subject} {payload:?}");
        }
    }
}
