use std::collections::HashMap;

use url::{Host, Url};

use crate::error::messages;
use crate::error::{Error, ErrorKind, Result};

/// The environment of the cloud.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ServiceType {
    /// Products in use by customers.
    Field,
    /// Products in development.
    #[default]
    Development,
    /// The next release of the cloud.
    Staging,
    /// Demonstrations.
    Demo,
}

/// The location of the cloud.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ServiceLocation {
    /// United States of America.
    #[default]
    Usa,
    /// China.
    China,
    /// Europe.
    Europe,
    /// A self-hosted cloud with all services at one address.
    Local,
}

/// A service of a device cloud. Each has its own base address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Service {
    /// Accounts, sign-in, tokens.
    User,
    /// Devices, properties, datapoints.
    Device,
    /// Rules and their actions.
    Rules,
    /// Subscriptions to live data.
    Subscription,
    /// The live data stream (WebSocket).
    Stream,
}

const SERVICES: [(Service, &str); 5] = [
    (Service::User, "user/"),
    (Service::Device, "device/"),
    (Service::Rules, "rules/"),
    (Service::Subscription, "subscription/"),
    (Service::Stream, "stream/"),
];

/// The table of base addresses by service, location and environment.
///
/// The library contains no addresses: set those of your cloud. Addresses must be `https` (or `wss` for the stream).
/// Plain `http` and `ws` are accepted only for [`ServiceLocation::Local`] on a loopback host: `localhost`,
/// `127.0.0.0/8` or `[::1]`. The Local location has one environment.
///
/// ```
/// use devicecloud::{Endpoints, Service, ServiceLocation, ServiceType};
///
/// let mut endpoints = Endpoints::default();
/// endpoints.set(Service::User, ServiceLocation::Europe, ServiceType::Field, "https://user.example.com")?;
/// assert!(endpoints.set(Service::User, ServiceLocation::Europe, ServiceType::Field, "http://user.example.com").is_err());
/// # Ok::<(), devicecloud::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Endpoints(HashMap<(Service, ServiceLocation, ServiceType), Url>);

impl Endpoints {
    /// The Local table: `{base}/user/`, `{base}/device/`, `{base}/rules/`, `{base}/subscription/` and `{base}/stream/`.
    ///
    /// # Errors
    /// `InvalidArgument` if `base` is not an http or https URL, or is plain http to a host that is not loopback.
    pub fn local(base: &str) -> Result<Self> {
        let base = base.trim_end_matches('/');
        let mut endpoints = Self::default();
        for (service, folder) in SERVICES {
            endpoints.set(service, ServiceLocation::Local, ServiceType::Development, &format!("{base}/{folder}"))?;
        }
        Ok(endpoints)
    }

    /// Sets one base address.
    ///
    /// # Errors
    /// `InvalidArgument` if it is not a valid URL, has a query, or is neither secure nor a loopback address of the
    /// Local location.
    pub fn set(
        &mut self,
        service: Service,
        location: ServiceLocation,
        environment: ServiceType,
        base: &str,
    ) -> Result<()> {
        let invalid = || Error::new(ErrorKind::InvalidArgument, messages::INVALID_BASE_ADDRESS);
        let mut url = Url::parse(base.trim()).map_err(|error| invalid().with_source(error))?;
        if !matches!(url.scheme(), "https" | "wss" | "http" | "ws")
            || !url.has_host()
            || url.query().is_some()
            || url.fragment().is_some()
            || !url.username().is_empty()
            || url.password().is_some()
        {
            return Err(invalid());
        }
        let secure = matches!(url.scheme(), "https" | "wss");
        if !secure && (location != ServiceLocation::Local || !is_loopback(&url)) {
            return Err(Error::new(ErrorKind::InvalidArgument, messages::INSECURE_BASE_ADDRESS));
        }
        if !url.path().ends_with('/') {
            let folder = format!("{}/", url.path());
            url.set_path(&folder);
        }
        let scheme = match (service, url.scheme()) {
            (Service::Stream, "http") => "ws",
            (Service::Stream, "https") => "wss",
            (Service::Stream, other) => other,
            (_, "ws" | "wss") => return Err(invalid()),
            (_, other) => other,
        }
        .to_owned();
        url.set_scheme(&scheme).map_err(|()| invalid())?;
        self.0.insert(key(service, location, environment), url);
        Ok(())
    }

    pub(crate) fn get(&self, service: Service, location: ServiceLocation, environment: ServiceType) -> Result<&Url> {
        self.0
            .get(&key(service, location, environment))
            .ok_or_else(|| Error::new(ErrorKind::Precondition, messages::NO_BASE_ADDRESS))
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => matches!(name, "localhost" | "localhost."),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.to_canonical().is_loopback(),
        None => false,
    }
}

