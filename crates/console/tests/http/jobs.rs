//! Jobs: access, limits, progress events, and recovery after failures.

use std::time::Duration;

use cloud::testing::{Fault, TestCloud};
use console::Console;
use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, params};
use platform::nodes::lease;
use platform::run::clock::Clock;
use platform::testing::{TestDb, pause};
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::copy;
use crate::killable_console::KillableConsole;
use crate::reports;
use crate::second_factor::add_app;
use crate::world::*;

/// Lifetime of a node's claim on a job.
pub(crate) const CLAIM_SECS: i64 = 30;
/// Limit of running and waiting jobs per user.
const MAX_JOBS_PER_USER: usize = 5;
/// Number of targets of a job that are processed concurrently.
pub(crate) const CONCURRENT_TARGETS: usize = 4;
/// Lets one request to the cloud through.
pub(crate) const PASS: Fault = Fault::Delay(Duration::ZERO);
/// Longer than any test runs.
pub(crate) const HANG: Duration = Duration::from_secs(3600);

/// Starts a bulk edit and returns its job once it has ended, or the error response if it is refused.
pub(crate) async fn assign(browser: &mut Browser, dsns: &[&str], csp: &str) -> Value {
    let answer = start(browser, dsns, csp).await;
    if answer["state"].is_null() { answer } else { ended(browser, &answer).await }
}

async fn start(browser: &mut Browser, dsns: &[&str], csp: &str) -> Value {
    browser.put("/api/devices/csp", &json!({ "dsns": dsns, "csp": csp })).await.body
}

/// Polls the job until it has ended.
pub(crate) async fn ended(browser: &mut Browser, job: &Value) -> Value {
    loop {
        let job = read(browser, job).await;
        if job["state"] != "running" {
            return job;
        }
        pause().await;
    }
}

pub(crate) fn path(job: &Value) -> String {
    format!("/api/jobs/{}", job["id"].as_str().unwrap())
}

async fn read(browser: &mut Browser, job: &Value) -> Value {
    let answer = browser.get(&path(job)).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body
}

async fn post(browser: &mut Browser, job: &Value, action: &str) -> Value {
    let answer = browser.post(&format!("{}/{action}", path(job)), &Value::Null).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body
}

/// Adds devices of North that a job can assign to South.
pub(crate) async fn fleet(world: &World, count: usize) -> Vec<String> {
    let dsns: Vec<String> = (0..count).map(|number| format!("SC-F{number:02}")).collect();
    let devices: Vec<_> = dsns.iter().map(|dsn| device(dsn, Some("North"), "AQ380")).collect();
    world.cloud.operator().add_devices(&world.oem, &devices).await.unwrap();
    dsns
}

