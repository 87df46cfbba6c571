//! Connections to a PostgreSQL server. If none is free, distinguishes a busy server from an unreachable one.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, Connection, PgPool, Postgres, Transaction};
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep, timeout};

/// After this wait for a connection the server is probed.
const SUSPECT_AFTER: Duration = Duration::from_secs(1);
/// A server that accepts no connection in this time is unreachable. Short, so that callers get an answer within two seconds.
/// A busy one accepts it, because its system does so, but may take longer to start a process for it.
const PROBE_TIMEOUT: Duration = Duration::from_millis(600);
/// How long the result of a probe is valid.
const FRESH: Duration = Duration::from_secs(1);

/// A pool of connections to a PostgreSQL server. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Server {
    pool: PgPool,
    suspect_after: Duration,
    /// The time and result of the last probe. Locked during a probe, so that all waiting callers share it.
    probed: Arc<Mutex<Option<(Instant, bool)>>>,
}

impl Server {
    /// The pool's timeout limits how long callers wait for a connection of a busy server.
    #[must_use]
    pub fn new(pool: PgPool) -> Self {
        Self { pool, suspect_after: SUSPECT_AFTER, probed: Arc::default() }
    }

    /// The pool. Its own waits do not distinguish a busy server from an unreachable one.
    #[must_use]
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// Waits for a free connection.
    ///
    /// # Errors
    /// `PoolTimedOut` if the server is unreachable, or busy for longer than the pool's timeout.
    pub(super) async fn acquire(&self) -> sqlx::Result<PoolConnection<Postgres>> {
        tokio::select! {
            biased;
            acquired = self.pool.acquire() => acquired,
            () = self.until_unreachable() => Err(sqlx::Error::PoolTimedOut),
        }
    }

    /// Begins a transaction. A caller that is cancelled meanwhile leaves no open one behind: the driver would return the
    /// connection to the pool within a transaction that it does not count, and the next statements would be lost with it
    /// (sqlx 0.9.0, transact-rs/sqlx#4393). So a task of its own runs the begin to its end.
    pub(super) async fn begin(&self) -> sqlx::Result<Transaction<'static, Postgres>> {
        let connection = self.acquire().await?;
        let begun = tokio::spawn(Transaction::begin(connection, None)).await;
        begun.unwrap_or(Err(sqlx::Error::WorkerCrashed))
    }

    /// Resolves when the server accepts no new connection.
    async fn until_unreachable(&self) {
        sleep(self.suspect_after).await;
        while self.answers().await {
            sleep(FRESH).await;
        }
    }

    async fn answers(&self) -> bool {
        let mut probed = self.probed.lock().await;
        if let Some((at, answered)) = *probed
            && at.elapsed() < FRESH
        {
            return answered;
        }
        let options = self.pool.connect_options();
        let sign_in = async { options.connect().await?.close().await };
        let (signed_in, accepted) =
            tokio::join!(timeout(PROBE_TIMEOUT, sign_in), timeout(PROBE_TIMEOUT, accepts(&options)));
        let answered = match signed_in {
            Ok(result) => result.is_ok(),
            Err(_) => accepted.is_ok_and(|it| it),
        };
        *probed = Some((Instant::now(), answered));
        answered
    }
}

/// Whether the server's system accepts a connection.
async fn accepts(options: &PgConnectOptions) -> bool {
    let (host, port) = (options.get_host(), options.get_port());
    let folder = options.get_socket().map(PathBuf::as_path).or_else(|| host.starts_with('/').then(|| Path::new(host)));
    match folder {
        Some(folder) => UnixStream::connect(folder.join(format!(".s.PGSQL.{port}"))).await.is_ok(),
        None => TcpStream::connect((host, port)).await.is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::pin;
    use std::task::Poll;

    use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

    use super::*;
    use crate::db::Db;
    use crate::testing::TestDb;

    /// A server with a single connection and a short timeout.
    fn server(options: PgConnectOptions) -> Server {
        let pool = PgPoolOptions::new().max_connections(1).connect_lazy_with(options);
        Server { suspect_after: Duration::ZERO, ..Server::new(pool) }
    }

    #[tokio::test]
    async fn caller_waits_for_a_busy_server() {
        let test = TestDb::postgres().await;
        let Db::Postgres(own) = &test.db else { panic!("another database") };
        let server = server(own.pool().connect_options().as_ref().clone());
        let held = server.acquire().await.unwrap();
        let next = tokio::spawn({
            let server = server.clone();
            async move { server.acquire().await }
        });
        while !matches!(*server.probed.lock().await, Some((_, true))) {
            tokio::task::yield_now().await;
        }
        assert!(!next.is_finished(), "the only connection is busy, and the server answers");
        drop(held);
        next.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn cancelled_begin_leaves_no_open_transaction() {
        let test = TestDb::postgres().await;
        let Db::Postgres(own) = &test.db else { panic!("another database") };
        let options = own.pool().connect_options().as_ref().clone();
        let pool =
            PgPoolOptions::new().max_connections(1).test_before_acquire(false).connect_with(options).await.unwrap();
        let server = Server::new(pool);
        sqlx::query("create table kept (number int)").execute(server.pool()).await.unwrap();
        while server.pool().num_idle() == 0 {
            tokio::task::yield_now().await;
        }
        {
            let mut begin = pin!(server.begin());
            let polled = poll_fn(|context| Poll::Ready(begin.as_mut().poll(context))).await;
            assert!(polled.is_pending(), "the server has not answered");
        }
        sqlx::query("insert into kept values (1)").execute(server.pool()).await.unwrap();
        let kept: i64 = sqlx::query_scalar("select count(*) from kept").fetch_one(own.pool()).await.unwrap();
        assert_eq!(kept, 1, "others see the row");
    }

    #[tokio::test]
    async fn server_that_is_slow_to_answer_is_busy() {
        // Accepted by the system, but answered by nobody.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        assert!(server(PgConnectOptions::new().host("127.0.0.1").port(port)).answers().await);
        let folder = tempfile::tempdir().unwrap();
        let _listener = std::os::unix::net::UnixListener::bind(folder.path().join(".s.PGSQL.5432")).unwrap();
        assert!(server(PgConnectOptions::new().host(folder.path().to_str().unwrap()).port(5432)).answers().await);
    }

    #[tokio::test]
    async fn caller_does_not_wait_for_an_unreachable_server() {
        let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let server = server(PgConnectOptions::new().host("127.0.0.1").port(unused));
        let begun = server.begin().await;
        assert!(matches!(begun, Err(sqlx::Error::PoolTimedOut)));
        assert!(matches!(*server.probed.lock().await, Some((_, false))), "the pool would have waited");
    }
}
