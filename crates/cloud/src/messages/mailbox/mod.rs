//! The mailbox of a demo: a page with all messages of the outbox, so that a newcomer can accept an invitation without a
//! mail server. It shows tokens, so its URL contains a secret key.

mod page;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use platform::db::Db;
use subtle::ConstantTimeEq;

use crate::store::outbox;
use page::Pages;

const STYLE: &str = include_str!("style.css");
/// How many messages are listed.
const LIMIT: i64 = 200;
/// Allows only our own style sheet: no script, form or frame. The URL is a secret, so it is neither cached nor sent as
/// a referrer.
const HEADERS: [(HeaderName, &str); 4] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-store"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
];

#[derive(Clone)]
struct Mailbox {
    db: Db,
    path: Arc<str>,
    key: Arc<str>,
    pages: Arc<Pages>,
}

/// The path of the page with this key.
pub(crate) fn path(key: &str) -> String {
    format!("/demo/outbox/{key}")
}

/// Serves the list and a page for each message.
pub(crate) fn router(key: String, db: Db) -> Router {
    let mailbox = Mailbox { db, path: path(&key).into(), key: key.into(), pages: Arc::new(Pages::new()) };
    Router::new()
        .route("/demo/outbox/{key}", get(list))
        .route("/demo/outbox/{key}/style.css", get(async || ([(CONTENT_TYPE, "text/css; charset=utf-8")], STYLE)))
        .route("/demo/outbox/{key}/{id}", get(show))
        .layer(from_fn_with_state(mailbox.clone(), guard))
        .with_state(mailbox)
}

/// Responds 404 to a wrong key.
async fn guard(State(mailbox): State<Mailbox>, request: Request, next: Next) -> Response {
    let key = request.uri().path().split('/').nth(3).unwrap_or_default();
    if !bool::from(key.as_bytes().ct_eq(mailbox.key.as_bytes())) {
        return StatusCode::NOT_FOUND.into_response();
    }
    (HEADERS, next.run(request).await).into_response()
}

async fn list(State(mailbox): State<Mailbox>) -> Response {
    match outbox::newest(&mailbox.db, None, LIMIT).await {
        Ok(rows) => Html(mailbox.pages.list(&mailbox.path, &rows)).into_response(),
        Err(error) => failed(&error),
    }
}

async fn show(State(mailbox): State<Mailbox>, Path((_, id)): Path<(String, String)>) -> Response {
    match outbox::find(&mailbox.db, &id).await {
        Ok(Some(row)) => Html(mailbox.pages.message(&mailbox.path, &row)).into_response(),
        Ok(None) => StatusCode::NOT_FOUND.into_response(),
        Err(error) => failed(&error),
    }
}

fn failed(error: &platform::db::Error) -> Response {
    tracing::error!(%error, "the mailbox could not be read");
    StatusCode::INTERNAL_SERVER_ERROR.into_response()
}
