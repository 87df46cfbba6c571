//! Newtypes for keys and ids. Clouds write them as integers or strings: both are read, and each is written back as it
//! was read.

use std::fmt;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// An id as text, and as an integer if the cloud writes it so.
#[derive(Clone, Default)]
struct Id {
    text: String,
    integer: Option<i64>,
}

impl Id {
    fn read(value: &Value) -> Self {
        match value {
            Value::String(text) => Self { text: text.clone(), integer: None },
            Value::Number(number) => Self { text: number.to_string(), integer: number.as_i64() },
            _ => Self::default(),
        }
    }
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// Compared as text: the integer 7 and the string "7" are equal.
        #[derive(Clone, Default)]
        pub struct $name(Id);

        impl $name {
            /// The id as text; empty if the cloud sent none.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0.text
            }

            /// Whether the id is missing (blank).
            #[must_use]
            pub fn is_blank(&self) -> bool {
                self.0.text.trim().is_empty()
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                text.to_owned().into()
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(Id { text, integer: None })
            }
        }

        impl From<i64> for $name {
            fn from(integer: i64) -> Self {
                Self(Id { text: integer.to_string(), integer: Some(integer) })
            }
        }

        impl From<&$name> for $name {
            fn from(id: &$name) -> Self {
                id.clone()
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.0.text == other.0.text
            }
        }

        impl Eq for $name {}

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $name {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                self.0.text.cmp(&other.0.text)
            }
        }

        impl Hash for $name {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.0.text.hash(state);
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0.text)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0.text)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self.0.integer {
                    Some(integer) => serializer.serialize_i64(integer),
                    None => serializer.serialize_str(&self.0.text),
                }
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Value::deserialize(deserializer).map(|value| Self(Id::read(&value)))
            }
        }
    )*};
}

ids! {
    /// The serial number of a device, such as `AC000W000000001`.
    Dsn;
    /// The cloud's key of a device.
    DeviceKey;
    /// The cloud's key of a property.
    PropertyKey;
    /// The id of a datapoint.
    DatapointId;
    /// The id of a subscription.
    SubscriptionId;
    /// The UUID of a user.
    UserUuid;
    /// The id of a user.
    UserId;
    /// The id of a role label.
    RoleLabelId;
    /// The id of a notification.
    NotificationId;
    /// The id of a notification app (a recipient of a notification).
    NotificationAppId;
    /// The key of a trigger.
    TriggerKey;
    /// The key of a trigger app (a recipient of a trigger).
    TriggerAppKey;
    /// The id of a manufacturer (OEM): its number, or its eight hexadecimal digits.
    OemId;
    /// The id of a contact.
    ContactId;
    /// The id of a share.
    ShareId;
    /// The id of the grant that belongs to a share.
    GrantId;
    /// The key of a schedule.
    ScheduleKey;
    /// The key of a schedule action.
    ScheduleActionKey;
    /// The UUID of a rule.
    RuleUuid;
    /// The UUID of a rule action.
    RuleActionUuid;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_written_as_they_were_read() {
        for json in ["7", "\"7\"", "\"AC000W1\""] {
            let key: DeviceKey = serde_json::from_str(json).unwrap();
            assert_eq!(serde_json::to_string(&key).unwrap(), json);
        }
    }

    #[test]
    fn integer_and_text_ids_are_equal() {
        assert_eq!(DeviceKey::from(7), DeviceKey::from("7"));
    }

    #[test]
    fn values_that_are_no_ids_are_blank() {
        for json in ["null", "[]", "{}", "true", "\" \""] {
            assert!(serde_json::from_str::<DeviceKey>(json).unwrap().is_blank(), "{json}");
        }
    }
}
