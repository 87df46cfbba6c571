//! Calls about users: each caller with a user in scope and with a user of another partner.

use std::sync::atomic::{AtomicUsize, Ordering};

use cloud::operator::NewUser;
use cloud::testing::{APP_ID, APP_SECRET, PASSWORD, RouteEntry, World};
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::Fixture;

const TECHNICIAN: &str = "OEM::Partner::Technician";

/// A call and its expected status. `None` for a user in scope: the permissions table defines that status.
struct Call {
    path: String,
    body: Option<Value>,
    expected: Option<u16>,
}

/// A new user, and the user's id.
async fn fresh(fixture: &Fixture, partner: Option<&str>) -> (String, Value) {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let email = format!("fresh{}@example.com", COUNT.fetch_add(1, Ordering::Relaxed));
    let user = NewUser {
        email: email.clone(),
        password: PASSWORD.into(),
        role: partner.map(|_| TECHNICIAN.into()),
        label: partner.map(Into::into),
        confirmed: true,
        ..NewUser::default()
    };
    fixture.cloud.operator().ensure_user(&fixture.world.oem, &user).await.unwrap();
    let id = fixture.user(&email).await["id"].take();
    (email, id)
}

/// Associates a user as a customer with the role users of this label.
async fn customer(fixture: &Fixture, email: &str, partner: &str) {
    // There has to be a role user with the label.
    fresh(fixture, Some(partner)).await;
    let body = json!({ "role": TECHNICIAN, "label": { "partner_id": partner }, "user_email": email });
    let admin = fixture.token(World::ADMIN).await;
    assert_eq!(fixture.put(&admin, "/api/v1/users/associate_role_user", body).await.status, 204);
}

/// The status of the call on a user in scope, and the wrong statuses on other users. `None` if the call concerns no
/// user.
pub(super) async fn statuses(
    fixture: &Fixture,
    route: RouteEntry,
    column: &str,
    email: Option<&str>,
) -> Option<(u16, Vec<String>)> {
    let (own, others) = calls(fixture, route, column, email).await?;
    let token = match email {
        Some(email) => Some(fixture.token(email).await),
        None => None,
    };
    let method = || Method::from_bytes(route.method.as_bytes()).unwrap();
    let status = fixture.call(method(), &own.path, token.as_deref(), own.body).await.status;
    let mut wrong = Vec::new();
    for Call { path, body, expected } in others.into_iter().filter(|_| token.is_some()) {
        let status = fixture.call(method(), &path, token.as_deref(), body.clone()).await.status;
        if Some(status) != expected {
            let expected = expected.unwrap();
            wrong.push(format!("{} {path} as {column} with {body:?}: {status}, not {expected}", route.method));
        }
    }
    Some((status, wrong))
}

