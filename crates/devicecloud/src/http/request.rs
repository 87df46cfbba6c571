use http::Method;
use serde_json::Value;
use tokio::time::Instant;

use super::path;
use crate::config::endpoints::Service;
use crate::error::{Error, Result};

/// A request without base address and token.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) service: Service,
    /// The path with `{}` for arguments, which is safe to log.
    pub(crate) route: &'static str,
    pub(crate) path: String,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) body: Option<Value>,
    /// When the call must have ended; `None` = as set for the client.
    pub(crate) deadline: Option<Instant>,
    retries: bool,
    /// Whether a second attempt after a success would fail.
    once: bool,
    /// Whether the message of an error is the raw response body.
    pub(crate) raw_error_body: bool,
}

impl Request {
    /// # Errors
    /// `InvalidArgument` if an argument is not valid in a path.
    pub(crate) fn new(method: Method, service: Service, route: &'static str, arguments: &[&str]) -> Result<Self> {
        let path = path::fill(route, arguments)?;
        Ok(Self::to_path(method, service, route, path))
    }

    /// A request to an encoded path.
    pub(crate) fn to_path(method: Method, service: Service, route: &'static str, path: String) -> Self {
        Self {
            method,
            service,
            route,
            path,
            query: Vec::new(),
            body: None,
            deadline: None,
            retries: true,
            once: false,
            raw_error_body: false,
        }
    }

    pub(crate) fn query(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.query.push((name.into(), value.into()));
        self
    }

    pub(crate) fn body(self, body: Value) -> Self {
        Self { body: Some(body), ..self }
    }

    /// The request is part of a call that must end then.
    pub(crate) fn until(self, deadline: Option<Instant>) -> Self {
        Self { deadline, ..self }
    }

    pub(crate) fn retries(self, retries: bool) -> Self {
        Self { retries, ..self }
    }

    /// For a request that is not idempotent in spite of its method: a second attempt after a success would fail.
    pub(crate) fn once(self) -> Self {
        Self { once: true, ..self }
    }

    /// Uses the raw response body as the message of errors, as specified for calls on rules and schedule actions.
    pub(crate) fn with_raw_error_body(self) -> Self {
        Self { raw_error_body: true, ..self }
    }

    /// Adds to an error what it means for this request: a read changes nothing, and an idempotent write can be repeated.
    pub(super) fn explain(&self, error: Error) -> Error {
        let error = error.with_repeatable(self.is_idempotent());
        if self.method.is_safe() { error.not_sent() } else { error }
    }

    /// Only idempotent requests are retried.
    pub(crate) fn is_retryable(&self) -> bool {
        self.retries && self.is_idempotent()
    }

    fn is_idempotent(&self) -> bool {
        self.method.is_idempotent() && !self.once
    }
}
