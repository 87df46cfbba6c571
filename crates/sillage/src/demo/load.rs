//! Loads the demo's roles, accounts and diffusers into the cloud. Idempotent: existing rows are kept.

use std::collections::HashMap;

use cloud::operator::{Address, NewDevice, NewUser, Oem, Operator};
use diffuser::{END_USER, PARTNER_LABEL_KEY, Role, data_keys, template};
use secrecy::SecretString;

use super::accounts::Account;
use super::data_folder::{FleetPlan, SavedDemo};
use super::device::DemoDevice;
use super::device_history::DeviceHistory;
use super::diffusers::{ReportedValues, SW_VERSION};
use super::history_import;
use super::recorder;
use crate::catalogue;
use crate::files::device_key;

/// The demo's manufacturer.
pub(super) const OEM: &str = "Sillage Demo";
/// How many of the diffusers belong to the demo's end user.
const OWNED: usize = 2;

/// Loads everything up to the start of the demo, including the history.
pub(crate) async fn load(operator: &Operator, saved: &SavedDemo, fleet: &[DemoDevice]) -> anyhow::Result<()> {
    let oem = people_and_devices(operator, saved, fleet).await?;
    history_import::import(operator, &oem, saved.plan, fleet).await
}

pub(super) async fn people_and_devices(
    operator: &Operator,
    saved: &SavedDemo,
    fleet: &[DemoDevice],
) -> anyhow::Result<Oem> {
    let oem = operator.ensure_oem(OEM).await?;
    let secret = SecretString::from(saved.app_secret.clone());
    operator.ensure_application(&oem, &saved.app_id, "Sillage console", &secret).await?;
    catalogue::load(operator, &oem).await?;
    let service = NewUser { machine_of: Some(saved.app_id.clone()), ..user(&saved.service) };
    operator.ensure_user(&oem, &service).await?;
    for account in &saved.accounts {
        operator.ensure_user(&oem, &user(account)).await?;
    }
    if operator.device_count(&oem).await? < fleet.len() {
        let owner = saved.accounts.iter().find(|account| account.role.as_deref() == Some(END_USER));
        let devices: Vec<NewDevice> = fleet
            .iter()
            .enumerate()
            .map(|(i, device)| NewDevice {
                owner_email: owner.filter(|_| i < OWNED).map(|account| account.email.clone()),
                ..new_device(device, saved.plan, &saved.fleet_secret)
            })
            .collect();
        operator.add_devices(&oem, &devices).await?;
    }
    // After the fleet, because the number of devices shows whether the fleet is complete.
    let link_key = SecretString::from(device_key::derive(&saved.fleet_secret, recorder::DSN));
    recorder::load(operator, &oem, link_key, saved.plan.begun_at).await?;
    Ok(oem)
}

/// The last reported values of every diffuser, by dsn. The simulation continues from them.
pub(crate) async fn reported(operator: &Operator) -> anyhow::Result<HashMap<String, ReportedValues>> {
    let oem = operator.ensure_oem(OEM).await?;
    let devices = operator.reported_values(&oem).await?;
    Ok(devices.into_iter().map(|device| (device.dsn, device.values.into_iter().collect())).collect())
}

fn user(account: &Account) -> NewUser {
    NewUser {
        email: account.email.clone(),
        password: SecretString::from(account.password.clone()),
        firstname: Some(account.firstname.clone()),
        lastname: Some(account.lastname.clone()),
        city: Some("Chicago".to_owned()),
        country: Some("United States".to_owned()),
        role: account.role.clone(),
        label: account.csp.clone(),
        confirmed: true,
        ..NewUser::default()
    }
}

fn new_device(device: &DemoDevice, plan: FleetPlan, fleet_secret: &[u8; 32]) -> NewDevice {
    let made = NewDevice {
        dsn: device.dsn.clone(),
        template: template::TEMPLATE.name.to_owned(),
        product_name: "Diffuser".to_owned(),
        model: "AY008MOD1".to_owned(),
        oem_model: "diffuser".to_owned(),
        mac: Some(device.mac.clone()),
        link_key: SecretString::from(device_key::derive(fleet_secret, &device.dsn)),
        created_at: device.made_at,
        ..NewDevice::default()
    };
    let Some(installation) = &device.installation else { return made };
    let (store, customer, city) = (&installation.store, installation.store.customer, installation.store.city);
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    NewDevice {
        product_name: installation.service_area.to_owned(),
        ssid: store.ssid.map(str::to_owned),
        lan_enabled: store.ssid.is_none(),
        lat: Some(city.lat),
        lng: Some(city.lng),
        registered: true,
        // A device carries its partner's label for each of the three roles.
        labels: Role::ALL
            .into_iter()
            .filter(|role| role.is_csp_scoped())
            .map(|role| (role.name().to_owned(), PARTNER_LABEL_KEY.to_owned(), store.csp.to_owned()))
            .collect(),
        data: [
            (data_keys::SERIAL_NUMBER, device.serial_number.as_str()),
            (data_keys::CART_NAME, device.configuration.cart_name()),
            (data_keys::FRAGRANCE, &installation.fragrance.name),
            (data_keys::CUSTOMER, customer.name),
            (data_keys::CUSTOMER_ID, customer.id),
            (data_keys::STORE_NUMBER, &store.number),
            (data_keys::TIME_ZONE, city.time_zone),
        ]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into(),
        addr: Address {
            city: text(city.name),
            state: text(city.state),
            country: text(city.country),
            ..Address::default()
        },
        tz_id: Some(city.time_zone.to_owned()),
        values: DeviceHistory::new(device, plan)
            .map(|history| history.first_values().into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
            .unwrap_or_default(),
        connected_at: device.service().map(|service| service.connected_at),
        lan_ip: device.service().map(|service| service.lan_ip.into()),
        sw_version: device.service().map(|_| SW_VERSION.to_owned()),
        ..made
    }
}