pub(crate) fn texts(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

/// Starts a job that hangs after `after` requests to the cloud, and returns once it hangs.
async fn start_hanging_job(cloud: &TestCloud, browser: &mut Browser, dsns: &[String], after: usize) -> Value {
    for _ in 0..after {
        cloud.faults().push(PASS);
    }
    for _ in 0..CONCURRENT_TARGETS {
        cloud.faults().push(Fault::Delay(HANG));
    }
    let job = start(browser, &texts(dsns), "South").await;
    while cloud.faults().waiting() > 0 {
        pause().await;
    }
    job
}

/// The number of audit entries of a device: one for each attempt to assign it.
async fn count_audit_entries(browser: &mut Browser, dsn: &str) -> usize {
    browser.get(&format!("/api/audit?target={dsn}")).await.body["entries"].as_array().unwrap().len()
}

/// A half-done job whose node was killed. Another node runs, and the claim of the killed node has not expired.
pub(crate) struct Orphan {
    cloud: TestCloud,
    clock: Clock,
    node: Console,
    /// The browser of the user who started the job, connected to the other node.
    pub(crate) browser: Browser,
    pub(crate) dsns: Vec<String>,
    pub(crate) job: Value,
}

impl Orphan {
    pub(crate) async fn make(database: &TestDb) -> Self {
        let world = World::start_without_background_reads_on(database).await;
        let (browser, dsns) = (world.signed_in(ADMIN).await, fleet(&world, 12).await);
        let (killable_console, next) = (KillableConsole::start(&world).await, world.another_console(|_| {}));
        let World { cloud, clock, console, .. } = world;
        // Leaves only the killable console to take the job.
        console.shutdown().await;
        // A device takes eight requests, so after 60 some targets are done and others are not.
        let job = start_hanging_job(&cloud, &mut browser.at(killable_console.console.addr()), &dsns, 60).await;
        killable_console.kill();
        // The killed node may hold the lease for passes; the next node waits for its end when it starts.
        clock.advance(lease::LIFETIME);
        let node = next.await;
        let browser = browser.at(node.addr());
        Self { cloud, clock, node, browser, dsns, job }
    }

    pub(crate) fn expire_claim(&self) {
        self.clock.advance(SignedDuration::from_secs(CLAIM_SECS));
    }
}

fn counts(total: usize, waiting: usize, done: usize, failed: usize, cancelled: usize) -> Value {
    json!({ "total": total, "waiting": waiting, "done": done, "failed": failed, "left": 0, "cancelled": cancelled })
}

#[tokio::test]
async fn job_is_visible_to_its_owner_and_to_oem_admins() {
    let world = World::start().await;
    // An ended job of the technician, with a failed target to retry.
    let id = "01930000-0000-7000-8000-000000000001";
    let database = Db::connect(&world.database).await.unwrap();
    let starter = world.user_id(NORTH_TECH).await;
    let sql = "insert into jobs (id, operation, work, user_id, email, session, state, created_at) \
               values ($1, '', $2, $3, '', 'x', 'done', 0)";
    let work = r#"{"kind":"assign_csp","csp":"North"}"#;
    database.execute(sql, params![id, work, starter.as_str()]).await.unwrap();
    let sql = "insert into job_targets (job_id, position, dsn, state) values ($1, 0, 'SC-NONE', 'failed')";
    database.execute(sql, params![id]).await.unwrap();
    let calls = [("GET", ""), ("POST", "/cancel"), ("POST", "/retry"), ("POST", "/undo")];
    for email in [OBSERVER, NORTH_ADMIN, NORTH_OBSERVER, SOUTH_ADMIN, NO_ROLE, END_USER] {
        let mut browser = world.signed_in(email).await;
        for (method, rest) in calls {
            let request = browser.request(method.parse().unwrap(), &format!("/api/jobs/{id}{rest}"));
            let answer = browser.send(request).await;
            assert_eq!((answer.status, answer.code()), (404, "not_found"), "{method} {rest} by {email}");
        }
    }
    for (email, retried) in [(NORTH_TECH, 403), (ADMIN, 200)] {
        let mut browser = world.signed_in(email).await;
        for ((method, rest), expected) in calls.into_iter().zip([200, 200, retried, 409]) {
            let request = browser.request(method.parse().unwrap(), &format!("/api/jobs/{id}{rest}"));
            assert_eq!(browser.send(request).await.status, expected, "{method} {rest} by {email}");
        }
    }
    for (method, rest) in calls {
        let request = world.browser().request(method.parse().unwrap(), &format!("/api/jobs/{id}{rest}"));
        assert_eq!(world.browser().send(request).await.status, 401, "{method} {rest}");
    }
    let mut admin = world.signed_in(ADMIN).await;
    for unknown in ["01930000-0000-7000-8000-000000000002", "x", "1%00"] {
        assert_eq!(admin.get(&format!("/api/jobs/{unknown}")).await.status, 404, "{unknown}");
    }
}

#[tokio::test]
async fn cancelled_job_stops_and_continues_on_retry() {
    let world = World::start().await;
    let (mut admin, dsns) = (world.signed_in(ADMIN).await, fleet(&world, 12).await);
    let job = start_hanging_job(&world.cloud, &mut admin, &dsns, 0).await;
    assert_eq!(
        (&job["state"], &job["can"]),
        (&json!("running"), &json!({ "cancel": true, "retry": false, "undo": false }))
    );
    let refused = admin.post(&format!("{}/retry", path(&job)), &Value::Null).await;
    assert_eq!((refused.status, refused.code()), (409, "conflict"), "it runs");

    let cancelled = post(&mut admin, &job, "cancel").await;
    assert_eq!((&cancelled["state"], &cancelled["counts"]), (&json!("cancelled"), &counts(12, 0, 0, 0, 12)));
    assert_eq!(cancelled["can"], json!({ "cancel": false, "retry": true, "undo": false }));
    assert_eq!(cancelled["unfinished"].as_array().unwrap().len(), 12);
    assert_eq!(admin.dsns("&csp=North").await.len(), 2, "the fleet is not listed yet, so nothing of it was done");

    assert_eq!(post(&mut admin, &job, "retry").await["state"], "running");
    let done = ended(&mut admin, &job).await;
    assert_eq!((&done["state"], &done["counts"]), (&json!("done"), &counts(12, 0, 12, 0, 0)));
    assert_eq!(admin.dsns("&csp=South&dsn=SC-F").await, dsns);
    let again = post(&mut admin, &job, "cancel").await;
    assert_eq!(
        (&again["state"], &again["endedAt"]),
        (&json!("done"), &done["endedAt"]),
        "an ended job cannot be cancelled"
    );
}

#[tokio::test]
async fn job_limit_refuses_another_job_until_one_ends() {
    let world = World::start().await;
    let (mut admin, dsns) = (world.signed_in(ADMIN).await, fleet(&world, 12).await);
    let first = start_hanging_job(&world.cloud, &mut admin, &dsns, 0).await;
    // The second job takes the last slot of the node; further jobs wait.
    start_hanging_job(&world.cloud, &mut admin, &dsns, 0).await;
    for _ in 2..MAX_JOBS_PER_USER {
        assert_eq!(start(&mut admin, &[NORTH], "South").await["state"], "running");
    }
    let refused = admin.put("/api/devices/csp", &json!({ "dsns": [NORTH], "csp": "South" })).await;
    assert_eq!((refused.status, refused.code()), (409, "conflict"));
    assert_eq!(refused.body["detail"], "Too many jobs are still running. Please try again when one of them has ended.");
    post(&mut admin, &first, "cancel").await;
    assert_eq!(start(&mut admin, &[NORTH], "South").await["state"], "running");
    let refused = admin.post(&format!("{}/retry", path(&first)), &Value::Null).await;
    assert_eq!((refused.status, refused.code()), (409, "conflict"), "a retry counts towards the limit");
}

#[tokio::test]
async fn owner_of_a_job_gets_its_progress_events() {
    let world = World::start().await;
    let (mut admin, dsns) = (world.signed_in(ADMIN).await, fleet(&world, 3).await);
    let mut stream = admin.follow(&[]).await;
    let mut observer = world.signed_in(OBSERVER).await.follow(&[]).await;
    let job = start(&mut admin, &texts(&dsns), "South").await;
    loop {
        let actual = stream.until_event("job").await;
        assert_eq!((&actual["id"], &actual["counts"]["total"]), (&job["id"], &json!(3)));
        if actual["state"] != "running" {
            assert_eq!((&actual["state"], &actual["counts"]), (&json!("done"), &counts(3, 0, 3, 0, 0)));
            break;
        }
    }
    world.cloud.device(NORTH).await.connect().await;
    let (event, _) = observer.next().await.unwrap();
    assert_eq!(event, "list", "other users get no events of the job");
}

#[tokio::test]
async fn failed_target_has_its_reason_and_succeeds_on_retry() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    // The first write is refused.
    for fault in [PASS, Fault::UnprocessableEntity] {
        world.cloud.faults().push(fault);
    }
    let job = assign(&mut admin, &[NORTH], "South").await;
    let reason = json!("CSP was not saved: An injected fault.");
    assert_eq!((&job["state"], &job["unfinished"][0]["reason"]), (&json!("done"), &reason));
    let entry = admin.get(&format!("/api/audit?target={NORTH}")).await.body["entries"][0].clone();
    assert_eq!((&entry["result"], &entry["changes"][0]["saved"]), (&json!("failed"), &json!(false)));

    post(&mut admin, &job, "retry").await;
    let job = ended(&mut admin, &job).await;
    assert_eq!((&job["counts"], &job["unfinished"]), (&counts(1, 0, 1, 0, 0), &json!([])));
    assert_eq!(admin.listed(NORTH).await["csp"], "South");
    let refused = admin.post(&format!("{}/retry", path(&job)), &Value::Null).await;
    assert_eq!((refused.status, &refused.body["detail"]), (409, &json!("The job has nothing left to do.")));
}

