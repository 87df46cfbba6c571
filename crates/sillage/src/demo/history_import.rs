//! Imports two months of reports and connections into the cloud. A restart resumes an interrupted import.

use std::collections::HashMap;

use cloud::operator::{ConnectionPoint, HistoryPoint, Oem, Operator};
use diffuser::properties::APPLIANCE_LIFE;

use super::connections::{ConnectionChange, connection_changes};
use super::data_folder::FleetPlan;
use super::device::DemoDevice;
use super::device_history::{DAYS, DeviceHistory};

/// The approximate number of points in one transaction.
const BATCH_POINTS: usize = 10_000;

/// Imports day by day, oldest first. A transaction always contains whole days of a device.
pub(super) async fn import(
    operator: &Operator,
    oem: &Oem,
    plan: FleetPlan,
    fleet: &[DemoDevice],
) -> anyhow::Result<()> {
    let imported = imported_life(operator, oem).await?;
    let histories = histories(plan, fleet);
    import_connections(operator, oem, &histories, &imported).await?;
    let mut points = Vec::new();
    for day in missing_points(&histories, &imported) {
        points.extend(day);
        if points.len() >= BATCH_POINTS {
            operator.add_history(oem, &points).await?;
            points.clear();
        }
    }
    Ok(operator.add_history(oem, &points).await?)
}

/// Runs before reports are imported, so that a device with all its reports has its connections, too.
async fn import_connections(
    operator: &Operator,
    oem: &Oem,
    histories: &[DeviceHistory<'_>],
    imported: &HashMap<String, f64>,
) -> anyhow::Result<()> {
    let missing = histories
        .iter()
        .filter(|history| history.last_appliance_life().is_some_and(|life| !is_imported(imported, history, life)));
    let mut points = Vec::new();
    for history in missing {
        let point = |connection: ConnectionChange| {
            let ConnectionChange { at, online } = connection;
            ConnectionPoint { dsn: history.dsn().to_owned(), online, at }
        };
        points.extend(connection_changes(history).into_iter().map(point));
        if points.len() >= BATCH_POINTS {
            operator.add_connections(oem, &points).await?;
            points.clear();
        }
    }
    Ok(operator.add_connections(oem, &points).await?)
}

fn is_imported(imported: &HashMap<String, f64>, history: &DeviceHistory<'_>, life: f64) -> bool {
    imported.get(history.dsn()).is_some_and(|imported| *imported >= life)
}

/// The appliance life of each device at the cloud. It grows with every imported day, so it shows how far an interrupted import
/// came, and that the import is complete if the device has been simulated since.
async fn imported_life(operator: &Operator, oem: &Oem) -> anyhow::Result<HashMap<String, f64>> {
    let devices = operator.reported_values(oem).await?.into_iter();
    let life = |values: &[(String, serde_json::Value)]| {
        values.iter().find(|(name, _)| name == APPLIANCE_LIFE).and_then(|(_, value)| value.as_f64())
    };
    Ok(devices.filter_map(|device| Some((device.dsn, life(&device.values)?))).collect())
}

fn histories(plan: FleetPlan, fleet: &[DemoDevice]) -> Vec<DeviceHistory<'_>> {
    fleet.iter().filter_map(|device| DeviceHistory::new(device, plan)).collect()
}

/// The points that the cloud does not have yet, by day and device.
fn missing_points(
    histories: &[DeviceHistory<'_>],
    imported: &HashMap<String, f64>,
) -> impl Iterator<Item = Vec<HistoryPoint>> {
    let days = (0..=DAYS).flat_map(move |day| histories.iter().map(move |history| (day, history)));
    days.filter(move |(day, history)| {
        history.appliance_life(*day).is_some_and(|life| !is_imported(imported, history, life))
    })
    .map(|(day, history)| points(history, day))
}

fn points(history: &DeviceHistory<'_>, day: usize) -> Vec<HistoryPoint> {
    let point = |report: super::report::PastReport| HistoryPoint {
        dsn: history.dsn().to_owned(),
        property: report.property.to_owned(),
        value: report.value,
        at: report.at,
    };
    history.day(day).into_iter().map(point).collect()
}

#[cfg(test)]
mod tests {
    use cloud::PasswordCost;
    use platform::db::{Db, params};
    use platform::run::clock::Clock;
    use platform::run::random::Random;

    use super::super::data_folder::{DataFolder, SavedDemo, database_url};
    use super::super::{fleet, load};
    use super::*;

    struct Cloud {
        db: Db,
        operator: Operator,
        saved: SavedDemo,
        fleet: Vec<DemoDevice>,
        _folder: tempfile::TempDir,
    }

    impl Cloud {
        async fn new(devices: usize) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let plan = FleetPlan { devices, seed: 7, begun_at: "2026-11-20T12:00:00Z".parse().unwrap() };
            let saved = DataFolder::lock(folder.path()).unwrap().load_or_create(plan, &Random::seeded(1)).unwrap();
            let db = Db::connect(&database_url(folder.path(), "cloud.db")).await.unwrap();
            let cheap = PasswordCost { memory_kib: 8, passes: 1, lanes: 1 };
            let operator = Operator::new(db.clone(), Clock::system(), Random::seeded(2), cheap).unwrap();
            operator.migrate().await.unwrap();
            Self { db, operator, saved, fleet: fleet::build(plan), _folder: folder }
        }

        async fn load(&self) {
            load::load(&self.operator, &self.saved, &self.fleet).await.unwrap();
        }

        /// All property values, datapoints and connection changes.
        async fn contents(&self) -> (Vec<(String, String)>, Vec<(i64, i64, String)>, Vec<(i64, i64, String)>) {
            let values = "select d.dsn || t.name, p.reported_value from property p
                join device d on d.id = p.device_id join template_property t on t.id = p.template_property_id
                where p.reported_value is not null order by 1";
            let points = "select property_id, created_at, value from datapoint order by 1, 2, 3";
            let changes = "select device_id, at, status from connection_change order by 1, 2, 3";
            (
                self.db.fetch_all(values, params![]).await.unwrap(),
                self.db.fetch_all(points, params![]).await.unwrap(),
                self.db.fetch_all(changes, params![]).await.unwrap(),
            )
        }
    }

    #[tokio::test]
    async fn history_is_imported_once_after_repeated_or_interrupted_starts() {
        let whole = Cloud::new(30).await;
        whole.load().await;
        let expected = whole.contents().await;
        assert!(expected.1.len() > 3000 && expected.2.len() > 100, "{} {}", expected.1.len(), expected.2.len());
        whole.load().await;
        assert_eq!(whole.contents().await, expected);

        let days = missing_points(&histories(whole.saved.plan, &whole.fleet), &HashMap::new()).count();
        for days_imported in [1, 29, days / 2, days - 1] {
            let broken = Cloud::new(30).await;
            let oem = load::people_and_devices(&broken.operator, &broken.saved, &broken.fleet).await.unwrap();
            let histories = super::histories(broken.saved.plan, &broken.fleet);
            import_connections(&broken.operator, &oem, &histories, &HashMap::new()).await.unwrap();
            let points: Vec<_> = missing_points(&histories, &HashMap::new()).take(days_imported).flatten().collect();
            broken.operator.add_history(&oem, &points).await.unwrap();
            broken.load().await;
            assert_eq!(broken.contents().await, expected, "{days_imported} of {days}");
        }
    }
}
