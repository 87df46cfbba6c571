use url::Url;

use crate::error::messages;
use crate::error::{Error, ErrorKind, Result, required};

/// The path of a location below the configured base address. The host of the location is ignored: a token must not be
/// sent to an address that only a response names.
///
/// # Errors
/// `InvalidArgument` 'Location path is empty'.
pub(super) fn path(location: &str) -> Result<String> {
    const SERVICE: &str = "/apiv1/";
    required(location.trim().is_empty(), messages::LOCATION_EMPTY)?;
    let empty = || Error::new(ErrorKind::InvalidArgument, messages::LOCATION_EMPTY);
    // The location may be a path without a host. Parent segments are resolved here, so that the path cannot leave the
    // service.
    let base = Url::parse("http://cloud.invalid/").map_err(|error| empty().with_source(error))?;
    let url = base.join(location.trim()).map_err(|_| empty())?;
    let (_, path) = url.path().split_once(SERVICE).filter(|(_, path)| !path.is_empty()).ok_or_else(empty)?;
    Ok(format!("apiv1/{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn location_resolves_to_a_path_at_the_configured_cloud() {
        let table = [
            ("https://cloud.example.com/apiv1/devices/1/x.json", Some("apiv1/devices/1/x.json")),
            ("http://evil.example.com/device/apiv1/datapoints/7?a=b", Some("apiv1/datapoints/7")),
            ("/apiv1/datapoints/7", Some("apiv1/datapoints/7")),
            ("apiv1/datapoints/a%20b", Some("apiv1/datapoints/a%20b")),
            (" https://x/apiv1/devices/1/../../../users.json", None),
            ("https://x/apiv1/%2e%2e/users.json", None),
            ("https://x/apiv1/", None),
            ("https://x/", None),
            ("https://", None),
            (" ", None),
            ("", None),
        ];
        for (location, expected) in table {
            let path = path(location);
            assert_eq!(path.as_deref().ok(), expected, "{location}");
            if let Err(error) = path {
                assert_eq!((error.kind(), error.message()), (ErrorKind::InvalidArgument, "Location path is empty"));
            }
        }
    }
}
