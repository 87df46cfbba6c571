use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::debug::debug_only;
use crate::model::read::{Fields, FromWire, text};
use crate::model::wire_enum::wire_enum;
use crate::model::{Dsn, PropertyValue, RuleActionUuid, Time, UserUuid};

wire_enum! {
    /// The type of a rule action.
    RuleActionType {
        /// Sends an e-mail.
        Email = "EMAIL",
        /// Sets a property of a device.
        Datapoint = "DATAPOINT",
    }
}

/// An action that rules run. It has no id until it is created in the cloud. `Debug` output contains no personal data.
///
/// ```
/// use devicecloud::RuleAction;
///
/// let off = RuleAction::datapoint("AC000W000000001", "fan", "=", false);
/// assert_eq!(off.name, "DATAPOINT(AC000W000000001,fan) = false");
/// ```
#[derive(Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RuleAction {
    /// The id; blank until the action is created, or if the cloud does not send it.
    pub action_uuid: RuleActionUuid,
    /// The name.
    pub name: String,
    /// The type.
    #[serde(rename = "type")]
    pub action_type: RuleActionType,
    /// The parameters.
    pub parameters: RuleActionParameters,
    /// The user that the action belongs to.
    pub user_uuid: UserUuid,
    /// When it was created.
    pub created_at: Option<Time>,
    /// When it was last changed.
    pub updated_at: Option<Time>,
}

debug_only!(RuleAction { action_uuid, action_type });

/// The parameters of an action.
#[derive(Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum RuleActionParameters {
    /// The property and its value: `DATAPOINT(dsn,property name) operator value`.
    Datapoint {
        /// The expression.
        datapoint: String,
    },
    /// An e-mail.
    #[serde(rename_all = "camelCase")]
    Email {
        /// The recipients' addresses.
        email_to: Vec<String>,
        /// Its subject.
        email_subject: String,
        /// Its text.
        email_body: String,
    },
    /// The parameters of a type that this library does not know.
    Other(Map<String, Value>),
}

impl RuleAction {
    /// An action that sets a property of a device. Its name is the expression, unless set by
    /// [`with_name`](Self::with_name).
    pub fn datapoint(
        dsn: impl Into<Dsn>,
        property: impl AsRef<str>,
        operator: impl AsRef<str>,
        value: impl Into<PropertyValue>,
    ) -> Self {
        let value = match value.into() {
            PropertyValue::Boolean(flag) => flag.to_string(),
            other => other.to_string(),
        };
        let expression = format!("DATAPOINT({},{}) {} {value}", dsn.into(), property.as_ref(), operator.as_ref());
        Self::new(
            expression.clone(),
            RuleActionType::Datapoint,
            RuleActionParameters::Datapoint { datapoint: expression },
        )
    }

    /// Sends an e-mail.
    pub fn email(
        name: impl Into<String>,
        to: impl IntoIterator<Item = impl Into<String>>,
        subject: impl Into<String>,
        body: impl Into<String>,
    ) -> Self {
        let parameters = RuleActionParameters::Email {
            email_to: to.into_iter().map(Into::into).collect(),
            email_subject: subject.into(),
            email_body: body.into(),
        };
        Self::new(name.into(), RuleActionType::Email, parameters)
    }

    /// Sets the name.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    fn new(name: String, action_type: RuleActionType, parameters: RuleActionParameters) -> Self {
        Self {
            action_uuid: RuleActionUuid::default(),
            name,
            action_type,
            parameters,
            user_uuid: UserUuid::default(),
            created_at: None,
            updated_at: None,
        }
    }

    /// The request body.
    pub(crate) fn to_wire(&self) -> Value {
        let parameters = match &self.parameters {
            RuleActionParameters::Datapoint { datapoint } => json!({"datapoint": datapoint}),
            RuleActionParameters::Email { email_to, email_subject, email_body } => {
                json!({"email_to": email_to, "email_subject": email_subject, "email_body": email_body})
            }
            RuleActionParameters::Other(members) => members.clone().into(),
        };
        json!({"action": {"name": self.name, "type": self.action_type.as_str(), "parameters": parameters}})
    }
}

