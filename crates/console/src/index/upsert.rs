//! Writing what a read of the cloud found. A row is overwritten only by a read that began after the row was last brought
//! up to date, so nothing ever goes back in time.

use jiff::Timestamp;
use platform::clock::{Clock, to_micros};
use platform::db::{Db, Result, Tx, params};

use super::fold::fold;
use super::row::DeviceRow;
use crate::devices::record::{DeviceRecord, LAN};

/// When a read of the cloud took place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    began: Timestamp,
    ended: Timestamp,
    /// The pass that the read is part of.
    generation: Option<i64>,
}

/// What became of the records of a read.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    /// The devices that look otherwise than before.
    pub(crate) changed: Vec<String>,
    /// How many records were older than their rows and were left out.
    pub(crate) outdated: usize,
}

impl Read {
    /// Before the call goes out.
    pub(crate) fn begin(clock: &Clock) -> Self {
        let now = clock.now();
        Self { began: now, ended: now, generation: None }
    }

    /// After the answer has come.
    pub(crate) fn end(self, clock: &Clock) -> Self {
        Self { ended: clock.now(), ..self }
    }

    /// As part of a full pass.
    pub(super) fn in_pass(self, generation: i64) -> Self {
        Self { generation: Some(generation), ..self }
    }
}

/// Brings the index up to what the read found. Rows that are alike already are only stamped.
pub(crate) async fn apply_read(db: &Db, records: &[DeviceRecord], read: Read) -> Result<Applied> {
    let mut tx = db.begin().await?;
    let generation = match read.generation {
        Some(generation) => generation,
        // A row that appears during a pass carries the pass's generation, or the pass would take it for a ghost.
        None => tx.fetch_one::<(i64,)>("SELECT generation FROM idx_sync WHERE id = 1", params![]).await?.0,
    };
    let mut applied = Applied::default();
    for record in records {
        let known: Option<DeviceRow> = tx.fetch_optional(KNOWN, params![&record.dsn]).await?;
        match known {
            Some(row) if row.synced_at > to_micros(read.began) => {
                tx.execute(SEEN, params![&record.dsn, generation]).await?;
                applied.outdated += 1;
            }
            Some(row) => {
                let known = DeviceRecord::from(row);
                if known != *record {
                    applied.changed.push(record.dsn.clone());
                }
                // Most changes are changes of state; the wide row with its indices is left alone then.
                if (DeviceRecord { state: known.state, ..record.clone() }) != known {
                    write_device(&mut tx, record).await?;
                }
                write_state(&mut tx, record, read, generation).await?;
            }
            None => {
                applied.changed.push(record.dsn.clone());
                write_device(&mut tx, record).await?;
                write_state(&mut tx, record, read, generation).await?;
            }
        }
    }
    tx.commit().await?;
    Ok(applied)
}

/// Forgets a device that a read, begun at `read`, did not find.
pub(super) async fn remove(db: &Db, dsn: &str, read: Read) -> Result<()> {
    let mut tx = db.begin().await?;
    let removed =
        tx.execute("DELETE FROM idx_device_state WHERE dsn = $1 AND synced_at <= $2", params![dsn, read.began]).await?;
    if removed > 0 {
        tx.execute("DELETE FROM idx_devices WHERE dsn = $1", params![dsn]).await?;
    }
    tx.commit().await
}

async fn write_device(tx: &mut Tx, record: &DeviceRecord) -> Result<()> {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let folded = |text: &Option<String>| fold(text.as_deref().unwrap_or_default());
    let values = params![
        &record.dsn,
        text(&record.csp),
        text(&record.serial_number),
        text(&record.customer),
        text(&record.customer_id),
        text(&record.store_number),
        text(&record.service_area),
        text(&record.system_configuration),
        text(&record.fragrance),
        &record.network,
        text(&record.city),
        text(&record.state_province),
        text(&record.country),
        text(&record.time_zone),
        record.created_at.map_or(0, to_micros),
        fold(&record.dsn),
        folded(&record.serial_number),
        folded(&record.customer),
        folded(&record.service_area),
        if record.network == LAN { String::new() } else { fold(&record.network) },
        folded(&record.city),
        folded(&record.state_province),
        folded(&record.country),
    ];
    tx.execute(WRITE_DEVICE, values).await?;
    Ok(())
}

async fn write_state(tx: &mut Tx, record: &DeviceRecord, read: Read, generation: i64) -> Result<()> {
    let state = record.state;
    let values = params![
        &record.dsn,
        state.connection_status.name(),
        state.connected_at.map_or(0, to_micros),
        state.mode,
        state.cycle,
        state.intensity,
        state.fan,
        state.fragrance_remaining,
        state.pending,
        read.ended,
        generation,
        read.began,
    ];
    tx.execute(WRITE_STATE, values).await?;
    Ok(())
}

const KNOWN: &str = "SELECT d.*, s.* FROM idx_devices d JOIN idx_device_state s ON s.dsn = d.dsn WHERE d.dsn = $1";

const SEEN: &str = "UPDATE idx_device_state SET generation = $2 WHERE dsn = $1";

const WRITE_DEVICE: &str = "\
    INSERT INTO idx_devices (dsn, csp, serial_number, customer, customer_id, store_number, service_area, \
    system_configuration, fragrance, network, city, state_province, country, time_zone, created_at, dsn_folded, \
    serial_number_folded, customer_folded, service_area_folded, ssid_folded, city_folded, state_province_folded, \
    country_folded) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23) \
    ON CONFLICT (dsn) DO UPDATE SET csp = excluded.csp, serial_number = excluded.serial_number, \
    customer = excluded.customer, customer_id = excluded.customer_id, store_number = excluded.store_number, \
    service_area = excluded.service_area, system_configuration = excluded.system_configuration, \
    fragrance = excluded.fragrance, network = excluded.network, city = excluded.city, \
    state_province = excluded.state_province, country = excluded.country, time_zone = excluded.time_zone, \
    created_at = excluded.created_at, serial_number_folded = excluded.serial_number_folded, \
    customer_folded = excluded.customer_folded, service_area_folded = excluded.service_area_folded, \
    ssid_folded = excluded.ssid_folded, city_folded = excluded.city_folded, \
    state_province_folded = excluded.state_province_folded, country_folded = excluded.country_folded";

const WRITE_STATE: &str = "\
    INSERT INTO idx_device_state (dsn, connection_status, connected_at, mode, cycle, intensity, fan, \
    fragrance_remaining, pending, synced_at, generation) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
    ON CONFLICT (dsn) DO UPDATE SET connection_status = excluded.connection_status, \
    connected_at = excluded.connected_at, mode = excluded.mode, cycle = excluded.cycle, \
    intensity = excluded.intensity, fan = excluded.fan, fragrance_remaining = excluded.fragrance_remaining, \
    pending = excluded.pending, synced_at = excluded.synced_at, generation = excluded.generation \
    WHERE idx_device_state.synced_at <= $12";
