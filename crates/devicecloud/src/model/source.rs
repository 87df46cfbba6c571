use serde::Serialize;

/// Where a state came from (decision A-08). This library produces `Cloud` and `Dss`; the others are there for callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum DataSource {
    /// The device, over the local network.
    Lan,
    /// A call to the cloud.
    Cloud,
    /// The stream of live data.
    Dss,
    /// A cache.
    Cached,
    /// The application itself.
    Local,
}
