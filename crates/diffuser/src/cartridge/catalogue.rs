use crate::SystemConfiguration;

/// The columns of the fragrance catalogue in order: name, SKU and density, then a flow rate for each system
/// configuration.
pub const CATALOGUE_COLUMNS: [&str; 10] = [
    "Fragrance",
    "SKU",
    "Density",
    "AQ200w500",
    "AQ300w500",
    "AQ500w500",
    "AQ800w1250",
    "AQ800w2500",
    "AQ1200w1250",
    "AQ1200w2500",
];

/// A row of the fragrance catalogue.
#[derive(Debug, Clone, PartialEq)]
pub struct Fragrance {
    pub name: String,
    pub sku: String,
    /// In grams per millilitre.
    pub density: f64,
    /// In grams per running hour, in the order of [`SystemConfiguration::ALL`].
    pub flow: [Option<f64>; SystemConfiguration::ALL.len()],
}

impl Fragrance {
    /// The flow rate in grams per hour, or `None` if the configuration is unknown or cannot diffuse the fragrance.
    pub fn flow(&self, configuration: &SystemConfiguration) -> Option<f64> {
        let column = SystemConfiguration::ALL.iter().position(|it| it == configuration)?;
        self.flow[column]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flow_columns_follow_the_order_of_configurations() {
        let flow_columns = SystemConfiguration::ALL.each_ref().map(|it| it.catalogue_column().unwrap());
        assert_eq!(CATALOGUE_COLUMNS[3..], flow_columns);
    }

    #[test]
    fn each_configuration_reads_its_own_column() {
        let fragrance = Fragrance {
            name: "Fig".to_owned(),
            sku: "F-1".to_owned(),
            density: 0.9,
            flow: [Some(1.0), Some(2.0), Some(3.0), Some(4.0), None, Some(6.0), Some(7.0)],
        };
        let flow = SystemConfiguration::ALL.each_ref().map(|it| fragrance.flow(it));
        assert_eq!(flow, fragrance.flow);
        assert_eq!(fragrance.flow(&"AQ9999".into()), None);
    }
}
