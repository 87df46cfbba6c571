use reqwest::Method;
use serde_json::Value;

use crate::endpoints::Service;
use crate::error::Result;
use crate::http::path;

/// A call, before it meets an address and a token.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) service: Service,
    /// The path with `{}` for arguments: what may stand in a log.
    pub(crate) route: &'static str,
    pub(crate) path: String,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) body: Option<Value>,
    retries: bool,
    /// Whether an error is told by the whole body of the answer.
    pub(crate) tells_body: bool,
}

impl Request {
    /// # Errors
    /// `InvalidArgument` when an argument cannot stand in a path.
    pub(crate) fn new(method: Method, service: Service, route: &'static str, arguments: &[&str]) -> Result<Self> {
        let path = path::fill(route, arguments)?;
        Ok(Self::to_path(method, service, route, path))
    }

    /// A request to a path that is encoded already.
    pub(crate) fn to_path(method: Method, service: Service, route: &'static str, path: String) -> Self {
        Self { method, service, route, path, query: Vec::new(), body: None, retries: true, tells_body: false }
    }

    pub(crate) fn query(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.query.push((name.into(), value.into()));
        self
    }

    pub(crate) fn body(self, body: Value) -> Self {
        Self { body: Some(body), ..self }
    }

    pub(crate) fn retries(self, retries: bool) -> Self {
        Self { retries, ..self }
    }

    /// An error's message is the body of the answer as it is: some families of calls say it so (specification 001 section 8).
    pub(crate) fn telling_body(self) -> Self {
        Self { tells_body: true, ..self }
    }

    /// Only what has the same effect twice as once is sent twice.
    pub(crate) fn may_be_repeated(&self) -> bool {
        self.retries && self.method.is_idempotent()
    }
}
