//! The ways to identify a property in a call. Each has its own path.

use reqwest::Method;

use crate::api::required;
use crate::endpoints::Service;
use crate::error::Result;
use crate::http::Request;
use crate::messages;
use crate::model::{DeviceKey, Dsn, PropertyKey};

/// Identifies a property.
#[derive(Clone, Debug)]
pub(crate) enum PropertyAddress {
    /// By the device's serial number and the property's name.
    OfDsn(Dsn, String),
    /// By the device's key and the property's name.
    OfDevice(DeviceKey, String),
    /// By its own key.
    Key(PropertyKey),
}

/// The routes of a call, by the way in which the property is identified.
pub(crate) struct Routes {
    pub(crate) of_dsn: &'static str,
    pub(crate) of_device: &'static str,
    pub(crate) key: &'static str,
}

impl PropertyAddress {
    pub(crate) fn request(&self, method: Method, routes: &Routes) -> Result<Request> {
        let (route, arguments) = match self {
            Self::OfDsn(dsn, name) => {
                required(dsn.is_blank(), messages::DSN_REQUIRED)?;
                (routes.of_dsn, vec![dsn.as_str(), named(name)?])
            }
            Self::OfDevice(key, name) => {
                required(key.is_blank(), messages::DEVICE_KEY_REQUIRED)?;
                (routes.of_device, vec![key.as_str(), named(name)?])
            }
            Self::Key(key) => {
                required(key.is_blank(), messages::PROPERTY_KEY_REQUIRED)?;
                (routes.key, vec![key.as_str()])
            }
        };
        Request::new(method, Service::Device, route, &arguments)
    }
}

fn named(name: &str) -> Result<&str> {
    required(name.trim().is_empty(), messages::PROPERTY_NAME_REQUIRED)?;
    Ok(name)
}