/// Waits until the only job is paused, and lets it continue. Returns the seconds of the pause. Reads the database, because the
/// console checks no role while the cloud is unavailable.
async fn resume_after_pause(world: &World, database: &Db) -> i64 {
    let resumes_at = async || {
        let (time,): (Option<i64>,) = database.fetch_one("select resumes_at from jobs", params![]).await.unwrap();
        time.map(|micros| Timestamp::from_microsecond(micros).unwrap())
    };
    let until = loop {
        match resumes_at().await {
            Some(until) => break until,
            None => pause().await,
        }
    };
    let length = until.duration_since(world.clock.now());
    world.clock.advance(length);
    while resumes_at().await == Some(until) {
        pause().await;
    }
    length.as_secs()
}

#[tokio::test]
async fn unavailable_cloud_pauses_a_job_and_fails_no_target() {
    let world = World::start().await;
    let (mut admin, dsns) = (world.signed_in(ADMIN).await, fleet(&world, 12).await);
    let database = Db::connect(&world.database).await.unwrap();
    world.cloud.faults().set_unavailable(true);
    let job = start(&mut admin, &texts(&dsns), "South").await;
    let mut pauses = Vec::new();
    while pauses.iter().sum::<i64>() < 60 {
        pauses.push(resume_after_pause(&world, &database).await);
    }
    assert_eq!(pauses, [5, 10, 20, 40], "longer each time");
    let sql = "select state, count(*) from job_targets group by state";
    let states: Vec<(String, i64)> = database.fetch_all(sql, params![]).await.unwrap();
    assert_eq!(states, [("waiting".to_owned(), 12)]);

    // The run that has just begun still fails.
    while database.fetch_one::<(i64,)>("select pauses from jobs", params![]).await.unwrap().0 < 5 {
        pause().await;
    }
    world.cloud.faults().set_unavailable(false);
    resume_after_pause(&world, &database).await;
    let job = ended(&mut admin, &job).await;
    assert_eq!((&job["state"], &job["counts"]), (&json!("done"), &counts(12, 0, 12, 0, 0)));
    assert_eq!(job["resumesAt"], Value::Null);
}

