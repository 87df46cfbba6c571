//! What a console listens on.

use std::net::SocketAddr;

use axum::Router;
use platform::db::Db;
use platform::http::connection_slots::ConnectionSlots;
use platform::http::server;
use platform::http::tls::Certificate;
use platform::metrics::MetricsListener;
use tokio::net::TcpListener;

use super::StartError;
use super::app_state::AppState;
use super::background::Background;
use super::headers::Headers;
use super::router::router;
use super::sampling;
use crate::config::ConsoleConfig;
use crate::sessions::session::OwnOrigin;

/// Where browsers, programs and readers of metrics connect.
pub(super) struct Listeners {
    pub(super) http: TcpListener,
    pub(super) addr: SocketAddr,
    pub(super) certificate: Option<Certificate>,
    pub(super) metrics: Option<MetricsListener>,
}

impl Listeners {
    pub(super) async fn bind(config: &ConsoleConfig, certificate: Option<Certificate>) -> Result<Self, StartError> {
        let http = TcpListener::bind(config.listen).await.map_err(|error| StartError::Listen(config.listen, error))?;
        let addr = http.local_addr().map_err(|error| StartError::Listen(config.listen, error))?;
        let metrics = match config.metrics_listen {
            Some(address) => {
                Some(MetricsListener::bind(address).await.map_err(|error| StartError::Metrics(address, error))?)
            }
            None => None,
        };
        Ok(Self { http, addr, certificate, metrics })
    }

    /// Serves until the console stops.
    pub(super) fn serve(
        self,
        state: AppState,
        config: &ConsoleConfig,
        session_db: &Db,
        wrap: impl FnOnce(Router) -> Router,
        background: &Background,
    ) {
        let Background { stopping, tasks, supervisor } = background;
        let base = state.core.base.clone();
        let slots = ConnectionSlots::new(config.trusted_proxies.clone(), &base.clock);
        if let Some(metrics) = self.metrics {
            let (core, session_db) = (state.core.clone(), session_db.clone());
            let sample = move || sampling::sample(core.clone(), session_db.clone());
            supervisor.spawn("metrics", metrics.serve(sample, slots.clone(), stopping.clone()));
        }
        let own_origin = OwnOrigin::new(config.public_url.as_ref(), self.certificate.is_some());
        let headers = Headers { random: base.random.clone(), is_https: config.is_https() };
        let app = wrap(router(state, tasks.clone(), own_origin, config.trusted_proxies.as_slice().into(), headers));
        let tls = self.certificate.as_ref().map(Certificate::acceptor);
        let serving = server::serve(self.http, tls, app, slots, config.connections, stopping.clone());
        supervisor.spawn("HTTP server", serving);
        if let Some(certificate) = self.certificate {
            background.spawn("HTTPS certificate renewal", async move { certificate.follow("https", base.clock).await });
        }
    }
}
