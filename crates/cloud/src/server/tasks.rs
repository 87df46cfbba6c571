//! What a node does without a request.

use platform::db::Dialect;
use platform::mail::FailureLog;
use platform::run::supervisor::Supervisor;

use crate::app::App;
use crate::background;
use crate::background::delivery::{Delivery, MessageTransport};
use crate::background::retention::Retention;
use crate::config::CloudConfig;
use crate::records::message::Channel;
use crate::store::clock::Lifetimes;

/// Starts what follows the other nodes, the clock and the age of the data.
pub(super) fn spawn_watches(app: &App, config: &CloudConfig, lifetimes: Lifetimes, supervisor: &Supervisor) {
    // A SQLite database has no other nodes.
    if app.db.dialect() == Dialect::Postgres {
        supervisor.spawn("nodes", app.nodes.clone().run(config.node_interval, app.stop.clone()));
        let partitions = background::partitions::run(app.db.clone(), app.clock.clone(), app.stop.clone());
        supervisor.spawn("history partitions", partitions);
    }
    supervisor.spawn("event streams", app.hub.run(&app.bus, app.clock.clone(), app.stop.clone()));
    let App { db, clock, nodes, session_lifetime, .. } = app.clone();
    let retention = Retention { db, clock, nodes, session_lifetime, clock_confirmed: config.clock_confirmed };
    supervisor.spawn("retention", retention.run(app.stop.clone()));
    supervisor.spawn("clock", background::clock::run(app.db.clone(), app.clock.clone(), lifetimes, app.stop.clone()));
}

/// Starts the work that is done whenever its time has come.
pub(super) fn spawn_periodic_work(app: &App, config: &CloudConfig, supervisor: &Supervisor) {
    let expiry = background::expiry::run(app.commands(), config.expiry_interval, app.stop.clone());
    supervisor.spawn("command expiry", expiry);
    supervisor.spawn("connection losses", {
        let (App { reactions, db, clock, stop, .. }, every) = (app.clone(), config.loss_interval);
        async move {
            let failure = "lost connections could not be reported";
            background::run_periodically(every, stop, failure, || reactions.notify_losses(&db, clock.now())).await;
        }
    });
    supervisor.spawn("held messages", {
        let (App { reactions, db, clock, stop, .. }, rules) = (app.clone(), app.rules());
        let every = config.loss_interval;
        async move {
            let failure = "messages that were held back could not be sent";
            let settle = || async { Ok(reactions.settle_held(&db, clock.now()).await? + rules.settle_held().await?) };
            background::run_periodically(every, stop, failure, settle).await;
        }
    });
    supervisor.spawn("schedules", {
        let (schedules, every, stop) = (app.schedules(), config.schedule_interval, app.stop.clone());
        async move {
            let failure = "due schedules could not be executed";
            background::run_periodically(every, stop, failure, || schedules.fire()).await;
        }
    });
    supervisor.spawn("rules", {
        let (rules, every, stop) = (app.rules(), config.rule_interval, app.stop.clone());
        async move {
            let failure = "rule events could not be evaluated";
            background::run_periodically(every, stop, failure, || rules.evaluate_due()).await;
        }
    });
    supervisor.spawn("locked accounts", {
        let (people, every, stop) = (app.people(), config.mail_interval, app.stop.clone());
        async move {
            let failure = "owners of locked accounts could not be mailed";
            background::run_periodically(every, stop, failure, || people.tell_locks()).await;
        }
    });
}

pub(super) fn spawn_deliveries(
    app: &App,
    config: &CloudConfig,
    transports: Vec<MessageTransport>,
    supervisor: &Supervisor,
) {
    for transport in transports {
        let App { db, clock, random, nodes, .. } = app.clone();
        let name = match transport.channel() {
            Channel::Email => "mail delivery",
            Channel::Sms => "text delivery",
        };
        let (retry, every) = (config.mail_retry, config.mail_interval);
        let delivery = Delivery { db, clock, random, nodes, transport, retry, failures: FailureLog::default(), every };
        supervisor.spawn(name, delivery.run(app.stop.clone()));
    }
}
