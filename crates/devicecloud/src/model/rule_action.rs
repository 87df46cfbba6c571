use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::read::{Fields, FromWire, text};
use super::schedule::in_camel_case;
use super::wire_enum::wire_enum;
use super::{Dsn, PropertyValue, RuleActionUuid, Time, UserUuid};
use crate::debug::debug_only;
use crate::error::messages;
use crate::error::{self, required};

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
/// Members without a separate field are kept in `other` and sent back unchanged.
///
/// ```
/// use devicecloud::RuleAction;
///
/// let off = RuleAction::datapoint("AC000W000000001", "fan", "=", false)?;
/// assert_eq!(off.name, "DATAPOINT(AC000W000000001,fan) = false");
/// # Ok::<(), devicecloud::Error>(())
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
    /// All other members, by the cloud's names.
    #[serde(flatten, serialize_with = "in_camel_case")]
    pub other: Map<String, Value>,
}

debug_only!(RuleAction { action_uuid, action_type });

/// The parameters of an action.
#[derive(Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum RuleActionParameters {
    /// The property and its value: `DATAPOINT(dsn,property name) operator value`.
    #[non_exhaustive]
    Datapoint {
        /// The expression.
        datapoint: String,
        /// All other parameters, by the cloud's names.
        #[serde(flatten, serialize_with = "in_camel_case")]
        other: Map<String, Value>,
    },
    /// An e-mail.
    #[non_exhaustive]
    #[serde(rename_all = "camelCase")]
    Email {
        /// The recipients' addresses.
        email_to: Vec<String>,
        /// Its subject.
        email_subject: String,
        /// Its text.
        email_body: String,
        /// All other parameters, by the cloud's names, such as `email_body_html`.
        #[serde(flatten, serialize_with = "in_camel_case")]
        other: Map<String, Value>,
    },
    /// The parameters of a type that this library does not know.
    Other(Map<String, Value>),
}

impl RuleAction {
    /// An action that sets a property of a device. Its name is the expression, unless set by
    /// [`with_name`](Self::with_name). A text is written in quotes.
    ///
    /// # Errors
    /// `InvalidArgument` 'Invalid DSN' or 'Invalid property name' for a blank one, or one with a comma, a bracket, a
    /// control character or outer spaces; 'Invalid operator' unless it is `=` or `==`; 'Invalid property value' for a text
    /// with both kinds of quotes, or a decimal that is not finite.
    pub fn datapoint(
        dsn: impl Into<Dsn>,
        property: impl AsRef<str>,
        operator: impl AsRef<str>,
        value: impl Into<PropertyValue>,
    ) -> error::Result<Self> {
        let (dsn, property, operator, value) = (dsn.into(), property.as_ref(), operator.as_ref(), value.into());
        required(!is_name(dsn.as_str()), messages::INVALID_DSN)?;
        required(!is_name(property), messages::INVALID_PROPERTY_NAME)?;
        required(!["=", "=="].contains(&operator), messages::INVALID_OPERATOR)?;
        let constant = constant(&value);
        required(constant.is_none(), messages::INVALID_VALUE)?;
        let expression = format!("DATAPOINT({dsn},{property}) {operator} {}", constant.unwrap_or_default());
        let parameters = RuleActionParameters::Datapoint { datapoint: expression.clone(), other: Map::new() };
        Ok(Self::new(expression, RuleActionType::Datapoint, parameters))
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
            other: Map::new(),
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
            other: Map::new(),
        }
    }

    /// The request body.
    pub(crate) fn to_wire(&self) -> Value {
        let mut action = self.other.clone();
        for (name, value) in [
            (NAME, json!(self.name)),
            (TYPE, json!(self.action_type.as_str())),
            (PARAMETERS, self.parameters.to_wire().into()),
        ] {
            action.insert(name.to_owned(), value);
        }
        json!({"action": action})
    }
}

/// Members that have a field.
const NAME: &str = "name";
const TYPE: &str = "type";
const PARAMETERS: &str = "parameters";
const DATAPOINT: &str = "datapoint";
const EMAIL_TO: &str = "email_to";
const EMAIL_SUBJECT: &str = "email_subject";
const EMAIL_BODY: &str = "email_body";

/// Whether an expression can contain the name without quotes.
fn is_name(name: &str) -> bool {
    let is_separator = |character: char| matches!(character, ',' | '(' | ')') || character.is_control();
    !name.is_empty() && name.trim() == name && !name.contains(is_separator)
}

/// The value in an expression, if it can be written. A text cannot contain its own quote.
fn constant(value: &PropertyValue) -> Option<String> {
    match value {
        PropertyValue::Boolean(flag) => Some(flag.to_string()),
        PropertyValue::Decimal(number) if !number.is_finite() => None,
        PropertyValue::Text(text) if !text.contains('\'') => Some(format!("'{text}'")),
        PropertyValue::Text(text) if !text.contains('"') => Some(format!("\"{text}\"")),
        PropertyValue::Text(_) => None,
        number => Some(number.to_string()),
    }
}

/// The members that have no field.
fn others(members: &Map<String, Value>, known: &[&str]) -> Map<String, Value> {
    let other = members.iter().filter(|(name, _)| !known.contains(&name.as_str()));
    other.map(|(name, value)| (name.clone(), value.clone())).collect()
}

impl FromWire for RuleAction {
    const WRAPPER: &'static str = "action";

