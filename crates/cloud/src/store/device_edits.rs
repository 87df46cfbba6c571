//! Edits of device records.

use jiff::Timestamp;
use platform::db::rows::{key_runs, placeholders};
use platform::db::{Db, Params, Result, Tx, params};
use sqlx::AssertSqlSafe;

use super::{claims, schedules};

/// Street, city, state, country, postal code.
pub(crate) type Address<'a> = [Option<&'a str>; 5];

pub(crate) async fn rename(db: &Db, device_id: i64, product_name: &str, now: Timestamp) -> Result<()> {
    let sql = "update device set product_name = $2, updated_at = $3 where id = $1";
    db.execute(sql, params![device_id, product_name, now]).await?;
    Ok(())
}

pub(crate) async fn set_address(db: &Db, device_id: i64, address: Address<'_>, now: Timestamp) -> Result<()> {
    let [street, city, state, country, zip] = address;
    db.execute(
        "update device set street = $2, city = $3, state = $4, country = $5, zip = $6, updated_at = $7 where id = $1",
        params![device_id, street, city, state, country, zip, now],
    )
    .await?;
    Ok(())
}

/// Sets the time zone of the device and updates its schedules.
pub(crate) async fn set_time_zone(db: &Db, device_id: i64, tz_id: Option<&str>, now: Timestamp) -> Result<()> {
    let set_time_zone = async |mut tx: Tx| -> Result<()> {
        // Schedules are locked before the device, as in a return to stock.
        schedules::lock_rows(&mut tx, device_id).await?;
        let sql = "update device set tz_id = $2, updated_at = $3 where id = $1";
        tx.execute(sql, params![device_id, tz_id, now]).await?;
        schedules::update_due(&mut tx, device_id, now).await?;
        tx.commit().await
    };
    db.write(set_time_zone).await
}

pub(crate) async fn set_location(tx: &mut Tx, device_id: i64, lat: f64, lng: f64, now: Timestamp) -> Result<()> {
    let sql = "update device set lat = $2, lng = $3, updated_at = $4 where id = $1";
    tx.execute(sql, params![device_id, lat, lng, now]).await?;
    Ok(())
}

/// Locks the device. Returns whether it is registered, or `None` if the manufacturer has no such device.
pub(crate) async fn lock_rows(tx: &mut Tx, oem_id: i64, device_id: i64) -> Result<Option<bool>> {
    let sql = format!("select registered from device where id = $1 and oem_id = $2{}", tx.for_update());
    let row: Option<(bool,)> = tx.fetch_optional(AssertSqlSafe(sql), params![device_id, oem_id]).await?;
    Ok(row.map(|(registered,)| registered))
}

/// Registers a device in factory stock and creates the schedules of its template. Returns whether it was in stock.
pub(crate) async fn register(tx: &mut Tx, device_id: i64, now: Timestamp) -> Result<bool> {
    let sql = "update device set registered = $3, registered_at = $2, updated_at = $2 where id = $1 and not registered";
    let registered = tx.execute(sql, params![device_id, now, true]).await? == 1;
    if registered {
        schedules::create_from_templates(tx, &[device_id], now).await?;
    }
    Ok(registered)
}

/// The registered nodes behind a gateway.
pub(crate) async fn registered_nodes(tx: &mut Tx, gateway_id: i64) -> Result<Vec<i64>> {
    let sql = "select id from device where gateway_id = $1 and registered order by id";
    let rows: Vec<(i64,)> = tx.fetch_all(sql, params![gateway_id]).await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// The devices that a user owns.
pub(crate) async fn owned(tx: &mut Tx, user_id: i64) -> Result<Vec<i64>> {
    let sql = "select id from device where owner_id = $1 order by id";
    let rows: Vec<(i64,)> = tx.fetch_all(sql, params![user_id]).await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// Resets the properties of these devices to their template: no value, command or history.
pub(crate) async fn reset_properties(tx: &mut Tx, devices: &[i64]) -> Result<()> {
    // Locked in the order of all transactions (`devices::link::persist`): commands, then properties, each in key order.
    each(tx, "delete from command where id in", "select id from command", devices).await?;
    let change = "update property set value = null, value_at = null, metadata = null, reported_value = null,
                      reported_at = null, reported_metadata = null, acked_command = null, command_id = null, last_datapoint = null,
                      detached_to = coalesce(
                          -- Written while the clock was ahead.
                          (select m.id || 'g' from datapoint m
                           where m.property_id = property.id and substr(m.id, 35) in ('00', '40', '80', 'c0')
                               and m.id > property.last_datapoint order by m.id desc limit 1),
                          substr(last_datapoint, 1, 18) || 'g', detached_to)
                  where id in";
    each(tx, change, "select id from property", devices).await
}

async fn each(tx: &mut Tx, change: &str, select: &str, devices: &[i64]) -> Result<()> {
    for run in key_runs(devices) {
        let (names, hold) = (placeholders(tx.dialect(), run.len()), tx.for_update());
        let sql = format!("{change} ({select} where device_id in ({names}) order by id{hold})");
        tx.execute(AssertSqlSafe(sql), run.into_iter().fold(Params::default(), Params::with)).await?;
    }
    Ok(())
}

/// Returns a device to factory stock: deletes labels, data, shares, notifications and triggers, and clears owner, name,
/// location and time zone. Returns whether it was registered.
pub(crate) async fn return_to_stock(tx: &mut Tx, device_id: i64, now: Timestamp) -> Result<bool> {
    let hold = format!("select registered from device where id = $1{}", tx.for_update());
    let row: Option<(bool,)> = tx.fetch_optional(AssertSqlSafe(hold), params![device_id]).await?;
    claims::forget_incomplete(tx, device_id).await?;
    tx.execute("delete from device_label where device_id = $1", params![device_id]).await?;
    tx.execute("delete from device_datum where device_id = $1", params![device_id]).await?;
    tx.execute("delete from share where device_id = $1", params![device_id]).await?;
    tx.execute("delete from notification where device_id = $1", params![device_id]).await?;
    let sql = "delete from property_trigger where property_id in (select id from property where device_id = $1)";
    tx.execute(sql, params![device_id]).await?;
    tx.execute(
        "update device set registered = $3, registered_at = null, owner_id = null, product_name = oem_model,
             lat = null, lng = null, street = null, city = null, state = null, country = null, zip = null, tz_id = null,
             updated_at = $2
         where id = $1",
        params![device_id, now, false],
    )
    .await?;
    Ok(row.is_some_and(|(registered,)| registered))
}
