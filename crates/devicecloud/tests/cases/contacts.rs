//! The contacts of the signed-in user.

use serde_json::json;

use super::{CONTACT, NOW, Run, WRONG_KEY, cases};

pub(super) fn all() -> Vec<(&'static str, Run)> {
    cases! {
        "contacts/create": |client| {
            let contact = client.contacts().create().display_name("Jo").firstname("Joanna").lastname("Doe");
            let contact = contact.email("jo.doe@example.com").phone_country_code("49").phone_number("5550100");
            let contact = contact.street_address("1 Main Street").zip_code("75001").country("France");
            let contact = contact.email_notification(true).sms_notification(false).metadata(json!({"floor": 2}));
            let contact = contact.notes("Mornings").oem_models(["thing-1"]).send().await?;
            assert_eq!((contact.id.as_str(), contact.display_name.as_deref()), ("7", Some("Jo")));
            assert_eq!((contact.email_notification, contact.sms_notification), (true, false));
            assert_eq!((contact.metadata, contact.oem_models), (Some(json!({"floor": 2})), vec!["thing-1".to_owned()]));
        };
        "contacts/create.422": |client| client.contacts().create().email("nowhere").send().await?;
        "contacts/list": |client| {
            let contacts = client.contacts().list().await?;
            assert_eq!((contacts.len(), contacts[0].id.as_str()), (1, "71"));
            assert!(contacts[0].firstname.as_ref().is_none_or(|name| name == "text"));
            assert_eq!(contacts[0].created_at, Some(NOW.parse()?));
        };
        "contacts/update": |client| {
            let contact = client.contacts().update(CONTACT).notes("Evenings").send().await?;
            assert_eq!((contact.id.as_str(), contact.notes.as_deref()), ("71", Some("Evenings")));
        };
        "contacts/update.404": |client| client.contacts().update(WRONG_KEY).notes("Evenings").send().await?;
        "contacts/delete": |client| client.contacts().delete(CONTACT).await?;
        "contacts/delete.404": |client| client.contacts().delete(WRONG_KEY).await?;
    }
    .into()
}
