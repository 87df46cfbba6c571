//! Test data: one manufacturer, two partners, a user of each kind and a few devices.

use jiff::Timestamp;
use jiff::civil::time;
use secrecy::SecretString;
use serde_json::json;

use super::START;
use crate::domain::role::RoleKind;
use crate::domain::schedule::FirePoint;
use crate::domain::value::{BaseType, Direction, Limits};
use crate::operator::{
    Address, NewDevice, NewUser, Oem, Operator, Role, Template, TemplateAction, TemplateProperty, TemplateSchedule,
};

/// The application of the [`World`].
pub const APP_ID: &str = "test-app";
/// Its secret.
pub const APP_SECRET: &str = "test-app-secret";
/// The password of every user of the [`World`].
pub const PASSWORD: &str = "Correct-Horse-1";

const ADMIN: &str = "OEM::Admin";
const OBSERVER: &str = "OEM::Observer";
const PARTNER_ADMIN: &str = "OEM::Partner::Admin";
const PARTNER_OBSERVER: &str = "OEM::Partner::Observer";
const TECHNICIAN: &str = "OEM::Partner::Technician";
const LABEL_KEY: &str = "partner_id";

/// The data that [`TestCloud::seed`](super::TestCloud::seed) loads. Partner A has `DEV-A1` and `DEV-A2`, partner B has
/// `DEV-B1`, the end user owns `DEV-U1`, and `DEV-S1` is factory stock.
#[derive(Clone, Debug)]
pub struct World {
    /// The manufacturer.
    pub oem: Oem,
}

/// The link key of this device of [`World`].
#[must_use]
pub fn device_key(dsn: &str) -> String {
    format!("{:0>64}", hex::encode(dsn))
}

impl World {
    /// An administrator of the manufacturer.
    pub const ADMIN: &str = "admin@example.com";
    /// An observer of the manufacturer.
    pub const OBSERVER: &str = "observer@example.com";
    /// An administrator of partner A.
    pub const PARTNER_ADMIN_A: &str = "admin.a@example.com";
    /// An observer of partner A.
    pub const PARTNER_OBSERVER_A: &str = "observer.a@example.com";
    /// A technician of partner A.
    pub const TECHNICIAN_A: &str = "technician.a@example.com";
    /// An administrator of partner B.
    pub const PARTNER_ADMIN_B: &str = "admin.b@example.com";
    /// A user without a role, who owns `DEV-U1`.
    pub const END_USER: &str = "user@example.com";
    /// A user with an unconfirmed address.
    pub const UNCONFIRMED: &str = "new@example.com";
    /// A machine account with the role of an administrator.
    pub const MACHINE: &str = "service@example.com";

    pub(crate) async fn load(operator: &Operator) -> Self {
        let oem = operator.ensure_oem("Test OEM").await.expect("an oem");
        let secret = SecretString::from(APP_SECRET);
        operator.ensure_application(&oem, APP_ID, "Test app", &secret).await.expect("an application");
        for (name, kind, label_key) in [
            (ADMIN, RoleKind::OemAdmin, None),
            (OBSERVER, RoleKind::OemObserver, None),
            (PARTNER_ADMIN, RoleKind::PartnerAdmin, Some(LABEL_KEY)),
            (PARTNER_OBSERVER, RoleKind::PartnerObserver, Some(LABEL_KEY)),
            (TECHNICIAN, RoleKind::PartnerTechnician, Some(LABEL_KEY)),
        ] {
            let role = Role { name: name.into(), kind, label_key: label_key.map(Into::into) };
            operator.ensure_role(&oem, &role).await.expect("a role");
        }
        operator.ensure_template(&oem, &template()).await.expect("a template");
        for user in users() {
            operator.ensure_user(&oem, &user).await.expect("a user");
        }
        operator.add_devices(&oem, &devices()).await.expect("devices");
        Self { oem }
    }
}

