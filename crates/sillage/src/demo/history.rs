//! Tells the cloud what the demo's devices reported before the demo began. An interrupted start goes on where it was.

use std::collections::HashMap;

use cloud::operator::{ConnectionPoint, HistoryPoint, Oem, Operator};
use diffuser::properties::APPLIANCE_LIFE;

use super::connections::Connection;
use super::folder::Plan;
use super::past::{DAYS, Past};
use super::unit::Unit;

/// Points in one transaction, about.
const AT_ONCE: usize = 10_000;

/// Tells it day by day, the oldest first, in transactions of whole days of devices.
pub(super) async fn tell(operator: &Operator, oem: &Oem, plan: Plan, fleet: &[Unit]) -> anyhow::Result<()> {
    let known = known(operator, oem).await?;
    let pasts = pasts(plan, fleet);
    tell_connections(operator, oem, &pasts, &known).await?;
    let mut points = Vec::new();
    for day in untold(&pasts, &known) {
        points.extend(day);
        if points.len() >= AT_ONCE {
            operator.add_history(oem, &points).await?;
            points.clear();
        }
    }
    Ok(operator.add_history(oem, &points).await?)
}

/// Before any report, so that whoever's reports are all known has its connections, too.
async fn tell_connections(
    operator: &Operator,
    oem: &Oem,
    pasts: &[Past<'_>],
    known: &HashMap<String, f64>,
) -> anyhow::Result<()> {
    let untold =
        pasts.iter().filter(|past| past.last_appliance_life().is_some_and(|life| !is_known(known, past, life)));
    let mut points = Vec::new();
    for past in untold {
        let point = |connection: Connection| {
            let Connection { at, online } = connection;
            ConnectionPoint { dsn: past.dsn().to_owned(), online, at }
        };
        points.extend(past.connections().into_iter().map(point));
        if points.len() >= AT_ONCE {
            operator.add_connections(oem, &points).await?;
            points.clear();
        }
    }
    Ok(operator.add_connections(oem, &points).await?)
}

fn is_known(known: &HashMap<String, f64>, past: &Past<'_>, life: f64) -> bool {
    known.get(past.dsn()).is_some_and(|known| *known >= life)
}

/// The appliance life that the cloud knows of each device. It grows with every day that is told, so it says how far an
/// interrupted start came; and where a device has been simulated since, it says that all was told.
async fn known(operator: &Operator, oem: &Oem) -> anyhow::Result<HashMap<String, f64>> {
    let devices = operator.reported_values(oem).await?.into_iter();
    let life = |values: &[(String, serde_json::Value)]| {
        values.iter().find(|(name, _)| name == APPLIANCE_LIFE).and_then(|(_, value)| value.as_f64())
    };
    Ok(devices.filter_map(|device| Some((device.dsn, life(&device.values)?))).collect())
}

fn pasts(plan: Plan, fleet: &[Unit]) -> Vec<Past<'_>> {
    fleet.iter().filter_map(|unit| Past::of(unit, plan)).collect()
}

/// What the cloud does not know yet, by day and device.
fn untold(pasts: &[Past<'_>], known: &HashMap<String, f64>) -> impl Iterator<Item = Vec<HistoryPoint>> {
    let days = (0..=DAYS).flat_map(move |day| pasts.iter().map(move |past| (day, past)));
    days.filter(move |(day, past)| past.appliance_life(*day).is_some_and(|life| !is_known(known, past, life)))
        .map(|(day, past)| points(past, day))
}

fn points(past: &Past<'_>, day: usize) -> Vec<HistoryPoint> {
    let point = |report: super::past::Report| HistoryPoint {
        dsn: past.dsn().to_owned(),
        property: report.property.to_owned(),
        value: report.value,
        at: report.at,
    };
    past.day(day).into_iter().map(point).collect()
}

#[cfg(test)]
mod tests {
    use cloud::PasswordCost;
    use platform::clock::Clock;
    use platform::db::{Db, params};
    use platform::random::Random;

    use super::super::folder::{Folder, Memory, database_url};
    use super::super::{fleet, load};
    use super::*;

    struct Cloud {
        db: Db,
        operator: Operator,
        memory: Memory,
        fleet: Vec<Unit>,
        _folder: tempfile::TempDir,
    }

    impl Cloud {
        async fn new(devices: usize) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let plan = Plan { devices, seed: 7, begun_at: "2026-11-20T12:00:00Z".parse().unwrap() };
            let memory = Folder::lock(folder.path()).unwrap().remember(plan, &Random::seeded(1)).unwrap();
            let db = Db::connect(&database_url(folder.path(), "cloud.db")).await.unwrap();
            let cheap = PasswordCost { memory_kib: 8, passes: 1, lanes: 1 };
            let operator = Operator::new(db.clone(), Clock::system(), Random::seeded(2), cheap).unwrap();
            operator.migrate().await.unwrap();
            Self { db, operator, memory, fleet: fleet::of(plan), _folder: folder }
        }

        async fn load(&self) {
            load::load(&self.operator, &self.memory, &self.fleet).await.unwrap();
        }

        /// What every property is worth, all datapoints, and when devices came and went.
        async fn all(&self) -> (Vec<(String, String)>, Vec<(i64, i64, String)>, Vec<(i64, i64, String)>) {
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
    async fn the_history_is_told_once_however_often_a_start_is_repeated_or_interrupted() {
        let whole = Cloud::new(30).await;
        whole.load().await;
        let expected = whole.all().await;
        assert!(expected.1.len() > 3000 && expected.2.len() > 100, "{} {}", expected.1.len(), expected.2.len());
        whole.load().await;
        assert_eq!(whole.all().await, expected);

        let days = untold(&pasts(whole.memory.plan, &whole.fleet), &HashMap::new()).count();
        for told in [1, 29, days / 2, days - 1] {
            let broken = Cloud::new(30).await;
            let oem = load::people_and_devices(&broken.operator, &broken.memory, &broken.fleet).await.unwrap();
            let pasts = pasts(broken.memory.plan, &broken.fleet);
            tell_connections(&broken.operator, &oem, &pasts, &HashMap::new()).await.unwrap();
            let points: Vec<_> = untold(&pasts, &HashMap::new()).take(told).flatten().collect();
            broken.operator.add_history(&oem, &points).await.unwrap();
            broken.load().await;
            assert_eq!(broken.all().await, expected, "{told} of {days}");
        }
    }
}
