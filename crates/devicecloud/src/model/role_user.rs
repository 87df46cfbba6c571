use serde::Serialize;

use super::Label;
use super::read::{Fields, FromWire};

/// A role and the label that selects one of its users, such as a dealer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RoleUser {
    /// The name of the role.
    pub role: String,
    /// The label of the role; `None` if the role has none.
    pub label: Option<Label>,
}

impl FromWire for RoleUser {
    const WRAPPER: &'static str = "role_user";

    fn from_wire(fields: &Fields<'_>) -> Self {
        Self { role: fields.text_or_empty("role"), label: label(fields) }
    }
}

/// Reads `{"key": …, "value": …}` or the short form `{"dealer_id": "101"}`.
fn label(fields: &Fields<'_>) -> Option<Label> {
    let label = Fields(fields.value("label")?.as_object()?);
    match (label.text("key"), label.text("value")) {
        (Some(key), Some(value)) => Some(Label { key, value }),
        _ => label.0.iter().find_map(|(key, value)| Some(Label::new(key, value.as_str()?))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::read;

    #[test]
    fn role_user_label_is_read_in_both_forms() {
        let dealer = Some(Label::new("dealer_id", "101"));
        for (label, expected) in [
            (json!({"key": "dealer_id", "value": "101"}), dealer.clone()),
            (json!({"dealer_id": "101"}), dealer),
            (json!({}), None),
            (json!(null), None),
            (json!("101"), None),
        ] {
            let read = read::one::<RoleUser>(&json!({"role": "Dealer", "label": label})).unwrap();
            assert_eq!((read.role.as_str(), read.label), ("Dealer", expected));
        }
    }
}
