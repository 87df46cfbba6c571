use std::fmt;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::model::Time;
use crate::model::read::Fields;
use crate::model::secret::SecretText;

/// The lifetime of an access token if the cloud does not send it.
const EXPIRES_IN_SECS: u64 = 86_400;

/// The tokens of a session.
///
/// `Debug` output contains no tokens. `Serialize` and `Deserialize` include the tokens, so that a
/// [`TokenStore`](crate::TokenStore) can persist them: encrypt what you write.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Authorization {
    /// Authenticates calls.
    #[serde(serialize_with = "expose")]
    pub access_token: SecretText,
    /// Used to get the next access token.
    #[serde(serialize_with = "expose")]
    pub refresh_token: SecretText,
    /// The lifetime of the access token from `created_at`, in seconds.
    pub expires_in_secs: u64,
    /// The role of the user.
    #[serde(default)]
    pub role: Option<String>,
    /// When the library received the tokens.
    pub created_at: Time,
}

impl Authorization {
    /// The remaining lifetime of the access token in seconds; never below 0.
    #[must_use]
    pub fn remaining_secs(&self, now: Time) -> u64 {
        let elapsed = u64::try_from(now.seconds_since(self.created_at)).unwrap_or(0);
        self.expires_in_secs.saturating_sub(elapsed)
    }

    /// Reads the response to a sign-in or a refresh; `None` without an access token. Members that a refresh omits keep
    /// their values.
    pub(crate) fn read(response: &Value, previous: Option<&Self>, now: Time) -> Option<Self> {
        let fields = Fields(response.as_object()?);
        let secret = |name| fields.text(name).map(SecretText::from).filter(|secret| !secret.is_blank());
        Some(Self {
            access_token: secret("access_token")?,
            refresh_token: secret("refresh_token")
                .or_else(|| previous.map(|previous| previous.refresh_token.clone()))?,
            expires_in_secs: fields
                .integer("expires_in")
                .and_then(|seconds| u64::try_from(seconds).ok())
                .unwrap_or(EXPIRES_IN_SECS),
            role: fields.text("role").or_else(|| previous.and_then(|previous| previous.role.clone())),
            created_at: now,
        })
    }
}

impl fmt::Debug for Authorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authorization").finish_non_exhaustive()
    }
}

fn expose<S: Serializer>(secret: &SecretText, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(secret.expose())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(text: &str) -> Time {
        text.parse().unwrap()
    }

    #[test]
    fn remaining_seconds_never_fall_below_0() {
        let response = json!({"access_token": "a", "refresh_token": "r", "expires_in": 60});
        let authorization = Authorization::read(&response, None, at("2026-11-20T10:00:00Z")).unwrap();
        let table = [("09:00:00", 60), ("10:00:00", 60), ("10:00:59", 1), ("10:01:00", 0), ("11:00:00", 0)];
        for (time, expected) in table {
            assert_eq!(authorization.remaining_secs(at(&format!("2026-11-20T{time}Z"))), expected, "{time}");
        }
    }

    #[test]
    fn authorization_has_the_tokens_role_and_time_of_the_sign_in() {
        let (answered, now) = ("EndUser", at("2026-11-20T10:00:00Z"));
        let response = json!({"access_token": "a", "refresh_token": "r", "expires_in": 3600, "role": answered});
        let authorization = Authorization::read(&response, None, now).unwrap();
        assert_eq!((authorization.access_token.expose(), authorization.refresh_token.expose()), ("a", "r"));
        assert_eq!((authorization.expires_in_secs, authorization.role.as_deref()), (3600, Some(answered)));
        assert_eq!(authorization.created_at, now);
    }

    #[test]
    fn refresh_keeps_members_missing_in_the_response() {
        let now = at("2026-11-20T10:00:00Z");
        let first = json!({"access_token": "a", "refresh_token": "r", "role": "EndUser"});
        let previous = Authorization::read(&first, None, now).unwrap();
        let after = Authorization::read(&json!({"access_token": "b"}), Some(&previous), now).unwrap();
        assert_eq!((after.access_token.expose(), after.refresh_token.expose()), ("b", "r"));
        assert_eq!((after.role.as_deref(), after.expires_in_secs), (Some("EndUser"), 86_400));
        assert!(Authorization::read(&json!({"access_token": " "}), Some(&previous), now).is_none());
        assert!(Authorization::read(&json!({"access_token": "a"}), None, now).is_none());
    }

    #[test]
    fn authorization_is_serializable_and_debug_is_empty() {
        let response =
            json!({"access_token": "acc3ss", "refresh_token": "r3fresh", "expires_in": 60, "role": "EndUser"});
        let authorization = Authorization::read(&response, None, at("2026-11-20T10:00:00Z")).unwrap();
        let stored = serde_json::to_value(&authorization).unwrap();
        assert_eq!(stored["accessToken"], "acc3ss");
        assert_eq!(stored["expiresInSecs"], 60);
        let read: Authorization = serde_json::from_value(stored).unwrap();
        assert_eq!(read.refresh_token.expose(), "r3fresh");
        assert_eq!(format!("{read:?}"), "Authorization { .. }");
    }
}
