use diffuser::Role;

use super::super::writes;
use super::*;
use crate::policy::session_hash::SessionHash;

const JOB: Uuid = Uuid::from_u128(0x0193_0000_0000_7000_8000_0000_0000_0001);
const LATER: Uuid = Uuid::from_u128(0x0193_0000_0000_7000_8000_0000_0000_0002);

fn at(time: &str) -> Timestamp {
    format!("2026-11-20T{time}Z").parse().unwrap()
}

fn actor() -> Actor {
    Actor {
        session: SessionHash::of(&[1; 32]),
        user: Uuid::from_u128(7),
        role: Some(Role::Admin),
        csp: Some("North".to_owned()),
    }
}

const WORK: &str = r#"{"kind":"assign_csp","csp":"North"}"#;

fn new<'a>(id: Uuid, starter: &'a Actor, dsns: &'a [String]) -> NewJob<'a> {
    NewJob { id, operation: Operation::AssignCsp, work: WORK, starter, now: at("10:00:00"), dsns, undoes: None }
}

async fn started(db: &Db, id: Uuid, targets: usize) {
    let dsns: Vec<String> = (0..targets).map(|number| format!("SC-{number}")).collect();
    let starter = actor();
    assert_eq!(insert(db, new(id, &starter, &dsns)).await.unwrap(), StartOutcome::Started);
}

async fn retried(db: &Db, session: &SessionHash) -> StartOutcome {
    retry(db, &find(db, JOB).await.unwrap().unwrap(), session).await.unwrap()
}

async fn claimed(db: &Db, run: &str, now: &str, until: &str) -> Option<Uuid> {
    claim(db, run, at(now), at(until)).await.unwrap().map(|job| job.id)
}

async fn counted(db: &Db) -> [u64; 4] {
    let JobCounts { total, waiting, done, failed, left, cancelled } = counts(db, JOB).await.unwrap();
    assert_eq!(total, waiting + done + failed + left + cancelled);
    [waiting, done, failed, cancelled]
}

async fn positions(db: &Db) -> Vec<i64> {
    waiting_targets(db, JOB).await.unwrap().into_iter().map(|target| target.position).collect()
}

async fn state(db: &Db) -> JobState {
    find(db, JOB).await.unwrap().unwrap().state
}

async fn stored_job_is_read_back(db: Db) {
    started(&db, JOB, 5000).await;
    let job = find(&db, JOB).await.unwrap().unwrap();
    assert_eq!(job.work, WORK);
    assert_eq!((job.id, job.user, &job.session), (JOB, actor().user, &actor().session));
    assert_eq!((job.state, job.created_at, job.ended_at), (JobState::Running, at("10:00:00"), None));
    assert_eq!(counted(&db).await, [5000, 0, 0, 0]);
    let targets = waiting_targets(&db, JOB).await.unwrap();
    assert!(targets.iter().enumerate().all(|(number, target)| target.dsn == format!("SC-{number}")));
    assert_eq!(targets.len(), 5000);
    assert!(find(&db, LATER).await.unwrap().is_none());
}

async fn running_jobs_per_user_are_limited(db: Db) {
    started(&db, JOB, 1).await;
    cancel(&db, JOB, at("10:00:05")).await.unwrap();
    let begin = async |number: u128, user: u128| {
        let starter = Actor { user: Uuid::from_u128(user), ..actor() };
        insert(&db, new(Uuid::from_u128(number), &starter, &["SC-1".to_owned()])).await.unwrap()
    };
    for number in 1..=5 {
        assert_eq!(begin(number, 7).await, StartOutcome::Started, "ended jobs do not count: {number}");
    }
    assert_eq!(
        (begin(6, 7).await, retried(&db, &actor().session).await),
        (StartOutcome::TooManyRunning, StartOutcome::TooManyRunning)
    );
    assert!(find(&db, Uuid::from_u128(6)).await.unwrap().is_none());
    assert_eq!(begin(7, 8).await, StartOutcome::Started, "another user");
    cancel(&db, Uuid::from_u128(1), at("10:00:05")).await.unwrap();
    assert_eq!(begin(6, 7).await, StartOutcome::Started);
}

