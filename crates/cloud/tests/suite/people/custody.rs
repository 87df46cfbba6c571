//! A partner's administrator changes the role of a user in four steps, and may stop after any of them.

use cloud::testing::World;
use serde_json::{Value, json};

use super::{ADMIN, TECHNICIAN, new_user};
use crate::client::{Answer, Fixture};

const OBSERVER: &str = "OEM::Partner::Observer";
const STEPS: usize = 4;

/// A user of partner A, the subject, and the administrators that deal with the user.
struct Stage {
    fixture: Fixture,
    admin: String,
    partner: String,
    other_partner: String,
    email: String,
    id: Value,
}

impl Stage {
    async fn start() -> Self {
        let fixture = Fixture::start().await;
        let (admin, partner) = (fixture.token(World::ADMIN).await, fixture.token(World::PARTNER_ADMIN_A).await);
        let other_partner = fixture.token(World::PARTNER_ADMIN_B).await;
        let id = fixture.user(World::TECHNICIAN_A).await["id"].take();
        Self { fixture, admin, partner, other_partner, email: World::TECHNICIAN_A.into(), id }
    }

    /// Creates a user of partner A as the subject.
    async fn with(mut self, email: &str, role: &str) -> Self {
        let body = json!({ "user": new_user(email)["user"], "role": role });
        let made = self.fixture.post(&self.partner, "/api/v1/users/create_associated_user", body).await;
        assert_eq!(made.status, 201);
        (self.email, self.id) = (email.into(), made.body["id"].clone());
        self
    }

    async fn change(&self, token: &str, call: &str, role: &str, partner: &str) -> u16 {
        let label = json!({ "partner_id": partner });
        let body = json!({ "user_email": self.email, "role": role, "label": label, "label_key": "partner_id" });
        self.fixture.put(token, &format!("/api/v1/users/{call}"), body).await.status
    }

    async fn step(&self, step: usize, from: &str, to: &str) -> u16 {
        let (call, role) =
            [("revoke_label", from), ("revoke_role", from), ("assign_role", to), ("assign_label", to)][step];
        self.change(&self.partner, call, role, "A").await
    }

    async fn read(&self, token: &str) -> Answer {
        self.fixture.get(token, &format!("/users/{}", self.id)).await
    }

    async fn is_listed_for(&self, token: &str) -> bool {
        let list = self.fixture.get(token, &format!("/oems/{}/users", self.fixture.world.oem.id)).await.body;
        list.as_array().unwrap().iter().any(|user| user["id"] == self.id)
    }

    async fn custody(&self) -> Value {
        self.read(&self.admin).await.body["custody"].take()
    }

    /// Asserts that the subject does not exist for the other partner's administrator.
    async fn assert_hidden_from_other_partner(&self) {
        let (token, path) = (&self.other_partner, format!("/users/{}", self.id));
        assert_eq!(self.read(token).await.status, 404);
        assert!(!self.is_listed_for(token).await);
        let profile = json!({ "user": { "city": "Lyon" } });
        assert_eq!(self.fixture.put(token, &path, profile).await.status, 404);
        assert_eq!(self.fixture.delete(token, &format!("/admin{path}")).await.status, 404);
        for call in ["assign_role", "revoke_role", "assign_label", "revoke_label", "associate_role_user"] {
            for partner in ["A", "B"] {
                assert_eq!(self.change(token, call, ADMIN, partner).await, 404, "{call} {partner}");
            }
        }
        let roles = format!("/api/v1/users/role_users?user_email={}", self.email);
        assert_eq!(self.fixture.get(token, &roles).await.status, 404);
    }
}

fn of_a() -> Value {
    json!({ "key": "partner_id", "value": "A" })
}

