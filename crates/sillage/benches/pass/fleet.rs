//! A cloud's database with many diffusers, and the console's service account.

use cloud::PasswordCost;
use cloud::operator::{Address, NewDevice, NewUser, Operator};
use diffuser::{PARTNER_LABEL_KEY, data_keys, properties, template};
use futures::{StreamExt, stream};
use platform::db::Db;
use platform::run::clock::Clock;
use platform::run::random::Random;
use serde_json::json;

use crate::catalogue;
use crate::console::Access;

/// The statistics of the database are refreshed after each call.
const AT_ONCE: usize = 50_000;
/// How many calls share the processors.
const CALLS: usize = 2;
const PARTNERS: usize = 50;

/// Loads diffusers with data, address, labels and values.
pub(crate) async fn load(db: &Db, devices: usize) -> Access {
    let cost = PasswordCost { memory_kib: 8, passes: 1, lanes: 1 };
    let operator = Operator::new(db.clone(), Clock::system(), Random::system(), cost).unwrap();
    operator.migrate().await.unwrap();
    let access = Access {
        app_id: "bench".to_owned(),
        app_secret: "bench-secret".to_owned(),
        email: "service@example.com".to_owned(),
        password: "Bench-password-1".to_owned(),
        token_key: "0a".repeat(32),
    };
    let oem = operator.ensure_oem("Bench").await.unwrap();
    operator.ensure_application(&oem, &access.app_id, "Console", &access.app_secret.as_str().into()).await.unwrap();
    catalogue::load(&operator, &oem).await.unwrap();
    let service = NewUser {
        email: access.email.clone(),
        password: access.password.as_str().into(),
        role: Some(diffuser::Role::Admin.name().to_owned()),
        confirmed: true,
        machine_of: Some(access.app_id.clone()),
        ..NewUser::default()
    };
    operator.ensure_user(&oem, &service).await.unwrap();
    let adding = stream::iter((0..devices).step_by(AT_ONCE)).map(async |from| {
        let some: Vec<NewDevice> = (from..devices.min(from + AT_ONCE)).map(device).collect();
        operator.add_devices(&oem, &some).await.unwrap();
    });
    adding.buffer_unordered(CALLS).collect::<()>().await;
    access
}

/// The serial number of a device.
pub(crate) fn dsn(n: usize) -> String {
    format!("AC000W{n:09}")
}

fn device(n: usize) -> NewDevice {
    let text = |text: &str| Some(text.to_owned());
    let data = [
        (data_keys::SERIAL_NUMBER, format!("{:08}", n * 7)),
        (data_keys::CART_NAME, "AQ290".to_owned()),
        (data_keys::FRAGRANCE, "White Tea".to_owned()),
        (data_keys::CUSTOMER, format!("Hotel {}", n / 20)),
        (data_keys::CUSTOMER_ID, format!("C-{}", n / 20)),
        (data_keys::STORE_NUMBER, format!("{}", n % 20)),
        (data_keys::TIME_ZONE, "Europe/Oslo".to_owned()),
    ];
    let values = [
        (properties::CURRENT_STATE, 3),
        (properties::CYCLE, 3),
        (properties::INTENSITY, 20),
        (properties::FAN, 2),
        (properties::FRAGRANCE_REMAINING, 64),
        (properties::CURRENT_SCHEDULE_RUNNING, 0),
    ];
    let partner = format!("Partner {}", n % PARTNERS);
    let labels = diffuser::Role::ALL.into_iter().filter(|role| role.is_csp_scoped());
    NewDevice {
        dsn: dsn(n),
        template: template::TEMPLATE.name.to_owned(),
        product_name: "Lobby".to_owned(),
        ssid: text("Guests"),
        lat: Some(59.911_491),
        lng: Some(10.757_933),
        link_key: format!("{n:064x}").into(),
        registered: true,
        labels: labels.map(|role| (role.name().to_owned(), PARTNER_LABEL_KEY.to_owned(), partner.clone())).collect(),
        data: data.map(|(key, value)| (key.to_owned(), value)).into(),
        addr: Address { city: text("Oslo"), country: text("Norway"), ..Address::default() },
        values: values.map(|(name, value)| (name.to_owned(), json!(value))).into(),
        created_at: Clock::system().now(),
        ..NewDevice::default()
    }
}
