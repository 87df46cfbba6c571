//! Devices that a write to the index changed.

use crate::records::{DeviceRecord, DeviceState};

/// A device whose indexed values changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChangedDevice {
    pub(crate) dsn: String,
    /// CSPs whose list contents, counts or order changed; an empty text stands for no CSP. Empty when only values
    /// changed that no list sorts or filters by.
    pub(crate) lists: Vec<String>,
}

impl ChangedDevice {
    /// The difference between two records of a device, `None` for a missing one. Returns `None` when they are equal.
    pub(crate) fn between(before: Option<&DeviceRecord>, after: Option<&DeviceRecord>) -> Option<Self> {
        if before == after {
            return None;
        }
        let dsn = before.or(after)?.dsn.clone();
        let mut lists = Vec::new();
        if before.zip(after).is_none_or(|(before, after)| !have_equal_list_values(before, after)) {
            lists.extend([before, after].into_iter().flatten().map(|record| record.csp.clone().unwrap_or_default()));
            lists.dedup();
        }
        Some(Self { dsn, lists })
    }
}

/// Whether the two differ at most in values that no list is sorted or filtered by.
fn have_equal_list_values(before: &DeviceRecord, after: &DeviceRecord) -> bool {
    have_equal_list_states(before.state, after.state) && before.equals_except_state(after)
}

/// Whether the two states differ at most in values that no list is sorted or filtered by.
pub(super) fn have_equal_list_states(before: DeviceState, after: DeviceState) -> bool {
    let listed = |state: DeviceState| {
        (state.connection_status, state.connected_at, state.connection_changed_at, state.fragrance_remaining)
    };
    listed(before) == listed(after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::ConnectionStatus;

    fn record(csp: Option<&str>, intensity: i64) -> DeviceRecord {
        let connection_status = ConnectionStatus::Online;
        DeviceRecord {
            dsn: "SC1".to_owned(),
            csp: csp.map(str::to_owned),
            state: DeviceState { connection_status, intensity: Some(intensity), ..DeviceState::default() },
            ..DeviceRecord::default()
        }
    }

    type Row<'a> = (Option<&'a DeviceRecord>, Option<&'a DeviceRecord>, Option<&'a [&'a str]>);

    #[test]
    fn moved_device_affects_lists_of_both_csps_and_a_value_affects_none() {
        let north = record(Some("North"), 1);
        let renamed = DeviceRecord { customer: Some("Hotel".to_owned()), ..north.clone() };
        let mut offline = north.clone();
        offline.state.connection_status = ConnectionStatus::Offline;
        let rows: [Row<'_>; 9] = [
            (None, None, None),
            (Some(&north), Some(&north), None),
            (Some(&north), Some(&record(Some("North"), 2)), Some(&[])),
            (Some(&north), Some(&renamed), Some(&["North"])),
            (Some(&north), Some(&offline), Some(&["North"])),
            (Some(&north), Some(&record(Some("South"), 1)), Some(&["North", "South"])),
            (Some(&north), Some(&record(None, 1)), Some(&["North", ""])),
            (None, Some(&north), Some(&["North"])),
            (Some(&north), None, Some(&["North"])),
        ];
        for (before, after, lists) in rows {
            let changed = ChangedDevice::between(before, after);
            assert!(changed.iter().all(|changed| changed.dsn == "SC1"));
            let lists = lists.map(|lists| lists.iter().map(|&csp| csp.to_owned()).collect::<Vec<_>>());
            assert_eq!(changed.map(|changed| changed.lists), lists, "{before:?} {after:?}");
        }
    }
}
