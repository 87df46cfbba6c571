//! Number of statements per report, as all reports of thousands of devices pass through here, and per sign-in, whose duration must not
//! reveal accounts.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use platform::db::{Db, Server};
use platform::store_suite;
use sqlx::ConnectOptions;
use sqlx::postgres::PgPoolOptions;
use sqlx::sqlite::SqlitePoolOptions;

use super::{Node, node, report_of};
use crate::store::applications;
use crate::testing::{APP_ID, World};

/// The statements of this test's process, one line of the driver's log each.
#[derive(Clone, Default)]
struct Statements(Arc<Mutex<Vec<String>>>);

static STATEMENTS: OnceLock<Statements> = OnceLock::new();

impl Statements {
    /// Starts to record the statements of all connections that log them.
    fn listen() -> Self {
        let begin = || {
            let statements = Self::default();
            let log = statements.clone();
            let subscriber = tracing_subscriber::fmt().with_env_filter("sqlx::query=info").with_ansi(false);
            subscriber.with_writer(move || log.clone()).init();
            statements
        };
        STATEMENTS.get_or_init(begin).clone()
    }

    /// The statements since the last call. The end of a transaction may be logged late and is ignored.
    fn take(&self) -> Vec<String> {
        let mut statements = std::mem::take(&mut *self.0.lock().unwrap());
        statements.retain(|statement| !statement.contains("COMMIT"));
        statements
    }
}

impl Write for Statements {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().push(String::from_utf8_lossy(line).into_owned());
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The same database with statement logging enabled.
fn logged(db: &Db) -> Db {
    let level = || "info".parse().unwrap();
    match db {
        Db::Sqlite { read, write, turns } => {
            let [read, write] = [read, write].map(|pool| {
                let options = pool.connect_options().as_ref().clone().log_slow_statements(level(), Duration::ZERO);
                SqlitePoolOptions::new().max_connections(1).connect_lazy_with(options)
            });
            Db::Sqlite { read, write, turns: turns.clone() }
        }
        Db::Postgres(server) => {
            let options = server.pool().connect_options().as_ref().clone().log_slow_statements(level(), Duration::ZERO);
            Db::Postgres(Server::new(PgPoolOptions::new().connect_lazy_with(options)))
        }
    }
}

impl Node {
    /// The statements that store a report of the intensity of DEV-A1.
    async fn statements(&self, statements: &Statements) -> Vec<String> {
        let device = self.device("DEV-A1").await;
        statements.take();
        self.link.report(&device, report_of(vec![("intensity".into(), 19.into())])).await.unwrap();
        statements.take()
    }
}

async fn report_costs_extra_statements_only_when_triggers_or_rules_exist(db: Db) {
    let statements = Statements::listen();
    let node = node(logged(&db)).await;
    // The driver prepares each statement once.
    node.statements(&statements).await;
    let alone = node.statements(&statements).await;
    assert!(alone.iter().any(|statement| statement.contains("insert into datapoint")), "{alone:#?}");

    node.watch("DEV-A1", "fan", "a@example.com").await;
    node.watch("DEV-A2", "intensity", "a@example.com").await;
    node.rule("DEV-A2", World::PARTNER_ADMIN_A, "DATAPOINT(DEV-A2,intensity) < 20").await;
    let among_others = node.statements(&statements).await;
    assert_eq!(among_others.len(), alone.len(), "{among_others:#?}");

    node.watch("DEV-A1", "intensity", "a@example.com").await;
    node.statements(&statements).await;
    let watched = node.statements(&statements).await;
    assert!(watched.len() > alone.len(), "{watched:#?}");

    node.rule("DEV-A1", World::PARTNER_ADMIN_A, "DATAPOINT(DEV-A1,intensity) < 20").await;
    let ruled = node.statements(&statements).await;
    assert_eq!(ruled.len(), watched.len() + 3, "the rules, their events, and those beyond the limits: {ruled:#?}");
}

async fn sign_in_and_reset_cost_the_same_with_and_without_an_account(db: Db) {
    let statements = Statements::listen();
    let node = node(logged(&db)).await;
    node.operator.lock_user(&node.world.oem, World::PARTNER_ADMIN_B).await.unwrap();
    let people = node.people();
    let application = applications::find(&node.db, APP_ID).await.unwrap().unwrap();
    let mut costs = BTreeSet::new();
    for email in
        [World::OBSERVER, World::UNCONFIRMED, World::MACHINE, World::PARTNER_ADMIN_B, "nobody@example.com", "no@x "]
    {
        let mut of_email = Vec::new();
        for _ in 0..7 {
            statements.take();
            let before = people.passwords.made();
            assert!(people.sign_in(&application, email, "wrong".into()).await.is_err());
            of_email.push((statements.take().len(), people.passwords.made() - before));
        }
        assert_eq!(of_email, [vec![(3, 1); 5], vec![(2, 1); 2]].concat(), "{email}: five failures are counted");
        let before = people.passwords.made();
        people.request_password_reset(node.world.oem.id, email, None).await.unwrap();
        costs.insert((statements.take().len(), people.passwords.made() - before));
        people.tasks.close();
        people.tasks.wait().await;
    }
    assert_eq!(costs, BTreeSet::from([(1, 1)]));
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        report_costs_extra_statements_only_when_triggers_or_rules_exist,
        sign_in_and_reset_cost_the_same_with_and_without_an_account,
    ]
);
