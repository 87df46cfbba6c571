use diffuser::Role;

use super::*;
use crate::session::SessionHash;

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

async fn started(db: &Db, id: Uuid, targets: usize) {
    let dsns: Vec<String> = (0..targets).map(|number| format!("SC-{number}")).collect();
    assert_eq!(insert(db, id, WORK, &actor(), at("10:00:00"), &dsns).await.unwrap(), Begun::Yes);
}

async fn retried(db: &Db, session: &SessionHash) -> Begun {
    retry(db, &find(db, JOB).await.unwrap().unwrap(), session).await.unwrap()
}

async fn claimed(db: &Db, run: &str, now: &str, until: &str) -> Option<Uuid> {
    claim(db, run, at(now), at(until)).await.unwrap().map(|job| job.id)
}

async fn counted(db: &Db) -> [u64; 4] {
    let JobCounts { total, waiting, done, failed, cancelled } = counts(db, JOB).await.unwrap();
    assert_eq!(total, waiting + done + failed + cancelled);
    [waiting, done, failed, cancelled]
}

async fn positions(db: &Db) -> Vec<i64> {
    waiting(db, JOB).await.unwrap().into_iter().map(|target| target.position).collect()
}

async fn state(db: &Db) -> JobState {
    find(db, JOB).await.unwrap().unwrap().state
}

async fn a_job_is_found_as_it_was_kept(db: Db) {
    started(&db, JOB, 5000).await;
    let job = find(&db, JOB).await.unwrap().unwrap();
    assert_eq!(job.order().unwrap(), Order::AssignCsp { csp: "North".to_owned() });
    assert_eq!((job.id, job.user, &job.session), (JOB, actor().user, &actor().session));
    assert_eq!((job.state, job.created_at, job.ended_at), (JobState::Running, at("10:00:00"), None));
    assert_eq!(counted(&db).await, [5000, 0, 0, 0]);
    let targets = waiting(&db, JOB).await.unwrap();
    assert!(targets.iter().enumerate().all(|(number, target)| target.dsn == format!("SC-{number}")));
    assert_eq!(targets.len(), 5000);
    assert!(find(&db, LATER).await.unwrap().is_none());
}

async fn a_person_has_only_so_many_jobs_that_run(db: Db) {
    started(&db, JOB, 1).await;
    cancel(&db, JOB, at("10:00:05")).await.unwrap();
    let begin = async |number: u128, user: u128| {
        let starter = Actor { user: Uuid::from_u128(user), ..actor() };
        insert(&db, Uuid::from_u128(number), WORK, &starter, at("10:00:00"), &["SC-1".to_owned()]).await.unwrap()
    };
    for number in 1..=5 {
        assert_eq!(begin(number, 7).await, Begun::Yes, "what has ended does not count: {number}");
    }
    assert_eq!((begin(6, 7).await, retried(&db, &actor().session).await), (Begun::TooMany, Begun::TooMany));
    assert!(find(&db, Uuid::from_u128(6)).await.unwrap().is_none());
    assert_eq!(begin(7, 8).await, Begun::Yes, "somebody else");
    cancel(&db, Uuid::from_u128(1), at("10:00:05")).await.unwrap();
    assert_eq!(begin(6, 7).await, Begun::Yes);
}

async fn what_a_job_did_is_forgotten_once_all_targets_are_done(db: Db) {
    let work = async || find(&db, JOB).await.unwrap().unwrap().work;
    started(&db, JOB, 2).await;
    record(&db, JOB, 0, None).await.unwrap();
    cancel(&db, JOB, at("10:00:05")).await.unwrap();
    forget_work(&db, JOB).await.unwrap();
    assert_eq!(work().await, WORK, "it can be retried");
    retried(&db, &actor().session).await;
    record(&db, JOB, 1, None).await.unwrap();
    forget_work(&db, JOB).await.unwrap();
    assert_eq!(work().await, WORK, "it runs");
    cancel(&db, JOB, at("10:00:10")).await.unwrap();
    forget_work(&db, JOB).await.unwrap();
    assert_eq!(work().await, "");
}

