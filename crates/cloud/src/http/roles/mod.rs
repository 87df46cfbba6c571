//! User service: the roles of users and their labels (docs/wire.md#roles, A-94, A-129).

mod change;
mod create;
mod customers;
mod index;

pub(super) use change::{assign_label, assign_role, revoke_label, revoke_role};
pub(super) use create::create;
pub(super) use customers::{associate, disassociate_role_user, disassociate_user};
pub(super) use index::{index_by_label, index_by_oem, index_by_role, role_users};

use serde_json::Map;

use super::error::{Error, Result};
use super::extract::Caller;
use super::form::{Form, fits};
use crate::app::App;
use crate::domain::policy::WantedLabel;
use crate::domain::value::is_plain;
use crate::store::roles::{self, RoleRow};

/// Maximum length of the name of a role, label or key, in characters.
const TEXT: usize = 255;

/// The role with the name in a body or a query.
///
/// # Errors
/// 422 if the manufacturer has no role of this name.
async fn named(app: &App, caller: &Caller, name: &str) -> Result<RoleRow> {
    let role = roles::find(&app.db, caller.0.oem_id, name).await?;
    role.ok_or_else(|| Error::invalid("role", "not found"))
}

/// The value of the caller's own label.
fn own(caller: &Caller) -> Option<&str> {
    caller.0.label.as_ref().map(|label| label.value.as_str())
}

/// A role with a label, as policy checks it.
fn wanted<'a>(role: &'a RoleRow, value: &'a str) -> WantedLabel<'a> {
    let role_key = role.label_key.as_deref();
    WantedLabel { role: role.kind(), role_key, key: role_key.unwrap_or_default(), value }
}

/// The `label` of a body: `{"dealer_id": "101"}` or `{"key": "dealer_id", "value": "101"}`.
#[derive(Debug, PartialEq, Eq)]
struct Pair<'a> {
    key: &'a str,
    value: &'a str,
}

impl<'a> Pair<'a> {
    const FIELD: &'static str = "label";

    /// A required label. Empty if it is missing; the form's check then fails.
    fn required(form: &mut Form<'a>) -> Self {
        let is_there =
            form.value(Self::FIELD).is_some_and(|label| label.as_object().is_none_or(|pair| !pair.is_empty()));
        if !is_there {
            form.refuse(Self::FIELD, "can't be blank");
        }
        Self::read(form).unwrap_or(Self { key: "", value: "" })
    }

    /// The label; `None` if it is missing or empty.
    fn read(form: &mut Form<'a>) -> Option<Self> {
        let members = form.value(Self::FIELD)?.as_object();
        if members.is_some_and(Map::is_empty) {
            return None;
        }
        let pair = members.and_then(|members| match (members.len(), members.get("key"), members.get("value")) {
            (1, ..) => members.iter().next().and_then(|(key, value)| Some(Self { key, value: value.as_str()? })),
            (2, Some(key), Some(value)) => Some(Self { key: key.as_str()?, value: value.as_str()? }),
            _ => None,
        });
        let is_good = |text: &str| !text.trim().is_empty() && fits(text, TEXT) && is_plain(text);
        let pair = pair.filter(|pair| is_good(pair.key) && is_good(pair.value));
        if pair.is_none() {
            form.refuse(Self::FIELD, "is not a pair of key and value");
        }
        pair
    }

    /// # Errors
    /// 422 if the role has another label key, or none.
    fn of(&self, role: &RoleRow) -> Result<&'a str> {
        if role.label_key.as_deref() == Some(self.key) {
            return Ok(self.value);
        }
        Err(Error::invalid("label", "is none of this role"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn label_is_one_pair_in_either_format() {
        let (pair, longest, long) = (Some(("zone", "north")), "ß".repeat(255), "x".repeat(256));
        let table = [
            (json!({ "label": { "zone": "north" } }), pair, true),
            (json!({ "label": { "key": "zone", "value": "north" } }), pair, true),
            (json!({ "label": { "key": "north" } }), Some(("key", "north")), true),
            (json!({ "label": { "zone": longest } }), Some(("zone", longest.as_str())), true),
            (json!({ "label": {} }), None, true),
            (json!({ "label": null }), None, true),
            (json!({}), None, true),
            (json!({ "label": { "zone": "north", "floor": "1" } }), None, false),
            (json!({ "label": { "key": "zone", "value": "north", "x": "1" } }), None, false),
            (json!({ "label": { "zone": 1 } }), None, false),
            (json!({ "label": { "zone": " " } }), None, false),
            (json!({ "label": { "": "north" } }), None, false),
            (json!({ "label": { "zone": long } }), None, false),
            (json!({ "label": { "zone": "a\u{0}" } }), None, false),
            (json!({ "label": "zone" }), None, false),
            (json!({ "label": ["zone"] }), None, false),
        ];
        for (body, expected, good) in table {
            let mut form = Form::of(body.as_object().unwrap());
            let read = Pair::read(&mut form).map(|pair| (pair.key, pair.value));
            assert_eq!((read, form.check().is_ok()), (expected, good), "{body}");
        }
    }
}
