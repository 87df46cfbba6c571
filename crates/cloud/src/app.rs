//! Application state: the parts of a node that handlers and jobs share.

use std::time::Duration;

use jiff::SignedDuration;
use platform::bus::Bus;
use platform::db::Db;
use platform::http::readiness::DatabaseCheck;
use platform::run::clock::Clock;
use platform::run::random::Random;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::devices::commands::Commands;
use crate::devices::data::Data;
use crate::devices::edits::Edits;
use crate::devices::files::Files;
use crate::devices::labels::Labels;
use crate::devices::link::LinkService;
use crate::devices::notifications::Notifications;
use crate::devices::schedules::Schedules;
use crate::devices::triggers::Triggers;
use crate::domain::password::Passwords;
use crate::limits::batch_turns::BatchTurns;
use crate::limits::list_readers::ListReaders;
use crate::limits::request_limits::RequestLimiters;
use crate::messages::alerts::Alerts;
use crate::messages::mail::Mail;
use crate::mqtt::LinkHealth;
use crate::nodes::Nodes;
use crate::people::People;
use crate::people::contacts::Contacts;
use crate::people::sharing::Sharing;
use crate::reactions::Reactions;
use crate::rules::Rules;
use crate::stream::hub::Hub;
use crate::stream::subscriptions::Subscriptions;

/// The state of a running node. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct App {
    pub(crate) db: Db,
    pub(crate) database: DatabaseCheck,
    pub(crate) clock: Clock,
    pub(crate) random: Random,
    pub(crate) bus: Bus,
    pub(crate) hub: Hub,
    pub(crate) passwords: Passwords,
    pub(crate) limits: RequestLimiters,
    pub(crate) lists: ListReaders,
    pub(crate) batch_turns: BatchTurns,
    pub(crate) token_lifetime: SignedDuration,
    pub(crate) session_lifetime: SignedDuration,
    pub(crate) nodes: Nodes,
    pub(crate) link: LinkService,
    pub(crate) link_health: LinkHealth,
    pub(crate) command_lifetime: SignedDuration,
    pub(crate) heartbeat: Duration,
    /// Base URL under which clients reach the cloud, without a trailing slash.
    pub(crate) public_url: String,
    pub(crate) file_limit: u64,
    pub(crate) mail: Mail,
    pub(crate) alerts: Alerts,
    pub(crate) reactions: Reactions,
    /// Cancelled when the node stops.
    pub(crate) stop: CancellationToken,
    /// Tasks that must end before the node has stopped.
    pub(crate) tasks: TaskTracker,
    /// Requests that run to their end, even if their caller disconnects.
    pub(crate) requests: TaskTracker,
}

impl App {
    pub(crate) fn commands(&self) -> Commands {
        Commands {
            db: self.db.clone(),
            clock: self.clock.clone(),
            random: self.random.clone(),
            bus: self.bus.clone(),
            reactions: self.reactions.clone(),
            lifetime: self.command_lifetime,
        }
    }

    pub(crate) fn schedules(&self) -> Schedules {
        Schedules { db: self.db.clone(), clock: self.clock.clone(), commands: self.commands() }
    }

    pub(crate) fn notifications(&self) -> Notifications {
        Notifications { db: self.db.clone(), clock: self.clock.clone() }
    }

    pub(crate) fn sharing(&self) -> Sharing {
        Sharing { db: self.db.clone(), clock: self.clock.clone() }
    }

    pub(crate) fn triggers(&self) -> Triggers {
        Triggers { db: self.db.clone(), clock: self.clock.clone() }
    }

    pub(crate) fn edits(&self) -> Edits {
        Edits {
            db: self.db.clone(),
            clock: self.clock.clone(),
            bus: self.bus.clone(),
            reactions: self.reactions.clone(),
        }
    }

    pub(crate) fn contacts(&self) -> Contacts {
        Contacts { db: self.db.clone(), clock: self.clock.clone() }
    }

    pub(crate) fn data(&self) -> Data {
        Data { db: self.db.clone(), clock: self.clock.clone() }
    }

    pub(crate) fn labels(&self) -> Labels {
        Labels {
            db: self.db.clone(),
            clock: self.clock.clone(),
            bus: self.bus.clone(),
            reactions: self.reactions.clone(),
        }
    }

    pub(crate) fn people(&self) -> People {
        People {
            db: self.db.clone(),
            clock: self.clock.clone(),
            random: self.random.clone(),
            bus: self.bus.clone(),
            passwords: self.passwords.clone(),
            mail: self.mail.clone(),
            edits: self.edits(),
            token_lifetime: self.token_lifetime,
            session_lifetime: self.session_lifetime,
            tasks: self.requests.clone(),
        }
    }

    pub(crate) fn subscriptions(&self) -> Subscriptions {
        Subscriptions {
            db: self.db.clone(),
            clock: self.clock.clone(),
            random: self.random.clone(),
            bus: self.bus.clone(),
            hub: self.hub.clone(),
        }
    }

    pub(crate) fn rules(&self) -> Rules {
        Rules {
            db: self.db.clone(),
            clock: self.clock.clone(),
            random: self.random.clone(),
            nodes: self.nodes.clone(),
            alerts: self.alerts.clone(),
            commands: self.commands(),
        }
    }

    pub(crate) fn files(&self) -> Files {
        Files {
            db: self.db.clone(),
            clock: self.clock.clone(),
            random: self.random.clone(),
            bus: self.bus.clone(),
            reactions: self.reactions.clone(),
            public_url: self.public_url.clone(),
            limit: self.file_limit,
        }
    }
}
