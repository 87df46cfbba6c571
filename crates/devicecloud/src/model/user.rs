use serde::Serialize;

use super::attached::label;
use super::read::{Fields, FromWire};
use super::{Label, Time, UserId, UserUuid};
use crate::debug::debug_only;

/// A label of a user's role.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RoleTag {
    /// The name of the role.
    pub namespace: String,
    /// The key.
    pub key: String,
    /// The value.
    pub value: String,
}

debug_only!(RoleTag { namespace, key });

impl FromWire for RoleTag {
    const WRAPPER: &'static str = "role_tag";

    fn from_wire(fields: &Fields<'_>) -> Self {
        Self {
            namespace: fields.text_or_empty("namespace"),
            key: fields.text_or_empty("key"),
            value: fields.text_or_empty("value"),
        }
    }
}

/// A user's profile. `Debug` output contains ids and role but no personal data.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct User {
    /// The id; blank if the cloud does not send it.
    pub id: UserId,
    /// The UUID.
    pub uuid: UserUuid,
    /// The e-mail address.
    pub email: String,
    /// First name.
    pub firstname: Option<String>,
    /// Last name.
    pub lastname: Option<String>,
    /// Company.
    pub company: Option<String>,
    /// Street and number.
    pub street: Option<String>,
    /// City.
    pub city: Option<String>,
    /// State or region.
    pub state: Option<String>,
    /// Postal code.
    pub zip: Option<String>,
    /// Country.
    pub country: Option<String>,
    /// Country code of the phone number.
    pub phone_country_code: Option<String>,
    /// Phone number.
    pub phone: Option<String>,
    /// The development kit number.
    pub ayla_dev_kit_num: Option<String>,
    /// The role; `None` if the cloud does not send it.
    pub role: Option<String>,
    /// The labels of the role.
    pub role_tags: Vec<RoleTag>,
    /// The label of the administrators who look after a user without a role: one of them revoked the last role and may
    /// assign another. It gives the user no rights. An extension of the Sillage cloud; `None` in other clouds and in
    /// the user's own profile.
    pub custody: Option<Label>,
    /// When the e-mail address was confirmed.
    pub confirmed_at: Option<Time>,
    /// When the account was created.
    pub created_at: Option<Time>,
    /// When the account was last changed.
    pub updated_at: Option<Time>,
}

debug_only!(User { id, uuid, role, role_tags, custody });

impl FromWire for User {
    const WRAPPER: &'static str = "user";

    fn from_wire(fields: &Fields<'_>) -> Self {
        Self {
            id: fields.id("id"),
            uuid: fields.id("uuid"),
            email: fields.text_or_empty("email"),
            firstname: fields.text("firstname"),
            lastname: fields.text("lastname"),
            company: fields.text("company"),
            street: fields.text("street"),
            city: fields.text("city"),
            state: fields.text("state"),
            zip: fields.text("zip"),
            country: fields.text("country"),
            phone_country_code: fields.text("phone_country_code"),
            phone: fields.text("phone"),
            ayla_dev_kit_num: fields.text("ayla_dev_kit_num"),
            role: fields.text("role"),
            role_tags: fields.many("role_tags"),
            custody: custody(fields),
            confirmed_at: fields.time("confirmed_at"),
            created_at: fields.time("created_at"),
            updated_at: fields.time("updated_at"),
        }
    }
}

fn custody(fields: &Fields<'_>) -> Option<Label> {
    label(&Fields(fields.value("custody")?.as_object()?)).filter(Label::is_complete)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::model::UserChanges;
    use crate::model::read;

    /// The names on the wire and in the library's JSON.
    const TEXTS: [(&str, &str); 12] = [
        ("email", "email"),
        ("firstname", "firstname"),
        ("lastname", "lastname"),
        ("country", "country"),
        ("street", "street"),
        ("city", "city"),
        ("state", "state"),
        ("company", "company"),
        ("zip", "zip"),
        ("phone_country_code", "phoneCountryCode"),
        ("phone", "phone"),
        ("ayla_dev_kit_num", "aylaDevKitNum"),
    ];

    fn response() -> Value {
        let mut user = json!({
            "uuid": "u-1", "role_tags": [{"namespace": "n", "key": "k", "value": "v"}],
            "confirmed_at": "2026-11-20T10:00:00Z", "created_at": "2026-11-19T10:00:00Z",
            "updated_at": "2026-11-21T10:00:00Z",
        });
        for (name, _) in TEXTS {
            user[name] = json!(format!("the {name}"));
        }
        user
    }

    #[test]
    fn profile_has_the_specified_fields() {
        let user = read::one::<User>(&json!({ "user": response() })).unwrap();
        let written = serde_json::to_value(&user).unwrap();
        for (name, ours) in TEXTS {
            assert_eq!(written[ours], format!("the {name}"));
        }
        assert_eq!(written["uuid"], "u-1");
        assert_eq!(written["confirmedAt"], "2026-11-20T10:00:00Z");
        assert_eq!(written["createdAt"], "2026-11-19T10:00:00Z");
        assert_eq!(written["updatedAt"], "2026-11-21T10:00:00Z");
        assert_eq!(written["roleTags"], json!([{"namespace": "n", "key": "k", "value": "v"}]));
    }

    #[test]
    fn user_is_read_wrapped_or_bare() {
        let wrapped = json!({"uuid": "flat", "email": "flat", "user": response()});
        let user = read::one::<User>(&wrapped).unwrap();
        assert_eq!((user.uuid.as_str(), user.email.as_str()), ("u-1", "the email"));
        assert_eq!(read::one::<User>(&response()), Some(user));
        assert_eq!(read::one::<User>(&json!({})).unwrap().firstname, None);
    }

    #[test]
    fn custody_requires_key_and_value() {
        for (custody, expected) in [
            (json!({"key": "partner_id", "value": "North"}), Some(Label::new("partner_id", "North"))),
            (json!({"key": "partner_id", "value": ""}), None),
            (json!({"value": "North"}), None),
            (json!("North"), None),
            (json!(null), None),
        ] {
            let user = read::one::<User>(&json!({"user": {"uuid": "u-1", "custody": custody}})).unwrap();
            assert_eq!(user.custody, expected, "{custody}");
        }
    }

    #[test]
    fn user_changes_use_the_wire_names() {
        let text = |name: &str| format!("the {name}");
        let changes = UserChanges::new()
            .firstname(text("firstname"))
            .lastname(text("lastname"))
            .country(text("country"))
            .street(text("street"))
            .city(text("city"))
            .state(text("state"))
            .company(text("company"))
            .zip(text("zip"))
            .phone_country_code(text("phone_country_code"))
            .phone(text("phone"))
            .ayla_dev_kit_num(text("ayla_dev_kit_num"));
        let sent = changes.body();
        assert_eq!(sent.as_object().unwrap().len(), TEXTS.len() - 1, "the address has a separate call");
        for (name, _) in &TEXTS[1..] {
            assert_eq!(sent[name], text(name));
        }
    }
}
