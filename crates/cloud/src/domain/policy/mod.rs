//! Permissions (A-110, quality/permissions.tsv). This module is the only place that decides them.
//!
//! Two checks, always in this order: the device must be in the caller's scope (otherwise 404), and the caller's role
//! must allow the action (otherwise 403).

pub(crate) mod custody;
pub(crate) mod rules;
pub(crate) mod users;

use jiff::Timestamp;

use super::principal::{Label, Principal};
use super::role::RoleKind;
use super::share::{Operation, ShareRecipient};

/// An action on a device in the caller's scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Read the device, its properties and datapoints, or receive its events.
    ReadDevice,
    /// Create a datapoint, which commands the device.
    WriteDatapoint,
    /// Change its name, address, time zone or data.
    EditDevice,
    /// Share it with other users.
    ShareDevice,
    /// Unregister it or reset it to factory state.
    ResetDevice,
    /// Add or remove role labels. Partners can also [claim](may_claim) devices.
    LabelDevice,
}

/// Whether a role of this kind allows the action on devices in scope.
pub(crate) fn allows(kind: RoleKind, action: Action) -> bool {
    match action {
        Action::ReadDevice => true,
        Action::WriteDatapoint | Action::EditDevice | Action::ShareDevice => {
            !matches!(kind, RoleKind::OemObserver | RoleKind::PartnerObserver)
        }
        // A partner's devices still belong to the manufacturer.
        Action::ResetDevice => matches!(kind, RoleKind::OemAdmin | RoleKind::EndUser),
        Action::LabelDevice => kind == RoleKind::OemAdmin,
    }
}

/// Whether a share with this operation allows its recipient the action.
pub(crate) fn share_allows(operation: Operation, action: Action) -> bool {
    match action {
        Action::ReadDevice => true,
        Action::WriteDatapoint => operation == Operation::Write,
        Action::EditDevice | Action::ShareDevice | Action::ResetDevice | Action::LabelDevice => false,
    }
}

/// The operation of a share that names a role of this kind.
pub(crate) fn operation_of(role: RoleKind) -> Operation {
    if allows(role, Action::WriteDatapoint) { Operation::Write } else { Operation::Read }
}

/// Whether devices can be shared with users of this kind. Other roles determine which devices their users see.
pub(crate) fn may_receive_shares(kind: RoleKind) -> bool {
    kind == RoleKind::EndUser
}

/// Whether a caller of this kind may list the devices in scope that carry a label.
pub(crate) fn may_search_labels(kind: RoleKind) -> bool {
    kind != RoleKind::EndUser
}

/// A role label to add to a device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WantedLabel<'a> {
    pub(crate) role: RoleKind,
    /// The label key of the role.
    pub(crate) role_key: Option<&'a str>,
    pub(crate) key: &'a str,
    pub(crate) value: &'a str,
}

impl WantedLabel<'_> {
    /// Whether the label assigns a device to a partner; the first such label registers the device.
    pub(crate) fn is_partner_label(&self) -> bool {
        self.role.is_partner_role() && self.role_key == Some(self.key) && !self.value.is_empty()
    }
}

/// Whether a caller of this kind may claim devices with their own partner's label.
pub(crate) fn may_claim(kind: RoleKind) -> bool {
    matches!(kind, RoleKind::PartnerAdmin | RoleKind::PartnerTechnician)
}

/// Whether the label is that of the caller's partner, for any of the partner's roles.
pub(crate) fn is_own_label(principal: &Principal, wanted: &WantedLabel<'_>) -> bool {
    let own = principal.label.as_ref().filter(|own| own.key == wanted.key && own.value == wanted.value);
    own.is_some() && wanted.is_partner_label()
}

/// Why a device cannot be claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClaimError {
    /// It is registered and does not belong to this partner alone.
    Taken,
    /// It belongs to this partner and is in use; only the manufacturer may change its labels.
    InUse,
}

/// Whether a partner may add their own label to a device: to factory stock, or to a device that they are currently
/// claiming (one label for each role of the partner, A-46). `labels` are the values of the partner labels on the
/// device.
///
/// # Errors
/// [`ClaimError`].
pub(crate) fn claim(own: &str, registered: bool, labels: &[&str], has_customer: bool) -> Result<(), ClaimError> {
    if !registered {
        Ok(())
    } else if labels.is_empty() || labels.iter().any(|label| *label != own) {
        Err(ClaimError::Taken)
    } else if has_customer {
        Err(ClaimError::InUse)
    } else {
        Ok(())
    }
}

