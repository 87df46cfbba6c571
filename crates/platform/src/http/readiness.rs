//! The answer of `/readyz`: whether a server and what it depends on work.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};
use url::form_urlencoded;

use crate::db::Db;

/// A slower database cannot serve requests either.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(2);

/// The results of checks by name.
pub type Checks = BTreeMap<&'static str, bool>;

/// How long the result of [`DatabaseCheck`] is kept.
const KEPT: Duration = Duration::from_secs(1);

/// Whether a database answers in time, asked at most once a second: anyone may ask.
#[derive(Clone, Debug)]
pub struct DatabaseCheck {
    db: Db,
    last: Arc<Mutex<Option<(Instant, bool)>>>,
}

impl DatabaseCheck {
    /// A check that has not been made yet.
    #[must_use]
    pub fn new(db: Db) -> Self {
        Self { db, last: Arc::default() }
    }

    /// Whether the database answers in time.
    pub async fn answers(&self) -> bool {
        let mut last = self.last.lock().await;
        if let Some((at, answers)) = *last
            && at.elapsed() < KEPT
        {
            return answers;
        }
        let answers = database_answers(&self.db).await;
        *last = Some((Instant::now(), answers));
        answers
    }
}

/// Whether the database answers in time.
pub async fn database_answers(db: &Db) -> bool {
    matches!(timeout(DATABASE_TIMEOUT, db.ping()).await, Ok(Ok(())))
}

/// 200 if all checks passed, otherwise 503, with all results as a JSON object. `exclude=NAME` in the query, which can be repeated,
/// ignores the result of a check, for balancers that must not stop using all nodes for a fault that all nodes share. 400 if no check
/// has this name.
#[must_use]
pub fn respond(checks: Checks, query: Option<&str>) -> Response {
    let mut required = checks.clone();
    for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        if name != "exclude" || !checks.contains_key(&*value) {
            return (StatusCode::BAD_REQUEST, "only exclude=NAME is allowed, with the name of a check\n")
                .into_response();
        }
        required.remove(&*value);
    }
    let is_ready = required.into_values().all(|passed| passed);
    let status = if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(checks)).into_response()
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;

    use super::*;
    use crate::testing::TestDb;

    #[tokio::test]
    async fn database_is_asked_once_a_second() {
        let test = TestDb::sqlite().await;
        let check = DatabaseCheck::new(test.db.clone());
        assert!(check.answers().await);
        test.db.close().await;
        assert!(check.answers().await, "the answer is kept");
        tokio::time::pause();
        tokio::time::advance(KEPT).await;
        assert!(!check.answers().await);
    }

    #[tokio::test]
    async fn failed_check_is_503_unless_it_is_excluded() {
        let rows = [
            ([true, true], None, 200),
            ([true, false], None, 503),
            ([false, true], None, 503),
            ([false, true], Some(""), 503),
            ([false, true], Some("exclude=bus"), 200),
            ([true, false], Some("exclude=bus"), 503),
            ([false, false], Some("exclude=bus"), 503),
            ([false, false], Some("exclude=bus&exclude=database"), 200),
            ([false, true], Some("exclude=bus&exclude=bus"), 200),
            ([true, true], Some("exclude=bus"), 200),
        ];
        for ([bus, database], query, status) in rows {
            let response = respond(Checks::from([("bus", bus), ("database", database)]), query);
            assert_eq!(response.status(), status, "{bus} {database} {query:?}");
            let body = to_bytes(response.into_body(), 1024).await.unwrap();
            assert_eq!(body, format!(r#"{{"bus":{bus},"database":{database}}}"#), "{query:?}");
        }
    }

    #[test]
    fn unknown_parameter_or_check_is_400() {
        let long = format!("exclude={}", "x".repeat(10_000));
        for query in ["exclude=", "exclude", "exclude=clock", "exclude=bus,database", "only=bus", "bus", "%", &long] {
            let response = respond(Checks::from([("bus", true), ("database", true)]), Some(query));
            assert_eq!(response.status(), 400, "{query}");
        }
    }
}
