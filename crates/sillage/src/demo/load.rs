//! Loads the demo's roles, people and diffusers into the cloud. It can be repeated: what is there already stays.

use std::collections::HashMap;

use cloud::operator::{Address, NewDevice, NewUser, Oem, Operator};
use diffuser::{END_USER, PARTNER_LABEL_KEY, Role, data_keys, properties};
use secrecy::SecretString;

use super::accounts::Account;
use super::diffusers::{Reported, SW_VERSION};
use super::folder::{Memory, Plan};
use super::history;
use super::past::Past;
use super::recorder;
use super::unit::Unit;
use crate::{catalogue, device_key};

/// The demo's manufacturer.
const OEM: &str = "Sillage Demo";
/// How many of the diffusers belong to the demo's end user.
const OWNED: usize = 2;

/// Everything up to the moment in which the demo began.
pub(crate) async fn load(operator: &Operator, memory: &Memory, fleet: &[Unit]) -> anyhow::Result<()> {
    let oem = people_and_devices(operator, memory, fleet).await?;
    history::tell(operator, &oem, memory.plan, fleet).await
}

pub(super) async fn people_and_devices(operator: &Operator, memory: &Memory, fleet: &[Unit]) -> anyhow::Result<Oem> {
    let oem = operator.ensure_oem(OEM).await?;
    let secret = SecretString::from(memory.app_secret.clone());
    operator.ensure_application(&oem, &memory.app_id, "Sillage console", &secret).await?;
    catalogue::load(operator, &oem).await?;
    let service = NewUser { machine_of: Some(memory.app_id.clone()), ..user(&memory.service) };
    operator.ensure_user(&oem, &service).await?;
    for account in &memory.accounts {
        operator.ensure_user(&oem, &user(account)).await?;
    }
    if operator.device_count(&oem).await? < fleet.len() {
        let owner = memory.accounts.iter().find(|account| account.role.as_deref() == Some(END_USER));
        let devices: Vec<NewDevice> = fleet
            .iter()
            .enumerate()
            .map(|(i, unit)| NewDevice {
                owner_email: owner.filter(|_| i < OWNED).map(|account| account.email.clone()),
                ..device(unit, memory.plan, &memory.fleet_secret)
            })
            .collect();
        operator.add_devices(&oem, &devices).await?;
    }
    // After the fleet, whose count says whether it is complete.
    let link_key = SecretString::from(device_key::derive(&memory.fleet_secret, recorder::DSN));
    recorder::load(operator, &oem, link_key, memory.plan.begun_at).await?;
    Ok(oem)
}

/// What every diffuser last reported, by dsn: where a simulated one goes on from.
pub(crate) async fn reported(operator: &Operator) -> anyhow::Result<HashMap<String, Reported>> {
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

fn device(unit: &Unit, plan: Plan, fleet_secret: &[u8; 32]) -> NewDevice {
    let made = NewDevice {
        dsn: unit.dsn.clone(),
        template: properties::TEMPLATE.name.to_owned(),
        product_name: "Diffuser".to_owned(),
        model: "AY008MOD1".to_owned(),
        oem_model: "diffuser".to_owned(),
        mac: Some(unit.mac.clone()),
        link_key: SecretString::from(device_key::derive(fleet_secret, &unit.dsn)),
        created_at: unit.made_at,
        ..NewDevice::default()
    };
    let Some(site) = &unit.site else { return made };
    let (store, customer, city) = (&site.store, site.store.customer, site.store.city);
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    NewDevice {
        product_name: site.service_area.to_owned(),
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
            (data_keys::SERIAL_NUMBER, unit.serial_number.as_str()),
            (data_keys::CART_NAME, unit.configuration.cart_name()),
            (data_keys::FRAGRANCE, &site.fragrance.name),
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
        values: Past::of(unit, plan)
            .map(|past| past.first_values().into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
            .unwrap_or_default(),
        connected_at: unit.service().map(|service| service.connected_at),
        lan_ip: unit.service().map(|service| service.lan_ip.into()),
        sw_version: unit.service().map(|_| SW_VERSION.to_owned()),
        ..made
    }
}
