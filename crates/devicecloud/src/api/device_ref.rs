//! The ways to identify a device in a call. Each has its own path.

use http::Method;

use crate::config::endpoints::Service;
use crate::error::messages;
use crate::error::{Result, required};
use crate::http::Request;
use crate::model::{DeviceKey, Dsn};

/// Identifies a device.
#[derive(Clone, Debug)]
pub(super) enum DeviceRef {
    Dsn(Dsn),
    Key(DeviceKey),
}

impl DeviceRef {
    /// A request to one of the two routes of a call.
    pub(super) fn request(&self, method: Method, by_dsn: &'static str, by_key: &'static str) -> Result<Request> {
        let (route, id) = match self {
            Self::Dsn(dsn) => {
                required(dsn.is_blank(), messages::DSN_REQUIRED)?;
                (by_dsn, dsn.as_str())
            }
            Self::Key(key) => {
                required(key.is_blank(), messages::DEVICE_KEY_REQUIRED)?;
                (by_key, key.as_str())
            }
        };
        Request::new(method, Service::Device, route, &[id])
    }
}
