//! Metrics of what this node and its database hold (ops/README.md), recorded whenever they are read.

use platform::metrics::record_checks;

use crate::app::App;
use crate::domain::message_limits::BudgetScope;
use crate::http;
use crate::messages::alerts::budgets;
use crate::records::message::Channel;
use crate::store::backlog::{self, Backlog, Queue};

pub(crate) async fn sample(app: App) {
    let now = app.clock.now();
    let day = budgets::day(now);
    let (checks, backlog) = tokio::join!(http::checks(&app), backlog::read(&app.db, &day));
    record_checks(&checks);
    app.db.record_connections("main");
    metrics::gauge!("sillage_stream_readers").set(app.hub.count() as f64);

    // What cannot be read is not a number, because an old value would look like a new one. The database logs the error.
    let known = |value: &dyn Fn(&Backlog) -> f64| backlog.as_ref().map_or(f64::NAN, value);
    let length = |queue: Queue| queue.length as f64;
    let age = |queue: Queue| queue.oldest.map_or(0.0, |oldest| now.duration_since(oldest).as_secs_f64().max(0.0));
    for channel in [Channel::Email, Channel::Sms] {
        let (name, queue) = (channel.as_str(), |backlog: &Backlog| backlog.outbox(channel));
        metrics::gauge!("sillage_outbox_messages", "channel" => name).set(known(&|it| length(queue(it))));
        metrics::gauge!("sillage_outbox_oldest_seconds", "channel" => name).set(known(&|it| age(queue(it))));
    }
    metrics::gauge!("sillage_rule_events_waiting").set(known(&|it| length(it.rule_events)));
    metrics::gauge!("sillage_rule_events_oldest_seconds").set(known(&|it| age(it.rule_events)));
    metrics::gauge!("sillage_commands_waiting").set(known(&|it| it.commands as f64));
    for scope in BudgetScope::ALL {
        let held_back = known(&|it| it.held_back(scope) as f64);
        metrics::gauge!("sillage_messages_held_back_today", "budget" => scope.as_str()).set(held_back);
    }
}
