//! The metrics of this process in Prometheus's text form, on a listener of their own (ops/README.md).

use std::io;
use std::net::SocketAddr;
use std::sync::LazyLock;
use std::time::Duration;

use axum::Router;
use axum::extract::{MatchedPath, Request};
use axum::http::Method;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::Next;
use axum::response::Response;
use axum::routing::get;
use metrics::Counter;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::field::Empty;
use tracing::{Instrument, Span};

use crate::bus;
use crate::http::connection_slots::ConnectionSlots;
use crate::http::readiness::Checks;
use crate::http::server::{self, ConnectionLimits};

/// Upper bounds of the buckets of durations, in seconds.
const BUCKETS: [f64; 9] = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];
/// Interval at which recorded durations are merged into their buckets, even if nobody reads them.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);
/// Time limit for the values that are read when metrics are. Values that take longer remain as they were.
const SAMPLE_TIMEOUT: Duration = Duration::from_secs(4);
/// The format that Prometheus asks for.
const TEXT_FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The recorder of this process.
static RECORDER: LazyLock<PrometheusHandle> = LazyLock::new(|| {
    let builder = PrometheusBuilder::new().set_buckets(&BUCKETS).expect("there are buckets");
    let handle = builder.install_recorder().expect("nothing else installs a recorder");
    metrics::gauge!("sillage_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    register();
    handle
});

/// The classes of statuses by their first digit.
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// Makes the counters of alarms exist: Prometheus does not notice the increase with which a counter appears.
fn register() {
    let counters = [server::refused_connections(), bus::losses()].into_iter().chain(CLASSES.map(responses));
    counters.for_each(|counter| counter.increment(0));
}

fn responses(class: &'static str) -> Counter {
    metrics::counter!("sillage_http_responses_total", "class" => class)
}

/// A bound listener for metrics.
#[derive(Debug)]
pub struct MetricsListener {
    listener: TcpListener,
    addr: SocketAddr,
}

impl MetricsListener {
    /// Binds the address; port 0 selects a free port. This process records metrics from now on.
    ///
    /// # Errors
    /// The address cannot be bound.
    pub async fn bind(address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let addr = listener.local_addr()?;
        LazyLock::force(&RECORDER);
        Ok(Self { listener, addr })
    }

    /// The bound address.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Serves `GET /metrics` until `stopping` is cancelled. Before each response `sample` records what only a look shows, such as the
    /// length of a queue.
    pub async fn serve<S, F>(self, sample: S, slots: ConnectionSlots, stopping: CancellationToken)
    where
        S: Fn() -> F + Clone + Send + Sync + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let render = get(move || async move {
            let _ = timeout(SAMPLE_TIMEOUT, sample()).await;
            ([(CONTENT_TYPE, TEXT_FORMAT)], RECORDER.render())
        });
        let app = Router::new().route("/metrics", render);
        tokio::select! {
            () = server::serve(self.listener, None, app, slots, ConnectionLimits::default(), stopping) => {}
            () = keep_up() => {}
        }
    }
}

async fn keep_up() {
    loop {
        sleep(UPKEEP_INTERVAL).await;
        RECORDER.run_upkeep();
    }
}

/// Middleware that counts requests and measures the time until their response begins. It must be inside the router, which knows the
/// route: paths contain serial numbers.
pub async fn measure_requests(request: Request, next: Next) -> Response {
    let method = name_of(request.method());
    let route = request.extensions().get::<MatchedPath>().map_or("unmatched", MatchedPath::as_str).to_owned();
    let began = Instant::now();
    let span = span_of(&request, method, &route);
    let response = next.run(request).instrument(span.clone()).await;
    span.record("http.response.status_code", response.status().as_u16());
    let class = usize::from(response.status().as_u16() / 100).checked_sub(1).and_then(|class| CLASSES.get(class));
    class.copied().map(responses).into_iter().for_each(|counter| counter.increment(1));
    let status = response.status().as_str().to_owned();
    metrics::counter!("sillage_http_requests_total", "method" => method, "route" => route.clone(), "status" => status)
        .increment(1);
    metrics::histogram!("sillage_http_request_seconds", "method" => method, "route" => route).record(began.elapsed());
    response
}

/// The span of a request in traces, with the names of OpenTelemetry's conventions.
fn span_of(request: &Request, method: &str, route: &str) -> Span {
    let span = tracing::debug_span!(
        "http",
        otel.name = format_args!("{method} {route}"),
        otel.kind = "server",
        http.request.method = method,
        http.route = route,
        http.response.status_code = Empty,
    );
    #[cfg(feature = "otel")]
    crate::http::trace_context::continue_trace(request.headers(), &span);
    #[cfg(not(feature = "otel"))]
    let _ = request;
    span
}

/// Clients can invent any number of methods.
fn name_of(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// Records the results of the checks of `/readyz`.
pub fn record_checks(checks: &Checks) {
    for (check, passed) in checks {
        metrics::gauge!("sillage_check_passed", "check" => *check).set(f64::from(u8::from(*passed)));
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::middleware::from_fn;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;
    use tower::ServiceExt;

    use super::*;
    use crate::run::clock::Clock;

    async fn get(addr: SocketAddr, path: &str) -> String {
        let mut client = TcpStream::connect(addr).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
        client.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn requests_are_counted_by_route_and_samples_are_current() {
        let listener = MetricsListener::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let (addr, stopping) = (listener.addr(), CancellationToken::new());
        let sample = || async { metrics::gauge!("sampled").increment(1.0) };
        let slots = ConnectionSlots::new(Vec::new(), &Clock::system());
        let server = tokio::spawn(listener.serve(sample, slots, stopping.clone()));

        let app =
            Router::new().route("/dsns/{dsn}", axum::routing::any(async || "here")).layer(from_fn(measure_requests));
        for (method, path) in
            [("GET", "/dsns/SL1"), ("GET", "/dsns/SL2"), ("BREW", "/dsns/SL3"), ("GET", "/ada@example")]
        {
            let request = Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
            app.clone().oneshot(request).await.unwrap();
        }
        record_checks(&Checks::from([("bus", true), ("database", false)]));

        get(addr, "/metrics").await;
        let answer = get(addr, "/metrics").await;
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("text/plain; version=0.0.4"), "{answer}");
        for line in [
            r#"sillage_http_requests_total{method="GET",route="/dsns/{dsn}",status="200"} 2"#,
            r#"sillage_http_requests_total{method="other",route="/dsns/{dsn}",status="200"} 1"#,
            r#"sillage_http_request_seconds_bucket{method="GET",route="/dsns/{dsn}",le="10"} 2"#,
            r#"sillage_check_passed{check="bus"} 1"#,
            r#"sillage_check_passed{check="database"} 0"#,
            "sampled 2",
        ] {
            assert!(answer.lines().any(|found| found == line), "{line} not in {answer}");
        }
        assert!(!answer.contains("SL1") && !answer.contains("ada"), "{answer}");
        assert!(get(addr, "/").await.starts_with("HTTP/1.1 404"));
        stopping.cancel();
        server.await.unwrap();
    }
}
