use std::fmt;

use serde::Serialize;
use serde_json::Value;

use super::read::{Fields, FromWire, text};
use super::wire_enum::wire_enum;
use super::{Dsn, RuleActionUuid, RuleUuid, Time, UserUuid};
use crate::debug::debug_only;

wire_enum! {
    /// The kind of id that selects rules in a list.
    RuleType {
        /// Rules about a device, by its serial number.
        Device = "device",
        /// Rules of a user, by UUID.
        User = "user",
    }
}

/// The subject of a rule: an event of a device, as it is written in the rule's expression.
///
/// ```
/// use devicecloud::RuleSubject;
///
/// let level = RuleSubject::datapoint("AC000W000000001", "level");
/// assert_eq!(format!("{level} < 20"), "DATAPOINT(AC000W000000001,level) < 20");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RuleSubject {
    /// A new datapoint of a device's property.
    Datapoint(Dsn, String),
    /// A device's acknowledgement of a command.
    DatapointAck(Dsn, String),
    /// A device goes online or offline.
    Connectivity(Dsn),
    /// A device is registered or unregistered.
    Registration(Dsn),
    /// The location of a device changes.
    Location(Dsn),
    /// The location of any device of this user changes.
    LocationOfUser(UserUuid),
}

impl RuleSubject {
    /// A new datapoint of a property.
    pub fn datapoint(dsn: impl Into<Dsn>, property: impl Into<String>) -> Self {
        Self::Datapoint(dsn.into(), property.into())
    }

    /// A device's acknowledgement of a command.
    pub fn datapoint_ack(dsn: impl Into<Dsn>, property: impl Into<String>) -> Self {
        Self::DatapointAck(dsn.into(), property.into())
    }

    /// A device goes online or offline.
    pub fn connectivity(dsn: impl Into<Dsn>) -> Self {
        Self::Connectivity(dsn.into())
    }

    /// A device is registered or unregistered.
    pub fn registration(dsn: impl Into<Dsn>) -> Self {
        Self::Registration(dsn.into())
    }

    /// The location of a device changes.
    pub fn location(dsn: impl Into<Dsn>) -> Self {
        Self::Location(dsn.into())
    }

    /// The location of any device of this user changes.
    pub fn location_of_user(uuid: impl Into<UserUuid>) -> Self {
        Self::LocationOfUser(uuid.into())
    }
}

impl fmt::Display for RuleSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Datapoint(dsn, property) => write!(f, "DATAPOINT({dsn},{property})"),
            Self::DatapointAck(dsn, property) => write!(f, "DATAPOINT_ACK({dsn},{property})"),
            Self::Connectivity(dsn) => write!(f, "CONNECTIVITY({dsn})"),
            Self::Registration(dsn) => write!(f, "REGISTRATION({dsn})"),
            Self::Location(dsn) => write!(f, "LOCATION({dsn})"),
            Self::LocationOfUser(uuid) => write!(f, "LOCATION({uuid})"),
        }
    }
}

/// A rule: when an event occurs that its expression names, and the expression is true, the cloud runs its actions.
#[derive(Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Rule {
    /// The id; blank if the cloud does not send it.
    pub rule_uuid: RuleUuid,
    /// The name.
    pub name: String,
    /// The condition.
    pub expression: String,
    /// The actions to run.
    pub action_ids: Vec<RuleActionUuid>,
    /// Whether the rule is enabled.
    pub is_enabled: bool,
    /// A description.
    pub description: Option<String>,
    /// Whether it is a template for other rules.
    pub is_template: bool,
    /// Whether it applies to device models instead of single devices.
    pub is_abstract: bool,
    /// The user that the rule belongs to.
    pub user_uuid: UserUuid,
    /// When it was created.
    pub created_at: Option<Time>,
    /// When it was last changed.
    pub updated_at: Option<Time>,
    /// The user who created it.
    pub created_by: UserUuid,
    /// The user who last changed it.
    pub updated_by: UserUuid,
}

