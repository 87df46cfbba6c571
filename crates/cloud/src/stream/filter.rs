//! Filters of stream subscriptions.

use std::collections::HashSet;

use super::event::Event;
use crate::store::subscriptions::SubscriptionRow;

/// `property_name` of a subscription to all properties.
pub(crate) const EVERY_PROPERTY: &str = "*";

/// The filter of a subscription. The scope of its owner applies in addition.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    types: HashSet<String>,
    dsns: Option<HashSet<String>>,
    properties: Option<HashSet<String>>,
    oem_model: Option<String>,
}

impl Filter {
    pub(crate) fn new(subscription: &SubscriptionRow) -> Self {
        let properties = Some(&*subscription.property_name).filter(|names| *names != EVERY_PROPERTY);
        Self {
            types: set(&subscription.subscription_type),
            dsns: subscription.dsn.as_deref().map(set),
            properties: properties.map(set),
            oem_model: subscription.oem_model.clone(),
        }
    }

    pub(crate) fn admits(&self, event: &Event) -> bool {
        self.types.contains(event.event_type.as_str())
            && self.dsns.as_ref().is_none_or(|dsns| dsns.contains(&event.dsn))
            && self.oem_model.as_ref().is_none_or(|oem_model| *oem_model == event.oem_model)
            && match (&self.properties, &event.property_name) {
                (Some(properties), Some(name)) => properties.contains(name),
                // Connectivity events have no property.
                _ => true,
            }
    }
}

fn set(list: &str) -> HashSet<String> {
    list.split(',').map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::policy::Audience;
    use crate::stream::event::EventType;

    fn event(event_type: EventType, dsn: &str, property: Option<&str>) -> Event {
        Event {
            event_type,
            dsn: dsn.into(),
            oem_model: "model".into(),
            property_name: property.map(Into::into),
            audience: Audience { oem_id: 1, registered: true, owner_id: None, labels: vec![], shares: vec![] },
            body: "{}".into(),
        }
    }

    #[test]
    fn every_filter_must_match() {
        let filter = Filter {
            types: set("datapoint,connectivity"),
            dsns: Some(set("A,B")),
            properties: Some(set("fan")),
            oem_model: Some("model".into()),
        };
        let table = [
            (event(EventType::Datapoint, "A", Some("fan")), true),
            (event(EventType::Datapoint, "B", Some("fan")), true),
            (event(EventType::Datapoint, "C", Some("fan")), false),
            (event(EventType::Datapoint, "A", Some("intensity")), false),
            (event(EventType::DatapointAck, "A", Some("fan")), false),
            (event(EventType::Connectivity, "A", None), true),
        ];
        for (event, expected) in table {
            assert_eq!(filter.admits(&event), expected, "{event:?}");
        }
        let other_model = Filter { oem_model: Some("other".into()), ..filter };
        assert!(!other_model.admits(&event(EventType::Datapoint, "A", Some("fan"))));
    }

    #[test]
    fn missing_list_matches_every_device_and_property() {
        let filter = Filter { types: set("datapoint"), ..Filter::default() };
        assert!(filter.admits(&event(EventType::Datapoint, "anything", Some("fan"))));
    }
}