impl FromWire for RuleAction {
    const WRAPPER: &'static str = "action";

    fn from_wire(fields: &Fields<'_>) -> Self {
        let action_type: RuleActionType = fields.text_or_empty("type").as_str().into();
        let none = Map::new();
        let members = fields.value("parameters").and_then(Value::as_object).unwrap_or(&none);
        Self {
            action_uuid: fields.id("action_uuid"),
            name: fields.text_or_empty("name"),
            parameters: RuleActionParameters::read(&action_type, &Fields(members)),
            action_type,
            user_uuid: fields.id("user_uuid"),
            created_at: fields.time("created_at"),
            updated_at: fields.time("updated_at"),
        }
    }
}

impl RuleActionParameters {
    fn read(action_type: &RuleActionType, fields: &Fields<'_>) -> Self {
        match action_type {
            RuleActionType::Datapoint => Self::Datapoint { datapoint: fields.text_or_empty("datapoint") },
            RuleActionType::Email => Self::Email {
                email_to: match fields.value("email_to") {
                    Some(Value::Array(addresses)) => addresses.iter().filter_map(text).collect(),
                    address => address.and_then(text).into_iter().collect(),
                },
                email_subject: fields.text_or_empty("email_subject"),
                email_body: fields.text_or_empty("email_body"),
            },
            RuleActionType::Unknown(_) => Self::Other(fields.0.clone()),
        }
    }
}

impl fmt::Debug for RuleActionParameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RuleActionParameters").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::read;

    #[test]
    fn datapoint_action_is_named_after_its_expression() {
        let table = [
            (RuleAction::datapoint("D1", "fan speed", "=", 3), "DATAPOINT(D1,fan speed) = 3"),
            (RuleAction::datapoint("D1", "fan", "=", true), "DATAPOINT(D1,fan) = true"),
            (RuleAction::datapoint("D1", "fan", "==", false), "DATAPOINT(D1,fan) == false"),
            (RuleAction::datapoint("D1", "level", "=", 2.5), "DATAPOINT(D1,level) = 2.5"),
            (RuleAction::datapoint("D1", "text", "=", "on"), "DATAPOINT(D1,text) = on"),
        ];
        for (action, expected) in table {
            assert_eq!(action.name, expected);
            let sent =
                json!({"action": {"name": expected, "type": "DATAPOINT", "parameters": {"datapoint": expected}}});
            assert_eq!(action.to_wire(), sent);
            assert_eq!(action.with_name("Stop").to_wire()["action"]["name"], "Stop");
        }
    }

    #[test]
    fn email_action_has_recipients_subject_and_body() {
        let action = RuleAction::email("Refill", ["a@example.com", "b@example.com"], "Low", "Please refill");
        let parameters = json!({
            "email_to": ["a@example.com", "b@example.com"], "email_subject": "Low", "email_body": "Please refill",
        });
        assert_eq!(action.to_wire(), json!({"action": {"name": "Refill", "type": "EMAIL", "parameters": parameters}}));
        assert!(!format!("{action:?} {:?}", action.parameters).contains("example.com"));
    }

    #[test]
    fn rule_action_is_sent_as_it_was_read() {
        let table = [
            json!({"name": "n", "type": "DATAPOINT", "parameters": {"datapoint": "DATAPOINT(D1,fan) = 1"}}),
            json!({"name": "n", "type": "EMAIL", "parameters": {"email_to": [], "email_subject": "", "email_body": ""}}),
            json!({"name": "n", "type": "URL", "parameters": {"endpoint": "https://example.com", "scheme": 7}}),
        ];
        for sent in table {
            let mut response = sent.clone();
            response["action_uuid"] = "a-1".into();
            let action: RuleAction = read::one(&json!({"action": response})).unwrap();
            assert_eq!((action.action_uuid.as_str(), action.to_wire()), ("a-1", json!({"action": sent})));
        }
        let one: RuleAction = read::one(&json!({"type": "EMAIL", "parameters": {"email_to": "a@b"}})).unwrap();
        assert!(matches!(one.parameters, RuleActionParameters::Email { email_to, .. } if email_to == ["a@b"]));
    }
}