#[tokio::test]
async fn target_fails_after_ten_failures_of_the_cloud() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let database = Db::connect(&world.database).await.unwrap();
    world.cloud.faults().set_unavailable(true);
    let job = start(&mut admin, &[NORTH], "South").await;
    for _ in 1..10 {
        resume_after_pause(&world, &database).await;
    }
    let sql = "select state from jobs";
    while database.fetch_one::<(String,)>(sql, params![]).await.unwrap().0 == "running" {
        pause().await;
    }
    world.cloud.faults().set_unavailable(false);
    let job = read(&mut admin, &job).await;
    assert_eq!((&job["state"], &job["counts"]), (&json!("done"), &counts(1, 0, 0, 1, 0)));
    assert_eq!(job["unfinished"][0]["reason"], "The device cloud cannot be reached.");
}

/// Moves a device to another CSP in the cloud, of which the console learns nothing.
async fn move_in_cloud(world: &World, dsn: &str, from: &str, to: &str) {
    let cloud = world.cloud_as(ADMIN).await;
    let key = cloud.devices().get(dsn).send().await.unwrap().key;
    for role in diffuser::Role::ALL.into_iter().filter(|role| role.is_csp_scoped()) {
        cloud.role_labels().disassociate(&key, role.name()).label("partner_id", from).send().await.unwrap();
        cloud.role_labels().associate(&key, role.name()).label("partner_id", to).send().await.unwrap();
    }
}

