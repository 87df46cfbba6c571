//! The baseline: a loop that only writes datapoint and property rows.

use platform::db::{Db, Params, params};
use platform::run::clock::Clock;
use platform::run::random::Random;

use crate::{DEVICES, PROPERTIES, node};

/// Writes datapoints of all properties in turn.
pub(crate) struct BareLoop {
    db: Db,
    clock: Clock,
    random: Random,
    properties: Vec<(i64, Option<String>)>,
    next: usize,
}

impl BareLoop {
    /// Loads devices into a new database.
    pub(crate) async fn new(db: &Db) -> Self {
        node::seed(db, DEVICES, PROPERTIES).await;
        Self::on(db).await
    }

    /// Continues in a database with devices.
    pub(crate) async fn on(db: &Db) -> Self {
        let properties = db.fetch_all("select id, last_datapoint from property order by id", params![]).await.unwrap();
        Self { db: db.clone(), clock: Clock::system(), random: Random::system(), properties, next: 0 }
    }

    /// Writes about `rows` rows with `batch` rows per commit.
    pub(crate) async fn write(&mut self, rows: usize, batch: usize) {
        let insert = self.statement(batch, 9, |values| {
            format!(
                "insert into datapoint (id, property_id, previous, value, echo, user_uuid, metadata, created_at,
                     created_at_from_device) values {values}"
            )
        });
        let update = self.statement(batch, 4, |values| {
            format!(
                "update property set last_datapoint = new.column2, value = new.column3, value_at = new.column4,
                     reported_value = new.column3, reported_at = new.column4
                 from (values {values}) as new where property.id = new.column1"
            )
        });
        for _ in 0..rows.div_ceil(batch) {
            let now = self.clock.now();
            let mut ids: Vec<_> = (0..batch).map(|_| self.random.uuid_at(now)).collect();
            ids.sort_unstable();
            let (mut datapoints, mut values) = (Params::default(), Params::default());
            for id in ids {
                let number = self.next.to_string();
                let at = self.next % self.properties.len();
                let (property, last) = &mut self.properties[at];
                self.next += 1;
                let id = id.to_string();
                let previous = last.replace(id.clone());
                datapoints = datapoints.with(&id).with(*property).with(previous).with(&number).with(true);
                datapoints = datapoints.with(None::<&str>).with(None::<&str>).with(now).with(None::<i64>);
                values = values.with(*property).with(&id).with(&number).with(now);
            }
            let mut tx = self.db.begin().await.unwrap();
            tx.execute(insert, datapoints).await.unwrap();
            tx.execute(update, values).await.unwrap();
            tx.commit().await.unwrap();
        }
    }

    /// The statement for `rows` rows of `columns` values.
    fn statement(&self, rows: usize, columns: usize, sql: impl Fn(&str) -> String) -> &'static str {
        let mut values = String::new();
        for row in 0..rows {
            values.push_str(if row == 0 { "(" } else { "), (" });
            for column in 0..columns {
                values.push_str(if column == 0 { "" } else { ", " });
                values.push_str(&self.db.dialect().placeholder(row * columns + column + 1));
            }
        }
        values.push(')');
        sql(&values).leak()
    }
}
