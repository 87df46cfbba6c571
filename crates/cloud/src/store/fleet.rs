//! Bulk creation of devices with few multi-row statements.

use std::collections::HashMap;

use jiff::Timestamp;
use platform::db::rows::{all, insert_rows, rows_of_placeholders};
use platform::db::{Db, Dialect, Params, Result, Tx, params};
use platform::run::clock::to_micros;
use sqlx::AssertSqlSafe;

/// A row of `device`, in the order of [`DEVICE_COLUMNS`].
pub(crate) struct FleetDevice {
    pub(crate) oem_id: i64,
    pub(crate) template_id: i64,
    pub(crate) dsn: String,
    pub(crate) link_key_hash: String,
    pub(crate) product_name: String,
    pub(crate) model: String,
    pub(crate) oem_model: String,
    pub(crate) mac: Option<String>,
    pub(crate) ssid: Option<String>,
    pub(crate) lan_enabled: bool,
    pub(crate) lan_ip: Option<String>,
    pub(crate) sw_version: Option<String>,
    pub(crate) lat: Option<f64>,
    pub(crate) lng: Option<f64>,
    pub(crate) owner_id: Option<i64>,
    pub(crate) registered: bool,
    pub(crate) address: [Option<String>; 5],
    pub(crate) tz_id: Option<String>,
    pub(crate) created_at: Timestamp,
    /// Time of the last connection. Activation counts from the creation.
    pub(crate) connected_at: Option<Timestamp>,
}

const DEVICE_COLUMNS: &str = "oem_id, template_id, dsn, link_key_hash, product_name, model, oem_model, mac, ssid, \
    lan_enabled, lan_ip, sw_version, lat, lng, owner_id, registered, registered_at, activated_at, street, city, state, country, zip, tz_id, \
    created_at, updated_at";

/// A property of a device with its initial value.
pub(crate) struct PropertyRecord {
    pub(crate) device_id: i64,
    pub(crate) template_property_id: i64,
    pub(crate) value: Option<String>,
    pub(crate) at: Option<i64>,
}

/// Inserts the devices whose dsn is new. Returns their ids and dsns.
pub(crate) async fn insert_devices(tx: &mut Tx, devices: &[FleetDevice]) -> Result<Vec<(i64, String)>> {
    let columns = DEVICE_COLUMNS.split(',').count();
    let rows = rows_of_placeholders(tx.dialect(), devices.len(), columns);
    let sql =
        format!("insert into device ({DEVICE_COLUMNS}) values {rows} on conflict (dsn) do nothing returning id, dsn");
    let inserted: Vec<(i64, String)> = tx.fetch_all(AssertSqlSafe(sql), all(devices, device)).await?;
    let states = rows_of_placeholders(tx.dialect(), inserted.len(), 3);
    if !inserted.is_empty() {
        let connected: HashMap<&str, Timestamp> =
            devices.iter().filter_map(|device| Some((&*device.dsn, device.connected_at?))).collect();
        let sql = format!("insert into device_state (device_id, status, connected_at) values {states}");
        let values = all(&inserted, |values, (id, dsn)| {
            values.with(*id).with(super::connections::OFFLINE).with(connected.get(&**dsn).copied())
        });
        tx.execute(AssertSqlSafe(sql), values).await?;
    }
    Ok(inserted)
}

/// Updates PostgreSQL's statistics of the device tables. Autovacuum does so within a minute; until then the planner assumes empty
/// tables, which made lists ten times slower.
pub(crate) async fn refresh_statistics(db: &Db) -> Result<()> {
    match db.dialect() {
        Dialect::Sqlite => Ok(()),
        Dialect::Postgres => {
            let sql = "analyze device, device_state, property, device_label, device_datum";
            db.execute(sql, params![]).await.map(drop)
        }
    }
}

/// Assigns a device to a gateway. Returns whether the gateway exists.
pub(crate) async fn attach(tx: &mut Tx, device_id: i64, oem_id: i64, gateway_dsn: &str) -> Result<bool> {
    let sql = "update device set gateway_id = gateway.id from device as gateway
               where device.id = $1 and gateway.oem_id = $2 and gateway.dsn = $3 and gateway.id <> device.id";
    Ok(tx.execute(sql, params![device_id, oem_id, gateway_dsn]).await? == 1)
}

pub(crate) async fn insert_properties(tx: &mut Tx, properties: &[PropertyRecord]) -> Result<()> {
    let columns = "device_id, template_property_id, value, value_at, reported_value, reported_at";
    insert_rows(tx, &format!("insert into property ({columns})"), 6, properties, |values, property| {
        values
            .with(property.device_id)
            .with(property.template_property_id)
            .with(property.value.as_ref())
            .with(property.at)
            .with(property.value.as_ref())
            .with(property.at)
    })
    .await
}

/// Labels: device, role, key, value.
pub(crate) async fn insert_labels(tx: &mut Tx, labels: &[(i64, i64, &str, &str)]) -> Result<()> {
    let insert = "insert into device_label (device_id, role_id, label_key, label_value)";
    insert_rows(tx, insert, 4, labels, |values, (device, role, key, value)| {
        values.with(*device).with(*role).with(*key).with(*value)
    })
    .await
}

/// Data: device, key, value.
pub(crate) async fn insert_data(tx: &mut Tx, data: &[(i64, &str, &str)], now: Timestamp) -> Result<()> {
    let insert = "insert into device_datum (device_id, key, value, created_at, updated_at)";
    insert_rows(tx, insert, 5, data, |values, (device, key, value)| {
        values.with(*device).with(*key).with(*value).with(now).with(now)
    })
    .await
}

/// The number of devices of the manufacturer.
pub(crate) async fn count(db: &Db, oem_id: i64) -> Result<i64> {
    let (count,): (i64,) = db.fetch_one("select count(*) from device where oem_id = $1", params![oem_id]).await?;
    Ok(count)
}

/// The last reported value of a property.
#[derive(sqlx_macros::FromRow)]
pub(crate) struct ReportedRow {
    pub(crate) dsn: String,
    pub(crate) name: String,
    pub(crate) value: String,
}

/// The last reported values of the manufacturer's devices, grouped by device.
pub(crate) async fn reported(db: &Db, oem_id: i64) -> Result<Vec<ReportedRow>> {
    db.fetch_all(
        "select d.dsn, t.name, p.reported_value as value
         from device d join property p on p.device_id = d.id
         join template_property t on t.id = p.template_property_id
         where d.oem_id = $1 and p.reported_value is not null
         order by d.id, t.id",
        params![oem_id],
    )
    .await
}

fn device(values: Params, device: &FleetDevice) -> Params {
    let created_at = to_micros(device.created_at);
    let values = values
        .with(device.oem_id)
        .with(device.template_id)
        .with(&device.dsn)
        .with(&device.link_key_hash)
        .with(&device.product_name)
        .with(&device.model)
        .with(&device.oem_model)
        .with(device.mac.as_ref())
        .with(device.ssid.as_ref())
        .with(device.lan_enabled)
        .with(device.lan_ip.as_ref())
        .with(device.sw_version.as_ref())
        .with(device.lat)
        .with(device.lng)
        .with(device.owner_id)
        .with(device.registered)
        .with(device.registered.then_some(created_at))
        .with(device.connected_at.is_some().then_some(created_at));
    let values = device.address.iter().fold(values, |values, part| values.with(part.as_ref()));
    values.with(device.tz_id.as_ref()).with(created_at).with(created_at)
}