/// The devices that a caller can see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DeviceScope {
    /// The manufacturer's devices; factory stock only when `unregistered`.
    Oem { oem_id: i64, unregistered: bool },
    /// Registered devices that carry this label.
    Labelled(Label),
    /// Registered devices of this user, and devices that are shared with them at this time.
    Own { user_id: i64, at: Timestamp },
    /// No device: a partner role without a label (A-23: fail closed).
    Nothing,
}

/// The attributes of a device that a [`DeviceScope`] checks.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Audience {
    pub(crate) oem_id: i64,
    pub(crate) registered: bool,
    pub(crate) owner_id: Option<i64>,
    pub(crate) labels: Vec<Label>,
    pub(crate) shares: Vec<ShareRecipient>,
}

/// The scope of this caller at this time.
pub(crate) fn device_scope(principal: &Principal, now: Timestamp) -> DeviceScope {
    match principal.kind {
        RoleKind::OemAdmin => DeviceScope::Oem { oem_id: principal.oem_id, unregistered: true },
        RoleKind::OemObserver => DeviceScope::Oem { oem_id: principal.oem_id, unregistered: false },
        RoleKind::PartnerAdmin | RoleKind::PartnerObserver | RoleKind::PartnerTechnician => {
            principal.label.clone().map_or(DeviceScope::Nothing, DeviceScope::Labelled)
        }
        RoleKind::EndUser => DeviceScope::Own { user_id: principal.user_id, at: now },
    }
}

impl DeviceScope {
    /// Whether this device is in scope. `store::scope` implements the same rule in SQL; a test compares the two.
    pub(crate) fn admits(&self, device: &Audience) -> bool {
        match self {
            Self::Oem { oem_id, unregistered } => device.oem_id == *oem_id && (*unregistered || device.registered),
            Self::Labelled(label) => device.registered && device.labels.contains(label),
            Self::Own { user_id, at } => {
                let shared = |share: &ShareRecipient| share.user_id == *user_id && share.period.covers(*at);
                device.registered && (device.owner_id == Some(*user_id) || device.shares.iter().any(shared))
            }
            Self::Nothing => false,
        }
    }