#[tokio::test]
async fn job_touches_only_devices_that_its_owner_and_its_session_may_edit() {
    let world = copy::start().await;
    let (mut tech, mut admin) = (world.signed_in(NORTH_TECH).await, world.signed_in(ADMIN).await);
    let start = format!("/api/devices/dsns/{}/copy", copy::SOURCE);
    for path in [start.clone(), format!("{start}/preview")] {
        let refused = tech.post(&path, &copy::body(&["copyName"], &[copy::TARGET, SOUTH, "SC-NONE", STOCK])).await;
        assert_eq!(refused.status, 422, "{path}");
        let text = format!("Not among your devices: {SOUTH}, SC-NONE, {STOCK}");
        assert_eq!(refused.body["errors"], json!({ "targets": [text] }), "{path}");
    }
    assert_eq!(admin.get("/api/jobs").await.body["jobs"], json!([]));

    // The device moves after the start: its owner may not edit it any more, and the session of the retry may.
    move_in_cloud(&world, copy::TARGET, "North", "South").await;
    let before = admin.device(copy::TARGET).await;
    let job = copy::copy(&mut tech, &["copyName", "location"], &[copy::TARGET]).await;
    let failed = json!([{ "dsn": copy::TARGET, "state": "failed", "reason": "There is no such thing here." }]);
    assert_eq!((&job["unfinished"], &job["retriedBy"]), (&failed, &Value::Null));
    post(&mut admin, &job, "retry").await;
    let job = ended(&mut admin, &job).await;
    assert_eq!((&job["unfinished"], &job["retriedBy"]), (&failed, &json!(ADMIN)));
    assert_eq!(job["startedBy"], NORTH_TECH);
    assert_eq!(copy::stored_values(admin.device(copy::TARGET).await), copy::stored_values(before));
    assert_eq!(count_audit_entries(&mut admin, copy::TARGET).await, 0);
    let entry =
        admin.get(&format!("/api/audit?target={}", job["id"].as_str().unwrap())).await.body["entries"][0].clone();
    assert_eq!((&entry["operation"], &entry["actor"]["email"]), (&json!("retry_job"), &json!(ADMIN)));

    move_in_cloud(&world, copy::TARGET, "South", "North").await;
    post(&mut admin, &job, "retry").await;
    assert_eq!(ended(&mut admin, &job).await["counts"], counts(1, 0, 1, 0, 0));
}

#[tokio::test]
async fn job_of_a_person_without_a_required_factor_pauses_until_the_set_up() {
    let world = copy::start().await;
    let (mut tech, mut admin) = (world.signed_in(NORTH_TECH).await, world.signed_in(ADMIN).await);
    // A job with a failed target that can be done now.
    move_in_cloud(&world, copy::TARGET, "North", "South").await;
    let job = copy::copy(&mut tech, &["copyName"], &[copy::TARGET]).await;
    move_in_cloud(&world, copy::TARGET, "South", "North").await;
    let rule = json!({ "role": diffuser::Role::CspTech.name(), "needsSecondFactor": true });
    assert_eq!(admin.put("/api/sign-in-rules", &rule).await.status, 200);
    let start = format!("/api/devices/dsns/{}/copy", copy::SOURCE);
    for refused in [
        tech.post(&format!("{}/retry", path(&job)), &Value::Null).await,
        tech.post(&start, &copy::body(&["copyName"], &[copy::TARGET])).await,
    ] {
        assert_eq!((refused.status, refused.code()), (403, "second_factor_required"));
    }

    // It runs, as if the rule had come while it ran.
    let database = Db::connect(&world.database).await.unwrap();
    database.execute("update job_targets set state = 'waiting'", params![]).await.unwrap();
    database.execute("update jobs set state = 'running', ended_at = null", params![]).await.unwrap();
    let before = admin.device(copy::TARGET).await["storeNumber"].clone();
    while read(&mut admin, &job).await["resumesAt"].is_null() {
        pause().await;
    }
    let paused = read(&mut admin, &job).await;
    assert_eq!((&paused["state"], &paused["counts"]), (&json!("running"), &counts(1, 1, 0, 0, 0)));
    assert_eq!(admin.device(copy::TARGET).await["storeNumber"], before);
    add_app(&world, &mut tech).await;
    world.pass_seconds(60);
    let done = ended(&mut tech, &job).await;
    assert_eq!((&done["state"], &done["counts"]), (&json!("done"), &counts(1, 0, 1, 0, 0)));
    assert_ne!(admin.device(copy::TARGET).await["storeNumber"], before);
}

