//! The route table: all calls, with their rows in quality/permissions.tsv.

use axum::routing::{MethodRouter, delete, get, post, put};

use super::{
    admin, batch, connections, contacts, data, datapoints, devices, files, gateway, notifications, place, properties,
    registration, role_labels, roles, rule_actions, rules, schedule_actions, schedules, shares, stream, subscriptions,
    triggers, user_data, users,
};
use crate::app::App;

/// One call.
pub(crate) struct Route {
    #[cfg_attr(not(any(test, feature = "testing")), expect(dead_code, reason = "the authorisation matrix reads it"))]
    pub(crate) method: &'static str,
    /// Without the service's prefix and without `.json`.
    pub(crate) path: &'static str,
    /// `operation` of the row, kind `cloud-api`.
    #[cfg_attr(not(any(test, feature = "testing")), expect(dead_code, reason = "the authorisation matrix reads it"))]
    pub(crate) permission: &'static str,
    pub(crate) handler: MethodRouter<App>,
}

const SIGN_IN: &str = "POST users/sign_in.json (auth provider)";
const REFRESH: &str = "POST users/refresh_token.json";
const SIGN_OUT: &str = "POST users/sign_out.json";
const PROFILE: &str = "GET users/get_user_profile.json";
const TOKEN_SIGN_IN: &str = "POST api/v1/token_sign_in (another application of the manufacturer)";
const REQUEST_RESET: &str = "POST users/password.json";
const RESET: &str = "PUT users/password.json";
const RESEND: &str = "POST users/confirmation.json (resend, for another user)";
const CONFIRM: &str = "PUT users/confirmation.json";
const UPDATE_EMAIL: &str = "PUT users/update_email.json";
const CANCEL_EMAIL_CHANGE: &str = "PUT users/update_email/cancel.json (extension)";
const CHANGE_ACCOUNT: &str = "PUT users.json (password, profile)";
const DELETE_ACCOUNT: &str = "DELETE users.json";
const USERS: &str = "GET oems/{oemId}/users.json and end_users.json";
const USER: &str = "GET users/{userId}.json";
const UPDATE_USER: &str = "PUT users/{userId}.json (extension)";
const DELETE_USER: &str = "DELETE admin/users/{userId}.json";
const CREATE_USER: &str = "POST users.json (create user)";
const CREATE_ROLE_USER: &str = "POST api/v1/users/create_role_user.json";
const CREATE_ASSOCIATED_USER: &str = "POST api/v1/users/create_associated_user.json";
const ASSOCIATE: &str = "PUT api/v1/users/associate_role_user";
const DISASSOCIATE_ROLE_USER: &str = "PUT api/v1/users/disassociate_role_user";
const DISASSOCIATE_USER: &str = "PUT api/v1/users/disassociate_user";
const ROLE_USERS: &str = "GET api/v1/users/role_users";
const INDEX_USERS: &str = "GET api/v1/users/index_by_role, index_by_label";
const INDEX_OEM: &str = "GET api/v1/users/index_by_oem";
const CHANGE_ROLE: &str = "PUT api/v1/users/assign_role, revoke_role, assign_label, revoke_label";
const USER_DATA: &str = "api/v1/users/data: POST, GET, PUT, DELETE";
const CONTACTS: &str = "api/v1/users/contacts: POST, GET, PUT, DELETE";
const SHARES: &str = "api/v1/users/shares: GET owned, received, one";
const SHARE: &str = "api/v1/users/shares: POST, PUT, DELETE (own devices)";
const DEVICES: &str = "GET apiv1/devices.json (devices in scope)";
const REGISTER: &str = "GET apiv1/devices/register, POST apiv1/devices (registration windows)";
const DEVICE: &str = "GET apiv1/dsns/{dsn}";
const DATA: &str = "GET apiv1/dsns/{dsn}/data (device datums)";
const EDIT_DATA: &str = "POST, PUT, DELETE apiv1/dsns/{dsn}/data";
const PLACE: &str = "GET time_zones, addr";
const EDIT: &str = "PUT time_zones, addr, device name; POST locations";
const UNREGISTER: &str = "DELETE apiv1/devices/{key}.json (unregister)";
const FACTORY_RESET: &str = "PUT apiv1/devices/{key}/cmds/factory_reset.json";
const ROLE_LABELS: &str = "GET device role labels, role_labels/{id}";
const LABELLED: &str = "GET apiv1/devices/find_by_role_label.json";
const LABEL: &str = "device role labels: associate, disassociate, POST, PUT, DELETE";
const PROPERTIES: &str = "GET properties, datapoints";
const COMMAND: &str = "POST datapoints, blob upload and fetched mark";
const FILE: &str = "file URL of a blob (PUT, GET)";
const NOTIFICATIONS: &str = "GET notifications/all, notification_apps, triggers";
const NOTIFY: &str = "notifications, notification_apps, triggers, trigger_apps: POST, PUT, DELETE";
const SCHEDULES: &str = "GET schedules, schedule_actions";
const SCHEDULE: &str = "schedules and schedule_actions: POST, PUT, DELETE";
const RULES: &str = "rules: GET own rules (no type, id)";
const RULE: &str = "rules and actions: GET one, actions of a rule";
const ACTIONS: &str = "rules: GET own actions";
const EDIT_RULES: &str = "rules and actions: POST, PUT, DELETE, enable, disable";
const SUBSCRIPTIONS: &str = "subscriptions: POST, GET, DELETE (devices in scope)";
const STREAM: &str = "stream WebSocket (own stream_key)";

