//! The ways to identify a property in a call. Each has its own path.

use http::Method;

use crate::config::endpoints::Service;
use crate::error::messages;
use crate::error::{Error, ErrorKind, Result, required};
use crate::http::Request;
use crate::model::{DatapointId, DeviceKey, Dsn, PropertyKey};

/// Identifies a property.
#[derive(Clone, Debug)]
pub(crate) enum PropertyRef {
    /// By the device's serial number and the property's name.
    Dsn(Dsn, String),
    /// By the device's key and the property's name.
    Device(DeviceKey, String),
    /// By its own key.
    Key(PropertyKey),
}

/// The routes of a call, by the way in which the property is identified.
pub(crate) struct Routes {
    pub(crate) by_dsn: &'static str,
    pub(crate) by_device: &'static str,
    pub(crate) by_key: &'static str,
}

impl PropertyRef {
    pub(crate) fn request(&self, method: Method, routes: &Routes) -> Result<Request> {
        let (route, arguments) = match self {
            Self::Dsn(dsn, name) => {
                required(dsn.is_blank(), messages::DSN_REQUIRED)?;
                (routes.by_dsn, vec![dsn.as_str(), required_name(name)?])
            }
            Self::Device(key, name) => {
                required(key.is_blank(), messages::DEVICE_KEY_REQUIRED)?;
                (routes.by_device, vec![key.as_str(), required_name(name)?])
            }
            Self::Key(key) => {
                required(key.is_blank(), messages::PROPERTY_KEY_REQUIRED)?;
                (routes.by_key, vec![key.as_str()])
            }
        };
        Request::new(method, Service::Device, route, &arguments)
    }

    /// Reads one of its datapoints. Clouds have no such call by the property's own key.
    pub(crate) fn datapoint_request(&self, id: &DatapointId) -> Result<Request> {
        let (route, device, name) = match self {
            Self::Dsn(dsn, name) => {
                required(dsn.is_blank(), messages::DSN_REQUIRED)?;
                ("apiv1/dsns/{}/properties/{}/datapoints/{}.json", dsn.as_str(), name)
            }
            Self::Device(key, name) => {
                required(key.is_blank(), messages::DEVICE_KEY_REQUIRED)?;
                ("apiv1/devices/{}/properties/{}/datapoints/{}.json", key.as_str(), name)
            }
            Self::Key(_) => return Err(Error::new(ErrorKind::InvalidArgument, messages::DEVICE_KEY_REQUIRED)),
        };
        let name = required_name(name)?;
        required(id.is_blank(), messages::DATAPOINT_ID_REQUIRED)?;
        Request::new(Method::GET, Service::Device, route, &[device, name, id.as_str()])
    }
}

fn required_name(name: &str) -> Result<&str> {
    required(name.trim().is_empty(), messages::PROPERTY_NAME_REQUIRED)?;
    Ok(name)
}