debug_only!(Rule { rule_uuid, action_ids, is_enabled });

impl FromWire for Rule {
    const WRAPPER: &'static str = "rule";

    fn from_wire(fields: &Fields<'_>) -> Self {
        let uuid = if fields.value("rule_uuid").is_some() { "rule_uuid" } else { "uuid" };
        let actions = fields.value("action_ids").and_then(Value::as_array);
        Self {
            rule_uuid: fields.id(uuid),
            name: fields.text_or_empty("name"),
            // Clouds use either name.
            expression: fields.text("expression").unwrap_or_else(|| fields.text_or_empty("expresses")),
            action_ids: actions.into_iter().flatten().filter_map(text).map(Into::into).collect(),
            is_enabled: fields.flag("is_enabled"),
            description: fields.text("description"),
            is_template: fields.flag("is_template"),
            is_abstract: fields.flag("is_abstract"),
            user_uuid: fields.id("user_uuid"),
            created_at: fields.time("created_at"),
            updated_at: fields.time("updated_at"),
            created_by: fields.id("created_by"),
            updated_by: fields.id("updated_by"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::read;

    #[test]
    fn rule_subjects_have_the_specified_text() {
        let table = [
            (RuleSubject::datapoint("D1", "fan speed"), "DATAPOINT(D1,fan speed)"),
            (RuleSubject::datapoint_ack("D1", "fan"), "DATAPOINT_ACK(D1,fan)"),
            (RuleSubject::connectivity("D1"), "CONNECTIVITY(D1)"),
            (RuleSubject::registration("D1"), "REGISTRATION(D1)"),
            (RuleSubject::location("D1"), "LOCATION(D1)"),
            (RuleSubject::location_of_user("u-1"), "LOCATION(u-1)"),
        ];
        for (subject, expected) in table {
            assert_eq!(subject.to_string(), expected);
        }
        assert_eq!([RuleType::Device.as_str(), RuleType::User.as_str()], ["device", "user"]);
    }

    #[test]
    fn rule_is_read_from_its_wrapper_and_disabled_by_default() {
        let wrapped: Rule = read::one(&json!({"rule": {
            "rule_uuid": "r-1", "name": "Low", "expresses": "DATAPOINT(D1,level) < 20", "action_ids": ["a-1", "a-2"],
            "user_uuid": "u-1", "created_by": "u-1", "updated_by": "u-2", "is_template": true, "is_abstract": true,
            "description": "Refill", "created_at": "2018-03-16T23:11:13.895Z", "updated_at": "2017-05-19 11:42:50Z",
        }}))
        .unwrap();
        assert_eq!((wrapped.rule_uuid.as_str(), &*wrapped.name, wrapped.is_enabled), ("r-1", "Low", false));
        assert_eq!(wrapped.expression, "DATAPOINT(D1,level) < 20");
        assert_eq!(wrapped.action_ids, ["a-1".into(), "a-2".into()]);
        assert_eq!(
            (wrapped.user_uuid.as_str(), wrapped.created_by.as_str(), wrapped.updated_by.as_str()),
            ("u-1", "u-1", "u-2")
        );
        assert!(wrapped.is_template && wrapped.is_abstract);
        assert_eq!(wrapped.description.as_deref(), Some("Refill"));
        assert_eq!(wrapped.created_at, Some("2018-03-16T23:11:13.895Z".parse().unwrap()));
        assert_eq!(wrapped.updated_at, Some("2017-05-19T11:42:50Z".parse().unwrap()));

        let both: Rule =
            read::one(&json!({"uuid": "r-2", "expression": "a", "expresses": "b", "is_enabled": true})).unwrap();
        assert_eq!((both.rule_uuid.as_str(), &*both.expression, both.is_enabled), ("r-2", "a", true));
        assert_eq!(read::one::<Rule>(&json!({})), Some(Rule::default()));
    }
}