#[tokio::test]
async fn jobs_and_their_results_are_listed() {
    let world = World::start().await;
    let (mut admin, mut tech) = (world.signed_in(ADMIN).await, world.signed_in(NORTH_TECH).await);
    let first = assign(&mut admin, &[NORTH, "SC-NONE"], "South").await;
    let second = assign(&mut admin, &[NORTH], "North").await;
    let list = admin.get("/api/jobs").await.body;
    let listed: Vec<&Value> = list["jobs"].as_array().unwrap().iter().collect();
    assert_eq!(listed.iter().map(|job| &job["id"]).collect::<Vec<_>>(), [&second["id"], &first["id"]]);
    assert_eq!((&listed[1]["operation"], &listed[1]["startedBy"]), (&json!("assign_csp"), &json!(ADMIN)));
    assert_eq!((&listed[1]["counts"], &list["next"]), (&counts(2, 0, 1, 1, 0), &Value::Null));
    let page = admin.get("/api/jobs?limit=1").await.body;
    let rest = admin.get(&format!("/api/jobs?before={}", page["next"].as_str().unwrap())).await.body;
    assert_eq!((&page["jobs"][0]["id"], &rest["jobs"][0]["id"]), (&second["id"], &first["id"]));
    assert_eq!(admin.get("/api/jobs?running=true").await.body["jobs"], json!([]));
    assert_eq!(tech.get("/api/jobs").await.body, json!({ "jobs": [], "next": null }), "only own jobs");

    let targets = admin.get(&format!("{}/targets", path(&first))).await.body;
    let reason = &targets["targets"][1]["reason"];
    let serial = admin.listed(NORTH).await["serialNumber"].clone();
    let changes = json!([{ "field": "csp", "before": "North", "after": "South" }]);
    let expected = json!({ "dsn": NORTH, "serialNumber": serial, "state": "done", "reason": null, "changes": changes });
    assert_eq!(targets["targets"][0], expected);
    assert_eq!((&targets["targets"][1]["state"], reason.is_string()), (&json!("failed"), true));
    assert_eq!(targets["targets"][1]["changes"], json!([]));
    let report = admin.get(&format!("{}/report", path(&first))).await.body;
    assert_eq!(report["items"], targets["targets"]);
    let (_, csv) = reports::file(&admin, &format!("{}/report?type=csv", path(&first)), None).await;
    let csv = reports::unquoted(csv.trim_start_matches('\u{feff}'));
    let lines: Vec<&str> = csv.lines().collect();
    let serial = serial.as_str().unwrap();
    assert_eq!(lines[0], "Serial Number,DSN,Result,Changes,Reason");
    assert_eq!(lines[1], format!("{serial},{NORTH},Done,CSP: North \u{2192} South,"));
    assert!(lines[2].starts_with(",SC-NONE,Failed,,"), "{}", lines[2]);
    for of_job in ["targets", "report"] {
        assert_eq!(tech.get(&format!("{}/{of_job}", path(&first))).await.status, 404);
    }
    let entry = admin.get("/api/audit?operation=report_job").await.body["entries"][0].clone();
    assert_eq!(
        entry["changes"].as_array().unwrap().iter().filter(|it| it["after"] == first["id"]).count(),
        1,
        "{entry}"
    );
    assert_eq!(admin.get("/api/jobs?limit=1000").await.fields(), ["limit"]);
}