#[tokio::test]
async fn change_of_role_succeeds_and_hides_the_user_from_other_partners() {
    for (from, to) in [
        (TECHNICIAN, ADMIN),
        (TECHNICIAN, OBSERVER),
        (OBSERVER, ADMIN),
        (OBSERVER, TECHNICIAN),
        (ADMIN, OBSERVER),
        (ADMIN, TECHNICIAN),
        (TECHNICIAN, TECHNICIAN),
    ] {
        let stage = Stage::start().await.with("mover@example.org", from).await;
        let token = stage.fixture.token(&stage.email).await;
        for step in 0..STEPS {
            assert_eq!(stage.step(step, from, to).await, 204, "{from} → {to}: step {step}");
            let person = stage.read(&stage.partner).await;
            assert_eq!((person.status, stage.is_listed_for(&stage.partner).await), (200, true), "{step}");
            stage.assert_hidden_from_other_partner().await;

            let between = step < 2;
            let custody = if between { of_a() } else { Value::Null };
            assert_eq!((&person.body["custody"], &person.body["user"]["custody"]), (&custody, &custody), "{step}");
            let role = [from, "EndUser", to, to][step];
            assert_eq!(person.body["role"], role);
            assert_eq!(person.body["role_tags"].as_array().unwrap().is_empty(), between);
            // The person has the rights of the new role, or none.
            let device = stage.fixture.get(&token, "/apiv1/dsns/DEV-A1").await.status;
            assert_eq!(device, if between { 404 } else { 200 }, "{step}");
            let own = stage.fixture.get(&token, "/users/get_user_profile").await.body;
            assert_eq!((&own["role"], own.get("custody")), (&json!(role), None));
            let people = stage.fixture.get(&token, &format!("/oems/{}/users", stage.fixture.world.oem.id)).await.body;
            let others = people.as_array().is_some_and(|people| people.iter().any(|user| user["id"] != stage.id));
            assert_eq!(others, !between && to != TECHNICIAN, "{step}");
        }
    }
}

#[tokio::test]
async fn interrupted_change_of_role_can_be_repeated() {
    for done in 0..=STEPS {
        let stage = Stage::start().await;
        for step in 0..done {
            assert_eq!(stage.step(step, TECHNICIAN, OBSERVER).await, 204);
        }
        for step in 0..STEPS {
            let status = stage.step(step, TECHNICIAN, OBSERVER).await;
            // A label or role that was revoked cannot be revoked again.
            let expected = if step < 2 && done > step { 404 } else { 204 };
            assert_eq!(status, expected, "step {step} after {done}");
        }
        let person = stage.read(&stage.partner).await.body;
        let tags = json!([{ "namespace": OBSERVER, "key": "partner_id", "value": "A" }]);
        assert_eq!((&person["role"], &person["role_tags"], person.get("custody")), (&json!(OBSERVER), &tags, None));
    }
}

#[tokio::test]
async fn role_granted_again_gets_its_label_back() {
    let stage = Stage::start().await;
    assert_eq!(stage.step(0, TECHNICIAN, ADMIN).await, 204);
    assert_eq!(stage.change(&stage.partner, "assign_role", TECHNICIAN, "A").await, 204);
    assert_eq!(stage.read(&stage.partner).await.body["role_tags"][0]["value"], "A");
    assert_eq!(stage.custody().await, Value::Null);
}

#[tokio::test]
async fn several_roles_are_revoked_one_by_one() {
    let stage = Stage::start().await;
    assert_eq!(stage.change(&stage.partner, "assign_role", OBSERVER, "A").await, 204);
    // A role without a label beside one with a label: the user still belongs to the partner.
    assert_eq!(stage.step(0, TECHNICIAN, ADMIN).await, 204);
    assert_eq!(stage.custody().await, of_a());
    assert_eq!(stage.step(2, TECHNICIAN, ADMIN).await, 204);
    assert_eq!(stage.custody().await, of_a(), "one role has no label yet");
    assert_eq!(stage.step(1, TECHNICIAN, ADMIN).await, 204);
    assert_eq!(stage.custody().await, Value::Null);
    assert_eq!(stage.change(&stage.partner, "revoke_role", OBSERVER, "A").await, 204);
    assert_eq!(
        (stage.custody().await, stage.read(&stage.partner).await.body["role"].take()),
        (Value::Null, json!(ADMIN))
    );
}