async fn work_is_cleared_once_all_targets_are_done(db: Db) {
    let work = async || find(&db, JOB).await.unwrap().unwrap().work;
    started(&db, JOB, 2).await;
    record_result(&db, JOB, 0, TargetState::Done, None).await.unwrap();
    cancel(&db, JOB, at("10:00:05")).await.unwrap();
    clear_work(&db, JOB).await.unwrap();
    assert_eq!(work().await, WORK, "it can be retried");
    retried(&db, &actor().session).await;
    record_result(&db, JOB, 1, TargetState::Done, None).await.unwrap();
    clear_work(&db, JOB).await.unwrap();
    assert_eq!(work().await, WORK, "it is running");
    cancel(&db, JOB, at("10:00:10")).await.unwrap();
    clear_work(&db, JOB).await.unwrap();
    assert_eq!(work().await, "");
}

async fn job_is_claimed_by_one_run_until_the_claim_expires(db: Db) {
    started(&db, JOB, 1).await;
    started(&db, LATER, 1).await;
    assert_eq!(claimed(&db, "a", "10:00:00", "10:00:30").await, Some(JOB), "the oldest");
    assert_eq!(claimed(&db, "b", "10:00:00", "10:00:30").await, Some(LATER));
    assert_eq!(claimed(&db, "c", "10:00:29", "10:00:59").await, None);
    assert!(extend_claim(&db, JOB, "a", at("10:00:50")).await.unwrap());
    assert_eq!(claimed(&db, "c", "10:00:30", "10:01:00").await, Some(LATER));
    assert!(!extend_claim(&db, LATER, "b", at("10:02:00")).await.unwrap(), "claimed by another run");
    assert_eq!(claimed(&db, "d", "10:00:50", "10:01:20").await, Some(JOB));
    release_claim(&db, JOB, "a").await.unwrap();
    assert_eq!(claimed(&db, "e", "10:00:50", "10:01:20").await, None, "another run's claim cannot be released");
    release_claim(&db, JOB, "d").await.unwrap();
    assert_eq!(claimed(&db, "e", "10:00:50", "10:01:20").await, Some(JOB));
}

async fn paused_job_is_claimed_when_it_resumes(db: Db) {
    started(&db, JOB, 2).await;
    claimed(&db, "a", "10:00:00", "10:00:30").await;
    record_attempt(&db, JOB, 0).await.unwrap();
    pause(&db, JOB, "b", at("10:00:05")).await.unwrap();
    assert_eq!(find(&db, JOB).await.unwrap().unwrap().resumes_at, None, "another run's claim");
    pause(&db, JOB, "a", at("10:00:05")).await.unwrap();
    let job = find(&db, JOB).await.unwrap().unwrap();
    assert_eq!((job.state, job.resumes_at, job.pauses), (JobState::Running, Some(at("10:00:05")), 1));
    assert_eq!(claimed(&db, "b", "10:00:04", "10:00:34").await, None);
    assert_eq!(claimed(&db, "b", "10:00:05", "10:00:35").await, Some(JOB));
    let job = find(&db, JOB).await.unwrap().unwrap();
    assert_eq!((job.resumes_at, job.pauses), (None, 1));
    assert_eq!(positions(&db).await, [1, 0], "the failed target comes last");
    forget_pauses(&db, JOB).await.unwrap();
    assert_eq!(find(&db, JOB).await.unwrap().unwrap().pauses, 0);

    pause(&db, JOB, "b", at("11:00:00")).await.unwrap();
    cancel(&db, JOB, at("10:00:10")).await.unwrap();
    assert_eq!(find(&db, JOB).await.unwrap().unwrap().resumes_at, None);
    assert_eq!(retried(&db, &actor().session).await, StartOutcome::Started);
    assert_eq!(positions(&db).await, [0, 1], "a retry begins anew");
    assert_eq!(claimed(&db, "c", "10:00:10", "10:00:40").await, Some(JOB));
}

async fn target_results_are_stored_once(db: Db) {
    started(&db, JOB, 4).await;
    record_result(&db, JOB, 2, TargetState::Failed, Some("It is locked.".to_owned())).await.unwrap();
    record_result(&db, JOB, 0, TargetState::Done, None).await.unwrap();
    assert_eq!((counted(&db).await, positions(&db).await), ([2, 1, 1, 0], vec![1, 3]));
    record_result(&db, JOB, 0, TargetState::Failed, Some("Too late.".to_owned())).await.unwrap();
    assert_eq!(counted(&db).await, [2, 1, 1, 0], "a done target stays done");
    let failed = StoredTarget {
        position: 2,
        dsn: "SC-2".to_owned(),
        state: TargetState::Failed,
        reason: Some("It is locked.".to_owned()),
    };
    assert_eq!(unfinished(&db, JOB, JobState::Running).await.unwrap(), std::slice::from_ref(&failed));
    let left = |position| {
        let (dsn, state) = (format!("SC-{position}"), TargetState::Waiting);
        StoredTarget { position, dsn, state, reason: None }
    };
    let expected = [left(1), failed, left(3)];
    assert_eq!(unfinished(&db, JOB, JobState::Interrupted).await.unwrap(), expected, "in target order");
}

