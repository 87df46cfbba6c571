//! The devices whose level or consumption an import of the catalogue changes.

use diffuser::SystemConfiguration;
use platform::db::{Db, Result};

use crate::audit::{AuditTarget, Change, FieldChange, Operation};
use crate::index::forecasts::{self, Cartridge};
use crate::records::{Catalogue, level_after};

/// Devices per read: the memory that an import needs does not grow with the fleet.
const BATCH: i64 = 512;
/// Consumption is rounded to thousandths of a millilitre.
const PRECISION: f64 = 1000.0;

/// A larger change of the level has to be confirmed, in percentage points.
const FAR: u64 = 5;

/// Walks through the devices of the index by DSN.
pub(super) struct LevelChanges<'a> {
    db: &'a Db,
    before: &'a Catalogue,
    /// Only the fragrances that the import adds or changes.
    after: &'a Catalogue,
    /// `None` after the last device.
    position: Option<String>,
}

/// A device whose level or consumption changes.
pub(super) struct LevelChange {
    pub(super) fragrance: String,
    dsn: String,
    csp: Option<String>,
    stored_level: Option<i64>,
    before: Values,
    after: Values,
}

impl<'a> LevelChanges<'a> {
    pub(super) fn new(db: &'a Db, before: &'a Catalogue, after: &'a Catalogue) -> Self {
        Self { db, before, after, position: Some(String::new()) }
    }

    /// The changes among the next [`BATCH`] devices, possibly none; `None` after the last device.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<LevelChange>>> {
        let Some(position) = self.position.take() else { return Ok(None) };
        let cartridges = forecasts::cartridges_after(self.db, &position, BATCH).await?;
        self.position = cartridges.last().map(|last| last.dsn.clone());
        Ok(Some(cartridges.into_iter().filter_map(|cartridge| self.change(cartridge)).collect()))
    }

    fn change(&self, cartridge: Cartridge) -> Option<LevelChange> {
        let (before, after) = (values(&cartridge, self.before), values(&cartridge, self.after));
        let is_changed = self.after.contains_key(&cartridge.fragrance) && before != after;
        let Cartridge { dsn, csp, fragrance, stored_level, .. } = cartridge;
        is_changed.then_some(LevelChange { fragrance, dsn, csp, stored_level, before, after })
    }
}

impl LevelChange {
    pub(super) fn dsn(&self) -> &str {
        &self.dsn
    }

    pub(super) fn changes_level(&self) -> bool {
        self.before.level != self.after.level
    }

    /// Whether the device stores another level than the new one. It does not after a change that was taken back at once.
    pub(super) fn is_to_be_stored(&self) -> bool {
        self.after.level != self.stored_level
    }

    pub(super) fn moves_far(&self) -> bool {
        self.before.level.zip(self.after.level).is_some_and(|(before, after)| before.abs_diff(after) > FAR)
    }

    pub(super) fn empties(&self) -> bool {
        self.before.level != Some(0) && self.after.level == Some(0)
    }

    /// The entry in the audit; `file` is the name of the imported file.
    pub(super) fn into_entry(self, operation: Operation, file: Option<&str>) -> Change {
        let Self { dsn, csp, before, after, .. } = self;
        let mut fields = Vec::new();
        if before.level != after.level {
            fields.push(FieldChange::new("fragranceRemaining", before.level, after.level));
        }
        if before.ml_per_hour != after.ml_per_hour {
            fields.push(FieldChange::new("mlPerHour", before.ml_per_hour, after.ml_per_hour));
        }
        fields.extend(file.map(|file| FieldChange::new("file", None::<String>, file)));
        Change { operation, target: AuditTarget::device(&dsn, csp.as_deref()), fields }
    }
}

/// What pages show: the level that the device stores if none can be computed.
fn values(cartridge: &Cartridge, catalogue: &Catalogue) -> Values {
    let Cartridge { configuration, fragrance, life_hours, stored_level, .. } = cartridge;
    let level = life_hours.and_then(|life| level_after(configuration, fragrance, life, catalogue));
    let ml_per_hour = catalogue.get(fragrance).and_then(|fragrance| {
        let flow = fragrance.flow(&SystemConfiguration::from(configuration.as_str()))?;
        let rate = flow / fragrance.density;
        rate.is_finite().then(|| (rate * PRECISION).round() / PRECISION)
    });
    Values { level: level.or(*stored_level), ml_per_hour }
}