fn template() -> Template {
    let property = |name: &str, base_type, direction| TemplateProperty {
        name: name.into(),
        display_name: name.into(),
        base_type,
        direction,
        ack_enabled: direction == Direction::Input,
        retention_days: 400,
        limits: Limits::default(),
    };
    Template {
        name: "thing".into(),
        properties: vec![
            TemplateProperty {
                limits: Limits { minimum: Some(1.0), maximum: Some(50.0), pattern: None },
                ..property("intensity", BaseType::Integer, Direction::Input)
            },
            property("fan", BaseType::Integer, Direction::Input),
            property("note", BaseType::String, Direction::Input),
            property("hours", BaseType::Decimal, Direction::Output),
            TemplateProperty { ack_enabled: false, ..property("lamp", BaseType::Boolean, Direction::Input) },
            TemplateProperty { ack_enabled: false, ..property("log", BaseType::File, Direction::Input) },
        ],
        schedules: vec![opening_hours()],
    }
}

/// Every device gets this schedule; it is inactive until a user activates it.
fn opening_hours() -> TemplateSchedule {
    let fan = |value: i64, at| TemplateAction {
        property: "fan".into(),
        base_type: BaseType::Integer,
        value: value.into(),
        at,
    };
    TemplateSchedule {
        name: "opening_hours".into(),
        display_name: "Opening hours".into(),
        active: false,
        start: time(8, 0, 0, 0),
        end: time(18, 0, 0, 0),
        actions: vec![fan(3, FirePoint::Start), fan(0, FirePoint::End)],
    }
}

fn users() -> Vec<NewUser> {
    let user = |email: &str, role: Option<&str>, label: Option<&str>| NewUser {
        email: email.into(),
        password: PASSWORD.into(),
        firstname: Some("Test".into()),
        lastname: Some("User".into()),
        role: role.map(Into::into),
        label: label.map(Into::into),
        confirmed: true,
        ..NewUser::default()
    };
    vec![
        user(World::ADMIN, Some(ADMIN), None),
        user(World::OBSERVER, Some(OBSERVER), None),
        user(World::PARTNER_ADMIN_A, Some(PARTNER_ADMIN), Some("A")),
        user(World::PARTNER_OBSERVER_A, Some(PARTNER_OBSERVER), Some("A")),
        user(World::TECHNICIAN_A, Some(TECHNICIAN), Some("A")),
        user(World::PARTNER_ADMIN_B, Some(PARTNER_ADMIN), Some("B")),
        user(World::END_USER, None, None),
        NewUser { confirmed: false, ..user(World::UNCONFIRMED, None, None) },
        NewUser { machine_of: Some(APP_ID.into()), ..user(World::MACHINE, Some(ADMIN), None) },
    ]
}

fn devices() -> Vec<NewDevice> {
    let created_at: Timestamp = START.parse().expect("a time");
    let device = |dsn: &str, partner: Option<&str>| NewDevice {
        dsn: dsn.into(),
        template: "thing".into(),
        product_name: format!("Thing {dsn}"),
        model: "T1".into(),
        oem_model: "thing-1".into(),
        ssid: Some("shop".into()),
        lat: Some(48.864_716),
        lng: Some(2.349_014),
        link_key: device_key(dsn).into(),
        registered: true,
        labels: partner.map(labels).unwrap_or_default(),
        data: vec![("customer".into(), "Café".into())],
        addr: Address { city: Some("Paris".into()), country: Some("France".into()), ..Address::default() },
        tz_id: Some("Europe/Paris".into()),
        values: vec![("intensity".into(), json!(20)), ("hours".into(), json!(12.5))],
        created_at,
        ..NewDevice::default()
    };
    vec![
        device("DEV-A1", Some("A")),
        device("DEV-A2", Some("A")),
        device("DEV-B1", Some("B")),
        NewDevice { owner_email: Some(World::END_USER.into()), ..device("DEV-U1", None) },
        NewDevice { registered: false, ..device("DEV-S1", None) },
    ]
}

/// A partner's device carries the label of each of the partner's roles.
fn labels(partner: &str) -> Vec<(String, String, String)> {
    [PARTNER_ADMIN, PARTNER_OBSERVER, TECHNICIAN]
        .map(|role| (role.to_owned(), LABEL_KEY.to_owned(), partner.to_owned()))
        .into()
}