async fn work_of_another_version_is_no_order(db: Db) {
    insert(&db, JOB, r#"{"kind":"paint"}"#, &actor(), at("10:00:00"), &[]).await.unwrap();
    assert!(find(&db, JOB).await.unwrap().unwrap().order().is_err());
}

async fn one_run_has_a_job_until_its_claim_runs_out(db: Db) {
    started(&db, JOB, 1).await;
    started(&db, LATER, 1).await;
    assert_eq!(claimed(&db, "a", "10:00:00", "10:00:30").await, Some(JOB), "the oldest");
    assert_eq!(claimed(&db, "b", "10:00:00", "10:00:30").await, Some(LATER));
    assert_eq!(claimed(&db, "c", "10:00:29", "10:00:59").await, None);
    assert!(keep_claim(&db, JOB, "a", at("10:00:50")).await.unwrap());
    assert_eq!(claimed(&db, "c", "10:00:30", "10:01:00").await, Some(LATER));
    assert!(!keep_claim(&db, LATER, "b", at("10:02:00")).await.unwrap(), "taken over");
    assert_eq!(claimed(&db, "d", "10:00:50", "10:01:20").await, Some(JOB));
    give_back(&db, JOB, "a").await.unwrap();
    assert_eq!(claimed(&db, "e", "10:00:50", "10:01:20").await, None, "it was not the first run's to give back");
    give_back(&db, JOB, "d").await.unwrap();
    assert_eq!(claimed(&db, "e", "10:00:50", "10:01:20").await, Some(JOB));
}

async fn each_target_keeps_its_result(db: Db) {
    started(&db, JOB, 4).await;
    record(&db, JOB, 2, Some("It is locked.".to_owned())).await.unwrap();
    record(&db, JOB, 0, None).await.unwrap();
    assert_eq!((counted(&db).await, positions(&db).await), ([2, 1, 1, 0], vec![1, 3]));
    record(&db, JOB, 0, Some("Too late.".to_owned())).await.unwrap();
    assert_eq!(counted(&db).await, [2, 1, 1, 0], "what is done stays done");
    let failed =
        Unfinished { dsn: "SC-2".to_owned(), state: TargetState::Failed, reason: Some("It is locked.".to_owned()) };
    assert_eq!(unfinished(&db, JOB, JobState::Running).await.unwrap(), std::slice::from_ref(&failed));
    let left = |number: u8| Unfinished { dsn: format!("SC-{number}"), state: TargetState::Waiting, reason: None };
    let expected = [left(1), failed, left(3)];
    assert_eq!(unfinished(&db, JOB, JobState::Interrupted).await.unwrap(), expected, "in their order");
}

async fn only_the_run_that_has_a_job_ends_it(db: Db) {
    started(&db, JOB, 1).await;
    claimed(&db, "a", "10:00:00", "10:00:30").await;
    end(&db, JOB, "b", JobState::Done, at("10:00:10")).await.unwrap();
    assert_eq!(state(&db).await, JobState::Running);
    end(&db, JOB, "a", JobState::Interrupted, at("10:00:10")).await.unwrap();
    let job = find(&db, JOB).await.unwrap().unwrap();
    assert_eq!((job.state, job.ended_at), (JobState::Interrupted, Some(at("10:00:10"))));
    assert!(!keep_claim(&db, JOB, "a", at("10:01:00")).await.unwrap());
    assert_eq!(claimed(&db, "c", "11:00:00", "11:00:30").await, None, "nobody works on what has ended");
}

async fn what_was_under_way_when_a_job_was_cancelled_still_counts(db: Db) {
    started(&db, JOB, 3).await;
    claimed(&db, "a", "10:00:00", "10:00:30").await;
    record(&db, JOB, 0, None).await.unwrap();
    cancel(&db, JOB, at("10:00:05")).await.unwrap();
    assert_eq!((state(&db).await, counted(&db).await), (JobState::Cancelled, [0, 1, 0, 2]));
    assert!(!keep_claim(&db, JOB, "a", at("10:01:00")).await.unwrap());
    record(&db, JOB, 1, None).await.unwrap();
    assert_eq!(counted(&db).await, [0, 2, 0, 1]);
    cancel(&db, JOB, at("11:00:00")).await.unwrap();
    assert_eq!(find(&db, JOB).await.unwrap().unwrap().ended_at, Some(at("10:00:05")), "it ends once");
}

async fn a_retry_is_for_what_is_not_done(db: Db) {
    started(&db, JOB, 4).await;
    let present = SessionHash::of(&[2; 32]);
    assert_eq!(retried(&db, &present).await, Begun::Before, "it runs");
    record(&db, JOB, 0, None).await.unwrap();
    record(&db, JOB, 1, Some("It is locked.".to_owned())).await.unwrap();
    cancel(&db, JOB, at("10:00:05")).await.unwrap();
    assert_eq!(retried(&db, &present).await, Begun::Yes);
    let job = find(&db, JOB).await.unwrap().unwrap();
    assert_eq!((job.state, job.session, job.ended_at), (JobState::Running, present, None));
    assert_eq!((counted(&db).await, positions(&db).await), ([3, 1, 0, 0], vec![1, 2, 3]));
    assert_eq!(unfinished(&db, JOB, JobState::Cancelled).await.unwrap()[0].reason, None, "reasons are of the past");
    assert_eq!(claimed(&db, "a", "10:00:05", "10:00:35").await, Some(JOB));
}

async fn jobs_that_ended_long_ago_go_with_their_targets(db: Db) {
    for job in [JOB, LATER] {
        started(&db, job, 2).await;
    }
    cancel(&db, JOB, at("10:00:05")).await.unwrap();
    assert_eq!(clear(&db, at("10:00:05")).await.unwrap(), 0);
    assert_eq!(clear(&db, at("23:00:00")).await.unwrap(), 1, "what runs is never old");
    assert!(find(&db, JOB).await.unwrap().is_none());
    assert_eq!(counted(&db).await, [0; 4]);
    assert!(find(&db, LATER).await.unwrap().is_some());
}

platform::store_suite!(
    migrate = crate::migrations::migrate,
    tests = [
        a_job_is_found_as_it_was_kept,
        a_person_has_only_so_many_jobs_that_run,
        what_a_job_did_is_forgotten_once_all_targets_are_done,
        work_of_another_version_is_no_order,
        one_run_has_a_job_until_its_claim_runs_out,
        each_target_keeps_its_result,
        only_the_run_that_has_a_job_ends_it,
        what_was_under_way_when_a_job_was_cancelled_still_counts,
        a_retry_is_for_what_is_not_done,
        jobs_that_ended_long_ago_go_with_their_targets,
    ]
);