#[expect(clippy::too_many_lines, reason = "a table")]
async fn calls(fixture: &Fixture, route: RouteEntry, column: &str, email: Option<&str>) -> Option<(Call, Vec<Call>)> {
    let is_alone = matches!(column, "no_role" | "CspTech");
    let is_partner = matches!(column, "CspAdmin" | "CspObserver");
    let may_manage = matches!(column, "OEM::Admin" | "CspAdmin");
    let call = |path: String, body: Option<Value>, expected: Option<u16>| Call { path, body, expected };
    match route.path {
        "/oems/{oem}/users" | "/oems/{oem}/end_users" => {
            let path = |oem: &str| route.path.replace("{oem}", oem);
            let others = vec![call(path("999999999"), None, Some(404)), call(path("ffffffff"), None, Some(404))];
            Some((call(path(&fixture.world.oem.key), None, None), others))
        }
        "/users" if route.method == "POST" => Some((call(route.path.into(), Some(new_user(None)), None), vec![])),
        "/api/v1/users/create_role_user" | "/api/v1/users/create_associated_user" => {
            let create = |partner, expected| call(route.path.into(), Some(new_user(Some(partner))), expected);
            let others = if may_manage && is_partner { vec![create("B", Some(403))] } else { vec![] };
            Some((create("A", None), others))
        }
        "/users/{id}" | "/admin/users/{id}" => {
            let path = |id: Value| route.path.replace("{id}", &id.to_string());
            let body = || (route.method == "PUT").then(|| json!({ "user": { "city": "Paris" } }));
            let own = match email {
                Some(email) if is_alone => fixture.user(email).await["id"].take(),
                _ => fresh(fixture, Some("A")).await.1,
            };
            let machine = machine(fixture).await;
            let mut others = vec![call(path(machine), body(), Some(404))];
            if is_alone || is_partner {
                let other = fresh(fixture, Some(if is_alone { "A" } else { "B" })).await.1;
                others.push(call(path(other), body(), Some(404)));
            }
            if column == "CspAdmin" && route.method != "GET" {
                // Administrators cannot change their own record with this call.
                others.push(call(path(fixture.user(email.unwrap()).await["id"].take()), body(), Some(403)));
            }
            Some((call(path(own), body(), None), others))
        }
        "/api/v1/users/role_users" => {
            let path = |email: &str| format!("{}?user_email={email}", route.path);
            let own = match email {
                Some(email) if is_alone => email.to_owned(),
                _ => fresh(fixture, Some("A")).await.0,
            };
            let mut others = vec![call(path(World::MACHINE), None, Some(404))];
            if is_alone || is_partner {
                others.push(call(path(World::PARTNER_ADMIN_B), None, Some(404)));
            }
            Some((call(path(&own), None, None), others))
        }
        "/api/v1/users/index_by_role" | "/api/v1/users/index_by_label" => {
            Some((call(format!("{}?role={TECHNICIAN}", route.path), None, None), vec![]))
        }
        "/api/v1/users/index_by_oem" => Some((call(route.path.into(), None, None), vec![])),
        "/api/v1/users/assign_role"
        | "/api/v1/users/revoke_role"
        | "/api/v1/users/assign_label"
        | "/api/v1/users/revoke_label" => {
            let change = |email: String, expected| {
                let body = json!({
                    "user_email": email, "role": TECHNICIAN, "label": { "partner_id": "A" }, "label_key": "partner_id",
                });
                call(route.path.into(), Some(body), expected)
            };
            let mut others = Vec::new();
            if may_manage {
                others.push(change(World::MACHINE.into(), Some(404)));
            }
            if column == "CspAdmin" {
                others.push(change(fresh(fixture, Some("B")).await.0, Some(404)));
                others.push(change(World::PARTNER_ADMIN_A.into(), Some(403)));
            }
            Some((change(fresh(fixture, Some("A")).await.0, None), others))
        }
        "/api/v1/users/associate_role_user"
        | "/api/v1/users/disassociate_role_user"
        | "/api/v1/users/disassociate_user" => {
            let begins = route.path.ends_with("/associate_role_user");
            let body = |email: &str, partner: &str| {
                let label = json!({ "partner_id": partner });
                json!({ "role": TECHNICIAN, "label": label, "label_key": "partner_id", "user_email": email })
            };
            let own = match email {
                Some(email) if column == "no_role" => email.to_owned(),
                _ => fresh(fixture, None).await.0,
            };
            let other = fresh(fixture, None).await.0;
            if !begins {
                customer(fixture, &own, "A").await;
                customer(fixture, &other, "B").await;
            }
            let others = match column {
                // A customer of others; or, for a partner's administrator, a label of another partner.
                "no_role" if !route.path.ends_with("/disassociate_user") => vec![(other, "A", 404)],
                "CspAdmin" if begins => vec![(other, "B", 403), (World::TECHNICIAN_A.into(), "A", 404)],
                "CspAdmin" if route.path.ends_with("/disassociate_user") => vec![(other, "B", 404)],
                _ => vec![],
            };
            let others = others
                .into_iter()
                .map(|(email, partner, status)| call(route.path.into(), Some(body(&email, partner)), Some(status)));
            Some((call(route.path.into(), Some(body(&own, "A")), None), others.collect()))
        }
        _ => None,
    }
}

fn new_user(partner: Option<&str>) -> Value {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let application = json!({ "app_id": APP_ID, "app_secret": APP_SECRET });
    let user = json!({
        "email": format!("made{count}@example.com"), "password": PASSWORD, "firstname": "Jo", "lastname": "Moss",
        "application": application,
    });
    json!({ "user": user, "role": TECHNICIAN, "label": partner.map(|value| json!({ "partner_id": value })) })
}

/// The id of the machine account. Lists do not contain machine accounts, so the account reads its own profile.
async fn machine(fixture: &Fixture) -> Value {
    let token = fixture.token(World::MACHINE).await;
    fixture.get(&token, "/users/get_user_profile").await.body["id"].take()
}