    fn from_wire(fields: &Fields<'_>) -> Self {
        let action_type: RuleActionType = fields.text_or_empty(TYPE).as_str().into();
        let none = Map::new();
        let members = fields.value(PARAMETERS).and_then(Value::as_object).unwrap_or(&none);
        Self {
            action_uuid: fields.id("action_uuid"),
            name: fields.text_or_empty(NAME),
            parameters: RuleActionParameters::read(&action_type, &Fields(members)),
            action_type,
            user_uuid: fields.id("user_uuid"),
            created_at: fields.time("created_at"),
            updated_at: fields.time("updated_at"),
            other: others(fields.0, &["action_uuid", NAME, TYPE, PARAMETERS, "user_uuid", "created_at", "updated_at"]),
        }
    }
}

impl RuleActionParameters {
    fn read(action_type: &RuleActionType, fields: &Fields<'_>) -> Self {
        match action_type {
            RuleActionType::Datapoint => {
                Self::Datapoint { datapoint: fields.text_or_empty(DATAPOINT), other: others(fields.0, &[DATAPOINT]) }
            }
            RuleActionType::Email => Self::Email {
                email_to: match fields.value(EMAIL_TO) {
                    Some(Value::Array(addresses)) => addresses.iter().filter_map(text).collect(),
                    address => address.and_then(text).into_iter().collect(),
                },
                email_subject: fields.text_or_empty(EMAIL_SUBJECT),
                email_body: fields.text_or_empty(EMAIL_BODY),
                other: others(fields.0, &[EMAIL_TO, EMAIL_SUBJECT, EMAIL_BODY]),
            },
            RuleActionType::Unknown(_) => Self::Other(fields.0.clone()),
        }
    }

    fn to_wire(&self) -> Map<String, Value> {
        let (known, other) = match self {
            Self::Datapoint { datapoint, other } => (vec![(DATAPOINT, json!(datapoint))], other),
            Self::Email { email_to, email_subject, email_body, other } => (
                vec![
                    (EMAIL_TO, json!(email_to)),
                    (EMAIL_SUBJECT, json!(email_subject)),
                    (EMAIL_BODY, json!(email_body)),
                ],
                other,
            ),
            Self::Other(members) => return members.clone(),
        };
        let known = known.into_iter().map(|(name, value)| (name.to_owned(), value));
        other.clone().into_iter().chain(known).collect()
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
            (RuleAction::datapoint("D1", "text", "=", "on"), "DATAPOINT(D1,text) = 'on'"),
            (RuleAction::datapoint("D1", "text", "=", " a, (b) "), "DATAPOINT(D1,text) = ' a, (b) '"),
            (RuleAction::datapoint("D1", "text", "=", "it's"), "DATAPOINT(D1,text) = \"it's\""),
            (RuleAction::datapoint("D1", "text", "=", "30"), "DATAPOINT(D1,text) = '30'"),
        ];
        for (action, expected) in table {
            let action = action.unwrap();
            assert_eq!(action.name, expected);
            let sent =
                json!({"action": {"name": expected, "type": "DATAPOINT", "parameters": {"datapoint": expected}}});
            assert_eq!(action.to_wire(), sent);
            assert_eq!(action.with_name("Stop").to_wire()["action"]["name"], "Stop");
        }
    }

    #[test]
    fn datapoint_action_that_no_expression_can_contain_is_rejected() {
        let table = [
            (RuleAction::datapoint("", "fan", "=", 1), "Invalid DSN"),
            (RuleAction::datapoint("D1,fan", "fan", "=", 1), "Invalid DSN"),
            (RuleAction::datapoint("D1", " fan", "=", 1), "Invalid property name"),
            (RuleAction::datapoint("D1", "fan)", "=", 1), "Invalid property name"),
            (RuleAction::datapoint("D1", "fan\n", "=", 1), "Invalid property name"),
            (RuleAction::datapoint("D1", "fan", "<", 1), "Invalid operator"),
            (RuleAction::datapoint("D1", "fan", "= 1 +", 1), "Invalid operator"),
            (RuleAction::datapoint("D1", "fan", "=", f64::NAN), "Invalid property value"),
            (RuleAction::datapoint("D1", "fan", "=", "it's \"on\""), "Invalid property value"),
        ];
        for (action, expected) in table {
            assert_eq!(action.unwrap_err().message(), expected);
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
            json!({"name": "n", "type": "DATAPOINT", "description": "d", "destination_ids": [7], "is_abstract": false,
                "parameters": {"datapoint": "DATAPOINT(D1,fan) = 1", "priority": 2}}),
            json!({"name": "n", "type": "EMAIL", "parameters": {"email_to": ["a@b"], "email_subject": "s", "email_body": "b",
                "email_body_html": "<b>", "email_template_id": "t"}}),
            json!({"name": "n", "type": "URL", "parameters": {"endpoint": "https://example.com", "scheme": 7}}),
        ];
        for sent in table {
            let mut response = sent.clone();
            response["action_uuid"] = "a-1".into();
            let action: RuleAction = read::one(&json!({"action": response})).unwrap();
            assert_eq!((action.action_uuid.as_str(), action.to_wire()), ("a-1", json!({"action": sent})));
            // As JSON of the library, members have other names, and none twice.
            let json = serde_json::to_value(&action).unwrap();
            assert_eq!(json.get("destinationIds"), sent.get("destination_ids"));
            assert_eq!(json["parameters"].get("emailBodyHtml"), sent["parameters"].get("email_body_html"));
        }
        let one: RuleAction = read::one(&json!({"type": "EMAIL", "parameters": {"email_to": "a@b"}})).unwrap();
        assert!(matches!(one.parameters, RuleActionParameters::Email { email_to, .. } if email_to == ["a@b"]));
    }
}
