//! Error messages. The texts of the specification are exact, misspellings included, because applications show them; the
//! others are at the end.

pub(crate) const INVALID_AUTHORIZATION: &str = "Invalid authorization object";
pub(crate) const EMAIL_REQUIRED: &str = "Email is required";
pub(crate) const PASSWORD_REQUIRED: &str = "Password is required";
pub(crate) const CANCELLATION_TOKEN_REQUIRED: &str = "Cancellation Token is required";
pub(crate) const CONFIRMATION_TOKEN_REQUIRED: &str = "Confirmation Token is required";
pub(crate) const RESET_TOKEN_REQUIRED: &str = "Password reset token is required";
pub(crate) const PASSWORD_CONFIRMATION_REQUIRED: &str = "Password confirmation is required";
pub(crate) const EMAIL_INVALID: &str = "Invalid Email address";
pub(crate) const PASSWORD_EMPTY: &str = "Password must not be empty";
pub(crate) const PASSWORDS_IDENTICAL: &str = "Current and new password are identical";
pub(crate) const USER_NULL: &str = "User may not be null";
pub(crate) const NOT_INITIALIZED: &str =
    "Library has not been initialized. Call AylaNetworks.initialize() before calling any other methods";
pub(crate) const SUBSCRIPTION_ID_REQUIRED: &str = "Subscription Id is required";
pub(crate) const SESSION_MANAGER_REQUIRED: &str = "Session manager is required";
pub(crate) const SESSION_NOT_ACTIVE: &str = "Session is not active";
pub(crate) const NO_SESSION_ACTIVE: &str = "No session is active";
pub(crate) const DEVICE_KEY_REQUIRED: &str = "Device key is required";
pub(crate) const DISPLAY_NAME_REQUIRED: &str = "Display name is requried";
pub(crate) const DISPLAY_KEY_NOT_FOUND: &str = "Display key not found";
pub(crate) const DATUM_KEY_REQUIRED: &str = "Datum key is required";
pub(crate) const INVALID_CONTACT: &str = "Invalid contact";
pub(crate) const SHARE_ID_REQUIRED: &str = "ShareId is required";
/// For deleting a share, spelled as specified.
pub(crate) const SHARE_ID_REQURIED: &str = "ShareId is requried";
pub(crate) const SHARE_NOT_FETCHED: &str = "Only shares fetched from Ayla service can be updated";
pub(crate) const DEVICE_ID_EMPTY: &str = "Device ID is empty";
pub(crate) const ROLE_NAME_EMPTY: &str = "Role name is empty";
pub(crate) const ROLE_ID_EMPTY: &str = "Role ID is empty";
pub(crate) const OEM_ID_REQUIRED: &str = "OEM ID is required";
pub(crate) const USER_ID_EMPTY: &str = "User id is empty";
pub(crate) const USER_EMAIL_EMPTY: &str = "User email is empty";
pub(crate) const ROLE_NAME_REQUIRED: &str = "Role name is required";
pub(crate) const ROLE_LABEL_REQUIRED: &str = "Role label is required";
pub(crate) const CONNECT_TIMED_OUT: &str = "the connection could not be opened in time";
pub(crate) const INVALID_FILE_URL: &str = "Invalid file URL";
pub(crate) const LOCATION_EMPTY: &str = "Location path is empty";
pub(crate) const DEVICE_MANAGER_UNAVAILABLE: &str = "No device manager is available";
pub(crate) const NO_DEVICE_MANAGER: &str = "No device manager";
pub(crate) const NO_OWNER: &str = "No owner for this property";
pub(crate) const ACK_TIMED_OUT: &str = "Ack enable property polling time out";
pub(crate) const INVALID_SCHEDULE: &str = "Invalid schedule";
pub(crate) const SCHEDULE_NOT_FETCHED: &str =
    "Updating a Schedule requires that the Schedule was first fetched from the service";
pub(crate) const SCHEDULE_NOT_FETCHED_TO_DELETE: &str =
    "Deleting a Schedule requires that the Schedule was first fetched from the service";
pub(crate) const START_TIME_REQUIRED: &str = "Start Time for each Day is required";
pub(crate) const SCHEDULE_DIRECTION_REQUIRED: &str = "Schedule direction is required";
pub(crate) const SCHEDULE_KEY_REQUIRED: &str = "Schedule key is required";
pub(crate) const INVALID_SCHEDULE_ACTION: &str = "Invalid Schedule Action";
pub(crate) const INVALID_SCHEDULE_ACTIONS: &str = "Invalid Schedule Actions";
pub(crate) const SCHEDULE_ACTION_NAME_REQUIRED: &str = "Schedule Action Name is required";
pub(crate) const SCHEDULE_ACTION_TYPE_REQUIRED: &str = "Schedule Action Type is required";
pub(crate) const SCHEDULE_ACTION_VALUE_REQUIRED: &str = "Schedule Action value is required";
pub(crate) const SCHEDULE_ACTION_BASE_TYPE_REQUIRED: &str = "Schedule Action base type is required";
pub(crate) const SCHEDULE_ACTION_NOT_FETCHED: &str =
    "Invalid Schedule Action Key.The Schedule Action should be first fetched from the service";
