//! Calls about users and roles through the client library.

use cloud::testing::World;
use devicecloud::{Label, NewUser, Order, RoleUser, User, UserChanges};
use futures::TryStreamExt;

use crate::client::Fixture;
use crate::client_devices::signed_in;

const TECHNICIAN: &str = "OEM::Partner::Technician";

fn emails(users: &[User]) -> Vec<&str> {
    users.iter().map(|user| user.email.as_str()).collect()
}

fn jo() -> NewUser {
    NewUser::new("jo@example.org", "Correct-Horse-1").firstname("Jo").lastname("Moss").country("France")
}

#[tokio::test]
async fn users_are_listed_page_by_page() {
    let fixture = Fixture::start().await;
    let admin = signed_in(&fixture, World::ADMIN).await.admin();
    let list = || admin.users(fixture.world.oem.id).per_page(3).order_by("email").order(Order::Asc);
    let page = list().page(2).send().await.unwrap();
    assert_eq!((page.total, page.start_count_on_page, page.end_count_on_page), (8, 4, 6));
    assert_eq!((page.previous_page, page.next_page), (Some(1), Some(3)));
    let all: Vec<User> = list().items().try_collect().await.unwrap();
    assert_eq!((all.len(), emails(&all).is_sorted()), (8, true));
    assert_eq!(emails(&all)[3..6], emails(&page.users));
    let technician = all.iter().find(|user| user.email == World::TECHNICIAN_A).unwrap();
    assert_eq!((technician.role.as_deref(), technician.role_tags[0].value.as_str()), (Some(TECHNICIAN), "A"));
    let pages: Vec<_> = list().filter("lastname", "User").pages().try_collect().await.unwrap();
    assert_eq!(pages.len(), 3);
    let end_users =
        admin.end_users(fixture.world.oem.key.as_str()).order_by("key").order(Order::Asc).send().await.unwrap();
    assert_eq!(emails(&end_users.users), [World::END_USER, World::UNCONFIRMED]);
    assert_eq!(admin.users("ffffffff").send().await.unwrap_err().status(), Some(404));
    let owner = signed_in(&fixture, World::END_USER).await.admin();
    assert_eq!(owner.users(fixture.world.oem.id).send().await.unwrap_err().status(), Some(403));
}

#[tokio::test]
async fn user_is_created_read_and_deleted() {
    let fixture = Fixture::start().await;
    let admin = signed_in(&fixture, World::ADMIN).await.admin();
    let made = admin.create_user(jo()).email_template_id("welcome").send().await.unwrap();
    assert_eq!(
        (made.email.as_str(), made.country.as_deref(), made.confirmed_at),
        ("jo@example.org", Some("France"), None)
    );
    assert_eq!(admin.get_user(&made.id).await.unwrap(), made);
    assert_eq!(admin.get_user_by_uuid(&made.uuid).await.unwrap(), made);
    admin.update_user(&made.id, &UserChanges::new().city("Lyon").country("")).await.unwrap();
    let changed = admin.get_user(&made.id).await.unwrap();
    assert_eq!((changed.city.as_deref(), changed.country, changed.firstname), (Some("Lyon"), None, made.firstname));
    let taken = admin.create_user(jo()).send().await.unwrap_err();
    assert_eq!((taken.status(), taken.fields()[0].0.as_str()), (Some(422), "email"));
    admin.delete_user(&made.id).await.unwrap();
    assert_eq!(admin.get_user(&made.id).await.unwrap_err().status(), Some(404));
    let own = signed_in(&fixture, World::ADMIN).await.users().profile().await.unwrap();
    assert_eq!(admin.delete_user(&own.id).await.unwrap_err().status(), Some(409));
}