#[tokio::test]
async fn user_in_custody_can_be_edited_and_deleted_by_the_partner() {
    let stage = Stage::start().await.with("leaver@example.org", TECHNICIAN).await;
    assert_eq!(stage.step(1, TECHNICIAN, ADMIN).await, 204);
    let path = format!("/users/{}", stage.id);
    let changed = stage.fixture.put(&stage.partner, &path, json!({ "user": { "city": "Lyon" } })).await;
    assert_eq!((changed.status, &changed.body["city"], &changed.body["custody"]), (200, &json!("Lyon"), &of_a()));
    let observer = stage.fixture.token(World::PARTNER_OBSERVER_A).await;
    assert_eq!(stage.read(&observer).await.status, 200);
    let end_users = format!("/oems/{}/end_users", stage.fixture.world.oem.id);
    let found = stage.fixture.get(&stage.partner, &end_users).await.body;
    assert_eq!((&found[0]["id"], &found[0]["custody"]), (&stage.id, &of_a()));
    // The confirmation mail can still be sent.
    let application = json!({ "app_id": cloud::testing::APP_ID, "app_secret": cloud::testing::APP_SECRET });
    let request = json!({ "user": { "email": stage.email, "application": application } });
    assert_eq!(stage.fixture.post(&stage.partner, "/users/confirmation", request).await.status, 201);
    assert_eq!(stage.fixture.delete(&stage.partner, &format!("/admin{path}")).await.status, 204);
    // A new user with the same address belongs to no partner.
    let made = stage.fixture.post(&stage.admin, "/users", new_user("leaver@example.org")).await.body;
    assert_eq!((made["role"].as_str(), made.get("custody")), (Some("EndUser"), None));
    let path = format!("/users/{}", made["id"]);
    assert_eq!(stage.fixture.get(&stage.partner, &path).await.status, 404);
}

#[tokio::test]
async fn manufacturer_administrator_ends_custody_by_granting_a_role() {
    for (call, role) in [("assign_role", OBSERVER), ("assign_label", OBSERVER), ("assign_role", "OEM::Observer")] {
        let stage = Stage::start().await;
        assert_eq!(stage.change(&stage.partner, "assign_role", OBSERVER, "A").await, 204);
        assert_eq!(stage.change(&stage.partner, "revoke_label", OBSERVER, "A").await, 204);
        assert_eq!(stage.change(&stage.admin, "revoke_role", TECHNICIAN, "A").await, 204);
        assert_eq!((stage.custody().await, stage.read(&stage.partner).await.status), (of_a(), 200));
        assert_eq!(stage.change(&stage.admin, call, role, "B").await, 204);
        assert_eq!(stage.custody().await, Value::Null, "{call}");
        assert_eq!(stage.read(&stage.partner).await.status, 404);
        // The user stays invisible to the partner even after that role is revoked.
        assert_eq!(stage.change(&stage.admin, "revoke_role", role, "B").await, 204);
        assert_eq!(stage.read(&stage.partner).await.status, 404);
        let seen = stage.read(&stage.other_partner).await.status;
        assert_eq!(seen, 404, "a user whose role the manufacturer revoked belongs to no partner");
    }
}

#[tokio::test]
async fn user_who_never_belonged_to_the_partner_is_not_taken_into_custody() {
    let fixture = Fixture::start().await;
    let (admin, partner) = (fixture.token(World::ADMIN).await, fixture.token(World::PARTNER_ADMIN_A).await);
    let customer = json!({ "role": TECHNICIAN, "label": { "partner_id": "A" }, "user_email": World::UNCONFIRMED });
    assert_eq!(fixture.put(&admin, "/api/v1/users/associate_role_user", customer).await.status, 204);
    for (email, expected) in [
        (World::END_USER, 404),
        (World::ADMIN, 404),
        (World::PARTNER_ADMIN_B, 404),
        (World::MACHINE, 404),
        // A partner may read its customers but not change them; nobody changes the own roles.
        (World::UNCONFIRMED, 403),
        (World::PARTNER_ADMIN_A, 403),
    ] {
        for role in [ADMIN, TECHNICIAN, "OEM::Admin"] {
            let body = json!({
                "user_email": email, "role": role, "label": { "partner_id": "A" }, "label_key": "partner_id",
            });
            for call in ["revoke_label", "revoke_role", "assign_role", "assign_label"] {
                let status = fixture.put(&partner, &format!("/api/v1/users/{call}"), body.clone()).await.status;
                assert_eq!(status, expected, "{call} {role} of {email}");
            }
        }
    }
    for user in fixture.get(&admin, "/api/v1/users/index_by_oem").await.body.as_array().unwrap() {
        assert_eq!(user.get("custody"), None, "{user}");
    }
}
