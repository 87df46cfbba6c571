//! Concurrent requests share one token refresh, also across nodes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use devicecloud::testing::{MockCloud, MockRequest};
use devicecloud::{Authorization, Client, Time};
use futures::future::join_all;
use jiff::Timestamp;
use platform::bus::Bus;
use platform::db::{Db, params};
use platform::run::clock::Clock;
use platform::run::random::Random;
use platform::testing::TestDb;
use serde_json::{Value, json};
use uuid::Uuid;

use super::*;
use crate::base::Base;
use crate::migrations::migrate;
use crate::secrets::cipher::Cipher;

const AT_ONCE: usize = 64;

/// A minimal, fast cloud with a refresh call. Only the last issued token is valid.
#[derive(Clone, Default)]
struct SmallCloud(Arc<AtomicU32>);

impl SmallCloud {
    fn start() -> (Self, Client) {
        let (cloud, mock) = (Self::default(), MockCloud::new());
        let (refresh, profile) = (cloud.clone(), cloud.clone());
        mock.answer_with("POST users/refresh_token.json", move |request| refresh.refresh(request));
        mock.answer_with("GET users/get_user_profile.json", move |request| profile.profile(request));
        (cloud, mock.client())
    }

    fn refreshes(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }

    fn refresh(&self, request: &MockRequest) -> (u16, Value) {
        let number = self.refreshes();
        let sent = request.body.as_ref().map(|body| &body["user"]["refresh_token"]);
        if sent != Some(&json!(format!("refresh-{number}"))) {
            return (422, Value::Null);
        }
        let next = self.0.fetch_add(1, Ordering::SeqCst) + 1;
        let [access, refresh] = ["access", "refresh"].map(|kind| format!("{kind}-{next}"));
        (200, json!({ "access_token": access, "refresh_token": refresh, "expires_in": 86_400 }))
    }

    fn profile(&self, request: &MockRequest) -> (u16, Value) {
        if request.token == Some(format!("access-{}", self.refreshes())) {
            (200, json!({ "uuid": Uuid::nil(), "email": "tech@example.com" }))
        } else {
            (401, Value::Null)
        }
    }
}

/// Two nodes on one database, and a session.
struct Nodes {
    cloud: SmallCloud,
    nodes: [Sessions; 2],
    db: Db,
    cipher: Cipher,
    hash: SessionHash,
}

impl Nodes {
    async fn start(database: &TestDb) -> Self {
        migrate(&database.db).await;
        let (cloud, client) = SmallCloud::start();
        let cipher = Cipher::new(&[7; 32], &[], Random::system());
        let now: Timestamp = "2026-11-20T12:00:00Z".parse().unwrap();
        let node = |db: Db| {
            let base = Base { db, bus: Bus::in_process(), clock: Clock::mock(now), random: Random::system() };
            let limits = SessionLimits::default();
            let (cipher, cloud) = (cipher.clone(), client.clone());
            Sessions::new(SessionsParts { base, cipher, limits, cloud, service_email: String::new() })
        };
        let nodes = [node(database.db.clone()), node(Db::connect(&database.url).await.unwrap())];
        let hash = SessionHash::of(&[1; 32]);
        let user = User { id: Uuid::nil(), email: String::new(), firstname: String::new(), lastname: String::new() };
        let session = Session {
            hash: hash.clone(),
            user,
            role: None,
            csp: None,
            access_read_at: now,
            created_at: now,
            seen_at: now,
            origin: ClientOrigin::default(),
            token: None,
            lacks_factor: false,
        };
        store::insert(&database.db, &session, Vec::new()).await.unwrap();
        Self { cloud, nodes, db: database.db.clone(), cipher, hash }
    }

    /// Stores the cloud's current tokens, either expired by the clock or with an access token that the cloud rejects.
    async fn expire(&self, rejected: bool) {
        let number = self.cloud.refreshes();
        let tokens = Authorization {
            access_token: if rejected { "rejected".into() } else { format!("access-{number}").into() },
            refresh_token: format!("refresh-{number}").into(),
            expires_in_secs: if rejected { u64::MAX } else { 60 },
            role: None,
            created_at: Time::from_unix_micros(0),
        };
        let sealed = tokens::seal(&self.cipher, &self.hash, &tokens);
        let sql = "update sessions set tokens = $2 where id_hash = $1";
        self.db.execute(sql, params![self.hash.as_str(), sealed]).await.unwrap();
    }

    async fn request_concurrently(&self, nodes: usize) {
        let asking = (0..AT_ONCE).map(|number| {
            let (node, hash) = (self.nodes[number % nodes].clone(), self.hash.clone());
            tokio::spawn(async move { node.cloud(&hash).users().profile().await })
        });
        for answer in join_all(asking).await {
            answer.unwrap().unwrap();
        }
    }
}

async fn one_refresh_each_time(database: TestDb, nodes: usize, times: u32) {
    let world = Nodes::start(&database).await;
    for time in 1..=times {
        world.expire(time % 10 == 0).await;
        world.request_concurrently(nodes).await;
        assert_eq!(world.cloud.refreshes(), time);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_requests_share_one_refresh() {
    one_refresh_each_time(TestDb::sqlite().await, 1, 200).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_requests_share_one_refresh_on_postgres() {
    one_refresh_each_time(TestDb::postgres().await, 1, 100).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_requests_to_two_nodes_share_one_refresh() {
    one_refresh_each_time(TestDb::sqlite().await, 2, 100).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_requests_to_two_nodes_share_one_refresh_on_postgres() {
    one_refresh_each_time(TestDb::postgres().await, 2, 100).await;
}
