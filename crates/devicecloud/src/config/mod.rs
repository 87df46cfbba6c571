//! What a [`Client`](crate::Client) has to know of its cloud: the application, and where the services are.

pub(crate) mod endpoints;

use std::fmt;

use serde_json::{Value, json};
use url::Url;

use self::endpoints::{Endpoints, Service, ServiceLocation, ServiceType};
use crate::error::messages;
use crate::error::{Error, ErrorKind, Result};
use crate::model::SubscriptionType;
use crate::model::secret::SecretText;

/// The settings of an application. Start with [`SystemSettings::new`] and change fields as needed.
#[derive(Clone)]
#[non_exhaustive]
pub struct SystemSettings {
    /// The application's id.
    pub app_id: String,
    /// The application's secret.
    pub app_secret: SecretText,
    /// The environment; Development by default.
    pub service_type: ServiceType,
    /// The location; USA by default.
    pub service_location: ServiceLocation,
    /// Whether sessions use live data; true by default.
    pub allow_dss: bool,
    /// The kinds of event in live data; only datapoints by default. A managed session adds datapoints, acknowledgements and
    /// connectivity, without which its devices would not be up to date.
    pub dss_subscription_types: Vec<SubscriptionType>,
    /// Whether the device list is fetched when a session starts; true by default.
    pub auto_fetch_devices: bool,
}

impl SystemSettings {
    /// The default settings for this application.
    pub fn new(app_id: impl Into<String>, app_secret: impl Into<SecretText>) -> Self {
        Self {
            app_id: app_id.into(),
            app_secret: app_secret.into(),
            service_type: ServiceType::default(),
            service_location: ServiceLocation::default(),
            allow_dss: true,
            dss_subscription_types: vec![SubscriptionType::Datapoint],
            auto_fetch_devices: true,
        }
    }
}

impl fmt::Debug for SystemSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SystemSettings")
            .field("app_id", &self.app_id)
            .field("service_type", &self.service_type)
            .field("service_location", &self.service_location)
            .field("allow_dss", &self.allow_dss)
            .field("dss_subscription_types", &self.dss_subscription_types)
            .field("auto_fetch_devices", &self.auto_fetch_devices)
            .finish_non_exhaustive()
    }
}

/// The cloud to connect to, and the application to connect as.
///
/// ```
/// use devicecloud::Config;
///
/// let config = Config::local("http://127.0.0.1:8080", "my-app", "my-app-secret")?;
/// assert!(!format!("{config:?}").contains("my-app-secret"));
/// # Ok::<(), devicecloud::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Config {
    settings: SystemSettings,
    endpoints: Endpoints,
}

impl Config {
    /// A cloud with all services at one address; see [`Endpoints::local`].
    ///
    /// # Errors
    /// `InvalidArgument` if `base` is not an http or https URL, if it is plain http to a host that is not loopback, or
    /// if the application is blank.
    pub fn local(base: &str, app_id: impl Into<String>, app_secret: impl Into<SecretText>) -> Result<Self> {
        let mut settings = SystemSettings::new(app_id, app_secret);
        settings.service_location = ServiceLocation::Local;
        Self::new(settings, Endpoints::local(base)?)
    }

    /// Any cloud. A base address that is missing in the table is reported by the first call that needs it.
    ///
    /// # Errors
    /// `InvalidArgument` if the application is blank.
    pub fn new(settings: SystemSettings, endpoints: Endpoints) -> Result<Self> {
        if settings.app_id.trim().is_empty() || settings.app_secret.is_blank() {
            return Err(Error::new(ErrorKind::InvalidArgument, messages::APPLICATION_REQUIRED));
        }
        Ok(Self { settings, endpoints })
    }

    /// A configuration for a program that does not sign users in: its [`TokenStore`](crate::TokenStore) contains a
    /// session that was started elsewhere. Calls that send the application id fail with `Precondition`, and so does
    /// [`update_profile`](crate::api::Users::update_profile).
    #[must_use]
    pub fn without_application(endpoints: Endpoints, location: ServiceLocation, environment: ServiceType) -> Self {
        let mut settings = SystemSettings::new("", "");
        settings.service_location = location;
        settings.service_type = environment;
        Self { settings, endpoints }
    }

    /// The JSON that identifies the application in requests.
    pub(crate) fn application(&self) -> Result<Value> {
        let SystemSettings { app_id, app_secret, .. } = &self.settings;
        if app_id.is_empty() {
            return Err(Error::new(ErrorKind::Precondition, messages::APPLICATION_REQUIRED));
        }
        Ok(json!({"app_id": app_id, "app_secret": app_secret.expose()}))
    }

    /// The settings of the application.
    #[must_use]
    pub fn settings(&self) -> &SystemSettings {
        &self.settings
    }

    /// The base address of a service, always with a trailing slash.
    pub(crate) fn base(&self, service: Service) -> Result<&Url> {
        self.endpoints.get(service, self.settings.service_location, self.settings.service_type)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_the_specified_defaults() {
        let settings = SystemSettings::new("id", "secret");
        assert_eq!(settings.service_type, ServiceType::Development);
        assert_eq!(settings.service_location, ServiceLocation::Usa);
        assert!(settings.allow_dss && settings.auto_fetch_devices);
        assert_eq!(settings.dss_subscription_types, [SubscriptionType::Datapoint]);
    }

    #[test]
    fn blank_application_is_rejected() {
        for (id, secret) in [("", "s"), (" ", "s"), ("i", ""), ("i", " ")] {
            let error = Config::local("http://localhost", id, secret).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        }
    }
}
