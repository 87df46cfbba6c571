//! Lists of users: scope, pages, filters and order.

use cloud::operator::NewUser;
use cloud::testing::{PASSWORD, World};
use serde_json::{Value, json};

use super::{ADMIN, TECHNICIAN};
use crate::client::Fixture;

/// Every user of the test world, in the order of the lists.
const EVERYBODY: [&str; 8] = [
    World::ADMIN,
    World::OBSERVER,
    World::PARTNER_ADMIN_A,
    World::PARTNER_OBSERVER_A,
    World::TECHNICIAN_A,
    World::PARTNER_ADMIN_B,
    World::END_USER,
    World::UNCONFIRMED,
];

fn emails(users: &Value) -> Vec<&str> {
    users.as_array().unwrap().iter().map(|user| user["user"]["email"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn callers_see_only_their_own_users_and_no_machine_accounts() {
    let fixture = Fixture::start().await;
    let oem = fixture.world.oem.clone();
    let of_a = [World::PARTNER_ADMIN_A, World::PARTNER_OBSERVER_A, World::TECHNICIAN_A];
    let table: [(&str, &[&str], &[&str]); 4] = [
        (World::ADMIN, &EVERYBODY, &EVERYBODY[6..]),
        (World::OBSERVER, &EVERYBODY, &EVERYBODY[6..]),
        (World::PARTNER_ADMIN_A, &of_a, &[]),
        (World::PARTNER_OBSERVER_A, &of_a, &[]),
    ];
    for (email, users, end_users) in table {
        let token = fixture.token(email).await;
        for oem in [oem.id.to_string(), oem.key.clone()] {
            let all = fixture.get(&token, &format!("/oems/{oem}/users.json")).await.body;
            assert_eq!(emails(&all), users, "{email}");
            let without_role = fixture.get(&token, &format!("/oems/{oem}/end_users.json")).await.body;
            assert_eq!(emails(&without_role), end_users, "{email}");
        }
        let page = fixture.get(&token, &format!("/oems/{}/users?paginated=true", oem.id)).await.body;
        assert_eq!(page["total"], users.len());
        for path in ["index_by_role?role=", "index_by_label?role="] {
            let found = fixture.get(&token, &format!("/api/v1/users/{path}No::Such::Role")).await;
            assert_eq!((found.status, found.body), (200, json!([])));
        }
    }
    let partner = fixture.token(World::PARTNER_ADMIN_A).await;
    let admins = fixture.get(&partner, &format!("/api/v1/users/index_by_role?role={ADMIN}")).await.body;
    assert_eq!(emails(&admins), [World::PARTNER_ADMIN_A]);
    for (query, expected) in [
        ("&key=partner_id&value=A", 1),
        ("&value=B", 0),
        ("&key=zone", 0),
        ("&key=zone&value=A", 0),
        ("&key=partner_id", 1),
    ] {
        let found = fixture.get(&partner, &format!("/api/v1/users/index_by_role?role={TECHNICIAN}{query}")).await.body;
        assert_eq!(emails(&found).len(), expected, "{query}");
    }
}

#[tokio::test]
async fn index_by_oem_lists_every_user_of_the_manufacturer() {
    let fixture = Fixture::start().await;
    for caller in [World::ADMIN, World::OBSERVER] {
        let token = fixture.token(caller).await;
        let list = fixture.get(&token, "/api/v1/users/index_by_oem.json").await.body;
        assert_eq!(emails(&list), EVERYBODY, "{caller}");
        for entry in list.as_array().unwrap() {
            let read = fixture.get(&token, &format!("/users/{}.json", entry["user"]["id"])).await.body;
            assert_eq!(read["user"], entry["user"]);
        }
    }
}

#[tokio::test]
async fn list_items_are_flat_and_nested_with_their_roles() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::OBSERVER).await;
    let path = format!("/oems/{}/users?filter[email]={}", fixture.world.oem.id, World::TECHNICIAN_A.to_uppercase());
    let mut item = fixture.get(&token, &path).await.body[0].take();
    let nested = item.as_object_mut().unwrap().remove("user").unwrap();
    assert_eq!(item, nested);
    let tags = json!([{ "namespace": TECHNICIAN, "key": "partner_id", "value": "A" }]);
    assert_eq!((&item["role"], &item["role_tags"]), (&json!(TECHNICIAN), &tags));
    let read = fixture.get(&token, &format!("/users/{}", item["id"])).await.body;
    assert_eq!(read["user"], item);
}

#[tokio::test]
async fn lists_are_paged_ordered_filtered_and_walked_by_key() {
    let fixture = Fixture::start().await;
    for n in 0..5 {
        let user = NewUser {
            email: format!("walker{n}@example.com"),
            password: PASSWORD.into(),
            lastname: Some(format!("Walker {}", 4 - n)),
            company: (n > 2).then(|| "Moss & Co".to_owned()),
            confirmed: n == 0,
            ..NewUser::default()
        };
        fixture.cloud.operator().ensure_user(&fixture.world.oem, &user).await.unwrap();
    }
    let token = fixture.token(World::ADMIN).await;
    let list = async |query: &str| {
        fixture.get(&token, &format!("/oems/{}/users?paginated=true&{query}", fixture.world.oem.id)).await
    };
    let names = |page: &Value| -> Vec<String> {
        page["users"].as_array().unwrap().iter().map(|user| user["lastname"].as_str().unwrap().to_owned()).collect()
    };
    let page = list("filter[company]=Moss%20%26%20Co&filter[order_by]=lastname&filter[order]=desc").await.body;
    assert_eq!((names(&page), &page["total"]), (vec!["Walker 1".to_owned(), "Walker 0".to_owned()], &json!(2)));
    let page = list("filter[confirmed]=false&order_by=lastname&order=ASC&per_page=2&page=2").await.body;
    assert_eq!((names(&page)[0].as_str(), &page["total"], &page["next_page"]), ("Walker 1", &json!(5), &json!(3)));
    let page = list("order_by=company&order=asc&per_page=2").await.body;
    assert_eq!(names(&page), ["Walker 1", "Walker 0"]);

    let (mut walked, mut last) = (Vec::new(), json!(0));
    loop {
        let page = list(&format!("order_by=key&per_page=3&filter[key_after]={last}")).await.body;
        let Some(user) = page["users"].as_array().unwrap().last() else { break };
        last = user["id"].clone();
        walked.extend(page["users"].as_array().unwrap().iter().map(|user| user["id"].as_i64().unwrap()));
    }
    assert_eq!((walked.len(), walked.is_sorted()), (13, true));

    for (query, field) in [
        ("order_by=shoe_size", "order_by"),
        ("order=sideways", "order"),
        ("page=0", "page"),
        ("per_page=x", "per_page"),
        ("filter[key_after]=x", "key_after"),
        ("filter[confirmed]=maybe", "filter"),
        ("filter[id]=x", "filter"),
        ("filter[created_at]=now", "filter"),
    ] {
        let answer = list(query).await;
        assert_eq!((answer.status, answer.body["errors"][field][0].is_string()), (422, true), "{query}");
    }
    assert_eq!(list("filter[shoe_size]=44&per_page=100000").await.body["total"], 13);
}