fn key(
    service: Service,
    location: ServiceLocation,
    environment: ServiceType,
) -> (Service, ServiceLocation, ServiceType) {
    let environment = if location == ServiceLocation::Local { ServiceType::Development } else { environment };
    (service, location, environment)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REMOTE: [ServiceLocation; 3] = [ServiceLocation::Usa, ServiceLocation::China, ServiceLocation::Europe];
    const ENVIRONMENTS: [ServiceType; 4] =
        [ServiceType::Field, ServiceType::Development, ServiceType::Staging, ServiceType::Demo];
    const INSECURE: &str =
        "The base address must be https. Plain http is accepted only for a Local cloud on a loopback host";

    fn insecure(result: Result<()>, base: &str) {
        let error = result.unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::InvalidArgument, INSECURE), "{base}");
    }

    fn local(service: Service, base: &str) -> String {
        Endpoints::local(base).unwrap().get(service, ServiceLocation::Local, ServiceType::Field).unwrap().to_string()
    }

    #[test]
    fn local_table_has_one_path_per_service() {
        let table = [
            (Service::User, "http://127.0.0.1:8080/user/", "https://cloud.example.com/x/user/"),
            (Service::Device, "http://127.0.0.1:8080/device/", "https://cloud.example.com/x/device/"),
            (Service::Rules, "http://127.0.0.1:8080/rules/", "https://cloud.example.com/x/rules/"),
            (Service::Subscription, "http://127.0.0.1:8080/subscription/", "https://cloud.example.com/x/subscription/"),
            (Service::Stream, "ws://127.0.0.1:8080/stream/", "wss://cloud.example.com/x/stream/"),
        ];
        for (service, plain, secure) in table {
            assert_eq!(local(service, "http://127.0.0.1:8080"), plain);
            assert_eq!(local(service, "http://127.0.0.1:8080/"), plain);
            assert_eq!(local(service, "https://cloud.example.com/x"), secure);
        }
    }

    #[test]
    fn stream_of_every_remote_location_is_wss() {
        for location in REMOTE {
            for environment in ENVIRONMENTS {
                for (base, expected) in [
                    ("https://stream.example.com", Some("wss://stream.example.com/")),
                    ("wss://stream.example.com/live", Some("wss://stream.example.com/live/")),
                    ("http://stream.example.com", None),
                    ("ws://stream.example.com", None),
                    ("ws://127.0.0.1:8080", None),
                    ("ws://localhost", None),
                    ("http://[::1]:8080", None),
                ] {
                    let mut endpoints = Endpoints::default();
                    let set = endpoints.set(Service::Stream, location, environment, base);
                    let Some(expected) = expected else {
                        insecure(set, base);
                        let error = endpoints.get(Service::Stream, location, environment).unwrap_err();
                        assert_eq!(error.message(), "No base address configured", "{base}");
                        continue;
                    };
                    set.unwrap();
                    let stream = endpoints.get(Service::Stream, location, environment).unwrap();
                    assert_eq!(stream.as_str(), expected, "{location:?} {environment:?}");
                }
            }
        }
    }

    #[test]
    fn plain_local_addresses_are_accepted_only_for_loopback_hosts() {
        let table = [
            ("localhost", true),
            ("LOCALHOST", true),
            ("localhost.", true),
            ("127.0.0.1", true),
            ("127.255.255.254", true),
            ("[::1]", true),
            ("[::ffff:127.0.0.1]", true),
            ("cloud.example.com", false),
            ("localhost.example.com", false),
            ("127.0.0.1.example.com", false),
            ("0.0.0.0", false),
            ("192.168.1.5", false),
            ("128.0.0.1", false),
            ("[::]", false),
            ("[fe80::1]", false),
            ("[::ffff:192.168.1.5]", false),
        ];
        for (host, is_loopback) in table {
            for scheme in ["http", "ws"] {
                let base = format!("{scheme}://{host}:8080/stream");
                let mut endpoints = Endpoints::default();
                let set = endpoints.set(Service::Stream, ServiceLocation::Local, ServiceType::Field, &base);
                if is_loopback {
                    set.unwrap();
                    let stream = endpoints.get(Service::Stream, ServiceLocation::Local, ServiceType::Field).unwrap();
                    assert_eq!(stream.scheme(), "ws", "{base}");
                } else {
                    insecure(set, &base);
                }
            }
            let plain = Endpoints::local(&format!("http://{host}:8080"));
            if is_loopback {
                plain.unwrap();
            } else {
                insecure(plain.map(drop), host);
            }
            assert!(local(Service::Stream, &format!("https://{host}:8443")).starts_with("wss://"), "{host}");
        }
    }

    #[test]
    fn missing_base_address_is_a_precondition_error() {
        let error = Endpoints::default().get(Service::User, ServiceLocation::Usa, ServiceType::Field).unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::Precondition, "No base address configured"));
    }

    #[test]
    fn invalid_base_addresses_are_rejected() {
        for (base, message) in [
            ("", "Invalid base address"),
            ("nonsense", "Invalid base address"),
            ("ftp://x/", "Invalid base address"),
            ("https://x/?a=b", "Invalid base address"),
            ("https://x/#a", "Invalid base address"),
            ("https://name:word@x/", "Invalid base address"),
            ("https:///", "Invalid base address"),
            ("wss://x/", "Invalid base address"),
            ("http://remote.example.com/", INSECURE),
        ] {
            let result = Endpoints::default().set(Service::User, ServiceLocation::Usa, ServiceType::Field, base);
            let error = result.unwrap_err();
            assert_eq!((error.kind(), error.message()), (ErrorKind::InvalidArgument, message), "{base}");
        }
    }
}