pub(crate) const REFRESH_FAILED: &str = "Fail to refresh token";
/// For calls on rules, spelled as specified.
pub(crate) const NO_SESSION_ACTION: &str = "No session is action";
pub(crate) const UUID_REQUIRED: &str = "UUID is requried";
pub(crate) const RULE_UUID_REQUIRED: &str = "Rule UUID is requried";
pub(crate) const ACTION_NOT_FETCHED: &str = "Invalid action, Make sure that Action is first fetched from the cloud";
pub(crate) const ERROR_TEXT_UNREADABLE: &str = "Unable to retrieve error text";

/// 'Device {dsn} does not have a key'
pub(crate) fn device_without_key(dsn: &str) -> String {
    format!("Device {dsn} does not have a key")
}

// Not in the specification.
pub(crate) const NO_BASE_ADDRESS: &str = "No base address configured";
pub(crate) const INVALID_BASE_ADDRESS: &str = "Invalid base address";
pub(crate) const INSECURE_BASE_ADDRESS: &str =
    "The base address must be https. Plain http is accepted only for a Local cloud on a loopback host";
pub(crate) const APPLICATION_REQUIRED: &str = "Application id and secret are required";
pub(crate) const INVALID_HEADER: &str = "Invalid header";
pub(crate) const INVALID_PROXY: &str = "Invalid proxy address";
pub(crate) const INVALID_ROOT_CERTIFICATES: &str = "Invalid root certificates";
pub(crate) const RESPONSE_TOO_LARGE: &str = "The response is larger than the client reads";
#[cfg(feature = "stream")]
pub(crate) const NO_CONNECTION: &str = "This network has no connections";
pub(crate) const INVALID_URL: &str = "Invalid URL";
#[cfg(not(feature = "rustls-ring"))]
pub(crate) const NO_TLS_PROVIDER: &str = "No TLS provider: install one with rustls, or enable the feature rustls-ring";
pub(crate) const INVALID_TIME: &str = "Invalid time";
pub(crate) const INVALID_PATH_ARGUMENT: &str = "Invalid path argument";
pub(crate) const INVALID_PAGE: &str = "Page and page size start at 1";
pub(crate) const INVALID_VALUE: &str = "Invalid property value";
pub(crate) const DSN_REQUIRED: &str = "DSN is required";
pub(crate) const INVALID_DSN: &str = "Invalid DSN";
pub(crate) const INVALID_PROPERTY_NAME: &str = "Invalid property name";
pub(crate) const INVALID_OPERATOR: &str = "Invalid operator";
pub(crate) const PROPERTY_NAME_REQUIRED: &str = "Property name is required";
pub(crate) const TIME_ZONE_REQUIRED: &str = "Time zone is required";
pub(crate) const INVALID_LOCATION: &str = "Invalid location";
pub(crate) const PROPERTY_KEY_REQUIRED: &str = "Property key is required";
pub(crate) const DATAPOINT_REQUIRED: &str = "Datapoint is required";
pub(crate) const DATAPOINT_ID_REQUIRED: &str = "Datapoint id is required";
pub(crate) const SUBSCRIPTION_TYPE_REQUIRED: &str = "Subscription type is required";
pub(crate) const STREAM_KEY_REQUIRED: &str = "Stream key is required";
pub(crate) const SHARE_REQUIRED: &str = "Share is required";
pub(crate) const NOTIFICATION_ID_REQUIRED: &str = "Notification id is required";
pub(crate) const NOTIFICATION_APP_ID_REQUIRED: &str = "Notification app id is required";
pub(crate) const TRIGGER_KEY_REQUIRED: &str = "Trigger key is required";
pub(crate) const TRIGGER_APP_KEY_REQUIRED: &str = "Trigger app key is required";
pub(crate) const COUNTRY_CODE_REQUIRED: &str = "Country code is required";
pub(crate) const PHONE_NUMBER_REQUIRED: &str = "Phone number is required";
pub(crate) const NO_PROPERTIES: &str = "The device has no properties";
pub(crate) const TIMED_OUT: &str = "The request timed out";
pub(crate) const HANDSHAKE_FAILED: &str = "The stream could not be opened";
pub(crate) const NOT_JSON: &str = "The response is not JSON";
pub(crate) const NOT_JSON_AFTER_WRITE: &str = "The response is not JSON; the write may have happened";
pub(crate) const UNEXPECTED_RESPONSE: &str = "The response has an unexpected shape";
pub(crate) const NO_TOKENS: &str = "The response contains no tokens";
pub(crate) const TASK_FAILED: &str = "A background task ended unexpectedly";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table")]
    fn messages_are_the_specified_ones() {
        let table = [
            (INVALID_AUTHORIZATION, "Invalid authorization object"),
            (EMAIL_REQUIRED, "Email is required"),
            (PASSWORD_REQUIRED, "Password is required"),
            (CANCELLATION_TOKEN_REQUIRED, "Cancellation Token is required"),
            (CONFIRMATION_TOKEN_REQUIRED, "Confirmation Token is required"),
            (RESET_TOKEN_REQUIRED, "Password reset token is required"),
            (PASSWORD_CONFIRMATION_REQUIRED, "Password confirmation is required"),
            (EMAIL_INVALID, "Invalid Email address"),
            (PASSWORD_EMPTY, "Password must not be empty"),
            (PASSWORDS_IDENTICAL, "Current and new password are identical"),
            (USER_NULL, "User may not be null"),
            (
                NOT_INITIALIZED,
                "Library has not been initialized. Call AylaNetworks.initialize() before calling any other methods",
            ),
            (SUBSCRIPTION_ID_REQUIRED, "Subscription Id is required"),
            (SESSION_MANAGER_REQUIRED, "Session manager is required"),
            (SESSION_NOT_ACTIVE, "Session is not active"),
            (NO_SESSION_ACTIVE, "No session is active"),
            (DEVICE_KEY_REQUIRED, "Device key is required"),
            (DISPLAY_NAME_REQUIRED, "Display name is requried"),
            (DISPLAY_KEY_NOT_FOUND, "Display key not found"),
            (DATUM_KEY_REQUIRED, "Datum key is required"),
            (INVALID_CONTACT, "Invalid contact"),
            (SHARE_ID_REQUIRED, "ShareId is required"),
            (SHARE_ID_REQURIED, "ShareId is requried"),
            (SHARE_NOT_FETCHED, "Only shares fetched from Ayla service can be updated"),
            (DEVICE_ID_EMPTY, "Device ID is empty"),
            (ROLE_NAME_EMPTY, "Role name is empty"),
            (ROLE_ID_EMPTY, "Role ID is empty"),
            (OEM_ID_REQUIRED, "OEM ID is required"),
            (USER_ID_EMPTY, "User id is empty"),
            (USER_EMAIL_EMPTY, "User email is empty"),
            (ROLE_NAME_REQUIRED, "Role name is required"),
            (ROLE_LABEL_REQUIRED, "Role label is required"),
            (INVALID_FILE_URL, "Invalid file URL"),
            (LOCATION_EMPTY, "Location path is empty"),
            (DEVICE_MANAGER_UNAVAILABLE, "No device manager is available"),
            (NO_DEVICE_MANAGER, "No device manager"),
            (NO_OWNER, "No owner for this property"),
            (ACK_TIMED_OUT, "Ack enable property polling time out"),
            (INVALID_SCHEDULE, "Invalid schedule"),
            (SCHEDULE_NOT_FETCHED, "Updating a Schedule requires that the Schedule was first fetched from the service"),
            (
                SCHEDULE_NOT_FETCHED_TO_DELETE,
                "Deleting a Schedule requires that the Schedule was first fetched from the service",
            ),
            (START_TIME_REQUIRED, "Start Time for each Day is required"),
            (SCHEDULE_DIRECTION_REQUIRED, "Schedule direction is required"),
            (SCHEDULE_KEY_REQUIRED, "Schedule key is required"),
            (INVALID_SCHEDULE_ACTION, "Invalid Schedule Action"),
            (INVALID_SCHEDULE_ACTIONS, "Invalid Schedule Actions"),
            (SCHEDULE_ACTION_NAME_REQUIRED, "Schedule Action Name is required"),
            (SCHEDULE_ACTION_TYPE_REQUIRED, "Schedule Action Type is required"),
            (SCHEDULE_ACTION_VALUE_REQUIRED, "Schedule Action value is required"),
            (SCHEDULE_ACTION_BASE_TYPE_REQUIRED, "Schedule Action base type is required"),
            (
                SCHEDULE_ACTION_NOT_FETCHED,
                "Invalid Schedule Action Key.The Schedule Action should be first fetched from the service",
            ),
            (REFRESH_FAILED, "Fail to refresh token"),
            (NO_SESSION_ACTION, "No session is action"),
            (UUID_REQUIRED, "UUID is requried"),
            (RULE_UUID_REQUIRED, "Rule UUID is requried"),
            (ACTION_NOT_FETCHED, "Invalid action, Make sure that Action is first fetched from the cloud"),
            (ERROR_TEXT_UNREADABLE, "Unable to retrieve error text"),
            (NO_BASE_ADDRESS, "No base address configured"),
        ];
        for (ours, specified) in table {
            assert_eq!(ours, specified);
        }
        assert_eq!(device_without_key("A"), "Device A does not have a key");
    }
}
