//! Properties.

use devicecloud::{BaseType, CommandState, PropertyValue};

use super::{DSN, Run, WRONG_DSN, cases};

pub(super) fn all() -> Vec<(&'static str, Run)> {
    cases! {
        "properties/list": |client| {
            let properties = client.properties().list(DSN).send().await?;
            assert_eq!((properties[0].key.as_str(), properties[0].name.as_str()), ("7", "text"));
            assert_eq!(properties[0].command, None);
        };
        "properties/list.names": |client| {
            let properties = client.properties().list(DSN).names(["intensity", "no_such_property"]).send().await?;
            let command = properties[0].command.as_ref().unwrap();
            assert_eq!(properties[0].value, Some(PropertyValue::Integer(30)));
            assert_eq!((&command.state, &command.value), (&CommandState::Pending, &Some(PropertyValue::Integer(30))));
            assert!(command.expires_at.is_some());
        };
        "properties/list_by_device": |client| {
            let properties = client.properties().list_by_device(41).names(["intensity"]).send().await?;
            assert_eq!((properties.len(), properties[0].name.as_str()), (1, "intensity"));
        };
        "properties/list.wildcard": |client| {
            let properties = client.properties().list(DSN).names(["%tensit%"]).send().await?;
            assert_eq!(properties[0].name, "intensity");
        };
        "properties/get": |client| {
            let property = client.properties().get(DSN, "intensity").await?;
            assert_eq!((property.name.as_str(), property.base_type), ("intensity", Some(BaseType::Integer)));
        };
        "properties/get.404": |client| client.properties().get(DSN, "no_such_property").await?;
        "properties/get_by_device": |client| {
            assert_eq!(client.properties().get_by_device(41, "intensity").await?.name, "intensity");
        };
        "properties/get_by_key": |client| {
            assert_eq!(client.properties().get_by_key(43).await?.key.as_str(), "43");
        };
        "properties/get_by_key.404": |client| client.properties().get_by_key(999_999_999).await?;
        "properties/list.404": |client| client.properties().list(WRONG_DSN).send().await?;
    }
    .into()
}
