//! A change of a user's access reaches all sessions on all nodes.

use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router};
use devicecloud::{Authorization, Client, Config, MemoryTokenStore, Time};
use jiff::{SignedDuration, Timestamp};
use platform::bus::{Bus, Delivery};
use platform::db::Db;
use platform::run::clock::Clock;
use platform::run::random::Random;
use platform::testing::TestDb;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use uuid::Uuid;

use super::*;
use crate::base::Base;
use crate::events::notices::{self, EndReason, Notice, Notices};
use crate::migrations::migrate;
use crate::secrets::cipher::Cipher;

const TESS: Uuid = Uuid::from_u128(7);
const OTTO: Uuid = Uuid::from_u128(8);
const NOW: &str = "2026-11-20T12:00:00Z";

/// A minimal cloud with a profile call that returns the same user to everybody.
#[derive(Clone)]
struct SmallCloud {
    /// `None` once the user is removed.
    role: Arc<Mutex<Option<Role>>>,
    arrived: Arc<Semaphore>,
    /// Each response takes one permit.
    answers: Arc<Semaphore>,
}

impl SmallCloud {
    async fn start() -> (Self, Client) {
        let cloud = Self {
            role: Arc::new(Mutex::new(Some(Role::Admin))),
            arrived: Arc::new(Semaphore::new(0)),
            answers: Arc::new(Semaphore::new(100)),
        };
        let router = Router::new().route("/user/users/get_user_profile.json", get(profile)).with_state(cloud.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        let config = Config::local(&url, "app", "app-secret").unwrap();
        (cloud, Client::new(config, Arc::new(MemoryTokenStore::new())).unwrap())
    }

    fn set_role(&self, role: Option<Role>) {
        *self.role.lock().unwrap() = role;
    }
}

async fn profile(State(cloud): State<SmallCloud>) -> Result<Json<Value>, StatusCode> {
    let role = *cloud.role.lock().unwrap();
    cloud.arrived.add_permits(1);
    cloud.answers.acquire().await.unwrap().forget();
    let role = role.ok_or(StatusCode::UNAUTHORIZED)?;
    Ok(Json(json!({ "uuid": TESS, "email": "tess@example.com", "role": role.name() })))
}

/// Two nodes on one database, with two sessions of Tess and one of Otto. The access of all was just read.
struct Nodes {
    cloud: SmallCloud,
    nodes: [Sessions; 2],
    tess: [SessionHash; 2],
    otto: SessionHash,
}

impl Nodes {
    async fn start(database: &TestDb) -> Self {
        migrate(&database.db).await;
        let (cloud, client) = SmallCloud::start().await;
        let clock = Clock::mock(NOW.parse().unwrap());
        let node = |db: Db| {
            let base = Base { db, bus: Bus::in_process(), clock: clock.clone(), random: Random::system() };
            let cipher = Cipher::new(&[7; 32], &[], Random::system());
            let limits = SessionLimits::default();
            Sessions::new(SessionsParts { base, cipher, limits, cloud: client.clone(), service_email: String::new() })
        };
        let nodes = [node(database.db.clone()), node(Db::connect(&database.url).await.unwrap())];
        let hashes = [1, 2, 3].map(|byte| SessionHash::of(&[byte; 32]));
        for (hash, user) in hashes.iter().zip([TESS, TESS, OTTO]) {
            begin(&nodes[0], hash, user).await;
        }
        let [one, two, otto] = hashes;
        // Each read has its own time.
        clock.advance(SignedDuration::from_micros(1));
        Self { cloud, nodes, tess: [one, two], otto }
    }

    /// The role of each of Tess's sessions on each node.
    async fn roles(&self) -> Vec<Option<Role>> {
        let mut roles = Vec::new();
        for node in &self.nodes {
            for hash in &self.tess {
                roles.push(node.fresh_by_hash(hash).await.unwrap().role);
            }
        }
        roles
    }
}

async fn begin(node: &Sessions, hash: &SessionHash, id: Uuid) {
    let now: Timestamp = NOW.parse().unwrap();
    let tokens = Authorization {
        access_token: "access".into(),
        refresh_token: "refresh".into(),
        expires_in_secs: u64::MAX,
        role: None,
        created_at: Time::from_unix_micros(0),
    };
    let session = Session {
        hash: hash.clone(),
        user: User { id, email: String::new(), firstname: String::new(), lastname: String::new() },
        role: Some(Role::Admin),
        csp: None,
        access_read_at: now,
        created_at: now,
        seen_at: now,
        origin: ClientOrigin::default(),
        token: None,
        lacks_factor: false,
    };
    let parts = &node.parts;
    store::insert(&parts.base.db, &session, tokens::seal(&parts.cipher, hash, &tokens)).await.unwrap();
}

/// The published ends of streams, by session with the reason.
async fn ends(node: &Sessions, mut notices: Notices) -> Vec<(String, EndReason)> {
    const LAST: &str = "session.last";
    node.parts.base.bus.publish(LAST, "");
    let mut ends = Vec::new();
    while let Some(Delivery::Message { subject, payload }) = notices.next().await {
        match notices::read(&subject, &payload) {
            _ if &*subject == LAST => break,
            Some(Notice::Session(hash, reason)) => ends.push((hash.to_owned(), reason)),
            other => panic!("{other:?}"),
        }
    }
    ends.sort_by(|(one, _), (other, _)| one.cmp(other));
    ends
}

fn all_of<'a>(hashes: impl IntoIterator<Item = &'a SessionHash>, reason: EndReason) -> Vec<(String, EndReason)> {
    let mut all: Vec<_> = hashes.into_iter().map(|hash| (hash.to_string(), reason)).collect();
    all.sort_by(|(one, _), (other, _)| one.cmp(other));
    all
}