async fn jobs_are_listed_newest_first(db: Db) {
    for job in [JOB, LATER] {
        started(&db, job, 3).await;
    }
    cancel(&db, LATER, at("10:00:05")).await.unwrap();
    let listed = async |filter, limit| -> Vec<Uuid> {
        list(&db, filter, limit).await.unwrap().into_iter().map(|job| job.id).collect()
    };
    let (everybody, user) = (JobFilter::default(), Some(actor().user));
    assert_eq!(listed(everybody, 10).await, [LATER, JOB]);
    assert_eq!(listed(everybody, 1).await, [LATER]);
    assert_eq!(listed(JobFilter { user, before: Some(LATER), ..everybody }, 10).await, [JOB]);
    assert_eq!(listed(JobFilter { user, is_running: true, ..everybody }, 10).await, [JOB]);
    assert!(listed(JobFilter { user: Some(Uuid::nil()), ..everybody }, 10).await.is_empty());
    let counts = counts_of(&db, &[JOB, LATER]).await.unwrap();
    assert_eq!((counts[&JOB].waiting, counts[&LATER].cancelled), (3, 3));
    assert!(counts_of(&db, &[]).await.unwrap().is_empty());
}

async fn targets_are_read_in_pages(db: Db) {
    started(&db, JOB, 5).await;
    record_result(&db, JOB, 1, TargetState::Failed, Some("It is locked.".to_owned())).await.unwrap();
    record_result(&db, JOB, 3, TargetState::Failed, Some("It is locked.".to_owned())).await.unwrap();
    let read = async |state, from, limit| -> Vec<i64> {
        targets(&db, JOB, state, from, limit).await.unwrap().into_iter().map(|target| target.position).collect()
    };
    assert_eq!(read(None, 0, 3).await, [0, 1, 2]);
    assert_eq!(read(None, 3, 3).await, [3, 4]);
    assert_eq!(read(Some(TargetState::Failed), 0, 10).await, [1, 3]);
    assert_eq!(read(Some(TargetState::Failed), 2, 10).await, [3]);
}

async fn only_the_claiming_run_can_end_a_job(db: Db) {
    started(&db, JOB, 1).await;
    claimed(&db, "a", "10:00:00", "10:00:30").await;
    end(&db, JOB, "b", JobState::Done, at("10:00:10")).await.unwrap();
    assert_eq!(state(&db).await, JobState::Running);
    end(&db, JOB, "a", JobState::Interrupted, at("10:00:10")).await.unwrap();
    let job = find(&db, JOB).await.unwrap().unwrap();
    assert_eq!((job.state, job.ended_at), (JobState::Interrupted, Some(at("10:00:10"))));
    assert!(!extend_claim(&db, JOB, "a", at("10:01:00")).await.unwrap());
    assert_eq!(claimed(&db, "c", "11:00:00", "11:00:30").await, None, "an ended job cannot be claimed");
}

async fn result_of_a_target_in_progress_counts_after_cancellation(db: Db) {
    started(&db, JOB, 3).await;
    claimed(&db, "a", "10:00:00", "10:00:30").await;
    record_result(&db, JOB, 0, TargetState::Done, None).await.unwrap();
    cancel(&db, JOB, at("10:00:05")).await.unwrap();
    assert_eq!((state(&db).await, counted(&db).await), (JobState::Cancelled, [0, 1, 0, 2]));
    assert!(!extend_claim(&db, JOB, "a", at("10:01:00")).await.unwrap());
    record_result(&db, JOB, 1, TargetState::Done, None).await.unwrap();
    assert_eq!(counted(&db).await, [0, 2, 0, 1]);
    cancel(&db, JOB, at("11:00:00")).await.unwrap();
    assert_eq!(find(&db, JOB).await.unwrap().unwrap().ended_at, Some(at("10:00:05")), "the first end counts");
}

