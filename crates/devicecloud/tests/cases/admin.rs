//! The users of a manufacturer.

use devicecloud::{Label, NewUser, Order, UserChanges};

use super::{Run, cases};

pub(super) const OEM: i64 = 3;
const USER: i64 = 72;
const UUID: &str = "22222222-3333-4444-5555-666666666666";
const WRONG: i64 = 999_999_999;

pub(super) fn new_user() -> NewUser {
    let user = NewUser::new("new.person@example.com", "Correct-Horse-1").firstname("Jo").lastname("Moss");
    user.country("France").city("Paris").state("IDF").company("Moss & Co").phone("5551234")
}

#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn all() -> Vec<(&'static str, Run)> {
    cases! {
        "admin/users": |client| {
            let page = client.admin().users(OEM).send().await?;
            assert_eq!((page.total, page.current_page_number, page.users.len()), (7, 1, 1));
            assert_eq!(page.users[0].email, "text");
        };
        "admin/users.partner": |client| {
            let page = client.admin().users(OEM).send().await?;
            assert_eq!(page.users[0].role_tags[0].namespace, "text");
        };
        "admin/users.key": |client| {
            let list = client.admin().users("0dfc7900").per_page(50).order_by("key").order(Order::Asc);
            let page = list.filter("key_after", "0").filter("email", "kim@example.com").send().await?;
            assert_eq!(page.users[0].email, "kim@example.com");
        };
        "admin/users.404": |client| client.admin().users(WRONG).send().await?;
        "admin/users.422": |client| client.admin().users(OEM).order_by("shoe_size").send().await?;
        "admin/end_users": |client| {
            let page = client.admin().end_users(OEM).page(1).send().await?;
            assert_eq!(page.users[0].role.as_deref(), Some("EndUser"));
        };
        "admin/get_user": |client| {
            let user = client.admin().get_user(USER).await?;
            assert_eq!((user.email.as_str(), user.id.as_str()), ("kim@example.com", "7"));
        };
        "admin/get_user.uuid": |client| {
            assert_eq!(client.admin().get_user_by_uuid(UUID).await?.uuid.as_str(), UUID);
        };
        "admin/get_user.custody": |client| {
            let user = client.admin().get_user(USER).await?;
            assert_eq!((user.role.as_deref(), user.role_tags.len()), (Some("EndUser"), 0));
            assert_eq!(user.custody, Some(Label::new("partner_id", "A")));
        };
        "admin/get_user.404": |client| client.admin().get_user(WRONG).await?;
        "admin/create_user": |client| {
            let user = client.admin().create_user(new_user()).send().await?;
            assert_eq!((user.id.as_str(), user.company.as_deref()), ("7", Some("Moss & Co")));
        };
        "admin/create_user.template": |client| {
            let create = client.admin().create_user(new_user()).email_template_id("welcome");
            assert_eq!(create.send().await?.email, "new.person@example.com");
        };
        "admin/create_user.422": |client| {
            let user = NewUser::new("kim@example.com", "Short1").firstname("Jo").lastname("Moss");
            let user = user.country("France").city("Paris").state("IDF").company("Moss & Co").phone("5551234");
            client.admin().create_user(user).send().await?;
        };
        "admin/create_user.403": |client| client.admin().create_user(new_user()).send().await?;
        "admin/update_user": |client| {
            client.admin().update_user(USER, &UserChanges::new().firstname("Jo").company("")).await?;
        };
        "admin/update_user.404": |client| {
            client.admin().update_user(WRONG, &UserChanges::new().firstname("Jo").company("")).await?;
        };
        "admin/update_user.422": |client| client.admin().update_user(USER, &UserChanges::new().firstname("")).await?;
        "admin/delete_user": |client| client.admin().delete_user(USER).await?;
        "admin/delete_user.404": |client| client.admin().delete_user(WRONG).await?;
        "admin/delete_user.403": |client| client.admin().delete_user(71).await?;
        "admin/delete_user.409": |client| client.admin().delete_user(71).await?;
    }
    .into()
}
