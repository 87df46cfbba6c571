//! The devices and accounts of the benchmark: 20 partners with their devices, and eight attackers.

use cloud::operator::{NewDevice, NewUser, Operator, Role, Template, TemplateProperty};
use cloud::{BaseType, Direction, Limits, PasswordCost, RoleKind};
use platform::db::Db;
use platform::run::clock::Clock;
use platform::run::random::Random;
use secrecy::SecretString;

use crate::node;

pub(crate) const APPLICATION: &str = "bench";
pub(crate) const PASSWORD: &str = "Correct-Horse-1";
pub(crate) const PEOPLE: usize = 20;
pub(crate) const ATTACKERS: usize = 8;
/// Devices of a person or an attacker.
pub(crate) const DEVICES: usize = 25;

/// The attacker who reads lists of the whole fleet.
pub(crate) const STAFF: usize = PEOPLE + 5;
/// Devices without a partner, so that a list of the fleet has several megabytes.
const STOCK: usize = 10_000;
const STAFF_ROLE: &str = "OEM::Admin";

pub(crate) const ROLE: &str = "OEM::Partner::Admin";
pub(crate) const LABEL: &str = "partner_id";
const TEMPLATE: &str = "thing";

/// The e-mail address of a person, or of an attacker after the people.
pub(crate) fn email(person: usize) -> String {
    format!("person{person}@example.com")
}

/// The serial number of a device of a person or an attacker.
pub(crate) fn dsn(person: usize, device: usize) -> String {
    node::dsn(person * DEVICES + device)
}

pub(crate) async fn seed(db: &Db) {
    let operator = Operator::new(db.clone(), Clock::system(), Random::system(), PasswordCost::default()).unwrap();
    operator.migrate().await.unwrap();
    let oem = operator.ensure_oem("Test").await.unwrap();
    let secret = SecretString::from(PASSWORD);
    operator.ensure_application(&oem, APPLICATION, APPLICATION, &secret).await.unwrap();
    let role = Role { name: ROLE.into(), kind: RoleKind::PartnerAdmin, label_key: Some(LABEL.into()) };
    operator.ensure_role(&oem, &role).await.unwrap();
    let staff = Role { name: STAFF_ROLE.into(), kind: RoleKind::OemAdmin, label_key: None };
    operator.ensure_role(&oem, &staff).await.unwrap();
    let property = |name: &str, direction| TemplateProperty {
        name: name.into(),
        display_name: name.into(),
        base_type: BaseType::Integer,
        direction,
        ack_enabled: false,
        retention_days: 400,
        limits: Limits::default(),
    };
    let properties = vec![property("p0", Direction::Output), property("intensity", Direction::Input)];
    let template = Template { name: TEMPLATE.into(), properties, schedules: vec![] };
    operator.ensure_template(&oem, &template).await.unwrap();
    for person in 0..PEOPLE + ATTACKERS {
        let user = NewUser {
            email: email(person),
            password: secret.clone(),
            role: Some(if person == STAFF { STAFF_ROLE } else { ROLE }.into()),
            label: (person != STAFF).then(|| person.to_string()),
            confirmed: true,
            ..NewUser::default()
        };
        operator.ensure_user(&oem, &user).await.unwrap();
        let device = |device: usize| NewDevice {
            dsn: dsn(person, device),
            template: TEMPLATE.into(),
            product_name: dsn(person, device),
            model: "T1".into(),
            oem_model: "thing-1".into(),
            link_key: node::key(person * DEVICES + device).into(),
            registered: true,
            labels: vec![(ROLE.into(), LABEL.into(), person.to_string())],
            ..NewDevice::default()
        };
        operator.add_devices(&oem, &(0..DEVICES).map(device).collect::<Vec<_>>()).await.unwrap();
    }
    let stock = |n: usize| NewDevice {
        dsn: format!("STOCK{n:05}"),
        template: TEMPLATE.into(),
        link_key: node::key(n).into(),
        ..NewDevice::default()
    };
    operator.add_devices(&oem, &(0..STOCK).map(stock).collect::<Vec<_>>()).await.unwrap();
}
