//! What waits in the database, for metrics.

use jiff::Timestamp;
use platform::db::{Db, Result, params};
use platform::run::clock::from_micros;
use sqlx::AssertSqlSafe;

use super::outbox::CLASSES;
use crate::domain::message_limits::BudgetScope;
use crate::records::message::Channel;

/// What waits in the database.
#[derive(Clone, Debug, Default)]
pub(crate) struct Backlog {
    outbox: Vec<(String, i64, i64)>,
    /// Events that rules are to be evaluated on.
    pub(crate) rule_events: Queue,
    /// Commands that are neither acknowledged nor expired.
    pub(crate) commands: i64,
    held_back: Vec<(String, i64)>,
}

/// The length of a queue, and when its oldest entry was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Queue {
    pub(crate) length: i64,
    pub(crate) oldest: Option<Timestamp>,
}

impl Backlog {
    /// Messages that wait for their delivery.
    pub(crate) fn outbox(&self, channel: Channel) -> Queue {
        let rows = self.outbox.iter().filter(|(of, ..)| of == channel.as_str());
        rows.fold(Queue::default(), |queue, (_, length, oldest)| {
            let oldest = from_micros(*oldest);
            Queue { length: queue.length + length, oldest: Some(queue.oldest.map_or(oldest, |at| at.min(oldest))) }
        })
    }

    /// Messages that a budget of the day has held back.
    pub(crate) fn held_back(&self, scope: BudgetScope) -> i64 {
        self.held_back.iter().find(|(of, _)| of == scope.as_str()).map_or(0, |(_, count)| *count)
    }
}

/// Reads what waits, and the budgets of a day.
pub(crate) async fn read(db: &Db, day: &str) -> Result<Backlog> {
    let mut outbox: Vec<(String, i64, i64)> = Vec::new();
    for class in CLASSES {
        // Each class has an index of waiting messages.
        let sql = format!(
            "select channel, count(*), min(created_at) from outbox where state = 'waiting' and {class} group by channel"
        );
        outbox.extend(db.fetch_all::<(String, i64, i64)>(AssertSqlSafe(sql), params![]).await?);
    }
    let (length, oldest): (i64, Option<i64>) =
        db.fetch_one("select count(*), min(created_at) from rule_event", params![]).await?;
    let (commands,): (i64,) = db.fetch_one("select count(*) from command where state = 'pending'", params![]).await?;
    let sql = "select scope, cast(sum(held_back) as bigint) from message_count where day = $1 group by scope";
    let held_back = db.fetch_all(sql, params![day]).await?;
    let rule_events = Queue { length, oldest: oldest.map(from_micros) };
    Ok(Backlog { outbox, rule_events, commands, held_back })
}
