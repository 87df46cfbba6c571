use diffuser::Role;
use platform::run::random::Random;
use serde_json::{Value, json};

use super::*;
use crate::audit::refused_sign_in::{self, RefusedSignIn, SignInRefusal};
use crate::audit::retention;
use crate::audit::{AuditTarget, Operation};
use crate::http::error::{CloudFailure, FieldErrors};
use crate::policy::session_hash::SessionHash;
use crate::test_tools::query_plans::{explain_unsorted, sorts};

const NOON: &str = "2026-11-20T12:00:00Z";

fn instant(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn reader(role: Role, csp: Option<&str>) -> Actor {
    Actor { session: SessionHash::of(&[1; 32]), user: uuid::Uuid::nil(), role: Some(role), csp: csp.map(str::to_owned) }
}

fn admin() -> Actor {
    reader(Role::Admin, None)
}

fn author(email: &str, csp: Option<&str>) -> Author {
    Author {
        user_id: Uuid::from_u128(7),
        email: email.to_owned(),
        role: Some(Role::CspTech.name().to_owned()),
        csp: csp.map(str::to_owned),
        address: Some("192.0.2.7".to_owned()),
        browser: Some("Safari on iPhone".to_owned()),
    }
}

fn change(operation: Operation, dsn: &str, csp: Option<&str>) -> Change {
    Change { operation, target: AuditTarget::device(dsn, csp), fields: vec![FieldChange::new("fan", 1, 2)] }
}

/// Records changes, one each minute from noon, and returns their keys.
async fn record(db: &Db, changes: &[(&Author, Change)]) -> Vec<String> {
    let changes: Vec<_> = changes.iter().map(|(author, change)| (*author, change.clone(), None)).collect();
    record_in_jobs(db, &changes).await
}

/// As [`record`], each with the job that it belongs to.
async fn record_in_jobs(db: &Db, changes: &[(&Author, Change, Option<Uuid>)]) -> Vec<String> {
    let random = Random::seeded(1);
    let mut ids = Vec::new();
    for (minute, (author, change, job)) in (0..).zip(changes) {
        let id = random.uuid_at(instant(NOON) + jiff::SignedDuration::from_mins(minute)).to_string();
        start(db, &id, author, change, *job).await.unwrap();
        ids.push(id);
    }
    ids
}

async fn found(db: &Db, actor: &Actor, filter: &AuditFilter) -> Vec<String> {
    list(db, actor, filter, 100).await.unwrap().into_iter().map(|it| it.target_id).collect()
}

async fn audited_change_is_found_unchanged(db: Db) {
    let written = Change {
        fields: vec![
            FieldChange::new("customer", None::<String>, "Hôtel \u{1f490} \"Aurora\""),
            FieldChange::new("schedule.3", Value::Null, json!({ "active": true })),
        ],
        ..change(Operation::UpdateDevice, "SC-1", Some("North"))
    };
    let writer = author("tech@example.com", Some("North"));
    let id = record(&db, &[(&writer, written.clone())]).await.remove(0);
    let [found] =
        <[RecordedChange; 1]>::try_from(list(&db, &admin(), &AuditFilter::default(), 100).await.unwrap()).unwrap();
    assert_eq!((found.id, found.began_at), (id, instant(NOON)));
    assert_eq!((&*found.operation, &*found.target_kind, &*found.target_id), ("update_device", "device", "SC-1"));
    assert_eq!((found.target_csp.as_deref(), found.fields), (Some("North"), written.fields));
    assert_eq!((found.outcome, found.ended_at), (Outcome::Started, None));
    let by = found.author;
    assert_eq!((by.user_id, by.email, by.role, by.csp), (writer.user_id, writer.email, writer.role, writer.csp));
    assert_eq!((by.address, by.browser), (writer.address, writer.browser));
}

async fn change_has_its_outcome(db: Db) {
    let writer = author("tech@example.com", None);
    let settings = || change(Operation::UpdateDeviceSettings, "SC-1", None);
    let ids =
        record(&db, &[(&writer, settings()), (&writer, settings()), (&writer, settings()), (&writer, settings())])
            .await;
    let refused = ApiError::from(CloudFailure::Timeout);
    let stopped = ApiError::Stopped {
        cause: Box::new(ApiError::Forbidden),
        detail: String::new(),
        errors: FieldErrors::from([("fan".to_owned(), Vec::new())]),
    };
    let later = instant("2026-11-20T13:00:00Z");
    for (id, failure) in [(&ids[0], None), (&ids[1], Some(&refused)), (&ids[2], Some(&stopped))] {
        end(&db, id, failure, later).await.unwrap();
    }
    let failed =
        |code: &str, field: Option<&str>| Outcome::Failed { code: code.to_owned(), field: field.map(str::to_owned) };
    let found = list(&db, &admin(), &AuditFilter::default(), 100).await.unwrap();
    let ends: Vec<_> = found.into_iter().rev().map(|it| (it.outcome, it.ended_at)).collect();
    let expected = [
        (Outcome::Done, Some(later)),
        (failed("cloud_timeout", None), Some(later)),
        (failed("forbidden", Some("fan")), Some(later)),
        (Outcome::Started, None),
    ];
    assert_eq!(ends, expected);
}

async fn reader_finds_only_changes_in_its_scope(db: Db) {
    let (ours, theirs) = (author("ours@example.com", Some("North")), author("admin@example.com", None));
    let edit = |dsn: &str, csp| change(Operation::UpdateDevice, dsn, csp);
    record(
        &db,
        &[
            (&ours, edit("N1", Some("North"))),
            (&theirs, edit("N2", Some("North"))),
            (&theirs, edit("S1", Some("South"))),
            (&theirs, edit("X1", None)),
            // An author of North changes a device of South.
            (&ours, edit("S2", Some("South"))),
        ],
    )
    .await;
    let all = || AuditFilter::default();
    let by = |email: &str| AuditFilter { email: Some(email.to_owned()), ..all() };
    let of = |dsn: &str| AuditFilter { target: Some(dsn.to_owned()), ..all() };
    let north = || reader(Role::CspAdmin, Some("North"));
    let rows = [
        (admin(), all(), vec!["S2", "X1", "S1", "N2", "N1"]),
        (reader(Role::Observer, None), all(), vec!["S2", "X1", "S1", "N2", "N1"]),
        (north(), all(), vec!["N2", "N1"]),
        (north(), by("ours@example.com"), vec!["N1"]),
        (north(), by("admin@example.com"), vec![]),
        (north(), of("S1"), vec![]),
        (north(), of("X1"), vec![]),
        (reader(Role::CspAdmin, Some("north")), all(), vec![]),
        (reader(Role::CspAdmin, Some("")), all(), vec![]),
        (reader(Role::CspAdmin, None), all(), vec![]),
        (Actor { role: None, ..north() }, all(), vec![]),
        (admin(), by("ours@example.com"), vec!["S2", "N1"]),
        (admin(), of("S1"), vec!["S1"]),
    ];
    for (actor, filter, expected) in rows {
        assert_eq!(found(&db, &actor, &filter).await, expected, "{actor:?} {filter:?}");
    }
}

async fn filters_apply_together_and_pages_contain_every_change_once(db: Db) {
    let writer = author("tech@example.com", None);
    let edits = (0..10).map(|number| {
        let operation = if number % 2 == 0 { Operation::UpdateDevice } else { Operation::CreateDevice };
        (&writer, change(operation, &format!("D{number}"), None))
    });
    let ids = record(&db, &edits.collect::<Vec<_>>()).await;
    let added = AuditFilter { operation: Some("create_device"), ..AuditFilter::default() };
    assert_eq!(found(&db, &admin(), &added).await, ["D9", "D7", "D5", "D3", "D1"]);
    let between = AuditFilter {
        from: Some(instant("2026-11-20T12:03:00Z")),
        to: Some(instant("2026-11-20T12:07:00Z")),
        ..added.clone()
    };
    assert_eq!(found(&db, &admin(), &between).await, ["D5", "D3"], "from is among them, to is not");
    let page = AuditFilter { before: Some(ids[5].parse().unwrap()), ..added };
    assert_eq!(found(&db, &admin(), &page).await, ["D3", "D1"]);
    let two = list(&db, &admin(), &AuditFilter::default(), 2).await.unwrap();
    assert_eq!(two.iter().map(|it| it.target_id.as_str()).collect::<Vec<_>>(), ["D9", "D8"]);
}

async fn changes_of_a_job_are_found_by_it_and_fold_into_its_own(db: Db) {
    let (boss, tech) = (author("boss@example.com", None), author("tech@example.com", Some("North")));
    let (job, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
    let of_job = |operation, job| Change { operation, target: AuditTarget::job(job), fields: Vec::new() };
    let edit = |dsn: &str| change(Operation::UpdateDevice, dsn, Some("North"));
    record_in_jobs(
        &db,
        &[
            (&boss, of_job(Operation::AssignCsp, job), Some(job)),
            (&boss, edit("N1"), Some(job)),
            (&tech, edit("N2"), None),
            (&boss, edit("N3"), Some(job)),
            (&boss, edit("N4"), Some(other)),
            (&boss, of_job(Operation::CancelJob, job), Some(job)),
        ],
    )
    .await;
    let (job_id, all) = (job.to_string(), AuditFilter::default);
    let north = || reader(Role::CspAdmin, Some("North"));
    let folded = AuditFilter { folds_jobs: true, ..all() };
    let one_job = AuditFilter { job: Some(job), ..all() };
    let rows = [
        (admin(), all(), vec![&*job_id, "N4", "N3", "N2", "N1", &job_id]),
        (admin(), folded.clone(), vec![&job_id, "N2", &job_id]),
        (admin(), one_job.clone(), vec![&job_id, "N3", "N1", &job_id]),
        (admin(), AuditFilter { job: Some(Uuid::from_u128(3)), ..all() }, vec![]),
        (north(), one_job, vec!["N3", "N1"]),
        (north(), folded, vec!["N4", "N3", "N2", "N1"]),
        (reader(Role::CspAdmin, Some("South")), AuditFilter { job: Some(job), ..all() }, vec![]),
    ];
    for (actor, filter, expected) in rows {
        assert_eq!(found(&db, &actor, &filter).await, expected, "{actor:?} {filter:?}");
    }
    let jobs: Vec<_> = list(&db, &admin(), &all(), 100).await.unwrap().into_iter().map(|it| it.job).collect();
    assert_eq!(jobs, [Some(job), Some(other), Some(job), None, Some(job), Some(job)]);
}

async fn changes_of_several_devices_are_found_within_the_scope(db: Db) {
    let writer = author("tech@example.com", Some("North"));
    let edit = |dsn: &str, csp| (&writer, change(Operation::UpdateDevice, dsn, Some(csp)));
    record(&db, &[edit("N1", "North"), edit("N2", "North"), edit("S1", "South"), edit("N1", "North")]).await;
    let of = |dsns: &[&str]| {
        let devices = Some(dsns.iter().map(|&dsn| dsn.to_owned()).collect());
        AuditFilter { devices, ..AuditFilter::default() }
    };
    let rows = [
        (admin(), of(&["N1", "S1", "none"]), vec!["N1", "S1", "N1"]),
        (reader(Role::CspAdmin, Some("North")), of(&["N1", "S1"]), vec!["N1", "N1"]),
        (admin(), of(&["N"]), vec![]),
        (admin(), of(&[]), vec![]),
    ];
    for (actor, filter, expected) in rows {
        assert_eq!(found(&db, &actor, &filter).await, expected, "{filter:?}");
    }
}

async fn old_changes_are_deleted_in_batches_and_newer_ones_are_kept(db: Db) {
    let writer = author("tech@example.com", None);
    let edits: Vec<_> = (0..7).map(|n| (&writer, change(Operation::UpdateDevice, &format!("D{n}"), None))).collect();
    record(&db, &edits).await;
    let until = instant("2026-11-20T12:05:00Z");
    assert_eq!(delete_before(&db, until, 2).await.unwrap(), 2);
    assert_eq!(found(&db, &admin(), &AuditFilter::default()).await, ["D6", "D5", "D4", "D3", "D2"]);
    retention::delete_before(&db, until, 2).await.unwrap();
    assert_eq!(found(&db, &admin(), &AuditFilter::default()).await, ["D6", "D5"]);
}

/// The cost of a page must not grow with the table: no page sorts or scans rows outside its filter.
async fn every_filter_uses_an_index(db: Db) {
    let (tech, boss) = (author("tech@example.com", Some("North")), author("boss@example.com", None));
    let job = |number: u128| Uuid::from_u128(number);
    let edits = (0..2000_u32).map(|number| {
        // So rare that no plan is better off scanning all rows.
        let csp = format!("CSP {}", number % 100);
        let operation = if number % 100 == 1 { Operation::CreateDevice } else { Operation::UpdateDevice };
        let writer = if number % 100 == 0 { &boss } else { &tech };
        let in_job = (number % 4 == 0).then(|| job((number % 200).into()));
        (writer, change(operation, &format!("D{}", number % 200), Some(&csp)), in_job)
    });
    record_in_jobs(&db, &edits.collect::<Vec<_>>()).await;
    let all = AuditFilter::default;
    let of = AuditFilter { target: Some("D7".to_owned()), ..all() };
    let by = AuditFilter { email: Some("boss@example.com".to_owned()), ..all() };
    let added = AuditFilter { operation: Some("create_device"), ..all() };
    let late = AuditFilter { from: Some(instant(NOON)), before: Some(Uuid::max()), ..all() };
    let of_job = AuditFilter { job: Some(job(8)), ..all() };
    let one = reader(Role::CspAdmin, Some("CSP 1"));
    let rows = [
        (admin(), all(), ["sqlite_autoindex_audit_1", "audit_pkey"]),
        (admin(), late, ["sqlite_autoindex_audit_1", "audit_pkey"]),
        (admin(), of, ["audit_target", "audit_target"]),
        (admin(), by, ["audit_email", "audit_email"]),
        (admin(), of_job, ["audit_job", "audit_job"]),
        (admin(), added.clone(), ["audit_operation", "audit_operation"]),
        (one.clone(), all(), ["audit_csp", "audit_csp"]),
        (one, added, ["audit_csp_operation", "audit_csp_operation"]),
    ];
    for (actor, filter, [on_sqlite, on_postgres]) in rows {
        let plan = explain_unsorted(&db, &page(&actor, &filter, 51).unwrap()).await;
        let index = if matches!(db, Db::Sqlite { .. }) { on_sqlite } else { on_postgres };
        assert!(plan.contains(index) && !sorts(&plan), "{filter:?}: {plan}");
    }
}

async fn consequences_end_with_their_cause_and_fold_into_it(db: Db) {
    let writer = author("admin@example.com", None);
    let import =
        Change { operation: Operation::UpdateFragrances, target: AuditTarget::fragrances(), fields: Vec::new() };
    let [cause] = <[String; 1]>::try_from(record(&db, &[(&writer, import)]).await).unwrap();
    let random = Random::seeded(2);
    let of_device = |number: u32| {
        let csp = (number == 7).then_some("North");
        (random.uuid_at(instant(NOON)).to_string(), change(Operation::UpdateFragrances, &format!("D{number}"), csp))
    };
    let changes: Vec<_> = (0..700).map(of_device).collect();
    start_consequences(&db, &cause, &writer, &changes).await.unwrap();
    end_consequences(&db, &cause, None, instant(NOON)).await.unwrap();
    end(&db, &cause, None, instant(NOON)).await.unwrap();

    let of_cause = AuditFilter { cause: Some(cause.parse().unwrap()), ..AuditFilter::default() };
    let found_changes = list(&db, &admin(), &of_cause, 1000).await.unwrap();
    assert_eq!(found_changes.len(), 700);
    assert!(found_changes.iter().all(|it| it.outcome == Outcome::Done && it.cause.as_deref() == Some(&*cause)));
    let folded = AuditFilter { folds_jobs: true, ..AuditFilter::default() };
    assert_eq!(found(&db, &admin(), &folded).await, [""]);
    let partner = reader(Role::CspAdmin, Some("North"));
    assert_eq!(found(&db, &partner, &folded).await, ["D7"]);
}

fn refused(account: u128, address: &str) -> RefusedSignIn {
    let account = (account > 0).then(|| Uuid::from_u128(account));
    RefusedSignIn { account, address: address.parse().unwrap(), reason: SignInRefusal::WrongPassword }
}

async fn refuse(db: &Db, at: &str, refused: &RefusedSignIn, max_entries: u64) {
    let id = Random::system().uuid_at(instant(at)).to_string();
    let origin = ClientOrigin { address: Some(refused.address.to_string()), browser: None };
    refused_sign_in::record(db, &id, &origin, refused, instant(at), max_entries).await.unwrap();
}

async fn refused_sign_ins_of_an_hour_account_and_network_share_an_entry(db: Db) {
    let locked = RefusedSignIn { reason: SignInRefusal::AccountLocked, ..refused(1, "2001:db8::1") };
    for (at, refused) in [
        ("2026-11-20T12:00:00Z", &refused(1, "2001:db8::1")),
        ("2026-11-20T12:10:00Z", &refused(1, "2001:db8::2")),
        ("2026-11-20T12:59:59Z", &refused(1, "2001:db8::1")),
        ("2026-11-20T12:59:59Z", &locked),
        ("2026-11-20T12:59:59Z", &refused(2, "2001:db8::1")),
        ("2026-11-20T12:59:59Z", &refused(1, "2001:db8:0:1::1")),
        ("2026-11-20T13:00:00Z", &refused(1, "2001:db8::1")),
        ("2026-11-20T13:00:00Z", &refused(0, "2001:db8::1")),
        ("2026-11-20T13:00:01Z", &refused(0, "2001:db8::1")),
    ] {
        refuse(&db, at, refused, 1000).await;
    }
    let found = list(&db, &admin(), &AuditFilter::default(), 100).await.unwrap();
    let mut found: Vec<_> = found.iter().map(|it| (it.began_at, it.occurrences, &*it.target_id)).collect();
    found.sort();
    let [one, two] = [1, 2].map(|account| Uuid::from_u128(account).to_string());
    let [noon, end, one_oclock] = ["12:00:00", "12:59:59", "13:00:00"].map(|at| instant(&format!("2026-11-20T{at}Z")));
    let expected =
        [(noon, 3, &*one), (end, 1, &one), (end, 1, &one), (end, 1, &two), (one_oclock, 1, &one), (one_oclock, 2, "")];
    let mut expected = expected.to_vec();
    expected.sort();
    assert_eq!(found, expected);
}

async fn flood_of_refused_sign_ins_adds_a_limited_number_of_entries(db: Db) {
    for account in 1..=20 {
        refuse(&db, NOON, &refused(account, "192.0.2.1"), 3).await;
        refuse(&db, NOON, &refused(account, "192.0.2.2"), 3).await;
    }
    let found = list(&db, &admin(), &AuditFilter::default(), 100).await.unwrap();
    let mut counts: Vec<_> = found.iter().map(|it| it.occurrences).collect();
    counts.sort_unstable();
    assert_eq!(counts, [1, 1, 1, 37]);
    let rest = found.iter().find(|it| it.occurrences == 37).unwrap();
    assert_eq!((&*rest.target_id, rest.author.address.as_deref()), ("", None));
    refuse(&db, "2026-11-20T13:00:00Z", &refused(1, "192.0.2.1"), 3).await;
    assert_eq!(found_count(&db, &admin()).await, 5, "the next hour has entries of its own");
}

async fn found_count(db: &Db, reader: &Actor) -> usize {
    list(db, reader, &AuditFilter::default(), 100).await.unwrap().len()
}

async fn refused_sign_ins_and_report_downloads_are_for_administrators(db: Db) {
    refuse(&db, NOON, &refused(1, "192.0.2.1"), 1000).await;
    let download =
        |csp| Change { operation: Operation::ReportDevices, target: AuditTarget::report(csp), fields: Vec::new() };
    let who = author("tech@example.com", Some("North"));
    let sign_in = Change {
        operation: Operation::CreateSession,
        target: AuditTarget::user(Uuid::nil(), None),
        fields: Vec::new(),
    };
    let ids = record(&db, &[(&who, download(Some("North"))), (&who, download(None)), (&who, sign_in)]).await;
    end(&db, &ids[2], None, instant(NOON)).await.unwrap();
    let rows = [
        (admin(), 4),
        (reader(Role::Observer, None), 1),
        (reader(Role::CspAdmin, Some("North")), 1),
        (reader(Role::CspAdmin, Some("South")), 0),
        (reader(Role::CspObserver, Some("North")), 0),
    ];
    for (reader, expected) in rows {
        assert_eq!(found_count(&db, &reader).await, expected, "{:?}", reader.role);
    }
}

platform::store_suite!(
    migrate = crate::migrations::migrate,
    tests = [
        audited_change_is_found_unchanged,
        change_has_its_outcome,
        reader_finds_only_changes_in_its_scope,
        filters_apply_together_and_pages_contain_every_change_once,
        changes_of_a_job_are_found_by_it_and_fold_into_its_own,
        changes_of_several_devices_are_found_within_the_scope,
        old_changes_are_deleted_in_batches_and_newer_ones_are_kept,
        every_filter_uses_an_index,
        consequences_end_with_their_cause_and_fold_into_it,
        refused_sign_ins_of_an_hour_account_and_network_share_an_entry,
        flood_of_refused_sign_ins_adds_a_limited_number_of_entries,
        refused_sign_ins_and_report_downloads_are_for_administrators,
    ]
);
