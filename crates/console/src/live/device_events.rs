//! The events of a device's changes, as the readers of one view get them.

use std::sync::Arc;

use bytes::Bytes;

use super::dto::{DeviceEvent, DeviceRemoved};
use super::frame::frame;
use crate::devices::{self, DeviceDetail, DeviceView};
use crate::events::hub::{DeviceChange, View};
use crate::http::error::ApiResult;
use crate::index;
use crate::policy::{self, Action, Actor, Decision, Scope, Target};
use crate::records::{ListedDevice, PageSnapshot};
use crate::sessions::session::Sessions;
use crate::state::CoreState;

/// Changes of one device, and what its readers see after them.
pub(super) struct DeviceEvents {
    pub(super) changes: Vec<DeviceChange>,
    /// The device in the index; `None` if there is no such device.
    pub(super) device: Option<Arc<ListedDevice>>,
    /// The version of all sessions, read together with the device or after it.
    pub(super) session_version: i64,
    /// What the device's page shows.
    snapshot: Option<PageSnapshot>,
}

impl DeviceEvents {
    /// Reads the device from the index.
    ///
    /// # Errors
    /// Database errors.
    pub(super) async fn of_row(state: &CoreState, dsn: &str, changes: Vec<DeviceChange>) -> ApiResult<Self> {
        let (device, session_version) = match index::find_with(&state.base.db, dsn, Sessions::VERSION).await? {
            Some((device, session_version)) => (Some(Arc::new(device)), session_version),
            None => (None, state.sessions.version().await?),
        };
        Ok(Self { changes, device, session_version, snapshot: None })
    }

    /// Reads what the device's page shows, if a reader may see it. Takes over the read from which the changes result, if any.
    ///
    /// # Errors
    /// Database errors.
    pub(super) async fn of_page(
        state: &CoreState,
        dsn: &str,
        changes: Vec<DeviceChange>,
        device: Option<Arc<ListedDevice>>,
    ) -> ApiResult<Self> {
        let is_visible = |device: &ListedDevice| state.hub.has_reader(dsn, View::Page, |actor| can_see(actor, device));
        let snapshot = if device.as_deref().is_some_and(is_visible) {
            let result_from_reads = changes.iter().all(|change| change.read.is_some());
            let read = changes.last().filter(|_| result_from_reads).and_then(|change| change.read.clone());
            let snapshot = devices::page_snapshot(state, dsn, read).await;
            snapshot.inspect_err(|error| tracing::warn!(device.dsn = %dsn, %error, "no detail for a stream")).ok()
        } else {
            None
        };
        Ok(Self { changes, device, session_version: state.sessions.version().await?, snapshot })
    }

    /// Encodes the events for readers like `actor`.
    pub(super) fn encode(&self, actor: &Actor) -> Vec<Bytes> {
        match &self.device {
            Some(device) if can_see(actor, device) => {
                self.changes.iter().map(|change| self.changed(change, device, actor)).collect()
            }
            // Readers who could never see the device get nothing.
            _ => self.changes.iter().filter(|change| could_see(actor, change)).map(removed).collect(),
        }
    }

    fn changed(&self, change: &DeviceChange, device: &ListedDevice, actor: &Actor) -> Bytes {
        let detail = self.snapshot.as_ref().and_then(|snapshot| DeviceDetail::of_snapshot(snapshot, actor));
        let event = DeviceEvent {
            dsn: change.dsn.clone(),
            kind: change.kind,
            device: DeviceView::new(device.clone(), actor),
            detail: detail.map(Box::new),
        };
        frame("device", &event)
    }
}

fn removed(change: &DeviceChange) -> Bytes {
    frame("removed", &DeviceRemoved { dsn: change.dsn.clone() })
}

fn can_see(actor: &Actor, device: &ListedDevice) -> bool {
    policy::can(actor, Action::View, Target::Device { csp: device.record.csp.as_deref() }) == Decision::Allowed
}

/// Whether the device was in one of the reader's lists.
fn could_see(actor: &Actor, change: &DeviceChange) -> bool {
    match actor.scope() {
        Scope::Everything => !change.lists.is_empty(),
        Scope::Csp(own) => change.lists.iter().any(|csp| csp == own),
        Scope::Nothing => false,
    }
}

#[cfg(test)]
mod tests {
    use diffuser::Role;

    use super::*;
    use crate::events::notices::DeviceEventKind;
    use crate::policy::session_hash::SessionHash;
    use crate::records::{DeviceRecord, Outlook};

    fn actor(role: Option<Role>, csp: Option<&str>) -> Actor {
        let session = SessionHash::of(&[1; 32]);
        Actor { session, user: uuid::Uuid::nil(), role, csp: csp.map(str::to_owned) }
    }

    /// The events of one change: of a device that is of this CSP now, and that changed the lists of these.
    fn events(csp: Option<Option<&str>>, lists: &[&str]) -> DeviceEvents {
        let change = DeviceChange {
            dsn: "SC1".to_owned(),
            kind: DeviceEventKind::Changed,
            lists: lists.iter().map(|&csp| csp.to_owned()).collect(),
            read: None,
        };
        let device = csp.map(|csp| {
            let record = DeviceRecord { dsn: "SC1".to_owned(), csp: csp.map(str::to_owned), ..DeviceRecord::default() };
            Arc::new(ListedDevice { record, outlook: Outlook::default(), sku: None })
        });
        DeviceEvents { changes: vec![change], device, session_version: 1, snapshot: None }
    }

    #[test]
    fn reader_gets_events_of_visible_devices_and_the_removal_of_formerly_visible_ones() {
        let north = events(Some(Some("North")), &[]);
        let moved = events(Some(Some("North")), &["South", "North"]);
        let unassigned = events(Some(None), &[]);
        let gone = events(None, &["North"]);
        // role, CSP | device of North, moved from South to North, without a CSP, deleted from North
        let rows = [
            (Some(Role::Admin), None, ["device", "device", "device", "removed"]),
            (Some(Role::Observer), None, ["device", "device", "device", "removed"]),
            (Some(Role::CspTech), Some("North"), ["device", "device", "", "removed"]),
            (Some(Role::CspTech), Some("South"), ["", "removed", "", ""]),
            (Some(Role::CspAdmin), Some("north"), [""; 4]),
            (Some(Role::CspAdmin), Some(""), [""; 4]),
            (Some(Role::CspAdmin), None, [""; 4]),
            (None, Some("North"), [""; 4]),
        ];
        for (role, csp, expected) in rows {
            let actor = actor(role, csp);
            let names = [&north, &moved, &unassigned, &gone].map(|events| {
                let frames = events.encode(&actor);
                assert!(frames.len() <= 1);
                let text = frames.first().map(|frame| String::from_utf8(frame.to_vec()).unwrap()).unwrap_or_default();
                text.lines().next().unwrap_or_default().trim_start_matches("event: ").to_owned()
            });
            assert_eq!(names, expected, "{actor:?}");
        }
    }

    #[test]
    fn row_states_what_the_reader_may_do() {
        let events = events(Some(Some("North")), &[]);
        for (role, may_edit) in [(Role::CspTech, true), (Role::CspObserver, false)] {
            let frame = events.encode(&actor(Some(role), Some("North"))).remove(0);
            let text = String::from_utf8(frame.to_vec()).unwrap();
            assert!(text.contains(&format!(r#""can":{{"edit":{may_edit}"#)), "{text}");
        }
    }
}
