//! Sends traces to an OpenTelemetry collector over OTLP (docs/logging.md). Only with the feature `otel`.

use std::env;

use anyhow::Context;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, SpanExporter};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::Subscriber;
use tracing_subscriber::filter::{FilterExt, filter_fn};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::{EnvFilter, Layer};

/// The environment variable with the filter of spans, in the syntax of the log's filter.
const FILTER: &str = "SILLAGE_TRACES";
/// Requests, and the calls of the cloud that they cause.
const DEFAULT_FILTER: &str = "off,platform=debug,devicecloud=debug";

/// The sender of traces. Sends what is left when it is dropped.
pub(crate) struct Traces(SdkTracerProvider);

impl Drop for Traces {
    fn drop(&mut self) {
        if let Err(error) = self.0.shutdown() {
            tracing::warn!(%error, "the last traces could not be sent");
        }
    }
}

/// Starts the sender, if a variable of OpenTelemetry names a collector, for the program `service`.
///
/// # Errors
/// Fails if a variable is invalid.
pub(crate) fn start<S>(service: &'static str) -> anyhow::Result<Option<(Traces, impl Layer<S>)>>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    if [OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT].iter().all(|name| env::var_os(name).is_none())
    {
        return Ok(None);
    }
    // The exporter's connections use the provider of the process.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // It has its own thread, so that a slow collector delays nothing.
    let exporter = SpanExporter::builder().with_http().build().context("the collector of traces")?;
    let resource = Resource::builder();
    let resource =
        if env::var_os("OTEL_SERVICE_NAME").is_some() { resource } else { resource.with_service_name(service) };
    let provider = SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource.build()).build();
    let filter = match env::var(FILTER) {
        Ok(text) => EnvFilter::try_new(&text).with_context(|| format!("{FILTER} is not a valid filter"))?,
        Err(_) => EnvFilter::new(DEFAULT_FILTER),
    };
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("sillage"));
    // Events would repeat the log.
    let layer = layer.with_filter(filter.and(filter_fn(|metadata| !metadata.is_event())));
    Ok(Some((Traces(provider), layer)))
}
