//! Callers that disconnect while the cloud handles their request, at each point where it waits.

use cloud::testing::{Fault, TestCloud, World};
use futures::FutureExt;
use platform::bus::Subscription;
use platform::testing::TestDb;
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::Fixture;

/// How often a request can be polled before a test gives up.
const MOST_POLLS: usize = 1_000;

platform::on_both_databases![
    command_of_a_caller_who_disconnects_is_stored_and_published_or_neither,
    role_change_of_a_caller_who_disconnects_is_stored_and_published_or_neither,
];

async fn start_on(database: &TestDb) -> Fixture {
    let url = database.url.clone();
    Fixture::on(TestCloud::start_with(move |config| config.database_url = url).await).await
}

/// The number of messages published since the last call.
fn published(subscription: &mut Subscription) -> usize {
    std::iter::from_fn(|| subscription.next().now_or_never().flatten()).count()
}

impl Fixture {
    /// Sends a request whose caller disconnects after this many polls. Returns whether it was answered before.
    async fn answers_within(&self, polls: usize, method: Method, path: &str, token: &str, body: &Value) -> bool {
        self.cloud.faults().push(Fault::Disconnect { after: polls });
        let request = self.request(method, path).header("authorization", format!("auth_token {token}")).json(body);
        let answer = request.send().await;
        self.cloud.writes_ended().await;
        answer.is_ok_and(|answer| answer.error_for_status().is_ok())
    }
}

async fn command_of_a_caller_who_disconnects_is_stored_and_published_or_neither(database: &TestDb) {
    let fixture = start_on(database).await;
    let token = fixture.token(World::TECHNICIAN_A).await;
    let [mut wakes, mut events] = ["link.", "events"].map(|subject| fixture.cloud.bus().subscribe(subject));
    let mut stored = 0;
    for polls in 0..MOST_POLLS {
        let value = json!(polls % 90 + 1);
        let body = json!({ "datapoint": { "value": value } });
        let path = "/apiv1/dsns/DEV-A1/properties/intensity/datapoints";
        let answered = fixture.answers_within(polls, Method::POST, path, &token, &body).await;
        let is_stored = fixture.property(&token, "DEV-A1", "intensity").await["value"] == value;
        assert_eq!(published(&mut wakes), usize::from(is_stored), "wakes of the device after {polls} polls");
        assert_eq!(published(&mut events), usize::from(is_stored), "events after {polls} polls");
        stored += usize::from(is_stored);
        if answered {
            assert!(is_stored && stored < polls + 1);
            return;
        }
    }
    panic!("not answered after {MOST_POLLS} polls");
}

async fn role_change_of_a_caller_who_disconnects_is_stored_and_published_or_neither(database: &TestDb) {
    let fixture = start_on(database).await;
    let admin = fixture.token(World::ADMIN).await;
    let mut changes = fixture.cloud.bus().subscribe("rights.");
    let role = json!({ "user_email": World::TECHNICIAN_A, "role": "OEM::Partner::Observer" });
    let mut has_role = false;
    for polls in 0..MOST_POLLS {
        let call = if has_role { "revoke_role" } else { "assign_role" };
        let path = format!("/api/v1/users/{call}");
        let answered = fixture.answers_within(polls, Method::PUT, &path, &admin, &role).await;
        let roles = format!("/api/v1/users/role_users?user_email={}", World::TECHNICIAN_A);
        let roles = fixture.get(&admin, &roles).await;
        assert_eq!(roles.status, 200, "{}", roles.body);
        let had_role = std::mem::replace(&mut has_role, roles.body.to_string().contains("Observer"));
        assert_eq!(published(&mut changes), usize::from(has_role != had_role), "after {polls} polls");
        if answered {
            assert_ne!(has_role, had_role);
            return;
        }
    }
    panic!("not answered after {MOST_POLLS} polls");
}
