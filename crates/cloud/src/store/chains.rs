//! Chains of datapoints. They grow at their newest end, one writer at a time.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;
use platform::db::rows::{key_runs, placeholders};
use platform::db::{Params, Result, Tx};
use platform::nodes::clock_reading::SKEW;
use platform::run::random::{Random, instant_of};
use sqlx::AssertSqlSafe;

/// The chains of properties whose rows the transaction has locked.
pub(crate) struct Chains {
    locked: HashMap<i64, LockedChain>,
}

#[derive(Default)]
struct LockedChain {
    newest: Option<String>,
    interest: Interest,
}

/// Whether reactions need the values of a property. Read together with the locked row, so that most reports, which
/// nothing reacts to, cost no extra query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Interest {
    /// The property has active triggers.
    pub(crate) triggers: bool,
    /// Rules refer to the property's device.
    pub(crate) rules: bool,
}

/// The position of a new datapoint in the chain of its property.
pub(crate) struct ChainPosition {
    pub(crate) id: String,
    pub(crate) previous: Option<String>,
    pub(crate) created_at: Timestamp,
}

impl Chains {
    /// Locks these properties in id order, so that transactions cannot deadlock.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn lock_rows(tx: &mut Tx, properties: impl IntoIterator<Item = i64>) -> Result<Self> {
        let properties: Vec<i64> = properties.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
        let mut locked = HashMap::with_capacity(properties.len());
        for run in key_runs(&properties) {
            let sql = format!(
                "select id, last_datapoint,
                     exists (select 1 from property_trigger t where t.property_id = property.id and t.active),
                     exists (select 1 from rule_subject s where s.device_id = property.device_id)
                 from property where id in ({}) order by id{}",
                placeholders(tx.dialect(), run.len()),
                tx.for_update()
            );
            let keys = run.into_iter().fold(Params::default(), Params::with);
            let rows: Vec<(i64, Option<String>, bool, bool)> = tx.fetch_all(AssertSqlSafe(sql), keys).await?;
            locked.extend(rows.into_iter().map(|(id, newest, triggers, rules)| {
                let interest = Interest { triggers, rules };
                (id, LockedChain { newest, interest })
            }));
        }
        Ok(Self { locked })
    }

    /// Whether reactions need the property's values.
    pub(crate) fn interest(&self, property_id: i64) -> Interest {
        self.locked.get(&property_id).map(|locked| locked.interest).unwrap_or_default()
    }

    /// The time of the property's newest datapoint.
    pub(crate) fn newest_at(&self, property_id: i64) -> Option<Timestamp> {
        instant_of(self.locked.get(&property_id)?.newest.as_deref()?)
    }

    /// The position of the property's next datapoint. Times in a chain never decrease: if the clock was set back, the
    /// datapoint gets the time of the one before it, unless that is further ahead than clocks of nodes may differ.
    pub(crate) fn next_position(&mut self, property_id: i64, now: Timestamp, random: &Random) -> ChainPosition {
        let created_at = self.created_at(property_id, now);
        self.position_of(property_id, random.uuid_at(created_at).to_string(), now)
    }

    /// The position of a datapoint whose id exists already.
    pub(crate) fn position_of(&mut self, property_id: i64, id: String, now: Timestamp) -> ChainPosition {
        let created_at = self.created_at(property_id, now);
        let previous = self.locked.entry(property_id).or_default().newest.replace(id.clone());
        ChainPosition { id, previous, created_at }
    }

    fn created_at(&self, property_id: i64, now: Timestamp) -> Timestamp {
        // A time further ahead comes from a wrong clock (`platform::nodes::clock_reading`).
        let newest = self.newest_at(property_id).filter(|newest| *newest <= now + SKEW);
        newest.map_or(now, |newest| newest.max(now))
    }
}
