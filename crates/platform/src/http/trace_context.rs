//! Carries traces from server to server in the headers of the W3C Trace Context.

use std::collections::HashMap;

use axum::http::{HeaderMap, HeaderName};
use opentelemetry::propagation::{Extractor, TextMapPropagator};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

use super::proxies::TRACE_PARENT;

/// Sets the parent of the span from the header `traceparent` of the request, if it is present.
pub(crate) fn continue_trace(headers: &HeaderMap, span: &Span) {
    if headers.contains_key(TRACE_PARENT) {
        // Fails when no traces are sent.
        let _ = span.set_parent(TraceContextPropagator::new().extract(&Headers(headers)));
    }
}

/// The headers by which another server continues the trace of the current span. Empty outside a trace.
#[must_use]
pub fn headers() -> Vec<(String, String)> {
    let mut headers = HashMap::new();
    TraceContextPropagator::new().inject_context(&Span::current().context(), &mut headers);
    headers.retain(|_, value| !value.is_empty());
    headers.into_iter().collect()
}

struct Headers<'a>(&'a HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(HeaderName::as_str).collect()
    }
}
