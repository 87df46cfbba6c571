//! Loads the demo's roles, people and diffusers into the cloud. It can be repeated: what is there already stays.

use std::collections::HashMap;

use cloud::operator::{Address, NewDevice, NewUser, Operator};
use diffuser::{END_USER, PARTNER_LABEL_KEY, Role, data_keys, properties};
use secrecy::SecretString;
use serde_json::Value;

use super::accounts::Account;
use super::diffusers::Reported;
use super::fleet::Unit;
use super::folder::Memory;
use crate::{catalogue, device_key};

/// The demo's manufacturer.
const OEM: &str = "Sillage Demo";
/// How many of the diffusers belong to the demo's end user.
const OWNED: usize = 2;

/// Everything but the diffusers' own reports.
pub(crate) async fn load(operator: &Operator, memory: &Memory, fleet: &[Unit]) -> anyhow::Result<()> {
    let oem = operator.ensure_oem(OEM).await?;
    let secret = SecretString::from(memory.app_secret.clone());
    operator.ensure_application(&oem, &memory.app_id, "Sillage console", &secret).await?;
    catalogue::load(operator, &oem).await?;
    operator.ensure_user(&oem, &user(&memory.service, true)).await?;
    for account in &memory.accounts {
        operator.ensure_user(&oem, &user(account, false)).await?;
    }
    if operator.device_count(&oem).await? < fleet.len() {
        let owner = memory.accounts.iter().find(|account| account.role.as_deref() == Some(END_USER));
        let devices: Vec<NewDevice> = fleet
            .iter()
            .enumerate()
            .map(|(i, unit)| NewDevice {
                owner_email: owner.filter(|_| i < OWNED).map(|account| account.email.clone()),
                ..device(unit, &memory.fleet_secret)
            })
            .collect();
        operator.add_devices(&oem, &devices).await?;
    }
    Ok(())
}

/// What every diffuser last reported, by dsn: where a simulated one goes on from.
pub(crate) async fn reported(operator: &Operator) -> anyhow::Result<HashMap<String, Reported>> {
    let oem = operator.ensure_oem(OEM).await?;
    let devices = operator.reported_values(&oem).await?;
    Ok(devices.into_iter().map(|device| (device.dsn, device.values.into_iter().collect())).collect())
}

fn user(account: &Account, machine: bool) -> NewUser {
    NewUser {
        email: account.email.clone(),
        password: SecretString::from(account.password.clone()),
        firstname: Some(account.firstname.clone()),
        lastname: Some(account.lastname.clone()),
        city: Some("Chicago".to_owned()),
        country: Some("United States".to_owned()),
        role: account.role.clone(),
        label: account.csp.clone(),
        machine,
        confirmed: true,
        ..NewUser::default()
    }
}

fn device(unit: &Unit, fleet_secret: &[u8; 32]) -> NewDevice {
    let city = unit.city();
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    NewDevice {
        dsn: unit.dsn.clone(),
        template: properties::TEMPLATE.name.to_owned(),
        product_name: unit.service_area.to_owned(),
        model: "AY008MOD1".to_owned(),
        oem_model: "diffuser".to_owned(),
        mac: Some(unit.mac.clone()),
        ssid: text(unit.network),
        lan_enabled: unit.network.is_empty(),
        lat: Some(city.lat),
        lng: Some(city.lng),
        link_key: SecretString::from(device_key::derive(fleet_secret, &unit.dsn)),
        registered: true,
        owner_email: None,
        // A device carries its partner's label for each of the three roles.
        labels: Role::ALL
            .into_iter()
            .filter(|role| role.is_csp_scoped())
            .map(|role| (role.name().to_owned(), PARTNER_LABEL_KEY.to_owned(), unit.csp.to_owned()))
            .collect(),
        data: [
            (data_keys::SERIAL_NUMBER, unit.serial_number.as_str()),
            (data_keys::CART_NAME, unit.configuration.cart_name()),
            (data_keys::FRAGRANCE, unit.fragrance),
            (data_keys::CUSTOMER, unit.customer),
            (data_keys::CUSTOMER_ID, &unit.customer_id),
            (data_keys::STORE_NUMBER, &unit.store_number),
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
        values: [
            (properties::CURRENT_STATE, unit.mode),
            (properties::CYCLE, unit.cycle),
            (properties::INTENSITY, unit.intensity),
            (properties::FAN, unit.fan),
            (properties::FRAGRANCE_REMAINING, unit.fragrance_remaining),
        ]
        .map(|(name, value)| (name.to_owned(), Value::from(value)))
        .into(),
        created_at: unit.created_at,
    }
}
