use std::collections::HashMap;

use url::Url;

use crate::config::{ServiceLocation, ServiceType};
use crate::error::{Error, ErrorKind, Result};
use crate::messages;

/// The services of a device cloud; each has a base address.
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
    /// The live data itself (WebSocket).
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
/// The library ships no addresses: fill in those of your cloud. Remote addresses must be `https` (or `wss` for the stream);
/// only [`ServiceLocation::Local`] may be plain `http`, and it knows no environments.
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
    /// `InvalidArgument` when `base` is no http or https address.
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
    /// `InvalidArgument` when it is no address, has a query, or is not secure although it is remote.
    pub fn set(
        &mut self,
        service: Service,
        location: ServiceLocation,
        environment: ServiceType,
        base: &str,
    ) -> Result<()> {
        let invalid = || Error::new(ErrorKind::InvalidArgument, messages::INVALID_BASE_ADDRESS);
        let mut url = Url::parse(base.trim()).map_err(|error| invalid().with_source(error))?;
        let secure = match url.scheme() {
            "https" | "wss" => true,
            "http" | "ws" => location == ServiceLocation::Local,
            _ => false,
        };
        if !secure
            || !url.has_host()
            || url.query().is_some()
            || url.fragment().is_some()
            || !url.username().is_empty()
            || url.password().is_some()
        {
            return Err(invalid());
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

    fn local(service: Service, base: &str) -> String {
        Endpoints::local(base).unwrap().get(service, ServiceLocation::Local, ServiceType::Field).unwrap().to_string()
    }

    #[test]
    fn the_local_table_has_a_folder_per_service() {
        assert_eq!(local(Service::User, "http://127.0.0.1:8080"), "http://127.0.0.1:8080/user/");
        assert_eq!(local(Service::Device, "http://127.0.0.1:8080/"), "http://127.0.0.1:8080/device/");
        assert_eq!(local(Service::Stream, "http://127.0.0.1:8080"), "ws://127.0.0.1:8080/stream/");
        assert_eq!(local(Service::Stream, "https://cloud.example.com/x"), "wss://cloud.example.com/x/stream/");
    }

    #[test]
    fn a_missing_entry_is_a_precondition() {
        let error = Endpoints::default().get(Service::User, ServiceLocation::Usa, ServiceType::Field).unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::Precondition, "No base address configured"));
    }

    #[test]
    fn unfit_addresses_are_refused() {
        for base in [
            "",
            "nonsense",
            "ftp://x/",
            "http://remote.example.com/",
            "https://x/?a=b",
            "https://name:word@x/",
            "https:///",
        ] {
            let result = Endpoints::default().set(Service::User, ServiceLocation::Usa, ServiceType::Field, base);
            let refused = result.is_err_and(|error| error.kind() == ErrorKind::InvalidArgument);
            assert!(refused, "{base}");
        }
    }
}
