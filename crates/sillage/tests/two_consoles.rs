//! Two console nodes on one PostgreSQL database, with expiring tokens. One is killed while it refreshes a session's tokens, and no user
//! is signed out.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

#[path = "support/console.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod console;
#[path = "support/proxy.rs"]
mod proxy;
#[expect(dead_code, reason = "shared with other tests")]
mod support;

use console::{Access, Console};
use futures::future::join_all;
use platform::db::{Db, params};
use platform::testing::{TestDb, pause};
use proxy::Proxy;
use support::{Demo, Person};

/// A user's session in the cloud's database.
struct CloudSession {
    db: Db,
    email: String,
}

impl CloudSession {
    async fn expire_access_token(&self) {
        let sql =
            "update session set access_expires_at = created_at where user_id = (select id from users where email = $1)";
        self.db.execute(sql, params![&self.email]).await.unwrap();
    }

    /// The number of refresh tokens issued for the session, including the first one.
    async fn refresh_tokens(&self) -> i64 {
        let sql = "select count(*) from refresh_token t join session s on s.id = t.session_id \
                   join users u on u.id = s.user_id where u.email = $1";
        self.db.fetch_one::<(i64,)>(sql, params![&self.email]).await.unwrap().0
    }
}

// The proxy must run while the test blocks on a process.
#[tokio::test(flavor = "multi_thread")]
async fn killed_node_ends_no_session() {
    let database = TestDb::postgres().await;
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &[]);
    let cloud = demo.ready()["cloud"].as_str().unwrap();
    let proxy = Proxy::start(cloud).await;
    let access = Access::of_demo(folder.path());
    let node = |cloud: &str, name: &str| Console::start(&database.url, cloud, &access, folder.path(), name);
    let doomed = node(&proxy.url(), "doomed");
    let survivor = node(cloud, "survivor");
    let account = &demo.ready()["accounts"][0];
    let person = Person::sign_in_at(doomed.url(), account).await;
    let devices = person.get("/api/devices").await;
    let device = format!("/api/devices/dsns/{}", devices["devices"][0]["dsn"].as_str().unwrap());
    let session = CloudSession {
        db: Db::connect(&format!("sqlite:{}", folder.path().join("cloud.db").display())).await.unwrap(),
        email: account["email"].as_str().unwrap().to_owned(),
    };
    assert_eq!(session.refresh_tokens().await, 1);

    session.expire_access_token().await;
    let at_survivor = person.at(survivor.url());
    let asking = tokio::spawn({
        let device = device.clone();
        async move { person.status(&device).await }
    });
    while session.refresh_tokens().await == 1 {
        pause().await;
    }
    doomed.kill();
    assert_eq!(asking.await.unwrap(), None, "the node was killed before it could answer");
    // Skips the 45 seconds until the claim expires.
    let wait = "update sessions set claimed_until = 0 where claimed_by is not null";
    assert_eq!(database.execute(wait, params![]).await.unwrap(), 1, "its claim is left behind");
    at_survivor.get(&device).await;
    assert_eq!(session.refresh_tokens().await, 3, "refreshed once more, with the replaced token");

    let second = node(cloud, "second");
    let nodes = [at_survivor.clone(), at_survivor.at(second.url())];
    for round in 1..=5 {
        session.expire_access_token().await;
        let statuses = join_all((0..32).map(|number| nodes[number % 2].status(&device))).await;
        assert_eq!(statuses, [Some(200); 32]);
        assert_eq!(session.refresh_tokens().await, 3 + round);
    }
}