#[derive(PartialEq)]
struct Values {
    level: Option<i64>,
    ml_per_hour: Option<f64>,
}

#[cfg(test)]
mod tests {
    use diffuser::Fragrance;
    use diffuser::forecast::DailyUse;
    use jiff::Timestamp;
    use platform::db::rows::insert_rows;
    use platform::run::clock::Clock;

    use super::*;
    use crate::index::{self, CloudRead, IndexEntry};
    use crate::records::{DeviceRecord, DeviceState};

    const FLEET: i64 = 1_200;

    /// 1 mL an hour at a density of 1.
    fn catalogue(name: &str, density: f64) -> Catalogue {
        let flow = [Some(1.0); SystemConfiguration::ALL.len()];
        let fragrance = Fragrance { name: name.to_owned(), sku: String::new(), density, flow };
        [(name.to_owned(), fragrance)].into()
    }

    /// An AQ290 with 500 mL, of which each hour used one.
    fn device(number: i64) -> DeviceRecord {
        DeviceRecord {
            dsn: format!("D{number:05}"),
            csp: (number % 2 == 0).then(|| "North".to_owned()),
            system_configuration: Some("AQ290".to_owned()),
            fragrance: Some(if number % 3 == 0 { "Oud" } else { "Fig" }.to_owned()),
            state: DeviceState { fragrance_remaining: Some(50), ..DeviceState::default() },
            ..DeviceRecord::default()
        }
    }

    async fn every_device_of_a_changed_fragrance_is_found_once_in_bounded_batches(db: Db) {
        let clock = Clock::mock("2026-11-20T12:00:00Z".parse().unwrap());
        let entries: Vec<IndexEntry> =
            (0..FLEET).map(|number| IndexEntry { key: number + 1, record: device(number) }).collect();
        index::apply_read(&db, &entries, CloudRead::begin(&clock).end(&clock)).await.unwrap();
        // Every second device has reported its hours: the others have no level that could be computed.
        let reported: Vec<i64> = (0..FLEET).filter(|number| number % 2 == 0).collect();
        let mut tx = db.begin().await.unwrap();
        insert_rows(
            &mut tx,
            "insert into idx_forecasts (dsn, daily_use, filled_at, running_plan)",
            4,
            &reported,
            |params, number| {
                let mut daily_use = DailyUse::default();
                daily_use.record(Timestamp::UNIX_EPOCH, 250.0);
                params.with(&device(*number).dsn).with(daily_use.to_bytes()).with(Timestamp::UNIX_EPOCH).with("")
            },
        )
        .await
        .unwrap();
        tx.commit().await.unwrap();

        let (before, after) = (catalogue("Fig", 1.0), catalogue("Fig", 1.25));
        let mut changes = LevelChanges::new(&db, &before, &after);
        let mut found = Vec::new();
        while let Some(batch) = changes.next().await.unwrap() {
            assert!(batch.len() <= usize::try_from(BATCH).unwrap());
            let entry = |change: LevelChange| change.into_entry(Operation::UpdateFragrances, Some("fig.csv"));
            found.extend(batch.into_iter().map(entry));
        }
        let targets: Vec<&str> = found.iter().map(|change| change.target.id()).collect();
        let expected: Vec<String> =
            (0..FLEET).filter(|number| number % 3 != 0).map(|number| device(number).dsn).collect();
        assert_eq!(targets, expected);
        let (level, rate) = (FieldChange::new("fragranceRemaining", 50, 60), FieldChange::new("mlPerHour", 1.0, 0.8));
        let file = FieldChange::new("file", None::<String>, "fig.csv");
        // D00001 has not reported its hours, D00002 has.
        assert_eq!(found[0].fields, [rate.clone(), file.clone()]);
        assert_eq!(found[1].fields, [level, rate, file]);
        assert_eq!(found[1].target, AuditTarget::device("D00002", Some("North")));

        let renumbered = Fragrance { sku: "F-2".to_owned(), ..before["Fig"].clone() };
        let after: Catalogue = [("Fig".to_owned(), renumbered)].into();
        let mut changes = LevelChanges::new(&db, &before, &after);
        while let Some(batch) = changes.next().await.unwrap() {
            assert_eq!(batch.len(), 0, "another SKU changes no level");
        }
    }

    platform::store_suite!(
        migrate = crate::migrations::migrate,
        tests = [every_device_of_a_changed_fragrance_is_found_once_in_bounded_batches]
    );
}