async fn changed_access_applies_at_once_in_every_session_on_every_node(database: TestDb) {
    let world = Nodes::start(&database).await;
    world.cloud.set_role(Some(Role::Observer));
    assert_eq!(world.roles().await, [Some(Role::Admin); 4], "no notice was published");
    let notices = notices::listen(&world.nodes[0].parts.base.bus);
    world.nodes[0].invalidate_user_access(TESS).await.unwrap();
    assert_eq!(ends(&world.nodes[0], notices).await, all_of(&world.tess, EndReason::AccessChanged));
    assert_eq!(world.roles().await, [Some(Role::Observer); 4]);
    let otto = world.nodes[1].fresh_by_hash(&world.otto).await.unwrap();
    assert_eq!((otto.user.id, otto.role), (OTTO, Some(Role::Admin)), "another's reading stays");
}

async fn removed_user_has_no_session(database: TestDb) {
    let world = Nodes::start(&database).await;
    world.cloud.set_role(None);
    world.nodes[0].invalidate_user_access(TESS).await.unwrap();
    for (node, hash) in world.nodes.iter().rev().zip(&world.tess) {
        assert!(node.fresh_by_hash(hash).await.unwrap_err().is_signed_out());
    }
    assert!(world.nodes[0].of_user(TESS).await.unwrap().is_empty());
}

async fn response_from_before_the_change_is_ignored(database: TestDb) {
    let world = Nodes::start(&database).await;
    let node = &world.nodes[0];
    let answers = Arc::clone(&world.cloud.answers);
    let all = answers.acquire_many(100).await.unwrap();
    let session = node.find_by_hash(&world.tess[0]).await.unwrap().unwrap();
    let early = tokio::spawn({
        let node = node.clone();
        async move { node.refresh_access(session).await }
    });
    world.cloud.arrived.acquire().await.unwrap().forget();
    world.cloud.set_role(Some(Role::Observer));
    node.invalidate_user_access(TESS).await.unwrap();
    // On the node whose read is in progress, and on the other one.
    let late = world.nodes.each_ref().map(|node| {
        let (node, hash) = (node.clone(), world.tess[0].clone());
        tokio::spawn(async move { node.fresh_by_hash(&hash).await })
    });
    drop(all);
    for answer in late {
        assert_eq!(answer.await.unwrap().unwrap().role, Some(Role::Observer));
    }
    assert_eq!(early.await.unwrap().unwrap().role, Some(Role::Observer), "the caller read again");
    assert_eq!(world.roles().await, [Some(Role::Observer); 4]);
}

async fn all_sessions_of_a_user_or_all_but_one_can_be_ended(database: TestDb) {
    let world = Nodes::start(&database).await;
    let [kept, other] = &world.tess;
    let notices = notices::listen(&world.nodes[0].parts.base.bus);
    world.nodes[0].end_others(TESS, kept).await.unwrap();
    assert_eq!(ends(&world.nodes[0], notices).await, all_of([other], EndReason::SignedOut));
    let left = world.nodes[1].of_user(TESS).await.unwrap();
    assert!(left.iter().map(|it| &it.hash).eq([kept]));
    let notices = notices::listen(&world.nodes[0].parts.base.bus);
    world.nodes[0].end_user_sessions(TESS).await.unwrap();
    assert_eq!(ends(&world.nodes[0], notices).await, all_of([kept], EndReason::SignedOut));
    assert!(world.nodes[1].of_user(TESS).await.unwrap().is_empty());
    assert!(world.nodes[1].find_by_hash(&world.otto).await.unwrap().is_some());
}

/// Defines each test for SQLite and for PostgreSQL.
macro_rules! on_both_databases {
    ($($test:ident),* $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test]
                async fn $test() {
                    super::$test(super::TestDb::sqlite().await).await;
                }
            )*
        }
        mod postgres {
            $(
                #[tokio::test]
                async fn $test() {
                    super::$test(super::TestDb::postgres().await).await;
                }
            )*
        }
    };
}

on_both_databases!(
    changed_access_applies_at_once_in_every_session_on_every_node,
    removed_user_has_no_session,
    response_from_before_the_change_is_ignored,
    all_sessions_of_a_user_or_all_but_one_can_be_ended,
);