async fn retry_repeats_only_unfinished_targets(db: Db) {
    started(&db, JOB, 4).await;
    let present = SessionHash::of(&[2; 32]);
    assert_eq!(retried(&db, &present).await, StartOutcome::AlreadyRunning, "it is running");
    record_result(&db, JOB, 0, TargetState::Done, None).await.unwrap();
    record_result(&db, JOB, 1, TargetState::Failed, Some("It is locked.".to_owned())).await.unwrap();
    cancel(&db, JOB, at("10:00:05")).await.unwrap();
    assert_eq!(retried(&db, &present).await, StartOutcome::Started);
    let job = find(&db, JOB).await.unwrap().unwrap();
    assert_eq!((job.state, job.session, job.ended_at), (JobState::Running, present, None));
    assert_eq!((counted(&db).await, positions(&db).await), ([3, 1, 0, 0], vec![1, 2, 3]));
    assert_eq!(unfinished(&db, JOB, JobState::Cancelled).await.unwrap()[0].reason, None, "old reasons are cleared");
    assert_eq!(claimed(&db, "a", "10:00:05", "10:00:35").await, Some(JOB));
}

async fn old_jobs_are_deleted_with_their_targets(db: Db) {
    for job in [JOB, LATER] {
        started(&db, job, 2).await;
    }
    cancel(&db, JOB, at("10:00:05")).await.unwrap();
    assert_eq!(delete_ended_before(&db, at("10:00:05")).await.unwrap(), 0);
    assert_eq!(delete_ended_before(&db, at("23:00:00")).await.unwrap(), 1, "running jobs are not deleted");
    assert!(find(&db, JOB).await.unwrap().is_none());
    assert_eq!(counted(&db).await, [0; 4]);
    assert!(find(&db, LATER).await.unwrap().is_some());
}

async fn ended_with_writes(db: &Db, targets: usize) {
    started(db, JOB, targets).await;
    for position in 0..targets {
        writes::store(db, JOB, &format!("SC-{position}"), "{}").await.unwrap();
        record_result(db, JOB, i64::try_from(position).unwrap(), TargetState::Done, None).await.unwrap();
    }
    claimed(db, "a", "10:00:00", "10:00:30").await;
    end(db, JOB, "a", JobState::Done, at("10:00:10")).await.unwrap();
}

async fn undo(db: &Db, id: Uuid, user: u128) -> StartOutcome {
    let starter = Actor { user: Uuid::from_u128(user), ..actor() };
    let dsns = writes::targets(db, JOB).await.unwrap();
    insert(db, NewJob { undoes: Some(JOB), ..new(id, &starter, &dsns) }).await.unwrap()
}

async fn writes_are_replaced_and_read_by_target(db: Db) {
    started(&db, JOB, 3).await;
    assert_eq!(writes::find(&db, JOB, "SC-2").await.unwrap(), None);
    for (dsn, written) in [("SC-2", "a"), ("SC-0", "b"), ("SC-2", "c")] {
        writes::store(&db, JOB, dsn, written).await.unwrap();
    }
    assert_eq!(writes::find(&db, JOB, "SC-2").await.unwrap().as_deref(), Some("c"));
    assert_eq!(writes::targets(&db, JOB).await.unwrap(), ["SC-0", "SC-2"], "in the order of the job");
    assert!(find(&db, JOB).await.unwrap().unwrap().has_writes);
    assert_eq!(writes::targets(&db, LATER).await.unwrap(), [] as [String; 0]);
}

async fn job_is_undone_once_and_not_retried_afterwards(db: Db) {
    ended_with_writes(&db, 2).await;
    assert!(find(&db, JOB).await.unwrap().unwrap().can_be_undone(at("10:00:10")));
    assert_eq!(undo(&db, LATER, 7).await, StartOutcome::Started);
    let (undone, undo_job) = (find(&db, JOB).await.unwrap().unwrap(), find(&db, LATER).await.unwrap().unwrap());
    assert_eq!((undone.undone_by, undo_job.undoes), (Some(LATER), Some(JOB)));
    assert!(!undone.can_be_undone(at("10:00:10")));
    assert_eq!(undo(&db, Uuid::from_u128(3), 8).await, StartOutcome::Undone);
    assert!(find(&db, Uuid::from_u128(3)).await.unwrap().is_none());
    assert_eq!(retried(&db, &actor().session).await, StartOutcome::Undone);
}