/// The only path without the general time limit.
pub(super) const UPLOAD: &str = "/files/{id}";

/// All calls of the cloud.
#[expect(clippy::too_many_lines, reason = "a table")]
pub(crate) fn all() -> Vec<Route> {
    let get_route = |path, permission, handler| Route { method: "GET", path, permission, handler };
    let post_route = |path, permission, handler| Route { method: "POST", path, permission, handler };
    let put_route = |path, permission, handler| Route { method: "PUT", path, permission, handler };
    let delete_route = |path, permission, handler| Route { method: "DELETE", path, permission, handler };
    vec![
        post_route("/users/sign_in", SIGN_IN, post(users::sign_in)),
        post_route("/users/refresh_token", REFRESH, post(users::refresh_token)),
        post_route("/users/sign_out", SIGN_OUT, post(users::sign_out)),
        get_route("/users/get_user_profile", PROFILE, get(users::get_user_profile)),
        post_route("/api/v1/token_sign_in", TOKEN_SIGN_IN, post(users::token_sign_in)),
        post_route("/users/password", REQUEST_RESET, post(users::request_reset)),
        put_route("/users/password", RESET, put(users::reset)),
        post_route("/users/confirmation", RESEND, post(users::resend_confirmation)),
        put_route("/users/confirmation", CONFIRM, put(users::confirm)),
        put_route("/users/update_email", UPDATE_EMAIL, put(users::update_email)),
        put_route("/users/update_email/cancel", CANCEL_EMAIL_CHANGE, put(users::cancel_email_change)),
        put_route("/users", CHANGE_ACCOUNT, put(users::change)),
        delete_route("/users", DELETE_ACCOUNT, delete(users::delete)),
        get_route("/oems/{oem}/users", USERS, get(admin::users)),
        get_route("/oems/{oem}/end_users", USERS, get(admin::end_users)),
        post_route("/users", CREATE_USER, post(admin::create)),
        get_route("/users/{id}", USER, get(admin::get)),
        put_route("/users/{id}", UPDATE_USER, put(admin::update)),
        delete_route("/admin/users/{id}", DELETE_USER, delete(admin::delete)),
        post_route("/api/v1/users/create_role_user", CREATE_ROLE_USER, post(roles::create)),
        post_route("/api/v1/users/create_associated_user", CREATE_ASSOCIATED_USER, post(roles::create)),
        put_route("/api/v1/users/associate_role_user", ASSOCIATE, put(roles::associate)),
        put_route("/api/v1/users/disassociate_role_user", DISASSOCIATE_ROLE_USER, put(roles::disassociate_role_user)),
        put_route("/api/v1/users/disassociate_user", DISASSOCIATE_USER, put(roles::disassociate_user)),
        get_route("/api/v1/users/role_users", ROLE_USERS, get(roles::role_users)),
        get_route("/api/v1/users/index_by_role", INDEX_USERS, get(roles::index_by_role)),
        get_route("/api/v1/users/index_by_label", INDEX_USERS, get(roles::index_by_label)),
        get_route("/api/v1/users/index_by_oem", INDEX_OEM, get(roles::index_by_oem)),
        put_route("/api/v1/users/assign_role", CHANGE_ROLE, put(roles::assign_role)),
        put_route("/api/v1/users/revoke_role", CHANGE_ROLE, put(roles::revoke_role)),
        put_route("/api/v1/users/assign_label", CHANGE_ROLE, put(roles::assign_label)),
        put_route("/api/v1/users/revoke_label", CHANGE_ROLE, put(roles::revoke_label)),
        get_route("/api/v1/users/data", USER_DATA, get(user_data::list)),
        post_route("/api/v1/users/data", USER_DATA, post(user_data::create)),
        get_route("/api/v1/users/data/{key}", USER_DATA, get(user_data::get)),
        put_route("/api/v1/users/data/{key}", USER_DATA, put(user_data::update)),
        delete_route("/api/v1/users/data/{key}", USER_DATA, delete(user_data::delete)),
        get_route("/api/v1/users/contacts", CONTACTS, get(contacts::list)),
        post_route("/api/v1/users/contacts", CONTACTS, post(contacts::create)),
        get_route("/api/v1/users/contacts/{id}", CONTACTS, get(contacts::get)),
        put_route("/api/v1/users/contacts/{id}", CONTACTS, put(contacts::update)),
        delete_route("/api/v1/users/contacts/{id}", CONTACTS, delete(contacts::delete)),
        get_route("/api/v1/users/shares", SHARES, get(shares::list)),
        get_route("/api/v1/users/shares/received", SHARES, get(shares::received)),
        get_route("/api/v1/users/shares/{id}", SHARES, get(shares::get)),
        post_route("/api/v1/users/shares", SHARE, post(shares::create)),
        put_route("/api/v1/users/shares/{id}", SHARE, put(shares::update)),
        delete_route("/api/v1/users/shares/{id}", SHARE, delete(shares::delete)),
        delete_route("/api/v1/users/shares", SHARE, delete(shares::delete_of_device)),
        get_route("/apiv1/devices", DEVICES, get(devices::list)),
        post_route("/apiv1/devices", REGISTER, post(registration::register)),
        get_route("/apiv1/devices/register", REGISTER, get(registration::candidate)),
        get_route("/apiv1/devices/{key}", DEVICE, get(devices::get)),
        get_route("/apiv1/dsns/{dsn}", DEVICE, get(devices::get)),
        put_route("/apiv1/devices/{key}", EDIT, put(devices::rename)),
        put_route("/apiv1/dsns/{dsn}", EDIT, put(devices::rename)),
        delete_route("/apiv1/devices/{key}", UNREGISTER, delete(devices::unregister)),
        put_route("/apiv1/devices/{key}/cmds/factory_reset", FACTORY_RESET, put(devices::factory_reset)),
        get_route("/apiv1/devices/{key}/time_zones", PLACE, get(place::time_zone)),
        get_route("/apiv1/dsns/{dsn}/time_zones", PLACE, get(place::time_zone)),
        put_route("/apiv1/devices/{key}/time_zones", EDIT, put(place::set_time_zone)),
        put_route("/apiv1/dsns/{dsn}/time_zones", EDIT, put(place::set_time_zone)),
        post_route("/apiv1/devices/{key}/locations", EDIT, post(place::set_location)),
        get_route("/apiv1/devices/{key}/addr", PLACE, get(place::addr)),
        put_route("/apiv1/devices/{key}/addr", EDIT, put(place::set_addr)),
        get_route("/apiv1/devices/{key}/nodes", DEVICE, get(gateway::nodes)),
        get_route("/apiv1/dsns/{dsn}/registered_nodes", DEVICE, get(gateway::nodes)),
        get_route("/apiv1/devices/{key}/commands", DEVICE, get(gateway::commands)),
        get_route("/apiv1/dsns/{dsn}/cmds", DEVICE, get(gateway::commands)),
        get_route("/apiv1/devices/{key}/lan", DEVICE, get(gateway::lan)),
        get_route("/apiv1/dsns/{dsn}/lan", DEVICE, get(gateway::lan)),
        get_route("/apiv1/devices/{key}/connection_history", DEVICE, get(connections::history)),
        get_route("/apiv1/dsns/{dsn}/connection_history", DEVICE, get(connections::history)),
        get_route("/apiv1/dsns/{dsn}/data", DATA, get(data::list)),
        post_route("/apiv1/dsns/{dsn}/data", EDIT_DATA, post(data::create)),
        get_route("/apiv1/dsns/{dsn}/data/{key}", DATA, get(data::get)),
        put_route("/apiv1/dsns/{dsn}/data/{key}", EDIT_DATA, put(data::update)),
        delete_route("/apiv1/dsns/{dsn}/data/{key}", EDIT_DATA, delete(data::delete)),
        get_route("/apiv1/devices/find_by_role_label", LABELLED, get(role_labels::find_devices)),
        get_route("/apiv1/devices/{key}/role_labels", ROLE_LABELS, get(role_labels::list)),
        post_route("/apiv1/devices/{key}/role_labels", LABEL, post(role_labels::enable)),
        put_route("/apiv1/devices/{key}/role_labels/associate", LABEL, put(role_labels::associate)),
        put_route("/apiv1/devices/{key}/role_labels/disassociate", LABEL, put(role_labels::disassociate)),
        get_route("/apiv1/role_labels/{id}", ROLE_LABELS, get(role_labels::get)),
        put_route("/apiv1/role_labels/{id}", LABEL, put(role_labels::update)),
        delete_route("/apiv1/role_labels/{id}", LABEL, delete(role_labels::disable)),
        get_route("/apiv1/dsns/{dsn}/properties", PROPERTIES, get(properties::list_by_dsn)),
        get_route("/apiv1/dsns/{dsn}/properties/{name}", PROPERTIES, get(properties::get_by_dsn)),
        get_route("/apiv1/devices/{key}/properties", PROPERTIES, get(properties::list_by_device)),
        get_route("/apiv1/devices/{key}/properties/{name}", PROPERTIES, get(properties::get_by_device)),
        get_route("/apiv1/properties/{key}", PROPERTIES, get(properties::get_by_key)),
        post_route("/apiv1/dsns/{dsn}/properties/{name}/datapoints", COMMAND, post(datapoints::create_by_dsn)),
        post_route("/apiv1/devices/{key}/properties/{name}/datapoints", COMMAND, post(datapoints::create_by_device)),
        post_route("/apiv1/properties/{key}/datapoints", COMMAND, post(datapoints::create_by_property)),
        post_route("/apiv1/batch_datapoints", COMMAND, post(batch::create)),
        get_route("/apiv1/dsns/{dsn}/properties/{name}/datapoints", PROPERTIES, get(datapoints::list_by_dsn)),
        get_route("/apiv1/devices/{key}/properties/{name}/datapoints", PROPERTIES, get(datapoints::list_by_device)),
        get_route("/apiv1/properties/{key}/datapoints", PROPERTIES, get(datapoints::list_by_property)),
        get_route("/apiv1/dsns/{dsn}/properties/{name}/datapoints/{id}", PROPERTIES, get(datapoints::get_by_dsn)),
        get_route("/apiv1/devices/{key}/properties/{name}/datapoints/{id}", PROPERTIES, get(datapoints::get_by_device)),
        put_route("/apiv1/dsns/{dsn}/properties/{name}/datapoints/{id}", COMMAND, put(files::put_by_dsn)),
        put_route("/apiv1/devices/{key}/properties/{name}/datapoints/{id}", COMMAND, put(files::put_by_device)),
        put_route("/apiv1/datapoints/{id}", COMMAND, put(files::put_by_id)),
        put_route(UPLOAD, FILE, put(files::upload)),
        get_route(UPLOAD, FILE, get(files::download)),
        get_route("/apiv1/devices/{key}/notifications", NOTIFICATIONS, get(notifications::own)),
        get_route("/apiv1/devices/{key}/notifications/all", NOTIFICATIONS, get(notifications::all)),
        post_route("/apiv1/devices/{key}/notifications", NOTIFY, post(notifications::create)),
        put_route("/apiv1/notifications/{id}", NOTIFY, put(notifications::update)),
        delete_route("/apiv1/notifications/{id}", NOTIFY, delete(notifications::delete)),
        get_route("/apiv1/notifications/{id}/notification_apps", NOTIFICATIONS, get(notifications::apps)),
        post_route("/apiv1/notifications/{id}/notification_apps", NOTIFY, post(notifications::create_app)),
        put_route("/apiv1/notifications/{id}/notification_apps/{app}", NOTIFY, put(notifications::update_app)),
        delete_route("/apiv1/notifications/{id}/notification_apps/{app}", NOTIFY, delete(notifications::delete_app)),
        get_route("/apiv1/properties/{key}/triggers", NOTIFICATIONS, get(triggers::list_by_property)),
        get_route("/apiv1/properties/{key}/triggers/all", NOTIFICATIONS, get(triggers::list_by_property)),
        get_route("/apiv1/dsns/{dsn}/properties/{name}/triggers", NOTIFICATIONS, get(triggers::list_by_dsn)),
        get_route("/apiv1/dsns/{dsn}/properties/{name}/triggers/all", NOTIFICATIONS, get(triggers::list_by_dsn)),
        post_route("/apiv1/properties/{key}/triggers", NOTIFY, post(triggers::create_by_property)),
        post_route("/apiv1/dsns/{dsn}/properties/{name}/triggers", NOTIFY, post(triggers::create_by_dsn)),
        put_route("/apiv1/triggers/{key}", NOTIFY, put(triggers::update)),
        delete_route("/apiv1/triggers/{key}", NOTIFY, delete(triggers::delete)),
        get_route("/apiv1/triggers/{key}/trigger_apps", NOTIFICATIONS, get(triggers::apps)),
        post_route("/apiv1/triggers/{key}/trigger_apps", NOTIFY, post(triggers::create_app)),
        put_route("/apiv1/trigger_apps/{key}", NOTIFY, put(triggers::update_app)),
        delete_route("/apiv1/trigger_apps/{key}", NOTIFY, delete(triggers::delete_app)),
        get_route("/apiv1/devices/{key}/schedules", SCHEDULES, get(schedules::list)),
        get_route("/apiv1/dsns/{dsn}/schedules", SCHEDULES, get(schedules::list)),
        get_route("/apiv1/devices/{key}/schedules/find_by_name", SCHEDULES, get(schedules::find_by_name)),
        get_route("/apiv1/schedules/all/by_user", SCHEDULES, get(schedules::list_own)),
        get_route("/apiv1/schedules/{id}", SCHEDULES, get(schedules::get)),
        post_route("/apiv1/devices/{key}/schedules", SCHEDULE, post(schedules::create)),
        put_route("/apiv1/devices/{key}/schedules/{id}", SCHEDULE, put(schedules::update)),
        put_route("/apiv1/schedules/{id}/clear", SCHEDULE, put(schedules::clear)),
        delete_route("/apiv1/schedules/{id}", SCHEDULE, delete(schedules::delete)),
        get_route("/apiv1/schedules/{id}/schedule_actions", SCHEDULES, get(schedule_actions::list)),
        post_route("/apiv1/schedules/{id}/schedule_actions", SCHEDULE, post(schedule_actions::create)),
        get_route("/apiv1/schedule_actions/{id}", SCHEDULES, get(schedule_actions::get)),
        put_route("/apiv1/schedule_actions/{id}", SCHEDULE, put(schedule_actions::update)),
        delete_route("/apiv1/schedule_actions/{id}", SCHEDULE, delete(schedule_actions::delete)),
        get_route("/rulesservice/v1/rules", RULES, get(rules::list)),
        post_route("/rulesservice/v1/rules", EDIT_RULES, post(rules::create)),
        get_route("/rulesservice/v1/rules/{uuid}", RULE, get(rules::get)),
        post_route("/rulesservice/v1/rules/{uuid}", EDIT_RULES, post(rules::switch)),
        put_route("/rulesservice/v1/rules/{uuid}", EDIT_RULES, put(rules::switch)),
        delete_route("/rulesservice/v1/rules/{uuid}", EDIT_RULES, delete(rules::delete)),
        get_route("/rulesservice/v1/rules/{uuid}/actions", RULE, get(rules::actions)),
        get_route("/rulesservice/v1/actions", ACTIONS, get(rule_actions::list)),
        post_route("/rulesservice/v1/actions", EDIT_RULES, post(rule_actions::create)),
        get_route("/rulesservice/v1/actions/{uuid}", RULE, get(rule_actions::get)),
        put_route("/rulesservice/v1/actions/{uuid}", EDIT_RULES, put(rule_actions::update)),
        delete_route("/rulesservice/v1/actions/{uuid}", EDIT_RULES, delete(rule_actions::delete)),
        post_route("/api/v1/subscriptions", SUBSCRIPTIONS, post(subscriptions::create)),
        get_route("/api/v1/subscriptions", SUBSCRIPTIONS, get(subscriptions::list)),
        get_route("/api/v1/subscriptions/{id}", SUBSCRIPTIONS, get(subscriptions::get)),
        delete_route("/api/v1/subscriptions/{id}", SUBSCRIPTIONS, delete(subscriptions::delete)),
        get_route("/stream", STREAM, get(stream::open)),
    ]
}