    /// Moves the scope to a later time, as shares start and end.
    pub(crate) fn advance(&mut self, now: Timestamp) {
        if let Self::Own { at, .. } = self {
            *at = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::share::Period;

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
        Audience { oem_id: 1, registered, owner_id, labels: vec![label], shares: vec![] }
    }

    fn scope(kind: RoleKind, label: Option<&str>) -> DeviceScope {
        device_scope(&principal(kind, label), Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn observers_can_read_but_not_write() {
        use RoleKind::{EndUser, OemAdmin, OemObserver, PartnerAdmin, PartnerObserver, PartnerTechnician};
        // write, reset, label, claim, search labels
        let table = [
            (OemAdmin, [true, true, true, false, true]),
            (OemObserver, [false, false, false, false, true]),
            (PartnerAdmin, [true, false, false, true, true]),
            (PartnerObserver, [false, false, false, false, true]),
            (PartnerTechnician, [true, false, false, true, true]),
            (EndUser, [true, true, false, false, false]),
        ];
        for (kind, [writes, resets, labels, claims, searches]) in table {
            assert!(allows(kind, Action::ReadDevice), "{kind:?}");
            assert_eq!(allows(kind, Action::WriteDatapoint), writes, "{kind:?}");
            assert_eq!(allows(kind, Action::EditDevice), writes, "{kind:?}");
            assert_eq!(allows(kind, Action::ShareDevice), writes, "{kind:?}");
            assert_eq!(operation_of(kind) == Operation::Write, writes, "{kind:?}");
            assert_eq!(may_receive_shares(kind), kind == EndUser, "{kind:?}");
            assert_eq!(allows(kind, Action::ResetDevice), resets, "{kind:?}");
            assert_eq!(allows(kind, Action::LabelDevice), labels, "{kind:?}");
            assert_eq!(may_claim(kind), claims, "{kind:?}");
            assert_eq!(may_search_labels(kind), searches, "{kind:?}");
        }
    }

    #[test]
    fn only_labels_of_partner_roles_assign_a_device_to_a_partner() {
        let own = principal(RoleKind::PartnerTechnician, Some("A"));
        let wanted = |role, key, value| WantedLabel { role, role_key: Some("partner_id"), key, value };
        // is a partner label, is the caller's own
        let table = [
            (wanted(RoleKind::PartnerAdmin, "partner_id", "A"), [true, true]),
            (wanted(RoleKind::PartnerObserver, "partner_id", "A"), [true, true]),
            (wanted(RoleKind::PartnerAdmin, "partner_id", "B"), [true, false]),
            (wanted(RoleKind::PartnerAdmin, "zone", "A"), [false, false]),
            (wanted(RoleKind::PartnerAdmin, "partner_id", ""), [false, false]),
            (wanted(RoleKind::OemObserver, "partner_id", "A"), [false, false]),
        ];
        for (wanted, expected) in table {
            assert_eq!([wanted.is_partner_label(), is_own_label(&own, &wanted)], expected, "{wanted:?}");
        }
        let unlabelled = principal(RoleKind::PartnerAdmin, None);
        assert!(!is_own_label(&unlabelled, &wanted(RoleKind::PartnerAdmin, "partner_id", "A")));
    }

    #[test]
    fn only_stock_and_devices_being_claimed_by_the_partner_can_be_claimed() {
        use ClaimError::{InUse, Taken};
        let table = [
            (false, vec![], false, Ok(())),
            (false, vec![], true, Ok(())),
            (true, vec!["A"], false, Ok(())),
            (true, vec!["A", "A"], false, Ok(())),
            (true, vec!["A"], true, Err(InUse)),
            (true, vec!["A", "B"], false, Err(Taken)),
            (true, vec!["B"], true, Err(Taken)),
            // Owned by an end user, or by the manufacturer.
            (true, vec![], false, Err(Taken)),
        ];
        for (registered, labels, has_customer, expected) in table {
            assert_eq!(
                claim("A", registered, &labels, has_customer),
                expected,
                "{registered} {labels:?} {has_customer}"
            );
        }
    }

    #[test]
    fn each_role_kind_sees_only_devices_in_its_scope() {
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
            let scope = scope(kind, label);
            assert_eq!(devices.each_ref().map(|device| scope.admits(device)), expected, "{kind:?} {label:?}");
        }
    }

    #[test]
    fn share_allows_reading_or_commands_and_nothing_else() {
        use Action::{EditDevice, LabelDevice, ReadDevice, ResetDevice, ShareDevice, WriteDatapoint};
        for operation in [Operation::Read, Operation::Write] {
            assert!(share_allows(operation, ReadDevice));
            assert_eq!(share_allows(operation, WriteDatapoint), operation == Operation::Write);
            for action in [EditDevice, ShareDevice, ResetDevice, LabelDevice] {
                assert!(!share_allows(operation, action), "{operation:?} {action:?}");
            }
        }
    }

    #[test]
    fn recipient_sees_a_device_during_the_period_of_the_share() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let period = Period { start: Some(10_000_000), end: Some(20_000_000) };
        let mut device = device(true, Some(8), "A");
        device.shares =
            vec![ShareRecipient { user_id: 9, period: Period::default() }, ShareRecipient { user_id: 7, period }];
        let mut scope = scope(RoleKind::EndUser, None);
        for (moment, expected) in [(9, false), (10, true), (19, true), (20, false)] {
            scope.advance(at(moment));
            assert_eq!(scope.admits(&device), expected, "{moment}");
        }
        scope.advance(at(10));
        device.registered = false;
        assert!(!scope.admits(&device));
        for (kind, label) in [(RoleKind::PartnerAdmin, Some("B")), (RoleKind::PartnerTechnician, None)] {
            let shared = Audience { registered: true, ..device.clone() };
            let mut scope = self::scope(kind, label);
            scope.advance(at(10));
            assert!(!scope.admits(&shared), "{kind:?} the role determines the scope");
        }
    }

    #[test]
    fn scope_never_includes_devices_of_another_oem() {
        let foreign = Audience { oem_id: 2, ..device(true, None, "A") };
        assert!(!scope(RoleKind::OemAdmin, None).admits(&foreign));
    }

    #[test]
    fn label_of_another_role_is_ignored() {
        let mut device = device(true, None, "A");
        device.labels[0].role_id = 4;
        assert!(!scope(RoleKind::PartnerAdmin, Some("A")).admits(&device));
    }
}
