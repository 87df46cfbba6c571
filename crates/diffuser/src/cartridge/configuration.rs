/// The appliance model with its cartridge size, stored as the datum `cart_name`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SystemConfiguration {
    Aq290,
    Aq380,
    Aq580,
    Aq880w1250,
    Aq880w2500,
    Aq1280,
    Aq2500,
    /// An unknown cart name. It is shown as is, with a maximum intensity of 50 and no computed level.
    Unknown(String),
}

impl SystemConfiguration {
    /// In display order. The first one is the default of a new device.
    pub const ALL: [Self; 7] =
        [Self::Aq290, Self::Aq380, Self::Aq580, Self::Aq880w1250, Self::Aq880w2500, Self::Aq1280, Self::Aq2500];

    /// The value of the datum as it was read, except that `AQ880` becomes `AQ880w1250`.
    pub fn cart_name(&self) -> &str {
        match self {
            Self::Aq290 => "AQ290",
            Self::Aq380 => "AQ380",
            Self::Aq580 => "AQ580",
            Self::Aq880w1250 => "AQ880w1250",
            Self::Aq880w2500 => "AQ880w2500",
            Self::Aq1280 => "AQ1280",
            Self::Aq2500 => "AQ2500",
            Self::Unknown(cart_name) => cart_name,
        }
    }

    pub fn label(&self) -> &str {
        match self {
            Self::Aq290 => "AQ200 Series 500 mL",
            Self::Aq380 => "AQ300 Series 500 mL",
            Self::Aq580 => "AQ500 Series 500 mL",
            Self::Aq880w1250 => "AQ800 Series 1250 mL",
            Self::Aq880w2500 => "AQ800 Series 2500 mL",
            Self::Aq1280 => "AQ1200 Series 1250 mL",
            Self::Aq2500 => "AQ1200 Series 2500 mL",
            Self::Unknown(cart_name) => cart_name,
        }
    }

    /// The volume of a full cartridge in millilitres.
    pub fn cartridge_ml(&self) -> Option<u32> {
        match self {
            Self::Aq290 | Self::Aq380 | Self::Aq580 => Some(500),
            Self::Aq880w1250 | Self::Aq1280 => Some(1250),
            Self::Aq880w2500 | Self::Aq2500 => Some(2500),
            Self::Unknown(_) => None,
        }
    }

    /// The catalogue column with the flow rates of this configuration.
    pub fn catalogue_column(&self) -> Option<&'static str> {
        match self {
            Self::Aq290 => Some("AQ200w500"),
            Self::Aq380 => Some("AQ300w500"),
            Self::Aq580 => Some("AQ500w500"),
            Self::Aq880w1250 => Some("AQ800w1250"),
            Self::Aq880w2500 => Some("AQ800w2500"),
            Self::Aq1280 => Some("AQ1200w1250"),
            Self::Aq2500 => Some("AQ1200w2500"),
            Self::Unknown(_) => None,
        }
    }
}

impl From<&str> for SystemConfiguration {
    fn from(cart_name: &str) -> Self {
        match cart_name {
            "AQ880" => Self::Aq880w1250,
            name => Self::ALL
                .into_iter()
                .find(|known| known.cart_name() == name)
                .unwrap_or_else(|| Self::Unknown(name.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn configurations_have_their_names_labels_and_order() {
        let rows = SystemConfiguration::ALL
            .each_ref()
            .map(|it| (it.cart_name(), it.label(), it.cartridge_ml().unwrap(), it.catalogue_column().unwrap()));
        let expected = [
            ("AQ290", "AQ200 Series 500 mL", 500, "AQ200w500"),
            ("AQ380", "AQ300 Series 500 mL", 500, "AQ300w500"),
            ("AQ580", "AQ500 Series 500 mL", 500, "AQ500w500"),
            ("AQ880w1250", "AQ800 Series 1250 mL", 1250, "AQ800w1250"),
            ("AQ880w2500", "AQ800 Series 2500 mL", 2500, "AQ800w2500"),
            ("AQ1280", "AQ1200 Series 1250 mL", 1250, "AQ1200w1250"),
            ("AQ2500", "AQ1200 Series 2500 mL", 2500, "AQ1200w2500"),
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn names_and_labels_match_the_vectors() {
        let vectors: Vec<Value> = serde_json::from_str(include_str!("../../vectors/configurations.json")).unwrap();
        let ours = SystemConfiguration::ALL.map(|it| json!({"cartName": it.cart_name(), "label": it.label()}));
        assert_eq!(vectors, ours);
    }

    #[test]
    fn aq880_without_size_has_the_small_cartridge() {
        assert_eq!(SystemConfiguration::from("AQ880"), SystemConfiguration::Aq880w1250);
    }

    #[test]
    fn unknown_cart_name_is_kept_and_has_no_size() {
        let unknown = SystemConfiguration::from("aq290");
        assert_eq!((unknown.cart_name(), unknown.label()), ("aq290", "aq290"));
        assert_eq!((unknown.cartridge_ml(), unknown.catalogue_column()), (None, None));
    }

    proptest! {
        #[test]
        fn cart_name_round_trips(name in ".*|AQ[0-9]{3,4}(w[0-9]{4})?") {
            prop_assume!(name != "AQ880");
            let configuration = SystemConfiguration::from(name.as_str());
            prop_assert_eq!(configuration.cart_name(), name.as_str());
        }
    }
}
