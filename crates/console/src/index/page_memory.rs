//! Fingerprints of the pages of the last pass, so that the next pass skips unchanged pages.

use std::collections::HashMap;

use platform::db::{Db, Result, params};
use platform::run::clock::to_micros;

use super::cloud_read::CloudRead;

/// Pages by the key that precedes them; `None` for the first page.
#[derive(Debug)]
pub(crate) struct PageMemory<P>(HashMap<Option<i64>, RememberedPage<P>>);

/// A page whose rows in the index were equal to the cloud's.
#[derive(Clone, Copy, Debug)]
pub(super) struct RememberedPage<P> {
    /// The cloud's fingerprint of the page.
    pub(super) fingerprint: P,
    /// Its last key.
    pub(super) last: i64,
    pub(super) rows: RowStamps,
}

/// Count and stamps of the rows in a key range. Every write changes a row's stamp, so equal values mean unwritten rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RowStamps {
    pub(super) count: i64,
    /// The sum of the stamps.
    pub(super) stamps: i64,
}

impl<P: Copy> PageMemory<P> {
    pub(crate) fn new() -> Self {
        Self(HashMap::new())
    }

    pub(super) fn page(&self, after: Option<i64>) -> Option<RememberedPage<P>> {
        self.0.get(&after).copied()
    }

    pub(super) fn remember(&mut self, after: Option<i64>, page: RememberedPage<P>) {
        self.0.insert(after, page);
    }
}

impl RowStamps {
    pub(super) fn add(&mut self, stamp: i64) {
        self.count += 1;
        self.stamps = self.stamps.wrapping_add(stamp);
    }

    /// Whether the rows with keys in `after < key <= last` are still the same, and no single read is in progress that
    /// needs a new stamp ([`CloudRead::announce`]).
    pub(super) async fn still_match(self, db: &Db, after: i64, last: i64, read: CloudRead) -> Result<bool> {
        let sql = "select count(*), cast(coalesce(sum(s.synced_at), 0) as bigint), coalesce(max(s.reading_until), 0) \
                   from idx_devices d join idx_device_state s on s.dsn = d.dsn where d.key > $1 and d.key <= $2";
        let (count, stamps, reading_until): (i64, i64, i64) = db.fetch_one(sql, params![after, last]).await?;
        Ok(self == Self { count, stamps } && reading_until < to_micros(read.began()))
    }
}
