use crate::http::Request;

/// Additional data to include with a device. Clouds that do not know the parameter ignore it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Include {
    /// Key/value data.
    Data,
    /// The postal address.
    Addr,
    /// Role labels.
    RoleLabels,
    /// Properties with their values.
    Properties,
    /// The time zone.
    TimeZone,
}

impl Include {
    fn as_str(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Addr => "addr",
            Self::RoleLabels => "role_labels",
            Self::Properties => "properties",
            Self::TimeZone => "time_zone",
        }
    }
}

pub(super) fn with_include(request: Request, include: &[Include]) -> Request {
    if include.is_empty() {
        return request;
    }
    let parts: Vec<_> = include.iter().map(|part| part.as_str()).collect();
    request.query("include", parts.join(","))
}
