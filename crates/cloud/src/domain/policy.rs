//! Who may do what (A-110, permissions.tsv): the only place that decides.
//!
//! Two questions, always in this order: is the device in the caller's scope (else it does not exist for them: 404), and
//! may a caller of this kind do this (else 403).

use super::principal::{Label, Principal};
use super::role::RoleKind;

/// What a caller wants with a device in their scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Read the device, its properties and datapoints, or get its events.
    ReadDevice,
    /// Command it: create a datapoint.
    WriteDatapoint,
    /// Change its name, place, time zone or data.
    EditDevice,
    /// Unregister it, or set it back to what the factory made.
    ResetDevice,
}

/// Whether a caller of this kind may do this with what is in their scope.
pub(crate) fn allows(kind: RoleKind, action: Action) -> bool {
    match action {
        Action::ReadDevice => true,
        Action::WriteDatapoint | Action::EditDevice => {
            !matches!(kind, RoleKind::OemObserver | RoleKind::PartnerObserver)
        }
        // A partner's devices stay the manufacturer's.
        Action::ResetDevice => matches!(kind, RoleKind::OemAdmin | RoleKind::EndUser),
    }
}

/// Which devices exist for a caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DeviceScope {
    /// The manufacturer's devices; factory stock only when `unregistered`.
    Oem { oem_id: i64, unregistered: bool },
    /// Registered devices that carry this label.
    Labelled(Label),
    /// Registered devices of this user.
    Owned { user_id: i64 },
    /// None: a partner's role without a label (A-23: fail closed).
    Nothing,
}

/// What a [`DeviceScope`] asks about one device.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Audience {
    pub(crate) oem_id: i64,
    pub(crate) registered: bool,
    pub(crate) owner_id: Option<i64>,
    pub(crate) labels: Vec<Label>,
}

/// The scope of this caller.
pub(crate) fn device_scope(principal: &Principal) -> DeviceScope {
    match principal.kind {
        RoleKind::OemAdmin => DeviceScope::Oem { oem_id: principal.oem_id, unregistered: true },
        RoleKind::OemObserver => DeviceScope::Oem { oem_id: principal.oem_id, unregistered: false },
        RoleKind::PartnerAdmin | RoleKind::PartnerObserver | RoleKind::PartnerTechnician => {
            principal.label.clone().map_or(DeviceScope::Nothing, DeviceScope::Labelled)
        }
        RoleKind::EndUser => DeviceScope::Owned { user_id: principal.user_id },
    }
}

impl DeviceScope {
    /// Whether this device is in scope: the same rule as `store::scope` writes in SQL (a test compares the two).
    pub(crate) fn admits(&self, device: &Audience) -> bool {
        match self {
            Self::Oem { oem_id, unregistered } => device.oem_id == *oem_id && (*unregistered || device.registered),
            Self::Labelled(label) => device.registered && device.labels.contains(label),
            Self::Owned { user_id } => device.registered && device.owner_id == Some(*user_id),
            Self::Nothing => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn principal(kind: RoleKind, label: Option<&str>) -> Principal {
        let label = label.map(|value| Label { role_id: 3, key: "partner_id".into(), value: value.into() });
        Principal {
            user_id: 7,
            user_uuid: String::new(),
            oem_id: 1,
            kind,
            role: String::new(),
            label,
            role_tags: vec![],
        }
    }

    fn device(registered: bool, owner_id: Option<i64>, partner: &str) -> Audience {
        let label = Label { role_id: 3, key: "partner_id".into(), value: partner.into() };
        Audience { oem_id: 1, registered, owner_id, labels: vec![label] }
    }

    #[test]
    fn observers_read_and_do_not_write() {
        use RoleKind::{EndUser, OemAdmin, OemObserver, PartnerAdmin, PartnerObserver, PartnerTechnician};
        // writes, resets
        let table = [
            (OemAdmin, [true, true]),
            (OemObserver, [false, false]),
            (PartnerAdmin, [true, false]),
            (PartnerObserver, [false, false]),
            (PartnerTechnician, [true, false]),
            (EndUser, [true, true]),
        ];
        for (kind, [writes, resets]) in table {
            assert!(allows(kind, Action::ReadDevice), "{kind:?}");
            assert_eq!(allows(kind, Action::WriteDatapoint), writes, "{kind:?}");
            assert_eq!(allows(kind, Action::EditDevice), writes, "{kind:?}");
            assert_eq!(allows(kind, Action::ResetDevice), resets, "{kind:?}");
        }
    }

    #[test]
    fn each_kind_sees_its_own_devices_only() {
        use RoleKind::{EndUser, OemAdmin, OemObserver, PartnerAdmin, PartnerObserver, PartnerTechnician};
        // registered with the own label; of another partner; factory stock with the own label; owned
        let devices =
            [device(true, None, "A"), device(true, None, "B"), device(false, None, "A"), device(true, Some(7), "B")];
        let table = [
            (OemAdmin, None, [true, true, true, true]),
            (OemObserver, None, [true, true, false, true]),
            (PartnerAdmin, Some("A"), [true, false, false, false]),
            (PartnerObserver, Some("A"), [true, false, false, false]),
            (PartnerTechnician, Some("A"), [true, false, false, false]),
            (PartnerTechnician, None, [false, false, false, false]),
            (EndUser, None, [false, false, false, true]),
        ];
        for (kind, label, expected) in table {
            let scope = device_scope(&principal(kind, label));
            assert_eq!(devices.each_ref().map(|device| scope.admits(device)), expected, "{kind:?} {label:?}");
        }
    }

    #[test]
    fn no_scope_reaches_into_another_oem() {
        let foreign = Audience { oem_id: 2, ..device(true, None, "A") };
        assert!(!device_scope(&principal(RoleKind::OemAdmin, None)).admits(&foreign));
    }

    #[test]
    fn a_label_of_another_role_does_not_count() {
        let mut device = device(true, None, "A");
        device.labels[0].role_id = 4;
        assert!(!device_scope(&principal(RoleKind::PartnerAdmin, Some("A"))).admits(&device));
    }
}
