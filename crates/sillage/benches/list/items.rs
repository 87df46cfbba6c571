//! Lists of many open items of attention, compared with lists of devices.

use std::time::Duration;

use platform::db::{Db, params};

use crate::measure::alternate;
use crate::world::Reader;

/// The open items.
pub(crate) const OPEN: usize = 10_000;
/// The lists of items: a display name, a path, and the corresponding list of devices.
const LISTS: [(&str, &str, &str); 5] = [
    ("items: first page", "/api/attention", "/api/devices"),
    ("items: urgent", "/api/attention?severity=high", "/api/devices?connectionstatus=Offline"),
    ("items: of a kind", "/api/attention?kind=runs_dry", "/api/devices?connectionstatus=Offline"),
    ("items: search: saffron", "/api/attention?search=saffron", "/api/devices?q=saffron"),
    ("items: count", "/api/attention/count", "/api/devices/counts"),
];

/// Opens items, each of another device.
pub(crate) async fn open(db: &Db) {
    let sql = "insert into attention_items \
               (id, kind, severity, dsn, csp, since, opened_at, occurrences, cause, evidence) \
               select '019aa000-0000-7000-8000-' || substr('000000000000' || key, length('' || key) + 1), \
               case when key % 2 = 0 then 'runs_dry' else 'no_use' end, 2 + key % 2, dsn, csp, key, key, 1, \
               'clogged', '{}' from idx_devices order by key limit $1";
    db.execute(sql, params![i64::try_from(OPEN).unwrap()]).await.unwrap();
}

/// Measures each list, in turns with the corresponding list of devices: its display name, its median, and that of the devices.
pub(crate) async fn measure(reader: &Reader) -> Vec<(&'static str, [Duration; 2])> {
    let mut measured = Vec::new();
    for (name, path, devices) in LISTS {
        measured.push((name, alternate(reader, [path, devices]).await));
    }
    measured
}