#[tokio::test]
async fn role_user_is_created_labelled_and_dismissed() {
    let fixture = Fixture::start().await;
    let roles = signed_in(&fixture, World::ADMIN).await.roles();
    let made = roles.create_role_user(jo(), TECHNICIAN).label("partner_id", "A").send().await.unwrap();
    assert_eq!(made.role_tags[0].value, "A");
    let label = |value| Label::new("partner_id", value);
    roles.assign_label(&made.email, TECHNICIAN, label("B")).await.unwrap();
    let of = async |value| {
        let users = roles.index_by_role(TECHNICIAN).label("partner_id", value).send().await.unwrap();
        emails(&users).iter().any(|email| *email == made.email)
    };
    assert!(of("B").await && !of("A").await);
    let roles_of = async || -> Vec<(String, Option<Label>)> {
        let roles = roles.role_users(&made.email).await.unwrap();
        roles.into_iter().map(|RoleUser { role, label, .. }| (role, label)).collect()
    };
    assert_eq!(roles_of().await, [(TECHNICIAN.to_owned(), Some(label("B")))]);
    roles.revoke_label(&made.email, TECHNICIAN, label("B")).await.unwrap();
    assert_eq!(roles_of().await, [(TECHNICIAN.to_owned(), None)]);
    roles.revoke_role(&made.email, TECHNICIAN).await.unwrap();
    assert_eq!(roles_of().await, []);
    roles.assign_role(&made.email, "OEM::Observer").await.unwrap();
    assert_eq!(roles_of().await, [("OEM::Observer".to_owned(), None)]);
    assert_eq!(roles.index_by_oem().await.unwrap().len(), 9);
    let last = roles.revoke_role(World::ADMIN, "OEM::Admin").await.unwrap_err();
    assert_eq!((last.status(), last.message()), (Some(409), "The last administrator has to stay"));
}

#[tokio::test]
async fn invited_user_gets_a_mail_and_stays_with_the_partner() {
    let fixture = Fixture::start().await;
    let client = signed_in(&fixture, World::PARTNER_ADMIN_A).await;
    let made = client.roles().create_associated_user(jo(), TECHNICIAN).label("partner_id", "A").send().await.unwrap();
    let outbox = fixture.cloud.outbox().await;
    assert_eq!((outbox.len(), &*outbox[0].kind, &*outbox[0].recipient), (1, "invitation", "jo@example.org"));
    assert_eq!(client.admin().get_user(&made.id).await.unwrap().email, "jo@example.org");
    let refused = client.roles().create_associated_user(jo(), "OEM::Admin").send().await.unwrap_err();
    assert_eq!(refused.status(), Some(422), "the address is taken");
    let other = NewUser::new("kim@example.org", "Correct-Horse-1").firstname("Kim").lastname("Hill");
    let refused = client.roles().create_associated_user(other, "OEM::Admin").send().await.unwrap_err();
    assert_eq!(refused.status(), Some(403));
}

#[tokio::test]
async fn customer_is_associated_by_either_side_and_by_the_manufacturer() {
    let fixture = Fixture::start().await;
    let admin = signed_in(&fixture, World::ADMIN).await.roles();
    let (dealer, customer) =
        (signed_in(&fixture, World::PARTNER_ADMIN_A).await, signed_in(&fixture, World::END_USER).await);
    let own = customer.users().profile().await.unwrap();
    let label = || Label::new("partner_id", "A");
    let customers = async || {
        let users = dealer.roles().index_by_label(TECHNICIAN).label("partner_id", "A").send().await.unwrap();
        users.len()
    };
    customer.roles().associate_role_user(TECHNICIAN, label(), &own.id, &own.email).await.unwrap();
    assert_eq!(customers().await, 1);
    dealer.roles().disassociate_user(TECHNICIAN, &own.id, &own.email).await.unwrap();
    assert_eq!(customers().await, 0);
    dealer.roles().associate_role_user(TECHNICIAN, label(), &own.id, &own.email).await.unwrap();
    customer.roles().disassociate_role_user(TECHNICIAN, "partner_id", &own.id, &own.email).await.unwrap();
    assert_eq!(customers().await, 0);
    admin.associate_role_user(TECHNICIAN, label(), own.uuid.as_str(), &own.email).await.unwrap();
    admin.disassociate_role_user(TECHNICIAN, "partner_id", &own.id, &own.email).await.unwrap();
    let wrong = admin.associate_role_user(TECHNICIAN, label(), 999_999, &own.email).await.unwrap_err();
    assert_eq!(wrong.status(), Some(404));
}
