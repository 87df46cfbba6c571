use serde::Serialize;

use crate::domain::principal::Grant;
use crate::store::associations::AssociationRow;

/// A role with its label (docs/wire.md#roles).
#[derive(Serialize)]
pub(crate) struct RoleUser {
    role: String,
    label: Option<Pair>,
}

#[derive(Serialize)]
struct Pair {
    key: String,
    value: String,
}

impl From<Grant> for RoleUser {
    fn from(grant: Grant) -> Self {
        let label = grant.label().map(|label| Pair { key: label.key, value: label.value });
        Self { role: grant.name, label }
    }
}

impl From<AssociationRow> for RoleUser {
    fn from(row: AssociationRow) -> Self {
        let AssociationRow { role, label_key, label_value } = row;
        Self { role, label: label_key.map(|key| Pair { key, value: label_value }) }
    }
}
