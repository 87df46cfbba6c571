//! The roles of users, and the customers of role users.

use devicecloud::{Label, User};

use super::admin::new_user;
use super::{ROLE, Run, cases};

const CUSTOMER: (i64, &str) = (73, "lee@example.com");
const OTHER: &str = "kim@example.com";
const NOBODY: &str = "nobody@example.com";
const OBSERVER: &str = "OEM::Partner::Observer";
const TECHNICIAN: &str = "OEM::Partner::Technician";
const NO_ROLE: &str = "No::Such::Role";

fn partner(value: &str) -> Label {
    Label::new("partner_id", value)
}

fn emails(users: &[User]) -> Vec<&str> {
    users.iter().map(|user| user.email.as_str()).collect()
}

#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn all() -> Vec<(&'static str, Run)> {
    cases! {
        "roles/associate_role_user": |client| {
            client.roles().associate_role_user(ROLE, partner("A"), CUSTOMER.0, CUSTOMER.1).await?;
        };
        "roles/associate_role_user.404": |client| {
            client.roles().associate_role_user(ROLE, partner("A"), CUSTOMER.0, NOBODY).await?;
        };
        "roles/associate_role_user.422": |client| {
            client.roles().associate_role_user(NO_ROLE, partner("A"), CUSTOMER.0, CUSTOMER.1).await?;
        };
        "roles/disassociate_role_user": |client| {
            client.roles().disassociate_role_user(ROLE, "partner_id", CUSTOMER.0, CUSTOMER.1).await?;
        };
        "roles/disassociate_role_user.404": |client| {
            client.roles().disassociate_role_user(ROLE, "partner_id", CUSTOMER.0, CUSTOMER.1).await?;
        };
        "roles/disassociate_user": |client| client.roles().disassociate_user(ROLE, CUSTOMER.0, CUSTOMER.1).await?;
        "roles/disassociate_user.404": |client| client.roles().disassociate_user(ROLE, CUSTOMER.0, CUSTOMER.1).await?;
        "roles/role_users": |client| {
            let roles = client.roles().role_users(OTHER).await?;
            assert_eq!((roles[0].role.as_str(), &roles[0].label), ("text", &Some(partner("A"))));
        };
        "roles/role_users.404": |client| client.roles().role_users(NOBODY).await?;
        "roles/index_by_role": |client| {
            assert_eq!(client.roles().index_by_role(ROLE).send().await?[0].role.as_deref(), Some(ROLE));
        };
        "roles/index_by_role.label": |client| {
            let users = client.roles().index_by_role(ROLE).label("partner_id", "A").send().await?;
            assert_eq!(users[0].role_tags[0].namespace, "text");
        };
        "roles/index_by_label": |client| {
            let users = client.roles().index_by_label(ROLE).label("partner_id", "A").send().await?;
            assert_eq!(emails(&users), [CUSTOMER.1]);
        };
        "roles/index_by_oem": |client| assert_eq!(emails(&client.roles().index_by_oem().await?), ["text"]);
        "roles/index_by_oem.403": |client| client.roles().index_by_oem().await?;
        "roles/create_role_user": |client| {
            let user = client.roles().create_role_user(new_user(), ROLE).label("partner_id", "A").send().await?;
            assert_eq!((user.id.as_str(), user.role_tags[0].value.as_str()), ("7", "A"));
        };
        "roles/create_role_user.oem": |client| {
            let user = client.roles().create_role_user(new_user(), "OEM::Admin").label("partner_id", " ").send().await?;
            assert_eq!(user.role.as_deref(), Some("OEM::Admin"));
        };
        "roles/create_role_user.422": |client| {
            client.roles().create_role_user(new_user(), NO_ROLE).label("partner_id", "A").send().await?;
        };
        "roles/create_associated_user": |client| {
            let user = client.roles().create_associated_user(new_user(), ROLE).label("partner_id", "A").send().await?;
            assert_eq!((user.email.as_str(), user.role.as_deref()), ("new.person@example.com", Some(ROLE)));
        };
        "roles/create_associated_user.403": |client| {
            client.roles().create_associated_user(new_user(), ROLE).label("partner_id", "B").send().await?;
        };
        "roles/assign_role": |client| client.roles().assign_role(OTHER, OBSERVER).await?;
        "roles/assign_role.403": |client| client.roles().assign_role(OTHER, "OEM::Admin").await?;
        "roles/assign_role.404": |client| client.roles().assign_role(NOBODY, OBSERVER).await?;
        "roles/revoke_role": |client| client.roles().revoke_role(OTHER, TECHNICIAN).await?;
        "roles/revoke_role.404": |client| client.roles().revoke_role(OTHER, OBSERVER).await?;
        "roles/revoke_role.409": |client| client.roles().revoke_role("jo@example.com", "OEM::Admin").await?;
        "roles/assign_label": |client| client.roles().assign_label(OTHER, TECHNICIAN, partner("B")).await?;
        "roles/assign_label.422": |client| {
            client.roles().assign_label(OTHER, TECHNICIAN, Label::new("zone", "north")).await?;
        };
        "roles/revoke_label": |client| client.roles().revoke_label(OTHER, TECHNICIAN, partner("B")).await?;
        "roles/revoke_label.404": |client| {
            client.roles().revoke_label(OTHER, TECHNICIAN, Label::new("zone", "north")).await?;
        };
    }
    .into()
}
