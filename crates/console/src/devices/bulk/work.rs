//! Parses the stored work of device jobs.

use serde::Deserialize;

use super::copy::DeviceSnapshot;
use super::csp_assignment::AssignCsp;
use super::undo::UndoJob;
use crate::jobs::{Work, WorkKinds};

/// The kinds of work on devices.
pub(crate) const WORK_KINDS: WorkKinds =
    WorkKinds { parse: parse_work, undo: |job, operation| serde_json::to_string(&UndoJob { job, operation }) };

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum StoredWork {
    AssignCsp(AssignCsp),
    CopyDevice(Box<DeviceSnapshot>),
    UndoJob(UndoJob),
}

/// # Errors
/// Work that this version does not know.
fn parse_work(json: &str) -> serde_json::Result<Box<dyn Work>> {
    Ok(match serde_json::from_str(json)? {
        StoredWork::AssignCsp(work) => Box::new(work),
        StoredWork::CopyDevice(work) => work,
        StoredWork::UndoJob(work) => Box::new(work),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::Operation;

    #[test]
    fn work_is_parsed_from_its_stored_form() {
        let stored = r#"{"kind":"assign_csp","csp":"North"}"#;
        assert_eq!(parse_work(stored).unwrap().operation(), Operation::AssignCsp);
        let work: AssignCsp = serde_json::from_str(stored).unwrap();
        assert_eq!(serde_json::to_string(&work).unwrap(), stored);

        let stored = serde_json::to_string(&DeviceSnapshot::default()).unwrap();
        assert!(stored.starts_with(r#"{"kind":"copy_device","source":"""#), "{stored}");
        assert_eq!(parse_work(&stored).unwrap().operation(), Operation::CopyDevice);

        let stored = (WORK_KINDS.undo)(uuid::Uuid::nil(), Operation::CopyDevice).unwrap();
        let expected = r#"{"kind":"undo_job","job":"00000000-0000-0000-0000-000000000000","operation":"copy_device"}"#;
        assert_eq!(stored, expected);
        assert_eq!(parse_work(&stored).unwrap().operation(), Operation::UndoJob);
    }

    #[test]
    fn unknown_work_is_an_error() {
        for json in [r#"{"kind":"paint"}"#, ""] {
            assert!(parse_work(json).is_err(), "{json}");
        }
    }
}