async fn running_job_is_not_undone(db: Db) {
    started(&db, JOB, 1).await;
    writes::store(&db, JOB, "SC-0", "{}").await.unwrap();
    assert!(!find(&db, JOB).await.unwrap().unwrap().can_be_undone(at("10:00:10")));
    assert_eq!(undo(&db, LATER, 7).await, StartOutcome::Undone);
    assert!(find(&db, LATER).await.unwrap().is_none());
}

async fn concurrent_undos_start_one_job(db: Db) {
    ended_with_writes(&db, 1).await;
    let (one, other) = tokio::join!(undo(&db, LATER, 7), undo(&db, Uuid::from_u128(3), 8));
    let started = [one, other].into_iter().filter(|outcome| *outcome == StartOutcome::Started).count();
    assert_eq!(started, 1, "{one:?} {other:?}");
}

async fn writes_are_deleted_when_they_are_undone(db: Db) {
    ended_with_writes(&db, 2).await;
    undo(&db, LATER, 7).await;
    let stored = async || writes::targets(&db, JOB).await.unwrap().len();
    record_result(&db, LATER, 0, TargetState::Left, Some("Left.".to_owned())).await.unwrap();
    record_result(&db, LATER, 1, TargetState::Failed, Some("It is locked.".to_owned())).await.unwrap();
    writes::clear_undone(&db, LATER).await.unwrap();
    assert_eq!(stored().await, 2, "it is running");
    cancel(&db, LATER, at("10:01:00")).await.unwrap();
    writes::clear_undone(&db, LATER).await.unwrap();
    assert_eq!(stored().await, 2, "it can be retried");
    let job = find(&db, LATER).await.unwrap().unwrap();
    assert_eq!(retry(&db, &job, &actor().session).await.unwrap(), StartOutcome::Started);
    let waiting = waiting_targets(&db, LATER).await.unwrap();
    assert_eq!(waiting.iter().map(|target| target.position).collect::<Vec<_>>(), [1], "a left target stays left");
    record_result(&db, LATER, 1, TargetState::Done, None).await.unwrap();
    cancel(&db, LATER, at("10:02:00")).await.unwrap();
    writes::clear_undone(&db, JOB).await.unwrap();
    assert_eq!(stored().await, 2, "the job itself undoes nothing");
    writes::clear_undone(&db, LATER).await.unwrap();
    clear_work(&db, LATER).await.unwrap();
    assert_eq!(stored().await, 0);
    let job = find(&db, LATER).await.unwrap().unwrap();
    assert_eq!((job.work.as_str(), counts(&db, LATER).await.unwrap().left), ("", 1));
}

async fn old_writes_are_deleted_unless_they_are_being_undone(db: Db) {
    ended_with_writes(&db, 2).await;
    let job = find(&db, JOB).await.unwrap().unwrap();
    let end = job.ended_at.unwrap() + writes::UNDO_PERIOD;
    assert!(!job.can_be_undone(end) && job.can_be_undone(end - jiff::SignedDuration::from_secs(1)));
    assert_eq!(writes::delete_ended_before(&db, at("10:00:10")).await.unwrap(), 0);
    undo(&db, LATER, 7).await;
    assert_eq!(writes::delete_ended_before(&db, at("10:00:11")).await.unwrap(), 0);
    cancel(&db, LATER, at("10:01:00")).await.unwrap();
    assert_eq!(writes::delete_ended_before(&db, at("10:00:11")).await.unwrap(), 2);
    assert!(!find(&db, JOB).await.unwrap().unwrap().has_writes);
}

platform::store_suite!(
    migrate = crate::migrations::migrate,
    tests = [
        stored_job_is_read_back,
        running_jobs_per_user_are_limited,
        work_is_cleared_once_all_targets_are_done,
        job_is_claimed_by_one_run_until_the_claim_expires,
        paused_job_is_claimed_when_it_resumes,
        target_results_are_stored_once,
        jobs_are_listed_newest_first,
        targets_are_read_in_pages,
        only_the_claiming_run_can_end_a_job,
        result_of_a_target_in_progress_counts_after_cancellation,
        retry_repeats_only_unfinished_targets,
        old_jobs_are_deleted_with_their_targets,
        writes_are_replaced_and_read_by_target,
        job_is_undone_once_and_not_retried_afterwards,
        running_job_is_not_undone,
        concurrent_undos_start_one_job,
        writes_are_deleted_when_they_are_undone,
        old_writes_are_deleted_unless_they_are_being_undone,
    ]
);
