//! What a node listens on.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use platform::http::connection_slots::ConnectionSlots;
use platform::http::proxies::{TrustedProxy, see_through};
use platform::http::request_id::identify;
use platform::http::server::{self, ConnectionLimits};
use platform::http::tls::{Certificate, CertificateFiles, Protocols};
use platform::metrics::MetricsListener;
use platform::run::supervisor::Supervisor;
use secrecy::SecretString;
use tokio::net::TcpListener;

use super::sampling;
use super::{ListenerKind, StartError};
use crate::app::App;
use crate::config::CloudConfig;
use crate::http;
use crate::messages::mailbox;
use crate::mqtt::Gateway;

/// Where people, programs and readers of metrics connect.
pub(super) struct Listeners {
    pub(super) http: TcpListener,
    pub(super) http_addr: SocketAddr,
    pub(super) certificate: Option<Certificate>,
    pub(super) metrics: Option<MetricsListener>,
}

impl Listeners {
    pub(super) async fn bind(config: &CloudConfig) -> Result<Self, StartError> {
        let certificate = match &config.tls {
            Some(files) => Some(load_certificate(ListenerKind::Http, files, Protocols::Http).await?),
            None => None,
        };
        let (http, http_addr) = listen(ListenerKind::Http, config.listen).await?;
        let metrics = match config.metrics_listen {
            Some(address) => Some(MetricsListener::bind(address).await.map_err(|source| StartError::Listen {
                listener: ListenerKind::Metrics,
                address,
                source,
            })?),
            None => None,
        };
        Ok(Self { http, http_addr, certificate, metrics })
    }

    /// Serves until the node stops. Returns the path of the mailbox, which only this machine can read.
    pub(super) fn serve(
        self,
        app: &App,
        config: &CloudConfig,
        wrap: impl FnOnce(Router) -> Router,
        supervisor: &Supervisor,
    ) -> Option<SecretString> {
        let mut router = http::router(app.clone());
        let mailbox_key = config.mailbox_key.clone().filter(|_| self.http_addr.ip().is_loopback());
        let mailbox_path = mailbox_key.as_deref().map(|key| SecretString::from(mailbox::path(key)));
        if let Some(key) = mailbox_key {
            router = router.merge(mailbox::router(key, app.db.clone()));
        }
        let slots = ConnectionSlots::new(config.trusted_proxies.clone(), &app.clock);
        let trusted: Arc<[TrustedProxy]> = config.trusted_proxies.as_slice().into();
        let router = wrap(router)
            .layer(from_fn_with_state(trusted, see_through))
            .layer(from_fn_with_state(app.random.clone(), identify));
        let tls = self.certificate.as_ref().map(Certificate::acceptor);
        let limits = ConnectionLimits::default();
        let serving = server::serve(self.http, tls, router, slots.clone(), limits, app.stop.clone());
        supervisor.spawn("HTTP server", serving);
        if let Some(certificate) = self.certificate {
            let (stop, clock) = (app.stop.clone(), app.clock.clone());
            supervisor.spawn("HTTPS certificate renewal", async move {
                stop.run_until_cancelled(certificate.follow("https", clock)).await;
            });
        }
        if let Some(metrics) = self.metrics {
            let (app, stop) = (app.clone(), app.stop.clone());
            supervisor.spawn("metrics", metrics.serve(move || sampling::sample(app.clone()), slots, stop));
        }
        mailbox_path
    }
}

/// Where devices connect.
pub(super) struct LinkListeners {
    pub(super) plain: Option<(TcpListener, SocketAddr)>,
    pub(super) tls: Option<(TcpListener, SocketAddr, Certificate)>,
}

impl LinkListeners {
    pub(super) async fn bind(config: &CloudConfig) -> Result<Self, StartError> {
        let plain = match config.link_listen {
            Some(address) => Some(listen(ListenerKind::Mqtt, address).await?),
            None => None,
        };
        let tls = match &config.link_tls {
            Some(tls) => {
                let certificate = load_certificate(ListenerKind::Mqtts, &tls.files, Protocols::Single).await?;
                let (listener, address) = listen(ListenerKind::Mqtts, tls.listen).await?;
                Some((listener, address, certificate))
            }
            None => None,
        };
        Ok(Self { plain, tls })
    }

    /// Without and with TLS.
    pub(super) fn addresses(&self) -> (Option<SocketAddr>, Option<SocketAddr>) {
        (self.plain.as_ref().map(|(_, address)| *address), self.tls.as_ref().map(|(_, address, _)| *address))
    }

    pub(super) fn serve(self, app: &App, config: &CloudConfig, supervisor: &Supervisor) -> Gateway {
        Gateway::start(
            self.plain.map(|(listener, _)| listener),
            self.tls.map(|(listener, _, certificate)| (listener, certificate)),
            config.link_rate,
            config.link_limits,
            app.link.clone(),
            app.link_health.clone(),
            supervisor,
        )
    }
}

async fn load_certificate(
    listener: ListenerKind,
    files: &CertificateFiles,
    protocols: Protocols,
) -> Result<Certificate, StartError> {
    Certificate::load(files, protocols).await.map_err(|source| StartError::Tls { listener, source })
}

/// Listens, and returns the address: port 0 selects a free port.
async fn listen(listener: ListenerKind, address: SocketAddr) -> Result<(TcpListener, SocketAddr), StartError> {
    let error = |source| StartError::Listen { listener, address, source };
    let listener = TcpListener::bind(address).await.map_err(error)?;
    let address = listener.local_addr().map_err(error)?;
    Ok((listener, address))
}
