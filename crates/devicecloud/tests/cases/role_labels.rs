//! Role labels of devices.

use super::{ROLE, Run, WRONG_KEY, cases};

pub(super) fn all() -> Vec<(&'static str, Run)> {
    cases! {
        "role_labels/get": |client| {
            let label = client.role_labels().get(61).await?;
            assert_eq!((label.id.as_str(), label.role_name.as_str()), ("61", ROLE));
            assert_eq!((label.label.unwrap().key.as_str(), label.tags[0].value.as_str()), ("partner_id", "text"));
        };
        "role_labels/get.404": |client| client.role_labels().get(WRONG_KEY).await?;
        "role_labels/enable": |client| {
            let enable = client.role_labels().enable_role_label_on_device(41, ROLE);
            let label = enable.description("Ground floor").label("zone", "north").send().await?;
            assert_eq!((label.description.as_deref(), label.label.unwrap().value.as_str()), (Some("Ground floor"), "north"));
        };
        "role_labels/enable.bare": |client| {
            let label = client.role_labels().enable_role_label_on_device(41, ROLE).send().await?;
            assert_eq!((label.role_name.as_str(), label.description, label.label), (ROLE, None, None));
        };
        "role_labels/enable.403": |client| {
            client.role_labels().enable_role_label_on_device(41, ROLE).label("zone", "north").send().await?
        };
        "role_labels/enable.422": |client| {
            let enable = client.role_labels().enable_role_label_on_device(41, "No::Such::Role");
            enable.label("zone", "north").send().await?
        };
        "role_labels/update": |client| {
            let update = client.role_labels().update_role_label(61, ROLE);
            let label = update.description("Ground floor").label("zone", "north").send().await?;
            assert_eq!((label.id.as_str(), label.label.unwrap().key.as_str()), ("61", "zone"));
        };
        "role_labels/update.404": |client| {
            let update = client.role_labels().update_role_label(WRONG_KEY, ROLE);
            update.description("Ground floor").label("zone", "north").send().await?
        };
        "role_labels/disable": |client| client.role_labels().disable_role_label(61).await?;
        "role_labels/disable.404": |client| client.role_labels().disable_role_label(WRONG_KEY).await?;
        "role_labels/associate": |client| {
            let label = client.role_labels().associate(41, ROLE).label("zone", "north").send().await?;
            assert_eq!((label.id.as_str(), label.label.unwrap().value.as_str()), ("7", "north"));
        };
        "role_labels/associate.409": |client| {
            client.role_labels().associate(41, ROLE).label("partner_id", "another").send().await?
        };
        "role_labels/disassociate": |client| {
            let label = client.role_labels().disassociate(41, ROLE).label("partner_id", "A").send().await?;
            assert_eq!((label.id.as_str(), label.label.unwrap().value.as_str()), ("61", "A"));
        };
        "role_labels/disassociate.404": |client| {
            client.role_labels().disassociate(41, ROLE).label("partner_id", "another").send().await?
        };
        "role_labels/find_by_role_label": |client| {
            let devices = client.role_labels().find_devices(ROLE).label("partner_id", "A").send().await?;
            assert_eq!((devices[0].dsn.as_str(), devices[0].key.as_str()), ("text", "7"));
        };
        "role_labels/find_by_role_label.role": |client| {
            assert_eq!(client.role_labels().find_devices(ROLE).send().await?.len(), 1);
        };
    }
    .into()
}
