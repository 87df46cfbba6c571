use serde::{Deserialize, Serialize};

/// Where data came from. This library produces `Cloud` and `Dss`; the other values are for applications.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum DataSource {
    /// The device, over the local network.
    Lan,
    /// A call to the cloud.
    Cloud,
    /// The live data stream.
    Dss,
    /// A cache.
    Cached,
    /// The application itself.
    Local,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn data_sources_are_the_specified_ones() {
        let sources = [DataSource::Lan, DataSource::Cloud, DataSource::Dss, DataSource::Cached, DataSource::Local];
        assert_eq!(serde_json::to_value(sources).unwrap(), json!(["LAN", "CLOUD", "DSS", "CACHED", "LOCAL"]));
    }
}
