//! Metrics of what this node and its database hold (ops/README.md), recorded whenever they are read.

use jiff::Timestamp;
use platform::db::Db;
use platform::metrics::record_checks;

use super::health;
use crate::index::{self, IndexTimes};
use crate::jobs;
use crate::state::CoreState;

/// `session_db` has its own connections.
pub(crate) async fn sample(state: CoreState, session_db: Db) {
    let db = &state.base.db;
    let (checks, times, jobs) = tokio::join!(health::checks(&state), index::times(db), jobs::count_running(db));
    record_checks(&checks);
    db.record_connections("main");
    session_db.record_connections("session");
    metrics::gauge!("sillage_event_readers").set(state.streams.count() as f64);

    // What cannot be read is not a number, because an old value would look like a new one. The database logs the error.
    let times: Option<IndexTimes> = times.ok().flatten();
    let age = |time: Option<Timestamp>| {
        time.map_or(f64::NAN, |time| state.base.clock.now().duration_since(time).as_secs_f64().max(0.0))
    };
    metrics::gauge!("sillage_index_age_seconds").set(age(times.map(|times| times.as_of)));
    metrics::gauge!("sillage_index_states_age_seconds").set(age(times.map(|times| times.states_as_of)));
    metrics::gauge!("sillage_jobs_running").set(jobs.map_or(f64::NAN, |count| count as f64));
}