async fn job_of_a_killed_node_is_finished_by_another(database: TestDb) {
    let mut orphan = Orphan::make(&database).await;
    let before = read(&mut orphan.browser, &orphan.job).await;
    let done_before = usize::try_from(before["counts"]["done"].as_u64().unwrap()).unwrap();
    assert!((1..12).contains(&done_before), "{before}");
    assert_eq!(before["state"], "running");
    orphan.expire_claim();
    let job = ended(&mut orphan.browser, &orphan.job).await;
    assert_eq!((&job["state"], &job["counts"]), (&json!("done"), &counts(12, 0, 12, 0, 0)));
    let mut once = 0;
    for dsn in &orphan.dsns {
        assert_eq!(orphan.browser.device(dsn).await["csp"], "South");
        once += usize::from(count_audit_entries(&mut orphan.browser, dsn).await == 1);
    }
    assert!(once >= 12 - CONCURRENT_TARGETS, "only targets in progress are repeated: {once}");
}

async fn job_is_interrupted_when_its_session_ends_and_continues_in_the_next(database: TestDb) {
    let mut orphan = Orphan::make(&database).await;
    assert_eq!(orphan.browser.delete("/api/session").await.status, 204);
    orphan.expire_claim();
    assert_eq!(orphan.browser.sign_in(ADMIN, PASSWORD).await.status, 200);
    let job = ended(&mut orphan.browser, &orphan.job).await;
    let left = job["counts"]["waiting"].as_u64().unwrap();
    assert_eq!((&job["state"], &job["can"]["retry"]), (&json!("interrupted"), &json!(true)));
    assert_eq!(job["unfinished"].as_array().unwrap().len() as u64, left, "the targets that were not processed");
    assert!((1..12).contains(&left), "{job}");
    post(&mut orphan.browser, &job, "retry").await;
    let job = ended(&mut orphan.browser, &job).await;
    assert_eq!((&job["state"], &job["counts"]), (&json!("done"), &counts(12, 0, 12, 0, 0)));
}

async fn job_is_interrupted_when_its_owner_loses_the_right(database: TestDb) {
    let orphan = Orphan::make(&database).await;
    orphan.cloud.revoke_roles(ADMIN).await;
    orphan.clock.advance(SignedDuration::from_secs(61));
    let state = loop {
        let (state,): (String,) = database.fetch_one("select state from jobs", params![]).await.unwrap();
        if state != "running" {
            break state;
        }
        pause().await;
    };
    assert_eq!(state, "interrupted");
    let mut browser = orphan.browser.at(orphan.node.addr());
    for (method, rest) in [("GET", ""), ("POST", "/cancel"), ("POST", "/retry")] {
        let request = browser.request(method.parse().unwrap(), &format!("{}{rest}", path(&orphan.job)));
        assert_eq!(browser.send(request).await.status, 403, "{method} {rest}: the own job, but no role");
    }
}

async fn job_of_a_stopped_console_continues_at_once_without_repeating_a_target(database: TestDb) {
    let world = World::start_on(&database).await;
    let (mut browser, dsns) = (world.signed_in(ADMIN).await, fleet(&world, 24).await);
    let next = world.another_console(|_| {});
    let job = start(&mut browser, &texts(&dsns), "South").await;
    let World { cloud: _cloud, console, .. } = world;
    console.shutdown().await;
    let node = next.await;
    let mut browser = browser.at(node.addr());
    let job = ended(&mut browser, &job).await;
    assert_eq!((&job["state"], &job["counts"]), (&json!("done"), &counts(24, 0, 24, 0, 0)), "{job}");
    for dsn in &dsns {
        assert_eq!(count_audit_entries(&mut browser, dsn).await, 1, "nothing was done twice");
    }
}

on_both_databases!(
    job_of_a_killed_node_is_finished_by_another,
    job_is_interrupted_when_its_session_ends_and_continues_in_the_next,
    job_is_interrupted_when_its_owner_loses_the_right,
    job_of_a_stopped_console_continues_at_once_without_repeating_a_target,
);
